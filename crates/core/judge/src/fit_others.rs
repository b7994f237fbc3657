//! Where figures of a `fit` run stand among those of other drives: of workloads that others have
//! published too.

use crate::analyse::normal;
use bakeoff_machine::usual::{links, medium, others};
use bakeoff_model::host::Layer;
use bakeoff_model::normal::{LinkLimit, Test};
use bakeoff_model::others::{Among, AmongOthers};
use bakeoff_model::run::Run;
use bakeoff_stats::clustered::ClusteredRatio;

/// Of the interval of a figure.
const ALPHA: f64 = 0.05;

/// A figure that has a place among those of others.
#[derive(Clone, Debug, PartialEq)]
pub struct FitAmong {
    pub test: Test,
    pub rate: f64,
    pub among: AmongOthers,
    pub link: Option<LinkLimit>,
}

/// Nothing where too few others are known, or a figure is too uncertain.
pub fn figures(run: &Run) -> Vec<FitAmong> {
    let place = run.header.candidates.first().and_then(|of| of.place());
    let Some((medium, disk)) = place.and_then(|place| medium::of_place(place).ok()) else {
        return Vec::new();
    };
    let model = run.header.host.model.as_deref();
    let key = |disk: &Layer| links::key(disk).or_else(|| links::slot_key(model, disk));
    let figure = |test: Test| {
        let others = others::find(medium, disk.and_then(key), test)?;
        let (rate, ends) = measured(run, test)?;
        let among = AmongOthers::new(others, rate, ends);
        let link = disk.filter(|_| test.is_in_bytes()).and_then(|disk| links::limit(model, disk));
        (among.among != Among::TooWide).then_some(FitAmong { test, rate, among, link })
    };
    Test::ALL.iter().copied().filter_map(figure).collect()
}

/// The rate of a workload and its interval; `None` where it was not measured alone.
fn measured(run: &Run, test: Test) -> Option<(f64, (f64, f64))> {
    let workloads = &run.header.workloads;
    let is_it = |at: usize| workloads[at].beside.is_none() && normal::is_test(&workloads[at], test);
    let of = run.fit.iter().find(|of| is_it(usize::from(of.workload)))?;
    let pairs = of.samples.iter().map(|slice| {
        let done = if test.is_in_bytes() { slice.bytes } else { slice.ios };
        (done as f64, slice.elapsed_ns as f64 / 1e9)
    });
    let found = ClusteredRatio::new(&pairs.collect::<Vec<_>>())?;
    Some((found.ratio, found.interval(ALPHA)))
}
