//! One place, four figures, one question: is that normal for this board, card class and link?
//!
//! Ranges are those of [`bakeoff_machine::usual`], ended by what the link carries, and made wider
//! by earlier runs on other drives of the same kind. What earlier runs measured on the same drive
//! is a comparison of its own: a drive that gets slow must not make its own range. Nothing is
//! called slow on a machine that was disturbed. Facts only; the words are in the report.

use crate::decide::schedule;
use crate::evidence;
use crate::evidence::cell::machine;
use crate::rules::place::drives;
use crate::rules::run::thermal_trend;
use bakeoff_machine::usual::{self, UsualSubject, links, medium};
use bakeoff_model::boards;
use bakeoff_model::event::{CacheState, Cell};
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::host::{Layer, Place};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::normal::{
    Because, Below, Earlier, EarlierFigure, Label, LinkLimit, Medium, Normal, Normality,
    PlaceFigure, Tail, Test, Usual,
};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::WorkloadVerdict;
use bakeoff_model::workload::Workload;
use bakeoff_model::workloads;
use bakeoff_stats::distinct;
use bakeoff_stats::histogram::Histogram;

const DISTURBING: [&str; 6] = [
    machine::BACKGROUND,
    machine::THROTTLED,
    machine::SWAP,
    machine::SUSPENDED,
    machine::LAZYINIT,
    thermal_trend::ID,
];

/// From this share of what a link carries on, the link is what limits.
const AT_LIMIT: f64 = 0.9;
const ABOVE_PRACTICE: f64 = 1.15;
/// Nearly every drive reads at a third of a link of at most so many bytes a second, so that less is
/// slow whatever the drive.
const SLOW_LINK_BYTES_PER_S: f64 = 100e6;
const SHARE_OF_SLOW_LINK: f64 = 1.0 / 3.0;
/// A range never begins above this share of what the link carries.
const LOWEST_OF_LINK: f64 = 0.6;
/// A label is about the bare card; a fifth is left for the filesystem and its flushes.
const SHARE_OF_LABEL: f64 = 0.8;
/// Below this share of the lowest of earlier runs, a drive has become slow.
const SHARE_OF_EARLIER: f64 = 0.7;
const EARLIER_RUNS: usize = 2;
/// Quantiles of the latency that are told, the highest that enough operations support.
const TAILS: [u8; 4] = [99, 95, 90, 50];

/// The figures of a run of one directory; `None` where something is compared, for stacks, in
/// rounds, and before there is a figure.
pub fn from_run(run: &Run, verdicts: &[WorkloadVerdict], findings: &[Finding]) -> Option<Normal> {
    let place = place(run)?;
    let model = run.header.host.model.as_deref();
    let kind = medium::of_place(place);
    let disk = kind.ok().and_then(|(_, disk)| disk);
    let classes = disk.map(medium::classes).unwrap_or_default();
    let board = model.and_then(boards::find).map(|board| board.name());
    let key = disk.and_then(|disk| links::key(disk).or_else(|| links::slot_key(model, disk)));
    let basis = NormalBasis {
        run,
        place,
        disk,
        findings,
        subject: kind.ok().map(|(medium, _)| UsualSubject {
            medium,
            classes: &classes,
            link: key,
            board,
        }),
    };
    let figures: Vec<PlaceFigure> =
        Test::ALL.iter().copied().filter_map(|test| basis.figure(test, verdicts)).collect();
    (!figures.is_empty()).then(|| Normal {
        board: board.map(str::to_string),
        medium: kind.ok().map(|(medium, _)| medium),
        unknown: kind.err(),
        card_class: disk.and_then(|disk| disk.card_class.clone()),
        link: disk.and_then(|disk| disk.link.clone()),
        is_encrypted: place.cipher().is_some(),
        figures,
    })
}

fn place(run: &Run) -> Option<&Place> {
    if schedule::has_question(run) || crate::decide::rounds::is_of_rounds(run) {
        return None;
    }
    run.header.candidates.first()?.place()
}

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
    run: &'a Run,
    place: &'a Place,
    disk: Option<&'a Layer>,
    findings: &'a [Finding],
    subject: Option<UsualSubject<'a>>,
}

impl NormalBasis<'_> {
    fn figure(&self, test: Test, verdicts: &[WorkloadVerdict]) -> Option<PlaceFigure> {
        let index = self.run.header.workloads.iter().position(|w| is_test(w, test))?;
        let workload = &self.run.header.workloads[index];
        let standing = verdicts.get(index)?.standings.first()?;
        let mean = standing.mean;
        let bs = workload.job.bs as f64;
        let (bytes_per_s, iops) = match test.is_in_bytes() {
            true => (mean, mean / bs),
            false => (mean * bs, mean),
        };
        let cells: Vec<&Cell> = self.cells(index).collect();
        let earlier = self.earlier(test);
        let model = self.run.header.host.model.as_deref();
        let is_sequential = test.is_in_bytes();
        let link = self.disk.filter(|_| is_sequential).and_then(|d| links::limit(model, d));
        let label = self.subject.as_ref().and_then(|of| usual::label(of, test));
        let usual = self.subject.as_ref().and_then(|of| usual::range(of, test));
        let usual = usual.map(|of| bounded(of, test, link.as_ref()));
        let usual = match earlier.and_then(|of| of.same_kind.as_ref()) {
            Some(kind) => usual.map(|of| widened(of, kind)),
            None => usual,
        };
        let mut figure = PlaceFigure {
            test,
            bytes_per_s,
            iops,
            tail: tail(&cells),
            energy: standing.energy.clone(),
            usual,
            link,
            label,
            earlier: earlier.and_then(|of| of.same_drive.clone()),
            normality: Normality::Unknown,
        };
        figure.normality = self.judge(&figure, &cells, &workload.name);
        Some(figure)
    }

    fn cells(&self, workload: usize) -> impl Iterator<Item = &Cell> {
        let header = &self.run.header;
        let all = self.run.complete_cells();
        let ours = all.filter(move |cell| usize::from(cell.workload) == workload);
        ours.filter(move |cell| {
            cell.candidate == CandidateIx::FIRST && !evidence::is_invalid(header, cell)
        })
    }

    fn earlier(&self, test: Test) -> Option<&EarlierFigure> {
        self.run.earlier.as_ref()?.workloads.iter().find(|of| of.test == test)
    }

    fn judge(&self, figure: &PlaceFigure, cells: &[&Cell], workload: &str) -> Normality {
        let has = |state: CacheState| cells.iter().any(|cell| cell.truth.cache == state);
        if figure.test.is_read() && has(CacheState::Warm) {
            return Normality::Cached { is_certain: true };
        }
        if let Some(is_from_cache) = self.too_fast(figure) {
            return Normality::Fast { is_from_cache };
        }
        if let Some(below) = below(figure) {
            return match self.disturbed(workload) {
                by if by.is_empty() => {
                    Normality::Slow { below, because: self.because(figure, below) }
                }
                by => Normality::Disturbed { by },
            };
        }
        if figure.test.is_read() && has(CacheState::Unknown) {
            return Normality::Cached { is_certain: false };
        }
        if figure.usual.is_none() && figure.earlier.is_none() {
            return Normality::Unknown;
        }
        let is_at = |link: &LinkLimit| figure.rate() >= AT_LIMIT * link.practice_bytes_per_s;
        Normality::Normal { at_link_limit: figure.link.as_ref().is_some_and(is_at) }
    }

    fn too_fast(&self, figure: &PlaceFigure) -> Option<bool> {
        let model = self.run.header.host.model.as_deref();
        let most = self.disk.and_then(|disk| links::most_bytes_per_s(model, disk));
        if most.is_some_and(|most| figure.bytes_per_s > most) {
            return Some(true);
        }
        let high = figure.usual.as_ref()?.high?;
        (figure.rate() > high).then_some(false)
    }

    fn disturbed(&self, workload: &str) -> Vec<String> {
        let is_ours = |f: &&Finding| f.workload.as_deref().is_none_or(|name| name == workload);
        let disturbs =
            |f: &&Finding| f.severity >= Severity::Warn && DISTURBING.contains(&f.id.as_str());
        let found = self.findings.iter().filter(is_ours).filter(disturbs);
        distinct::sorted(found.map(|f| f.id.clone()))
    }

    fn because(&self, figure: &PlaceFigure, below: Below) -> Vec<Because> {
        let found = |id: &str| self.findings.iter().any(|f| f.id == id);
        let is_card = self.subject.is_some_and(|of| matches!(of.medium, Medium::Sd));
        let link = figure.link.as_ref().map(|of| of.practice_bytes_per_s);
        let is_narrow = |label: &Label| link.is_some_and(|link| link < label.bytes_per_s);
        let complains = |told: &bakeoff_model::health::DriveTold| {
            told.health.as_ref().is_some_and(|health| !health.complaints().is_empty())
        };
        let all = self.run.told_before.iter().chain(&self.run.told_after);
        let reasons = [
            (found(drives::LINK_DEGRADED), Because::SlowLink),
            (found(drives::UAS_BOT) && !is_card, Because::NoUas),
            (figure.label.as_ref().is_some_and(is_narrow), Because::LinkBelowLabel),
            (self.place.cipher().is_some(), Because::Encryption),
            (all.into_iter().any(complains), Because::Health),
        ];
        let is_label = below == Below::Label;
        let said = reasons.into_iter().filter(|(is_so, _)| *is_so).map(|(_, because)| because);
        said.filter(|because| *because != Because::LinkBelowLabel || is_label).collect()
    }
}

fn below(figure: &PlaceFigure) -> Option<Below> {
    let rate = figure.rate();
    if figure.usual.as_ref().is_some_and(|of| rate < of.low) {
        return Some(Below::Range);
    }
    // No card writes faster than its link, whatever its label says.
    let link = figure.link.as_ref().map_or(f64::INFINITY, |of| of.practice_bytes_per_s);
    let promised = |label: &Label| label.bytes_per_s.min(link) * SHARE_OF_LABEL;
    if figure.label.as_ref().is_some_and(|label| rate < promised(label)) {
        return Some(Below::Label);
    }
    let is_enough = |of: &&Earlier| of.runs.len() >= EARLIER_RUNS;
    let earlier = figure.earlier.as_ref().filter(is_enough)?;
    (rate < earlier.low * SHARE_OF_EARLIER).then_some(Below::Earlier)
}

fn bounded(of: Usual, test: Test, link: Option<&LinkLimit>) -> Usual {
    let Some(practice) = link.map(|link| link.practice_bytes_per_s) else { return of };
    let most = practice * ABOVE_PRACTICE;
    let high = of.high.map_or(most, |high| high.min(most));
    let mut low = of.low.min(practice * LOWEST_OF_LINK);
    if test == Test::SeqRead && practice <= SLOW_LINK_BYTES_PER_S {
        low = low.max(practice * SHARE_OF_SLOW_LINK);
    }
    Usual { low: low.min(high), high: Some(high), ..of }
}

fn widened(of: Usual, kind: &Earlier) -> Usual {
    let is_wider = kind.low < of.low || of.high.is_some_and(|high| kind.high > high);
    if !is_wider {
        return of;
    }
    Usual {
        low: of.low.min(kind.low),
        high: of.high.map(|high| high.max(kind.high)),
        widened_by: kind.runs.clone(),
        ..of
    }
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
