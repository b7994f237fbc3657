//! A run as a script for gnuplot with its data inside: a panel for each pattern and unit, a line
//! for each candidate over the workloads, with the smallest and largest figure of the blocks.
//!
//! Source: gnuplot 5.4 manual, "inline data and datablocks". Text is never enhanced or expanded, so
//! a hostile name is only a name.

use std::fmt::Write;

use bakeoff_judge::decide::figure;
use bakeoff_judge::evidence;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Metric;
use bakeoff_stats::phrases;

use super::html::COLORS;

pub fn gnuplot(run: &Run) -> String {
    let header = &run.header;
    let measured = WorkloadIx::each(&header.workloads).filter(|(workload, _)| {
        // gnuplot ends at a panel without a point.
        CandidateIx::all(header.candidates.len()).any(|at| !figures(run, at, *workload).is_empty())
    });
    let panels = phrases::grouped(measured.map(|(at, of)| ((of.job.rw, unit(of.metric)), at)));
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "# bakeoff run {}: gnuplot FILE draws bakeoff.png", header.run);
    let _ = writeln!(out, "set terminal pngcairo noenhanced size 900,{}", 60 + 320 * panels.len());
    let _ = writeln!(out, "set output 'bakeoff.png'");
    let (rows, title) = (panels.len().max(1), quoted(&header.title));
    let _ = writeln!(out, "set multiplot layout {rows},1 title {title}");
    out.push_str("set key outside right\nset grid\nset xtics rotate by -30\nset yrange [0:*]\n");
    for (panel, ((rw, (unit, scale)), workloads)) in panels.iter().enumerate() {
        let mut lines = Vec::new();
        for (at, candidate) in CandidateIx::each(&header.candidates) {
            let data = format!("$d{panel}_{}", at.number());
            let _ = writeln!(out, "{data} << EOD");
            for workload in workloads {
                let name = sanitize(&header.workloads[*workload].name).replace('"', "'");
                let all = figures(run, at, *workload);
                let low = all.iter().copied().fold(f64::NAN, f64::min) / scale;
                let high = all.iter().copied().fold(f64::NAN, f64::max) / scale;
                let mean = all.iter().sum::<f64>() / all.len() as f64 / scale;
                let _ = writeln!(out, "\"{name}\" {mean} {low} {high}");
            }
            out.push_str("EOD\n");
            let color = COLORS[usize::from(at) % COLORS.len()];
            let name = quoted(&candidate.name);
            lines.push(format!(
                "{data} using 0:2:3:4:xtic(1) with yerrorlines lc rgb '{color}' title {name}"
            ));
        }
        let _ = writeln!(out, "set title '{}'\nset ylabel '{unit}'", rw.name());
        let _ = writeln!(out, "plot {}", lines.join(", \\\n     "));
    }
    out.push_str("unset multiplot\n");
    out
}

fn unit(metric: Metric) -> (&'static str, f64) {
    match metric {
        Metric::Bandwidth => ("MB/s", 1e6),
        Metric::Iops => ("IOPS", 1.0),
        Metric::FilesPerSecond => ("files/s", 1.0),
        Metric::TransactionsPerSecond => ("transactions/s", 1.0),
        Metric::LatencyP99 => ("99th percentile of latency, ms", 1e6),
    }
}

/// The figure of each valid cell.
fn figures(run: &Run, candidate: CandidateIx, workload: WorkloadIx) -> Vec<f64> {
    let metric = run.header.workloads[workload].metric;
    let cells = run.complete_blocks().flat_map(|block| &block.cells);
    cells
        .filter(|cell| (cell.candidate, cell.workload) == (candidate, workload))
        .filter(|cell| !evidence::is_invalid(&run.header, cell))
        .filter_map(|cell| figure::of_cell(metric, cell))
        .collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", sanitize(text).replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::RunBuilder;

    #[test]
    fn names_are_only_names_and_a_panel_has_a_line_for_each_candidate() {
        let names = ["it's `reboot`", "b\nset output '/etc/passwd'"];
        let run = RunBuilder::stacks(&names)
            .workloads(&["randread", "seqread"])
            .play(5, |_, _, _| 900.0)
            .build();
        let script = gnuplot(&run);
        assert!(script.contains("title 'it''s `reboot`'"), "{script}");
        assert!(!script.lines().any(|line| line.starts_with("set output '/etc")), "{script}");
        assert_eq!(script.matches("\nplot ").count(), 2, "{script}");
        assert!(script.contains("set ylabel 'IOPS'\nplot $d0_0 using"), "{script}");
        assert_eq!(script.matches("\"randread\" 900 900 900").count(), 2, "{script}");
    }

    /// gnuplot ended at the first of them: "x range is invalid".
    #[test]
    fn a_workload_without_a_valid_cell_has_no_panel() {
        let mut run =
            RunBuilder::stacks(&["a", "b"]).workloads(&["randread"]).play(5, |_, _, _| 9.0).build();
        let workload = run.header.workloads[0].clone();
        run.header.workloads.push(workload);
        assert_eq!(gnuplot(&run).matches("\"randread\"").count(), 2);
    }
}
