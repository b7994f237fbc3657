//! Rules over one result of another tool.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

pub fn per_char(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let names = ["sequential_output_per_chr.throughput", "sequential_input_per_chr.throughput"];
    let is_cited = result.figure(&names).is_some()
        || result.test.as_deref().is_some_and(|test| test.ends_with("per chr"));
    let evidence = "a figure of the per-character test".to_string();
    let advice = "It measures one call per byte. Skip it with -f.";
    (result.is("bonnie++") && is_cited).then(|| Hit::new(evidence, advice))
}

pub fn cpu_seek(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let of_table = || match result.test.as_deref() {
        Some("random seeks") => result.figure(&["cpu_percent"]),
        _ => None,
    };
    let share = result.figure(&["random_seeks.cpu"]).or_else(of_table)?;
    let evidence = format!(
        "{share} % CPU in the seek test, the sum over its seekers, each of which may \
         count the whole process"
    );
    let advice = "Waiting for a drive takes little CPU: the seeks came from memory, or the CPU was \
                  a limit. Use a larger file.";
    (result.is("bonnie++") && share >= 90.0).then(|| Hit::new(evidence, advice))
}

/// Largest record of iozone as it is published (iozone.c, `MAXBUFFERSIZE`).
const IOZONE_BYTES: f64 = 16.0 * 1024.0 * 1024.0;

const ADVICE: &str = "State what was changed: results of the original tool are not comparable.";

fn evidence(used: f64, limit: f64) -> String {
    let size = |bytes: f64| units::size_decimal(bytes as u64);
    format!("records of {} with a tool that supports at most {}", size(used), size(limit))
}

/// An output of iozone; a row of a table does not say what the tool supports.
pub fn patched_tool(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let used = result.figure(&["record_size"]).filter(|_| result.is("iozone"))?;
    let is_output = result.setup.is_empty();
    (is_output && used > IOZONE_BYTES).then(|| Hit::new(evidence(used, IOZONE_BYTES), ADVICE))
}

/// Options of fio that leave out latencies: all, or those from submission to completion. Source:
/// fio manual, "Measurements and reporting".
const WITHOUT: [&str; 3] = ["gtod_reduce", "disable_lat", "disable_clat"];

pub fn no_latency(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let words = result.words().filter(|_| result.is("fio"))?;
    let option = words.iter().find_map(|word| {
        let option = word.trim_start_matches('-');
        let (name, value) = option.split_once('=').unwrap_or((option, "1"));
        (WITHOUT.contains(&name) && value != "0").then_some(name)
    })?;
    let evidence = format!("fio ran with --{option}: it measured no latencies");
    let advice = format!("Run it without --{option} to see how long requests wait.");
    Some(Hit::new(evidence, &*advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{fires, ids, iozone};

    #[test]
    fn l23_byte_by_byte_and_block_by_block() {
        let of = |test| {
            format!("ext4,none,bonnie++ 1.97,sequential output {test},1,throughput,84,KiB/s,")
        };
        assert!(fires("L23", &[&of("per chr")]) && !fires("L23", &[&of("block")]));
    }

    #[test]
    fn l24_seeks_that_keep_a_cpu_busy_and_seeks_that_do_not() {
        let of =
            |percent| format!("ext4,none,bonnie++ 1.97,random seeks,,cpu_percent,{percent},%,");
        assert!(fires("L24", &[&of(90)]) && !fires("L24", &[&of(89)]));
        let writing = "ext4,none,bonnie++ 1.97,sequential output block,,cpu_percent,99,%,";
        assert!(!fires("L24", &[writing]), "writing may take the CPU");
    }

    #[test]
    fn l28_records_beyond_what_the_tool_takes_and_records_at_its_limit() {
        let with = |kib: u32| iozone(kib).iter().any(|finding| finding.id == "L28");
        assert!(with(25_600));
        assert!(!with(16_384));
    }

    #[test]
    fn rates_without_latencies_and_with_them() {
        let of = |options: &str| {
            let command = format!("$ fio --name=test --bs=4k --direct=1 --rw=randread {options}\n");
            let printed = "test: (groupid=0, jobs=1): err= 0: pid=24934\n  read: IOPS=60.9k, \
                           BW=238MiB/s (250MB/s)(11.9MiB/50msec)\n";
            ids(&(command + printed)).contains(&"no-latency".to_string())
        };
        assert!(of("--gtod_reduce=1") && of("--gtod_reduce") && of("--disable_clat=1"));
        assert!(!of("--gtod_reduce=0") && !of("--gtod_cpu=1") && !of(""));
    }
}
