// Results and confidence: a row a candidate with its mean, interval and every block, on an
// axis of ratios (logarithmic, so that twice and half lie equally far), the tie band shaded.
import { axis, labelsAt, type Api } from "./axes";
import type { Question, Row } from "./data";
import { difference, short, threeDigits } from "./format";
import { linesOf, type Chart } from "./plot";
import { color, palette, symbol, type Palette } from "./theme";
import { tooltipBody, tooltipStyle } from "./tooltip";

const RIGHT = 22;
/** Room a label on the axis needs, in pixels. */
const LABEL_WIDTH = 56;

/** Differences in percent by how round they are, then larger ratios: the roundest get labels. */
const NICE_RATIOS = [
  [-50, 100],
  [-20, -40, -60, -80, 20, 40, 60],
  [-90, -95, -98, -99],
  [-10, -30, -70, 10, 30],
  [-5, 5, -15, 15, -25, 25],
  [-2, 2, -4, 4, -6, 6, -8, 8],
  [-1, 1, -3, 3],
]
  .flat()
  .map((percent) => 1 + percent / 100)
  .concat([5, 10, 20, 50, 100, 3]);

export function pointsChart(question: Question, tieMargin: number, names: string[]) {
  const rows = question.rows.filter((row) => row.mid !== null || row.dots.length > 0);
  if (rows.length === 0) return undefined;
  return (width: number, isPaper = false): Chart => {
    const shown = rows.map((row) => names[row.candidate] ?? "");
    const { isNarrow, height: rowHeight } = linesOf(shown, width, isPaper);
    const top = 10;
    const left = isNarrow ? 14 : Math.min(240, width * 0.28);
    const height = top + rows.length * rowHeight + 34;
    const room = width - left - RIGHT;
    const scale = question.is_ratio ? ratioScale(rows, tieMargin, room) : rateScale(rows);
    const colors = palette();
    return {
      height,
      isNarrow,
      labels: rows.map((row, i) => ({
        top: top + i * rowHeight + (isNarrow ? 2 : rowHeight / 2 - 11),
        candidate: row.candidate,
        text: shown[i] ?? "",
      })),
      option: {
        grid: { left, right: RIGHT, top, height: rows.length * rowHeight },
        xAxis: axis(
          colors, { min: scale.low, max: scale.high }, labelsAt(scale.ticks, scale.label),
        ),
        yAxis: axis(colors, {
          min: 0,
          max: rows.length,
          inverse: true,
          interval: 1,
          splitLine: { lineStyle: { color: colors.line, opacity: 0.6 } },
        }, { show: false }),
        tooltip: { ...tooltipStyle(), trigger: "item" },
        series: [
          tieBand(question, scale, tieMargin, colors),
          ...rows.flatMap((row, i) => rowSeries(row, i, isNarrow, question, scale, names)),
        ],
      },
    };
  };
}

interface Scale {
  low: number;
  high: number;
  ticks: number[];
  to: (value: number) => number;
  label: (at: number) => string;
}

/** Where a row's marks lie within it, from its top edge: under the name where that is above. */
function middle(i: number, isNarrow: boolean): number {
  return i + (isNarrow ? 0.72 : 0.5);
}

function values(rows: Row[]): number[] {
  const all = rows.flatMap((r) => [r.mid, r.low, r.high, ...r.dots.map((dot) => dot[1])]);
  return all.filter((v): v is number => v !== null && v > 0);
}

function ratioScale(rows: Row[], tieMargin: number, width: number): Scale {
  const all = [...values(rows), 1 / (1 + tieMargin), 1 + tieMargin];
  const low = Math.log(Math.min(...all));
  const high = Math.log(Math.max(...all));
  const room = (high - low) * 0.04;
  const [from, to] = [low - room, high + room];
  const ticks = [0];
  const gap = ((to - from) * LABEL_WIDTH) / width;
  for (const at of NICE_RATIOS.map(Math.log)) {
    const isFree = ticks.every((tick) => Math.abs(tick - at) >= gap);
    if (isFree && at >= from && at <= to) ticks.push(at);
  }
  ticks.sort((a, b) => a - b);
  return { low: from, high: to, ticks, to: Math.log, label: (at) => difference(Math.exp(at)) };
}

function rateScale(rows: Row[]): Scale {
  const high = Math.max(...values(rows), 1e-9) * 1.06;
  const step = niceStep(high / 3);
  const ticks = Array.from({ length: Math.floor(high / step) + 1 }, (_, i) => i * step);
  return { low: 0, high, ticks, to: (value) => value, label: short };
}

/** The roundest step that is no longer than this. */
function niceStep(longest: number): number {
  const size = 10 ** Math.floor(Math.log10(longest));
  return ([5, 2, 1].find((step) => step * size <= longest) ?? 1) * size;
}

/** The shaded tie band and the line of the reference; nothing where there is no ratio. */
function tieBand(q: Question, scale: Scale, margin: number, { band, muted }: Palette) {
  if (!q.is_ratio) return { type: "scatter", data: [], silent: true };
  return {
    type: "scatter",
    data: [],
    silent: true,
    markArea: {
      silent: true,
      itemStyle: { color: band },
      data: [[{ xAxis: scale.to(1 / (1 + margin)) }, { xAxis: scale.to(1 + margin) }]],
    },
    markLine: {
      silent: true,
      symbol: "none",
      label: { show: false },
      lineStyle: { color: muted, type: "solid", width: 1 },
      data: [{ xAxis: 0 }],
    },
  };
}

function rowSeries(
  row: Row,
  i: number,
  isNarrow: boolean,
  question: Question,
  scale: Scale,
  names: string[],
): object[] {
  const at = middle(i, isNarrow);
  const paint = color(row.candidate);
  const value = (v: number) =>
    question.is_ratio ? difference(v, 1) : `${threeDigits(v)} ${question.unit}`;
  const name = names[row.candidate] ?? "";
  const dots = {
    type: "scatter",
    symbol: "circle",
    symbolSize: 6,
    itemStyle: { color: paint, opacity: 0.45 },
    // Blocks in order from the top to the bottom of the row, so that equal ones stay apart.
    data: row.dots.map(([block, v], n) => ({
      value: [scale.to(v), at + ((n + 0.5) / row.dots.length - 0.5) * 0.5],
      name: `block ${block}`,
      shown: value(v),
    })),
    tooltip: {
      formatter: (p: { data: { name: string; shown: string } }) =>
        tooltipBody(name, [{ candidate: row.candidate, label: p.data.name, value: p.data.shown }]),
    },
  };
  const parts: object[] = [dots];
  if (row.low !== null && row.high !== null) {
    parts.push(interval(scale.to(row.low), scale.to(row.high), at, paint));
  }
  if (row.mid !== null) {
    const mid = row.mid;
    const lines = [{ candidate: row.candidate, label: "mean", value: value(mid) }];
    const tip = () => {
      const range = row.low !== null && row.high !== null;
      const bounds = range ? `${value(row.low ?? 0)} to ${value(row.high ?? 0)}` : "none";
      return tooltipBody(name, [
        ...lines,
        { candidate: row.candidate, label: "interval", value: bounds },
        { candidate: row.candidate, label: "blocks", value: String(row.dots.length) },
      ]);
    };
    parts.push({
      type: "scatter",
      z: 5,
      symbol: symbol(row.candidate),
      symbolSize: 15,
      symbolKeepAspect: true,
      itemStyle: { color: paint, opacity: 1, borderColor: palette().paper, borderWidth: 1.5 },
      data: [[scale.to(mid), at]],
      tooltip: { formatter: tip },
    });
  }
  return parts;
}

/** A bar from low to high with a cap at each end. */
function interval(low: number, high: number, at: number, paint: string) {
  return {
    type: "custom",
    silent: true,
    z: 4,
    data: [[low, at, high]],
    encode: { x: [0, 2], y: 1 },
    renderItem: (_: unknown, api: Api) => {
      const [x1, y] = api.coord([api.value(0), api.value(1)]);
      const [x2] = api.coord([api.value(2), api.value(1)]);
      const style = { stroke: paint, lineWidth: 2, fill: "none" };
      const cap = (x: number) => {
        return { type: "line", shape: { x1: x, y1: y - 5, x2: x, y2: y + 5 }, style };
      };
      const bar = { type: "line", shape: { x1, y1: y, x2, y2: y }, style };
      return { type: "group", children: [bar, cap(x1), cap(x2)] };
    },
  };
}
