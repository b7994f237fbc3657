// Throughput over time: one panel a candidate, one line a block, all on the same axes, with one
// zoom for all panels, so that a stall in one can be looked for in the others.
import { FOOT, PLAIN, SIDES, zoom } from "./axes";
import { ceilingLines, near } from "./ceilings";
import { readSeries, type Question, type Series } from "./data";
import { short, threeDigits } from "./format";
import type { Chart } from "./plot";
import { color, font, palette } from "./theme";
import { tooltipBody, tooltipStyle } from "./tooltip";

const PANEL = 74;
const GAP = 30;
const TOP = 26;
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
    const { text, muted, line } = palette();
    const all = panels.map((_, i) => i);
    const top = (i: number) => TOP + i * (PANEL + GAP);
    const bottom = top(panels.length - 1) + PANEL;
    return {
      height: bottom + FOOT,
      labels: panels.map((c, i) => ({
        top: top(i) - 24,
        candidate: c,
        text: `${names[c] ?? ""}${isOwn ? " (own axis)" : ""}`,
      })),
      option: {
        textStyle: { fontFamily: font(), color: text },
        grid: all.map((i) => ({ ...SIDES, top: top(i), height: PANEL })),
        xAxis: all.map((i) => ({
          ...PLAIN,
          type: "value",
          gridIndex: i,
          min: 0,
          max: seconds,
          splitLine: { lineStyle: { color: line, opacity: 0.5 } },
          axisPointer: { show: true, label: { show: false }, lineStyle: { color: muted } },
          axisLabel: {
            show: i === panels.length - 1,
            color: muted,
            formatter: (v: number) => `${short(v)} s`,
            showMaxLabel: false,
            hideOverlap: true,
          },
        })),
        yAxis: all.map((i) => ({
          ...PLAIN,
          type: "value",
          gridIndex: i,
          min: 0,
          max: (isOwn ? (scales[i] ?? common) : common) * 1.05,
          splitNumber: 2,
          splitLine: { lineStyle: { color: line } },
          axisLabel: { color: muted, formatter: short, showMaxLabel: false },
        })),
        axisPointer: { link: [{ xAxisIndex: "all" }] },
        dataZoom: zoom(all, bottom + 42, muted, line, width),
        tooltip: {
          ...tooltipStyle(),
          trigger: "axis",
          formatter: (at: { axisValue: number }[]) =>
            tip(at[0]?.axisValue ?? 0, panels, series, question, names),
        },
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
            ? { markLine: ceilingLines(question, s.candidate, reach(s.candidate), PANEL) }
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
