// One chart of the page: finds its numbers, draws them, and draws them again when asked.
import type { Page, Question, RunData } from "./data";
import { init, type ECharts, type EChartsCoreOption } from "./echarts";
import { latencyChart } from "./latency";
import { overTimeChart } from "./overtime";
import { pointsChart } from "./points";

/** What a kind of chart gives: how tall it is and what ECharts draws, for a width in pixels. */
export interface Chart {
  height: number;
  option: EChartsCoreOption;
  /** Labels laid over the drawing, so that they wrap, scale and print as text. */
  labels?: { top: number; candidate: number; text: string }[];
}

export class Plot {
  private readonly canvas: HTMLElement;
  private readonly overlay: HTMLElement;
  private readonly chart: ECharts;
  private width = 0;

  private constructor(
    readonly element: HTMLElement,
    private readonly describe: (width: number) => Chart,
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
    const question = run?.questions[Number(figure.dataset.question)];
    if (!element || !run || !question) return undefined;
    const describe = chartOf(figure, page, run, question);
    if (!describe) {
      figure.hidden = true;
      return undefined;
    }
    return new Plot(element, describe);
  }

  /** Draws everything anew, at the width there is. */
  draw(): void {
    this.drawAt(this.element.clientWidth);
  }

  /** Draws anew if the width changed. */
  fit(): void {
    if (Math.abs(this.element.clientWidth - this.width) > 1) this.draw();
  }

  /** Draws for paper. */
  print(width: number): void {
    this.drawAt(width);
  }

  private drawAt(width: number): void {
    this.width = width;
    if (width < 50) return;
    const { height, option, labels } = this.describe(width);
    this.chart.resize({ width, height, silent: true });
    this.chart.setOption({ animation: false, ...option }, { notMerge: true });
    this.overlay.replaceChildren(
      ...(labels ?? []).map((label) => labelElement(label.top, label.candidate, label.text)),
    );
  }
}

function chartOf(figure: HTMLElement, page: Page, run: RunData, question: Question) {
  const { kind, run: runIndex, question: index, op } = figure.dataset;
  const names = page.candidates;
  switch (kind) {
    case "points":
      return pointsChart(question, run.tie_margin, names);
    case "time":
      return overTimeChart(question, Number(runIndex), Number(index), names);
    case "latency":
      return latencyChart(question, op ?? "", names);
    default:
      return undefined;
  }
}

function labelElement(top: number, candidate: number, text: string): HTMLElement {
  const label = document.createElement("div");
  label.style.top = `${top}px`;
  label.append(mark(candidate), text);
  label.title = text;
  return label;
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
