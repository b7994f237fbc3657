//! Sizes and durations as people type them, and numbers as they are printed.

#![no_main]

use bakeoff_stats::units;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Ok(size_bytes) = units::parse_size(text) {
            assert!(!units::size(size_bytes).is_empty());
            assert!(!units::size_decimal(size_bytes).is_empty());
            let exact = units::parse_size(&size_bytes.to_string());
            assert_eq!(exact, Ok(size_bytes), "a bare number is bytes");
        }
        if let Ok(ns) = units::parse_duration_ns(text) {
            assert!(!units::duration(ns).is_empty());
            assert!(!units::latency(ns).is_empty());
        }
    }
    if let Some(number) = bytes.first_chunk::<8>() {
        let bits = u64::from_le_bytes(*number);
        for text in [units::size(bits), units::block_size(bits), units::duration(bits)] {
            assert!(text.len() < 40, "a number prints short: {text}");
        }
        let value = f64::from_bits(bits);
        if value.is_finite() && value.abs() < 1e18 {
            assert!(units::three_digits(value).len() < 40);
            assert!(units::rate(value.abs()).len() < 60);
        }
    }
});
