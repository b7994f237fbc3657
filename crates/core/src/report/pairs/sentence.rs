//! The answer for one workload in words.
//!
//! A sentence carries effect, interval, number of blocks and conditions, and claims no more than
//! the interval does: "by at least" only when its lower end lies beyond the margin, nothing about
//! order inside a tie, and never a superlative.

use crate::analyse::{self, places, scope};
use crate::decide::compare::{Comparison, Pair};
use crate::decide::figure::Figure;
use crate::decide::table::Table;
use crate::decide::{reach, schedule};
use crate::evidence;
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::model::verdict::{Verdict, WorkloadVerdict};
use crate::model::workload::Workload;
use crate::phrases::figures;
use crate::rules;
use crate::rules::limit;
use crate::stats::paired::Interval;
use crate::{phrases, units};

/// The sentence for a verdict of `run`; empty for a workload that is not the run's.
pub fn text(run: &Run, verdict: &WorkloadVerdict) -> String {
    let Some(workload) = WorkloadIx::find(&run.header.workloads, |w| w.name == verdict.workload)
    else {
        return String::new();
    };
    let table = Table::from_evidence(run);
    let compared = Comparison::new(run, &table, workload, schedule::alpha_pair(run));
    let findings = &verdict.findings;
    Words { run, table: &table, at: workload, compared: &compared, findings }.say(verdict.verdict)
}

struct Words<'a> {
    run: &'a Run,
    table: &'a Table,
    at: WorkloadIx,
    compared: &'a Comparison,
    findings: &'a [Finding],
}

impl Words<'_> {
    fn say(&self, verdict: Verdict) -> String {
        if !schedule::has_question(self.run) {
            return self.alone();
        }
        match verdict {
            Verdict::Beats | Verdict::Fastest => self.beats(),
            Verdict::Ties | Verdict::AsFast => self.ties(),
            Verdict::Alone => self.alone(),
            Verdict::NotResolved if self.is_early() => self.early(),
            Verdict::NotResolved | Verdict::Leads => self.open(),
            Verdict::Refused => self.refused(),
        }
    }

    fn workload(&self) -> &Workload {
        &self.run.header.workloads[self.at]
    }

    fn name(&self, candidate: CandidateIx) -> String {
        self.run.header.candidates[candidate].name.clone()
    }

    fn names(&self, candidates: &[CandidateIx]) -> Vec<String> {
        candidates.iter().map(|c| self.name(*c)).collect()
    }

    fn is_early(&self) -> bool {
        (self.table.blocks().len() as u32) < self.run.header.protocol.first_look()
    }

    fn beats(&self) -> String {
        let winner = self.compared.decision.top[0];
        // The next best whose own interval shows it; others may follow through a chain.
        let direct = |p: &&Pair| p.a == winner && p.interval.is_some_and(|i| i.low > 0.0);
        let Some(pair) = self.compared.pairs.iter().find(direct) else { return self.open() };
        let (Some(paired), Some(interval)) = (pair.paired, pair.interval) else {
            return self.open();
        };
        let next = self.name(pair.b);
        let of = match self.compared.ranked.len() {
            2 => String::new(),
            n => format!(", the next best of {n}"),
        };
        let said = format!(
            "{} is {}{of}{}, {}, {}, {}.",
            self.name(winner),
            figures::faster(paired.mean, interval, &next),
            self.against_margin(interval),
            phrases::count(paired.blocks, "paired block"),
            self.workload().summary,
            scope::conditions(&self.run.header)
        );
        self.with_reach(said, &[winner, pair.b])
    }

    /// How the winner's interval lies to the margin of the mode.
    fn against_margin(&self, interval: Interval) -> String {
        let margin = self.run.header.protocol.tie_margin;
        let percent = figures::percent(margin);
        if libm::expm1(interval.low) > margin {
            format!(", more than the margin of {percent}")
        } else if interval.is_inside(margin) {
            format!(", less than the margin of {percent}")
        } else {
            String::new()
        }
    }

    fn ties(&self) -> String {
        let top = &self.compared.decision.top;
        let among: Vec<&Pair> = self
            .compared
            .pairs
            .iter()
            .filter(|p| top.contains(&p.a) && top.contains(&p.b))
            .collect();
        let reach = among.iter().filter_map(|p| p.interval).fold(0.0, |most: f64, i| {
            most.max(libm::expm1(i.high.abs())).max(libm::expm1(i.low.abs()))
        });
        let blocks = among.iter().filter_map(|p| p.paired).map(|p| p.blocks).min().unwrap_or(0);
        let others: Vec<CandidateIx> =
            self.compared.ranked.iter().copied().filter(|c| !top.contains(c)).collect();
        let top_names = phrases::names(&self.names(top));
        let (tie, slower) = match others.len() {
            0 => (format!("Equally fast: {top_names} are"), String::new()),
            _ => (
                format!("{top_names} are"),
                format!(" Slower than these: {}.", phrases::names(&self.names(&others))),
            ),
        };
        let said = format!(
            "{tie} within {} of each other (95 % CI: at most {}), {}, {}, {}.{slower}",
            figures::percent(self.run.header.protocol.tie_margin),
            figures::percent(libm::ceil(reach * 1000.0) / 1000.0),
            phrases::count(blocks, "paired block"),
            self.workload().summary,
            scope::conditions(&self.run.header)
        );
        self.with_reach(said, top)
    }

    /// Adds the conditions under which a claim about these candidates is valid.
    fn with_reach(&self, said: String, about: &[CandidateIx]) -> String {
        let header = &self.run.header;
        let unlike: Vec<String> =
            rules::unlike_promises::differences(header, &self.compared.ranked)
                .into_iter()
                .map(|d| d.words)
                .collect();
        let unlike =
            (!unlike.is_empty()).then(|| format!("Guarantees differ: {}.", unlike.join("; ")));
        let parts = [
            Some(said),
            unlike,
            places::differ_in(header, about),
            scope::reach(header).map(str::to_string),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn early(&self) -> String {
        let protocol = &self.run.header.protocol;
        let first = protocol.first_look();
        let complete = schedule::complete(self.run);
        let missing = first.saturating_sub(complete);
        format!(
            "No verdict yet on {}: {complete} of {first} blocks are complete; {} more {} needed.",
            self.workload().summary,
            missing,
            if missing == 1 { "is" } else { "are" }
        )
    }

    fn open(&self) -> String {
        let top = &self.compared.decision.top;
        let widest = self
            .compared
            .pairs
            .iter()
            .filter(|p| top.contains(&p.a) && top.contains(&p.b))
            .max_by(|x, y| width(x).total_cmp(&width(y)));
        let Some((pair, interval)) = widest.and_then(|p| Some((p, p.interval?))) else {
            return format!(
                "No winner yet for {}: too few blocks have a valid cell of each of {}. {}",
                self.workload().summary,
                phrases::names(&self.names(&self.compared.ranked)),
                self.what_would_tell()
            );
        };
        format!(
            "No winner yet for {}: {} are too close; {} is {} than {} (95 % CI), {}. {}{}",
            self.workload().summary,
            phrases::names(&self.names(top)),
            self.name(pair.a),
            figures::either_way(interval),
            self.name(pair.b),
            phrases::count(pair.paired.map_or(0, |p| p.blocks), "paired block"),
            self.behind(top),
            self.what_would_tell()
        )
    }

    /// What is known all the same: who is behind the best.
    fn behind(&self, top: &[CandidateIx]) -> String {
        let Some(best) = self.compared.ranked.first() else { return String::new() };
        let is_behind = |c: &&CandidateIx| !top.contains(c) && self.compared.is_before(*best, **c);
        let behind: Vec<CandidateIx> =
            self.compared.ranked.iter().filter(is_behind).copied().collect();
        match behind.len() {
            0 => String::new(),
            1 => format!("{} is slower than {}. ", self.name(behind[0]), self.name(*best)),
            _ => {
                let names = phrases::names(&self.names(&behind));
                format!("{names} are slower than {}. ", self.name(*best))
            }
        }
    }

    fn what_would_tell(&self) -> String {
        let protocol = &self.run.header.protocol;
        let verdict = Verdict::NotResolved;
        let blocks = analyse::blocks_to_resolve(self.run, self.table, self.at);
        let time = analyse::resolve_ns(self.run, self.table, self.at, verdict);
        if let (Some(blocks), Some(ns)) = (blocks, time) {
            return format!(
                "About {} more ({}) would give an answer.",
                units::duration(ns),
                phrases::count(blocks, "block")
            );
        }
        let all = phrases::count(protocol.last_block(), "block");
        let margin = figures::percent(protocol.tie_margin);
        let (noise, limit) = (self.noise(), reach::largest_noise(protocol));
        if noise > limit {
            format!(
                "The drive is too noisy for an answer, even with all {all} of this mode: the \
                 block-to-block variation is {}, and a tie within {margin} needs less than {}.",
                figures::percent(noise),
                figures::percent(limit)
            )
        } else {
            format!(
                "All {all} of this mode are not enough for an answer: the difference is too small \
                 for a winner, and too close to the margin of {margin} for a tie."
            )
        }
    }

    /// Largest standard deviation of a paired difference among those not told apart.
    fn noise(&self) -> f64 {
        let top = &self.compared.decision.top;
        let pairs = self.compared.pairs.iter();
        let among = pairs.filter(|p| top.contains(&p.a) && top.contains(&p.b));
        among.filter_map(|p| p.paired).map(|p| p.sd).fold(0.0, f64::max)
    }

    fn refused(&self) -> String {
        let summary = &self.workload().summary;
        if self.compared.ranked.len() < 2 {
            let valid = match self.compared.ranked.first() {
                Some(one) => format!("only {} has a valid result", self.name(*one)),
                None => self.nothing_valid(),
            };
            return format!("No verdict on {summary}: {valid}.");
        }
        format!("No verdict on {summary}: {}.", limit::reasons(self.findings).join("; "))
    }

    /// Why there is no number at all.
    fn nothing_valid(&self) -> String {
        match evidence::discarded(self.run, self.at).last() {
            Some(reason) => format!("every cell was discarded (last reason: {reason})"),
            None => "no valid cell yet".to_string(),
        }
    }

    fn alone(&self) -> String {
        let Some(one) = self.compared.ranked.first() else {
            return format!("No result for {}: {}.", self.workload().summary, self.nothing_valid());
        };
        let metric = self.workload().metric;
        let scores = self.table.scores(self.at, *one);
        let Some(figure) = Figure::from_scores(metric, &scores) else { return String::new() };
        format!(
            "{}: {} ({} to {} in {}), {}, {}.",
            self.name(*one),
            metric.figure(figure.mean),
            metric.figure(figure.min),
            metric.figure(figure.max),
            phrases::count(figure.cells, "block"),
            self.workload().summary,
            scope::conditions(&self.run.header)
        )
    }
}

fn width(pair: &Pair) -> f64 {
    pair.interval.map_or(f64::INFINITY, |i| i.high - i.low)
}
