// The machine meanwhile: throughput, latency, queue, CPU by core, pressure, dirty pages,
// temperature and clock under one another on one time axis, for the whole run or for one cell.
import { axis, bareAxis, timeline, type Api } from "./axes";
import { ceilingLines, near } from "./ceilings";
import type { MachineCell, Page, RunData } from "./data";
import { latency, short, threeDigits } from "./format";
import type { Chart, Label } from "./plot";
import { color, palette, type Palette } from "./theme";
import { axisTip, tooltipBody, type Line } from "./tooltip";

const HEIGHTS = { top: 28, panel: 60, gap: 32 };
/** Below this width a panel with names of lines leaves its unit to the axis. */
const NARROW = 620;

/** A line of a panel: a value for each moment; `null` breaks it. */
interface Curve {
  name: string;
  points: [number, number | null][];
  candidate?: number;
}

interface Panel {
  title: string;
  unit: string;
  curves: Curve[];
  format: (value: number) => string;
  /** The highest value there can be. */
  most?: number;
  /** Whether nothing is said by how far it is from zero. */
  floats?: boolean;
}

/** How lines that belong to no candidate are told apart: by their dashes. */
const DASHES = ["solid", [5, 3], [1.5, 2.5], [9, 3, 2, 3]] as const;

export function machineChart(run: RunData, page: Page, only: number | undefined) {
  const all = run.machine.cells;
  const one = only === undefined ? undefined : all[only];
  const cells = one ? [{ ...one, at_ms: 0 }] : all;
  if (cells.length === 0) return undefined;
  const panels = panelsOf(cells, page.candidates, run.machine.cpus);
  const end = Math.max(...cells.map((c) => (c.at_ms + lastMs(c)) / 1e3));
  const cores = run.machine.cpus.length && cells.some((c) => c.cpus.some((s) => s.length > 0));
  return (width: number): Chart => {
    const colors = palette();
    const count = panels.length + (cores ? 1 : 0);
    const { all, topOf, height, option } = timeline(count, end, HEIGHTS, width, colors);
    const labels: Label[] = panels.map((p, i) => ({
      top: topOf(i) - 24,
      text: width < NARROW && p.curves.length > 1 ? p.title : `${p.title}, ${p.unit}`,
      legend: p.curves.some((c) => c.candidate !== undefined)
        ? []
        : p.curves.length > 1 ? p.curves.map((c, n) => ({ name: c.name, dash: dash(n) })) : [],
    }));
    if (cores) {
      labels.push({
        top: topOf(count - 1) - 24,
        text: `CPU use of each of ${run.machine.cpus.length} cores; darker is busier`,
      });
    }
    return {
      height,
      labels,
      option: {
        ...option,
        yAxis: all.map((i) => yAxis(i, panels[i], run, one, colors)),
        tooltip: axisTip((at) => tip(at, cells, panels, run, page)),
        series: [
          ...panels.flatMap((p, i) => lines(p, i, run, one, colors.text)),
          ...(cores ? [coreSeries(cells, count - 1, run.machine.cpus, colors.text)] : []),
        ],
      },
    };
  };
}

function last<T>(all: T[]): T | undefined {
  return all[all.length - 1];
}

function lastMs(cell: MachineCell): number {
  return Math.max(last(cell.moved)?.[0] ?? 0, last(cell.fast_ms) ?? 0);
}

/** Every series that some cell has, the cells one after the other with a break between them. */
function panelsOf(cells: MachineCell[], names: string[], cpus: number[]): Panel[] {
  type Of = (cell: MachineCell) => (number | null)[];
  const along = (times: (cell: MachineCell) => number[], values: Of) =>
    cells.flatMap((cell): [number, number | null][] => {
      const at = times(cell);
      const points = values(cell).map((value, i): [number, number | null] =>
        [(cell.at_ms + (at[i] ?? 0)) / 1e3, value]);
      const end = last(points)?.[0];
      return end === undefined ? [] : [...points, [end, null]];
    });
  const fast = (values: Of) => along((c) => c.fast_ms, values);
  const slow = (values: Of) => along((c) => c.slow_ms, values);
  const moved = (candidate: number): Curve => ({
    name: names[candidate] ?? "",
    candidate,
    points: cells.filter((c) => c.candidate === candidate).flatMap((cell) => [
      ...cell.moved.map(([ms, rate]): [number, number | null] =>
        [(cell.at_ms + ms) / 1e3, rate / 1e6]),
      [(cell.at_ms + lastMs(cell)) / 1e3, null] as [number, null],
    ]),
  });
  const candidates = [...new Set(cells.map((c) => c.candidate))].sort((a, b) => a - b);
  const waits: Of = (c) => c.wait_us.map((us) => (us === null ? null : us / 1e3));
  const pressure = ["CPU", "I/O", "memory", "I/O, everybody"];
  const mean = (c: MachineCell) => c.fast_ms.map((_, i) =>
    c.cpus.reduce((sum, series) => sum + (series[i] ?? 0), 0) / Math.max(cpus.length, 1));
  const plain = (name: string, points: Curve["points"]): Curve[] => [{ name, points }];
  const panels: Panel[] = [
    { title: "Throughput", unit: "MB/s", curves: candidates.map(moved), format: threeDigits },
    {
      title: "A request at the device takes", unit: "ms",
      curves: plain("a request takes", fast(waits)),
      format: (ms) => latency(ms * 1e6),
    },
    {
      title: "Queue", unit: "requests at the device",
      curves: plain("queue", fast((c) => c.queue.map((q) => q / 100))), format: threeDigits,
    },
    {
      title: "Pressure", unit: "% of the time somebody waited", most: 100, format: percent,
      curves: pressure.map((name, k) => ({ name, points: slow((c) => c.pressure[k] ?? []) })),
    },
    {
      title: "Dirty pages", unit: "MB",
      curves: plain("dirty pages", slow((c) => c.dirty)), format: (mb) => `${short(mb)} MB`,
    },
    {
      title: "Temperature", unit: "°C, the hottest sensor", floats: true,
      curves: plain("temperature", slow((c) => c.celsius)), format: (c) => `${short(c)} °C`,
    },
    {
      title: "Clock", unit: "MHz, the slowest",
      curves: plain("clock", slow((c) => c.mhz)), format: (mhz) => `${short(mhz)} MHz`,
    },
    {
      title: "CPU", unit: "% busy, mean of the cores below", most: 100, format: percent,
      curves: plain("CPU", fast(mean)),
    },
  ];
  const has = (p: Panel) => p.curves.some((c) => c.points.some(([, v]) => v !== null));
  return panels.filter(has);
}

const percent = (value: number) => `${Math.round(value)} %`;

function dash(n: number): string {
  const of = DASHES[n % DASHES.length];
  return of === undefined || typeof of === "string" ? "" : of.join(" ");
}

function yAxis(
  i: number, panel: Panel | undefined, run: RunData, one: MachineCell | undefined,
  colors: Palette,
) {
  if (!panel) {
    return bareAxis(colors, {
      gridIndex: i, min: 0, max: run.machine.cpus.length, interval: 1, inverse: true,
    });
  }
  const values = panel.curves.flatMap((c) => c.points.map((p) => p[1] ?? 0));
  let most = panel.most ?? Math.max(...values, 1e-9) * 1.05;
  const question = one && i === 0 ? run.questions[one.question] : undefined;
  if (one && question?.over_time.unit === "MB/s") {
    most = Math.max(most, ...near(question, one.candidate, most).map((c) => c.rate * 1.05));
  }
  const own = { gridIndex: i, min: least(panel), max: most, splitNumber: 2 };
  return axis(colors, own, { formatter: short, showMaxLabel: false });
}

/** Zero, or for what does not begin there the ten below all values. */
function least(panel: Panel): number {
  if (!panel.floats) return 0;
  const values = panel.curves.flatMap((c) => c.points.flatMap((p) => p[1] ?? []));
  return Math.floor(Math.min(...values) / 10) * 10 - 10;
}

function lines(
  panel: Panel, i: number, run: RunData, one: MachineCell | undefined, text: string,
) {
  const question = one && i === 0 ? run.questions[one.question] : undefined;
  const highest = Math.max(...panel.curves.flatMap((c) => c.points.map((p) => p[1] ?? 0)));
  return panel.curves.map((curve, n) => ({
    type: "line",
    name: curve.name,
    xAxisIndex: i,
    yAxisIndex: i,
    data: curve.points,
    showSymbol: false,
    lineStyle: {
      color: curve.candidate === undefined ? text : color(curve.candidate),
      width: 1.3,
      opacity: 0.85,
      type: curve.candidate === undefined ? DASHES[n % DASHES.length] : "solid",
    },
    itemStyle: { color: curve.candidate === undefined ? text : color(curve.candidate) },
    emphasis: { disabled: true },
    ...(one && question?.over_time.unit === "MB/s"
      ? { markLine: ceilingLines(question, one.candidate, highest, HEIGHTS.panel) }
      : {}),
  }));
}

/** A row for each core, filled the more the busier it was. */
function coreSeries(cells: MachineCell[], axis: number, cpus: number[], fill: string) {
  const data = cells.flatMap((cell) => cpus.flatMap((_, row) =>
    cell.fast_ms.map((end, i) => {
      const begin = i === 0 ? 0 : (cell.fast_ms[i - 1] ?? 0);
      const share = Math.min(cell.cpus[row]?.[i] ?? 0, 100);
      return [(cell.at_ms + begin) / 1e3, (cell.at_ms + end) / 1e3, row, share];
    })));
  return {
    type: "custom",
    name: "CPU by core",
    xAxisIndex: axis,
    yAxisIndex: axis,
    clip: true,
    encode: { x: [0, 1], y: 2 },
    data: data.filter((d) => (d[3] ?? 0) > 0),
    renderItem: (_: unknown, api: Api) => {
      const [x, y] = api.coord([api.value(0), api.value(2)]);
      const [right, below] = api.coord([api.value(1), api.value(2) + 1]);
      return {
        type: "rect",
        shape: { x, y: y + 0.5, width: Math.max(right - x, 0.5), height: below - y - 1 },
        style: { fill, opacity: api.value(3) / 100 },
      };
    },
  };
}

/** Everything at a moment. */
function tip(at: number, cells: MachineCell[], panels: Panel[], run: RunData, page: Page) {
  const cell = [...cells].reverse().find((c) => c.at_ms / 1e3 <= at) ?? cells[0];
  const workload = run.questions[cell?.question ?? 0]?.workload ?? "";
  const result: Line[] = panels.flatMap((panel) => panel.curves.flatMap((curve) => {
    if (curve.candidate !== undefined && curve.candidate !== cell?.candidate) return [];
    const value = valueAt(curve.points, at);
    if (value === undefined) return [];
    const { candidate } = curve;
    const text = panel.format(value);
    if (candidate === undefined) return [{ label: nameOf(panel, curve), value: text }];
    return [{ candidate, label: curve.name, value: text }];
  }));
  const name = page.candidates[cell?.candidate ?? 0] ?? "";
  const title = `${threeDigits(at)} s: ${name}, ${workload}, block ${cell?.block ?? 0}`;
  return tooltipBody(title, result);
}

function nameOf(panel: Panel, curve: Curve): string {
  return panel.curves.length > 1 ? `${panel.title}: ${curve.name}` : panel.title;
}

/** The stretch a moment lies in ends at the first point after it. */
function valueAt(points: Curve["points"], at: number): number | undefined {
  const point = points.find(([end, value]) => end >= at && value !== null) ?? undefined;
  return point?.[1] ?? undefined;
}

/** A list of all cells above the chart; calls `changed` with the one that is to be shown. */
export function cellChoice(
  run: RunData, page: Page, changed: (only: number | undefined) => void,
): HTMLElement {
  const label = document.createElement("label");
  label.className = "choice";
  label.append("Show ");
  const select = label.appendChild(document.createElement("select"));
  select.add(new Option("the whole run", ""));
  run.machine.cells.forEach((cell, i) => {
    const workload = run.questions[cell.question]?.workload ?? "";
    const candidate = page.candidates[cell.candidate] ?? "";
    select.add(new Option(`block ${cell.block}: ${candidate}, ${workload}`, String(i)));
  });
  select.addEventListener("change", () =>
    changed(select.value === "" ? undefined : Number(select.value)));
  return label;
}
