// A device looked at over time: the rounds are drawn with their window, and nothing is ranked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chart, data, start, texts } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

test("every round is a point, and the window of the figure is shaded", async () => {
  const { page, trouble, close } = await session.open(["rounds"]);
  const { runs } = await data(page);
  for (const [index, question] of runs[0].questions.entries()) {
    const figure = chart(page, "rounds", index);
    assert.equal(await figure.locator(".plot svg").count(), 1);
    const marks = figure.locator(".plot svg path[transform]");
    assert.equal(await marks.count(), question.rounds.rates.length);
    const [first, last] = question.rounds.window;
    const xs = await marks.evaluateAll((paths) => paths.map((p) => p.getBoundingClientRect().x));
    // The band is the only thing that lets shine through what is beneath it.
    const band = await figure.locator(".plot svg path[fill-opacity]").evaluateAll((paths) =>
      paths.map((path) => path.getBoundingClientRect()).map(({ x, width }) => [x, x + width]));
    assert.equal(band.length, 1);
    const inside = xs.map((x, i) => (x > band[0][0] && x < band[0][1] ? i + 1 : 0)).filter(Boolean);
    assert.deepEqual([inside[0], inside.at(-1)], [first, last]);
  }
  assert.ok((await texts(chart(page, "rounds"))).includes("round"));
  assert.deepEqual(trouble, []);
  await close();
});

test("steady and not steady are said in words and in a table, and nobody wins", async () => {
  const { page, close } = await session.open(["rounds"], { javaScriptEnabled: false });
  const badges = await page.locator(".question .badge").allTextContents();
  assert.deepEqual(badges, ["steady", "not steady"]);
  const tables = page.locator("table.rounds");
  assert.equal(await tables.count(), 2);
  const rows = (n) => tables.nth(n).locator("tbody tr");
  assert.equal(await rows(1).count(), 25);
  assert.equal(await rows(1).filter({ hasText: "yes" }).count(), 5);
  assert.equal(await page.locator("figure[data-kind=points]").count(), 0);
  // One candidate: the figures of all workloads stand in one table, and nothing is ranked.
  assert.equal(await page.locator("table.alone tbody tr").count(), 2);
  const heads = await page.locator("thead th").allTextContents();
  for (const head of heads) assert.doesNotMatch(head, /tier|against|not ranked/);
  const said = await page.locator("h1, table.alone, .question .sentence").allTextContents();
  assert.equal(said.length, 4);
  for (const text of said) assert.doesNotMatch(text, /ahead|faster|slower|tie|does not matter/);
  await close();
});
