//! The answer on one screen: 24 lines of 80 columns with seven candidates and five workloads.
//!
//! The recommendation, one line a workload, the table, the bottleneck, what limits the answer, and
//! what to type for more. What does not fit is counted, never dropped in silence. Below 60 columns
//! nothing is cut: each workload is a paragraph with a list of the figures in place of the table.

use crate::TextOptions;
use crate::layout::{Tone, columns, cut, packed, paint, wrap, wrap_command};
use bakeoff_model::verdict::Verdict;

use super::{Answer, Line, Matrix, MatrixCell, names, normal, table, wear};

const SCREEN: usize = 24;
/// Lines of the recommendation, the findings and what separates them, at least.
const LEAST: usize = 7;
/// Lines of the recommendation where there is little space, and at most.
const CHOICE: (usize, usize) = (3, 6);
/// Lines of the commands, at most.
const COMMANDS: usize = 5;
const BLANKS_MAX: usize = 3;
const LIMITS_MAX: usize = 3;
/// Below so many columns every sentence takes several lines: cut to one, too little would be left.
const NARROW: usize = 60;
/// Columns of a workload's name, at most.
const NAME: usize = 24;
const GAP: usize = 2;
/// Columns of a figure beside a name in a list, with its indent.
const FIGURE: usize = 16;
/// Lines of the foot, as a rule.
const FOOT: usize = 2;

/// Lays an answer out; `report` is the path of the HTML report, where one was written.
pub fn write(answer: &Answer, options: &TextOptions, report: Option<&str>) -> String {
    let screen =
        AnswerScreen { answer, width: usize::from(options.width.max(40)), color: options.color };
    let answers = screen.answers();
    let mut tables: Vec<String> = screen.is_it_normal();
    for (i, part) in screen.tables().into_iter().enumerate() {
        if i > 0 {
            tables.push(String::new());
        }
        tables.extend(part);
    }
    let wear = screen.wear(SCREEN.saturating_sub(LEAST + answers.len() + tables.len()));
    tables.extend(wear);
    let bottleneck: Vec<String> =
        answer.bottleneck.iter().flat_map(|b| screen.sentence(b, "")).collect();
    let foot = |hidden: usize| screen.foot(report, hidden);
    let fixed = answers.len() + tables.len() + bottleneck.len() + foot(answer.limits.len()).len();
    // With more candidates or workloads the screen is longer, by no more than their lines.
    let room = SCREEN.saturating_sub(fixed).max(LEAST);
    let commands = screen.commands();
    let spare = room.saturating_sub(commands.len() + LIMITS_MAX + BLANKS_MAX);
    let choice = screen.choice(if screen.is_narrow() {
        2 * CHOICE.1
    } else {
        spare.clamp(CHOICE.0, CHOICE.1)
    });
    let left = room.saturating_sub(choice.len() + commands.len());
    // Two blank lines are worth more than a third finding.
    let (limits, shown) = screen.limits(left.saturating_sub(2));
    let blanks = left.saturating_sub(limits.len()).min(BLANKS_MAX);
    let blank = |at: usize| (blanks > at).then(String::new);
    let mut lines = choice;
    lines.extend(commands);
    lines.extend(blank(0));
    lines.extend(answers);
    lines.extend(blank(1).filter(|_| !tables.is_empty()));
    lines.extend(tables);
    lines.extend(blank(2));
    lines.extend(bottleneck);
    lines.extend(limits);
    lines.extend(foot(answer.limits.len() - shown));
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

    fn sentence(&self, text: &str, indent: &str) -> Vec<String> {
        wrap(text, self.width, indent, "  ").lines().map(str::to_string).collect()
    }

    /// The first limits that have room in `most` lines, the first in any case, and their number.
    fn limits(&self, most: usize) -> (Vec<String>, usize) {
        let mut lines: Vec<String> = Vec::new();
        for (shown, limit) in self.answer.limits.iter().enumerate() {
            let own = self.sentence(&limit.whole(), "");
            if shown == LIMITS_MAX || shown > 0 && lines.len() + own.len() > most {
                return (lines, shown);
            }
            let tone = if limit.is_severe { Tone::Bad } else { Tone::Plain };
            lines.extend(own.iter().map(|line| paint(line, tone, self.color)));
        }
        (lines, self.answer.limits.len())
    }

    /// The recommendation and as many of its notes as fit into `most` lines, the needed ones first.
    fn choice(&self, most: usize) -> Vec<String> {
        let choice = &self.answer.choice;
        let lines = |text: &str| -> Vec<String> {
            wrap(text, self.width, "", "").lines().map(str::to_string).collect()
        };
        let said = lines(&choice.said);
        let strong = said.len().min(most);
        let mut shown: Vec<String> =
            said[..strong].iter().map(|l| paint(l, Tone::Strong, self.color)).collect();
        if strong < said.len() {
            shown[strong - 1] =
                paint(&ends(&said[strong - 1], self.width), Tone::Strong, self.color);
        }
        let fits = |text: &str| lines(text).len() + strong <= most;
        let needed = choice.notes[..choice.brief.len().min(choice.notes.len())].join(" ");
        let mut notes = if fits(&needed) { needed } else { choice.brief.join(" ") };
        // Those that mislead if they are missing are there; others as far as they fit.
        let others = self.answer.others.iter().filter(|of| !of.is_slower).map(|of| &of.sentence);
        for note in choice.notes.iter().skip(choice.brief.len()).chain(others) {
            let longer = format!("{notes} {note}").trim().to_string();
            if fits(&longer) {
                notes = longer;
            }
        }
        if !notes.is_empty() {
            shown.extend(lines(&notes));
        }
        shown
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
            self.sentence(&format!("Commands: bakeoff show {} --details", self.answer.id), "  ")
        }
    }

    fn answers(&self) -> Vec<String> {
        let lines = &self.answer.lines;
        let longest = lines.iter().map(|l| columns(&l.workload)).max().unwrap_or(0);
        let name = longest.min(NAME);
        let mut shown: Vec<String> = Vec::new();
        if let Some(place) = &self.answer.place {
            let table = normal::table(place, false).text(self.width);
            shown.extend(table.lines().map(str::to_string));
        }
        let figures = || self.answer.place.iter().flat_map(|place| &place.figures);
        let is_other = |line: &&Line| !figures().any(|figure| figure.is_of(&line.workload));
        match (&self.answer.matrix, self.is_narrow()) {
            (Some(matrix), true) => {
                let each = lines.iter().enumerate();
                shown.extend(each.flat_map(|(at, line)| self.paragraph(line, matrix, at)));
                let signs = table::legend(matrix, self.what());
                let signs = std::iter::once("* certain".to_string()).chain(signs);
                shown.extend(packed(signs, self.width, "   "));
            }
            // The table has all that is said of each workload.
            _ if self.answer.is_by_wear => shown.push(format!("{}:", wear::TITLE)),
            _ => shown.extend(lines.iter().filter(is_other).map(|line| self.line(line, name))),
        }
        let slower = self.answer.others.iter().filter(|of| of.is_slower).map(|of| &of.sentence);
        for said in self.answer.factors.iter().chain(&self.answer.beside).chain(slower) {
            shown.extend(wrap(said, self.width, "", "  ").lines().map(str::to_string));
        }
        shown
    }

    fn line(&self, line: &Line, name: usize) -> String {
        let n = format!("n={}", line.blocks);
        let most = self.answer.lines.iter().map(|l| l.blocks).max().unwrap_or(0);
        let n_width = format!("n={most}").len();
        let room = self.width.saturating_sub(name + GAP + 1 + n_width);
        let text = match self.answer.matrix {
            Some(_) => line.short(room),
            None => cut(&line.figure, room),
        };
        let tone = tone(line.verdict.verdict);
        let blanks = " ".repeat(room.saturating_sub(columns(&text)));
        let label = cut(&line.workload, name);
        let text = paint(&text, tone, self.color);
        format!("{label:<name$}{:GAP$}{text}{blanks} {n:>n_width$}", "")
    }

    /// A workload without a table: its answer, then all figures from the fastest to the slowest.
    fn paragraph(&self, line: &Line, matrix: &Matrix, at: usize) -> Vec<String> {
        let label = format!("{} (n={}):", line.workload, line.blocks);
        let short = match line.verdict.lead {
            Some(_) => line.short((2 * self.width).saturating_sub(columns(&label))),
            None => line.said.clone(),
        };
        let said = self.sentence(&format!("{label} {short}"), "");
        let tone = tone(line.verdict.verdict);
        let mut lines: Vec<String> = said.iter().map(|l| paint(l, tone, self.color)).collect();
        let names: Vec<String> = matrix.rows.iter().map(|row| row.name.clone()).collect();
        let names = names::labels(&names, self.width.saturating_sub(FIGURE));
        let mut cells: Vec<(&String, &MatrixCell)> =
            names.iter().zip(matrix.rows.iter().map(|row| &row.cells[at])).collect();
        let share = |cell: &MatrixCell| cell.ratio.map_or(0.0, |(mean, ..)| mean);
        cells.sort_by(|x, y| share(y.1).total_cmp(&share(x.1)));
        let last = cells.len().saturating_sub(1);
        let piece = |(i, (name, cell)): (usize, &(&String, &MatrixCell))| {
            let comma = if i < last { "," } else { "" };
            format!("{name} {}{}", cell.label, cell.mark()).trim_end().to_string() + comma
        };
        let pieces = cells.iter().enumerate().map(piece);
        lines.extend(packed(pieces, self.width - 2, " ").iter().map(|list| format!("  {list}")));
        lines
    }

    fn is_it_normal(&self) -> Vec<String> {
        let Some(place) = &self.answer.place else { return Vec::new() };
        let mut lines = vec!["Is this normal?".to_string()];
        for f in place.figures.iter().filter(|f| !f.is_unknown) {
            let verdict = self.sentence(&format!("{}: {}", f.name, f.verdict), "");
            lines.extend(verdict.iter().map(|line| paint(line, f.tone, self.color)));
            if !f.earlier.is_empty() {
                lines.extend(self.sentence(&f.earlier, "  "));
            }
        }
        if lines.len() == 1 {
            lines.clear();
        }
        lines
    }

    fn tables(&self) -> Vec<Vec<String>> {
        match &self.answer.matrix {
            Some(matrix) if matrix.has_figures() && !self.is_narrow() => {
                table::parts(matrix, self.what(), self.width, self.color)
            }
            _ => Vec::new(),
        }
    }

    /// What candidates cost the flash: a table where there is space for one, else how to see it.
    fn wear(&self, room: usize) -> Vec<String> {
        let Some(matrix) = &self.answer.wear else { return Vec::new() };
        let title = paint(&cut(&format!("{}:", wear::TITLE), self.width), Tone::Grey, self.color);
        let parts = table::parts(matrix, "", self.width, self.color);
        let lines: Vec<String> = std::iter::once(title).chain(parts.concat()).collect();
        if lines.len() + FOOT <= room && !self.is_narrow() {
            lines
        } else {
            self.sentence(&format!("Wear: bakeoff show {} --by wear", self.answer.id), "")
        }
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

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Fastest | Verdict::AsFast => Tone::Good,
        Verdict::Leads => Tone::Caution,
        Verdict::Refused => Tone::Bad,
        _ => Tone::Plain,
    }
}

fn ends(line: &str, width: usize) -> String {
    cut(&format!("{line} …"), width)
}
