//! The report for a terminal: the answer, a table a workload, findings, and how to use the winner.

use crate::model::finding::Severity;
use crate::model::verdict::Verdict;

use super::TextOptions;
use super::answer::place_table;
use super::document::{Table, number, words};
use super::layout::{Tone, cut, paint, wrap};
use super::view::{Alone, FindingView, Question, Row, View};

/// Lays out a view.
pub fn write(view: &View, options: &TextOptions) -> String {
    let mut page = Page { out: String::new(), width: usize::from(options.width.max(40)), options };
    page.head(view);
    page.place(view);
    page.alone(view);
    for question in &view.questions {
        page.question(question, view);
    }
    page.findings(view);
    page.missing(view);
    page.recipe(view);
    page.foot(view);
    page.out
}

struct Page<'a> {
    out: String,
    width: usize,
    options: &'a TextOptions,
}

impl Page<'_> {
    fn paint(&self, text: &str, tone: Tone) -> String {
        paint(text, tone, self.options.color)
    }

    fn wrap(&mut self, text: &str, first: &str, rest: &str) {
        self.out.push_str(&wrap(text, self.width, first, rest));
    }

    fn heading(&mut self, text: &str) {
        let heading = self.paint(text, Tone::Strong);
        self.out.push_str(&format!("\n{heading}\n"));
    }

    fn head(&mut self, view: &View) {
        let headline = wrap(&view.headline, self.width, "", "");
        for line in headline.lines() {
            let line = self.paint(line, Tone::Strong);
            self.out.push_str(&format!("{line}\n"));
        }
        if let Some(context) = &view.context {
            self.wrap(context, "", "");
        }
        for advice in &view.advice {
            self.wrap(advice, "- ", "  ");
        }
        self.out.push('\n');
        self.wrap(&view.title, "", "  ");
        self.wrap(&view.extent, "", "  ");
        if let Some(ending) = &view.ending {
            self.wrap(ending, "", "  ");
        }
    }

    fn question(&mut self, question: &Question, view: &View) {
        let tone = match question.verdict {
            _ if question.is_alone => Tone::Strong,
            Verdict::Refused => Tone::Bad,
            Verdict::Fastest | Verdict::AsFast | Verdict::Beats | Verdict::Ties => Tone::Good,
            Verdict::Leads | Verdict::Alone | Verdict::NotResolved => Tone::Caution,
        };
        let verdict = self.paint(&question.verdict_word.to_uppercase(), tone);
        let room = self.width.saturating_sub(question.verdict_word.len() + 2);
        let name = match question.summary.is_empty() {
            true => question.workload.clone(),
            false => format!("{}: {}", question.workload, question.summary),
        };
        let name = self.paint(&cut(&name, room), Tone::Strong);
        self.out.push_str(&format!("\n{name}  {verdict}\n"));
        self.wrap(&question.sentence, "", "");
        if !question.rows.is_empty() && !question.is_alone {
            self.out.push('\n');
            self.standings(question);
        }
        if let Some(rounds) = &question.rounds {
            let said = format!("Rounds, {}: {}", question.unit, rounds.line());
            self.wrap(&said, "  ", "  ");
        }
        if let Some(control) = &question.control {
            self.wrap(&format!("A/A control: {control}"), "  ", "  ");
        }
        if let Some(bottleneck) = &question.bottleneck {
            self.wrap(&format!("Bottleneck: {bottleneck}"), "  ", "  ");
        }
        if let Some(energy) = &question.energy {
            self.wrap(&format!("Energy: {energy}"), "  ", "  ");
        }
        for finding in view.own_findings(question) {
            self.finding(finding);
        }
    }

    /// All that one candidate did, before anything is said of it.
    fn alone(&mut self, view: &View) {
        let Some(alone) = Alone::of(view) else { return };
        self.out.push('\n');
        self.out.push_str(&alone.table().text(Some(self.width)));
    }

    /// Four figures of one directory, each with its verdict, range and source.
    fn place(&mut self, view: &View) {
        let Some(place) = &view.place else { return };
        self.heading("Is this normal?");
        for line in place_table(place, self.width) {
            self.out.push_str(&format!("{line}\n"));
        }
        for figure in &place.figures {
            let verdict = format!("{}: {}", figure.name, figure.verdict);
            self.wrap(&verdict, "- ", "  ");
            let source = match figure.source.is_empty() {
                true => String::new(),
                false => format!(". Source: {}", figure.source),
            };
            let usual = format!("{}{source}", figure.usual);
            if !usual.is_empty() {
                self.wrap(&usual, "  ", "  ");
            }
        }
    }

    fn standings(&mut self, question: &Question) {
        let rate = match question.binary_unit {
            Some(binary) => format!("{} ({binary})", question.unit),
            None => question.unit.to_string(),
        };
        let against = match &question.reference {
            Some(reference) => format!("% against {}", cut(reference, 16)),
            None => "not ranked".to_string(),
        };
        let columns = [
            words("tier"),
            words("candidate"),
            number(rate),
            words(against),
            number("p99"),
            number("n"),
        ];
        let cells = |row: &Row| {
            let rate = match &row.binary_rate {
                Some(binary) => format!("{} ({binary})", row.rate),
                None => row.rate.clone(),
            };
            let mut change = match &row.change {
                Some(c) => format!("{} ({} to {})", c.mid, c.low, c.high),
                None => String::new(),
            };
            if let Some(dropped) = &row.dropped {
                change = format!("{change} {dropped}").trim().to_string();
            }
            vec![
                row.tier.map(|tiers| tiers.to_string()).unwrap_or_default(),
                row.candidate.clone(),
                rate,
                change,
                row.p99.clone().unwrap_or_default(),
                row.cells.to_string(),
            ]
        };
        let table = Table::new(columns, question.rows.iter().map(cells));
        self.out.push_str(&table.text(Some(self.width)));
    }

    fn finding(&mut self, finding: &FindingView) {
        let tone = match finding.severity {
            Severity::Refuse | Severity::Error => Tone::Bad,
            Severity::Warn | Severity::Info => Tone::Caution,
        };
        let wrapped = wrap(&finding.line(), self.width, "- ", "  ");
        let painted = self.paint(finding.severity_word, tone);
        self.out.push_str(&wrapped.replacen(finding.severity_word, &painted, 1));
    }

    fn findings(&mut self, view: &View) {
        if !view.findings.is_empty() {
            self.heading("What limits these answers");
            view.findings.iter().for_each(|f| self.finding(f));
        }
        if !view.invalid.is_empty() {
            self.heading("Discarded cells");
            view.invalid.iter().for_each(|line| self.wrap(line, "- ", "  "));
        }
    }

    fn missing(&mut self, view: &View) {
        if !view.missing.is_empty() {
            self.heading("Not measured");
            for (name, reason) in &view.missing {
                self.wrap(&format!("{name}: {reason}"), "- ", "  ");
            }
        }
    }

    fn recipe(&mut self, view: &View) {
        if !view.recipe.is_empty() {
            self.heading("To use it");
            for line in &view.recipe {
                self.out.push_str(&format!("  {line}\n"));
            }
        }
    }

    fn foot(&mut self, view: &View) {
        self.out.push('\n');
        self.wrap(&view.interval_note, "", "");
        if let Some(note) = view.closed_loop_note {
            self.wrap(note, "", "");
        }
        let id = format!("Run {} of {}, bakeoff {}.", view.run, view.started, view.version);
        self.wrap(&id, "", "");
        self.out.push_str(&format!("Repeat it: {}\n", view.repeat));
    }
}
