// The rate along the slices of each candidate, as a share of the figure: while the drive settles
// (shaded), then of what counts. A line that is still rising at the end has not settled.
import { SIDES, axis, lineOf } from "./axes";
import type { Question } from "./data";
import type { Chart } from "./plot";
import { palette } from "./theme";
import { axisTip, tooltipBody } from "./tooltip";

const TOP = 14;
const PANEL = 170;
const FOOT = 46;

export function alongChart(question: Question, names: string[]) {
  const courses = question.along;
  const all = courses.flatMap((course) => course.shares).filter((s): s is number => s !== null);
  const parts = courses[0]?.shares.length ?? 0;
  if (all.length === 0) return undefined;
  const settles = courses.some(({ shares }) => shares[0] !== null);
  const first = settles ? 0 : parts / 2;
  return (): Chart => {
    const colors = palette();
    const percent = (share: number) => `${Math.round(share * 100)} %`;
    const tip = (at: number) =>
      tooltipBody(
        at < parts / 2 ? "settling" : "counted",
        courses.flatMap(({ candidate, shares }) => {
          const share = shares[Math.round(at - 0.5)];
          if (share === undefined || share === null) return [];
          return [{ candidate, label: names[candidate] ?? "", value: percent(share) }];
        }),
      );
    return {
      height: TOP + PANEL + FOOT,
      option: {
        grid: { ...SIDES, top: TOP, height: PANEL },
        xAxis: axis(colors, {
          min: first,
          max: parts,
          name: settles ? "settling (shaded), then counted" : "counted",
          nameLocation: "middle",
          nameGap: 12,
          nameTextStyle: { color: colors.muted },
          splitLine: { show: false },
        }, { show: false }),
        yAxis: axis(colors, { min: 0, max: Math.max(...all) * 1.06, splitNumber: 4 }, {
          formatter: percent,
          showMaxLabel: false,
        }),
        tooltip: axisTip(tip),
        series: courses.map(({ candidate, shares }, i) => ({
          ...lineOf(candidate, names, shares.map((share, part) => [part + 0.5, share ?? "-"])),
          showSymbol: true,
          symbolSize: 9,
          ...(i === 0 && settles
            ? {
                markArea: {
                  silent: true,
                  itemStyle: { color: colors.band },
                  data: [[{ xAxis: 0 }, { xAxis: parts / 2 }]],
                },
              }
            : {}),
        })),
      },
    };
  };
}
