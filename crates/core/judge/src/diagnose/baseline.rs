//! The layers below a cell, and which of them it stands on.

use super::context::CellContext;
use super::percent;
use bakeoff_machine::prepare::region;
use bakeoff_machine::usual::links;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::ceiling::CeilingLayer;
use bakeoff_model::job::Rw;
use bakeoff_model::workload::Metric;

pub const BOUND: f64 = 0.9;

#[derive(Clone, Debug, PartialEq)]
pub struct LayerShare {
    pub layer: CeilingLayer,
    pub rate: f64,
    /// The cell's rate as a share of it.
    pub share: f64,
    pub bytes_per_s: f64,
}

pub fn layers(context: &CellContext) -> Vec<LayerShare> {
    let rate = context.rate();
    let index = (context.cell.workload, context.cell.candidate);
    let known = context.ceilings.measured.iter().filter(|r| {
        r.workload == index.0 && r.candidate.is_none_or(|c| c == index.1) && r.rate > 0.0
    });
    let mut all: Vec<(CeilingLayer, f64, f64)> =
        known.map(|r| (r.layer, r.rate, r.bytes_per_s)).collect();
    let is_data =
        matches!(context.workload.metric, Metric::Bandwidth | Metric::Iops | Metric::LatencyP99);
    if is_data {
        let link =
            context.link_bytes_per_s().map(|b| (CeilingLayer::Link, context.in_metric(b), b));
        let practice = practice_bytes_per_s(context);
        all.extend(link);
        all.extend(practice.map(|b| (CeilingLayer::LinkPractice, context.in_metric(b), b)));
        all.extend(ends(context));
    }
    let step =
        |(layer, r, bytes_per_s)| LayerShare { layer, rate: r, share: rate / r, bytes_per_s };
    let mut steps: Vec<LayerShare> = all.into_iter().map(step).collect();
    steps.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.layer.cmp(&b.layer)));
    steps
}

/// Requests of that size take the time their bytes take, as those of the survey do.
const LARGE_BYTES: u64 = 256 << 10;

fn ends(context: &CellContext) -> Vec<(CeilingLayer, f64, f64)> {
    let job = context.job();
    let size_bytes = context.header.region.as_ref().map_or(0, |region| region.size_bytes);
    let is_comparable = job.rw == Rw::Read && job.bs >= LARGE_BYTES && job.numjobs == 1;
    let is_steep = region::gradient(&context.positions, size_bytes) > region::GRADIENT_MAX;
    let (Some(first), Some(last)) = (context.positions.first(), context.positions.last()) else {
        return Vec::new();
    };
    if is_comparable && is_steep {
        [(CeilingLayer::Start, first), (CeilingLayer::End, last)]
            .map(|(layer, p)| (layer, context.in_metric(p.bytes_per_s), p.bytes_per_s))
            .to_vec()
    } else {
        Vec::new()
    }
}

fn practice_bytes_per_s(context: &CellContext) -> Option<f64> {
    let mut disks = context.layers();
    let (disk, more) = (disks.next()?, disks.next());
    let model = context.header.host.model.as_deref();
    let limit = if more.is_some() { None } else { links::limit(model, disk) };
    limit.map(|limit| limit.practice_bytes_per_s)
}

pub fn find(steps: &[LayerShare], layer: CeilingLayer) -> Option<&LayerShare> {
    steps.iter().find(|step| step.layer == layer)
}

/// The name of the filesystem that is measured; `None` where it is not known.
pub fn filesystem(context: &CellContext) -> Option<String> {
    let candidate = context.cell.candidate.get(&context.header.candidates);
    let stack = candidate.and_then(Candidate::stack).map(|stack| stack.fs.clone());
    let below = || context.place.map(|place| place.fs.clone());
    stack.or_else(below)
}

pub fn of_layer(context: &CellContext, step: &LayerShare) -> String {
    let (share, rate) = (percent(step.share), context.in_its_metric(step.rate));
    format!("{share} of {} ({rate})", step.layer.label())
}

pub fn all(context: &CellContext, steps: &[LayerShare]) -> String {
    if steps.is_empty() {
        return "no lower layer was measured".to_string();
    }
    let all: Vec<String> = steps.iter().map(|step| of_layer(context, step)).collect();
    format!("it reaches {}", all.join(", "))
}
