//! no-latency: a run of fio that measured no latencies.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

/// Options of fio that leave out latencies: all, or those from submission to completion. Source:
/// fio manual, "Measurements and reporting".
const WITHOUT: [&str; 3] = ["gtod_reduce", "disable_lat", "disable_clat"];

pub fn in_result(of: &Observation) -> Option<Hit> {
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
    use crate::rules::tests::imported::ids;

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
