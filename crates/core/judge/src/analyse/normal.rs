//! One place, four figures, one question: is that normal for this kind of drive and link?
//!
//! What others published of such drives is in [`bakeoff_machine::usual`]. Nothing is called slow on a machine that was disturbed. Facts only;
//! the words are in the report.

use crate::decide::schedule;
use crate::decide::table::ScoreTable;
use crate::evidence;
use crate::evidence::cell::machine;
use crate::rules::place::drives;
use bakeoff_machine::usual::{labels, links, medium, others};
use bakeoff_model::boards;
use bakeoff_model::event::{CacheState, Cell};
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::host::{Layer, Place};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::normal::{
    Because, Below, Label, LinkLimit, Medium, Normal, Normality, PlaceFigure, Tail, Test,
    WhyUnknown,
};
use bakeoff_model::others::{Among, AmongOthers};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::WorkloadVerdict;
use bakeoff_model::workload::Workload;
use bakeoff_model::workloads;
use bakeoff_stats::distinct;
use bakeoff_stats::histogram::Histogram;
use bakeoff_stats::level::Level;

const DISTURBING: [&str; 5] =
    [machine::BACKGROUND, machine::THROTTLED, machine::SWAP, machine::SUSPENDED, machine::LAZYINIT];

/// From this share of what a link carries on, the link is what limits.
const AT_LIMIT: f64 = 0.9;
/// A label is about the bare card; a fifth is left for the filesystem and its flushes. Random reads
/// one at a time are not the test of the label: published A1 cards do from 942 a second on.
const SHARE_OF_LABEL: f64 = 0.8;
const SHARE_OF_RANDOM_LABEL: f64 = 0.5;
/// Of the interval of a figure among those of others.
const ALPHA: f64 = 0.05;
/// Quantiles of the latency that are told, the highest that enough operations support.
const TAILS: [u8; 4] = [99, 95, 90, 50];

/// What the figures of a run are judged by.
pub struct Judged<'a> {
    pub run: &'a Run,
    pub table: &'a ScoreTable,
    pub verdicts: &'a [WorkloadVerdict],
    pub findings: &'a [Finding],
}

/// The figures of a run of one directory; `None` where something is compared, for stacks, in
/// rounds, and before there is a figure.
pub fn from_run(of: &Judged) -> Option<Normal> {
    let is_alone = !schedule::has_question(of.run) && !crate::decide::rounds::is_of_rounds(of.run);
    let place = of.run.header.candidates.first().filter(|_| is_alone)?.place()?;
    let basis = NormalBasis::new(of, CandidateIx::FIRST, place);
    let (disk, model) = (basis.disk, basis.model());
    let tests = Test::ALL.iter().copied();
    let figures: Vec<PlaceFigure> = tests.filter_map(|test| basis.figure(test)).collect();
    (!figures.is_empty()).then(|| Normal {
        board: model.and_then(boards::find).map(|board| board.name().to_string()),
        medium: basis.kind.ok(),
        unknown: basis.kind.err(),
        card_class: disk.and_then(|disk| disk.card_class.clone()),
        link: disk.and_then(|disk| disk.link.clone()),
        is_encrypted: place.cipher().is_some(),
        figures,
    })
}

fn workload(run: &Run, test: Test) -> Option<usize> {
    run.header.workloads.iter().position(|w| is_test(w, test))
}

/// Whether its figure is one of what others mean by this test.
fn is_test(workload: &Workload, test: Test) -> bool {
    let is_it = |known: &Workload| {
        let (a, b) = (&workload.job, &known.job);
        let same = (a.rw, a.bs, a.iodepth, a.numjobs, a.direct, a.fsync, a.rate_iops)
            == (b.rw, b.bs, b.iodepth, b.numjobs, b.direct, b.fsync, b.rate_iops);
        same && a.offsets == b.offsets && workload.metric == known.metric
    };
    let is_plain = workload.can_be_sliced() || workload.driver.is_native();
    is_plain
        && workload.profile.is_none()
        && workloads::find(test.workload()).is_ok_and(|w| is_it(&w))
}

struct NormalBasis<'a> {
    of: &'a Judged<'a>,
    candidate: CandidateIx,
    place: &'a Place,
    kind: Result<Medium, WhyUnknown>,
    disk: Option<&'a Layer>,
    classes: Vec<String>,
}

impl<'a> NormalBasis<'a> {
    fn new(of: &'a Judged, candidate: CandidateIx, place: &'a Place) -> NormalBasis<'a> {
        let kind = medium::of_place(place);
        let disk = kind.ok().and_then(|(_, disk)| disk);
        let classes = disk.map(medium::classes).unwrap_or_default();
        let kind = kind.map(|(medium, _)| medium);
        NormalBasis { of, candidate, place, kind, disk, classes }
    }

    fn model(&self) -> Option<&'a str> {
        self.of.run.header.host.model.as_deref()
    }

    fn figure(&self, test: Test) -> Option<PlaceFigure> {
        let index = workload(self.of.run, test)?;
        let workload = &self.of.run.header.workloads[index];
        let name = &self.of.run.header.candidates[self.candidate].name;
        let standings = &self.of.verdicts.get(index)?.standings;
        let standing = standings.iter().find(|standing| standing.candidate == *name)?;
        let mean = standing.mean;
        let bs = workload.job.bs as f64;
        let (bytes_per_s, iops) =
            if test.is_in_bytes() { (mean, mean / bs) } else { (mean * bs, mean) };
        let cells: Vec<&Cell> = self.cells(index).collect();
        let disk = self.disk.filter(|_| test.is_in_bytes());
        let mut figure = PlaceFigure {
            test,
            bytes_per_s,
            iops,
            tail: tail(&cells),
            others: self.among(test, index),
            link: disk.and_then(|disk| links::limit(self.model(), disk)),
            label: labels::best(&self.classes, test),
            normality: Normality::Unknown,
            because: Vec::new(),
        };
        figure.normality = self.judge(&figure, &cells, &workload.name);
        figure.because = self.because(&figure);
        Some(figure)
    }

    /// The figure among those of others over the same kind of link, where enough are known.
    fn among(&self, test: Test, workload: usize) -> Option<AmongOthers> {
        let key = |disk| links::key(disk).or_else(|| links::slot_key(self.model(), disk));
        let others = others::find(self.kind.ok()?, self.disk.and_then(key), test)?;
        let scores = self.of.table.scores(WorkloadIx::new(workload), self.candidate);
        let level = Level::from_scores(&scores)?;
        let interval = level.interval(ALPHA);
        let ends = (libm::exp(interval.low), libm::exp(interval.high));
        Some(AmongOthers::new(others, libm::exp(level.mean), ends))
    }

    fn cells(&self, workload: usize) -> impl Iterator<Item = &Cell> {
        let header = &self.of.run.header;
        let all = self.of.run.complete_cells();
        let ours = all.filter(move |cell| usize::from(cell.workload) == workload);
        ours.filter(move |cell| {
            cell.candidate == self.candidate && !evidence::is_invalid(header, cell)
        })
    }

    fn judge(&self, figure: &PlaceFigure, cells: &[&Cell], workload: &str) -> Normality {
        let has = |state: CacheState| cells.iter().any(|cell| cell.truth.cache == state);
        if figure.test.is_read() && has(CacheState::Warm) {
            return Normality::Cached { is_certain: true };
        }
        if let Some(is_from_cache) = self.too_fast(figure) {
            return Normality::Fast { is_from_cache };
        }
        let below = below(figure);
        let among = figure.others.as_ref().map(|of| of.among);
        if below.is_some() || among.is_some_and(Among::is_slower) {
            let by = self.disturbed(workload);
            if !by.is_empty() {
                return Normality::Disturbed { by };
            }
        }
        if let Some(below) = below {
            return Normality::Slow { below };
        }
        if figure.test.is_read() && has(CacheState::Unknown) {
            return Normality::Cached { is_certain: false };
        }
        let is_at = |link: &LinkLimit| figure.rate() >= AT_LIMIT * link.practice_bytes_per_s;
        let at_link_limit = figure.link.as_ref().is_some_and(is_at);
        let is_among = among.is_some_and(|among| among != Among::TooWide);
        if is_among || at_link_limit || figure.label.is_some() {
            Normality::Normal { at_link_limit }
        } else {
            Normality::Unknown
        }
    }

    fn too_fast(&self, figure: &PlaceFigure) -> Option<bool> {
        let most = self.disk.and_then(|disk| links::most_bytes_per_s(self.model(), disk));
        if most.is_some_and(|most| figure.bytes_per_s > most) {
            return Some(true);
        }
        let of = figure.others.as_ref()?;
        (figure.rate() > of.others.fast_above()).then_some(false)
    }

    fn disturbed(&self, workload: &str) -> Vec<String> {
        let is_ours = |f: &&Finding| f.workload.as_deref().is_none_or(|name| name == workload);
        let disturbs =
            |f: &&Finding| f.severity >= Severity::Warn && DISTURBING.contains(&f.id.as_str());
        let found = self.of.findings.iter().filter(is_ours).filter(disturbs);
        distinct::sorted(found.map(|f| f.id.clone()))
    }

    fn because(&self, figure: &PlaceFigure) -> Vec<Because> {
        let is_below_label = matches!(figure.normality, Normality::Slow { below: Below::Label });
        let is_slower = figure.others.as_ref().is_some_and(|of| of.among.is_slower());
        let is_told = matches!(figure.normality, Normality::Normal { .. }) && is_slower;
        if !is_told && !matches!(figure.normality, Normality::Slow { .. }) {
            return Vec::new();
        }
        let found = |id: &str| self.of.findings.iter().any(|f| f.id == id);
        let is_card = self.kind == Ok(Medium::Sd);
        let link = figure.link.as_ref().map(|of| of.practice_bytes_per_s);
        let is_narrow = |label: &Label| link.is_some_and(|link| link < label.bytes_per_s);
        let is_narrow = is_below_label && figure.label.as_ref().is_some_and(is_narrow);
        let complains = |told: &bakeoff_model::health::DriveTold| {
            told.health.as_ref().is_some_and(|health| !health.complaints().is_empty())
        };
        let mut told = self.of.run.told_before.iter().chain(&self.of.run.told_after);
        let reasons = [
            (found(drives::LINK_DEGRADED), Because::SlowLink),
            (self.disk.is_some_and(|d| links::is_slower_mode(self.model(), d)), Because::SlowMode),
            (found(drives::UAS_BOT) && !is_card, Because::NoUas),
            (is_narrow, Because::LinkBelowLabel),
            (self.place.cipher().is_some(), Because::Encryption),
            (self.place.free_bytes < self.place.size_bytes / 10, Because::Full),
            (told.any(complains), Because::Health),
            (self.disk.is_some_and(medium::looks_fake), Because::Fake),
        ];
        reasons.into_iter().filter(|(is_so, _)| *is_so).map(|(_, because)| because).collect()
    }
}

fn below(figure: &PlaceFigure) -> Option<Below> {
    if figure.others.as_ref().is_some_and(AmongOthers::is_slow) {
        return Some(Below::Others);
    }
    // No card writes faster than its link, whatever its label says.
    let link = figure.link.as_ref().map_or(f64::INFINITY, |of| of.practice_bytes_per_s);
    let share = if figure.test.is_in_bytes() { SHARE_OF_LABEL } else { SHARE_OF_RANDOM_LABEL };
    let promised = |label: &Label| label.bytes_per_s.min(link) * share;
    let is_below = figure.label.as_ref().is_some_and(|label| figure.bytes_per_s < promised(label));
    is_below.then_some(Below::Label)
}

/// The highest quantile that all operations together support, of the operation in which the work
/// spent most of its time.
fn tail(cells: &[&Cell]) -> Option<Tail> {
    let mut kinds: Vec<(&'static str, f64, Histogram)> = Vec::new();
    for (name, stats) in cells.iter().flat_map(|cell| cell.measurement.ops()) {
        let time = stats.lat_ns.mean * stats.total_ios as f64;
        match kinds.iter_mut().find(|(kind, ..)| *kind == name) {
            Some((_, sum, histogram)) => {
                *sum += time;
                histogram.merge(&stats.histogram);
            }
            None => kinds.push((name, time, stats.histogram.clone())),
        }
    }
    let (name, _, histogram) = kinds.into_iter().max_by(|x, y| x.1.total_cmp(&y.1))?;
    TAILS.into_iter().find_map(|percent| {
        let ns = histogram.supported_quantile(f64::from(percent) / 100.0)?;
        Some(Tail { percent, ns, of_flushes: name == "flush" })
    })
}

#[cfg(test)]
mod tests;
