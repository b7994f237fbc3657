// One chart of the page: finds its numbers, draws them, and draws them again when asked.
import { alongChart } from "./along";
import { barsChart } from "./bars";
import type { Page, Question, RunData } from "./data";
import { init, type ECharts, type EChartsCoreOption } from "./echarts";
import { latencyChart } from "./latency";
import { cellChoice, machineChart } from "./machine";
import { overTimeChart } from "./overtime";
import { pointsChart } from "./points";
import { addSaveButtons } from "./save";
import { sweepChart } from "./sweep";
import { font, palette } from "./theme";

/** Below this width names stand above their rows instead of beside them. */
export const NARROW = 460;

/** Lines of a wide chart are lower if there are more than this. */
const MANY_ROWS = 8;

/** Pixels of a letter, and the share of the width that a name beside its line may take. */
const LETTER = 7;
const BESIDE = 0.28;

/** Whether names stand above their lines, because one of a few does not fit beside, and how tall a
 * line is: on paper many lines are low, with the names beside them. */
export function linesOf(names: string[], width: number, isPaper: boolean) {
  const isMany = names.length > MANY_ROWS;
  const isLong = !isMany && names.some((name) => name.length * LETTER > width * BESIDE);
  const isNarrow = isLong || (width < NARROW && !(isPaper && isMany));
  if (isNarrow) return { isNarrow, height: 40 };
  if (isMany) return { isNarrow, height: isPaper ? 20 : 24 };
  return { isNarrow, height: 34 };
}

/** What a kind of chart gives: how tall it is and what ECharts draws, for a width in pixels. */
export interface Chart {
  height: number;
  option: EChartsCoreOption;
  /** Whether names stand above their rows, where a chart has rows. */
  isNarrow?: boolean;
  /** Labels laid over the drawing, so that they wrap, scale and print as text. */
  labels?: Label[];
}

export interface Label {
  top: number;
  candidate?: number;
  text: string;
  /** Lines by their dashes (as SVG has them), with their names. */
  legend?: { name: string; dash: string }[];
}

export class Plot {
  private readonly canvas: HTMLElement;
  private readonly overlay: HTMLElement;
  private readonly chart: ECharts;
  private width = 0;
  /** Whether it is drawn for paper, whatever width the screen has meanwhile. */
  private isPaper = false;

  private constructor(
    readonly element: HTMLElement,
    private describe: (width: number, isPaper: boolean) => Chart,
  ) {
    this.canvas = element.appendChild(document.createElement("div"));
    this.overlay = element.appendChild(document.createElement("div"));
    this.overlay.className = "labels";
    this.chart = init(this.canvas, null, { renderer: "svg", width: 300, height: 100 });
    this.draw();
  }

  /** The chart a figure asks for; nothing when there is nothing to draw in it. */
  static in(figure: HTMLElement, page: Page): Plot | undefined {
    const element = figure.querySelector<HTMLElement>(".plot");
    const run = page.runs[Number(figure.dataset.run)];
    if (!element || !run) return undefined;
    if (figure.dataset.kind === "machine") return Plot.ofMachine(figure, element, page, run);
    const question = run.questions[Number(figure.dataset.question)];
    const sweep = run.sweeps[Number(figure.dataset.sweep)];
    const describe = sweep
      ? sweepChart(sweep, page.candidates)
      : question && chartOf(figure, page, run, question);
    if (!describe) {
      figure.hidden = true;
      return undefined;
    }
    addSaveButtons(figure);
    return new Plot(element, describe);
  }

  /** The machine during a run, with the choice of a cell above it. */
  private static ofMachine(figure: HTMLElement, element: HTMLElement, page: Page, run: RunData) {
    const whole = machineChart(run, page, undefined);
    if (!whole) {
      figure.hidden = true;
      return undefined;
    }
    addSaveButtons(figure);
    const plot = new Plot(element, whole);
    element.before(cellChoice(run, page, (only) => {
      plot.describe = machineChart(run, page, only) ?? whole;
      plot.draw();
    }));
    return plot;
  }

  /** Draws everything anew, at the width there is. */
  draw(): void {
    this.drawAt(this.element.clientWidth);
  }

  /** Draws anew if the width changed. */
  fit(): void {
    if (!this.isPaper && Math.abs(this.element.clientWidth - this.width) > 1) this.draw();
  }

  /** Draws for paper, where two stand side by side; what is folded is not printed. */
  print(width: number): void {
    const isInPair = this.element.closest(".pair .chart + .chart, .pair .chart:has(+ .chart)");
    if (this.element.clientWidth > 0) this.drawAt(isInPair ? (width - 20) / 2 : width, true);
  }

  private drawAt(width: number, isPaper = false): void {
    this.width = width;
    this.isPaper = isPaper;
    if (width < 50) return;
    const { height, option, labels, isNarrow } = this.describe(width, isPaper);
    this.element.classList.toggle("narrow", isNarrow ?? width < NARROW);
    this.chart.resize({ width, height, silent: true });
    const textStyle = { fontFamily: font(), color: palette().text };
    this.chart.setOption({ animation: false, textStyle, ...option }, { notMerge: true });
    this.overlay.replaceChildren(...(labels ?? []).map(labelElement));
  }
}

function chartOf(figure: HTMLElement, page: Page, run: RunData, question: Question) {
  const { kind, run: runIndex, question: index, op } = figure.dataset;
  const names = page.candidates;
  switch (kind) {
    case "points":
      return pointsChart(question, run.tie_margin, names);
    case "bars":
      return barsChart(question, names);
    case "along":
      return alongChart(question, names);
    case "time":
      return overTimeChart(question, Number(runIndex), Number(index), names);
    case "latency":
      return latencyChart(question, op ?? "", names);
    default:
      return undefined;
  }
}

function labelElement({ top, candidate, text, legend }: Label): HTMLElement {
  const label = document.createElement("div");
  label.style.top = `${top}px`;
  if (candidate !== undefined) label.append(mark(candidate));
  label.append(text);
  for (const { name, dash } of legend ?? []) {
    const entry = label.appendChild(document.createElement("span"));
    entry.className = "key";
    entry.append(sample(dash), name);
  }
  label.title = label.textContent ?? text;
  return label;
}

/** A short piece of a line with these dashes. */
function sample(dash: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "dash");
  svg.setAttribute("viewBox", "0 0 22 4");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M0 2H22");
  path.setAttribute("stroke-dasharray", dash);
  svg.append(path);
  return svg;
}

/** A candidate's symbol in its colour, as the tables show it. */
export function mark(candidate: number): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const count = document.querySelectorAll("symbol").length || 1;
  svg.setAttribute("class", `mark c${candidate % 8}`);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#symbol-${candidate % count}`);
  svg.append(use);
  return svg;
}
