// Latency by percentile: each nine takes the same room, and so does each factor of ten of time,
// so that the tail is as readable as the middle.
import { axis, labelsAt, lineOf, logAxis } from "./axes";
import type { Curve, Question } from "./data";
import { latency, percentile } from "./format";
import type { Chart } from "./plot";
import { palette } from "./theme";
import { axisTip, tooltipBody } from "./tooltip";

const STEP = 0.05;
const MEDIAN = Math.log10(2);
/** Fewest decades of time, so that noise does not look like a cliff. */
const DECADES = 2;

export function latencyChart(question: Question, op: string, names: string[]) {
  const curves = question.latency.find((l) => l.op === op)?.curves.filter((c) => c.ns.length > 1);
  if (!curves || curves.length === 0) return undefined;
  const nines = Math.max(...curves.map((c) => c.ns.length - 1)) * STEP;
  const all = curves.flatMap((c) => c.ns);
  const [low, high] = [Math.max(Math.min(...all), 1), Math.max(...all, 10)];
  const ticks = [MEDIAN, 1, 2, 3, 4, 5, 6].filter((n) => n <= nines + 1e-9);
  return (width: number): Chart => {
    const colors = palette();
    const axisPointer = { lineStyle: { color: colors.muted } };
    return {
      height: Math.max(240, Math.min(320, width * 0.6)),
      option: {
        grid: { left: 62, right: 22, top: 14, bottom: 30 },
        xAxis: axis(colors, { min: 0, max: nines, axisPointer }, labelsAt(ticks, percentile)),
        yAxis: logAxis(colors, low, high, DECADES, (ns) => latency(ns).replace(/\.0+ /, " ")),
        tooltip: axisTip((at) => tip(at, curves, names)),
        series: curves.map((curve) => ({
          ...lineOf(curve.candidate, names, curve.ns.map((ns, i) => [i * STEP, Math.max(ns, 1)])),
          // The symbol now and then, so that lines can be told apart without their colour.
          showSymbol: true,
          symbolSize: (_: unknown, p: { dataIndex: number }) =>
            (p.dataIndex + curve.candidate * 3) % 12 === 6 ? 9 : 0,
        })),
      },
    };
  };
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
