//! Job files of fio, translated into plans.

use proptest::prelude::*;

use crate::plan;
use bakeoff_model::job::{EngineName, Offsets};
use bakeoff_tools::fio::as_plan::as_plan;
use bakeoff_tools::fio::jobfile::JobFile;

#[test]
fn a_job_file_becomes_a_plan_that_parses_and_lists_the_rest() {
    let text = "[global]\nioengine=libaio\ndirect=1\nsize=1g\nruntime=60\ntime_based\n\
        [random \"writes\"]\nrw=randwrite\nbs=4k\niodepth=8\nfsync=1\nverify=crc32c\n\
        [mixed]\nreadwrite=randrw\nrwmixwrite=30\nnorandommap=1\nbsrange=4k-64k\n\
        [both]\nrw=rw\n";
    let made = as_plan(&JobFile::parse(text).unwrap(), "jobs.fio").unwrap();
    assert!(made.starts_with("# not translated: line 12: verify=crc32c\n"), "{made}");
    assert!(made.contains("line 17: bsrange=4k-64k"), "{made}");
    assert!(made.contains("line 19: rw=rw: the job both is omitted"), "{made}");
    assert!(made.contains("mixed runs in parallel with the previous job"), "{made}");
    let plan = plan::parse(&made, "jobs.toml").unwrap_or_else(|e| panic!("{e}\n{made}"));
    let job = &plan.workloads[0].job;
    assert_eq!((job.bs, job.iodepth, job.fsync, job.direct), (4096, 8, 1, true));
    assert_eq!((job.engine, job.runtime_ns), (EngineName::Libaio, Some(60_000_000_000)));
    assert_eq!(plan.workloads[1].job.rwmixread, 70);
}

/// Each became 4k reads of a file, under its own name.
#[test]
fn a_job_that_is_no_work_on_files_is_left_out() {
    let text = "[spin]\nioengine=cpuio\nrw=read\n[back]\nstonewall\nrw=read:-8k\n[skewed]\nstonewall\n\
        rw=randread\nrandom_distribution=zipf:1.1\n";
    let made = as_plan(&JobFile::parse(text).unwrap(), "a").unwrap();
    assert!(made.contains("line 2: ioengine=cpuio: the job spin is omitted"), "{made}");
    assert!(made.contains("line 6: rw=read:-8k: the job back is omitted"), "{made}");
    assert!(!made.contains("in parallel") && !made.contains("once"), "{made}");
    let plan = plan::parse(&made, "a.toml").unwrap_or_else(|e| panic!("{e}\n{made}"));
    assert_eq!(plan.workloads.len(), 1);
    assert_eq!(plan.workloads[0].job.offsets, Offsets::Zipf { theta_milli: 1100 });
    let none = as_plan(&JobFile::parse("[x]\nrw=trim\n").unwrap(), "a").unwrap_err();
    assert!(none.contains("line 2: rw=trim"), "{none}");
}

/// Both shares of a mix made a plan with one key twice, which is no TOML.
#[test]
fn of_two_shares_of_a_mix_the_last_one_counts() {
    let text = "[a]\nrw=randrw\nrwmixread=70\nrwmixwrite=40\n";
    let made = as_plan(&JobFile::parse(text).unwrap(), "a").unwrap();
    let plan = plan::parse(&made, "a.toml").unwrap_or_else(|e| panic!("{e}\n{made}"));
    assert_eq!(plan.workloads[0].job.rwmixread, 60);
}

/// Found by fuzzing: the bytes between two flushes were more than a number holds.
#[test]
fn a_block_beyond_all_bounds_with_a_rare_flush_is_refused_in_words() {
    let text = "[a]\nrw=randwrite\nfsync=777777777\nbs=4888888888888888\n";
    let made = as_plan(&JobFile::parse(text).unwrap(), "a").unwrap();
    let error = plan::parse(&made, "a.toml").unwrap_err().to_string();
    assert!(error.contains("bs"), "{error}");
}

proptest! {
    #[test]
    fn any_job_file_becomes_toml(
        options in prop::collection::vec((0..OPTIONS.len(), 0..VALUES.len()), 0..8),
        title in ".{0,8}", name in "[^\\r\\n\\]#;]{1,8}",
    ) {
        let mut text = format!("[{name}]\n");
        for (option, value) in options {
            text += &format!("{}={}\n", OPTIONS[option], VALUES[value]);
        }
        if let Ok(Ok(made)) = JobFile::parse(&text).map(|file| as_plan(&file, &title)) {
            prop_assert!(made.parse::<toml::Table>().is_ok(), "{}", made);
        }
    }
}

const OPTIONS: [&str; 16] = [
    "rw",
    "readwrite",
    "bs",
    "blocksize",
    "size",
    "io_size",
    "io_limit",
    "runtime",
    "iodepth",
    "rwmixread",
    "rwmixwrite",
    "fsync",
    "end_fsync",
    "ioengine",
    "zero_buffers",
    "verify",
];
const VALUES: [&str; 12] = [
    "0",
    "1",
    "4k",
    "60",
    "randrw",
    "write",
    "rw",
    "libaio",
    "\"",
    "\\",
    "99999999999999999999",
    "",
];
