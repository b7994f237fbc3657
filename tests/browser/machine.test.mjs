// The machine meanwhile: everything on one time axis, for the whole run and for one cell.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chart, data, start, texts, until, zoom } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

const machine = (page) => page.locator('figure[data-kind="machine"]').first();
const panels = (figure) => figure.locator(".labels > div").allTextContents();
const seconds = async (figure) => {
  const ends = (await texts(figure)).filter((t) => /^[\d.]+ s$/.test(t)).map(parseFloat);
  return Math.max(...ends);
};

test("every series stands under the others, with its unit", async () => {
  const { page, trouble, close } = await session.open(["machine"]);
  const titles = (await panels(machine(page))).join("\n");
  for (const title of [
    "Throughput, MB/s", "A request at the device takes, ms", "Queue, requests", "Pressure, %",
    "Dirty pages, MB", "Temperature, °C", "Clock, MHz", "CPU, % busy", "CPU use of each of 4 cores",
  ]) {
    assert.ok(titles.includes(title), `${title} in ${titles}`);
  }
  assert.match(titles, /Pressure.*CPU.*I\/O.*memory/);
  assert.deepEqual(trouble, []);
  await close();
});

test("the whole run first, and any cell by choice", async () => {
  const { page, trouble, close } = await session.open(["machine"]);
  const figure = machine(page);
  const { runs } = await data(page);
  const cells = runs[0].machine.cells;
  assert.equal(cells.length, 5 * 2 * 2);
  const choices = figure.getByRole("combobox");
  assert.equal(await choices.locator("option").count(), cells.length + 1);
  const whole = await seconds(figure);
  const last = cells[cells.length - 1];
  assert.ok(whole > last.at_ms / 1e3 * 0.7, `${whole} s of ${last.at_ms} ms`);
  await choices.selectOption(String(0));
  const one = await seconds(figure);
  assert.ok(one < whole / 4 && one <= last.fast_ms[last.fast_ms.length - 1] / 1e3, `${one} s`);
  await choices.selectOption("");
  assert.equal(await seconds(figure), whole);
  assert.deepEqual(trouble, []);
  await close();
});

test("the pointer shows what everything was at that moment, in all panels", async () => {
  const { page, trouble, close } = await session.open(["machine"]);
  const figure = machine(page);
  await figure.getByRole("combobox").selectOption("0");
  await figure.scrollIntoViewIfNeeded();
  const box = await figure.locator(".plot svg").first().boundingBox();
  await page.evaluate((y) => scrollBy(0, y - 80), box.y);
  const { x, y, width, height } = await figure.locator(".plot svg").first().boundingBox();
  const lines = () => figure.locator(".plot svg path").count();
  const before = await lines();
  await page.mouse.move(x + width / 2, y + 60);
  await page.mouse.move(x + width / 2 + 3, y + 61);
  const tip = figure.locator(".tip:visible");
  await tip.waitFor();
  const text = await tip.textContent();
  assert.match(text, /block 0/);
  for (const part of ["Queue", "Pressure: I/O", "°C", "MHz", "CPU"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  // They are drawn in the next frame.
  await until("line of the cursor in every panel", async () => (await lines()) >= before + 8);
  assert.ok(height > 600);
  assert.deepEqual(trouble, []);
  await close();
});

test("one bar zooms all panels", async () => {
  const { page, trouble, close } = await session.open(["machine"]);
  const figure = machine(page);
  await figure.scrollIntoViewIfNeeded();
  const before = await seconds(figure);
  const svg = figure.locator(".plot svg").first();
  const first = await svg.boundingBox();
  await page.evaluate((y) => scrollBy(0, y - 300), first.y + first.height);
  await zoom(page, svg);
  await until("shorter axis", async () => (await seconds(figure)) < before * 0.75);
  assert.deepEqual(trouble, []);
  await close();
});

test("ceilings are lines over the cells they hold for", async () => {
  const { page, trouble, close } = await session.open(["machine"]);
  const { runs } = await data(page);
  const question = runs[0].questions.findIndex((q) => q.workload === "seqread");
  const over = await texts(chart(page, "time", question));
  assert.ok(over.some((t) => t.startsWith("the device with many requests")), String(over));
  assert.ok(!over.some((t) => t.startsWith("the system calls")), "far above: it would flatten all");
  const figure = machine(page);
  const cell = runs[0].machine.cells.findIndex((c) => c.question === question);
  await figure.getByRole("combobox").selectOption(String(cell));
  assert.ok((await texts(figure)).some((t) => t.startsWith("the device with many requests")));
  const table = page.getByRole("table", { name: /Ceilings/ });
  assert.match(await table.textContent(), /the system calls alone\s+all\s+2\.90 GB\/s/);
  assert.deepEqual(trouble, []);
  await close();
});

test("without JavaScript the table says it, and what could not be watched", async () => {
  const { page, trouble, close } = await session.open(["machine"], { javaScriptEnabled: false });
  const section = page.locator("section.machine");
  assert.equal(await section.locator("figure:visible").count(), 0);
  const rows = section.locator("details tbody tr:visible");
  assert.equal(await rows.count(), 5 * 2 * 2);
  const row = await rows.last().textContent();
  assert.match(row, /\d+\.\d\d\s+[\d.]+ [mµ]s\s+\d+ % \(CPU 1\)\s+\d+ %\s+\d+ °C\s+1[25]00 MHz/);
  assert.match(await section.textContent(), /throttling: this board's firmware/);
  assert.deepEqual(trouble, []);
  await close();
});

for (const [name, settings] of [
  ["on a phone", { viewport: { width: 360, height: 800 }, isMobile: true, hasTouch: true }],
  ["in the dark", { colorScheme: "dark" }],
]) {
  test(`it fits and can be read ${name}`, async () => {
    const { page, trouble, close } = await session.open(["machine"], settings);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wide, 0);
    const figure = machine(page);
    const { axis, paper } = await figure.evaluate((element) => ({
      axis: element.querySelector("svg text").getAttribute("fill"),
      paper: getComputedStyle(document.body).backgroundColor,
    }));
    assert.notEqual(axis, paper);
    const tall = await figure.locator(".plot svg").first().boundingBox();
    assert.ok(tall.height > 600 && tall.width <= page.viewportSize().width);
    assert.deepEqual(trouble, []);
    await close();
  });
}

test("a run that nobody watched has no such section", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  assert.equal(await page.locator("section.machine").count(), 0);
  assert.deepEqual(trouble, []);
  await close();
});
