//! A card of 1200 x 630: the answer, board, drive and the matrix in one picture, of the size that
//! chats and forums show.

use crate::answer::{self, Matrix, MatrixCell, Place};
use crate::layout::{cut, packed};
use crate::run_document::RunDocument;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;

use super::matrix::MatrixPage;
use super::picture::{Letters, Picture, Point};
use super::{COLORS, SYMBOLS};

const SIZE: Point = (1200.0, 630.0);
const SIDES: Point = (48.0, 1152.0);
const NAMES: f64 = 190.0;
const NAME_LETTERS: usize = 16;
const BOTTOM: f64 = 580.0;
/// Candidates and workloads that are drawn; more are counted.
const ROWS_MAX: usize = 8;
const COLUMNS_MAX: usize = 8;
/// Size of the answer's letters, and how many fit on a line.
const ANSWER: (f64, usize) = (30.0, 68);
const SETUP: usize = 118;
const LINES_MAX: usize = 8;
const PAPER: &str = "#fdfdfb";
const TEXT: &str = "#1d2125";
const MUTED: &str = "#646c74";
const LINE: &str = "#e2e4e3";
const GOOD: &str = "#00714f";

pub fn card(run: &Run, analysis: &Analysis) -> String {
    let document = RunDocument::new(run, analysis);
    let matrix = MatrixPage::new("", &document);
    let mut picture = Picture::default();
    picture.rect((0.0, 0.0), SIZE, PAPER, 1.0);
    picture.rect((0.0, 0.0), (SIZE.0, 10.0), COLORS[0], 1.0);
    picture.text((SIDES.0, 52.0), bold(22.0, COLORS[0]), "bakeoff");
    let title = Letters { is_right: true, ..thin(19.0, MUTED) };
    picture.text((SIDES.1, 52.0), title, &cut(&document.title, 90));
    let words = document.answer.choice.said.split_whitespace().map(str::to_string);
    let mut y = 78.0;
    for text in packed(words, ANSWER.1, " ") {
        y += ANSWER.0 * 1.2;
        picture.text((SIDES.0, y), bold(ANSWER.0, TEXT), &text);
    }
    y += 8.0;
    let facts: Vec<String> = document.setup.iter().map(|(_, value)| value.clone()).collect();
    for text in filled(&facts, SETUP, "  ·  ") {
        y += 26.0;
        picture.text((SIDES.0, y), thin(18.0, MUTED), &text);
    }
    let table = matrix.as_ref().map(|matrix| CardTable::from_matrix(matrix, y + 56.0));
    match &table {
        Some(table) => table.draw(&mut picture),
        None => {
            for text in spoken(&document) {
                y += 34.0;
                picture.text((SIDES.0, y), thin(21.0, TEXT), &text);
            }
        }
    }
    let foot = foot(&document, table.as_ref());
    picture.text((SIDES.0, 607.0), thin(16.0, MUTED), &foot);
    picture.svg(SIZE)
}

fn thin(size: f64, color: &'static str) -> Letters {
    Letters { size, color, is_bold: false, is_right: false }
}

fn bold(size: f64, color: &'static str) -> Letters {
    Letters { is_bold: true, ..thin(size, color) }
}

struct CardTable<'a> {
    matrix: &'a MatrixPage<'a>,
    top: f64,
    row_height: f64,
    columns: usize,
    column_width: f64,
}

impl CardTable<'_> {
    fn from_matrix<'a>(matrix: &'a MatrixPage<'a>, top: f64) -> CardTable<'a> {
        let columns = matrix.table.columns.len().min(COLUMNS_MAX);
        let shown = matrix.table.rows.len().clamp(1, ROWS_MAX);
        let row_height = libm::floor((BOTTOM - top) / shown as f64).clamp(24.0, 48.0);
        let column_width = (SIDES.1 - SIDES.0 - NAMES) / columns.max(1) as f64;
        CardTable { matrix, top, row_height, columns, column_width }
    }

    fn x(&self, column: usize) -> f64 {
        SIDES.0 + NAMES + self.column_width * column as f64
    }

    fn left_out(&self) -> [usize; 2] {
        let Matrix { rows, columns, .. } = self.matrix.table;
        [rows.len().saturating_sub(ROWS_MAX), columns.len() - self.columns]
    }

    fn draw(&self, picture: &mut Picture) {
        // A letter of this size is 9 pixels wide.
        let letters = (self.column_width / 9.0) as usize;
        let Matrix { columns, rows, .. } = self.matrix.table;
        for (i, column) in columns.iter().take(self.columns).enumerate() {
            let is_long = column.name.chars().count() > letters;
            let name = if is_long { &column.heading } else { &column.name };
            let text = cut(name, letters);
            picture.text((self.x(i), self.top - 12.0), bold(17.0, TEXT), &text);
        }
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        let names = answer::short_names(&names, NAME_LETTERS);
        for (i, row) in rows.iter().take(ROWS_MAX).enumerate() {
            let y = self.top + self.row_height * i as f64;
            let middle = y + self.row_height / 2.0;
            let width = SIDES.1 - SIDES.0;
            picture.line((SIDES.0, y), (width, 0.0), LINE);
            let color = COLORS[row.index % COLORS.len()];
            picture.mark(SYMBOLS[row.index % SYMBOLS.len()], (57.0, middle), color);
            let is_bold = self.matrix.is_chosen(row);
            let name = Letters { is_bold, ..thin(18.0, TEXT) };
            picture.text((76.0, middle + 6.0), name, &names[i]);
            for (column, cell) in row.cells.iter().take(self.columns).enumerate() {
                self.draw_cell(picture, cell, (self.x(column), y));
            }
        }
    }

    fn draw_cell(&self, picture: &mut Picture, cell: &MatrixCell, (x, y): Point) {
        let (is_bold, color) = match cell.place {
            Place::Leader if !cell.is_certain => (true, TEXT),
            Place::Leader | Place::Equal => (true, GOOD),
            Place::Behind | Place::Open => (false, TEXT),
            Place::Out | Place::None => (false, MUTED),
        };
        let at = (x, y + self.row_height / 2.0 + 6.0);
        picture.text(at, Letters { is_bold, ..thin(17.0, color) }, &cell.label);
    }
}

fn foot(document: &RunDocument, table: Option<&CardTable>) -> String {
    let mut parts = Vec::new();
    if table.is_some_and(|table| !table.matrix.table.rows.is_empty()) {
        parts.push("Rate as a share of the leader's. Green: fastest, or equally fast.".to_string());
    }
    let [candidates, workloads] = table.map_or([0, 0], CardTable::left_out);
    if candidates + workloads > 0 {
        parts.push(format!(
            "Not shown: {}.",
            [(candidates, "candidate"), (workloads, "workload")]
                .into_iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, noun)| bakeoff_stats::phrases::count(n as u32, noun))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    parts.push(format!("Run {}, bakeoff {}.", document.answer.id, document.version));
    parts.join(" ")
}

fn spoken(document: &RunDocument) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for q in &document.questions {
        match q.rows.as_slice() {
            rows if q.is_alone && !rows.is_empty() => {
                lines.extend(rows.iter().map(|row| format!("{}: {}", q.workload, row.figure(q))));
            }
            _ => lines.push(format!("{}: {}", q.title, q.sentence)),
        }
    }
    let more = lines.len().saturating_sub(LINES_MAX);
    if more > 0 {
        lines.truncate(LINES_MAX);
        lines.push(format!("and {}", bakeoff_stats::phrases::count(more, "more line")));
    }
    lines.iter().map(|line| cut(line, 100)).collect()
}

fn filled(parts: &[String], letters: usize, between: &str) -> Vec<String> {
    packed(parts.iter().map(|part| cut(part, letters)), letters, between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;

    fn of(names: &[&str]) -> String {
        let rate = |block: u32, c: u16, _: u16| 1000.0 / f64::from(c + 1) + f64::from(block);
        let run = RunBuilder::stacks(names).play(5, rate).build();
        card(&run, &analyse(&run))
    }

    #[test]
    fn a_card_has_the_answer_the_set_up_and_a_row_for_each_candidate() {
        let svg = of(&["ext4", "xfs", "btrfs"]);
        assert!(svg.contains("width=\"1200\" height=\"630\""), "{svg}");
        for name in ["ext4", "xfs", "btrfs"] {
            assert!(svg.contains(&format!(">{name}</text>")), "{name}: {svg}");
        }
        let marks: usize = SYMBOLS[..3].iter().map(|path| svg.matches(path).count()).sum();
        assert_eq!(marks, 3, "a mark for each");
        assert!(svg.contains("/s</text>") && svg.contains(" %</text>"), "{svg}");
        assert_eq!(svg, of(&["ext4", "xfs", "btrfs"]));
    }

    #[test]
    fn hostile_names_are_text() {
        let svg = of(&["</text><script>", "b"]);
        assert!(!svg.contains("<script"), "{svg}");
        assert!(svg.contains("&#60;/text&#62;&#60;sc"), "{svg}");
    }

    #[test]
    fn candidates_that_do_not_fit_are_counted() {
        let names: Vec<String> = (0..11).map(|n| format!("fs{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(of(&names).contains("Not shown: 3 candidates."));
    }

    #[test]
    fn the_colours_are_those_of_the_page() {
        let css = include_str!("../../../../../web/src/colors.css");
        for (i, color) in COLORS.iter().enumerate() {
            assert!(css.contains(&format!("--c{i}: light-dark({color}, ")), "{color}");
        }
    }
}
