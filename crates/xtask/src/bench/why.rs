//! Why a figure is not reached, by what was measured beside it.
//!
//! A reason holds for the machine it was measured on: what the bare loop of the same calls reaches
//! there, or what the kernel takes of an I/O. Where neither forbids the figure, how many rounds
//! reached it is all there is to say.

use super::goals::paired;
use super::run::Sample;
use super::spread::Spread;
use super::{Results, Series};

/// Part of the time from which on the processor is what an access pattern waits for.
const BUSY: f64 = 0.9;

/// Why the rate of `ours` is not `least` times that of `theirs`, in the case `key`.
pub fn rate(results: &Results, key: &str, ours: &Series, theirs: &Series, least: f64) -> String {
    if let Some((_, _, bare)) = results.pair(key, "bare loop") {
        let limit = paired(bare, theirs, |sample| sample.iops).median;
        if limit < least {
            return format!(
                "the bare loop of the same calls, without clock and latencies, reaches {limit:.2}"
            );
        }
    }
    let ratio = paired(ours, theirs, |sample| sample.iops);
    let all_us = middle(ours, |sample| sample.cpu_us);
    let kernel_us = middle(ours, kernel_us);
    let limit = ratio.median * all_us / kernel_us;
    if middle(ours, |sample| sample.cpu_us * sample.iops / 1e6) >= BUSY && limit < least {
        return format!(
            "{kernel_us:.3} of {all_us:.3} µs per I/O are kernel time, which limits the ratio to \
             {limit:.2}"
        );
    }
    let reached = |ours: &Sample, theirs: &Sample| ours.iops / theirs.iops >= least;
    rounds(ours, theirs, reached)
}

/// Why all the CPU time of an I/O of `ours` is more than `most` times that of `theirs`.
pub fn cpu(ours: &Series, theirs: &Series, most: f64) -> String {
    let pairs = ours.counted(kernel_us).zip(theirs.counted(|sample| sample.cpu_us));
    let kernel = Spread::from_values(pairs.map(|(ours, theirs)| ours / theirs)).median;
    if kernel > most {
        return format!("the kernel's part of ours alone is {kernel:.2} of all of theirs");
    }
    rounds(ours, theirs, |ours, theirs| ours.cpu_us / theirs.cpu_us <= most)
}

/// In how many rounds it was reached.
pub fn rounds(
    ours: &Series,
    theirs: &Series,
    reached: impl Fn(&Sample, &Sample) -> bool,
) -> String {
    let pairs = ours.samples.iter().zip(&theirs.samples).skip(1);
    let (count, of) = (pairs.clone().filter(|(a, b)| reached(a, b)).count(), pairs.count());
    format!("reached in {count} of {of} rounds")
}

fn kernel_us(sample: &Sample) -> f64 {
    sample.cpu_us - sample.user_us
}

fn middle(series: &Series, value: impl Fn(&Sample) -> f64) -> f64 {
    Spread::from_values(series.counted(value)).median
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Case, Contender, Tool};
    use super::*;

    fn series(name: &'static str, samples: &[(f64, f64, f64)]) -> Series {
        let (argv, env) = (Vec::new(), Vec::new());
        let contender = Contender { name, tool: Tool::Fio, argv, env };
        let sample =
            |&(iops, cpu_us, user_us)| Sample { iops, cpu_us, user_us, ..Sample::default() };
        // The warm-up does not count.
        let warm_up = std::iter::once(Sample { iops: 1e9, ..Sample::default() });
        Series { contender, samples: warm_up.chain(samples.iter().map(sample)).collect() }
    }

    fn why(series: Vec<Series>, least: f64) -> String {
        let case = Case { key: "key", name: "name", is_cached: true, contenders: Vec::new() };
        let results = Results(vec![(case, series)]);
        let (_, ours, theirs) = results.pair("key", "fio").unwrap();
        rate(&results, "key", ours, theirs, least)
    }

    #[test]
    fn the_first_thing_that_forbids_it_is_the_reason() {
        let ours = || series("bakeoff", &[(1e6, 1.0, 0.2), (1e6, 1.0, 0.2)]);
        let fio = || series("fio", &[(5e5, 2.0, 1.0), (4e5, 2.0, 1.0)]);
        let bare = || series("bare loop", &[(1.1e6, 0.9, 0.1), (1.1e6, 0.9, 0.1)]);
        let said = why(vec![ours(), fio(), bare()], 3.0);
        assert!(said.ends_with("without clock and latencies, reaches 2.48"), "{said}");
        // The bare loop would do, but for our own part there is room in the CPU time of an I/O.
        let said = why(vec![ours(), fio(), bare()], 2.4);
        assert_eq!(said, "reached in 1 of 2 rounds");
        let said = why(vec![ours(), fio()], 3.0);
        assert_eq!(
            said,
            "0.800 of 1.000 µs per I/O are kernel time, which limits the ratio to 2.81"
        );
        // Where the drive is waited for, CPU time forbids nothing.
        let idle = series("bakeoff", &[(1e6, 0.1, 0.0), (1e6, 0.1, 0.0)]);
        assert_eq!(why(vec![idle, fio()], 3.0), "reached in 0 of 2 rounds");
    }

    #[test]
    fn the_kernels_part_may_be_too_much_by_itself() {
        let ours = series("bakeoff", &[(1.0, 0.9, 0.05)]);
        let theirs = series("fio", &[(1.0, 1.0, 0.3)]);
        assert_eq!(
            cpu(&ours, &theirs, 0.8),
            "the kernel's part of ours alone is 0.85 of all of theirs"
        );
        assert_eq!(cpu(&ours, &theirs, 0.89), "reached in 0 of 1 rounds");
    }
}
