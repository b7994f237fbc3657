//! Why a workload is left out, in words, as a run records it.

use crate::decide::fit::{Dropped, Limit, seconds_up};
use crate::model::candidate::Skipped;
use crate::prepare::capacity::{Files, TooLarge};
use crate::{phrases, units};

/// A workload that does not fit into the limits of a run.
pub fn dropped(dropped: &Dropped) -> Skipped {
    let blocks = match dropped.is_of_rounds {
        true => format!("{} of each", phrases::count(dropped.first_look, "round")),
        false => phrases::count(dropped.first_look, "block"),
    };
    let reason = match dropped.limit {
        Limit::Time { needed_ns, limit_ns } => format!(
            "{blocks} with all workloads take about {}, and the limit is {}; --time {}s is enough",
            units::duration(needed_ns),
            units::duration(limit_ns),
            seconds_up(needed_ns)
        ),
        Limit::Bytes { needed_bytes, limit_bytes } => format!(
            "{blocks} with all workloads write about {}, and the limit is {}; --max-write {}m is \
             enough",
            units::size(needed_bytes),
            units::size(limit_bytes),
            needed_bytes.div_ceil(1 << 20)
        ),
    };
    Skipped { name: dropped.name.clone(), reason }
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
        let lines: String = dropped.into_iter().chain(large).map(line).collect();
        insta::assert_snapshot!(lines);
    }
}
