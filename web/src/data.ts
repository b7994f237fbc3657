// The numbers of the page as they are embedded in it: a JSON block, and the raw windows in the
// tables of cells, so that nothing stands in the file twice.

export interface Page {
  candidates: string[];
  runs: RunData[];
}

export interface RunData {
  tie_margin: number;
  questions: Question[];
  sweeps: Sweep[];
  machine: Machine;
}

/** A rate with the interval of its mean. */
export interface Absolute {
  mid: number;
  low: number;
  high: number;
}

/** Workloads that differ in one number only. */
export interface Sweep {
  unit: string;
  is_size: boolean;
  curves: { candidate: number; points: [number, Absolute][] }[];
}

/** The machine during the cells of a run. */
export interface Machine {
  cells: MachineCell[];
  /** Numbers of the CPUs whose series the cells have. */
  cpus: number[];
}

/** One cell; series of what the machine lacks are empty. */
export interface MachineCell {
  question: number;
  candidate: number;
  block: number;
  at_ms: number;
  /** [end of the window in ms, bytes a second] */
  moved: [number, number][];
  fast_ms: number[];
  wait_us: (number | null)[];
  /** Hundredths of requests. */
  queue: number[];
  /** For each CPU its percent. */
  cpus: number[][];
  slow_ms: number[];
  /** Percent somebody waited for CPU, I/O, memory; everybody for I/O. */
  pressure: number[][];
  dirty: number[];
  celsius: number[];
  mhz: number[];
}

/** What a lower layer reaches, in the unit of `over_time`. */
export interface Ceiling {
  layer: string;
  candidate: number | null;
  rate: number;
}

export interface Question {
  workload: string;
  unit: string;
  is_ratio: boolean;
  reference: number | null;
  rows: Row[];
  over_time: { field: "bytes" | "ios"; per: number; unit: string };
  latency: Latency[];
  ceilings: Ceiling[];
  /** The rate along slices as shares of their figures: settling, then counted. */
  along: { candidate: number; shares: (number | null)[] }[];
}

export interface Row {
  candidate: number;
  mid: number | null;
  low: number | null;
  high: number | null;
  /** [block, ratio or rate] */
  dots: [number, number][];
  absolute: Absolute | null;
  /** The mean as the table has it. */
  figure: string;
}

export interface Latency {
  op: string;
  curves: Curve[];
}

export interface Curve {
  candidate: number;
  count: number;
  /** Latency at 0, 0.05, 0.1, … nines. */
  ns: number[];
}

/** One cell over time. */
export interface Series {
  candidate: number;
  block: number;
  /** [middle of the window in seconds, rate] */
  points: [number, number][];
}

export function readPage(): Page {
  const block = document.getElementById("bakeoff-data");
  return JSON.parse(block?.textContent ?? '{"candidates":[],"runs":[]}') as Page;
}

/** The windows of every cell of a workload that counts, as rates in the question's unit. */
export function readSeries(run: number, index: number, question: Question): Series[] {
  const selector = `pre[data-run="${run}"][data-question="${index}"][data-counts="true"]`;
  const { field, per } = question.over_time;
  return Array.from(document.querySelectorAll<HTMLElement>(selector), (pre) => ({
    candidate: Number(pre.dataset.candidate),
    block: Number(pre.dataset.block),
    points: readWindows(pre.textContent ?? "", field, per),
  }));
}

/** A window shorter than this part of the one before, as the last one may be, is added to it: its
 * own rate would be that of one operation or none. */
const SHORT = 0.3;

function readWindows(text: string, field: "bytes" | "ios", per: number): [number, number][] {
  const windows: { start: number; length: number; done: number }[] = [];
  for (const line of text.split("\n")) {
    const [start, length, read, write, ios] = line.split(",").map(Number);
    if (start === undefined || !length || read === undefined || write === undefined) continue;
    const done = field === "bytes" ? read + write : (ios ?? 0);
    const last = windows[windows.length - 1];
    if (last && length < last.length * SHORT) {
      last.length += length;
      last.done += done;
    } else {
      windows.push({ start, length, done });
    }
  }
  return windows.map(({ start, length, done }) => [
    (start + length / 2) / 1e9,
    (done * 1e9) / length / per,
  ]);
}
