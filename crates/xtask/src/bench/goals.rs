//! The figures that were promised, with what was measured and whether that is enough.

use super::fixed::Fixed;
use super::run::Sample;
use super::spread::Spread;
use super::{Results, Series, why};

/// One promised figure.
pub struct Goal {
    /// Of what.
    pub figure: String,
    /// Measured, with its range.
    pub measured: String,
    /// Promised.
    pub target: String,
    /// Whether it is reached.
    pub is_met: bool,
    /// Why not, where that can be said.
    pub why: Option<String>,
}

impl Goal {
    fn because(self, why: impl FnOnce() -> String) -> Goal {
        let why = (!self.is_met).then(why);
        Goal { why, ..self }
    }
}

/// Which way is better.
#[derive(Clone, Copy)]
enum Want {
    AtLeast(f64),
    AtMost(f64),
}

impl Want {
    fn is_met(self, value: f64) -> bool {
        match self {
            Want::AtLeast(least) => value >= least,
            Want::AtMost(most) => value <= most,
        }
    }

    fn label(self) -> String {
        match self {
            Want::AtLeast(least) => format!("at least {least}"),
            Want::AtMost(most) => format!("at most {most}"),
        }
    }
}

fn goal(figure: impl Into<String>, spread: Spread, unit: &str, want: Want) -> Goal {
    let Spread { median, low, high } = spread;
    let range = if low == high { String::new() } else { format!(" ({low:.2} to {high:.2})") };
    Goal {
        figure: figure.into(),
        measured: format!("{median:.2}{range}{unit}"),
        target: format!("{}{unit}", want.label()),
        is_met: want.is_met(median),
        why: None,
    }
}

/// Every figure there is a promise for.
pub fn all(results: &Results, fixed: &Fixed) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (name, count, most) in &fixed.instructions {
        if let Some(most) = most {
            let figure = format!("user instructions per I/O, {name}");
            goals.push(goal(figure, Spread::from_values([*count]), "", Want::AtMost(*most)));
        }
    }
    for (key, peer, least) in RATES {
        let Some((case, ours, theirs)) = results.pair(key, peer) else { continue };
        let ratio = paired(ours, theirs, |sample| sample.iops);
        let goal = goal(format!("rate to {peer}: {case}"), ratio, "", Want::AtLeast(*least));
        goals.push(goal.because(|| why::rate(results, key, ours, theirs, *least)));
    }
    if let Some((case, ours, fio)) = results.pair("direct32", "fio") {
        let user = paired(ours, fio, |sample| sample.user_us);
        let goal_of_user = goal(format!("user CPU to fio: {case}"), user, "", Want::AtMost(0.2));
        let reached = |ours: &Sample, fio: &Sample| ours.user_us / fio.user_us <= 0.2;
        goals.push(goal_of_user.because(|| why::rounds(ours, fio, reached)));
        let cpu = paired(ours, fio, |sample| sample.cpu_us);
        let goal_of_all = goal(format!("all CPU to fio: {case}"), cpu, "", Want::AtMost(0.8));
        goals.push(goal_of_all.because(|| why::cpu(ours, fio, 0.8)));
    }
    if let Some((case, ours, _)) = results.pair("direct1m", "fio") {
        let requests = Spread::from_values(ours.counted(|sample| sample.requests));
        let text = format!("device requests per I/O: {case}");
        goals.push(goal(text, requests, "", Want::AtMost(1.05)));
    }
    let in_flight = |key, depth: f64| {
        let (case, ours, _) = results.pair(key, "fio")?;
        let off = Spread::from_values(ours.counted(|s| (s.in_flight / depth - 1.0).abs() * 100.0));
        Some(goal(format!("mean latency x rate off depth: {case}"), off, " %", Want::AtMost(1.0)))
    };
    let depths = [("psync", 1.0), ("uring", 32.0), ("direct32", 32.0)];
    goals.extend(depths.into_iter().filter_map(|(key, depth)| in_flight(key, depth)));
    if let Some((_, ours, _)) = results.pair("uring", "fio") {
        let buffers = 32.0 * 4096.0;
        let mb = ours.samples.first().map_or(0.0, |s| (s.pss_bytes as f64 - buffers) / 1e6);
        let text = "PSS of all processes while running, without 32 buffers of 4 KiB";
        goals.push(goal(text, Spread::from_values([mb]), " MB", Want::AtMost(10.0)));
    }
    let watching = &fixed.watching;
    let text = format!("CPU of watching the machine, {} sources, of one core", watching.sources);
    goals.push(goal(text, watching.percent, " %", Want::AtMost(0.5)));
    let mb = Spread::from_values([watching.bytes / 1e6]);
    goals.push(goal("memory of watching the machine", mb, " MB", Want::AtMost(3.0)));
    goals.push(goal("process start to first I/O", fixed.first_io_ms, " ms", Want::AtMost(10.0)));
    goals.push(goal("clock reads per I/O, psync", fixed.clock_reads, "", Want::AtMost(1.0)));
    let (making, verifying) = (fixed.fill_gb_per_s, fixed.verify_gb_per_s);
    goals.push(goal("generating data, one core", making, " GB/s", Want::AtLeast(15.0)));
    goals.push(goal("verifying data, one core", verifying, " GB/s", Want::AtLeast(15.0)));
    goals
}

/// Least rates against a peer, by case.
const RATES: &[(&str, &str, f64)] = &[
    ("psync", "fio", 1.2),
    ("uring", "fio", 1.65),
    ("uring", "fio, tuned", 1.25),
    ("read8", "fio", 1.7),
    ("read8", "dd", 1.5),
    ("read8", "bare loop", 0.9),
    ("write8", "fio", 1.7),
    ("write8", "dd", 1.5),
    ("write8", "bare loop", 0.9),
    ("read64", "fio", 1.7),
    ("read64", "dd", 1.5),
    ("read64", "bare loop", 0.9),
    ("write64", "fio", 1.7),
    ("write64", "dd", 1.5),
    ("write64", "bare loop", 0.9),
    ("direct32", "fio", 0.97),
    ("direct1m", "fio", 1.7),
    ("direct1m", "dd", 1.7),
    ("null", "fio", 8.0),
    ("nop", "fio", 8.0),
    ("slow4k", "fio", 1.8),
    ("slow64", "fio", 2.5),
];

/// Ours to theirs, round by round.
pub fn paired(ours: &Series, theirs: &Series, value: impl Fn(&Sample) -> f64) -> Spread {
    let pairs = ours.counted(&value).zip(theirs.counted(&value));
    Spread::from_values(pairs.map(|(ours, theirs)| ours / theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_by_its_median() {
        let spread = Spread { median: 1.7, low: 1.1, high: 2.0 };
        let reached = goal("a rate", spread, "", Want::AtLeast(1.7));
        assert!(reached.is_met);
        assert_eq!(reached.measured, "1.70 (1.10 to 2.00)");
        assert!(!goal("a cost", spread, " MiB", Want::AtMost(1.6)).is_met);
        let exact = goal("a count", Spread::from_values([3.0]), "", Want::AtMost(3.0));
        assert_eq!((exact.measured.as_str(), exact.is_met), ("3.00", true));
    }
}
