// A sweep: the rate over block sizes, queue depths or threads, a line a candidate, both axes
// logarithmic, the interval of every mean as a bar.
import { axis, labelsAt, lineOf, logAxis, type Api } from "./axes";
import type { Sweep } from "./data";
import { short, threeDigits } from "./format";
import type { Chart } from "./plot";
import { color, palette } from "./theme";
import { axisTip, tooltipBody } from "./tooltip";

/** Height of a candidate's name above the curves. */
const LABEL = 20;

export function sweepChart(sweep: Sweep, names: string[]) {
  const points = sweep.curves.flatMap((curve) => curve.points);
  if (points.length === 0) return undefined;
  const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
  const lows = points.map(([, rate]) => rate.low).filter((v) => v > 0);
  const [low, high] = [Math.min(...lows), Math.max(...points.map(([, rate]) => rate.high))];
  const name = (x: number) => (sweep.is_size ? size(x) : String(x));
  return (width: number): Chart => {
    const colors = palette();
    const side = width < 500 ? 46 : 58;
    const top = sweep.curves.length * LABEL + 12;
    const ends = [Math.log2(xs[0] ?? 1), Math.log2(xs[xs.length - 1] ?? 2)] as const;
    const room = Math.max(0.2, (ends[1] - ends[0]) * 0.03);
    return {
      height: top + Math.max(260, Math.min(380, width * 0.5)),
      labels: sweep.curves.map(({ candidate }, i) => ({
        top: i * LABEL,
        candidate,
        text: names[candidate] ?? "",
      })),
      option: {
        grid: { left: side, right: 20, top, bottom: 34 },
        xAxis: axis(
          colors,
          { min: ends[0] - room, max: ends[1] + room },
          labelsAt(xs.map(Math.log2), (at) => name(Math.round(2 ** at))),
        ),
        yAxis: logAxis(colors, low, high, 0, short),
        tooltip: axisTip((at) => tip(sweep, nearest(xs, 2 ** at), names, name)),
        series: sweep.curves.flatMap(({ candidate, points: own }) => [
          {
            ...lineOf(candidate, names, own.map(([x, rate]) => [Math.log2(x), rate.mid])),
            symbolSize: 10,
          },
          {
            type: "custom",
            silent: true,
            data: own.map(([x, rate]) => [Math.log2(x), rate.low, rate.high]),
            encode: { x: 0, y: [1, 2] },
            renderItem: (_: unknown, api: Api) => {
              const [x, y1] = api.coord([api.value(0), api.value(1)]);
              const [, y2] = api.coord([api.value(0), api.value(2)]);
              const style = { stroke: color(candidate), lineWidth: 1.5 };
              return { type: "line", shape: { x1: x, y1, x2: x, y2 }, style };
            },
          },
        ]),
      },
    };
  };
}

/** A size as fio writes it: 512, 4k, 1m. */
function size(bytes: number): string {
  if (bytes % (1 << 20) === 0) return `${bytes / (1 << 20)}m`;
  return bytes % 1024 === 0 ? `${bytes / 1024}k` : String(bytes);
}

function nearest(xs: number[], x: number): number {
  return xs.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a), xs[0] ?? 0);
}

function tip(sweep: Sweep, x: number, names: string[], name: (x: number) => string) {
  const lines = sweep.curves.flatMap(({ candidate, points }) => {
    const rate = points.find(([at]) => at === x)?.[1];
    if (!rate) return [];
    const range = `${threeDigits(rate.low)} to ${threeDigits(rate.high)}`;
    const value = `${threeDigits(rate.mid)} (${range})`;
    return [{ candidate, label: names[candidate] ?? "", value }];
  });
  return tooltipBody(`${name(x)}, ${sweep.unit}`, lines);
}
