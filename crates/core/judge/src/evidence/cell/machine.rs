//! Rules over what the machine did while a cell was measured.
//!
//! Sources: Documentation/admin-guide/pm/cpufreq.rst; ext4(5) and mke2fs(8) on lazy initialisation.

use crate::evidence::clock;
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::{Stack, has_option};
use bakeoff_model::design::Design;
use bakeoff_model::thresholds;
use bakeoff_model::throttled;
use bakeoff_stats::{phrases, units};

pub const SUSPENDED: &str = "suspended";

const SUSPEND_FLOOR_NS: u64 = 1_000_000;

pub fn suspended(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let ns = cell.truth.suspended_ns;
    (ns > SUSPEND_FLOOR_NS).then(|| {
        let evidence = format!("the machine was suspended for {}", units::duration(ns));
        Hit::new(evidence, "keep the machine awake while bakeoff measures")
    })
}

pub const SWAP: &str = "L55";

/// Pages of swap traffic a machine with idle processes shows without being short of memory.
const SWAPPED_FLOOR_PAGES: u64 = 256;

pub fn swap(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let pages = cell.truth.swapped_pages?;
    (pages > SWAPPED_FLOOR_PAGES).then(|| {
        let evidence = format!("{pages} pages were swapped in or out");
        Hit::new(evidence, "free some memory, or use a smaller {size}")
    })
}

pub const BACKGROUND: &str = "L52";

/// Foreign bytes that are never worth a word: one journal commit of a quiet system.
const FOREIGN_FLOOR_BYTES: u64 = 1 << 20;

/// Share of the time the load waits for a CPU from which on it is felt: the smallest tie margin.
const WAITED_SHARE: f64 = 0.02;

pub fn foreign_bytes(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let foreign = cell.truth.foreign_bytes?;
    let own: u64 = m.ops().map(|(_, s)| s.io_bytes).sum();
    let is_much =
        foreign as f64 > own as f64 * thresholds::FOREIGN && foreign >= FOREIGN_FLOOR_BYTES;
    is_much.then(|| {
        let evidence = format!(
            "other processes{} transferred {} while the cell transferred {}",
            by_whom(&cell.truth.foreign_by),
            units::size(foreign),
            units::size(own)
        );
        Hit::common(evidence, "stop other programs that use the drive (see: iotop -o)")
    })
}

/// L52 of the CPUs: others ran, and the load had to wait for them. What runs beside it on a CPU of
/// its own takes nothing from a drive.
pub fn foreign_cpus(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let (m, cpus) = (&cell.measurement, design.host.cpus.max(1));
    let busy = cell.truth.foreign_cpus?;
    let waited = m.waited_ns.map(|ns| ns as f64 / m.elapsed_ns.max(1) as f64);
    let is_much = busy > f64::from(cpus) * thresholds::FOREIGN_CPU;
    (is_much && waited.is_none_or(|share| share > WAITED_SHARE)).then(|| {
        let had_to_wait = waited.map_or(String::new(), |share| {
            format!(", and the load waited for one for {:.0} % of the time", share * 100.0)
        });
        let evidence = format!(
            "other processes{} kept {busy:.1} of {} busy{had_to_wait}",
            by_whom(&cell.truth.foreign_cpus_by),
            phrases::count(cpus, "CPU"),
        );
        Hit::common(evidence, "stop other programs (see: top), then measure again")
    })
}

/// ` (rsync (4711))`: names come from the system and are made harmless where they are read.
fn by_whom(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" ({})", phrases::list(names)) }
}

pub const THROTTLED: &str = "L49";

const COOLER: &str = "use a stronger power supply or better cooling, then measure again";

const PINNED: &str = "performance";

pub fn told_by_firmware(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let bits = cell.telemetry.as_ref()?.throttled_bits();
    (bits != 0).then(|| {
        let words = throttled::labels(bits).join(", ");
        let evidence = format!("the firmware reports: {words} (bits {bits:#x})");
        Hit::new(evidence, COOLER)
    })
}

/// L49 where no firmware speaks: the clock fell from its highest and stayed low, and so did the
/// rate, or it was hot and nothing but heat or power lowers a clock that is pinned.
pub fn lowered_clock(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let t = cell.telemetry.as_ref().filter(|t| t.throttled_bits() == 0)?;
    let stack = cell.candidate.get(design.candidates)?.stack();
    let own = stack.and_then(|stack| stack.knobs.governor.as_deref());
    let all = &design.host.governors;
    let is_pinned = own == Some(PINNED)
        || own.is_none() && !all.is_empty() && all.iter().all(|governor| governor == PINNED);
    let is_hot = clock::is_hot(design.host, t);
    t.frequency_khz.iter().find_map(|gauge| {
        let (low, most) = clock::fell_for_good(gauge, thresholds::CLOCK_FALL)?;
        let with_rate = clock::falls_with_rate(t, gauge, &cell.measurement);
        if !(with_rate || is_hot && is_pinned) {
            return None;
        }
        let heat = t.hottest_mc().map_or(String::new(), |mc| format!(" at {} °C", mc / 1000));
        let rate = if with_rate { ", and the rate fell as well" } else { "" };
        let evidence =
            format!("the clock fell from {} to {} MHz{heat}{rate}", most / 1000, low / 1000);
        Some(Hit::new(evidence, COOLER))
    })
}

pub fn device_error(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let telemetry = cell.telemetry.as_ref()?;
    let first = telemetry.device_errors().next()?;
    let count = telemetry.device_errors().count();
    let evidence = format!("{} ({count} lines in the kernel log)", first.problem.label());
    let advice = "check dmesg, then try another cable, port or power supply";
    Some(Hit::new(evidence, advice))
}

pub fn observer(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let share = cell.telemetry.as_ref()?.cost_share()?;
    (share > thresholds::WATCHING).then(|| {
        let evidence = format!("monitoring took {:.1} % of a CPU", share * 100.0);
        Hit::new(evidence, "stop other monitors, which make /proc slower to read")
    })
}

pub const LAZYINIT: &str = "L53";

/// CPU time from which on a background thread took part: 1 % of the cell.
const THREAD_SHARE: f64 = 0.01;

/// The part of L53 that shows while it happens.
pub fn lazyinit(of: &Observation) -> Option<Hit> {
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

pub fn lazyinit_left(design: Design<'_>) -> Option<Hit> {
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
    use crate::evidence::cell;
    use crate::evidence::cell::testing::{fires, found, seen, watched};
    use crate::rules::tests::before;
    use crate::testing::{RunBuilder, clean_cell, measurement};
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::log_problem::LogProblem;
    use bakeoff_model::telemetry::{Gauge, LogLine, TelemetryCost, ThreadUse};

    #[test]
    fn suspended_for_a_second_and_not_for_the_gap_between_two_clocks() {
        assert_eq!(
            found("randread", 900.0, |_, c| c.truth.suspended_ns = 1_000_000_000),
            ["suspended"]
        );
        assert!(found("randread", 900.0, |_, c| c.truth.suspended_ns = 900_000).is_empty());
    }

    #[test]
    fn l55_swapping_and_the_odd_page() {
        let swapped = |n: u64| move |_: &mut Header, c: &mut Cell| c.truth.swapped_pages = Some(n);
        assert_eq!(found("randread", 900.0, swapped(257)), ["L55"]);
        assert!(found("randread", 900.0, swapped(256)).is_empty());
    }

    #[test]
    fn l52_others_on_the_disk() {
        let foreign = |b: u64| move |_: &mut Header, c: &mut Cell| c.truth.foreign_bytes = Some(b);
        // The cell moves 100 MB.
        assert_eq!(found("seqread", 50e6, foreign(5_300_000)), ["L52"]);
        assert!(found("seqread", 50e6, foreign(4_900_000)).is_empty());
        // A commit of a quiet system is more than 5 % of a cell of small reads, and not worth
        // a word.
        assert!(found("randread", 900.0, foreign(900_000)).is_empty());
    }

    #[test]
    fn l52_others_on_the_cpus_and_others_on_cpus_of_their_own() {
        let busy = |cpus: f64, waited: Option<f64>| {
            move |h: &mut Header, c: &mut Cell| {
                h.host.cpus = 4;
                c.truth.foreign_cpus = Some(cpus);
                c.truth.foreign_cpus_by = vec!["rustc (812)".to_string()];
                let ns = |share| (c.measurement.elapsed_ns as f64 * share) as u64;
                c.measurement.waited_ns = waited.map(ns);
            }
        };
        assert_eq!(found("randread", 900.0, busy(0.21, Some(0.03))), ["L52"]);
        assert_eq!(found("randread", 900.0, busy(0.21, None)), ["L52"]);
        // A little of the CPUs, or as much as you like of CPUs that nobody else wanted.
        assert!(found("randread", 900.0, busy(0.19, Some(0.03))).is_empty());
        assert!(found("randread", 900.0, busy(2.5, Some(0.01))).is_empty());
        let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["randread"]).build();
        let (mut header, measured) =
            (run.header, measurement(&bakeoff_model::workloads::find("randread").unwrap(), 900.0));
        let mut one = clean_cell(measured);
        busy(2.5, Some(0.41))(&mut header, &mut one);
        assert_eq!(
            cell(&header, &one)[0].evidence,
            "other processes (rustc (812)) kept 2.5 of 4 CPUs busy, and the load waited for one \
             for 41 % of the time"
        );
    }

    #[test]
    fn l49_throttled_now_and_only_since_boot() {
        assert!(fires("L49", |_, c| c.telemetry = watched(|t| t.throttled = vec![0, 0x4])));
        assert!(!fires("L49", |_, c| c.telemetry = watched(|t| t.throttled = vec![0x40000])));
    }

    /// A clock of 1.5 GHz at most over four looks, a rate that falls in the middle of the cell or
    /// not, and a temperature.
    fn clock(khz: [u64; 4], with_rate: bool, celsius: u64) -> impl FnOnce(&mut Header, &mut Cell) {
        move |h, c| {
            h.host.governors = vec!["performance".to_string()];
            let windows = &mut c.measurement.windows;
            assert!(windows.len() >= 20, "{}", windows.len());
            let half = windows.len() / 2;
            windows[half..].iter_mut().filter(|_| with_rate).for_each(|w| w.ios /= 2);
            let length_ns = c.measurement.elapsed_ns / 4;
            c.telemetry = watched(|t| {
                t.slow_ns = (1..=4).map(|n| n * length_ns).collect();
                let gauge = |name: &str, most, values: &[u64]| Gauge {
                    name: name.to_string(),
                    most,
                    values: values.to_vec(),
                };
                t.frequency_khz = vec![gauge("policy0", Some(1_500_000), &khz)];
                t.temperature_mc = vec![gauge("cpu", None, &[celsius * 1000; 4])];
            });
        }
    }

    #[test]
    fn l49_a_clock_that_falls_and_one_that_a_governor_moves() {
        const FALLS: [u64; 4] = [1_500_000, 1_500_000, 1_000_000, 1_000_000];
        assert!(fires("L49", clock(FALLS, true, 50)));
        assert!(fires("L49", clock(FALLS, false, 82)));
        let evidence = seen(clock(FALLS, true, 82))[0].evidence.clone();
        assert_eq!(
            evidence,
            "the clock fell from 1500 to 1000 MHz at 82 °C, and the rate fell as well"
        );
        // Neither hot nor felt; hot, and it came back; hot, and less than a tenth.
        assert!(!fires("L49", clock(FALLS, false, 50)));
        assert!(!fires("L49", clock([1_500_000, 1_000_000, 1_000_000, 1_500_000], false, 82)));
        assert!(!fires("L49", clock([1_500_000, 1_500_000, 1_400_000, 1_400_000], false, 82)));
        // Hot, under a governor that lets the clock fall when there is little to do.
        assert!(!fires("L49", |h, c| {
            clock(FALLS, false, 82)(h, c);
            h.host.governors = vec!["ondemand".to_string()];
        }));
        // A low clock from the start was never at its highest.
        assert!(!fires("L49", clock([1_000_000; 4], false, 82)));
    }

    #[test]
    fn device_errors_and_harmless_lines() {
        let line = |problem| LogLine { problem, text: "mmc0: timeout".to_string() };
        let all = [LogProblem::IoError, LogProblem::Reset, LogProblem::Timeout];
        for problem in all.into_iter().filter(|t| t.spoils()) {
            assert!(fires("device-error", |_, c| c.telemetry =
                watched(|t| t.log = vec![line(problem)])));
        }
        assert!(!fires("device-error", |_, c| c.telemetry = watched(|_| {})));
    }

    #[test]
    fn l54_a_costly_observer() {
        let cost = |cpu_ns| TelemetryCost { cpu_ns, ..TelemetryCost::default() };
        assert!(fires("L54", |_, c| c.telemetry = watched(|t| t.cost = cost(60_000_000))));
        assert!(!fires("L54", |_, c| c.telemetry = watched(|t| t.cost = cost(30_000_000))));
    }

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
