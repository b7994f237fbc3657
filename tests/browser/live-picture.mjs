// Makes docs/images/live-*.png: one real demo from its start to its answer, seen by a browser, by a
// phone and in a terminal at the same three moments. `npm run live-picture` as root, after `make
// build` (needs tmux, and pngquant, which makes the pictures a third of their size).
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TARGET, launch } from "./support.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const PROGRAM = join(TARGET, "release/bakeoff");
const TIME = process.env.TIME ?? "3m";
const DESKTOP = { viewport: { width: 900, height: 980 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const COLORS = ["#1d1f21", "#d6675f", "#8fb573", "#d8a657", "#6f9fd8", "#b48ead", "#5fb3b3",
  "#d5d8d6"];
const DIM = "#878c8a";

const directory = mkdtempSync(join(tmpdir(), "bakeoff-picture-"));
const store = ["--store", join(directory, "s.db")];
const options = { cwd: directory, stdio: ["ignore", "ignore", "pipe"] };
const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

const server = spawn(PROGRAM, [...store, "serve", "--listen", "127.0.0.1:0"], options);
let said = "";
server.stderr.on("data", (data) => { said += data; });
while (!said.includes("Ctrl-C stops")) await sleep(50);
const address = /http:\/\/[0-9.:]+/.exec(said)[0];

const tmux = (...args) =>
  execFileSync("tmux", ["-S", join(directory, "tmux"), ...args], { encoding: "utf8" });
tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24",
  [PROGRAM, ...store, "watch", "--tui"].join(" "));

const browser = await launch();
const pages = [];
for (const settings of [DESKTOP, PHONE]) {
  const context = await browser.newContext({ deviceScaleFactor: 1, ...settings });
  const page = await context.newPage();
  await page.goto(address);
  pages.push(page);
}
const run = spawn(PROGRAM, [...store, "demo", "--time", TIME], options);
let isOver = false;
run.on("exit", () => { isOver = true; });

const state = () => pages[0].evaluate(() => {
  const article = document.querySelector("article.now");
  const value = document.querySelector("article.now progress")?.value ?? 0;
  return { state: article?.dataset.state ?? "", progress: value };
});
const moments = [];
async function moment(is) {
  for (;;) {
    const now = await state();
    if (is(now)) break;
    await sleep(500);
  }
  // The pages and the terminal show it at their next look.
  await sleep(3000);
  const [desktop, phone] = [await pages[0].screenshot(), await pages[1].screenshot()];
  moments.push({ desktop, phone, terminal: tmux("capture-pane", "-e", "-p") });
}
await moment((now) => now.state === "running");
await moment((now) => now.progress > 0.5 || now.state === "stopped");
await moment((now) => isOver && now.state === "stopped");

/** The text of a terminal with its colours, as HTML. */
function coloured(text) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  let style = {};
  const open = () => {
    const css = Object.entries(style).map(([name, value]) => `${name}:${value}`);
    return `<span style="${css.join(";")}">`;
  };
  // eslint-disable-next-line no-control-regex
  const spans = escaped.replace(/\x1b\[([0-9;]*)m/g, (_, codes) => {
    for (const code of (codes || "0").split(";").map(Number)) {
      if (code === 0) style = {};
      if (code === 1) style["font-weight"] = 700;
      if (code === 4) style["text-decoration"] = "underline";
      if (code === 39) delete style.color;
      if (code >= 30 && code < 38) style.color = COLORS[code - 30];
      if (code >= 90 && code < 98) style.color = code === 90 ? DIM : COLORS[code - 90];
    }
    return `</span>${open()}`;
  });
  return `<pre>${open()}${spans}</span></pre>`;
}

async function compose(name, width, parts) {
  const context = await browser.newContext({ viewport: { width, height: 400 } });
  const page = await context.newPage();
  await page.setContent(`<style>
    body { margin: 0; padding: 24px; display: flex; gap: 24px; background: #e9ecea }
    img { border-radius: 8px; box-shadow: 0 6px 22px #0003; min-width: 0; flex: 1; height: auto;
      align-self: flex-start }
    pre { margin: 0; padding: 14px; border-radius: 8px; background: ${COLORS[0]}; flex: 1;
      color: ${COLORS[7]}; font: 11px/14px "DejaVu Sans Mono", monospace; }
  </style>${parts.join("")}`);
  const file = join(ROOT, "docs/images", `live-${name}.png`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await page.screenshot({ fullPage: true }));
  execFileSync("pngquant", ["--force", "--strip", "--output", file, "128", file]);
}
const image = (png) =>
  `<img style="width:0" src="data:image/png;base64,${png.toString("base64")}">`;
await compose("browser", 1560, moments.map((m) => image(m.desktop)));
await compose("phone", 900, moments.map((m) => image(m.phone)));
await compose("terminal", 1290, moments.slice(1).map((m) => coloured(m.terminal)));

await browser.close();
tmux("kill-server");
server.kill();
rmSync(directory, { recursive: true });
