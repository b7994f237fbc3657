// The first screen of a run by the lead: candidates x workloads, drawn without a script.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./support.mjs";

let session;
before(async () => { session = await start(); });
after(() => session.close());

const SETTINGS = [
  ["without JavaScript", { javaScriptEnabled: false }],
  ["in the dark", { colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 390, height: 844 } }],
  ["on a narrow phone", { viewport: { width: 320, height: 640 } }],
];

for (const [where, settings] of SETTINGS) {
  test(`the matrix is on the first screen ${where}`, async () => {
    const { page, trouble, close } = await session.open(["card"], settings);
    const cells = page.locator("table.matrix tbody td");
    assert.equal(await cells.count(), 35);
    const box = await page.locator("table.matrix").boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= page.viewportSize().width, "no scrolling");
    const headline = await page.locator("h1").innerText();
    assert.match(headline, /^Use xfs for Linux data: of the 4 fit for it/);
    const memory = page.locator("td.out .word", { hasText: "memory" });
    assert.equal(await memory.count(), 2);
    assert.ok(await memory.first().isVisible());
    assert.equal(await page.locator("tr.chosen").count(), 1);
    assert.deepEqual(trouble, []);
    await close();
  });
}

test("symbols lie where their shares are, the leader on the dashed line", async () => {
  const { page, close } = await session.open(["card"]);
  const middle = async (locator) => {
    const box = await locator.boundingBox();
    return box.x + box.width / 2;
  };
  const row = (name) => page.locator("table.matrix tbody tr", { hasText: name });
  const at = async (name) => {
    const cell = row(name).locator("td").nth(3);
    const line = await middle(cell.locator("line.one"));
    return (await middle(cell.locator(".point"))) - line;
  };
  assert.ok(Math.abs(await at("xfs")) < 2, "xfs leads sequential writes");
  const [ext4, btrfs] = [await at("ext4"), await at("btrfs")];
  assert.ok(btrfs < ext4 && ext4 < -5, `${btrfs} ${ext4}`);
  await close();
});

test("a cell of the matrix leads to its row, and findings open", async () => {
  const { page, trouble, close } = await session.open(["card"]);
  await page.addStyleTag({ content: "html { scroll-behavior: auto }" });
  await page.locator("table.matrix .word a").first().click();
  const hash = new URL(page.url()).hash;
  assert.match(hash, /^#run-0-workload-0-c\d+$/);
  assert.ok(await page.locator(hash).isVisible());
  await page.locator("#run-0-workload-0-behind a", { hasText: "findings" }).first().click();
  assert.ok(await page.locator("#run-0-findings").isVisible());
  assert.deepEqual(trouble, []);
  await close();
});
