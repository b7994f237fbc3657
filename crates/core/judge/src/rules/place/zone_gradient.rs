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
