//! A/A over the stored runs of a drive: a run without a twin of its own takes over what earlier
//! runs saw of one candidate under two labels. The differences inside all their blocks are one
//! sample.

use super::table::ScoreTable;
use bakeoff_model::event::Header;
use bakeoff_model::host::Layer;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::Job;
use bakeoff_model::looks::FIRST_LOOK;
use bakeoff_model::pooled::{PooledControl, PooledControls};
use bakeoff_model::run::Run;
use bakeoff_model::workload::Workload;
use bakeoff_stats::paired::Paired;

/// Whether a run measures a candidate twice itself.
pub fn has_twin(header: &Header) -> bool {
    header.candidates.iter().any(|c| c.twin_of.is_some())
}

/// What `stored` runs (the latest first) on the same drive say about this one's workloads; `None`
/// where it has a twin itself, or they have none.
pub fn pooled(header: &Header, stored: &[Run]) -> Option<PooledControls> {
    let useful = |run: &&Run| has_twin(&run.header) && is_same_drive(header, &run.header);
    let runs: Vec<&Run> = stored.iter().filter(useful).collect();
    if has_twin(header) || runs.is_empty() {
        return None;
    }
    let tables: Vec<ScoreTable> = runs.iter().map(|run| ScoreTable::from_evidence(run)).collect();
    let of = |workload: &Workload| {
        let all = runs.iter().zip(&tables);
        let differences: Vec<f64> =
            all.flat_map(|(run, table)| apart(run, table, workload)).collect();
        let paired = Paired::from_differences(&differences).filter(|p| p.blocks >= FIRST_LOOK)?;
        let interval = paired.interval(header.protocol.alpha);
        Some(PooledControl {
            workload: workload.name.clone(),
            blocks: paired.blocks,
            mean: paired.mean,
            low: interval.low,
            high: interval.high,
        })
    };
    let workloads: Vec<PooledControl> = header.workloads.iter().filter_map(of).collect();
    let runs = runs.iter().map(|run| run.header.run.clone()).collect();
    (!workloads.is_empty()).then_some(PooledControls { runs, workloads })
}

/// ln(twin / original) in each block of a run in which the same work was done.
fn apart(run: &Run, table: &ScoreTable, wanted: &Workload) -> Vec<f64> {
    let index = |name: &String| CandidateIx::find(&run.header.candidates, |c| c.name == *name);
    let Some(workload) = WorkloadIx::find(&run.header.workloads, |w| is_same_work(w, wanted))
    else {
        return Vec::new();
    };
    let twins = CandidateIx::each(&run.header.candidates);
    let pairs = twins.filter_map(|(twin, c)| Some((twin, index(c.twin_of.as_ref()?)?)));
    pairs.flat_map(|(twin, of)| table.differences(workload, twin, of)).collect()
}

/// The same pattern by the same tool; how large the file is follows from region and speed, how long
/// a cell lasts from the mode.
fn is_same_work(a: &Workload, b: &Workload) -> bool {
    let pattern = |job: &Job| Job {
        size: 0,
        io_size: None,
        runtime_ns: None,
        min_ios: 0,
        time_limit_ns: None,
        seed: 0,
        ..job.clone()
    };
    a.name == b.name && a.driver == b.driver && pattern(&a.job) == pattern(&b.job)
}

/// Whether two runs measured on one drive: of the same model, serial number and size, and without
/// serial number (virtual disks have none) of the same name in the same machine.
pub fn is_same_drive(a: &Header, b: &Header) -> bool {
    let host = a.host.hostname == b.host.hostname;
    let same = |x: &Layer, y: &Layer| {
        let alike = (&x.model, &x.serial, x.size_bytes) == (&y.model, &y.serial, y.size_bytes);
        alike && (x.serial.is_some() || (host && x.name == y.name))
    };
    a.disks().any(|x| b.disks().any(|y| same(x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::What;
    use bakeoff_model::finding::Severity;
    use bakeoff_model::protocol::Mode;
    use bakeoff_stats::prng::NormalDeviates;
    use bakeoff_stats::prng::SplitMix64;

    #[test]
    fn work_is_the_same_by_name_and_pattern_whatever_its_length() {
        let of = |name: &str| bakeoff_model::workloads::find(name).unwrap();
        let one = of("randwrite");
        let mut longer = one.clone();
        (longer.job.size, longer.job.seed) = (2 * one.job.size + 4096, 9);
        assert!(is_same_work(&one, &longer));
        let renamed = Workload { name: "other".to_string(), ..one.clone() };
        let mut other = one.clone();
        other.job.bs *= 2;
        for unlike in [renamed, other, of("randread")] {
            assert!(!is_same_work(&one, &unlike), "{unlike:?}");
        }
    }

    fn noise(seed: u64, block: u32, candidate: u16) -> f64 {
        let words = [block.into(), candidate.into()];
        0.01 * NormalDeviates(SplitMix64::derive(seed, &words)).deviate()
    }

    fn with_twin(seed: u64, ahead: f64) -> Run {
        let rate = move |block, c: u16, _| {
            1e6 * libm::exp(noise(seed, block, c) + if c == 2 { ahead } else { 0.0 })
        };
        RunBuilder::stacks(&["ext4", "xfs", "ext4 (twin)"])
            .header(|h| h.candidates[2].twin_of = Some("ext4".to_string()))
            .mode(Mode::Precise)
            .play(8, rate)
            .build()
    }

    fn plain() -> RunBuilder {
        RunBuilder::stacks(&["ext4", "f2fs"])
    }

    #[test]
    fn twins_of_stored_runs_are_one_sample() {
        let stored = [with_twin(1, 0.0), with_twin(2, 0.0)];
        let found = pooled(&plain().build().header, &stored).unwrap();
        assert_eq!(found.runs.len(), 2);
        let [one] = found.workloads.as_slice() else { panic!("{found:?}") };
        let blocks: usize = stored.iter().map(|run| run.complete_blocks().count()).sum();
        assert_eq!((one.workload.as_str(), one.blocks as usize), ("randwrite", blocks));
        assert!(one.low < 0.0 && one.high > 0.0 && one.high - one.low < 0.05, "{one:?}");
        let quick = pooled(&plain().mode(Mode::Quick).build().header, &stored).unwrap();
        assert_eq!(quick.workloads[0].blocks, one.blocks, "cells of another length");
        let alone = pooled(&plain().build().header, &stored[..1]).unwrap().workloads[0].clone();
        assert!(alone.high - alone.low > one.high - one.low, "more blocks, a narrower interval");
    }

    #[test]
    fn another_drive_other_work_and_an_own_twin_give_nothing() {
        let stored = [with_twin(1, 0.0)];
        let none = |run: RunBuilder| assert_eq!(pooled(&run.build().header, &stored), None);
        none(plain().header(|h| {
            let place = &mut h.region.as_mut().unwrap().place;
            place.chain.last_mut().unwrap().serial = Some("another".to_string());
        }));
        none(plain().header(|h| h.host.hostname = "another".to_string()));
        none(plain().workloads(&["seqread"]));
        none(plain().header(|h| h.workloads[0].job.bs = 8192));
        none(plain().header(|h| h.candidates[1].twin_of = Some("ext4".to_string())));
    }

    #[test]
    fn l35_a_pooled_control_that_differs_from_itself_and_one_that_does_not() {
        let told = |ahead| {
            let stored = [with_twin(1, ahead), with_twin(2, ahead)];
            let found = pooled(&plain().build().header, &stored).unwrap();
            let run = plain().event(What::PooledControls(Box::new(found)));
            let run = run.play(5, |b, c, _| 1e6 * libm::exp(noise(3, b, c))).build();
            analyse(&run).findings.into_iter().find(|f| f.id == "L35")
        };
        let found = told(0.04).unwrap();
        assert_eq!(
            (found.severity, found.workload.as_deref()),
            (Severity::Error, Some("randwrite"))
        );
        assert!(found.evidence.contains("2 earlier runs on this drive"), "{found:?}");
        assert!(found.evidence.contains("% CI: +"), "{found:?}");
        assert_eq!(told(0.0), None);
    }

    #[test]
    fn l40_a_lead_smaller_than_the_pooled_control_and_a_larger_one() {
        let told = |lead: f64| {
            let stored = [with_twin(1, 0.04), with_twin(2, 0.04)];
            let found = pooled(&plain().build().header, &stored).unwrap();
            let run = plain().event(What::PooledControls(Box::new(found)));
            let rate = move |b, c: u16, _| {
                1e6 * libm::exp(0.2 * noise(3, b, c) + if c == 1 { lead } else { 0.0 })
            };
            analyse(&run.play(27, rate).build()).findings.iter().any(|f| f.id == "L40")
        };
        assert!(told(0.035) && !told(0.06));
    }
}
