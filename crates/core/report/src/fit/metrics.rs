//! Ratings as metrics for Prometheus.

use crate::exposition::Exposition;
use bakeoff_judge::fit_changes::FitChange;
use bakeoff_judge::ratings::{AppRating, RatedDemand};
use bakeoff_model::fit::{FitNeed, FitRating, FitVerdict};
use bakeoff_model::run::Run;

type RatingFigure = fn(&FitRating) -> Option<f64>;

pub fn metrics(run: &Run, ratings: &[AppRating], changes: &[FitChange]) -> String {
    let mut out = Exposition::default();
    let dir = super::place(run);
    let of_app =
        |of: &AppRating| vec![("application", of.name.clone()), ("directory", dir.clone())];
    let verdict = |of: &AppRating| match of.verdict {
        FitVerdict::Yes => 1.0,
        FitVerdict::TooClose { .. } => 0.0,
        FitVerdict::No => -1.0,
    };
    out.family(
        "bakeoff_fit_verdict",
        "Whether the directory is fast enough: 1 = yes, 0 = too close to call, -1 = no.",
        ratings.iter().map(|of| (of_app(of), verdict(of))),
    );
    let all = || ratings.iter().flat_map(|of| of.demands.iter().map(move |d| (of, d)));
    let figures: [(&'static str, &str, RatingFigure); 4] = [
        ("bakeoff_fit_value", "Measured figure, in seconds, or per second.", |r| r.estimate),
        ("bakeoff_fit_low", "Lower end of its 95 % confidence interval.", |r| r.low),
        ("bakeoff_fit_high", "Upper end of its 95 % confidence interval.", |r| r.high),
        ("bakeoff_fit_limit", "The limit of the application.", |r| Some(limit(r.need))),
    ];
    for (name, help, of) in figures {
        let sample = |(app, demand): (&AppRating, &RatedDemand)| {
            let rating = &demand.alone;
            let mut labels = of_app(app);
            labels.push(("workload", demand.demand.workload.clone()));
            labels.push(("unit", unit(rating.need).to_string()));
            Some((labels, of(rating)? / scale(rating.need)))
        };
        out.family(name, help, all().filter_map(sample));
    }
    super::changes::add(&mut out, &dir, changes);
    let ended_s = run.last_unix_ns as f64 / 1e9;
    out.single("bakeoff_fit_timestamp_seconds", "When the measurement ended.", ended_s);
    out.text()
}

fn limit(need: FitNeed) -> f64 {
    match need {
        FitNeed::Latency { limit_ns, .. } | FitNeed::NoGap { limit_ns } => limit_ns as f64,
        FitNeed::Operations { per_s } | FitNeed::Bytes { per_s } => per_s,
    }
}

fn scale(need: FitNeed) -> f64 {
    match need {
        FitNeed::Latency { .. } | FitNeed::NoGap { .. } => 1e9,
        FitNeed::Operations { .. } | FitNeed::Bytes { .. } => 1.0,
    }
}

pub(super) fn unit(need: FitNeed) -> &'static str {
    match need {
        FitNeed::Latency { .. } => "seconds",
        FitNeed::NoGap { .. } => "longest_seconds",
        FitNeed::Operations { .. } => "operations_per_second",
        FitNeed::Bytes { .. } => "bytes_per_second",
    }
}
