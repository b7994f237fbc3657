// What charts have in common: axes without ornaments, panels on one time axis with the bar that
// zooms them, and the lines of candidates.
import { short, threeDigits } from "./format";
import { color, symbol, type Palette } from "./theme";

/** Room for the zoom bar and the time axis below the last panel. */
const FOOT = 84;
/** Left and right of every panel. */
export const SIDES = { left: 58, right: 16 };

/** What ECharts gives to a drawing of our own. */
export interface Api {
  value: (dimension: number) => number;
  coord: (point: [number, number]) => [number, number];
}

/** How ECharts labels an axis. */
interface Label {
  show?: boolean;
  /** Values with a label, and no other. */
  customValues?: number[];
  formatter?: (value: number) => string;
  showMaxLabel?: boolean;
  hideOverlap?: boolean;
}

/** An axis with lines across the chart, where its labels are, and nothing else. */
export function axis({ muted, line }: Palette, own: object, label: Label = {}) {
  return {
    type: "value",
    axisLine: { show: false },
    axisTick: { show: false, customValues: label.customValues },
    splitLine: { lineStyle: { color: line } },
    ...own,
    axisLabel: { color: muted, ...label },
  };
}

/** An axis without labels and lines. */
export function bareAxis(colors: Palette, own: object) {
  return axis(colors, { splitLine: { show: false }, ...own }, { show: false });
}

/** A logarithmic axis of whole decades around the values. */
export function logAxis(
  colors: Palette, low: number, high: number, fewest: number, formatter: (v: number) => string,
) {
  const first = Math.floor(Math.log10(low));
  const last = Math.max(Math.ceil(Math.log10(high)), first + fewest);
  const minorSplitLine = { show: true, lineStyle: { color: colors.line, opacity: 0.35 } };
  const own = { type: "log", min: 10 ** first, max: 10 ** last, minorSplitLine };
  return axis(colors, own, { formatter });
}

/** Labels at these values, and at no other. */
export function labelsAt(values: number[], formatter: (value: number) => string): Label {
  return { customValues: values, formatter, hideOverlap: true };
}

/** A line with the colour and the symbol of a candidate. */
export function lineOf(candidate: number, names: string[], data: unknown[]) {
  return {
    type: "line",
    name: names[candidate] ?? "",
    data,
    symbol: symbol(candidate),
    symbolKeepAspect: true,
    lineStyle: { color: color(candidate), width: 1.8 },
    itemStyle: { color: color(candidate) },
    emphasis: { disabled: true },
  };
}

/** Heights of panels and of what is between them, in pixels. */
interface Heights {
  top: number;
  panel: number;
  gap: number;
}

/** Panels below one another on one time axis of `end` seconds, which zoom together. */
export function timeline(
  count: number, end: number, { top, panel, gap }: Heights, width: number, colors: Palette,
) {
  const { muted, line } = colors;
  const all = Array.from({ length: count }, (_, i) => i);
  const topOf = (i: number) => top + i * (panel + gap);
  const bottom = topOf(count - 1) + panel;
  return {
    all,
    topOf,
    height: bottom + FOOT,
    option: {
      grid: all.map((i) => ({ ...SIDES, top: topOf(i), height: panel })),
      xAxis: all.map((i) => axis(colors, {
        gridIndex: i,
        min: 0,
        max: end,
        splitLine: { lineStyle: { color: line, opacity: 0.5 } },
        axisPointer: { show: true, label: { show: false }, lineStyle: { color: muted } },
      }, {
        show: i === count - 1,
        formatter: (v: number) => `${short(v)} s`,
        showMaxLabel: false,
        hideOverlap: true,
      })),
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      dataZoom: zoom(all, bottom + 42, muted, line, width),
    },
  };
}

/** Zooms all axes at once: by pinch, by the wheel with shift, by a bar at the bottom. */
function zoom(axes: number[], top: number, muted: string, line: string, width: number) {
  return [
    { type: "inside", xAxisIndex: axes, zoomOnMouseWheel: "shift", moveOnMouseMove: false },
    {
      type: "slider",
      xAxisIndex: axes,
      top,
      ...SIDES,
      height: width < 500 ? 30 : 22,
      brushSelect: false,
      showDataShadow: false,
      borderColor: line,
      fillerColor: "rgb(128 128 128 / 14%)",
      handleStyle: { color: muted, borderColor: muted },
      moveHandleStyle: { color: muted, opacity: 0.5 },
      textStyle: { color: muted },
      labelFormatter: (v: number) => `${threeDigits(v)} s`,
    },
  ];
}
