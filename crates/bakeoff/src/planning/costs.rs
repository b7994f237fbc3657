//! Time and bytes that a plan on its targets will take.

use bakeoff_judge::plan::Expanded;
use bakeoff_judge::plan::budget::{RegionCost, Speed, estimate};
use bakeoff_model::event::FlashState;
use bakeoff_report::plan::EstimateView;

use crate::places::targets::Wanted;

pub fn costs(made: &Expanded, targets: &[Wanted]) -> Option<EstimateView> {
    let site = |wanted: &Wanted| RegionCost {
        speed: Speed::assumed_for(wanted.target.place.disks().next()),
        region_bytes: wanted.span.size_bytes,
        is_overwritten: wanted.flash_state == FlashState::Overwritten,
    };
    let sites: Vec<RegionCost> = targets.iter().map(site).collect();
    let limit = made.protocol.max_write_bytes;
    let slowest = sites.iter().map(|s| s.speed).min_by_key(|s| s.write_bytes_per_s);
    let (costs, speed) = estimate(made, &sites, limit).zip(slowest)?;
    Some(EstimateView::new(costs, speed, limit))
}
