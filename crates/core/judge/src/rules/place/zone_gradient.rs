//! L02 zone-gradient: the speed of a hard disk changes by 5 % or more over its region, as estimated
//! from its size or measured by reading.

use super::{drive, is_hard_disk};
use crate::evidence::rule::Hit;
use bakeoff_machine::prepare::region::gradient;
use bakeoff_model::design::Design;
use bakeoff_model::event::Region;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::Run;
use bakeoff_model::thresholds;
use bakeoff_stats::units;

const ZONE_LOSS: f64 = 0.33;

const ADVICE: &str = "use a smaller [region] size, in the part of the drive that you need";

pub fn in_plan(design: Design<'_>) -> Vec<Hit> {
    design.regions().filter_map(by_size).collect()
}

fn by_size(region: &Region) -> Option<Hit> {
    let drive = drive(&region.place).filter(|d| d.size_bytes > 0)?;
    let change = ZONE_LOSS * region.size_bytes as f64 / drive.size_bytes as f64;
    (is_hard_disk(drive) && change >= thresholds::GRADIENT).then(|| {
        let evidence = format!(
            "a region of {} on a hard disk of {}: the speed differs by about {:.0} % between its \
             first and last track",
            units::size(region.size_bytes),
            units::size(drive.size_bytes),
            change * 100.0
        );
        Hit::new(evidence, ADVICE)
    })
}

pub fn in_run(run: &Run) -> Vec<Hit> {
    run.header.regions().enumerate().filter_map(|(i, of)| surveyed(run, i, of)).collect()
}

fn surveyed(run: &Run, index: usize, region: &Region) -> Option<Hit> {
    let candidates = &run.header.candidates;
    let on_it = CandidateIx::each(candidates).find(|(_, c)| usize::from(c.region) == index)?.0;
    let change = gradient(&run.positions(on_it), region.size_bytes);
    (change >= thresholds::GRADIENT).then(|| {
        let evidence = format!(
            "{}: the read speed of the region of {} changes by {:.0} % from one end to the other",
            region.target,
            units::size(region.size_bytes),
            change * 100.0
        );
        Hit::new(evidence, ADVICE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::rules::tests::before::{disk_of, fires, with};
    use crate::rules::tests::session::at;
    use crate::rules::tests::told;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::{Position, What};
    use bakeoff_model::index::RegionIx;

    #[test]
    fn l02_a_region_over_much_of_a_hard_disk_and_a_small_one() {
        let on = |bus: &'static str, size: u64, rotational| {
            with(move |h| {
                let region = h.region.as_mut().expect("a region");
                region.size_bytes = size;
                let drive = disk_of(&mut region.place);
                (drive.rotational, drive.bus) = (Some(rotational), Some(bus.to_string()));
            })
        };
        let sized = |size, rotational| on("ata", size, rotational);
        assert!(fires("L02", &sized(12 << 30, true)), "a fifth of 64 GiB");
        assert!(!fires("L02", &sized(8 << 30, true)));
        assert!(!fires("L02", &sized(12 << 30, false)));
        // A virtual disk says that it rotates, and a difference of 2.3 times was refused on one.
        assert!(!fires("L02", &on("virtio", 12 << 30, true)));
    }

    fn with_survey(percent: f64) -> Run {
        let position = |i: u64| Position {
            offset_bytes: i << 29,
            bytes_per_s: 1e8 * (1.0 + percent / 100.0 * (0.5 - i as f64 / 8.0)),
        };
        let run = RunBuilder::stacks(&["a", "b"]);
        run.header(|h| h.region.as_mut().unwrap().is_image = false)
            .event(What::Surveyed {
                region: RegionIx::FIRST,
                positions: (0..8).map(position).collect(),
            })
            .play(5, at(&[1e6, 1e6]))
            .build()
    }

    #[test]
    fn l02_a_region_whose_reads_change_by_five_percent_and_one_of_four() {
        let told = |percent| told(&analyse(&with_survey(percent)).findings, "L02");
        let found = told(5.8).unwrap();
        assert!(found.evidence.contains("changes by 6 % from one end"), "{found:?}");
        assert_eq!(told(4.5), None);
    }
}
