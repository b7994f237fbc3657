//! The figures as a page of Markdown, which is also what the terminal shows.

use super::fixed::Fixed;
use super::goals::{self, Goal, paired};
use super::run::Sample;
use super::spread::Spread;
use super::{Options, Results, Series};
use crate::page::Column::{Left, Right};

/// All figures of the page.
pub fn page(
    machine: &[(&str, String)],
    fixed: &Fixed,
    results: &Results,
    options: &Options,
) -> String {
    let mut text = format!(
        "`make bench` writes this page. It ran {rounds} rounds of {runtime} s on one file of \
         {size} MiB. In each\nround every contender runs once, in rotating order. A figure is \
         the median of the rounds. \"Ratio\" is\nthe median of bakeoff's ratio to that \
         contender within each round, with the smallest and the largest.\nCPU is the user and \
         system time of the measuring process or thread, as bakeoff and fio report it,\nand of \
         the whole process for other tools. PSS is the largest sum over all processes of a tool, \
         sampled\nevery 50 ms in a separate round.\n\n\
         Each tool uses its own buffers. For blocks of 64 KiB and more, bakeoff uses huge pages \
         and fio uses\nordinary ones. A request of 1 MiB can have more ordinary pages than a \
         device accepts at once.\n\n",
        rounds = options.rounds,
        runtime = options.runtime_s,
        size = options.size_mib,
    );
    for (name, value) in machine {
        text += &format!("- {name}: {value}\n");
    }
    text += &format!("- binary: {:.2} MB\n", fixed.binary_bytes as f64 / 1e6);
    let times = [
        ("`bakeoff --version`", fixed.start_ms),
        ("process start to first I/O of bakeoff", fixed.first_io_ms),
        ("one I/O with bakeoff, start to end", fixed.one_io_ms),
        ("one I/O with fio, start to end", fixed.fio_one_io_ms),
    ];
    for (name, Spread { median, low, high }) in times {
        text += &format!("- {name}: {median:.1} ms ({low:.1} to {high:.1})\n");
    }
    let Spread { median, low, high } = fixed.watching.iostat_percent;
    text += &format!(
        "- `iostat -x 1`, for comparison with the cost of monitoring: {median:.2} % ({low:.2} to \
         {high:.2}) of one core, {:.2} MB\n",
        fixed.watching.iostat_bytes / 1e6
    );
    let goal = |goal: Goal| {
        let reached = match (goal.is_met, goal.why) {
            (true, _) => "yes".to_owned(),
            (false, None) => "**no**".to_owned(),
            (false, Some(why)) => format!("**no**: {why}"),
        };
        [goal.figure, goal.measured, goal.target, reached]
    };
    text += "\n## Targets\n\n";
    text += &crate::page::table(
        [Left("figure"), Right("measured"), Right("target"), Left("reached")],
        goals::all(results, fixed).into_iter().map(goal),
    );
    text += "\nPercentiles are within 0.4 % of an exact recording by design; tests check this. \
             Latency is the time\nfrom submission to completion. A target that was not reached \
             has the measurement that explains it,\nor how often it was reached.\n";
    for (case, series) in &results.0 {
        text += &format!("\n## {}\n\n", case.name);
        text += &table(series);
        text += "\n```text\n";
        for series in series {
            let contender = &series.contender;
            for (name, value) in &contender.env {
                text += &format!("{name}={} ", value.rsplit('/').next().unwrap_or_default());
            }
            text += &format!("{}\n", shown(&contender.argv));
        }
        text += "```\n";
    }
    text
}

fn table(series: &[Series]) -> String {
    let ours = &series[0];
    let row = |peer: &Series| {
        let pss_bytes = peer.samples.first().map_or(0.0, |warm_up| warm_up.pss_bytes as f64);
        [
            peer.contender.name.to_owned(),
            format!("{:.0}", median(peer, |sample| sample.iops)),
            ratio(ours, peer, |sample| sample.iops),
            format!("{:.3}", median(peer, |sample| sample.user_us)),
            format!("{:.2}", median(peer, |sample| sample.cpu_us)),
            ratio(ours, peer, |sample| sample.cpu_us),
            format!("{:.2}", median(peer, |sample| sample.requests)),
            format!("{:.1}", pss_bytes / f64::from(1 << 20)),
        ]
    };
    let columns = [
        Left("contender"),
        Right("IOPS"),
        Right("ratio"),
        Right("user CPU per I/O, µs"),
        Right("all CPU, µs"),
        Right("ratio"),
        Right("requests per I/O"),
        Right("PSS, MiB"),
    ];
    crate::page::table(columns, series.iter().map(row))
}

fn median(series: &Series, value: impl Fn(&Sample) -> f64) -> f64 {
    Spread::from_values(series.counted(value)).median
}

/// Ours to theirs, round by round.
fn ratio(ours: &Series, theirs: &Series, value: impl Fn(&Sample) -> f64) -> String {
    if ours.contender.name == theirs.contender.name {
        return "-".to_owned();
    }
    let Spread { median, low, high } = paired(ours, theirs, value);
    format!("{median:.2} ({low:.2} to {high:.2})")
}

/// A command without the folders of this machine.
fn shown(argv: &[String]) -> String {
    let words = argv.iter().map(|word| match word.rsplit_once('/') {
        Some((before, "test_file.0")) => {
            let option = before.split_once('=').map_or("", |(option, _)| option);
            if option.is_empty() { "FILE".to_owned() } else { format!("{option}=FILE") }
        }
        Some((before, _)) if before.contains('=') => word.clone(),
        Some((_, name)) => name.to_owned(),
        None => word.clone(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Contender, Tool};
    use super::*;

    fn series(name: &'static str, iops: &[f64]) -> Series {
        let (argv, env) = (Vec::new(), Vec::new());
        let contender = Contender { name, tool: Tool::Fio, argv, env };
        let sample = |&iops| Sample { iops, cpu_us: 1.0, ..Sample::default() };
        Series { contender, samples: iops.iter().map(sample).collect() }
    }

    #[test]
    fn ratios_are_paired_and_leave_the_warm_up_out() {
        let ours = series("bakeoff", &[999.0, 200.0, 20.0, 300.0]);
        let fio = series("fio", &[1.0, 100.0, 10.0, 100.0]);
        assert_eq!(ratio(&ours, &fio, |sample| sample.iops), "2.00 (2.00 to 3.00)");
    }

    #[test]
    fn commands_are_shown_without_folders() {
        let argv =
            ["/a/b/bakeoff", "bench", "/a/bench-12/test_file.0", "--rw", "read"].map(String::from);
        assert_eq!(shown(&argv), "bakeoff bench FILE --rw read");
        let argv = ["fio", "--filename=/a/bench-12/test_file.0"].map(String::from);
        assert_eq!(shown(&argv), "fio --filename=FILE");
        let argv = ["dd", "if=/dev/zero", "of=/a/bench-12/test_file.0"].map(String::from);
        assert_eq!(shown(&argv), "dd if=/dev/zero of=FILE");
    }
}
