// What charts over time have in common: the bar that zooms, and axes without ornaments.
import { threeDigits } from "./format";

/** Room for the zoom bar and the time axis below the last panel. */
export const FOOT = 84;
/** Left and right of every panel. */
export const SIDES = { left: 58, right: 16 };
export const PLAIN = { axisLine: { show: false }, axisTick: { show: false } };

/** Zooms all axes at once: by pinch, by the wheel with shift, by a bar at the bottom. */
export function zoom(axes: number[], top: number, muted: string, line: string, width: number) {
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
