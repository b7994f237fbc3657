//! `/sys/kernel/debug/mmcN/ios`: how a card is driven, readable by root with debugfs mounted.
//!
//! ```text
//! clock:          50000000 Hz
//! bus width:      2 (4 bits)
//! timing spec:    7 (sd uhs DDR50)
//! ```
//! Source: `drivers/mmc/core/debugfs.c` of the Linux kernel.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ios {
    /// The kernel's name of its timing: `sd uhs DDR50`.
    pub timing: String,
    pub mhz: Option<u64>,
    pub bits: Option<u32>,
}

/// "sd uhs DDR50, 50 MHz, 4 bits".
impl fmt::Display for Ios {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.timing)?;
        self.mhz.map_or(Ok(()), |mhz| write!(f, ", {mhz} MHz"))?;
        self.bits.map_or(Ok(()), |bits| write!(f, ", {bits} bits"))
    }
}

/// Reads the file; `None` when no timing is given (no card).
pub fn parse(text: &str) -> Option<Ios> {
    let value = |key: &str| {
        text.lines().find_map(|line| Some(line.strip_prefix(key)?.strip_prefix(':')?.trim()))
    };
    let in_parentheses = |text: &str| -> Option<String> {
        let (_, tail) = text.split_once('(')?;
        Some(tail.split(')').next()?.trim().to_string())
    };
    let clock = value("actual clock").or_else(|| value("clock"));
    let hertz = clock.and_then(|c| c.split_ascii_whitespace().next()?.parse::<u32>().ok());
    let bits = value("bus width").and_then(in_parentheses);
    Some(Ios {
        timing: in_parentheses(value("timing spec")?)?,
        mhz: hertz.filter(|hz| *hz > 0).map(|hz| (u64::from(hz) + 500_000) / 1_000_000),
        bits: bits.and_then(|text| text.strip_suffix(" bits")?.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    fn describe(text: &str) -> Option<String> {
        super::parse(text).map(|ios| ios.to_string())
    }

    #[test]
    fn timing_clock_and_width() {
        let text = "clock:\t\t50000000 Hz\nvdd:\t\t21 (3.3 ~ 3.4 V)\nbus mode:\t2 (push-pull)\n\
            chip select:\t0 (don't care)\npower mode:\t2 (on)\nbus width:\t2 (4 bits)\n\
            timing spec:\t7 (sd uhs DDR50)\nsignal voltage:\t1 (1.80 V)\n";
        assert_eq!(describe(text).as_deref(), Some("sd uhs DDR50, 50 MHz, 4 bits"));
        assert_eq!(describe("clock:\t\t0 Hz\n"), None);
    }

    /// The kernel's figure is an unsigned int; fuzzing found one that no 64 bits could round up.
    #[test]
    fn a_clock_no_kernel_prints_is_left_out() {
        let text = |clock: &str| format!("clock:\t{clock} Hz\ntiming spec:\t7 (sd uhs DDR50)\n");
        assert_eq!(describe(&text("18446744073709551615")).as_deref(), Some("sd uhs DDR50"));
        let most = describe(&text("4294967295"));
        assert_eq!(most.as_deref(), Some("sd uhs DDR50, 4295 MHz"));
    }
}
