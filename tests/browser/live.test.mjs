// `bakeoff serve` in a real browser, while a real run is measured: on a desktop, on a phone, with
// the keyboard alone, without a script, through a network that breaks, for screen readers (axe).
// The run is held where it is except where a test wants it to go on: no disk is so fast that it
// ends before it was looked at.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { PATIENCE, TARGET, build, launch, until } from "./support.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let directory, browser, server, run, address;

function bakeoff(args, options = {}) {
  const binary = join(TARGET, "debug/bakeoff");
  const child = spawn(binary, ["--store", join(directory, "s.db"), ...args], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
    ...options,
  });
  child.said = "";
  child.stderr.on("data", (data) => { child.said += data; });
  return child;
}

/** Starts a run and holds it as soon as it measures. */
async function held() {
  const child = bakeoff(["quick", "--time", "1h", "--workload", "randread,seqread", "one",
    "two <b>&"]);
  await until("a run", () => {
    assert.equal(child.exitCode, null, child.said);
    return child.said.includes("Ctrl-C stops");
  });
  child.kill("SIGSTOP");
  return child;
}

/** Events of the run that was begun last, as the store has them. */
async function stored() {
  const listed = await fetch(`${address}/api/1/runs`);
  return (await listed.json()).runs[0].events;
}

before(async () => {
  build();
  directory = mkdtempSync(join(tmpdir(), "bakeoff-live-"));
  for (const name of ["one", "two <b>&"]) mkdirSync(join(directory, name));
  browser = await launch();
  const bundle = join(ROOT, "fixtures/bundle/v0.1.0.jsonl");
  const added = bakeoff(["runs", "add", bundle]);
  await until("runs add", () => added.exitCode !== null);
  run = await held();
  server = bakeoff(["serve", "--listen", "127.0.0.1:0"]);
  address = await until("address", () => /http:\/\/[0-9.:]+/.exec(server.said)?.[0]);
  await until("last line", () => server.said.includes("Ctrl-C stops"));
});

after(async () => {
  await browser?.close();
  run?.kill("SIGINT");
  run?.kill("SIGCONT");
  await until("end", () => !run || run.exitCode !== null);
  server?.kill("SIGKILL");
  // What still runs may still make files.
  await until("end of the server", () => !server || server.signalCode !== null);
  if (directory) rmSync(directory, { recursive: true });
});

/** Opens a page and collects everything it must never do. */
async function open(path, settings = {}, base = address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const trouble = [];
  page.on("console", (message) => trouble.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) trouble.push(`request to ${request.url()}`);
  });
  await page.goto(base + path);
  return { page, trouble, close: () => context.close() };
}

async function violations(page) {
  // Playwright's own world: the page's policy allows no script but its own.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => axe.run());
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`);
}

for (const [name, settings] of [
  ["a desktop", {}],
  ["a dark desktop", { colorScheme: "dark" }],
  ["a phone", { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
]) {
  test(`every page is without violations and without sideways scrolling on ${name}`, async () => {
    for (const path of ["/", "/runs", "/runs/0123456789abcdef", "/nothing"]) {
      const { page, trouble, close } = await open(path, settings);
      if (path === "/") await page.locator("#axis figure").first().waitFor({ timeout: PATIENCE });
      assert.deepEqual(await violations(page), [], path);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(width <= 0, `${path} is ${width} px too wide`);
      const expected = path === "/nothing" ? 1 : 0;
      assert.equal(trouble.length, expected, `${path}: ${trouble}`);
      await close();
    }
  });
}

test("the run is followed as it goes on", async () => {
  const { page, trouble, close } = await open("/");
  await page.locator("article.now[data-state=running]").waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator("table.matrix tbody tr").count(), 2);
  assert.match(await page.locator("table.matrix").innerText(), /two <b>&/);
  const events = () => page.locator("article.now").getAttribute("data-events").then(Number);
  const before = await events();
  const then = await stored();
  run.kill("SIGCONT");
  await until("events in the store", async () => await stored() > then);
  run.kill("SIGSTOP");
  // A run is read again after fifty times as long as that took the last time.
  await until("new events on the page", async () => await events() > before, 4 * PATIENCE);
  const points = () => page.locator("#axis polyline").first().getAttribute("points");
  await until("a second frame", async () => (await points()).trim().split(" ").length > 1);
  assert.deepEqual(trouble, []);
  await close();
});

test("without a script the page has the run and loads itself again", async () => {
  const { page, close } = await open("/runs", { javaScriptEnabled: false });
  let loads = 0;
  // The first is looked at for as long as that takes: the next one never comes.
  await page.route(`${address}/`, (route) => {
    loads += 1;
    return loads === 1 ? route.continue() : undefined;
  });
  await page.goto(address);
  assert.match(await page.locator("article.now").innerText(), /complete blocks/);
  assert.equal(await page.locator("table.matrix tbody tr").count(), 2);
  await until("further load", () => loads > 1);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await close();
});

test("a cut through the network leaves no gap", async () => {
  // A wire that can be cut.
  const wires = new Set();
  const port = Number(address.split(":").pop());
  let isCut = false;
  const relay = createServer((wire) => {
    if (isCut) return wire.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [a, b] of [[wire, far], [far, wire]]) {
      wires.add(a);
      a.on("error", () => {}).on("close", () => b.destroy()).pipe(b);
    }
  });
  await new Promise((ready) => relay.listen(0, "127.0.0.1", ready));
  const { page, close } = await open("/", {}, `http://127.0.0.1:${relay.address().port}`);
  // Another page, which nothing comes between, has them all.
  const whole = await open("/");
  const frames = (page) => page.evaluate(() => globalThis.seen);
  for (const one of [page, whole.page]) await one.evaluate(() => {
    globalThis.seen = [];
    const note = (e) => globalThis.seen.push(Number(e.lastEventId.split("-")[1]));
    new EventSource("/api/1/events").addEventListener("frame", note);
  });
  await until("frames", async () => (await frames(page)).length > 1);
  isCut = true;
  for (const wire of wires) wire.destroy();
  await page.locator("#connection").waitFor({ state: "visible", timeout: PATIENCE });
  const last = (await frames(page)).at(-1);
  const newer = async (number) => (await frames(whole.page)).filter((frame) => frame > number);
  await until("frames meanwhile", async () => (await newer(last)).length > 1);
  isCut = false;
  await page.locator("#connection").waitFor({ state: "hidden", timeout: PATIENCE });
  const newest = (await frames(whole.page)).at(-1);
  await until("what was missed", async () => (await frames(page)).at(-1) >= newest);
  const seen = await frames(page);
  assert.ok(seen[0] < last, `${seen}`);
  const missing = (await newer(seen[0])).filter((n) => n <= newest && !seen.includes(n));
  assert.deepEqual(missing, [], `${seen}`);
  await whole.close();
  await close();
  relay.close();
});

test("the keyboard alone leads to a report and back to the current run", async () => {
  const { page, close } = await open("/");
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  const tabTo = (word) => until(word, async () => {
    await page.keyboard.press("Tab");
    return (await focused()).startsWith(word);
  });
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
  await tabTo("Runs");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/runs");
  await tabTo("0123");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/runs/0123456789abcdef");
  await tabTo("Now");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${address}/`);
  await page.locator("article.now[data-state=running]").waitFor({ timeout: PATIENCE });
  run.kill("SIGINT");
  run.kill("SIGCONT");
  await page.locator("article.now[data-state=stopped]").waitFor({ timeout: PATIENCE });
  await close();
});
