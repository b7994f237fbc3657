// What appears beside the pointer. Built as elements with text, never as markup, because names
// come from outside.
import { mark } from "./plot";
import { palette } from "./theme";

export interface Line {
  candidate?: number;
  label: string;
  value: string;
}

export function tooltipBody(title: string, lines: Line[]): HTMLElement {
  const body = document.createElement("div");
  body.className = "tip";
  const head = body.appendChild(document.createElement("p"));
  head.textContent = title;
  const table = body.appendChild(document.createElement("table"));
  for (const line of lines) {
    const row = table.insertRow();
    const label = row.insertCell();
    if (line.candidate !== undefined) label.append(mark(line.candidate));
    label.append(line.label);
    row.insertCell().textContent = line.value;
  }
  return body;
}

/** A tooltip for a moment or value on the axis. */
export function axisTip(body: (at: number) => HTMLElement) {
  const formatter = (at: { axisValue: number }[]) => body(at[0]?.axisValue ?? 0);
  return { ...tooltipStyle(), trigger: "axis", formatter };
}

/** Style of every tooltip: a calm card in the page's colours. */
export function tooltipStyle() {
  const { paper, text, line } = palette();
  return {
    confine: true,
    backgroundColor: paper,
    borderColor: line,
    borderWidth: 1,
    padding: 10,
    transitionDuration: 0,
    textStyle: { color: text },
    extraCssText: "box-shadow: 0 4px 18px rgb(0 0 0 / 14%); border-radius: 6px;",
  };
}
