//! Experiments that change one thing and look whether the rate follows: what turns a suspicion into
//! proof, or refutes it.
//!
//! They come after the answer, on the workload's own place: once more as it was, at a lowered CPU
//! clock, in smaller blocks; and the jobs that could not be afforded before. Elasticities after
//! the USE and perturbation methods: a rate that falls with the clock is held back by the CPU, one
//! that does not care is not.

use super::baseline::{self, LayerShare};
use super::context::CellContext;
use super::layers::{self, At, LAYER_IOS, LAYER_WRITE_BYTES, LayerJob};
use super::percent;
use bakeoff_model::bottleneck::Reason;
use bakeoff_model::cause::{Cause, Grade};
use bakeoff_model::ceiling::CeilingLayer;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::workload::Workload;
use bakeoff_stats::units;

pub const CLOCK: f64 = 0.6;
pub const EXPERIMENT_NS: u64 = 1_000_000_000;
/// How long all experiments of a run may take, without the visits they need.
pub const MOST_NS: u64 = 120_000_000_000;

const FOLLOWS: f64 = 0.5;
const DOES_NOT_CARE: f64 = 0.1;
/// Taking the cipher away makes so much of a difference where it is what holds back, …
const FASTER: f64 = 1.2;
const SAME: f64 = 1.05;
/// A quarter of the block size leaves so much of the bandwidth where bytes are what counts, …
const BYTES_COUNT: f64 = 0.9;
/// … and so little where requests are: a fourth, with what measuring leaves.
const REQUESTS_COUNT: f64 = 0.4;
const DIVISIBLE_BYTES: u64 = 16 << 10;

/// The experiments on one workload, besides the jobs `known` so far.
pub fn jobs(workload: &Workload, has_device: bool, known: &[CeilingLayer]) -> Vec<LayerJob> {
    let missing = layers::jobs(workload, has_device).into_iter();
    let missing = missing.filter(|r| r.at == At::File && !known.contains(&r.layer));
    let mut all: Vec<LayerJob> = missing.collect();
    // Small files and profiles are no one job on one file; whoever has no jobs has neither.
    if workload.job.rw == Rw::SmallFiles || layers::jobs(workload, has_device).is_empty() {
        return all;
    }
    let again = again(workload);
    let mut add = |layer, job| all.push(LayerJob { layer, at: At::File, job });
    add(CeilingLayer::Again, again.clone());
    add(CeilingLayer::SlowClock, again.clone());
    if again.bs >= DIVISIBLE_BYTES && again.bs.is_multiple_of(4) {
        add(CeilingLayer::SmallBlocks, Job { bs: again.bs / 4, ..again });
    }
    all
}

fn again(workload: &Workload) -> Job {
    Job {
        runtime_ns: Some(EXPERIMENT_NS),
        time_limit_ns: Some(EXPERIMENT_NS * 4),
        min_ios: LAYER_IOS,
        verify: false,
        io_size: workload.job.rw.writes().then_some(LAYER_WRITE_BYTES),
        ..workload.job.clone()
    }
}

/// The workload on a candidate whose encryption was changed; `None` for what is no one job.
pub fn on_another_cipher(workload: &Workload, layer: CeilingLayer) -> Option<LayerJob> {
    let is_one_job = workload.job.rw != Rw::SmallFiles && !layers::jobs(workload, false).is_empty();
    is_one_job.then(|| LayerJob { layer, at: At::File, job: again(workload) })
}

/// What taking the cipher away makes of a suspicion against the CPU, or of none.
fn of_cipher(steps: &[LayerShare], reason: Option<Reason>) -> Option<Reason> {
    let rate = |layer| baseline::find(steps, layer).map(|step| step.rate);
    let Some((own, null)) = rate(CeilingLayer::Again).zip(rate(CeilingLayer::NullCipher)) else {
        return reason;
    };
    let without = rate(CeilingLayer::NoCipher).map_or(String::new(), |rate| {
        format!(", without encryption {:.1} times as fast", rate / own)
    });
    let clue = format!("with a null cipher {:.1} times as fast{without}", null / own);
    match reason {
        Some(reason) if reason.grade == Grade::Proved => Some(reason),
        // The cipher does not matter, so its thread is not what the rest waits for.
        Some(reason) if null < own * SAME && reason.is_ciphers => None,
        Some(reason) if null >= own * FASTER && reason.is_ciphers => Some(reason.proved_by(clue)),
        None if null >= own * FASTER => {
            Some(Reason::proved(Cause::Cpu, clue).subject("the cipher"))
        }
        reason => reason,
    }
}

/// What the experiments with the clock and the cipher make of a suspicion against the CPU, or of
/// none.
pub fn of_cpu(steps: &[LayerShare], reason: Option<Reason>) -> Option<Reason> {
    of_clock(steps, of_cipher(steps, reason))
}

fn of_clock(steps: &[LayerShare], reason: Option<Reason>) -> Option<Reason> {
    let Some(elasticity) = elasticity(steps) else { return reason };
    let rate = libm::pow(CLOCK, elasticity);
    let (clock, rate) = (percent(CLOCK), percent(rate));
    let clue = format!("at {clock} of the CPU clock it reaches {rate} of the rate");
    match reason {
        // The kernel's own account needs no experiment.
        Some(reason) if reason.grade == Grade::Proved => Some(reason),
        Some(_) if elasticity <= DOES_NOT_CARE => None,
        Some(reason) if elasticity >= FOLLOWS => Some(reason.proved_by(clue)),
        None if elasticity >= FOLLOWS => Some(Reason::proved(Cause::Cpu, clue)),
        reason => reason,
    }
}

/// d ln(rate) / d ln(clock).
fn elasticity(steps: &[LayerShare]) -> Option<f64> {
    let again = baseline::find(steps, CeilingLayer::Again)?.rate;
    let slow = baseline::find(steps, CeilingLayer::SlowClock)?.rate;
    Some((libm::log(slow / again) / libm::log(CLOCK)).max(0.0))
}

pub fn of_disk(context: &CellContext, steps: &[LayerShare], reason: Reason) -> Reason {
    let again = baseline::find(steps, CeilingLayer::Again).map(|s| s.bytes_per_s);
    let small = baseline::find(steps, CeilingLayer::SmallBlocks).map(|s| s.bytes_per_s);
    let (Some(again), Some(small)) = (again.filter(|b| *b > 0.0), small) else { return reason };
    let share = small / again;
    let is_it = match reason.cause {
        Cause::Device | Cause::Bus => share >= BYTES_COUNT,
        Cause::QueueDepth => share <= REQUESTS_COUNT,
        _ => false,
    };
    if !is_it || reason.grade == Grade::Proved {
        return reason;
    }
    let block = units::block_size(context.job().bs / 4);
    reason.proved_by(format!("with blocks of {block} the rate is {} of this rate", percent(share)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::causes::{Case, queue};
    use bakeoff_model::telemetry::ThreadUse;
    use bakeoff_model::workloads;

    fn busy() -> Case {
        Case::measured("seqread", 300e6).with(|s| {
            let m = &mut s.cell.measurement;
            (m.usr_cpu_ns, m.sys_cpu_ns) = (m.elapsed_ns / 10, m.elapsed_ns * 8 / 10);
        })
    }

    #[test]
    fn a_rate_that_follows_the_clock_is_the_cpus() {
        assert_eq!(busy().cause(), (Cause::Cpu, Grade::Consistent));
        let proved = busy().layer(CeilingLayer::Again, 300e6).layer(CeilingLayer::SlowClock, 190e6);
        assert_eq!(proved.cause(), (Cause::Cpu, Grade::Proved));
        let said = proved.evidence();
        assert!(said.contains("at 60 % of the CPU clock it reaches 63 %"), "{said}");
        let refuted =
            busy().layer(CeilingLayer::Again, 300e6).layer(CeilingLayer::SlowClock, 299e6);
        assert_ne!(refuted.cause().0, Cause::Cpu);
        let unclear =
            busy().layer(CeilingLayer::Again, 300e6).layer(CeilingLayer::SlowClock, 260e6);
        assert_eq!(unclear.cause(), (Cause::Cpu, Grade::Consistent));
        let unsuspected = Case::measured("randread", 900.0).with(|s| queue(s, 0.3));
        let found =
            unsuspected.layer(CeilingLayer::Again, 900.0).layer(CeilingLayer::SlowClock, 550.0);
        assert_eq!(found.cause(), (Cause::Cpu, Grade::Proved));
    }

    #[test]
    fn a_cipher_is_told_from_what_lies_below_it() {
        let busy = || {
            Case::measured("seqread", 90e6).with(|s| {
                let cpu_ns = s.cell.measurement.elapsed_ns * 9 / 10;
                s.t().threads = vec![ThreadUse { name: "kcryptd".into(), cpu_ns }];
                queue(s, 0.1);
            })
        };
        let with = |own, null, none| {
            let scene =
                busy().layer(CeilingLayer::Again, own).layer(CeilingLayer::NullCipher, null);
            scene.layer(CeilingLayer::NoCipher, none)
        };
        assert_eq!(busy().cause(), (Cause::Cpu, Grade::Consistent));
        let proved = with(90e6, 360e6, 380e6);
        assert_eq!(proved.cause(), (Cause::Cpu, Grade::Proved));
        assert_eq!(proved.reason().subject.as_deref(), Some("kcryptd"));
        assert!(proved.evidence().ends_with(
            "with a null cipher 4.0 times as fast, without encryption 4.2 times as fast"
        ));
        assert_ne!(with(90e6, 91e6, 92e6).cause().0, Cause::Cpu, "the cipher is not it");
        assert_eq!(with(90e6, 100e6, 120e6).cause(), (Cause::Cpu, Grade::Consistent));
        let quiet = Case::measured("seqread", 90e6).with(|s| queue(s, 0.2));
        let found =
            quiet.layer(CeilingLayer::Again, 90e6).layer(CeilingLayer::NullCipher, 200e6).reason();
        assert_eq!(found.subject.as_deref(), Some("the cipher"));
    }

    #[test]
    fn smaller_blocks_tell_bytes_from_requests() {
        let disk = || Case::measured("seqread", 50e6).with(|s| queue(s, 0.97));
        assert_eq!(disk().cause(), (Cause::Device, Grade::Consistent));
        let proved = disk().layer(CeilingLayer::Again, 50e6).layer(CeilingLayer::SmallBlocks, 49e6);
        assert_eq!(proved.cause(), (Cause::Device, Grade::Proved));
        let unclear =
            disk().layer(CeilingLayer::Again, 50e6).layer(CeilingLayer::SmallBlocks, 30e6);
        assert_eq!(unclear.cause(), (Cause::Device, Grade::Consistent));
    }

    #[test]
    fn experiments_are_short_and_write_little() {
        for workload in workloads::all() {
            for planned in jobs(&workload, true, &[]) {
                assert!(
                    planned.job.runtime_ns <= Some(EXPERIMENT_NS)
                        && planned.job.min_ios <= LAYER_IOS
                );
                let bounded = planned.job.io_size.is_some_and(|bytes| bytes <= LAYER_WRITE_BYTES);
                assert!(planned.write_bytes() == 0 || bounded, "{planned:?}");
            }
        }
        let layers = |known: &[CeilingLayer]| -> Vec<CeilingLayer> {
            let all = jobs(&workloads::find("seqread").unwrap(), false, known);
            all.iter().map(|planned| planned.layer).collect()
        };
        use CeilingLayer::*;
        assert_eq!(layers(&[]), [Deep, Again, SlowClock, SmallBlocks]);
        assert_eq!(layers(&[Deep]), [Again, SlowClock, SmallBlocks], "what is known is known");
    }
}
