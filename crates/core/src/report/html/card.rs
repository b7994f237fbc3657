//! A card of 1200 x 630: the answer, board, drive and the matrix in one picture, of the size that
//! chats and forums show. An SVG here; the program makes the PNG of it, without a browser.
//!
//! The letters are those of the font that is bundled for it: others become a question mark, so that
//! no empty box stands for a name. Text goes through askama, which escapes it.

use askama::Template;

use crate::model::run::Run;
use crate::model::verdict::Analysis;
use crate::report::answer::{self, Answer};
use crate::report::layout::cut;
use crate::report::view::{Alone, View};

use super::SYMBOLS;
use super::matrix::{Drawn, MatrixPage, Mini};

/// Left and right ends of what is drawn, pixels.
const SIDES: (f64, f64) = (48.0, 1152.0);
/// Room for the names of candidates.
const NAMES: f64 = 190.0;
/// Letters of a name that fit into it.
const NAME_LETTERS: usize = 16;
/// Room for a figure or a share beside its interval.
const FIGURE: f64 = 92.0;
/// The last pixel that a line of the table may take.
const BOTTOM: f64 = 580.0;
/// Candidates and workloads that are drawn; more are counted.
const ROWS_MAX: usize = 8;
const COLUMNS_MAX: usize = 5;
/// A line of the answer is so many letters of its size wide.
const ANSWER: [(f64, usize); 3] = [(38.0, 54), (32.0, 64), (27.0, 76)];
/// Lines of the answer.
const ANSWER_LINES: usize = 2;
/// Letters of a line of the set-up.
const SETUP: usize = 118;
/// Lines where nothing is compared.
const LINES_MAX: usize = 8;
/// The colours of candidates by day, as web/src/colors.css has them.
const COLORS: [&str; super::COLORS] =
    ["#0072b2", "#d55e00", "#009e73", "#b8578f", "#c98500", "#3a9bdc", "#2f3337", "#8a8200"];

/// The card of a run as an SVG.
pub fn card(run: &Run, analysis: &Analysis) -> String {
    let view = View::new(run, analysis);
    let styles: Vec<String> = view.columns.iter().map(|c| c.name.clone()).collect();
    let answer = answer::applies(run).then(|| Answer::new(run, analysis));
    let matrix = answer.as_ref().and_then(|a| MatrixPage::new(0, a, &view, &styles));
    let (answer_size, said) = sized(&view.headline);
    let mut y = 78.0;
    let answer_lines = placed(said, &mut y, answer_size * 1.2);
    let facts: Vec<String> = view.setup.iter().map(|(_, value)| value.clone()).collect();
    y += 8.0;
    let setup = placed(wrapped(&facts, SETUP), &mut y, 26.0);
    let top = y + 56.0;
    let lines = match matrix {
        Some(_) => Vec::new(),
        None => placed(spoken(&view), &mut y, 34.0),
    };
    let table = matrix.map(|matrix| Table::of(matrix, top)).unwrap_or_default();
    let svg = CardSvg {
        symbols: SYMBOLS,
        title: plain(&cut(&view.title, 90)),
        answer: answer_lines,
        answer_size,
        setup,
        top,
        foot: plain(&foot(&view, &table)),
        lines,
        heads: table.heads,
        rows: table.rows,
        row_height: table.row_height,
        bar_width: table.bar_width,
    };
    // Rendering into a String fails only when a Display of ours does, and none of them can.
    svg.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "card.svg", escape = "html")]
struct CardSvg {
    symbols: &'static [&'static str],
    title: String,
    answer: Vec<Text>,
    answer_size: f64,
    setup: Vec<Text>,
    top: f64,
    lines: Vec<Text>,
    heads: Vec<Head>,
    rows: Vec<Row>,
    row_height: f64,
    bar_width: f64,
    foot: String,
}

/// A line of text and its base line.
struct Text {
    y: f64,
    text: String,
}

/// The name of a workload and where it begins.
struct Head {
    x: f64,
    text: String,
}

/// A candidate.
struct Row {
    y: f64,
    middle: f64,
    name: String,
    symbol: usize,
    color: &'static str,
    weight: u16,
    cells: Vec<Cell>,
}

/// A candidate on a workload.
struct Cell {
    x: f64,
    text_x: f64,
    drawn: Option<Drawn>,
    band: (String, String),
    one: String,
    fill: &'static str,
    text: String,
    text_fill: &'static str,
    weight: u16,
}

/// The matrix, placed.
#[derive(Default)]
struct Table {
    heads: Vec<Head>,
    rows: Vec<Row>,
    row_height: f64,
    bar_width: f64,
    /// Candidates and workloads that are not drawn.
    left_out: (usize, usize),
    margin: String,
}

impl Table {
    fn of(matrix: MatrixPage, top: f64) -> Table {
        let columns = matrix.heads.len().min(COLUMNS_MAX);
        let left_out = (matrix.rows.len().saturating_sub(ROWS_MAX), matrix.heads.len() - columns);
        let shown = matrix.rows.len().clamp(1, ROWS_MAX);
        let row_height = libm::floor((BOTTOM - top) / shown as f64).clamp(24.0, 48.0);
        let width = (SIDES.1 - SIDES.0 - NAMES) / columns.max(1) as f64;
        let x = |column: usize| SIDES.0 + NAMES + width * column as f64;
        let bar_width = (width - FIGURE - 14.0).min(360.0);
        let heads = matrix.heads.iter().take(columns).enumerate();
        // A letter of this size is 9 pixels wide.
        let letters = (width / 9.0) as usize;
        let heads = heads.map(|(i, head)| {
            let name = if head.name.chars().count() > letters { &head.short } else { &head.name };
            Head { x: x(i), text: plain(&cut(name, letters)) }
        });
        let heads = heads.collect();
        let names: Vec<String> = matrix.rows.iter().map(|row| row.name.clone()).collect();
        let names = answer::short_names(&names, NAME_LETTERS);
        let rows = matrix.rows.into_iter().take(ROWS_MAX).enumerate().map(|(i, row)| {
            let y = top + row_height * i as f64;
            let color = COLORS[row.style % COLORS.len()];
            let cells = row.cells.into_iter().take(columns).enumerate();
            Row {
                y,
                middle: y + row_height / 2.0,
                name: plain(&names[i]),
                symbol: row.style % SYMBOLS.len(),
                color,
                weight: if row.is_chosen { 600 } else { 400 },
                cells: cells
                    .map(|(i, mini)| cell(mini, color, x(i), x(i) + bar_width + 8.0))
                    .collect(),
            }
        });
        Table {
            heads,
            rows: rows.collect(),
            row_height,
            bar_width,
            left_out,
            margin: matrix.margin,
        }
    }
}

fn cell(mini: Mini, color: &'static str, x: f64, text_x: f64) -> Cell {
    let (is_first, is_certain) = (mini.class.starts_with("leader"), mini.class != "open");
    let is_hollow = mini.class == "leader" || !is_certain;
    Cell {
        x,
        text_x,
        drawn: mini.drawn,
        band: mini.band,
        one: mini.one,
        fill: if is_hollow { "#fdfdfb" } else { color },
        text: plain(&mini.words),
        text_fill: match mini.class {
            "leader certain" | "equal" => "#00714f",
            "out" => "#646c74",
            _ => "#1d2125",
        },
        weight: if is_first || mini.class == "equal" { 600 } else { 400 },
    }
}

/// Lines below one another, the last of them at `y` afterwards.
fn placed(texts: Vec<String>, y: &mut f64, step: f64) -> Vec<Text> {
    let line = |text: String| {
        *y += step;
        Text { y: *y, text: plain(&text) }
    };
    texts.into_iter().map(line).collect()
}

/// What the marks mean, and what is not drawn.
fn foot(view: &View, table: &Table) -> String {
    let mut parts = Vec::new();
    if !table.rows.is_empty() {
        parts.push(format!(
            "Rate as a share of the leader's, with its interval. Shaded: equal, within {}.",
            table.margin
        ));
    }
    if table.left_out != (0, 0) {
        let (candidates, workloads) = table.left_out;
        parts.push(format!(
            "Not shown: {}.",
            [(candidates, "candidate"), (workloads, "workload")]
                .into_iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, noun)| crate::words::count(n as u32, noun))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    parts.push(format!("Run {}, bakeoff {}.", view.short_id, view.version));
    parts.join(" ")
}

/// What each workload came to, where there is no matrix.
fn spoken(view: &View) -> Vec<String> {
    let mut lines: Vec<String> = match Alone::of(view) {
        Some(alone) => {
            alone.lines.iter().map(|l| format!("{}: {}", l.workload, l.figure)).collect()
        }
        None => view.questions.iter().map(|q| format!("{}: {}", q.title, q.sentence)).collect(),
    };
    let more = lines.len().saturating_sub(LINES_MAX);
    if more > 0 {
        lines.truncate(LINES_MAX);
        lines.push(format!("and {}", crate::words::count(more as u32, "more line")));
    }
    lines.iter().map(|line| cut(line, 100)).collect()
}

/// The answer in the largest letters in which it fits; in the smallest it ends in an ellipsis.
fn sized(text: &str) -> (f64, Vec<String>) {
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    for (size, letters) in ANSWER {
        let lines = filled(&words, letters, " ");
        if lines.len() <= ANSWER_LINES {
            return (size, lines);
        }
    }
    let (size, letters) = ANSWER[ANSWER.len() - 1];
    let mut lines = filled(&words, letters, " ");
    lines.truncate(ANSWER_LINES + 1);
    if let Some(last) = lines.last_mut() {
        *last = cut(&format!("{last} …"), letters);
    }
    (size, lines)
}

/// Facts in lines, each fact whole.
fn wrapped(facts: &[String], letters: usize) -> Vec<String> {
    filled(facts, letters, "  ·  ")
}

fn filled(parts: &[String], letters: usize, between: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let part = cut(part, letters);
        let fits = |line: &String| {
            line.chars().count() + between.chars().count() + part.chars().count() <= letters
        };
        match lines.last_mut().filter(|line| fits(line)) {
            Some(line) => {
                line.push_str(between);
                line.push_str(&part);
            }
            None => lines.push(part),
        }
    }
    lines
}

/// Signs beyond Latin-1.
const OTHERS: &str = "–—‘’“”…−";

/// Letters that the bundled font has; web/build.mjs has the same list.
fn plain(text: &str) -> String {
    let is_known = |c: char| matches!(c, ' '..='~' | '\u{a0}'..='ÿ') || OTHERS.contains(c);
    text.chars().map(|c| if is_known(c) { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;

    fn of(names: &[&str]) -> String {
        let rate = |block: u32, c: u16, _: u16| 1000.0 / f64::from(c + 1) + f64::from(block);
        let run = RunBuilder::stacks(names).play(5, rate).build();
        card(&run, &analyse(&run))
    }

    #[test]
    fn a_card_has_the_answer_the_set_up_and_a_row_for_each_candidate() {
        let svg = of(&["ext4", "xfs", "btrfs"]);
        assert!(svg.contains("width=\"1200\" height=\"630\""));
        for name in ["ext4", "xfs", "btrfs"] {
            assert!(svg.contains(&format!(">{name}</text>")), "{name}: {svg}");
        }
        // The third is so far behind that an arrow at the edge takes the place of its point.
        assert_eq!(svg.matches("href=\"#s").count(), 5, "three marks and two points");
        assert_eq!(svg.matches("M4 -6L-4 0L4 6").count(), 1, "an arrow");
        assert_eq!(svg, of(&["ext4", "xfs", "btrfs"]));
    }

    #[test]
    fn hostile_names_are_text_and_letters_without_a_glyph_are_question_marks() {
        let svg = of(&["</text><script>", "日本"]);
        assert!(!svg.contains("<script"), "{svg}");
        assert!(svg.contains("&#60;/text&#62;&#60;sc") && svg.contains(">??</text>"), "{svg}");
    }

    #[test]
    fn candidates_that_do_not_fit_are_counted() {
        let names: Vec<String> = (0..11).map(|n| format!("fs{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(of(&names).contains("Not shown: 3 candidates."));
    }

    #[test]
    fn a_long_answer_gets_smaller_letters_and_ends_in_an_ellipsis_at_last() {
        assert_eq!(sized("short"), (38.0, vec!["short".to_string()]));
        let long = "word ".repeat(40);
        let (size, lines) = sized(&long);
        assert!(size < 38.0 && lines.iter().all(|line| !line.is_empty()));
        let (size, lines) = sized(&"word ".repeat(100));
        assert!(size == 27.0 && lines.len() == 3 && lines[2].ends_with('…'), "{lines:?}");
    }

    #[test]
    fn the_colours_are_those_of_the_page() {
        let css = include_str!("../../../../../web/src/colors.css");
        for (i, color) in COLORS.iter().enumerate() {
            assert!(css.contains(&format!("--c{i}: light-dark({color}, ")), "{color}");
        }
    }
}
