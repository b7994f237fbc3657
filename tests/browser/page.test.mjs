// The page around the charts: light and dark, phone and paper, with and without JavaScript.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chart, start, until } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("light and dark as the system says, or as the button says", async () => {
  const { page, trouble, close } = await session.open(["demo"], { colorScheme: "dark" });
  const dark = await background(page);
  assert.match(dark, /rgb\(2\d, 2\d, 2\d\)/);
  const axis = () => chart(page, "points").locator(".plot svg text").first().getAttribute("fill");
  const darkAxis = await axis();
  await page.emulateMedia({ colorScheme: "light" });
  const light = await background(page);
  assert.match(light, /rgb\(25\d, 25\d, 25\d\)/);
  // The charts change with the page, which they are told of in its next frame.
  await until("lighter axis", async () => (await axis()) !== darkAxis);
  const button = page.getByRole("button", { name: /theme/i });
  await button.click();
  assert.equal(await background(page), light);
  await button.click();
  assert.equal(await background(page), dark);
  assert.equal(await axis(), darkAxis);
  await button.click();
  assert.equal(await background(page), light, "back to the system's");
  assert.deepEqual(trouble, []);
  await close();
});

test("a figure leads to its row, its cells and all that is behind them", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  const isSeen = (id) => page.evaluate((id) => {
    const box = document.getElementById(id).getBoundingClientRect();
    return box.height > 0 && box.top < innerHeight && box.bottom > 0;
  }, id);
  const target = () => decodeURIComponent(new URL(page.url()).hash.slice(1));
  await page.addStyleTag({ content: "html { scroll-behavior: auto }" });
  await page.locator("table.matrix .word a").first().click();
  assert.match(target(), /^run-0-workload-0-c\d+$/);
  assert.ok(await isSeen(target()), target());
  await page.locator(`#${target()} td a`).click();
  assert.match(target(), /^run-0-workload-0-cells-c\d+$/);
  assert.ok(await isSeen(target()), "the closed list of cells opens");
  const behind = page.locator("#run-0-workload-0-behind a");
  const parts = ["workload-0-cells", "steps", "machine", "findings", "repeat"];
  assert.equal(await behind.count(), parts.length);
  for (const [index, part] of parts.entries()) {
    await behind.nth(index).click();
    assert.equal(target(), `run-0-${part}`);
    assert.ok(await isSeen(target()), part);
  }
  assert.deepEqual(trouble, []);
  await close();
});

for (const width of [390, 320]) {
  test(`nothing is wider than a phone of ${width} pixels`, async () => {
    for (const run of ["demo", "hostile", "nine"]) {
      const { page, trouble, close } = await session.open([run], {
        viewport: { width, height: 844 },
        isMobile: true,
        hasTouch: true,
      });
      const { wide, scroll } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        wide: [...document.querySelectorAll("figure, h1, p, .plot svg")]
          .filter((e) => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 1)
          .map((e) => e.outerHTML.slice(0, 80)),
      }));
      assert.deepEqual(wide, [], run);
      assert.equal(scroll, width, run);
      assert.deepEqual(trouble, []);
      await close();
    }
  });
}

test("on paper the charts fit, are dark on white, and a PDF comes out", async () => {
  const { page, trouble, close } = await session.open(["demo"], { colorScheme: "dark" });
  const widths = await page.evaluate(() => {
    window.dispatchEvent(new Event("beforeprint"));
    const svgs = [...document.querySelectorAll("figure:not([hidden]) .plot svg")];
    return svgs.map((svg) => Number(svg.getAttribute("width") ?? 0));
  });
  assert.ok(Math.max(...widths) <= 660, String(widths));
  assert.match(await background(page), /rgb\(25\d, 25\d, 25\d\)/);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  assert.match(await background(page), /rgb\(2\d, 2\d, 2\d\)/);
  const pdf = await page.pdf({ format: "A4" });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  assert.ok(pdf.length > 50_000, `${pdf.length} bytes`);
  assert.deepEqual(trouble, []);
  await close();
});

test("on paper nothing lies on anything else", async () => {
  const { page, trouble, close } = await session.open(["demo"]);
  await page.emulateMedia({ media: "print" });
  const over = await page.evaluate(() => {
    document.querySelectorAll("details").forEach((details) => (details.open = true));
    window.dispatchEvent(new Event("beforeprint"));
    const box = (element) => element.getBoundingClientRect();
    const touch = (a, b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const charts = [...document.querySelectorAll("figure:not([hidden]) .plot svg[width]")].map(box);
    const onCharts = charts.filter((a, i) => charts.some((b, j) => i !== j && touch(a, b)));
    const raw = [...document.querySelectorAll(".cells td pre")];
    const cut = raw.filter((pre) => pre.scrollHeight > pre.clientHeight + 1);
    return { charts: charts.length, raw: raw.length, onCharts: onCharts.length, cut: cut.length };
  });
  assert.ok(over.charts > 5 && over.raw > 5, JSON.stringify(over));
  assert.deepEqual([over.onCharts, over.cut], [0, 0], JSON.stringify(over));
  assert.deepEqual(trouble, []);
  await close();
});

test("without JavaScript every table is there and the page says what is missing", async () => {
  const { page, trouble, close } = await session.open(["demo"], { javaScriptEnabled: false });
  await page.getByText("charts of this page need JavaScript").waitFor();
  assert.equal(await page.locator("table.standings:visible").count(), 3);
  assert.equal(await page.locator("table.standings:visible tbody tr").count(), 15);
  assert.equal(await page.locator("figure:visible").count(), 0, "no empty boxes");
  assert.equal(await page.locator("#theme:visible").count(), 0, "no button that does nothing");
  const cells = page.locator("details.cells").first();
  await cells.locator("summary").first().click();
  await cells.locator("details summary").first().click();
  const windows = await cells.locator("pre").first().textContent();
  assert.match(windows, /^0,\d+,\d+,\d+,\d+\n/);
  assert.deepEqual(trouble, []);
  await close();
});

test("a reader without eyes finds landmarks, captions and headers", async () => {
  const { page, close } = await session.open(["demo"]);
  for (const role of ["main", "banner", "contentinfo"]) {
    assert.equal(await page.getByRole(role).count(), 1, role);
  }
  const faults = await page.evaluate(() => {
    const bad = [];
    for (const table of document.querySelectorAll("main table")) {
      if (!table.caption?.textContent.trim()) bad.push("table without caption");
      if (!table.querySelector('th[scope="row"]')) bad.push("table without row headers");
      for (const th of table.querySelectorAll("th")) if (!th.scope) bad.push("th without scope");
    }
    for (const plot of document.querySelectorAll(".plot")) {
      if (plot.getAttribute("role") !== "img") bad.push("plot without role");
    }
    const levels = [...document.querySelectorAll("h1,h2,h3,h4")].map((h) => Number(h.tagName[1]));
    if (levels[0] !== 1) bad.push("first heading is no h1");
    levels.reduce((a, b) => (b > a + 1 && bad.push(`h${a} then h${b}`), b));
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    if (new Set(ids).size !== ids.length) bad.push("an id twice");
    return bad;
  });
  assert.deepEqual(faults, []);
  await page.keyboard.press("Tab");
  const skip = await page.evaluate(() => document.activeElement.className);
  assert.equal(skip, "skip", "the first stop of the keyboard is the way past the header");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, "solid", "focus is visible");
  await close();
});
