// Commands can be copied, and every chart saved as SVG and PNG.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { chart, start } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

async function saved(page, figure, kind) {
  const waiting = page.waitForEvent("download");
  await figure.getByRole("button", { name: kind, exact: true }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Presses a button and gives what it says next, which it says for a moment only. */
async function answer(button) {
  const element = await button.elementHandle();
  await element.evaluate((button) => {
    button.answer = new Promise((done) => {
      const watch = new MutationObserver(() => done(button.textContent));
      watch.observe(button, { childList: true });
    });
  });
  await element.click();
  return element.evaluate((button) => button.answer);
}

test("every chart has its buttons, and an SVG of it stands alone", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  const figures = page.locator("figure.chart:visible");
  const count = await figures.count();
  assert.equal(await page.locator("figure.chart:visible .save button").count(), 2 * count);
  const figure = chart(page, "bars");
  const { name, bytes } = await saved(page, figure, "SVG");
  assert.match(name, /^bakeoff-[a-z0-9-]+\.svg$/);
  const svg = bytes.toString();
  assert.ok(svg.startsWith("<svg") && svg.includes("ext4, no journal"), svg.slice(0, 200));
  const outcome = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const used = [...parsed.querySelectorAll("[href], script, foreignObject")];
    const error = parsed.querySelector("parsererror");
    const texts = parsed.querySelectorAll("text").length;
    return { bad: used.length, error: error?.textContent, texts };
  }, svg);
  assert.deepEqual([outcome.bad, outcome.error], [0, undefined]);
  assert.ok(outcome.texts > 8, JSON.stringify(outcome));
  assert.deepEqual(trouble, []);
  await close();
});

test("a PNG is a picture of twice the size", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  const figure = chart(page, "points");
  const { width } = await figure.locator(".plot svg").first().boundingBox();
  const { name, bytes } = await saved(page, figure, "PNG");
  assert.match(name, /\.png$/);
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  const drawn = bytes.readUInt32BE(16);
  assert.ok(Math.abs(drawn - 2 * (width + 32)) <= 4, `${drawn} of ${width}`);
  assert.ok(bytes.length > 4000, `${bytes.length} bytes`);
  assert.deepEqual(trouble, []);
  await close();
});

test("hostile names in a saved chart are text", async () => {
  const { page, close } = await session.open(["hostile"]);
  const { bytes } = await saved(page, chart(page, "points"), "SVG");
  const svg = bytes.toString();
  assert.ok(svg.includes("&lt;script&gt;") && !svg.includes("<script"), svg.slice(0, 300));
  await close();
});

test("a command is copied as it is", async () => {
  const { page, trouble, close } = await session.open(["demo"], {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const block = page.locator(".copy:visible").last();
  const text = await block.locator("pre").textContent();
  assert.equal(await answer(block.getByRole("button")), "Copied");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  assert.deepEqual(trouble, []);
  await close();
});

test("every table of figures is copied for a spreadsheet and saved as CSV", async () => {
  const { page, trouble, close } = await session.open(["demo"], {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const table = page.locator("table.standings").first();
  const waiting = page.waitForEvent("download");
  await table.getByRole("button", { name: "CSV" }).click();
  const download = await waiting;
  assert.match(download.suggestedFilename(), /^bakeoff-[a-z0-9-]+\.csv$/);
  const csv = readFileSync(await download.path()).toString();
  const lines = csv.trimEnd().split("\r\n");
  assert.equal(lines.length, await table.locator("tr").count());
  assert.match(lines[0], /^candidate,/);
  assert.ok(csv.includes('"ext4, no journal"'), csv);
  assert.equal(await answer(table.getByRole("button", { name: "Copy" })), "Copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.split("\n").length, lines.length);
  assert.match(copied, /^candidate\t/);
  assert.deepEqual(trouble, []);
  await close();
});
