// What every test of the report needs: pages made from recorded runs by the real program's code,
// and a browser that would notice any request, error or dialog.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
// Where cargo builds.
export const TARGET = execFileSync(join(ROOT, "scripts/target.sh"), { encoding: "utf8" }).trim();
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** How long anything may take, in milliseconds: moments alone, minutes where emulators and builds
 * have the processors. */
export const PATIENCE = 300_000;

/** Asks for something until it is there. */
export async function until(what, found, patience = PATIENCE) {
  const since = Date.now();
  for (;;) {
    const value = await found();
    if (value) return value;
    assert.ok(Date.now() - since < patience, `no ${what}`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** The system's Chromium. */
export async function launch() {
  const executablePath = BROWSERS.find(existsSync);
  if (!executablePath) throw new Error("no Chromium here: sudo apt-get install chromium");
  return chromium.launch({ executablePath, args: ARGUMENTS, timeout: PATIENCE });
}

/** Builds the program and what makes pages. At once, since cargo gives a program beside an example
 * what the tests in Rust have: nothing is compiled a second time, and none that runs meanwhile is
 * replaced by another. */
export function build() {
  const words = ["build", "--quiet", "--package", "bakeoff", "--bin", "bakeoff"];
  execFileSync("cargo", [...words, "--example", "report_page"], { cwd: ROOT, stdio: "inherit" });
}

/** Makes pages and opens them; `close` removes everything again. */
export async function start() {
  for (const part of ["report.js", "report.css"]) {
    if (!existsSync(join(ROOT, "web/dist", part))) throw new Error("no web/dist: run `make web`");
  }
  build();
  const directory = mkdtempSync(join(tmpdir(), "bakeoff-browser-"));
  const browser = await launch();
  return {
    /** A page of these runs (names in fixtures/runs), opened with these settings; what is folded
     * beside the charts is opened unless `folded`. */
    async open(runs, settings = {}) {
      const { folded, ...options } = settings;
      const file = makePage(directory, runs);
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        offline: false,
        acceptDownloads: true,
        // What scrolls is where it belongs at once.
        reducedMotion: "reduce",
        ...options,
      });
      context.setDefaultTimeout(PATIENCE);
      const page = await context.newPage();
      const trouble = watch(page);
      await context.route("**/*", (route) => {
        const url = route.request().url();
        if (url.startsWith("file://")) return route.continue();
        trouble.push(`request to ${url}`);
        return route.abort();
      });
      await page.goto(pathToFileURL(file).href);
      if (!folded) await unfold(page, options.javaScriptEnabled !== false);
      return { page, trouble, file, close: () => context.close() };
    },
    async close() {
      await browser.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Opens every chart and table of figures. */
async function unfold(page, hasScript) {
  await page.evaluate(() => {
    const folded =
      "details.more, details.figures, details.swept, details.job, section.machine > details";
    document.querySelectorAll(folded).forEach((details) => (details.open = true));
  });
  if (hasScript) await page.waitForFunction(isDrawn);
}

/** In the page: whether every chart that is shown is drawn at the width it has, which it is in a
 * frame after it got it. */
function isDrawn() {
  return [...document.querySelectorAll("figure.chart .plot")].every((plot) => {
    const drawn = Number(plot.querySelector("svg")?.getAttribute("width"));
    return plot.clientWidth < 50 || Math.abs(plot.clientWidth - drawn) <= 1;
  });
}

/** Everything a page must never do, as it happens. */
function watch(page) {
  const trouble = [];
  page.on("console", (message) => trouble.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => trouble.push(`failed: ${request.url()}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  return trouble;
}

function makePage(directory, runs) {
  const file = join(directory, `${runs.join("-")}.html`);
  if (existsSync(file)) return file;
  const inputs = runs.map((run) => join(ROOT, "fixtures/runs", `${run}.jsonl`));
  const program = join(TARGET, "debug/examples/report_page");
  execFileSync(program, [file, ...inputs], { cwd: ROOT, stdio: ["ignore", 2, 2] });
  return file;
}

/** What is drawn of a points chart: ECharts scales a unit path to half of the symbol's size. */
export const SYMBOL = '.plot svg path[transform^="matrix(7.5,"]';
export const DOT = '.plot svg path[transform^="matrix(3,"]';

/** The numbers embedded in a page. */
export function data(page) {
  return page.evaluate(() => JSON.parse(document.getElementById("bakeoff-data").textContent));
}

/** The first chart of a kind. */
export function chart(page, kind, question = 0) {
  return page.locator(`figure[data-kind="${kind}"][data-question="${question}"]`).first();
}

/** Texts of a chart's axes, in the order they stand in the drawing. */
export function texts(figure) {
  return figure.locator("svg text").allTextContents();
}

/** Draws the right end of the bar at the bottom of a chart to the middle. */
export async function zoom(page, svg) {
  const box = await svg.boundingBox();
  const y = box.y + box.height - 30;
  await page.mouse.move(box.x + box.width - 16, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 5 });
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
  await page.mouse.up();
}
