//! The positive control: a lane that is slowed down on purpose by a known share of its speed.
//!
//! What it loses is waited for when all its work is done, so that nothing (read-ahead, writeback,
//! a queue in the device) can go on meanwhile and hide it.

use bakeoff_model::job::Job;

use crate::clock::Clock;

/// Waits for what the job is to lose of its speed; the moment at which its lane has ended.
pub fn hold_back(clock: Clock, job: &Job, start_ns: u64, end_ns: u64) -> u64 {
    if job.slowed_ppm == 0 {
        return end_ns;
    }
    clock.sleep_until(start_ns.saturating_add(slowed_ns(end_ns - start_ns, job.slowed_ppm)));
    clock.now_ns()
}

/// How long what took `elapsed_ns` takes at a speed that is `slowed_ppm` millionths lower.
fn slowed_ns(elapsed_ns: u64, slowed_ppm: u32) -> u64 {
    let left = 1_000_000_u64.saturating_sub(slowed_ppm.into()).max(1);
    let slowed = u128::from(elapsed_ns) * 1_000_000 / u128::from(left);
    u64::try_from(slowed).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_three_quarters_of_the_speed_it_takes_four_thirds_of_the_time() {
        assert_eq!(slowed_ns(3_000_000_000, 250_000), 4_000_000_000);
        assert_eq!(slowed_ns(1000, 0), 1000);
    }
}
