//! Why a candidate or a workload is left out, in words, as a run records it.

use super::lacking;
use crate::decide::fit::{Dropped, FitError, Limit};
use crate::model::candidate::Skipped;
use crate::model::path::sanitize;
use crate::plan::left_out::{DroppedWorkload, NoCandidate, NoRecipe, SkippedStack};
use crate::prepare::capacity::{Files, TooLarge};
use crate::prepare::images::NoImage;
use crate::setup::lacking::{Lacking, NoDriver};
use crate::{phrases, units};

/// Something that failed, in the words of its error.
pub fn failed(name: impl Into<String>, error: &str) -> Skipped {
    Skipped { name: name.into(), reason: sanitize(error) }
}

/// A line for each, below the error that nothing is left.
pub fn lines(all: &[Skipped]) -> String {
    all.iter().map(|one| format!("\n  {}: {}", one.name, one.reason)).collect()
}

/// A workload that does not fit into the limits of a run.
pub fn dropped(dropped: &Dropped) -> Skipped {
    let count = match dropped.is_of_rounds {
        true => format!("{} of each", looks(dropped)),
        false => looks(dropped),
    };
    let (needs, enough) = exceeds(&format!("{count} with all workloads"), dropped.limit);
    Skipped { name: dropped.name.clone(), reason: format!("{needs}; {enough} is enough") }
}

/// Not even one workload fits.
pub fn unfit(error: &FitError) -> String {
    match error {
        FitError::Nothing => "nothing to measure: no candidate or no workload is left".to_string(),
        FitError::First(first) => {
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

/// A stack of a plan that is no candidate.
pub fn stack(skipped: &SkippedStack) -> Skipped {
    let reason = match &skipped.why {
        NoCandidate::Duplicate => "identical to the earlier candidate of that name".to_string(),
        NoCandidate::Impossible(recipes) => {
            recipes.iter().map(no_recipe).collect::<Vec<_>>().join("; ")
        }
    };
    Skipped { name: skipped.name.clone(), reason }
}

fn no_recipe(why: &NoRecipe) -> String {
    match why {
        NoRecipe::Small { recipe, needed_bytes, region_bytes } => format!(
            "{recipe} needs a region of {}; this one has {}",
            units::size(*needed_bytes),
            units::size(*region_bytes)
        ),
        NoRecipe::Lacking(what) => lacking::lacking(what),
    }
}

/// A workload of a plan that is not measured.
pub fn workload(dropped: &DroppedWorkload) -> Skipped {
    Skipped { name: dropped.name.clone(), reason: dropped.why.to_string() }
}

/// A filesystem for which something is missing here.
pub fn lacks(name: &str, what: &Lacking) -> Skipped {
    Skipped { name: name.to_string(), reason: lacking::lacking(what) }
}

/// Filesystems that the kernel lacks: one reason for all that one kernel helps, so that they are
/// reported together.
pub fn no_drivers(all: &[NoDriver]) -> Vec<Skipped> {
    let worded = |(of, names): (NoDriver, Vec<String>)| {
        let remedy = lacking::remedy(&of.remedy);
        let reason = format!("not in this kernel ({}). {remedy}", of.kernel);
        names.into_iter().map(move |name| Skipped { name, reason: reason.clone() })
    };
    NoDriver::together(all).into_iter().flat_map(worded).collect()
}

/// A candidate that gets no image.
pub fn no_image(name: &str, why: &NoImage) -> Skipped {
    let beside = |why: &str| format!("its image does not fit in addition to the others: {why}");
    let reason = match why {
        NoImage::Time { bytes_per_s, enough_s } => beside(&format!(
            "writing it at {} takes too long. Allow more time: --time {enough_s}s",
            units::rate(*bytes_per_s)
        )),
        NoImage::Bytes { enough_bytes } => beside(&format!(
            "it would exceed the write limit. Raise the limit: --max-write {}m",
            enough_bytes >> 20
        )),
        NoImage::Space => beside("not enough free space. Use a directory with more free space"),
        NoImage::Control => "not enough space for a control in addition to the others".to_string(),
    };
    Skipped { name: name.to_string(), reason }
}

/// A workload that has no room on a candidate.
pub fn too_large(found: &TooLarge) -> Skipped {
    let (what, smaller) = match found.files {
        Files::Count(count) => (format!("{count} files"), "fewer files (nrfiles)"),
        Files::Sized => ("its files".to_string(), "a smaller size"),
    };
    let larger = found.enough_bytes.map_or("Use ".to_string(), |region| {
        format!("Set size = \"{}m\" under [region], or use ", region >> 20)
    });
    let reason = format!(
        "{what} and a data file of {} need at least {}, but {} leaves at most {} free in a region \
         of {}. {larger}{smaller}",
        units::size(found.data_bytes),
        units::size(found.needed_bytes),
        found.candidate,
        units::size(found.left_bytes),
        units::size(found.region_bytes),
    );
    Skipped { name: format!("{} on {}", found.workload, found.candidate), reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::kernels::{Package, Remedy};

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
        let large = |files, enough_bytes| TooLarge {
            workload: "bonnie".into(),
            candidate: "f2fs".into(),
            files,
            data_bytes: 16 << 20,
            needed_bytes: 80 << 20,
            left_bytes: 68 << 20,
            region_bytes: 128 << 20,
            enough_bytes,
        };
        let large = [
            large(Files::Count(16384), Some(192 << 20)),
            large(Files::Sized, Some(192 << 20)),
            large(Files::Sized, None),
        ];
        let large = large.map(|found| too_large(&found));
        let images = [
            NoImage::Time { bytes_per_s: 20e6, enough_s: 154 },
            NoImage::Bytes { enough_bytes: 5120 << 20 },
            NoImage::Space,
            NoImage::Control,
        ];
        let images = images.map(|why| no_image("xfs", &why));
        let small =
            NoRecipe::Small { recipe: "ntfs3", needed_bytes: 300 << 20, region_bytes: 200 << 20 };
        let lacks = NoRecipe::Lacking(Lacking::FuseDevice);
        let stacks = [NoCandidate::Duplicate, NoCandidate::Impossible(vec![small, lacks])];
        let stacks = stacks.map(|why| stack(&SkippedStack { name: "ntfs".to_string(), why }));
        let none = |fs: &str| NoDriver {
            fs: fs.to_string(),
            kernel: "6.12.0".to_string(),
            remedy: Remedy::Package(Package::Fedora),
        };
        let none = no_drivers(&["f2fs", "jfs"].map(none));
        let all = dropped.into_iter().chain(large).chain(images).chain(stacks).chain(none);
        let lines: String = all.map(line).collect();
        insta::assert_snapshot!(lines);
    }

    #[test]
    fn one_workload_stays_or_the_error_says_what_would_be_enough() {
        let first = |limit| {
            let name = "randwrite".to_string();
            unfit(&FitError::First(Dropped { name, first_look: 5, is_of_rounds: false, limit }))
        };
        assert_eq!(
            first(Limit::Time { needed_ns: 60_000_000_000, limit_ns: 20_000_000_000 }),
            "5 blocks of 'randwrite' take about 1 min, and the limit is 20 s; use --time 60s"
        );
        let bytes = first(Limit::Bytes { needed_bytes: 200 << 20, limit_bytes: 10 << 20 });
        assert!(bytes.contains("--max-write 200m"), "{bytes}");
    }
}
