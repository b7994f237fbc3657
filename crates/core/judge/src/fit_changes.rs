//! What is another for certain than in the earlier `fit` runs of the same directory.

use crate::fit::change::{CertainChange, PastFit, certain_change};
use crate::history::drive_name;
use crate::ratings::{AppRating, RatedDemand};
use bakeoff_model::event::Header;
use bakeoff_model::fit::{FitNeed, FitRating};
use bakeoff_model::host::Place;

/// What one `fit` run found.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierFit {
    /// When it ended, nanoseconds since 1970.
    pub unix_ns: i64,
    pub ratings: Vec<AppRating>,
}

/// A demand, and whether its figure changed.
#[derive(Clone, Debug, PartialEq)]
pub struct FitChange {
    pub application: String,
    pub workload: String,
    /// What is limited, in the plural.
    pub of: String,
    pub need: FitNeed,
    /// `None` = chance may explain the difference, or there are too few earlier checks.
    pub change: Option<CertainChange>,
}

impl FitChange {
    /// Whether it changed to what is worse for the application: later, or less a second.
    pub fn is_worse(&self) -> bool {
        let is_time = matches!(self.need, FitNeed::Latency { .. } | FitNeed::NoGap { .. });
        self.change.is_some_and(|change| (change.ratio > 1.0) == is_time)
    }
}

/// Compares the demands of the last of these runs, alone, with the runs before it. They are of one
/// place, in the order of time.
pub fn changes(runs: &[EarlierFit]) -> Vec<FitChange> {
    let Some(now) = runs.last() else { return Vec::new() };
    let needs = now.ratings.iter().map(|application| application.demands.len()).sum();
    let of = |application: &AppRating, demand: &RatedDemand| {
        let past: Vec<PastFit> = runs
            .iter()
            .filter_map(|run| PastFit::new(run.unix_ns, found(run, &application.name, demand)?))
            .collect();
        let is_now = past.last().is_some_and(|last| last.unix_ns == now.unix_ns);
        FitChange {
            application: application.name.clone(),
            workload: demand.demand.workload.clone(),
            of: demand.demand.of.clone(),
            need: demand.demand.need,
            change: if is_now { certain_change(&past, needs) } else { None },
        }
    };
    let each = |application| {
        let application: &AppRating = application;
        application.demands.iter().map(move |demand| of(application, demand))
    };
    now.ratings.iter().flat_map(each).collect()
}

/// What a run found about the same demand.
fn found<'a>(
    run: &'a EarlierFit,
    application: &str,
    wanted: &RatedDemand,
) -> Option<&'a FitRating> {
    let is_it = |of: &&RatedDemand| {
        of.demand.workload == wanted.demand.workload && of.demand.need == wanted.demand.need
    };
    let application = run.ratings.iter().find(|of| of.name == application)?;
    application.demands.iter().find(is_it).map(|of| &of.alone)
}

/// Whether two runs measured the same directory, on the same filesystem and drive.
pub fn is_same_place(a: &Header, b: &Header) -> bool {
    let name = |header: &Header| header.candidates.first().map(|of| of.name.clone());
    let place = |header: &Header| header.candidates.first().and_then(|of| of.place()).map(stays);
    name(a) == name(b) && place(a) == place(b)
}

/// What stays of a place as long as it is the same. A drive may have another name after a start.
fn stays(place: &Place) -> (String, String, Vec<String>) {
    let drives: Vec<String> = place.disks().map(drive_name).collect();
    let source = if drives.is_empty() { place.source.clone() } else { String::new() };
    (place.fs.clone(), source, drives)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::application::Demand;
    use bakeoff_model::fit::FitVerdict;

    const WEEK_NS: i64 = 7 * 86_400 * 1_000_000_000;
    const NEED: FitNeed = FitNeed::NoGap { limit_ns: 10_000_000 };

    fn fit(week: i64, figure: Option<f64>, need: FitNeed) -> EarlierFit {
        let rating = FitRating { estimate: figure, ..crate::fit::judge(need, &[], 0) };
        let table = crate::applications::built_in();
        let demand = Demand { need, ..table.applications[0].demands[0].clone() };
        let demands = vec![RatedDemand { demand, alone: rating, beside: None, median_ns: None }];
        let application = AppRating {
            name: "app".to_string(),
            about: String::new(),
            missed: String::new(),
            load: None,
            verdict: FitVerdict::Yes,
            demands,
        };
        EarlierFit { unix_ns: week * WEEK_NS, ratings: vec![application] }
    }

    fn after_ten(latest: [Option<f64>; 3]) -> Vec<FitChange> {
        let earlier = (0..10).map(|week| fit(week, Some(1e6 + week as f64), NEED));
        let latest = (10..).zip(latest).map(|(week, figure)| fit(week, figure, NEED));
        changes(&earlier.chain(latest).collect::<Vec<_>>())
    }

    #[test]
    fn three_slow_weeks_are_a_change_and_one_is_none() {
        let slow = Some(3e6);
        let [of] = &after_ten([slow; 3])[..] else { panic!("one demand") };
        assert!(of.is_worse() && of.change.is_some_and(|change| change.ratio > 2.0), "{of:?}");
        for latest in [[Some(1e6), Some(1e6), slow], [slow, slow, Some(1e6)], [slow, slow, None]] {
            let [of] = &after_ten(latest)[..] else { panic!("one demand") };
            assert_eq!(of.change, None, "{latest:?}");
        }
    }

    #[test]
    fn another_limit_is_another_demand() {
        let earlier = (0..10).map(|week| fit(week, Some(1e6), NEED));
        let other = FitNeed::NoGap { limit_ns: 1 };
        let latest = (10..13).map(|week| fit(week, Some(3e6), other));
        let found = changes(&earlier.chain(latest).collect::<Vec<_>>());
        assert_eq!(found.iter().filter(|of| of.change.is_some()).count(), 0);
        assert!(changes(&[]).is_empty());
    }

    #[test]
    fn another_drive_is_another_place_and_another_name_of_it_is_none() {
        let run = |change: fn(&mut Place)| {
            RunBuilder::directories(&["/data"]).place(0, change).build().header
        };
        let one = run(|_| {});
        assert!(is_same_place(&one, &one));
        assert!(!is_same_place(&one, &run(|place| place.fs = "other".to_string())));
        let renamed = run(|place| {
            place.source = "/dev/sdz1".to_string();
        });
        assert!(is_same_place(&one, &renamed));
        let replaced = run(|place| {
            place.chain.iter_mut().for_each(|layer| layer.serial = Some("other".to_string()));
        });
        assert!(!is_same_place(&one, &replaced));
        let elsewhere = RunBuilder::directories(&["/other"]).build().header;
        assert!(!is_same_place(&one, &elsewhere));
    }
}
