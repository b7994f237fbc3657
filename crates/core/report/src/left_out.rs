//! Why a candidate or a workload is left out, in words, as a run records it.

use bakeoff_judge::decide::limits::{Dropped, Limit, OverLimit};
use bakeoff_machine::setup::lacking::NoDriver;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

pub fn failed(name: impl Into<String>, error: &str) -> Skipped {
    Skipped { name: name.into(), reason: sanitize(error) }
}

pub fn lines(all: &[Skipped]) -> String {
    all.iter().map(|one| format!("\n  {}: {}", one.name, one.reason)).collect()
}

/// A workload that does not fit into the limits of a run.
pub fn dropped(dropped: &Dropped) -> Skipped {
    let count =
        if dropped.is_of_rounds { format!("{} of each", looks(dropped)) } else { looks(dropped) };
    let (needs, enough) = exceeds(&format!("{count} with all workloads"), dropped.limit);
    Skipped { name: dropped.name.clone(), reason: format!("{needs}; {enough} is enough") }
}

pub fn unfit(error: &OverLimit) -> String {
    match error {
        OverLimit::Nothing => "nothing to measure: no candidate or no workload is left".to_string(),
        OverLimit::First(first) => {
            let what = format!("{} of '{}'", looks(first), first.name);
            let (needs, enough) = exceeds(&what, first.limit);
            format!("{needs}; use {enough}")
        }
    }
}

/// "5 blocks": what must be measured before anything can be said.
fn looks(of: &Dropped) -> String {
    phrases::count(of.first_look, if of.is_of_rounds { "round" } else { "block" })
}

/// How much something exceeds a limit by, and the option that would raise it.
fn exceeds(what: &str, limit: Limit) -> (String, String) {
    match limit {
        Limit::Time { needed_ns, limit_ns } => (
            format!(
                "{what} take about {}, and the limit is {}",
                units::duration(needed_ns),
                units::duration(limit_ns)
            ),
            format!("--time {}s", needed_ns.div_ceil(1_000_000_000)),
        ),
        Limit::Bytes { needed_bytes, limit_bytes } => (
            format!(
                "{what} write about {}, and the limit is {}",
                units::size(needed_bytes),
                units::size(limit_bytes)
            ),
            format!("--max-write {}m", needed_bytes.div_ceil(1 << 20)),
        ),
    }
}

/// Filesystems that the kernel lacks: one reason for all that one kernel helps, so that they are
/// reported together.
pub fn no_drivers(all: &[NoDriver]) -> Vec<Skipped> {
    let worded = |(of, names): (NoDriver, Vec<String>)| {
        let reason = format!("not in this kernel ({}). {}", of.kernel, of.remedy);
        names.into_iter().map(move |name| Skipped { name, reason: reason.clone() })
    };
    NoDriver::together(all).into_iter().flat_map(worded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::setup::kernels::Remedy;

    fn line(skipped: Skipped) -> String {
        format!("{}: {}\n", skipped.name, skipped.reason)
    }

    #[test]
    fn every_reason_in_words() {
        let time = Limit::Time { needed_ns: 150_000_000_000, limit_ns: 100_000_000_000 };
        let bytes = Limit::Bytes { needed_bytes: 1100 << 20, limit_bytes: 500 << 20 };
        let of = |limit, is_of_rounds| Dropped {
            name: "seqwrite".into(),
            first_look: 5,
            is_of_rounds,
            limit,
        };
        let dropped = [of(time, false), of(time, true), of(bytes, false)].map(|d| dropped(&d));
        let none = |fs: &str| NoDriver {
            fs: fs.to_string(),
            kernel: "6.12.0".to_string(),
            remedy: Remedy::Kernel("Update the kernel".to_string()),
        };
        let none = no_drivers(&["f2fs", "jfs"].map(none));
        let all = dropped.into_iter().chain(none);
        let lines: String = all.map(line).collect();
        insta::assert_snapshot!(lines);
    }

    #[test]
    fn one_workload_stays_or_the_error_says_what_would_be_enough() {
        let first = |limit| {
            let name = "randwrite".to_string();
            unfit(&OverLimit::First(Dropped { name, first_look: 5, is_of_rounds: false, limit }))
        };
        assert_eq!(
            first(Limit::Time { needed_ns: 60_000_000_000, limit_ns: 20_000_000_000 }),
            "5 blocks of 'randwrite' take about 1 min, and the limit is 20 s; use --time 60s"
        );
        let bytes = first(Limit::Bytes { needed_bytes: 200 << 20, limit_bytes: 10 << 20 });
        assert!(bytes.contains("--max-write 200m"), "{bytes}");
    }
}
