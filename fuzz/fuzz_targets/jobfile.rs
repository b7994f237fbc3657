//! Job files of fio.

#![no_main]

use bakeoff_tools::fio::jobfile::{FILE_LIMIT_BYTES, JobFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Words alone become `word=1`, which may make a file too large for a second reading.
    if text.len() > FILE_LIMIT_BYTES / 4 {
        return;
    }
    let file = JobFile::parse(text);
    assert!(file.is_err() || file.is_ok_and(|file| file.jobs().count() > 0));
});
