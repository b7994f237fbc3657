// Names come from outside: they are text, and the page can fetch nothing whatever they say.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SYMBOL, chart, start } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

test("hostile names are shown as text and do nothing", async () => {
  const { page, trouble, close } = await session.open(["hostile"]);
  const heading = await page.locator("h1").textContent();
  assert.ok(heading.includes("</script><script>alert(1)</script><img src=x"), heading);
  assert.equal(await page.locator("script").count(), 2);
  assert.equal(await page.locator("img").count(), 0);
  const figure = chart(page, "points");
  await figure.scrollIntoViewIfNeeded();
  const label = await figure.locator(".labels > div").first().textContent();
  assert.ok(label.startsWith("</script><script>"), label);
  await figure.locator(SYMBOL).first().hover({ force: true });
  await page.locator(".tip:visible").waitFor();
  const time = chart(page, "time");
  await time.scrollIntoViewIfNeeded();
  const box = await time.locator(".plot svg").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await time.locator(".tip:visible").waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(trouble, []);
  await close();
});

test("the policy of the page stops a script that is not its own, and every request", async () => {
  const { page, close } = await session.open(["demo"]);
  const outcome = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener("securitypolicyviolation", (e) => {
      violations.push(e.effectiveDirective);
    });
    const script = document.createElement("script");
    script.textContent = "window.intruder = true";
    document.body.append(script);
    const image = document.createElement("img");
    image.src = "https://example.invalid/x.png";
    document.body.append(image);
    const fetched = await fetch("https://example.invalid/").then(() => true, () => false);
    // They are reported one after the other, some after the request has failed.
    const isComplete = () => new Set(violations).size === 3;
    for (let i = 0; i < 6000 && !isComplete(); i += 1) {
      await new Promise((done) => setTimeout(done, 100));
    }
    return { intruder: "intruder" in window, fetched, violations };
  });
  assert.equal(outcome.intruder, false);
  assert.equal(outcome.fetched, false);
  const directives = new Set(outcome.violations);
  assert.deepEqual([...directives].sort(), ["connect-src", "img-src", "script-src-elem"]);
  await close();
});

for (const run of ["empty", "one", "nine", "places", "demo"]) {
  test(`a page of ${run} has its answer and no trouble`, async () => {
    const { page, trouble, close } = await session.open([run]);
    assert.equal(await page.locator("h1").count(), 1);
    for (const heading of await page.locator("h1").allTextContents()) {
      assert.ok(heading.length > 10, heading);
    }
    const hollow = await page.locator("figure.chart:visible .plot").evaluateAll((plots) =>
      plots.filter((plot) => plot.querySelectorAll("svg path").length < 3).length,
    );
    assert.equal(hollow, 0, "no chart without a drawing");
    assert.deepEqual(trouble, []);
    await close();
  });
}
