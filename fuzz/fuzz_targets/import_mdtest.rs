//! Outputs of mdtest in any text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bakeoff_fuzz::tool::check("mdtest", bytes));
