//! Commands of the foreign drivers, and their real outputs as measurements.

use super::driver::{CommandPlace, RawOutput, Unsupported, driver};
use super::measured::measurement;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::measurement::{Measurement, Tool};
use bakeoff_model::offsets::Offsets;
use bakeoff_model::profile::{Part, Profile};
use bakeoff_model::workload::{DriverName, Metric, Phase, Workload};

fn workload(rw: Rw, phase: Phase, change: impl FnOnce(&mut Job)) -> Workload {
    let mut job = Job::new(rw, 64 << 10, 64 << 20);
    change(&mut job);
    Workload::native("w", "", phase, Metric::Bandwidth, job)
}

fn command(name: DriverName, version: &str, of: &Workload) -> Result<String, Unsupported> {
    let scratch = CommandPlace { version: version.to_string(), is_root: true };
    Ok(driver(name).unwrap().command(of, &scratch)?.measure.join(" "))
}

#[test]
fn a_workload_in_words_becomes_each_tool_s_words() {
    let write = workload(Rw::RandWrite, Phase::Overwrite, |job| {
        (job.fsync, job.runtime_ns, job.seed) = (8, Some(2_500_000_000), 7);
    });
    assert_eq!(
        command(DriverName::Fio, "3.33", &write).unwrap(),
        "fio --output-format=json --name=bakeoff --filename=data --rw=randwrite --bs=65536 \
         --size=67108864 --runtime=2500ms --time_based=1 --ioengine=psync --iodepth=1 --direct=0 \
         --fsync=8 --randseed=7 --norandommap=1 --fallocate=none --refill_buffers=1 \
         --fadvise_hint=0"
    );
    assert_eq!(
        command(DriverName::Sysbench, "1.0.20", &write).unwrap(),
        "sysbench fileio --file-num=1 --file-total-size=67108864 --file-block-size=65536 \
         --file-test-mode=rndwr --threads=1 --rand-seed=8 --time=3 --events=0 \
         --file-fsync-freq=8 --file-fsync-end=off run"
    );
    assert!(command(DriverName::Sysbench, "0.4.12", &write).is_err(), "it has other options");
    let read = workload(Rw::Read, Phase::ColdRead, |job| job.direct = true);
    assert_eq!(
        command(DriverName::Dd, "", &read).unwrap(),
        "dd if=data of=/dev/null bs=65536 count=1024 iflag=direct"
    );
    assert_eq!(
        command(DriverName::Iozone, "", &read).unwrap(),
        "iozone -+n -i 0 -i 1 -s 65536k -r 64k -f iozone.tmp -I"
    );
    assert_eq!(
        command(DriverName::Bonnie, "", &read).unwrap(),
        "bonnie++ -d . -r 0 -m bakeoff -s 64:65536 -n 0 -f -D -u root"
    );
}

/// sysbench wrote the same 64 MiB again and again for the time of a cell: 23 GB/s, flushed once.
#[test]
fn what_waits_in_memory_for_the_last_flush_is_written_once() {
    let of = |name, change: fn(&mut Job)| {
        let write = workload(Rw::Write, Phase::Append, |job| {
            (job.runtime_ns, job.end_fsync) = (Some(2_000_000_000), true);
            change(job);
        });
        command(name, "1.0.20", &write).unwrap()
    };
    let fio = of(DriverName::Fio, |_| {});
    assert!(fio.contains("--io_size=67108864 --runtime=2000ms --ioengine"), "{fio}");
    let sysbench = of(DriverName::Sysbench, |_| {});
    assert!(sysbench.contains("--time=2 --events=1024 "), "{sysbench}");
    let flushed = of(DriverName::Sysbench, |job| job.fsync = 8);
    assert!(flushed.contains("--time=2 --events=0 "), "{flushed}");
    assert!(of(DriverName::Fio, |job| job.direct = true).contains("--time_based=1"));
}

#[test]
fn arrivals_go_over_to_fio() {
    let of = |change: fn(&mut Job)| {
        command(DriverName::Fio, "3.33", &workload(Rw::RandWrite, Phase::Overwrite, change))
    };
    let words = of(|job| {
        job.rate_iops = Some(100);
    });
    assert!(words.unwrap().contains("--rate_iops=100"));
}

/// fio 3.33 makes about a gigabyte a second of new data: a megabyte at a time, that was its rate.
#[test]
fn fio_makes_large_blocks_once_and_marks_them() {
    let write = |bs| workload(Rw::Write, Phase::Overwrite, |job| job.bs = bs);
    let words = |bs| command(DriverName::Fio, "3.33", &write(bs)).unwrap();
    assert!(words(1 << 20).contains("--scramble_buffers=1"), "{}", words(1 << 20));
    assert!(words(65536).contains("--refill_buffers=1"));
}

/// Half of all seeds are beyond a signed number: fio failed on them, and its cells were invalid.
#[test]
fn a_seed_of_64_bits_fits_fio_s_signed_number() {
    let read = workload(Rw::RandRead, Phase::ColdRead, |job| job.seed = u64::MAX - 1);
    let words = command(DriverName::Fio, "3.33", &read).unwrap();
    assert!(words.contains(" --randseed=9223372036854775806 "), "{words}");
}

fn refused(name: DriverName, workload: &Workload) -> Unsupported {
    command(name, "1.0.20", workload).unwrap_err()
}

#[test]
fn what_a_tool_has_no_words_for_is_said() {
    let random = workload(Rw::RandRead, Phase::ColdRead, |_| {});
    let mixed = workload(Rw::RandRw, Phase::Overwrite, |_| {});
    let deep = workload(Rw::RandRead, Phase::ColdRead, |job| job.iodepth = 8);
    let files = workload(Rw::SmallFiles, Phase::Metadata, |_| {});
    for (name, workload, why) in [
        (DriverName::Dd, &random, "it does read, write, and not randread"),
        (
            DriverName::Iozone,
            &random,
            "it reads the data it has just written from memory: use direct = true, or driver = \
             \"native\"",
        ),
        (DriverName::Iozone, &mixed, "it does read, write, randread, randwrite, and not randrw"),
        (DriverName::Bonnie, &random, "it does read, write, and not randread"),
        (
            DriverName::Sysbench,
            &deep,
            "each thread does one operation at a time: use numjobs instead of iodepth",
        ),
        (DriverName::Fio, &deep, "iodepth needs engine = \"io_uring\" or \"libaio\""),
        (
            DriverName::Fio,
            &files,
            "it does read, write, randread, randwrite, readwrite, randrw, and not smallfiles",
        ),
    ] {
        assert_eq!(refused(name, workload).why, why, "{}", name.name());
    }
}

// Each would have measured another pattern under the name of this one.
#[test]
fn another_pattern_is_not_measured_under_the_name_of_one() {
    let zipf = workload(Rw::RandRead, Phase::ColdRead, |job| {
        (job.offsets, job.direct) = (Offsets::Zipf { theta_milli: 1200 }, true);
    });
    let ring = workload(Rw::Read, Phase::ColdRead, |job| {
        (job.engine, job.direct) = (EngineName::IoUring, true);
    });
    let boot = Part { profile: Profile::Boot, part: 0 };
    let boot = Workload { profile: Some(boot), ..ring.clone() };
    for (name, why) in [
        (DriverName::Fio, "its other offsets differ from bakeoff's: use a job file"),
        (DriverName::Sysbench, "its offsets are sequential or uniformly random: omit offsets"),
        (DriverName::Iozone, "its offsets are sequential or uniformly random: omit offsets"),
    ] {
        assert_eq!(refused(name, &zipf).why, why, "{}", name.name());
    }
    let of_native = "profile = \"boot\" needs driver = \"native\"";
    for name in [DriverName::Dd, DriverName::Sysbench, DriverName::Iozone] {
        assert_eq!(
            refused(name, &ring).why,
            "it uses only read and write calls: omit engine",
            "{}",
            name.name()
        );
        assert_eq!(refused(name, &boot).why, of_native, "{}", name.name());
    }
    assert_eq!(
        refused(DriverName::Dd, &boot).to_string(),
        "dd cannot run this: profile = \"boot\" needs driver = \"native\""
    );
    let ring = workload(Rw::RandRead, Phase::ColdRead, |job| {
        (job.iodepth, job.engine) = (8, EngineName::IoUring);
    });
    assert!(command(DriverName::Fio, "3.33", &ring).unwrap().contains("--iodepth=8"));
}

fn measured(name: DriverName, of: &Workload, text: &str) -> Measurement {
    let tool = driver(name).unwrap();
    let output =
        RawOutput { stdout: text.as_bytes().to_vec(), stderr: Vec::new(), is_success: true };
    let metrics = tool.parse(&output).unwrap();
    let tool = Tool { driver: name, version: "1".to_string(), command: Vec::new() };
    measurement(of, tool, &metrics, Vec::new()).unwrap()
}

#[test]
fn fio_gives_latencies_and_the_others_none() {
    let text = include_str!("../../../../fixtures/tools/fio/json_seqread_direct.stdout");
    let read = workload(Rw::Read, Phase::ColdRead, |_| {});
    let stats = measured(DriverName::Fio, &read, text).read.unwrap();
    assert!(stats.lat_ns.max > stats.lat_ns.min && stats.io_bytes > 0);
    assert_eq!(stats.lat_ns.p99_99, None, "too few operations for it");
    let text = include_str!("../../../../fixtures/tools/dd/c_read.stderr");
    let stats = measured(DriverName::Dd, &read, text).read.unwrap();
    assert!(stats.lat_ns.is_unknown() && stats.histogram.buckets.is_empty());
    assert_eq!((stats.io_bytes, stats.total_ios), (8_388_608, 8));
}

#[test]
fn sysbench_counts_come_from_either_version() {
    let mixed = workload(Rw::RandRw, Phase::Overwrite, |_| {});
    let text = include_str!("../../../../fixtures/tools/sysbench/v04_rndrw_time_limited.stdout");
    let old = measured(DriverName::Sysbench, &mixed, text);
    assert!(old.read.unwrap().total_ios > old.write.unwrap().total_ios);
    // They were lost: 0.4 calls them "Other".
    assert!(old.flush.unwrap().total_ios > 0);
    let text = include_str!("../../../../fixtures/tools/sysbench/v1_rndrw_default_fsync.stdout");
    // Its rates are of 5.76 ms, and it prints 0.0047 s: that gave 190 reads for 233.
    let new = measured(DriverName::Sysbench, &mixed, text);
    let [reads, writes, flushes] =
        [new.read, new.write, new.flush].map(|ops| ops.unwrap().total_ios);
    assert_eq!((reads, writes, flushes), (233, 155, 16));
    let text = include_str!("../../../../fixtures/tools/sysbench/v1_seqrd.stdout");
    let reads = measured(DriverName::Sysbench, &mixed, text).read.unwrap();
    assert_eq!(reads.total_ios, 300, "as many as its events");
    assert!((reads.iops / 174_293.76 - 1.0).abs() < 1e-4, "and its own rate: {}", reads.iops);
}

/// A hundred requests of the mix of 60 reads to 40 writes have 40 writes.
#[test]
fn sysbench_flushes_as_often_as_the_mix_writes() {
    let mixed = workload(Rw::RandRw, Phase::Overwrite, |job| {
        (job.rwmixread, job.fsync, job.nrfiles) = (60, 40, 128);
    });
    let words = command(DriverName::Sysbench, "1.0.20", &mixed).unwrap();
    assert!(words.contains("--file-num=128 "), "{words}");
    assert!(words.contains("--file-rw-ratio=1.5000 --file-fsync-freq=100 "), "{words}");
}

#[test]
fn a_phase_of_iozone_is_the_one_that_was_asked_for() {
    let text = include_str!("../../../../fixtures/tools/iozone/text_subset_0_1_2.stdout");
    for (rw, kib) in [(Rw::Write, 514_589), (Rw::Read, 761_599), (Rw::RandRead, 367_817)] {
        let measured = measured(DriverName::Iozone, &workload(rw, Phase::Append, |_| {}), text);
        let done = if rw.reads() { measured.read } else { measured.write }.unwrap();
        assert_eq!((done.io_bytes, done.total_ios), (2 << 20, 8));
        assert!((done.bw_bytes_per_s / f64::from(kib << 10) - 1.0).abs() < 1e-3, "{done:?}");
    }
}
