// Workloads that differ in one number are a curve; each is still there.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { data, start, texts } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

test("block sizes are one curve a candidate, with its sizes on the axis", async () => {
  const { page, trouble, close } = await session.open(["sweep"], { folded: true });
  const { runs } = await data(page);
  const figure = page.locator("figure[data-kind=sweep]");
  assert.equal(await figure.count(), 1);
  const curves = runs[0].sweeps[0].curves;
  assert.deepEqual(curves.map((curve) => curve.points.length), [10, 10]);
  assert.ok(curves[0].points.every(([x], i, all) => i === 0 || x > all[i - 1][0]), "sizes rise");
  const labels = await texts(figure);
  for (const size of ["512", "1m"]) assert.ok(labels.includes(size), labels.join());
  // A symbol for each point of each curve.
  assert.equal(await figure.locator(".plot svg path[transform]").count(), 20);
  assert.deepEqual(trouble, []);
  await close();
});

test("each workload of a sweep has its own section, folded, and a link leads into it", async () => {
  const { page, trouble, close } = await session.open(["sweep"], { folded: true });
  assert.equal(await page.locator("details.swept").count(), 18);
  assert.equal(await page.locator(".swept .question:visible").count(), 0);
  await page.evaluate(() => (location.hash = "run-0-workload-3"));
  await page.locator("#run-0-workload-3").waitFor({ state: "visible" });
  assert.deepEqual(trouble, []);
  await close();
});
