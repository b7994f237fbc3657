//! `/proc/stat`: what each CPU spent its time on.
//!
//! Time is in clock ticks (USER_HZ, 100 a second on every architecture bakeoff runs on). `iowait`
//! is counted as idle here: it is the idle time of a CPU on which somebody who waits for I/O ran
//! last, it may decrease, and proc(5) calls it unreliable. Source:
//! `Documentation/filesystems/proc.rst`, section 1.7.

/// Ticks a second in which /proc counts CPU time.
pub const TICKS_PER_S: u64 = 100;

/// Time of one CPU in clock ticks since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTicks {
    pub user: u64,
    pub system: u64,
    pub interrupt: u64,
    pub steal: u64,
    /// Nothing to run, whether or not I/O was waited for.
    pub idle: u64,
}

/// Calls `each` with the number and times of every CPU that is listed.
pub fn cpus(text: &str, mut each: impl FnMut(usize, CpuTicks)) {
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("cpu") else { break };
        let mut words = rest.split_ascii_whitespace();
        // The first line, "cpu  …", is the sum of all.
        let Some(number) = (!rest.starts_with(' ')).then(|| words.next()).flatten() else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        let mut fields = [0u64; 8];
        for (field, word) in fields.iter_mut().zip(words) {
            *field = word.parse().unwrap_or(0);
        }
        let [user, nice, system, idle, iowait, irq, softirq, steal] = fields;
        let ticks = CpuTicks {
            user: user.saturating_add(nice),
            system,
            interrupt: irq.saturating_add(softirq),
            steal,
            idle: idle.saturating_add(iowait),
        };
        each(number, ticks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cpu  300 20 60 1000 90 1 2 3 0 0\ncpu0 100 10 30 500 40 1 0 1 0 0\n\
        cpu1 200 10 30 500 50 0 2 2 0 0\nintr 37255166 0 0\nctxt 151337935\nbtime 1795192754\n";

    fn all(text: &str) -> Vec<(usize, CpuTicks)> {
        let mut found = Vec::new();
        cpus(text, |number, ticks| found.push((number, ticks)));
        found
    }

    #[test]
    fn each_cpu_without_the_sum_and_iowait_is_idle() {
        let found = all(TEXT);
        let first = CpuTicks { user: 110, system: 30, interrupt: 1, steal: 1, idle: 540 };
        assert_eq!(found[0], (0, first));
        assert_eq!((found.len(), found[1].0, found[1].1.interrupt), (2, 1, 2));
    }

    #[test]
    fn a_cpu_that_is_off_leaves_a_gap_and_old_kernels_lack_fields() {
        let found = all("cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu3 1 2 3 4 5\nintr 1\n");
        assert_eq!(found.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [0, 3]);
        assert_eq!((found[0].1.idle, found[1].1.idle), (4, 9));
    }
}
