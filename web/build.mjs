// Bundles the page's script and stylesheet, and the letters of the card, into dist/. Run by
// `npm run build`.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import subsetFont from "subset-font";

/** Letters of the card that `report --card` draws: crates/core/report/src/html/card.rs has the same
 * list. */
const LETTERS = [[0x20, 0x7e], [0xa0, 0xff]]
  .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i))
  .map((code) => String.fromCodePoint(code))
  .join("") + "–—‘’“”…−";
/** Copyright, family, style and licence stay in the font: its licence (OFL 1.1) asks for it. */
const NAMES = [0, 1, 2, 13, 14, 16, 17];

await build({
  entryPoints: { report: "src/main.ts" },
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  legalComments: "eof",
  charset: "utf8",
});
await build({
  entryPoints: { report: "src/report.css" },
  outdir: "dist",
  bundle: true,
  minify: true,
  target: ["chrome123", "firefox120", "safari17.5"],
});

for (const weight of [400, 600]) {
  const file = `node_modules/@fontsource/inter/files/inter-latin-${weight}-normal.woff2`;
  const options = { targetFormat: "sfnt", preserveNameIds: NAMES };
  writeFileSync(`dist/card-${weight}.ttf`, await subsetFont(readFileSync(file), LETTERS, options));
}

const script = readFileSync("dist/report.js", "utf8");
const style = readFileSync("dist/report.css", "utf8");
// Inside a page these would end the element they stand in.
for (const [text, forbidden] of [[script, /<\/script|<!--/i], [style, /<\/style/i]]) {
  if (forbidden.test(text)) throw new Error(`the bundle holds ${forbidden}`);
}
const size = script.length + style.length;
if (size > 800_000) throw new Error(`the bundle has ${size} bytes; 800000 is the limit`);
