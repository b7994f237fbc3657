//! Job files of fio: what is run stays in its directory.

#![no_main]

use bakeoff_tools::fio::jobfile::{FILE_LIMIT_BYTES, JobFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Words alone become `word=1`, which may make a file too large for a second reading.
    if text.len() > FILE_LIMIT_BYTES / 4 {
        return;
    }
    let Ok(file) = JobFile::parse(text) else { return };
    if file.is_harmless().is_ok() {
        let run = JobFile::parse(&file.without_directories()).expect("what is run is a job file");
        assert!(run.is_harmless().is_ok() && run.jobs().count() == file.jobs().count());
        let options = run.sections.iter().flat_map(|section| &section.options);
        for (name, value, _) in options {
            assert!(name != "directory" && (name != "filename" || !value.contains('/')));
        }
    }
});
