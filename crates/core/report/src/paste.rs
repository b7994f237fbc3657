//! The block to paste into a forum, and what is shown of one that somebody pasted.

use super::answer::{self, Answer, figure_words};
use super::document::{self, Document, number, words};
use super::layout::{columns, cut, padded, wrap};
use super::run_document::day;
use bakeoff_judge::decide::rounds::is_of_rounds;
use bakeoff_judge::levels::line::encode;
use bakeoff_judge::levels::side_by_side::side_by_side;
use bakeoff_judge::levels::{RunLevels, WorkloadLevels, public_levels, without_paths};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_stats::level::Level;
use bakeoff_stats::phrases;

/// Lines of a block, those of its fence included, and columns of all but the last.
const LINES: usize = 14;
const WIDTH: usize = 72;
const ANSWER: usize = 3;
/// Columns of a name, at most and at least.
const NAME: usize = 22;
const LEAST_NAME: usize = 10;
const GAP: &str = "  ";
const DAY_NS: i64 = 86_400_000_000_000;
pub(super) const ALPHA: f64 = 0.05;

/// The line of a run; `None` where it has no figures that a line could carry.
pub fn line(run: &Run, analysis: &Analysis) -> Option<String> {
    let levels = public_levels(run, analysis);
    let has_any = levels.workloads.iter().any(|w| w.levels.iter().any(Option::is_some));
    (has_any && !is_of_rounds(run)).then(|| encode(&levels))
}

/// A code fence with the answer, the machine, a table, and the line that `show` reads. `None`
/// where there is no [`line`]. `analyse` makes the analysis of a run.
pub fn paste(run: &Run, analyse: impl Fn(&Run) -> Analysis) -> Option<String> {
    let run = without_paths(run);
    let analysis = analyse(&run);
    let line = line(&run, &analysis)?;
    let levels = public_levels(&run, &analysis);
    let mut lines = head(&levels, &Answer::new(&run, &analysis).choice.said);
    let room = LINES - 3 - lines.len();
    lines.extend(table(&levels, room));
    let harmless = |line: String| line.replace('`', "'");
    let lines: Vec<String> = lines.into_iter().map(harmless).collect();
    Some(format!("```\n{}\n{line}\n```\n", lines.join("\n")))
}

fn head(levels: &RunLevels, said: &str) -> Vec<String> {
    let mut lines = within(said, ANSWER);
    lines.extend(within(&machine(levels), 2));
    let drives = levels.drives.iter().map(|drive| format!("{} ({})", drive.name(), drive.class));
    let drives: Vec<String> = drives.collect();
    if !drives.is_empty() {
        lines.extend(within(&drives.join(", "), 1));
    }
    lines
}

fn machine(levels: &RunLevels) -> String {
    format!(
        "{}, Linux {}; bakeoff {}, {}, {}",
        levels.board,
        levels.kernel,
        levels.version,
        levels.mode,
        day(i64::from(levels.day) * DAY_NS)
    )
}

fn within(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = wrap(text, WIDTH, "", "").lines().map(str::to_string).collect();
    if lines.len() > most {
        lines.truncate(most);
        lines[most - 1] = cut(&format!("{} …", lines[most - 1]), WIDTH);
    }
    lines
}

/// Candidates below workloads; with one candidate a line for each workload.
fn table(levels: &RunLevels, room: usize) -> Vec<String> {
    let figure = |workload: &WorkloadLevels, at: usize| match workload.levels.get(at).copied() {
        Some(Some(level)) => {
            let is_best = workload.leader == Some(at) && workload.verdict == Some(Verdict::Fastest);
            let figure = figure_words(workload.metric, workload.metric.from_score(level.mean));
            format!("{figure}{}", if is_best { "*" } else { "" })
        }
        _ => "-".to_string(),
    };
    if let [_] = levels.candidates.as_slice() {
        let names = levels.workloads.iter().map(|w| answer::workload_name(&w.name));
        let names: Vec<String> = names.map(|name| cut(&name, NAME)).collect();
        let width = names.iter().map(|name| columns(name)).max().unwrap_or(0);
        let rows = levels.workloads.iter().zip(&names);
        let row = |(w, name): (&WorkloadLevels, &String)| {
            format!("{}{GAP}{}", padded(name, width), figure(w, 0))
        };
        return shortened(rows.map(row).collect(), room, ("workload", 0));
    }
    let all: Vec<Vec<String>> = levels
        .workloads
        .iter()
        .map(|workload| {
            let title = cut(&answer::workload_heading(&workload.name), NAME);
            let cells = (0..levels.candidates.len()).map(|at| figure(workload, at));
            std::iter::once(title).chain(cells).collect()
        })
        .collect();
    let widest = |cells: &[String]| cells.iter().map(|cell| columns(cell)).max().unwrap_or(0);
    let wanted: usize = all.iter().map(|cells| GAP.len() + widest(cells)).sum();
    let names: Vec<String> = levels.candidates.iter().map(|c| c.name.clone()).collect();
    let names = answer::short_names(&names, WIDTH.saturating_sub(wanted).clamp(LEAST_NAME, NAME));
    let width = widest(&names);
    let mut rows = vec![" ".repeat(width)];
    rows.extend(names.iter().map(|name| padded(name, width)));
    let mut more_workloads = 0;
    for cells in &all {
        let width = widest(cells);
        if rows.iter().any(|row| columns(row) + GAP.len() + width > WIDTH) {
            more_workloads += 1;
            continue;
        }
        for (row, cell) in rows.iter_mut().zip(cells) {
            let blanks = " ".repeat(width - columns(cell));
            *row = format!("{row}{GAP}{blanks}{cell}");
        }
    }
    shortened(rows, room, ("candidate", more_workloads))
}

/// The rows that have room, and what is left out: rows of so many things, and columns.
fn shortened(mut rows: Vec<String>, room: usize, (noun, columns): (&str, usize)) -> Vec<String> {
    let is_short = rows.len() + usize::from(columns > 0) > room;
    let kept = if is_short { room - 1 } else { rows.len() };
    let left_out = [(rows.len() - kept, noun), (columns, "workload")];
    let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
    let more: Vec<String> =
        left_out.map(|(count, noun)| phrases::count(count, &format!("more {noun}"))).collect();
    rows.truncate(kept);
    rows.extend((!more.is_empty()).then(|| format!("and {}", phrases::list(&more))));
    rows
}

/// Runs of which somebody pasted the line.
pub fn pasted_document(runs: &[RunLevels]) -> Document {
    let mut out = Document::default();
    for (at, run) in runs.iter().enumerate() {
        if at > 0 {
            out.gap();
        }
        out.headline(format!("Pasted run {}", run.short));
        out.line(1, machine(run));
        out.line(1, run.drive_names().join(", "));
        out.gap();
        let columns = [words("workload"), words("candidate"), number("figure")];
        let columns = columns.into_iter().chain([number("95 % CI"), number("blocks")]);
        let rows = run.workloads.iter().flat_map(|workload| {
            let candidates = run.candidates.iter().zip(&workload.levels);
            candidates.filter_map(move |(c, level)| Some(row(workload, &c.name, (*level)?)))
        });
        out.table(document::Table::new(columns, rows));
        for workload in run.workloads.iter().filter(|workload| workload.is_forbidden) {
            let name = answer::workload_name(&workload.name);
            out.bullet(format!("A finding of the run forbids claims about {name}."));
        }
        if run.left_out > 0 {
            let more = phrases::count(run.left_out, "candidate");
            out.bullet(format!("The line had no space for {more}."));
        }
    }
    out.gap();
    out.paragraph(
        "Read from a pasted line: somebody's figures, without the measurements behind them. \
         bakeoff cannot check them.",
    );
    out
}

fn row(workload: &WorkloadLevels, candidate: &str, level: Level) -> Vec<String> {
    let metric = workload.metric;
    let interval = level.interval(ALPHA);
    let mut ends = [interval.low, interval.high].map(|score| metric.from_score(score));
    ends.sort_by(f64::total_cmp);
    let interval = match ends[1] / ends[0] {
        ratio if ratio.is_finite() && ratio <= answer::amount::WIDEST => {
            format!("{} to {}", figure_words(metric, ends[0]), figure_words(metric, ends[1]))
        }
        _ => "?".to_string(),
    };
    vec![
        answer::workload_name(&workload.name),
        candidate.to_string(),
        figure_words(metric, metric.from_score(level.mean)),
        interval,
        level.blocks.to_string(),
    ]
}

/// Schema `bakeoff/pasted/1`.
pub fn pasted_json(runs: &[RunLevels]) -> String {
    let run = |run: &RunLevels| {
        serde_json::json!({
            "line": encode(run), "run": run.short,
            "version": run.version, "mode": run.mode, "board": run.board,
            "kernel": run.kernel, "drives": run.drive_names(), "elapsed_s": run.elapsed_s,
            "day": day(i64::from(run.day) * DAY_NS), "left_out": run.left_out,
            "levels": side_by_side(std::slice::from_ref(run), true).rows,
        })
    };
    let runs: Vec<serde_json::Value> = runs.iter().map(run).collect();
    serde_json::json!({ "schema": "bakeoff/pasted/1", "runs": runs }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::import::pasted;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::workloads;

    fn quick(dirs: &[&str]) -> Run {
        let rate = |block, c, w| {
            f64::from(1 + u32::from(c)) * (1e6 + f64::from(block % 3) + f64::from(u32::from(w)))
        };
        RunBuilder::directories(dirs).workloads(&["randwrite", "seqread"]).play(9, rate).build()
    }

    #[test]
    fn a_block_has_fourteen_lines_of_72_columns_and_a_line_that_comes_back() {
        let names =
            ["ext4", "ext4, no journal", "btrfs", "xfs", "f2fs", "vfat", "ntfs3", "exfat", "ext2"];
        let run = RunBuilder::stacks(&names)
            .workloads(&workloads::DEMO)
            .play(9, |b, c, _| 1e6 / f64::from(1 + u32::from(c)) + f64::from(b % 3))
            .build();
        for run in [run, quick(&["/home/alice"]), quick(&["/home/alice", "/mnt/backup of bob"])] {
            let block = paste(&run, analyse).unwrap();
            let lines: Vec<&str> = block.lines().collect();
            assert!(lines.len() <= LINES && lines[0] == "```", "{block}");
            let (line, rest) = lines[..lines.len() - 1].split_last().unwrap();
            assert!(rest.iter().all(|line| columns(line) <= WIDTH), "{block}");
            assert!(line.starts_with("bakeoff1:") && line.len() <= 600, "{block}");
            let (runs, unread) = pasted::runs_of(block.as_bytes());
            assert_eq!((runs.len(), unread.len()), (1, 0), "{block}");
            assert!(!block.contains("alice") && !block.contains("bob"), "{block}");
            let shown = pasted_document(&runs).text(80, false);
            assert!(shown.lines().all(|line| columns(line) <= 80), "{shown}");
        }
    }

    #[test]
    fn a_block_as_it_is_posted() {
        let run = RunBuilder::stacks(&["ext4", "btrfs", "xfs"])
            .workloads(&["randwrite", "seqread"])
            .play(9, |b, c, _| 1e6 / f64::from(1 + u32::from(c)) + f64::from(b % 3))
            .build();
        let block = paste(&run, analyse).unwrap();
        let at = block.find("bakeoff1:").unwrap();
        insta::assert_snapshot!(&block[..at]);
    }

    #[test]
    fn a_block_of_ours_is_read_whole() {
        let block = paste(&quick(&["/mnt/a", "/mnt/b"]), analyse).unwrap();
        assert_eq!(pasted::runs_of(block.as_bytes()).0.len(), 1);
        let found = bakeoff_judge::import::all(block.as_bytes());
        assert!(found.unread.is_empty(), "{block}");
    }
}
