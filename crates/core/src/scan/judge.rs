//! What limits an imported result, as far as its own figures and command line show it.
//!
//! Each rule looks at one result and needs evidence in it: a command line that is not there says
//! nothing. Rules that compare candidates need the claim that was made of them and are not here.
//! The numbers are those of bakeoff's list of lints.

use super::result::{ToolResult, finding};
use crate::model::finding::{Finding, Severity};

/// A phase below this is noise: bonnie++ prints pluses below it (`MinTime` in its source).
const SHORT_NS: f64 = 0.5e9;
/// From this share of wall time on, the latencies stand for the run.
const COVERED_SHARE: f64 = 0.9;
/// From this share outside the operations on, the flushes are the result.
const FLUSH_SHARE: f64 = 0.3;

/// All findings about a result.
pub fn judge(result: &ToolResult) -> Vec<Finding> {
    let rules = [
        sync_not_timed,
        sync_outside_latency,
        fsync_cadence,
        dull_data,
        fake_random,
        tiny_block,
        per_character,
        cpu_seek,
        too_short,
        mean_lies,
        composite_score,
    ];
    rules.iter().filter_map(|rule| rule(result)).collect()
}

fn is(result: &ToolResult, tool: &str) -> bool {
    result.tool.starts_with(tool)
}

/// The metric of the first of these names that is there.
fn figure(result: &ToolResult, names: &[&str]) -> Option<f64> {
    let find = |name: &&str| result.metrics.iter().find(|metric| metric.name == **name);
    names.iter().find_map(find).map(|metric| metric.value.as_f64())
}

/// The words of the command, when it starts one program only.
fn words(result: &ToolResult) -> Option<Vec<&str>> {
    let command = result.command.as_deref()?;
    let is_one = !command.contains([';', '|', '&']);
    is_one.then(|| command.split_whitespace().collect())
}

fn has(words: &[&str], parts: &[&str]) -> bool {
    words.iter().any(|word| parts.iter().any(|part| word.contains(part)))
}

fn sync_not_timed(result: &ToolResult) -> Option<Finding> {
    let words = words(result)?;
    let (is_unsynced, mend) = match () {
        () if is(result, "dd") => {
            let to = words.iter().find_map(|word| word.strip_prefix("of="))?;
            let is_synced = has(&words, &["fsync", "fdatasync", "oflag=sync", "oflag=dsync"]);
            (to != "/dev/null" && !is_synced, "conv=fdatasync")
        }
        () if is(result, "iozone") => {
            let flags = ["-e", "-o", "-+D", "-+r", "-I"];
            let is_synced = words.iter().any(|word| flags.contains(word));
            (!is_synced && figure(result, &["write.throughput"]).is_some(), "-e")
        }
        () if is(result, "fio") => {
            let is_synced = has(&words, &["fsync=", "fdatasync=", "sync=1", "direct=1"]);
            (!is_synced && figure(result, &["write.bytes"]).is_some(), "--end_fsync=1")
        }
        () => return None,
    };
    let evidence = "the command has nothing that waits for the device".to_string();
    let advice = match mend {
        "-e" => "Run it with -e: what was still in memory when the clock stopped is not counted.",
        "conv=fdatasync" => "Run it with conv=fdatasync: part of the data was still in memory.",
        _ => "Run it with --end_fsync=1: part of the data was still in memory.",
    };
    is_unsynced.then(|| finding("L13", Severity::Refuse, evidence, advice))
}

/// Share of the wall time that sysbench 0.4 spent outside the operations it gives latencies of.
fn outside_share(result: &ToolResult) -> Option<f64> {
    if !is(result, "sysbench") || figure(result, &["fsync_each_write"]).is_some() {
        return None;
    }
    let total = figure(result, &["total_time"]).filter(|ns| *ns > 0.0)?;
    let inside = figure(result, &["event_execution_time"])?;
    let flushes = figure(result, &["fsyncs", "other"])?;
    let threads = figure(result, &["threads"]).unwrap_or(1.0).max(1.0);
    (flushes > 0.0).then(|| (1.0 - inside / (total * threads)).max(0.0))
}

fn sync_outside_latency(result: &ToolResult) -> Option<Finding> {
    let share = outside_share(result).filter(|share| *share > 1.0 - COVERED_SHARE)?;
    let evidence =
        format!("{:.1} % of the time is outside the operations with latencies", share * 100.0);
    let advice = "Read throughput and latencies as two different things, or use sysbench 1.0.15 \
                  or later, which counts flushes.";
    Some(finding("L14", Severity::Refuse, evidence, advice))
}

fn fsync_cadence(result: &ToolResult) -> Option<Finding> {
    let share = outside_share(result).filter(|share| *share > FLUSH_SHARE)?;
    let every = figure(result, &["fsync_every"]).filter(|every| *every == 100.0)?;
    // 0.4 says so in sequential modes too, and flushes each file once at the end.
    let flushes = figure(result, &["fsyncs", "other"])?;
    figure(result, &["file_count"]).is_none_or(|files| flushes > files).then_some(())?;
    let evidence = format!(
        "{:.1} % of the time is flushing all files after every {every} requests, the default",
        share * 100.0
    );
    let advice = "Say with --file-fsync-freq how often your own work flushes.";
    Some(finding("L19", Severity::Warn, evidence, advice))
}

fn dull_data(result: &ToolResult) -> Option<Finding> {
    let writes = ["writes", "writes_per_second", "written_bytes"];
    // A row of somebody's table does not say what was written; a tool's output does, by the tool.
    let is_row = !result.setup.is_empty();
    let is_dull = match () {
        () if is_row && !is(result, "dd") => false,
        () if is(result, "dd") => words(result)?.contains(&"if=/dev/zero"),
        () if is(result, "sysbench") => figure(result, &writes)? > 0.0,
        () if is(result, "bonnie++") => {
            let test = "sequential_output_block.throughput";
            figure(result, &[test]).is_some()
        }
        () if is(result, "iozone") => {
            let flags = ["-+w", "-+y", "-+C", "-+a"];
            figure(result, &["write.throughput"]).is_some()
                && words(result).is_none_or(|w| !w.iter().any(|word| flags.contains(word)))
        }
        () => false,
    };
    let evidence = "what was written is zeros, or nearly".to_string();
    let advice = "Measure with data that does not compress: some devices and filesystems shrink \
                  this to nothing.";
    is_dull.then(|| finding("L20", Severity::Warn, evidence, advice))
}

fn fake_random(result: &ToolResult) -> Option<Finding> {
    let random = ["random_read", "random_write"];
    let is_random = result.metrics.iter().any(|m| random.iter().any(|r| m.name.starts_with(r)));
    let (file, record) = (figure(result, &["file_size"])?, figure(result, &["record_size"])?);
    let count = file / record.max(1.0);
    let is_fake = is(result, "iozone") && is_random && (record >= 1048576.0 || count < 100.0);
    let evidence = format!("{count:.0} records of {record:.0} bytes");
    let advice = "Random access needs small records and many of them: -r 4k and a large -s.";
    is_fake.then(|| finding("L21", Severity::Refuse, evidence, advice))
}

fn tiny_block(result: &ToolResult) -> Option<Finding> {
    let from_table = || result.setup.get("block_size_bytes")?.parse::<f64>().ok();
    let block = figure(result, &["block_size"]).or_else(from_table)?;
    let is_tiny = is(result, "dd") && block > 0.0 && block < 4096.0;
    let evidence = format!("blocks of {block} bytes");
    let advice = "Below 4 KiB the figure is the cost of a system call: use bs=4k or more.";
    is_tiny.then(|| finding("L22", Severity::Warn, evidence, advice))
}

fn per_character(result: &ToolResult) -> Option<Finding> {
    let names = ["sequential_output_per_chr.throughput", "sequential_input_per_chr.throughput"];
    let is_cited = figure(result, &names).is_some()
        || result.test.as_deref().is_some_and(|test| test.ends_with("per chr"));
    let evidence = "a figure of the per-character test".to_string();
    let advice = "It measures one system call a byte; leave it out with -f.";
    (is(result, "bonnie++") && is_cited).then(|| finding("L23", Severity::Warn, evidence, advice))
}

fn cpu_seek(result: &ToolResult) -> Option<Finding> {
    let of_table = || match result.test.as_deref() {
        Some("random seeks") => figure(result, &["cpu_percent"]),
        _ => None,
    };
    let share = figure(result, &["random_seeks.cpu"]).or_else(of_table)?;
    let evidence = format!(
        "{share} % CPU in the seek test, summed over its seekers, each of which may count all"
    );
    let advice = "Waiting for a disk takes little CPU: the seeks came from memory, or the CPU was \
                  a limit. Use a larger file.";
    (is(result, "bonnie++") && share >= 90.0)
        .then(|| finding("L24", Severity::Error, evidence, advice))
}

fn too_short(result: &ToolResult) -> Option<Finding> {
    let names = ["elapsed", "total_time", "read.elapsed", "write.elapsed"];
    let ns = figure(result, &names).filter(|ns| *ns < SHORT_NS)?;
    let evidence = format!("{:.4} s", ns / 1e9);
    let advice = "Measure for seconds at least: more data, or a longer time.";
    Some(finding("L25", Severity::Error, evidence, advice))
}

fn mean_lies(result: &ToolResult) -> Option<Finding> {
    let prefixes = ["", "read.", "write.", "sync."];
    let lie = prefixes.iter().find_map(|prefix| {
        let mean = figure(result, &[&format!("{prefix}latency_avg")])?;
        let p95 = figure(result, &[&format!("{prefix}latency_p95")])?;
        (mean > p95 && p95 > 0.0).then_some((mean, p95))
    });
    let (mean, p95) = lie?;
    let evidence = format!("mean {:.3} ms, 95th percentile {:.3} ms", mean / 1e6, p95 / 1e6);
    let advice = "The slowest operations set the mean: look at the quantiles.";
    Some(finding("L26", Severity::Warn, evidence, advice))
}

/// What programs call one figure for everything.
const SCORES: [&str; 4] = ["score", "index", "points", "overall"];

fn composite_score(result: &ToolResult) -> Option<Finding> {
    let is_score = |name: &str| SCORES.contains(&name) || name.ends_with("_score");
    let score = result.metrics.iter().find(|metric| is_score(&metric.name))?;
    let evidence =
        format!("{} {} stands for several measurements", score.name, score.value.as_f64());
    let advice = "Compare the figures it was made of, workload by workload: import the tool's \
                  whole output with bakeoff import.";
    Some(finding("L46", Severity::Warn, evidence, advice))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::import::{Finder, studies};

    fn ids(text: &str) -> Vec<String> {
        let imported = Finder::all(text.as_bytes());
        assert!(!imported.results.is_empty(), "{text}");
        imported.results.into_iter().flat_map(|r| r.findings).map(|f| f.id).collect()
    }

    #[test]
    fn a_write_is_judged_by_its_command() {
        let stats = "1073741824 bytes (1.1 GB) copied, 234.011 s, 4.6 MB/s\n";
        let of = |command: &str| ids(&format!("$ {command}\n{stats}"));
        assert_eq!(of("dd if=/dev/zero of=t bs=1M"), ["L13", "L20"]);
        assert_eq!(of("dd if=/dev/zero of=t bs=1M conv=fdatasync,notrunc"), ["L20"]);
        assert_eq!(of("dd if=t of=/dev/null bs=1M"), [""; 0]);
        assert_eq!(of("dd if=/dev/zero of=t; sync"), [""; 0], "two programs, one clock: unclear");
        assert_eq!(ids(stats), [""; 0], "no command, no evidence");
    }

    #[test]
    fn l46_one_figure_for_everything_is_a_score_and_a_rate_is_none() {
        let of = |metric: &str| {
            ids(&format!("device,tool,test,metric,value,unit\nstick,script,all,{metric},812,\n"))
        };
        assert_eq!(of("score"), ["L46"]);
        assert_eq!(of("disk_score"), ["L46"]);
        assert_eq!(of("scored_runs"), [""; 0]);
    }

    #[test]
    fn random_access_with_forty_records_is_none() {
        let head = "Command line used: iozone -s 1000m -r 25m -e\n\tOutput is in kBytes/sec\n\
            \u{20}             kB  reclen    write  rewrite    read    reread    read     write\n\
            \u{20}        1024000   25600    10000    10000    18000    18000    18000    10000\n";
        assert_eq!(ids(head), ["L20", "L21"]);
    }

    #[test]
    fn the_studies_trigger_what_their_figures_show() {
        for (name, expected) in [
            ("mountpoints", &["L14", "L19", "L26"][..]),
            ("usb-stick", &["L23", "L24"]),
            ("block-size-sweep", &["L22"]),
            ("luks-btrfs", &[]),
            ("journal-scheduler", &[]),
        ] {
            let table = studies::find(name).unwrap().table;
            let table = table.replace(&format!("\n{name},"), "\nrenamed,");
            let found: BTreeSet<String> = ids(&table).into_iter().collect();
            assert_eq!(found, expected.iter().map(|id| (*id).to_string()).collect(), "{name}");
        }
    }
}
