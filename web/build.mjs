// Bundles the page's script and stylesheet into dist/. Run by `npm run build`.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

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

const script = readFileSync("dist/report.js", "utf8");
const style = readFileSync("dist/report.css", "utf8");
// Inside a page these would end the element they stand in.
for (const [text, forbidden] of [[script, /<\/script|<!--/i], [style, /<\/style/i]]) {
  if (forbidden.test(text)) throw new Error(`the bundle holds ${forbidden}`);
}
const size = script.length + style.length;
if (size > 800_000) throw new Error(`the bundle has ${size} bytes; 800000 is the limit`);
