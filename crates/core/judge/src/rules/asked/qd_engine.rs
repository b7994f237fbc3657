//! L30 qd-engine: the queue depth is above 1, but the engine waits for each request.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_model::job::EngineName;

pub fn in_plan(of: &Observation) -> Option<Hit> {
    let workload = of.asked?;
    let job = &workload.job;
    let waits = job.engine == EngineName::Psync || !job.direct;
    (job.iodepth > 1 && waits && workload.driver.is_native()).then(|| {
        let how = if job.direct {
            "the engine waits for each request"
        } else {
            "requests go through the page cache"
        };
        let evidence = format!("a depth of {} with {}: {how}", job.iodepth, job.engine.name());
        Hit::new(evidence, "use {engine=io_uring} together with {direct=true}")
    })
}

/// Engines of fio that wait for each request, whatever `iodepth` says. Source: fio manual,
/// "I/O engine".
const SYNCHRONOUS: [&str; 7] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];

fn option<'a>(word: &'a str, key: &str) -> Option<&'a str> {
    word.trim_start_matches('-').strip_prefix(key)?.strip_prefix('=')
}

/// A command line of fio that states both depth and engine.
pub fn in_result(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let words = result.words().filter(|_| result.is("fio"))?;
    let value = |key: &str| words.iter().rev().find_map(|word| option(word, key));
    let depth: u64 = value("iodepth")?.parse().ok()?;
    let engine = value("ioengine")?;
    let is_buffered = engine == "libaio" && value("direct") != Some("1");
    let how = match () {
        () if SYNCHRONOUS.contains(&engine) => "the engine waits for each request",
        () if is_buffered => "requests go through the page cache",
        () => return None,
    };
    let evidence = format!("a depth of {depth} with {engine}: {how}");
    let advice = "Run it with --ioengine=io_uring --direct=1, or omit --iodepth.";
    (depth > 1).then(|| Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::before::fires;
    use crate::rules::tests::before::job;

    #[test]
    fn l30_requests_in_flight_that_wait_for_each_other() {
        let deep = |engine, direct| job(|j| (j.iodepth, j.engine, j.direct) = (32, engine, direct));
        assert!(fires("L30", &deep(EngineName::Psync, true)));
        assert!(fires("L30", &deep(EngineName::IoUring, false)));
        assert!(!fires("L30", &deep(EngineName::IoUring, true)));
    }
}
