//! The one clock of a cell: nanoseconds of `CLOCK_MONOTONIC`, by the cheapest way to read it.
//!
//! Where the kernel itself keeps time by the processor's counter (the time stamp counter of x86-64,
//! the generic timer of 64-bit ARM), that counter is read directly, scaled by what two readings of
//! both clocks say; the kernel has checked by then that it runs at one rate on all processors. Any
//! other machine asks the C library, which reads the vDSO where there is one. How the scale was
//! found bounds its error, which is reported with the measurement.
//!
//! It does not jump when the date is set; it stops during suspend, which the parent looks for.
//! `BAKEOFF_CLOCK` chooses another way: `vdso`, or `counter` however badly its rate is known, to
//! count instructions under an emulator.
//! Source: clock_gettime(2), vdso(7), Documentation/timers/timekeeping.rst; Intel SDM volume 3,
//! "Invariant TSC"; ARM DDI 0487, "The Generic Timer".

use std::time::Duration;

use crate::hold;
use bakeoff_model::measurement::ClockSource;
use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::Timespec;

/// Time between the two readings that give the counter's rate, and the most of it: where reading
/// is disturbed, as in an emulator, more time makes up for it.
const CALIBRATION: Duration = Duration::from_millis(2);
const CALIBRATION_MAX: Duration = Duration::from_millis(64);
const READINGS: usize = 8;
/// Error above which the counter's rate counts as not known.
const ERROR_PPM_MAX: f64 = 200.0;
/// Parts of a nanosecond a tick is scaled in, as a power of two. With 64 the upper half of a
/// product is the answer, and no shift is needed; a time stamp counter of less than 1 GHz does not
/// fit then and is not read. Those of ARM run at 1 to 1000 MHz.
const SCALE_BITS: u32 = if cfg!(target_arch = "x86_64") { 64 } else { 32 };

#[derive(Clone, Copy, Debug)]
pub struct Clock {
    source: ClockSource,
    /// Nanoseconds a tick, times 2^[`SCALE_BITS`].
    scale: u64,
    /// What the scaled counter lacks to the kernel's clock, modulo 2^64.
    offset_ns: u64,
    since_ns: u64,
    error_ppm: f64,
    /// Whether it is that of [`hold`].
    is_held: bool,
}

impl Clock {
    /// The cheapest clock of this machine, or the one `BAKEOFF_CLOCK` names.
    pub fn find() -> Clock {
        if hold::is_held() {
            return Clock { is_held: true, ..Clock::monotonic() };
        }
        let named = std::env::var("BAKEOFF_CLOCK").unwrap_or_default();
        match named.as_str() {
            "counter" => Clock::by_counter(f64::INFINITY).unwrap_or(Clock::monotonic()),
            "vdso" => Clock::monotonic(),
            _ => Clock::by_counter(ERROR_PPM_MAX).unwrap_or(Clock::monotonic()),
        }
    }

    pub fn monotonic() -> Clock {
        let source = ClockSource::Vdso;
        Clock { source, scale: 0, offset_ns: 0, since_ns: 0, error_ppm: 0.0, is_held: false }
    }

    /// The processor's counter, where the kernel relies on it too and its rate can be had.
    fn by_counter(error_ppm_max: f64) -> Option<Clock> {
        if !counter::is_trusted() {
            return None;
        }
        let first = ClockPair::read();
        let mut pause = CALIBRATION;
        while pause <= CALIBRATION_MAX {
            // Sleeping costs no instructions, so that counting them stays exact.
            std::thread::sleep(pause);
            if let Some(clock) = Clock::between(first, ClockPair::read(), error_ppm_max) {
                return Some(clock);
            }
            pause *= 2;
        }
        None
    }

    fn between(first: ClockPair, last: ClockPair, error_ppm_max: f64) -> Option<Clock> {
        let (ticks, ns) = (last.ticks.checked_sub(first.ticks)?, last.ns.checked_sub(first.ns)?);
        let scale =
            ((u128::from(ns) << SCALE_BITS) + u128::from(ticks / 2)).checked_div(ticks.into())?;
        let error_ticks = (first.width_ticks + last.width_ticks) as f64 / 2.0;
        let error_ppm = error_ticks * 1e6 / ticks as f64;
        let source = ClockSource::Counter;
        let scale = u64::try_from(scale).ok()?;
        let offset_ns = last.ns.wrapping_sub(scaled(last.ticks, scale));
        let (since_ns, is_held) = (last.ns, false);
        let clock = Clock { source, scale, offset_ns, since_ns, error_ppm, is_held };
        Some(clock).filter(|_| error_ppm <= error_ppm_max)
    }

    /// Nanoseconds since some fixed point.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        if self.source == ClockSource::Counter {
            return scaled(counter::ticks(), self.scale).wrapping_add(self.offset_ns);
        }
        self.slow_now_ns()
    }

    #[cold]
    fn slow_now_ns(&self) -> u64 {
        if self.is_held { hold::now_ns() } else { now_ns() }
    }

    pub fn source(&self) -> ClockSource {
        self.source
    }

    /// By how much a time may be wrong in proportion: what was known when it was set up, or what
    /// came out since then, whichever is more.
    pub fn error_ppm(&self) -> f64 {
        if self.source != ClockSource::Counter {
            return 0.0;
        }
        let (ours, theirs) = (self.now_ns(), now_ns());
        let passed_ns = theirs.saturating_sub(self.since_ns).max(1);
        self.error_ppm.max(ours.abs_diff(theirs) as f64 * 1e6 / passed_ns as f64)
    }

    /// Sleeps until `due_ns` of this clock; returns at once when it has passed.
    pub fn sleep_until(&self, due_ns: u64) {
        if self.is_held {
            return hold::sleep_until(due_ns);
        }
        let Some(left_ns) = due_ns.checked_sub(self.now_ns()) else { return };
        let until_ns = now_ns().saturating_add(left_ns);
        let request = Timespec {
            tv_sec: (until_ns / 1_000_000_000) as i64,
            tv_nsec: (until_ns % 1_000_000_000) as _,
        };
        // Interrupted by a signal: sleep on, the request is absolute.
        while clock_nanosleep_absolute(ClockId::Monotonic, &request) == Err(rustix::io::Errno::INTR)
        {
        }
    }
}

/// Nanoseconds of so many ticks, modulo 2^64.
#[inline]
fn scaled(ticks: u64, scale: u64) -> u64 {
    ((u128::from(ticks) * u128::from(scale)) >> SCALE_BITS) as u64
}

#[derive(Clone, Copy, Debug)]
struct ClockPair {
    ticks: u64,
    ns: u64,
    width_ticks: u64,
}

impl ClockPair {
    fn read() -> ClockPair {
        let mut best = ClockPair { ticks: 0, ns: 0, width_ticks: u64::MAX };
        for _ in 0..READINGS {
            let before = counter::ticks();
            let ns = now_ns();
            let width_ticks = counter::ticks().wrapping_sub(before);
            if width_ticks < best.width_ticks {
                best = ClockPair { ticks: before.wrapping_add(width_ticks / 2), ns, width_ticks };
            }
        }
        best
    }
}

/// `CLOCK_MONOTONIC` as the C library reads it, for what is not a hot loop.
///
/// Through libc, not rustix: rustix looks the vDSO up by itself and crashes under valgrind, which
/// does not map it, and instructions counted under valgrind are how the hot loop is kept short.
pub fn now_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: now is a valid place for the answer. Only an unknown clock or a bad place can fail.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    ns_of(now)
}

fn ns_of(time: libc::timespec) -> u64 {
    // Monotonic time is never negative and lasts 584 years in 64 bits.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use std::arch::x86_64::{__cpuid, _rdtsc};

    #[inline]
    pub fn ticks() -> u64 {
        // SAFETY: every x86-64 has it; where user space may not read it, the kernel would not
        // keep time by it and we would not ask.
        unsafe { _rdtsc() }
    }

    /// Whether the kernel keeps time by it and the processor says its rate never changes.
    pub fn is_trusted() -> bool {
        const POWER: u32 = 0x8000_0007;
        const INVARIANT: u32 = 1 << 8;
        super::kernel_uses("tsc")
            && __cpuid(0x8000_0000).eax >= POWER
            && __cpuid(POWER).edx & INVARIANT != 0
    }
}

#[cfg(target_arch = "aarch64")]
mod counter {
    #[inline]
    pub fn ticks() -> u64 {
        let ticks: u64;
        // SAFETY: reads a register that Linux lets user space read, or reads for it. The barrier
        // keeps the reading from being moved before what is timed.
        unsafe {
            std::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack));
        }
        ticks
    }

    pub fn is_trusted() -> bool {
        super::kernel_uses("arch_sys_counter")
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod counter {
    pub fn ticks() -> u64 {
        0
    }

    pub fn is_trusted() -> bool {
        false
    }
}

/// Whether the kernel keeps time by the clock source `name`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn kernel_uses(name: &str) -> bool {
    const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(CURRENT).is_ok_and(|text| text.trim() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_goes_forward_and_agrees_with_the_kernel() {
        let mut clocks = vec![Clock::monotonic()];
        clocks.extend(Clock::by_counter(ERROR_PPM_MAX));
        for clock in clocks {
            let mut last = clock.now_ns();
            for _ in 0..1000 {
                let now = clock.now_ns();
                assert!(now >= last, "{clock:?}");
                last = now;
            }
            let (before, now, after) = (now_ns(), clock.now_ns(), now_ns());
            // A millisecond is far more than the error of a rate known to 200 ppm since a moment.
            assert!(now + 1_000_000 > before && now < after + 1_000_000, "{clock:?}");
            assert!(clock.error_ppm() < 1e5, "{clock:?}");
        }
    }

    #[test]
    fn two_readings_give_the_rate_and_its_error() {
        let first = ClockPair { ticks: 1000, ns: 5_000, width_ticks: 40 };
        let last = ClockPair { ticks: 4_001_000, ns: 2_005_000, width_ticks: 40 };
        let clock = Clock::between(first, last, ERROR_PPM_MAX).unwrap();
        assert_eq!(clock.scale, 1 << (SCALE_BITS - 1), "two ticks a nanosecond");
        assert_eq!(scaled(last.ticks, clock.scale).wrapping_add(clock.offset_ns), last.ns);
        assert_eq!(scaled(5_001_000, clock.scale).wrapping_add(clock.offset_ns), 2_505_000);
        assert!((clock.error_ppm - 10.0).abs() < 1e-9, "{}", clock.error_ppm);
        let wide = ClockPair { width_ticks: 4000, ..last };
        let between = |first, last| Clock::between(first, last, ERROR_PPM_MAX);
        assert!(between(first, wide).is_none(), "a disturbed reading is no rate");
        assert!(between(last, first).is_none(), "a counter that went backwards");
        assert!(between(first, ClockPair { ticks: 1000, ..last }).is_none(), "one that stood");
    }

    #[test]
    fn sleeping_lasts_until_the_moment() {
        let clock = Clock::find();
        let due_ns = clock.now_ns() + 3_000_000;
        clock.sleep_until(due_ns);
        // The two clocks may differ by their error over three milliseconds.
        assert!(clock.now_ns() + 1_000 >= due_ns);
        clock.sleep_until(0);
    }
}
