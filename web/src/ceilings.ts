// Ceilings as lines in a chart: what lower layers reach on their own with the same work.
import type { Question } from "./data";
import { short } from "./format";
import { palette } from "./theme";

/** One far above what was measured would press the measured flat against the axis. */
const NEAR = 2.5;

/** The rates of the ceilings that fit above `highest`, of one candidate and of all. */
export function near(question: Question, candidate: number, highest: number) {
  const own = question.ceilings.filter((c) => c.candidate === null || c.candidate === candidate);
  return own.filter((c) => c.rate > 0 && c.rate <= highest * NEAR);
}

/** They as ECharts takes them, each with its name on the line. */
export function ceilingLines(question: Question, candidate: number, highest: number) {
  const { text, muted, paper } = palette();
  return {
    symbol: "none",
    silent: true,
    lineStyle: { color: muted, type: [6, 4], width: 1 },
    label: {
      position: "insideEndTop",
      color: text,
      fontSize: 11,
      textBorderColor: paper,
      textBorderWidth: 3,
    },
    data: near(question, candidate, highest).map((c) => ({
      yAxis: c.rate,
      label: { formatter: `${c.layer}: ${short(c.rate)}` },
    })),
  };
}
