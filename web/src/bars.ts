// What each candidate did, as bars from zero with the interval of the mean and the figure beside
// it. One that is ten times the rest ends in a break, so that the rest can be told apart.
import { bareAxis, type Api } from "./axes";
import type { Absolute, Question } from "./data";
import { threeDigits } from "./format";
import { linesOf, type Chart, type Label } from "./plot";
import { color, palette } from "./theme";
import { tooltipBody, tooltipStyle } from "./tooltip";

/** One so many times longer than the next longest is cut. */
const OUTLIER = 10;
/** Room for a figure beside its bar, in pixels. */
const FIGURE = 96;

interface Bar {
  candidate: number;
  value: Absolute;
  figure: string;
}

/** Bars that share an axis, under a heading of their own where there are several groups. */
interface Group {
  title?: string;
  unit: string;
  bars: Bar[];
}

export function barsChart(question: Question, names: string[]) {
  const bars = question.rows.flatMap(({ candidate, absolute, figure }) =>
    absolute ? [{ candidate, value: absolute, figure }] : [],
  );
  return bars.length > 0 ? chartOf([{ unit: question.unit, bars }], names) : undefined;
}

/** Where an axis ends, and whether a bar is longer. */
function limit(bars: Bar[]): number {
  const ends = bars.map((bar) => bar.value.high).sort((a, b) => b - a);
  const [first = 1e-9, second] = ends;
  return second !== undefined && first > second * OUTLIER ? second * 1.4 : first;
}

function chartOf(groups: Group[], names: string[]) {
  return (width: number, isPaper = false): Chart => {
    const sizes = groups.map(({ bars }) => bars.map(({ candidate }) => names[candidate] ?? ""));
    const longest = sizes.reduce((a, b) => (b.length > a.length ? b : a), []);
    const { isNarrow, height: row } = linesOf(longest, width, isPaper);
    const left = isNarrow ? 2 : Math.min(200, width * 0.25);
    const colors = palette();
    const grids: object[] = [];
    const labels: Label[] = [];
    let top = 10;
    for (const group of groups) {
      if (group.title) {
        labels.push({ top, text: group.title });
        top += 24;
      }
      group.bars.forEach((bar, i) =>
        labels.push({
          top: top + i * row + (isNarrow ? 0 : row / 2 - 11),
          candidate: bar.candidate,
          text: names[bar.candidate] ?? "",
        }),
      );
      grids.push({ left, right: FIGURE, top, height: group.bars.length * row });
      top += group.bars.length * row + 12;
    }
    return {
      height: top,
      isNarrow,
      labels,
      option: {
        grid: grids,
        xAxis: groups.map(({ bars }, i) =>
          bareAxis(colors, { gridIndex: i, min: 0, max: limit(bars) })),
        yAxis: groups.map(({ bars }, i) => bareAxis(colors, {
          gridIndex: i,
          min: 0,
          max: bars.length,
          inverse: true,
          axisLine: { lineStyle: { color: colors.line }, onZero: false },
        })),
        tooltip: { ...tooltipStyle(), trigger: "item" },
        series: groups.flatMap((group, i) =>
          group.bars.map((bar, n) => series(bar, n, i, group, isNarrow, names)),
        ),
      },
    };
  };
}

function series(
  bar: Bar,
  n: number,
  grid: number,
  group: Group,
  isNarrow: boolean,
  names: string[],
) {
  const { mid, low, high } = bar.value;
  const at = n + (isNarrow ? 0.76 : 0.5);
  const end = limit(group.bars);
  const paint = color(bar.candidate);
  const { text, muted, paper } = palette();
  const shown = (value: number) =>
    group.unit ? `${threeDigits(value)} ${group.unit}` : bar.figure;
  const range = high > low ? `${shown(low)} to ${shown(high)}` : "none";
  return {
    type: "custom",
    xAxisIndex: grid,
    yAxisIndex: grid,
    data: [[mid, at, low, high]],
    encode: { x: [0, 2, 3], y: 1 },
    tooltip: {
      formatter: () =>
        tooltipBody(names[bar.candidate] ?? "", [
          { candidate: bar.candidate, label: "mean", value: shown(mid) },
          { candidate: bar.candidate, label: "95 % interval", value: range },
        ]),
    },
    renderItem: (_: unknown, api: Api) => {
      const [x0, y] = api.coord([0, at]);
      const [x1] = api.coord([Math.min(mid, end), at]);
      const half = isNarrow ? 5 : 7;
      const shape = { x: x0, y: y - half, width: Math.max(1, x1 - x0), height: 2 * half };
      const children: object[] = [{ type: "rect", shape, style: { fill: paint, opacity: 0.75 } }];
      const stroke = { stroke: text, lineWidth: 1.5, fill: "none" };
      const bars = (ax: number, ay: number, bx: number, by: number) =>
        children.push({ type: "line", shape: { x1: ax, y1: ay, x2: bx, y2: by }, style: stroke });
      let right = x1;
      if (mid > end) {
        // Two strokes in the colour of the paper: the bar is longer than this.
        for (const dx of [12, 18]) {
          const cut = { stroke: paper, lineWidth: 2.5 };
          const slash = { x1: x1 - dx - 3, y1: y + half + 2, x2: x1 - dx + 3, y2: y - half - 2 };
          children.push({ type: "line", shape: slash, style: cut });
        }
      } else if (high > low) {
        const [a] = api.coord([low, at]);
        const [b] = api.coord([Math.min(high, end), at]);
        bars(a, y, b, y);
        bars(a, y - 4, a, y + 4);
        bars(b, y - 4, b, y + 4);
        right = Math.max(right, b);
      }
      const label = group.unit ? `${bar.figure} ${group.unit}` : bar.figure;
      const style = { text: label, x: right + 7, y, verticalAlign: "middle", fontSize: 12.5 };
      children.push({ type: "text", style: { ...style, fill: mid > end ? muted : text } });
      return { type: "group", children };
    },
  };
}
