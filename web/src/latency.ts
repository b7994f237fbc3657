// Latency by percentile: each nine takes the same room, and so does each factor of ten of time,
// so that the tail is as readable as the middle.
import type { Curve, Question } from "./data";
import { latency, percentile } from "./format";
import type { Chart } from "./plot";
import { color, font, palette, symbol } from "./theme";
import { tooltipBody, tooltipStyle } from "./tooltip";

const STEP = 0.05;
const MEDIAN = Math.log10(2);

export function latencyChart(question: Question, op: string, names: string[]) {
  const curves = question.latency.find((l) => l.op === op)?.curves.filter((c) => c.ns.length > 1);
  if (!curves || curves.length === 0) return undefined;
  const nines = Math.max(...curves.map((c) => c.ns.length - 1)) * STEP;
  const all = curves.flatMap((c) => c.ns);
  return (width: number): Chart => {
    const { text, muted, line } = palette();
    const ticks = [MEDIAN, 1, 2, 3, 4, 5, 6].filter((n) => n <= nines + 1e-9);
    return {
      height: Math.max(240, Math.min(320, width * 0.6)),
      option: {
        textStyle: { fontFamily: font(), color: text },
        grid: { left: 62, right: 22, top: 14, bottom: 30 },
        xAxis: {
          type: "value",
          min: 0,
          max: nines,
          axisLabel: {
            color: muted,
            customValues: ticks,
            formatter: percentile,
            hideOverlap: true,
          },
          axisTick: { show: false, customValues: ticks },
          axisLine: { show: false },
          splitLine: { lineStyle: { color: line } },
          axisPointer: { lineStyle: { color: muted } },
        },
        yAxis: {
          type: "log",
          ...decades(all),
          axisLabel: { color: muted, formatter: (ns: number) => latency(ns).replace(/\.0+ /, " ") },
          axisLine: { show: false },
          axisTick: { show: false },
          splitLine: { lineStyle: { color: line } },
          minorSplitLine: { show: true, lineStyle: { color: line, opacity: 0.35 } },
        },
        tooltip: {
          ...tooltipStyle(),
          trigger: "axis",
          formatter: (at: { axisValue: number }[]) => tip(at[0]?.axisValue ?? 0, curves, names),
        },
        series: curves.map((curve) => ({
          type: "line",
          name: names[curve.candidate] ?? "",
          data: curve.ns.map((ns, i) => [i * STEP, Math.max(ns, 1)]),
          // The symbol now and then, so that lines can be told apart without their colour.
          showSymbol: true,
          symbol: symbol(curve.candidate),
          symbolKeepAspect: true,
          symbolSize: (_: unknown, p: { dataIndex: number }) =>
            (p.dataIndex + curve.candidate * 3) % 12 === 6 ? 9 : 0,
          lineStyle: { color: color(curve.candidate), width: 1.8 },
          itemStyle: { color: color(curve.candidate) },
          emphasis: { disabled: true },
        })),
      },
    };
  };
}

/** Whole decades around the values; at least two, so that noise does not look like a cliff. */
function decades(ns: number[]): { min: number; max: number } {
  const low = Math.floor(Math.log10(Math.max(Math.min(...ns), 1)));
  const high = Math.ceil(Math.log10(Math.max(...ns, 10)));
  return { min: 10 ** low, max: 10 ** Math.max(high, low + 2) };
}

function tip(at: number, curves: Curve[], names: string[]) {
  const index = Math.round(at / STEP);
  const lines = curves.flatMap((curve) => {
    const ns = curve.ns[index];
    if (ns === undefined) return [];
    const { candidate } = curve;
    return [{ candidate, label: names[candidate] ?? "", value: latency(ns) }];
  });
  return tooltipBody(percentile(index * STEP), lines);
}
