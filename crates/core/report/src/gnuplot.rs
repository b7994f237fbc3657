//! A run as a script for gnuplot with its data inside: one panel a workload, a point for each cell.
//!
//! Source: gnuplot 5.4 manual, "inline data and datablocks". Text is never enhanced or expanded, so
//! a hostile name is only a name.

use std::fmt::Write;

use bakeoff_judge::decide::figure;
use bakeoff_judge::decide::rounds::is_of_rounds;
use bakeoff_judge::evidence;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Metric;

/// The colours of the report, by day: distinguishable without colour vision.
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#b8578f", "#c98500", "#3a9bdc", "#2f3337", "#8a8200"];

/// The script; it draws into `picture`.
pub fn gnuplot(run: &Run, picture: &str) -> String {
    let header = &run.header;
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "# bakeoff run {}: gnuplot FILE draws {picture}", header.run);
    for (which, _) in header.workloads.iter().enumerate() {
        for (at, _) in header.candidates.iter().enumerate() {
            let _ = writeln!(out, "$d{which}_{at} << EOD\n{}EOD", data(run, at, which));
        }
    }
    let rows = header.workloads.len().max(1);
    let _ = writeln!(out, "set terminal pngcairo noenhanced size 900,{}", 60 + 320 * rows);
    let _ = writeln!(out, "set output {}", quoted(picture));
    let _ = writeln!(out, "set multiplot layout {rows},1 title {}", quoted(&header.title));
    let block = if is_of_rounds(run) { "round" } else { "block" };
    let _ = writeln!(out, "set key outside right\nset grid\nset xlabel '{block}'\nset xtics 1");
    for (which, workload) in header.workloads.iter().enumerate() {
        let _ = writeln!(out, "set title {}", quoted(&workload.name));
        let _ = writeln!(out, "set ylabel {}", quoted(unit(workload.metric).0));
        let is_empty = (0..header.candidates.len()).all(|at| data(run, at, which) == NO_POINT);
        if is_empty {
            // A range cannot be made of no point, and gnuplot would end there.
            out.push_str("set xrange [0:1]\nset yrange [0:1]\nplot NaN title 'no valid cell'\n");
            continue;
        }
        out.push_str("set xrange [*:*]\nset yrange [0:*]\n");
        let lines: Vec<String> = (0..)
            .zip(&header.candidates)
            .map(|(at, candidate): (usize, _)| {
                let name = quoted(&candidate.name);
                let (_, scale) = unit(workload.metric);
                format!(
                    "$d{which}_{at} using 1:($2/{scale:e}) with linespoints pt {} lc rgb '{}' \
                     title {name}",
                    at + 4,
                    COLORS[at % COLORS.len()]
                )
            })
            .collect();
        let _ = writeln!(out, "plot {}", lines.join(", \\\n     "));
    }
    out.push_str("unset multiplot\n");
    out
}

/// gnuplot refuses a data block without a point; this one is outside every range.
const NO_POINT: &str = "NaN NaN\n";

fn unit(metric: Metric) -> (&'static str, f64) {
    match metric {
        Metric::Bandwidth => ("MB/s", 1e6),
        Metric::Iops => ("IOPS", 1.0),
        Metric::FilesPerSecond => ("files/s", 1.0),
        Metric::TransactionsPerSecond => ("transactions/s", 1.0),
        Metric::LatencyP99 => ("99th percentile of latency, ms", 1e6),
    }
}

/// Block, or round of its series, and figure of each valid cell.
fn data(run: &Run, candidate: usize, workload: usize) -> String {
    let metric = run.header.workloads[workload].metric;
    let mut out = String::new();
    for block in run.complete_blocks() {
        for cell in &block.cells {
            let is_it =
                (usize::from(cell.candidate), usize::from(cell.workload)) == (candidate, workload);
            let figure = figure::of_cell(metric, cell).filter(|_| is_it);
            if let Some(figure) = figure.filter(|_| !evidence::is_invalid(&run.header, cell)) {
                let number = block.round.map_or(block.block.number(), |round| round.round);
                let _ = writeln!(out, "{} {figure}", number + 1);
            }
        }
    }
    if out.is_empty() { NO_POINT.to_string() } else { out }
}

fn quoted(text: &str) -> String {
    format!("'{}'", sanitize(text).replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::RunBuilder;

    #[test]
    fn names_are_only_names_and_every_cell_is_a_point() {
        let names = ["it's `reboot`", "b\nset output '/etc/passwd'"];
        let run =
            RunBuilder::stacks(&names).workloads(&["randread"]).play(5, |_, _, _| 900.0).build();
        let script = gnuplot(&run, "a.png");
        assert!(script.contains("title 'it''s `reboot`'"), "{script}");
        assert!(script.contains("set ylabel 'IOPS'") && script.contains("($2/1e0)"), "{script}");
        assert!(!script.lines().any(|line| line.starts_with("set output '/etc")), "{script}");
        let points = script.lines().filter(|line| {
            line.split(' ').count() == 2 && line.starts_with(|c: char| c.is_ascii_digit())
        });
        assert_eq!(points.count(), 6);
    }

    /// gnuplot ended at the first of them: "x range is invalid".
    #[test]
    fn a_workload_without_a_valid_cell_is_an_empty_panel() {
        let mut run =
            RunBuilder::stacks(&["a", "b"]).workloads(&["randread"]).play(5, |_, _, _| 9.0).build();
        let workload = run.header.workloads[0].clone();
        run.header.workloads.push(workload);
        let script = gnuplot(&run, "a.png");
        assert_eq!(script.matches("plot NaN title 'no valid cell'").count(), 1, "{script}");
        assert!(!script.contains("plot $d1_0"), "{script}");
    }
}
