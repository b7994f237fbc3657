//! The layers below a cell, and which of them it stands on.

use super::seen::Seen;
use crate::boards;
use crate::model::candidate::Candidate;
use crate::model::ceiling::Layer;
use crate::model::clue::OfLayer;
use crate::model::job::Rw;
use crate::model::workload::Metric;
use crate::prepare::region;

/// A cell at this share of a layer or more is bound by it.
pub const BOUND: f64 = 0.9;

/// One layer below a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which layer.
    pub layer: Layer,
    /// What it reaches, in the workload's metric.
    pub rate: f64,
    /// The cell's rate as a share of it.
    pub share: f64,
    /// Bytes a second, where it was measured.
    pub bytes_per_s: f64,
}

/// Every layer that is known for a cell, lowest first.
pub fn of(seen: &Seen) -> Vec<Step> {
    let rate = seen.rate();
    let index = (seen.cell.workload, seen.cell.candidate);
    let known = seen.ceilings.measured.iter().filter(|r| {
        r.workload == index.0 && r.candidate.is_none_or(|c| c == index.1) && r.rate > 0.0
    });
    let mut all: Vec<(Layer, f64, f64)> = known.map(|r| (r.layer, r.rate, r.bytes_per_s)).collect();
    let is_data =
        matches!(seen.workload.metric, Metric::Bandwidth | Metric::Iops | Metric::LatencyP99);
    if is_data {
        let link = seen.link_bytes_per_s().map(|b| (Layer::Link, seen.in_metric(b), b));
        let practice = practice_bytes_per_s(seen);
        all.extend(link);
        all.extend(practice.map(|b| (Layer::LinkPractice, seen.in_metric(b), b)));
        all.extend(ends(seen));
    }
    let step = |(layer, r, bytes_per_s)| Step { layer, rate: r, share: rate / r, bytes_per_s };
    let mut steps: Vec<Step> = all.into_iter().map(step).collect();
    steps.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.layer.cmp(&b.layer)));
    steps
}

/// Requests of that size take the time their bytes take, as those of the survey do.
const LARGE_BYTES: u64 = 256 << 10;

/// The two ends of a region that differ, for reads of the kind that the survey made.
fn ends(seen: &Seen) -> Vec<(Layer, f64, f64)> {
    let job = seen.job();
    let size_bytes = seen.header.region.as_ref().map_or(0, |region| region.size_bytes);
    let is_comparable = job.rw == Rw::Read && job.bs >= LARGE_BYTES && job.numjobs == 1;
    let is_steep = region::gradient(&seen.positions, size_bytes) > region::GRADIENT_MAX;
    let (Some(first), Some(last)) = (seen.positions.first(), seen.positions.last()) else {
        return Vec::new();
    };
    match is_comparable && is_steep {
        true => [(Layer::Start, first), (Layer::End, last)]
            .map(|(layer, p)| (layer, seen.in_metric(p.bytes_per_s), p.bytes_per_s))
            .to_vec(),
        false => Vec::new(),
    }
}

/// What others measured over the only link of a place on this board.
fn practice_bytes_per_s(seen: &Seen) -> Option<f64> {
    let mut disks = seen.layers();
    let (disk, more) = (disks.next()?, disks.next());
    let model = seen.header.host.model.as_deref();
    if more.is_some() { None } else { boards::practice_bytes_per_s(model, disk) }
}

/// The layer of a layer.
pub fn find(steps: &[Step], layer: Layer) -> Option<&Step> {
    steps.iter().find(|step| step.layer == layer)
}

/// The name of the filesystem that is measured; `None` where it is not known.
pub fn filesystem(seen: &Seen) -> Option<String> {
    let candidate = seen.cell.candidate.get(&seen.header.candidates);
    let stack = candidate.and_then(Candidate::stack).map(|stack| stack.fs.clone());
    let below = || seen.place.map(|place| place.fs.clone());
    stack.or_else(below)
}

/// How much of a layer a cell reaches.
pub fn of_layer(seen: &Seen, step: &Step) -> OfLayer {
    OfLayer { layer: step.layer, share: step.share, rate: seen.in_its_metric(step.rate) }
}

/// The same of every layer.
pub fn all(seen: &Seen, steps: &[Step]) -> Vec<OfLayer> {
    steps.iter().map(|step| of_layer(seen, step)).collect()
}
