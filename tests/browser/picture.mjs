// Makes docs/images/report.png, the picture of the report in the README, from a recorded run:
// `npm run picture` (needs pngquant, which makes it a third of its size). The first screen by day
// beside one workload by night.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { start } from "./support.mjs";

const VIEWS = [
  { colorScheme: "light", at: "main" },
  { colorScheme: "dark", at: "#run-0-workload-1" },
];
const SIZE = { width: 980, height: 1180 };

const session = await start();
const pictures = [];
for (const { colorScheme, at } of VIEWS) {
  const { page, close } = await session.open(["card"], { colorScheme, viewport: SIZE });
  await page.addStyleTag({ content: "html { scroll-behavior: auto }" });
  await page.evaluate((selector) => document.querySelector(selector).scrollIntoView(), at);
  if (at === "main") await page.evaluate(() => scrollTo(0, 0));
  pictures.push((await page.screenshot()).toString("base64"));
  await close();
}
const { page, close } = await session.open(["empty"], {
  viewport: { width: 1545, height: 945 },
  bypassCSP: true,
});
await page.setContent(`<style>
  body { margin: 0; padding: 27px 25px; display: flex; gap: 25px; background: #e9ecea }
  img { width: 735px; height: 885px; border-radius: 8px; box-shadow: 0 6px 22px #0003 }
</style>${pictures.map((data) => `<img src="data:image/png;base64,${data}">`).join("")}`);
const images = new URL("../../docs/images/", import.meta.url);
mkdirSync(images, { recursive: true });
const picture = fileURLToPath(new URL("report.png", images));
writeFileSync(picture, await page.screenshot());
execFileSync("pngquant", ["--force", "--strip", "--output", picture, "192", picture]);
await close();
await session.close();
