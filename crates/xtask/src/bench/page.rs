//! The figures as a page of Markdown, which is also what the terminal shows.

use super::cases::Case;
use super::fixed::Fixed;
use super::run::Sample;
use super::spread::Spread;
use super::{Options, Series};

/// The whole page.
pub fn page(
    machine: &[(&str, String)],
    fixed: &Fixed,
    results: &[(Case, Vec<Series>)],
    options: &Options,
) -> String {
    let mut text = format!(
        "# How fast bakeoff is, against fio\n\n\
         Written by `make bench`; not by hand. {rounds} rounds of {runtime} s on one file of \
         {size} MiB, each contender once a\nround, the order rotated. A figure is the median of \
         the rounds; \"ratio\" is the median of bakeoff's\nratio to that contender within each \
         round, with the smallest and the largest. CPU is user and\nsystem time of the whole \
         process tree, start and end included. PSS is the largest sum over the\nprocess tree, \
         in a round of its own.\n\n\
         Buffers are as each tool makes them: for blocks of 64 KiB and more bakeoff asks for huge \
         pages, fio for\nordinary ones, of which a request of 1 MiB may have more than a device \
         takes at once.\n\n",
        rounds = options.rounds,
        runtime = options.runtime_s,
        size = options.size_mib,
    );
    for (name, value) in machine {
        text += &format!("- {name}: {value}\n");
    }
    text += &format!(
        "- `bakeoff --version`: {:.1} ms ({:.1} to {:.1})\n- binary: {:.2} MB\n",
        fixed.start_ms.median,
        fixed.start_ms.low,
        fixed.start_ms.high,
        fixed.binary_bytes as f64 / 1e6
    );
    for (case, series) in results {
        text += &format!("\n## {}\n\n", case.name);
        text += &table(series);
        text += "\n```text\n";
        for series in series {
            text += &format!("{}\n", shown(&series.contender.argv));
        }
        text += "```\n";
    }
    text
}

fn table(series: &[Series]) -> String {
    let mut text = String::from(
        "| contender | IOPS | ratio | CPU an I/O, µs | ratio | PSS, MiB |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    let ours = &series[0];
    for peer in series {
        text += &format!(
            "| {} | {:.0} | {} | {:.2} | {} | {:.1} |\n",
            peer.contender.name,
            median(peer, |sample| sample.iops),
            ratio(ours, peer, |sample| sample.iops),
            median(peer, |sample| sample.cpu_us),
            ratio(ours, peer, |sample| sample.cpu_us),
            peer.samples.first().map_or(0.0, |warm_up| warm_up.pss_bytes as f64 / (1 << 20) as f64),
        );
    }
    text
}

/// The samples after the warm-up.
fn counted(series: &Series, value: impl Fn(&Sample) -> f64) -> impl Iterator<Item = f64> {
    series.samples.iter().skip(1).map(value)
}

fn median(series: &Series, value: impl Fn(&Sample) -> f64) -> f64 {
    Spread::of(counted(series, value)).median
}

/// Ours to theirs, round by round.
fn ratio(ours: &Series, theirs: &Series, value: impl Fn(&Sample) -> f64) -> String {
    if ours.contender.name == theirs.contender.name {
        return "-".to_owned();
    }
    let pairs = counted(ours, &value).zip(counted(theirs, &value));
    let Spread { median, low, high } = Spread::of(pairs.map(|(ours, theirs)| ours / theirs));
    format!("{median:.2} ({low:.2} to {high:.2})")
}

/// A command without the folders of this machine.
fn shown(argv: &[String]) -> String {
    let words = argv.iter().map(|word| match word.rsplit_once('/') {
        Some((before, name)) if name.starts_with("bench-") => {
            format!("{}FILE", if before.starts_with("--filename=") { "--filename=" } else { "" })
        }
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
        let contender = Contender { name, tool: Tool::Fio, argv: Vec::new() };
        let sample = |&iops| Sample { iops, cpu_us: 1.0, pss_bytes: 1 << 20 };
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
        let argv = ["/a/b/bakeoff", "bench", "/a/bench-12", "--rw", "read"].map(String::from);
        assert_eq!(shown(&argv), "bakeoff bench FILE --rw read");
        let argv = ["fio", "--filename=/a/bench-12"].map(String::from);
        assert_eq!(shown(&argv), "fio --filename=FILE");
    }
}
