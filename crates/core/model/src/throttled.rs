//! The Raspberry Pi firmware's word about power and heat: `get_throttled`.
//!
//! Bits 0 to 3 say what holds now, 16 to 19 the same of any time since they were last cleared.
//! A bit of 16 to 19 that is set proves nothing about a cell: it may be from before. One that
//! appears between two samples does. The kernel's hwmon driver polls every two seconds and clears
//! them, so one that is missing proves nothing either. Sources: Raspberry Pi documentation,
//! "vcgencmd"; drivers/hwmon/raspberrypi-hwmon.c and drivers/firmware/raspberrypi.c of the Linux
//! kernel.

/// Supply under 4.63 V (within 5 %).
pub const UNDER_VOLTAGE: u32 = 1;
pub const CAPPED: u32 = 1 << 1;
/// Throttled: 80 °C and more, or the supply.
pub const THROTTLED: u32 = 1 << 2;
/// The soft temperature limit of the Pi 3 B+ is active.
pub const SOFT_LIMIT: u32 = 1 << 3;
pub const NOW: u32 = 0xf;

/// The temperature at which a board begins to slow down, by what its device tree calls it:
/// thousandths of a degree. The 3 B+ has a soft limit of its own (Raspberry Pi documentation,
/// "Frequency management and thermal control").
pub fn limit_mc(model: Option<&str>) -> u64 {
    let is_3b_plus = model.is_some_and(|model| model.contains("3 Model B Plus"));
    if is_3b_plus { 60_000 } else { 80_000 }
}

/// Reads `throttled=0x50005`, `0x50005` or bare hexadecimal digits, as vcgencmd and the firmware's
/// sysfs file print them.
pub fn parse(text: &str) -> Option<u32> {
    let text = text.trim();
    let text = text.strip_prefix("throttled=").unwrap_or(text);
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// What the bits of the moment say, in words; empty when nothing is wrong.
pub fn labels(bits: u32) -> Vec<&'static str> {
    const WORDS: [(u32, &str); 4] = [
        (UNDER_VOLTAGE, "under-voltage"),
        (CAPPED, "clock capped"),
        (THROTTLED, "throttled"),
        (SOFT_LIMIT, "soft temperature limit"),
    ];
    WORDS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, word)| *word).collect()
}

pub fn since_boot(bits: u32) -> u32 {
    (bits >> 16) & NOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_spellings_and_what_they_mean() {
        for text in ["throttled=0x50005\n", "0x50005", "50005\n"] {
            assert_eq!(parse(text), Some(0x50005), "{text}");
        }
        assert_eq!(labels(0x50005), ["under-voltage", "throttled"]);
        assert_eq!(labels(since_boot(0x50000)), ["under-voltage", "throttled"]);
        assert_eq!(parse("throttled=none"), None);
        assert!(labels(0).is_empty());
    }
}
