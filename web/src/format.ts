// Numbers for people, rounded as the tables round them.

export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

/** An axis value: no digits that say nothing. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

export function latency(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${threeDigits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${threeDigits(ns / 1e6)} ms`;
  return `${threeDigits(ns / 1e9)} s`;
}

/** A ratio as a difference: `−8 %`, `same`, `×3`. */
export function difference(ratio: number, digits = 0): string {
  if (ratio >= 2.005) return `×${Number(ratio.toPrecision(2))}`;
  const text = ((ratio - 1) * 100).toFixed(digits);
  if (Number(text) === 0) return "same";
  return `${text.startsWith("-") ? "−" : "+"}${text.replace("-", "")} %`;
}

/** Percentile on the axis of nines: 0.301 is p50, 2 is p99. */
export function percentile(nines: number): string {
  const percent = 100 * (1 - 10 ** -nines);
  const digits = Math.max(0, Math.ceil(nines) - 2);
  return `p${Number(percent.toFixed(digits === 0 ? (percent < 90 ? 0 : 1) : digits + 1))}`;
}
