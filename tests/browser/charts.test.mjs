// The charts are drawn from the numbers of the page, and answer to the pointer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DOT, SYMBOL, chart, data, start, texts, until, zoom } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

test("every chart that has numbers is drawn, and nothing else happens", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  const figures = await page.locator("figure.chart:visible").all();
  const { runs } = await data(page);
  const expected = runs[0].questions.map((q) => 3 + q.latency.length).reduce((a, b) => a + b);
  assert.equal(figures.length, expected);
  for (const figure of figures) {
    const box = await figure.locator("svg").first().boundingBox();
    assert.ok(box.width > 300 && box.height > 100, JSON.stringify(box));
    assert.ok((await figure.locator(".plot svg path").count()) > 10);
    assert.match(await figure.locator(".plot").getAttribute("aria-label"), /\w{5}/);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test("one dot a block, one symbol and one interval a candidate", async () => {
  const { page, close } = await session.open(["demo"]);
  const { runs } = await data(page);
  const rows = runs[0].questions[0].rows;
  const figure = chart(page, "points");
  const dots = rows.reduce((sum, row) => sum + row.dots.length, 0);
  assert.equal(await figure.locator(DOT).count(), dots);
  assert.equal(await figure.locator(SYMBOL).count(), rows.length);
  assert.equal(rows.filter((row) => row.low !== null).length, rows.length - 1);
  await close();
});

test("a candidate has its colour in every chart and table, and no other has it", async () => {
  const { page, close } = await session.open(["demo"]);
  const colors = await page.evaluate(() => {
    const of = (mark) => [mark.getAttribute("class"), getComputedStyle(mark).fill];
    return [...document.querySelectorAll("svg.mark")].map(of);
  });
  const byClass = new Map(colors);
  assert.equal(byClass.size, 5);
  assert.equal(new Set(byClass.values()).size, 5);
  for (const [name, color] of colors) assert.equal(color, byClass.get(name));
  const symbols = chart(page, "points").locator(SYMBOL);
  const drawn = await symbols.evaluateAll((paths) => paths.map((p) => p.getAttribute("fill")));
  assert.deepEqual(new Set(drawn), new Set(byClass.values()));
  await close();
});

test("the pointer brings up the numbers behind a symbol", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  const figure = chart(page, "points");
  await figure.scrollIntoViewIfNeeded();
  await figure.locator(SYMBOL).nth(2).hover({ force: true });
  const tip = page.locator(".tip:visible");
  await tip.waitFor();
  const { runs, candidates } = await data(page);
  const text = await tip.textContent();
  assert.ok(text.includes(candidates[runs[0].questions[0].rows[2].candidate]), text);
  assert.match(text, /interval.*%.*to.*%.*blocks/);
  assert.deepEqual(trouble, []);
  await close();
});

test("one zoom moves the time axis of all candidates", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  const figure = chart(page, "time");
  await figure.scrollIntoViewIfNeeded();
  const before = await texts(figure);
  const lines = () => figure.locator(".plot svg path").evaluateAll((paths) =>
    paths.map((path) => path.getAttribute("d")).join(),
  );
  const drawnBefore = await lines();
  await zoom(page, figure.locator(".plot svg").first());
  const seconds = (all) => Math.max(...all.filter((t) => / s$/.test(t)).map(parseFloat));
  // Drawn anew a moment after the bar was moved.
  const isShorter = async () => seconds(await texts(figure)) < seconds(before) * 0.75;
  await until("shorter axis", isShorter);
  assert.notEqual(await lines(), drawnBefore);
  assert.deepEqual(trouble, []);
  await close();
});

test("the charts follow the width of the window", async () => {
  const { page, close } = await session.open(["demo"]);
  await page.setViewportSize({ width: 700, height: 900 });
  const svg = chart(page, "points").locator(".plot svg").first();
  await page.waitForFunction(() => {
    const drawn = document.querySelector("figure .plot svg").getBoundingClientRect().width;
    return drawn < 690;
  });
  assert.ok((await svg.boundingBox()).width > 500);
  await close();
});
