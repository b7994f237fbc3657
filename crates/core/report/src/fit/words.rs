//! Demands, figures and verdicts of applications in words.

use bakeoff_judge::ratings::{AppRating, RatedDemand, worst};
use bakeoff_model::application::{Application, Demand};
use bakeoff_model::fit::{FitDoubt, FitNeed, FitRating, FitVerdict};
use bakeoff_stats::units;

/// `99 % of its log writes synced within 10 ms`, `1500 random reads per second`.
pub fn need(demand: &Demand) -> String {
    let of = &demand.of;
    match demand.need {
        FitNeed::Latency { quantile, limit_ns } => {
            format!("{} of its {of} within {}", percent(quantile), round_ns(limit_ns))
        }
        FitNeed::Operations { per_s } => format!("{} {of} per second", units::count(per_s)),
        FitNeed::Bytes { per_s } => format!("{} of {of}", trimmed(units::rate(per_s))),
        FitNeed::NoGap { limit_ns } => format!("no {of} that take over {}", round_ns(limit_ns)),
    }
}

/// `99 %`, `99.9 %`, `0.3 %`.
fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The same for a table: what a latency is one of is left out.
pub fn need_in_short(demand: &Demand) -> String {
    match demand.need {
        FitNeed::Latency { quantile, limit_ns } => {
            format!("{} within {}", percent(quantile), round_ns(limit_ns))
        }
        _ => need(demand),
    }
}

/// The figure without its interval.
pub fn estimate(rating: &FitRating) -> String {
    rating.estimate.map_or_else(|| "-".to_string(), |value| figure(rating.need, value))
}

/// A limit as it is written: without zeros that say nothing.
fn round_ns(ns: u64) -> String {
    trimmed(units::latency(ns))
}

fn trimmed(text: String) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

fn figure(need: FitNeed, value: f64) -> String {
    match need {
        FitNeed::Latency { .. } | FitNeed::NoGap { .. } => units::latency(value as u64),
        FitNeed::Operations { .. } => format!("{} per second", units::count(value)),
        FitNeed::Bytes { .. } => units::rate(value),
    }
}

/// `31.2 ms (95 % CI: 27.1 to 36.4 ms)`; `nothing was measured`.
pub fn here(rating: &FitRating) -> String {
    let of = |value: f64| figure(rating.need, value);
    let Some(estimate) = rating.estimate else { return "nothing was measured".to_string() };
    let found = of(estimate);
    let interval = match (rating.low, rating.high) {
        _ if matches!(rating.need, FitNeed::NoGap { .. }) => return format!("{found} at most"),
        (Some(low), Some(high)) => between(&of(low), &of(high)),
        (Some(low), None) => format!("at least {}", of(low)),
        (None, Some(high)) => format!("at most {}", of(high)),
        (None, None) => return format!("{found}, without an interval"),
    };
    format!("{found} (95 % CI: {interval})")
}

/// Two figures with one unit where they share it.
fn between(low: &str, high: &str) -> String {
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

pub fn verdict(verdict: FitVerdict) -> &'static str {
    match verdict {
        FitVerdict::Yes => "yes",
        FitVerdict::TooClose { .. } => "too close",
        FitVerdict::No => "no",
    }
}

/// The demand that a verdict rests on: the first that is missed, the first that is open, or the
/// first.
pub fn deciding(of: &AppRating) -> Option<(&RatedDemand, &FitRating)> {
    let all = || {
        let alone = of.demands.iter().map(|d| (d, &d.alone));
        alone.chain(of.demands.iter().filter_map(|d| Some((d, d.beside.as_ref()?))))
    };
    all()
        .find(|(_, rating)| rating.verdict == FitVerdict::No)
        .or_else(|| all().find(|(_, rating)| rating.verdict != FitVerdict::Yes))
        .or_else(|| all().next())
}

/// The answer for one application, in a few sentences without what to type.
pub fn sentence(of: &AppRating, medium: Option<&str>) -> String {
    let Some((demand, rating)) = deciding(of) else { return String::new() };
    let word = match of.verdict {
        FitVerdict::Yes => "Yes",
        FitVerdict::No => "No",
        FitVerdict::TooClose { doubt, .. } => doubted(doubt),
    };
    let beside = if demand.beside.as_ref().is_some_and(|beside| std::ptr::eq(beside, rating)) {
        "here, beside the companion,"
    } else {
        "here"
    };
    let needs = need(&demand.demand);
    let mut said = format!("{word}: {} needs {needs}; {beside} {}.", of.name, here(rating));
    said += &both(of);
    if of.verdict == FitVerdict::No {
        said += &format!(" If not met: {}.", of.missed);
        said += &likely(demand, rating, medium);
    }
    said
}

/// The verdicts alone and beside the companion, where there is one.
fn both(of: &AppRating) -> String {
    let beside: Vec<FitVerdict> =
        of.demands.iter().filter_map(|d| d.beside.as_ref()).map(|r| r.verdict).collect();
    if beside.is_empty() {
        return String::new();
    }
    let alone = verdict(worst(of.demands.iter().map(|d| d.alone.verdict)));
    format!(" Alone: {alone}. Beside the companion: {}.", verdict(worst(beside.into_iter())))
}

fn doubted(doubt: FitDoubt) -> &'static str {
    match doubt {
        FitDoubt::Close => "Too close to call",
        FitDoubt::TooFew { .. } => "Too early to tell",
        FitDoubt::MachineBusy => "Cannot tell, because the CPUs were busy",
    }
}

/// What limits a latency: each operation by itself, or a few of them.
fn likely(demand: &RatedDemand, rating: &FitRating, medium: Option<&str>) -> String {
    let (Some(median_ns), FitNeed::Latency { limit_ns, .. }) = (demand.median_ns, rating.need)
    else {
        return String::new();
    };
    let of = medium.map_or(String::new(), |medium| format!(" of {medium}"));
    let median = units::latency(median_ns);
    match (median_ns > limit_ns / 2, rating.longest_ns) {
        (true, _) => format!(" Likely limit: each sync{of} (median {median})."),
        (false, Some(longest_ns)) => format!(
            " Likely limit: stalls{of} (median {median}, longest {}).",
            units::latency(longest_ns)
        ),
        (false, None) => String::new(),
    }
}

/// What a latency demand cannot exclude, and what the rare cases come to.
pub fn rare(rating: &FitRating) -> Option<String> {
    // What is missed already needs no rare case.
    let is_open = rating.operations > 0 && rating.verdict != FitVerdict::No;
    let longest_ns = rating.longest_ns.filter(|_| is_open)?;
    let mut said = format!(
        "The longest of {} took {}. Stalls that come less often than once in {} may have been \
         missed.",
        rating.operations,
        units::latency(longest_ns),
        units::duration(rating.unseen_ns)
    );
    if let (FitNeed::Latency { quantile, limit_ns }, Some(late)) = (rating.need, rating.late_share)
        && late > 1.0 - quantile
        && rating.verdict == FitVerdict::Yes
    {
        said += &format!(
            " A request at a random moment would wait over {} in {} of the time.",
            round_ns(limit_ns),
            percent(late)
        );
    }
    Some(said)
}

/// Where a limit comes from.
pub fn source(demand: &Demand) -> String {
    match demand.url.as_str() {
        "" => format!("own limit: {}", demand.source),
        url => format!("{} ({url})", demand.source),
    }
}

/// What an application needs, and under which load.
pub fn needs(of: &Application) -> String {
    let demand = |d: &Demand| need(&Demand { need: of.need(d), ..d.clone() });
    let all: Vec<String> = of.demands.iter().map(demand).collect();
    let load =
        of.load.as_ref().map_or(String::new(), |load| format!(" ({} {})", load.count, load.of));
    format!("{}{load}", all.join("; "))
}
