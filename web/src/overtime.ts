// Throughput over time: one panel a candidate, one line a block, all on the same axes, with one
// zoom for all panels, so that a stall in one can be looked for in the others.
import { axis, timeline } from "./axes";
import { ceilingLines, near } from "./ceilings";
import { readSeries, type Question, type Series } from "./data";
import { short, threeDigits } from "./format";
import type { Chart } from "./plot";
import { color, palette } from "./theme";
import { axisTip, tooltipBody } from "./tooltip";

const HEIGHTS = { top: 26, panel: 74, gap: 30 };
/** One so many times above the next highest would press the others flat. */
const OUTLIER = 10;

export function overTimeChart(question: Question, run: number, index: number, names: string[]) {
  const series = readSeries(run, index, question).filter((s) => s.points.length > 0);
  // Those that are not ranked follow: they were measured too.
  const ranked = question.rows.map((row) => row.candidate);
  const present = new Set([...ranked, ...series.map((s) => s.candidate)]);
  const panels = [...present].filter((c) => series.some((s) => s.candidate === c));
  if (panels.length === 0) return undefined;
  const seconds = Math.max(...series.map((s) => s.points[s.points.length - 1]?.[0] ?? 0));
  const measured = Math.max(...series.flatMap((s) => s.points.map((p) => p[1])), 1e-9);
  const highestOf = (c: number, own: number) =>
    Math.max(own, ...near(question, c, own).map((ceiling) => ceiling.rate));
  const peaks = panels.map((c) => peak(series, c));
  // Where one is far above the others, each has its own axis: on one they would be flat lines.
  const [first = 0, second = 0] = [...peaks].sort((a, b) => b - a);
  const isOwn = panels.length > 1 && first > second * OUTLIER;
  const scales = panels.map((c, i) => (isOwn ? highestOf(c, peaks[i] ?? measured) : 0));
  const reach = (c: number) => (isOwn ? peak(series, c) : measured);
  const common = Math.max(...panels.map((c) => highestOf(c, measured)));
  return (width: number): Chart => {
    const colors = palette();
    const { all, topOf, height, option } =
      timeline(panels.length, seconds, HEIGHTS, width, colors);
    return {
      height,
      labels: panels.map((c, i) => ({
        top: topOf(i) - 24,
        candidate: c,
        text: `${names[c] ?? ""}${isOwn ? " (own axis)" : ""}`,
      })),
      option: {
        ...option,
        yAxis: all.map((i) => axis(colors, {
          gridIndex: i,
          min: 0,
          max: (isOwn ? (scales[i] ?? common) : common) * 1.05,
          splitNumber: 2,
        }, { formatter: short, showMaxLabel: false })),
        tooltip: axisTip((at) => tip(at, panels, series, question, names)),
        series: series.map((s) => ({
          type: "line",
          name: `${names[s.candidate] ?? ""}, block ${s.block}`,
          xAxisIndex: panels.indexOf(s.candidate),
          yAxisIndex: panels.indexOf(s.candidate),
          data: s.points,
          showSymbol: s.points.length === 1,
          symbolSize: 4,
          sampling: "lttb",
          lineStyle: { color: color(s.candidate), width: 1.3, opacity: 0.65 },
          itemStyle: { color: color(s.candidate) },
          emphasis: { disabled: true },
          // Once a panel.
          ...(series.find((first) => first.candidate === s.candidate) === s
            ? { markLine: ceilingLines(question, s.candidate, reach(s.candidate), HEIGHTS.panel) }
            : {}),
        })),
      },
    };
  };
}

/** The highest rate of a candidate. */
function peak(series: Series[], candidate: number): number {
  const own = series.filter((s) => s.candidate === candidate);
  return Math.max(...own.flatMap((s) => s.points.map((p) => p[1])), 1e-9);
}

/** Mean of the blocks at a moment, with the lowest and the highest. */
function tip(at: number, panels: number[], series: Series[], q: Question, names: string[]) {
  const lines = panels.flatMap((candidate) => {
    const own = series.filter((s) => s.candidate === candidate);
    const values = own.flatMap((s) => nearest(s, at) ?? []);
    if (values.length === 0) return [];
    const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
    const range = `${threeDigits(Math.min(...values))} to ${threeDigits(Math.max(...values))}`;
    const value = `${threeDigits(mean)} (${range})`;
    return [{ candidate, label: names[candidate] ?? "", value }];
  });
  return tooltipBody(`${threeDigits(at)} s, ${q.over_time.unit}, mean of blocks (range)`, lines);
}

/** The rate of the window nearest to a moment, when one is near. */
function nearest(series: Series, at: number): number[] | undefined {
  let best: [number, number] | undefined;
  for (const point of series.points) {
    if (!best || Math.abs(point[0] - at) < Math.abs(best[0] - at)) best = point;
  }
  return best && Math.abs(best[0] - at) < 0.15 ? [best[1]] : undefined;
}
