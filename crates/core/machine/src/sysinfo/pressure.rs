//! `/proc/pressure/{cpu,io,memory}`: how long tasks were kept waiting for a resource.
//!
//! Source: `Documentation/accounting/psi.rst`. Needs CONFIG_PSI, and `psi=1` on the kernel's
//! command line where it is off by default (Raspberry Pi OS).

/// Time since boot, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    pub some_us: u64,
    /// Every task that was not idle waited; 0 where the kernel does not say.
    pub full_us: u64,
}

/// Reads one file; `None` when it has no line `some`.
pub fn parse(text: &str) -> Option<Pressure> {
    let total = |kind: &str| -> Option<u64> {
        let line = text.lines().find(|line| line.split(' ').next() == Some(kind))?;
        line.split(' ').find_map(|word| word.strip_prefix("total="))?.trim().parse().ok()
    };
    Some(Pressure { some_us: total("some")?, full_us: total("full").unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_in_microseconds() {
        let text = "some avg10=0.67 avg60=0.78 avg300=0.78 total=1586931419\n\
            full avg10=0.00 avg60=0.00 avg300=0.20 total=332984960\n";
        let read = Pressure { some_us: 1_586_931_419, full_us: 332_984_960 };
        assert_eq!(parse(text), Some(read));
        // CPU pressure had no line `full` before Linux 5.13.
        assert_eq!(parse("some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n").unwrap().full_us, 0);
        assert_eq!(parse("total=5\n"), None);
    }
}
