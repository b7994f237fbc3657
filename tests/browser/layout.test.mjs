// How much room the page takes, measured: on a desktop, a phone and paper; and that nothing is cut
// off. "card" is a demo of seven filesystems and five workloads; "tall" one of twelve and a twin,
// with long reasons, bottlenecks that differ by candidate and commands for four winners.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./support.mjs";

const DESKTOP = { viewport: { width: 1280, height: 900 }, folded: true };
const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  folded: true,
};

let session;
before(async () => { session = await start(); });
after(() => session.close());

for (const run of ["card", "tall"]) {
  test(`the page of ${run} is at most 6000 pixels tall on a desktop`, async () => {
    const { page, trouble, close } = await session.open([run], DESKTOP);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height <= 6000, `${height} pixels`);
    assert.deepEqual(trouble, []);
    await close();
  });

  test(`${run} is at most five pages in print`, async () => {
    const { page, close } = await session.open([run], DESKTOP);
    const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
    const pages = pdf.toString("latin1").match(/\/Type\s*\/Page(?!s)/g).length;
    assert.ok(pages >= 2 && pages <= 5, `${pages} pages`);
    await close();
  });
}

test("what is folded of a workload takes one line on a desktop", async () => {
  const { page, close } = await session.open(["tall"], DESKTOP);
  const folded = page.locator(".question").first().locator("> .pair ~ details > summary");
  const tops = await folded.evaluateAll((all) => all.map((s) => s.getBoundingClientRect().top));
  assert.equal(tops.length, 4);
  assert.equal(new Set(tops.map(Math.round)).size, 1, tops.join());
  await close();
});

test("causes that differ by candidate are folded, and each is there", async () => {
  const { page, close } = await session.open(["tall"], DESKTOP);
  const causes = page.locator("details.causes").first();
  assert.equal(await causes.locator("li:visible").count(), 0);
  await causes.locator("summary").click();
  assert.equal(await causes.locator("li:visible").count(), 13);
  await close();
});

const FIRST_SCREENS = ["card", "tall"].flatMap((run) => [
  [run, "a desktop", DESKTOP],
  [run, "a phone", PHONE],
]);
for (const [run, where, settings] of FIRST_SCREENS) {
  test(`${where}: setup and first chart of ${run} are on the first screen`, async () => {
    const { page, close } = await session.open([run], settings);
    const labels = await page.locator(".setup dt").allTextContents();
    const wanted = ["Board", "Drive", "Link", "Kernel", "Date"];
    assert.deepEqual(labels, wanted.filter((label) => run === "card" || label !== "Link"));
    const bottom = async (locator) => {
      const box = await locator.boundingBox();
      return box.y + box.height;
    };
    const setup = await bottom(page.locator(".setup"));
    const chart = await bottom(page.locator("table.matrix tbody"));
    assert.ok(setup < 260, `the set-up ends at ${setup}`);
    assert.ok(chart <= settings.viewport.height, `the matrix ends at ${chart}`);
    await close();
  });
}

/** Tables whose right end nobody can reach: wider than what they are in, without scrolling. */
function cutOff() {
  return [...document.querySelectorAll("main table")]
    .filter((table) => table.getBoundingClientRect().width > 0)
    .filter((table) => {
      const frame = table.closest(".scroll");
      const right = table.getBoundingClientRect().right;
      const scrolls = frame && getComputedStyle(frame).overflowX === "auto";
      const end = (frame ?? document.body).getBoundingClientRect().right;
      return scrolls ? frame.getBoundingClientRect().right > innerWidth + 1 : right > end + 1;
    })
    .map((table) => `${table.caption?.textContent.slice(0, 40)}`);
}

for (const run of ["card", "tall", "demo", "nine", "machine", "rounds", "sweep"]) {
  test(`no table of ${run} is cut off: desktop, phone, paper`, async () => {
    for (const settings of [DESKTOP, PHONE]) {
      const { page, close } = await session.open([run], { ...settings, folded: false });
      assert.deepEqual(await page.evaluate(cutOff), [], JSON.stringify(settings.viewport));
      await close();
    }
    const { page, close } = await session.open([run], { viewport: { width: 690, height: 1000 } });
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    assert.deepEqual(await page.evaluate(cutOff), []);
    await close();
  });
}

test("on a desktop the tables beside the charts fit without scrolling", async () => {
  const { page, close } = await session.open(["card"], { ...DESKTOP, folded: false });
  const scrolled = await page.locator(".scroll:visible").evaluateAll((frames) =>
    frames.filter((f) => f.scrollWidth > f.clientWidth + 1).map((f) => f.ariaLabel));
  assert.deepEqual(scrolled, []);
  await close();
});

test("the contents lead to every part", async () => {
  const { page, close } = await session.open(["card"], DESKTOP);
  const links = page.locator("header.bar nav a");
  const hrefs = await links.evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  assert.ok(hrefs.length >= 7, String(hrefs));
  for (const href of hrefs) assert.equal(await page.locator(`[id="${href.slice(1)}"]`).count(), 1);
  await close();
});

test("a finding is on the page once, and its code leads to what it means", async () => {
  const { page, close } = await session.open(["card"], { ...DESKTOP, folded: false });
  const said = page.locator(".finding p");
  const texts = await said.evaluateAll((all) => all.map((p) => p.textContent));
  assert.ok(texts.length > 0);
  assert.equal(new Set(texts).size, texts.length, texts.join("\n"));
  const codes = page.locator("a.lint");
  for (const href of await codes.evaluateAll((all) => all.map((a) => a.getAttribute("href")))) {
    const meaning = page.locator(`dt[id="${href.slice(1)}"] + dd`);
    assert.ok((await meaning.first().textContent()).length > 40, href);
  }
  await close();
});
