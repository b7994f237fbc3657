// Draws every chart of the page over its tables, and keeps them right when the window, the
// theme or the medium (print) changes. Without this script the page still says everything.
import { addCopyButtons } from "./copy";
import { readPage } from "./data";
import { foldFigures } from "./fold";
import { Plot } from "./plot";
import { addTableButtons } from "./tables";
import { startTheme } from "./theme";

/** Width of the charts on paper, in CSS pixels: A4 or Letter less the margins. */
const PAPER_WIDTH = 660;

function start(): void {
  document.documentElement.classList.remove("no-js");
  const page = readPage();
  foldFigures();
  addCopyButtons();
  addTableButtons();
  const plots: Plot[] = [];
  for (const figure of document.querySelectorAll<HTMLElement>("figure.chart")) {
    const plot = Plot.in(figure, page);
    if (plot) plots.push(plot);
  }
  const redraw = () => plots.forEach((plot) => plot.draw());
  startTheme(redraw);
  const watch = new ResizeObserver((entries) => {
    const resized = new Set(entries.map((entry) => entry.target));
    for (const plot of plots) if (resized.has(plot.element)) plot.fit();
  });
  plots.forEach((plot) => watch.observe(plot.element));
  window.addEventListener("beforeprint", () => plots.forEach((plot) => plot.print(PAPER_WIDTH)));
  window.addEventListener("afterprint", redraw);
}

start();
