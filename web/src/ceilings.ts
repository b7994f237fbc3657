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

/** Lines nearer to each other than this would have their names on top of each other, in pixels. */
const NAME_HEIGHT = 14;

/** They as ECharts takes them, each with its name on the line, or below it where the next higher
 * one's name is in the way. The panel is `height` pixels high. */
export function ceilingLines(q: Question, candidate: number, highest: number, height: number) {
  const { text, muted, paper } = palette();
  const lines = near(q, candidate, highest).sort((a, b) => b.rate - a.rate);
  const top = Math.max(highest, lines[0]?.rate ?? 0);
  const y = (i: number) => ((lines[i]?.rate ?? 0) / top) * height;
  const isClose = (i: number) => i > 0 && y(i - 1) - y(i) < NAME_HEIGHT;
  return {
    symbol: "none",
    silent: true,
    lineStyle: { color: muted, type: [6, 4], width: 1 },
    label: { color: text, fontSize: 11, textBorderColor: paper, textBorderWidth: 3 },
    data: lines.map((c, i) => ({
      yAxis: c.rate,
      label: {
        position: isClose(i) ? "insideEndBottom" : "insideEndTop",
        formatter: `${c.layer}: ${short(c.rate)}`,
      },
    })),
  };
}
