// Round by round: the rate of a workload over the rounds of a device that is looked at over time,
// the window that the figure is taken from shaded.
import { SIDES, axis, lineOf } from "./axes";
import type { Question } from "./data";
import { short, threeDigits } from "./format";
import type { Chart } from "./plot";
import { color, palette } from "./theme";
import { tooltipBody, tooltipStyle } from "./tooltip";

const TOP = 14;
const PANEL = 190;
const FOOT = 46;

export function roundsChart(question: Question, names: string[]) {
  const rounds = question.rounds;
  const candidate = question.rows[0]?.candidate;
  if (!rounds || candidate === undefined) return undefined;
  const measured = rounds.rates.filter((rate): rate is number => rate !== null);
  if (measured.length === 0) return undefined;
  const [first, last] = rounds.window;
  return (): Chart => {
    const colors = palette();
    return {
      height: TOP + PANEL + FOOT,
      option: {
        grid: { ...SIDES, top: TOP, height: PANEL },
        xAxis: axis(colors, {
          min: 0.5,
          max: rounds.rates.length + 0.5,
          name: "round",
          nameLocation: "middle",
          nameGap: 26,
          nameTextStyle: { color: colors.muted },
          splitLine: { show: false },
        }, { customValues: roundNumbers(rounds.rates.length) }),
        yAxis: axis(
          colors,
          { min: 0, max: Math.max(...measured) * 1.06, splitNumber: 4 },
          { formatter: short, showMaxLabel: false },
        ),
        tooltip: {
          ...tooltipStyle(),
          trigger: "item",
          formatter: ({ value }: { value: [number, number] }) =>
            tooltipBody(`round ${value[0]}`, [
              {
                candidate,
                label: names[candidate] ?? "",
                value: `${threeDigits(value[1])} ${question.unit}`,
              },
            ]),
        },
        series: [
          {
            ...lineOf(candidate, names, rounds.rates.map((rate, i) => [i + 1, rate ?? "-"])),
            symbolSize: 10,
            itemStyle: { color: color(candidate), borderColor: colors.paper, borderWidth: 1 },
            markArea: {
              silent: true,
              itemStyle: { color: colors.band },
              data: [[{ xAxis: first - 0.5 }, { xAxis: last + 0.5 }]],
            },
          },
        ],
      },
    };
  };
}

/** Every round while they are few, else every fifth. */
function roundNumbers(count: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i + 1);
  return count <= 12 ? all : all.filter((n) => n === 1 || n % 5 === 0);
}
