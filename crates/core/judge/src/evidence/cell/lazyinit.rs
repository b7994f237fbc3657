//! L53 lazyinit: ext4 initialises its inode tables during the measurement.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Stack;
use bakeoff_model::candidate::has_option;
use bakeoff_model::design::Design;
use bakeoff_stats::phrases;

pub const ID: &str = "L53";

/// CPU time from which on a background thread took part: 1 % of the cell.
const THREAD_SHARE: f64 = 0.01;

/// The part of L53 that shows while it happens.
pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let threads = &cell.telemetry.as_ref()?.threads;
    let lazy = threads.iter().find(|t| t.name == "ext4lazyinit")?;
    let share = lazy.cpu_ns as f64 / cell.measurement.elapsed_ns.max(1) as f64;
    (share > THREAD_SHARE).then(|| {
        let evidence =
            format!("ext4lazyinit took {:.1} % of a CPU during the measurement", share * 100.0);
        let advice = "wait until ext4lazyinit ends (see: ps -e), or use mkfs.ext4 -E \
                      lazy_itable_init=0";
        Hit::common(evidence, advice)
    })
}

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let stacks: Vec<(&str, &Stack)> = design.stacks().collect();
    let is_lazy = |s: &Stack| {
        s.fs.starts_with("ext")
            && (has_option(&s.mkfs, "lazy_itable_init=1")
                || has_option(&s.mkfs, "lazy_journal_init=1"))
    };
    let names: Vec<String> =
        stacks.iter().filter(|(_, s)| is_lazy(s)).map(|(n, _)| n.to_string()).collect();
    (!names.is_empty()).then(|| {
        let evidence = format!(
            "mkfs of {} leaves inode tables to be initialised later",
            phrases::list(&names)
        );
        let advice = "use -E lazy_itable_init=0,lazy_journal_init=0, as plans do by default";
        Hit::common(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::{fires, watched};
    use crate::rules::tests::before;
    use bakeoff_model::telemetry::ThreadUse;

    #[test]
    fn l53_a_thread_that_zeroes_and_one_that_sleeps() {
        let lazy = |cpu_ns| ThreadUse { name: "ext4lazyinit".to_string(), cpu_ns };
        assert!(fires("L53", |_, c| c.telemetry = watched(|t| t.threads = vec![lazy(200_000_000)])));
        assert!(!fires("L53", |_, c| c.telemetry = watched(|t| t.threads = vec![lazy(1_000_000)])));
    }

    #[test]
    fn l53_tables_left_for_later_and_tables_made_by_mkfs() {
        let lazy = |word: &'static str| {
            let run = before::with(|h| before::stack(h, 0).mkfs = vec!["-E".into(), word.into()]);
            before::fires("L53", &run)
        };
        assert!(lazy("nodiscard,lazy_itable_init=1"));
        assert!(!lazy("lazy_itable_init=0"));
    }
}
