//! The answer on one screen: 24 lines of 80 columns with seven candidates and five workloads.
//!
//! The recommendation, the table, the bottleneck, what limits the answer, and what to type for
//! more. What does not fit is counted, never dropped in silence. Below 60 columns nothing is cut:
//! each workload is a list of the figures in place of the table.

use crate::TextOptions;
use crate::layout::{Tone, columns, cut, packed, paint, wrap, wrap_command};

use super::{Answer, Line, Matrix, MatrixCell, names, normal, table, wear};

const SCREEN: usize = 24;
/// Lines of the recommendation, at most.
const CHOICE: usize = 6;
/// Lines of the commands, at most.
const COMMANDS: usize = 5;
const LIMITS_MAX: usize = 3;
/// Below so many columns there is no table.
const NARROW: usize = 60;
/// Columns of a workload's name, at most.
const NAME: usize = 24;
const GAP: usize = 2;
/// Columns of a figure beside a name in a list, with its indent.
const FIGURE: usize = 16;

/// Lays an answer out; `report` is the path of the HTML report, where one was written.
pub fn write(answer: &Answer, options: &TextOptions, report: Option<&str>) -> String {
    let screen =
        AnswerScreen { answer, width: usize::from(options.width.max(40)), color: options.color };
    let mut lines = screen.choice();
    lines.extend(screen.commands());
    for part in [screen.answers(), screen.tables()] {
        if !part.is_empty() {
            lines.push(String::new());
            lines.extend(part);
        }
    }
    lines.push(String::new());
    lines.extend(answer.bottleneck.iter().flat_map(|said| screen.sentence(said)));
    let foot = screen.foot(report, answer.limits.len()).len();
    let (limits, shown) = screen.limits(SCREEN.saturating_sub(lines.len() + foot));
    lines.extend(limits);
    lines.extend(screen.foot(report, answer.limits.len() - shown));
    lines.join("\n") + "\n"
}

struct AnswerScreen<'a> {
    answer: &'a Answer,
    width: usize,
    color: bool,
}

impl AnswerScreen<'_> {
    fn is_narrow(&self) -> bool {
        self.width < NARROW
    }

    /// What the figures of the table are, beside those of the leaders.
    fn what(&self) -> &'static str {
        if self.answer.is_by_wear { "" } else { "% of the leader" }
    }

    fn wrapped(&self, text: &str, rest: &str) -> Vec<String> {
        wrap(text, self.width, "", rest).lines().map(str::to_string).collect()
    }

    fn sentence(&self, text: &str) -> Vec<String> {
        self.wrapped(text, "  ")
    }

    /// The first limits that have room in `most` lines, the first in any case, and their number.
    fn limits(&self, most: usize) -> (Vec<String>, usize) {
        let mut lines: Vec<String> = Vec::new();
        for (shown, limit) in self.answer.limits.iter().enumerate() {
            let own = self.sentence(&limit.whole());
            if shown == LIMITS_MAX || shown > 0 && lines.len() + own.len() > most {
                return (lines, shown);
            }
            let tone = if limit.is_severe { Tone::Bad } else { Tone::Plain };
            lines.extend(own.iter().map(|line| paint(line, tone, self.color)));
        }
        (lines, self.answer.limits.len())
    }

    /// The recommendation and as many of its notes as fit, the first first.
    fn choice(&self) -> Vec<String> {
        let choice = &self.answer.choice;
        let most = if self.is_narrow() { 2 * CHOICE } else { CHOICE };
        let mut said = self.wrapped(&choice.said, "");
        if said.len() > most {
            said.truncate(most);
            said[most - 1] = cut(&format!("{} …", said[most - 1]), self.width);
        }
        let mut notes = String::new();
        for note in &choice.notes {
            let longer = format!("{notes} {note}").trim().to_string();
            if self.wrapped(&longer, "").len() + said.len() <= most {
                notes = longer;
            }
        }
        let mut lines: Vec<String> =
            said.iter().map(|line| paint(line, Tone::Strong, self.color)).collect();
        if !notes.is_empty() {
            lines.extend(self.wrapped(&notes, ""));
        }
        lines
    }

    fn commands(&self) -> Vec<String> {
        let commands = &self.answer.choice.commands;
        if commands.is_empty() {
            return Vec::new();
        }
        let one = format!("  {}", commands.join(" && "));
        let fits = |line: &String| columns(line) <= self.width;
        if fits(&one) && !one.contains('#') {
            return vec![one];
        }
        let each =
            commands.iter().map(|c| wrap_command(c, self.width, "  ", "    ")).collect::<String>();
        // A shell does not continue a comment.
        let is_whole = commands.iter().all(|c| !c.contains('#') || fits(&format!("  {c}")));
        if is_whole && each.lines().count() <= COMMANDS {
            each.lines().map(str::to_string).collect()
        } else {
            vec![format!("  Commands: bakeoff show {} --details", self.answer.id)]
        }
    }

    /// What no table of candidates has: a place's figures and what is normal, a candidate alone,
    /// factors, companions and slow drives.
    fn answers(&self) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        if let Some(place) = &self.answer.place {
            let table = normal::table(place, false).text(self.width);
            shown.extend(table.lines().map(str::to_string));
        }
        if self.answer.matrix.is_none() {
            shown.extend(self.alone());
        }
        for said in self.answer.factors.iter().chain(&self.answer.beside) {
            shown.extend(self.sentence(said));
        }
        shown
    }

    /// A line for each workload of a candidate that is compared with nobody.
    fn alone(&self) -> Vec<String> {
        let lines = &self.answer.lines;
        let name = lines.iter().map(|l| columns(&l.workload)).max().unwrap_or(0).min(NAME);
        let blocks = lines.iter().map(|l| format!("n={}", l.blocks).len()).max().unwrap_or(0);
        let room = self.width.saturating_sub(name + GAP + 1 + blocks);
        let line = |line: &Line| {
            let (label, n) = (cut(&line.workload, name), format!("n={}", line.blocks));
            let text = cut(&line.figure, room);
            format!("{label:<name$}{:GAP$}{text:<room$} {n:>blocks$}", "")
        };
        self.answer.lines_beside_place().map(line).collect()
    }

    fn tables(&self) -> Vec<String> {
        let mut lines = self.is_it_normal();
        if let Some(matrix) = self.answer.matrix.as_ref().filter(|of| of.has_figures()) {
            if self.answer.is_by_wear {
                lines.push(format!("{}:", wear::TITLE));
            }
            if self.is_narrow() {
                lines.extend(self.lists(matrix));
            } else {
                let parts = table::parts(matrix, self.what(), self.width, self.color);
                lines.extend(parts.join(&String::new()));
            }
        }
        if self.answer.wear.is_some() {
            lines.push(format!("Wear: bakeoff show {} --by wear", self.answer.id));
        }
        lines
    }

    /// Workloads without a table: all figures of each, from the fastest to the slowest.
    fn lists(&self, matrix: &Matrix) -> Vec<String> {
        let each = self.answer.lines.iter().enumerate();
        let mut lines: Vec<String> =
            each.flat_map(|(at, line)| self.list(line, matrix, at)).collect();
        let signs = std::iter::once("* certain".to_string());
        lines.extend(packed(signs.chain(table::legend(matrix, self.what())), self.width, "   "));
        lines
    }

    fn list(&self, line: &Line, matrix: &Matrix, at: usize) -> Vec<String> {
        let mut lines = self.sentence(&format!("{} (n={}):", line.workload, line.blocks));
        let names: Vec<String> = matrix.rows.iter().map(|row| row.name.clone()).collect();
        let names = names::labels(&names, self.width.saturating_sub(FIGURE));
        let mut cells: Vec<(&String, &MatrixCell)> =
            names.iter().zip(matrix.rows.iter().map(|row| &row.cells[at])).collect();
        let share = |cell: &MatrixCell| cell.ratio.map_or(0.0, |(mean, ..)| mean);
        cells.sort_by(|x, y| share(y.1).total_cmp(&share(x.1)));
        let last = cells.len().saturating_sub(1);
        let pieces = cells.iter().enumerate().map(|(i, (name, cell))| {
            let comma = if i < last { "," } else { "" };
            format!("{name} {}{}", cell.label, cell.mark()).trim_end().to_string() + comma
        });
        lines.extend(packed(pieces, self.width - 2, " ").iter().map(|list| format!("  {list}")));
        lines
    }

    fn is_it_normal(&self) -> Vec<String> {
        let Some(place) = &self.answer.place else { return Vec::new() };
        let mut lines = Vec::new();
        for f in place.figures.iter().filter(|f| !f.is_unknown) {
            let verdict = self.sentence(&format!("{}: {}", f.name, f.verdict));
            lines.extend(verdict.iter().map(|line| paint(line, f.tone, self.color)));
        }
        if !lines.is_empty() {
            lines.insert(0, "Is this normal?".to_string());
        }
        lines
    }

    fn foot(&self, report: Option<&str>, hidden: usize) -> Vec<String> {
        let id = &self.answer.id;
        // Right below the findings: so many more of them, and everything else.
        let more = match hidden {
            0 => "More".to_string(),
            n => format!("{n} more"),
        };
        let mut pieces = vec![match report {
            Some(path) => format!("Report: {path}"),
            None => format!("Report: bakeoff show {id} -o r.html"),
        }];
        pieces.push(format!("{more}: bakeoff show {id} --details"));
        pieces.extend(self.answer.resume.iter().map(|how| format!("Continue: {how}")));
        packed(pieces, self.width, "  ")
    }
}
