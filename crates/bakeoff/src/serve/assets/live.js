// Keeps the page of the current run up to date from /api/1/events. Everything is on the page
// without it too.
"use strict";

(() => {
  const target = document.getElementById("run-now");
  if (!target) return;
  document.documentElement.classList.remove("no-js");

  const WINDOW_S = 300;
  const SVG = "http://www.w3.org/2000/svg";
  const axis = document.getElementById("axis");
  const connection = document.getElementById("connection");
  /** Name of a series -> {values: [[unix_s, value]], figure}. */
  const series = new Map();
  let reloadAt = 0;

  /** Replaces the run. The text comes from the server's templates, where names are escaped. */
  function showRun(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    target.replaceChildren(...parsed.body.childNodes);
    const article = target.querySelector("article");
    const left = article ? Number(article.dataset.left) : NaN;
    reloadAt = left > 0 ? Date.now() + left * 1000 : 0;
  }

  /** Counts the time left down between two states. */
  setInterval(() => {
    const shown = document.getElementById("left");
    if (!shown || !reloadAt) return;
    const left = Math.max(0, Math.round((reloadAt - Date.now()) / 1000));
    const [m, s] = [Math.floor(left / 60), left % 60];
    shown.textContent = m ? `about ${m} min ${s} s` : `about ${s} s`;
  }, 1000);

  function mbps(kib) {
    return kib * 1024 / 1e6;
  }

  /** What is drawn of a frame: [name, unit, value]. */
  function figures(frame) {
    const all = [];
    for (const disk of frame.disk) {
      const name = disk.disk_device;
      all.push([`${name} reads`, "MB/s", mbps(disk["rkB/s"])]);
      all.push([`${name} writes`, "MB/s", mbps(disk["wkB/s"])]);
      all.push([`${name} queue`, "", disk["aqu-sz"]]);
      all.push([`${name} busy`, "%", disk.util]);
    }
    const machine = frame.machine;
    const cpus = machine.cpu_percent;
    if (cpus.length) all.push(["processors", "%", cpus.reduce((a, b) => a + b, 0) / cpus.length]);
    const waited = machine.io_some_percent;
    if (waited !== null) all.push(["waiting for I/O", "%", waited]);
    if (machine.clock_mhz.length) all.push(["clock", "MHz", Math.max(...machine.clock_mhz)]);
    if (machine.temperature_c !== null) all.push(["temperature", "°C", machine.temperature_c]);
    if (machine.throttled.length) all.push(["throttled", "", 1]);
    return all;
  }

  function figure(name) {
    const box = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = name;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 300 34");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    svg.append(document.createElementNS(SVG, "polyline"));
    const value = document.createElement("output");
    box.append(caption, svg, value);
    axis.append(box);
    return box;
  }

  function showFrame(frame) {
    const at = frame.unix_ns / 1e9;
    if (!axis.querySelector(".span")) {
      const span = document.createElement("p");
      span.className = "span";
      span.textContent = "The last five minutes, the latest at the right.";
      axis.append(span);
    }
    for (const [name, unit, value] of figures(frame)) {
      if (!series.has(name)) series.set(name, { values: [], box: figure(name) });
      const one = series.get(name);
      one.values.push([at, value]);
      while (one.values.length && one.values[0][0] < at - WINDOW_S) one.values.shift();
      draw(one, unit, at);
    }
  }

  function draw(one, unit, now) {
    const most = Math.max(unit === "%" ? 100 : 0, ...one.values.map((v) => v[1])) || 1;
    const points = one.values.map(([at, value]) => {
      const x = 300 - (now - at) / WINDOW_S * 300;
      const y = 32 - value / most * 30;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    one.box.querySelector("polyline").setAttribute("points", points.join(" "));
    const last = one.values[one.values.length - 1][1];
    const digits = last >= 100 ? 0 : last >= 10 ? 1 : 2;
    one.box.querySelector("output").textContent = `${last.toFixed(digits)} ${unit}`;
  }

  const source = new EventSource("/api/1/events");
  source.addEventListener("open", () => { connection.hidden = true; });
  source.addEventListener("error", () => {
    connection.hidden = false;
    // A refusal, unlike a lost connection, ends the source.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 30000);
  });
  source.addEventListener("reset", () => {
    series.clear();
    axis.replaceChildren();
  });
  source.addEventListener("run", (event) => showRun(JSON.parse(event.data)));
  source.addEventListener("frame", (event) => showFrame(JSON.parse(event.data)));
})();
