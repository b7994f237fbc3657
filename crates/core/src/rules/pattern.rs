//! Rules about what is asked for: the workloads and the looks.

use super::finding;
use crate::evidence::registry;
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::job::{Data, EngineName, Rw};
use crate::model::protocol::{Protocol, Rules};
use crate::model::setting::Setting;
use crate::model::workload::Workload;
use crate::units;

/// Words of a title that ask about small scattered writes.
const SCATTERED: [&str; 8] =
    ["torrent", "database", "sqlite", "home assistant", "mail", "boot", "stall", "freeze"];
/// The alpha that five looks may have.
const ALPHA: f64 = 0.0134;
/// Looks it was found for.
const LOOKS: usize = 5;

/// Everything about workloads and looks.
pub fn rules(header: &Header) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        [mismatch(header), peeking(header), multiplicity(header)].into_iter().flatten().collect();
    let rules = [not_flushed, zeros, not_random, tiny_block, no_queue];
    for workload in header.workloads.iter().filter(|w| w.profile.is_none()) {
        for mut of in rules.iter().filter_map(|rule| rule(header, workload)) {
            of.workload = Some(workload.name.clone());
            found.push(of);
        }
    }
    found
}

fn not_flushed(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    let is_open = !job.is_durable() && !job.direct && job.rw != Rw::SmallFiles;
    (is_open && workload.driver.is_native()).then(|| {
        let evidence = format!("{} of buffered writes and no flush", units::size(job.size));
        let advice = "include the flush in the measured time: --end_fsync, or fsync = 16 in a plan";
        finding(header, &registry::SYNC_NOT_TIMED, evidence, advice)
    })
}

fn zeros(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    (job.rw.writes() && job.data == Data::Zero).then(|| {
        let evidence = "the test data is all zeros, which compress to almost nothing".to_string();
        finding(
            header,
            &registry::DULL_DATA,
            evidence,
            "use data that does not compress: --data random",
        )
    })
}

fn not_random(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    let limits = &header.protocol.thresholds;
    let blocks = job.size / job.bs.max(1);
    let is_fake = job.bs >= limits.random_block_bytes || blocks < limits.random_blocks;
    (job.rw.is_random() && is_fake).then(|| {
        let evidence = format!("random access to {blocks} blocks of {}", units::size(job.bs));
        finding(
            header,
            &registry::FAKE_RANDOM,
            evidence,
            "use small blocks and a large file: --bs 4k --size 1g",
        )
    })
}

fn tiny_block(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    let is_tiny = job.bs < header.protocol.thresholds.small_block_bytes && !job.direct;
    (is_tiny && job.rw != Rw::SmallFiles).then(|| {
        let evidence = format!("buffered blocks of {} bytes measure the cost of calls", job.bs);
        finding(header, &registry::TINY_BLOCK, evidence, "use --bs 4k or more")
    })
}

fn no_queue(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    let waits = job.engine == EngineName::Psync || !job.direct;
    (job.iodepth > 1 && waits && workload.driver.is_native()).then(|| {
        let how = if job.direct {
            "the engine waits for each"
        } else {
            "requests go through the page cache"
        };
        let evidence = format!("a depth of {} with {}: {how}", job.iodepth, job.engine.name());
        finding(
            header,
            &registry::QD_ENGINE,
            evidence,
            "use --engine io_uring together with --direct",
        )
    })
}

fn mismatch(header: &Header) -> Option<Finding> {
    let title = header.title.to_ascii_lowercase();
    // Names of places say nothing about what is asked.
    let asked = SCATTERED.iter().find(|w| title.contains(*w));
    let asked = asked.filter(|_| Setting::of(header) != Setting::Places)?;
    let streams =
        |w: &Workload| w.profile.is_none() && !w.job.rw.is_random() && w.job.bs >= 1 << 20;
    (!header.workloads.is_empty() && header.workloads.iter().all(streams)).then(|| {
        let evidence = format!(
            "the title says '{asked}', but every workload streams in blocks of a megabyte or more"
        );
        let advice = "add a matching workload: profile = \"sqlite\" or rw = \"randwrite\" with \
            fsync = 1";
        finding(header, &registry::WORKLOAD_MISMATCH, evidence, advice)
    })
}

fn peeking(header: &Header) -> Option<Finding> {
    let protocol = &header.protocol;
    let (looks, alpha) = (protocol.looks.len(), protocol.alpha);
    if protocol.rules == Rules::Lead {
        let spent = |alphas: &[f64]| alphas.iter().sum::<f64>();
        let paid = spent(&Protocol::for_mode(protocol.mode, protocol.k).alphas);
        let own = spent(&protocol.alphas);
        return (looks != protocol.alphas.len() || own > paid + 1e-9).then(|| {
            let evidence = format!(
                "{looks} checks spend an error rate of {own:.3}; the checks of this mode spend \
                 {paid:.3}"
            );
            finding(header, &registry::PEEKING, evidence, "use the checks of a mode: --mode decide")
        });
    }
    (looks > LOOKS || alpha > ALPHA + 1e-12).then(|| {
        let evidence =
            format!("{looks} checks at a nominal alpha of {alpha}; five at {ALPHA} give 5 %");
        finding(header, &registry::PEEKING, evidence, "use the checks of a mode: --mode decide")
    })
}

fn multiplicity(header: &Header) -> Option<Finding> {
    let compared = header.candidates.iter().filter(|c| c.twin_of.is_none()).count();
    let paid = header.protocol.k as usize;
    (compared > paid && compared > 1).then(|| {
        let evidence = format!("{compared} candidates, but the error rate was divided for {paid}");
        finding(
            header,
            &registry::MULTIPLICITY,
            evidence,
            "start a new run with all candidates: bakeoff run",
        )
    })
}
