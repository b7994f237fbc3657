//! How long slices are and why, in words and tables: what longer slices showed, and how the
//! rate changes along a slice.

use super::document::{Table, candidates, number};
use bakeoff_judge::decide::settled::{self, SettledSlices};
use bakeoff_judge::decide::table;
use bakeoff_model::calibration::Settled as Outcome;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::paired::Paired;
use bakeoff_stats::units;

const ALPHA: f64 = 0.05;

/// How the candidates took turns on a workload; `None` where nothing was recorded of it.
pub fn line(run: &Run, workload: WorkloadIx) -> Option<String> {
    let known = run.calibration(workload)?;
    let longest = units::duration(known.longest_ns);
    let settling_ns = known.longest_ns / u64::from(known.length.units().max(1))
        * u64::from(known.length.settling);
    let settling = units::duration(settling_ns);
    Some(match known.settled {
        Outcome::Quick => {
            let unit = units::duration(known.longest_ns.max(known.length.unit_ns));
            format!("slices of about {unit}; the drive is quick and needs no time to settle")
        }
        Outcome::Yes => {
            format!(
                "slices of up to {longest}, of which the drive settles for the first {settling}"
            )
        }
        Outcome::ByVisits => format!(
            "no alternating slices: the rate still changed after a minute. Each candidate is \
             measured once per block, for up to {longest}, of which the drive settles for the \
             first {settling}"
        ),
        Outcome::NoTime => format!(
            "slices of up to {longest}; the rate still changed, and the time limit allows no \
             longer ones"
        ),
    })
}

/// Whether longer slices, visits and the second half of slices have the same rate.
pub fn proof(run: &Run, workload: WorkloadIx) -> Table {
    let all = settled::of_workload(run, &table::ScoreTable::from_evidence(run), workload);
    let columns = [
        candidates("candidate"),
        number("slices twice as long"),
        number("visits"),
        number("second half of slices"),
    ];
    let row = |of: &SettledSlices| {
        let name = &run.header.candidates[of.candidate].name;
        vec![sanitize(name), change(&of.twice), change(&of.visits), change(&of.slope)]
    };
    Table::new(columns, all.iter().filter(|of| of.has_any()).map(row))
}

/// `+1.2 % (-0.4 to 2.8)`.
fn change(paired: &Option<Paired>) -> String {
    let Some(paired) = paired else { return "-".to_string() };
    let interval = paired.interval(ALPHA);
    let percent = |ln: f64| libm::expm1(ln) * 100.0;
    format!(
        "{:+.1} % ({:.1} to {:.1})",
        percent(paired.mean),
        percent(interval.low),
        percent(interval.high)
    )
}

/// The rate along the slices of each candidate, as a share of its figure: first while the drive
/// settles, then of what counts.
pub fn along(run: &Run, workload: WorkloadIx) -> Table {
    let parts = |what: &'static str| {
        (1..=settled::PARTS).map(move |part| number(format!("{what} {part}/{}", settled::PARTS)))
    };
    let columns =
        std::iter::once(candidates("candidate")).chain(parts("settling")).chain(parts("counted"));
    let share = |of: &Option<f64>| of.map_or("-".to_string(), |s| format!("{:.0} %", s * 100.0));
    let row = |candidate: CandidateIx| {
        let course = settled::course(run, workload, candidate)?;
        let name = sanitize(&run.header.candidates[candidate].name);
        Some(std::iter::once(name).chain(course.iter().map(share)).collect::<Vec<String>>())
    };
    let all = CandidateIx::all(run.header.candidates.len());
    Table::new(columns, all.filter_map(row))
}
