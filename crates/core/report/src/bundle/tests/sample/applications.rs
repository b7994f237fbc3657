//! What a `fit` run judges a directory for, and what it measured.

use bakeoff_model::application::{AppLoad, Application, Demand, FitSample, FitSamples, TimedOp};
use bakeoff_model::fit::FitNeed;
use bakeoff_model::index::WorkloadIx;
use bakeoff_stats::histogram::Histogram;

pub fn applications() -> Vec<Application> {
    let needs = [
        FitNeed::Latency { quantile: 0.99, limit_ns: 10_000_000 },
        FitNeed::Operations { per_s: 100.0 },
        FitNeed::Bytes { per_s: 1e7 },
        FitNeed::NoGap { limit_ns: 4_000_000_000 },
    ];
    let demand = |need| Demand {
        workload: "randwrite-4k".into(),
        of: "writes".into(),
        op: TimedOp::Write,
        need,
        each: true,
        quick: Some("randwrite".into()),
        source: "a document".into(),
        url: "https://example.org/".into(),
    };
    vec![Application {
        name: "own".into(),
        about: "an application".into(),
        missed: "it waits".into(),
        load: Some(AppLoad { count: 3, of: "cameras".into() }),
        demands: needs.map(demand).into(),
    }]
}

pub fn measured() -> FitSamples {
    let sample = FitSample {
        began_ns: 1_000_000_000,
        elapsed_ns: 150_000_000,
        ios: 30,
        bytes: 122_880,
        latencies: Histogram { buckets: vec![(5_000_000, 30)] },
        waited_ns: 40_000,
        clock_error_ns: 12,
    };
    FitSamples { workload: WorkloadIx::new(1), look: 2, samples: vec![sample] }
}
