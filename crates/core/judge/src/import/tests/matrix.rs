//! Every tool, version, locale and mode that is read, one line each: what its output has to give,
//! worked out by hand from the text, and what it must never give.
//!
//! Real outputs are in fixtures/tools; texts that stand here are of programs that cannot be run,
//! written as their sources print. `samples` shows everything that is read of the real ones.

use crate::import::{self, Imported};

/// A figure that has to be there with this value, or that must not be there.
type Figure = (&'static str, Option<f64>);

/// What is reported.
enum Told {
    Nothing,
    /// A finding with this id.
    Finding(&'static str),
    /// A reason why nothing is read.
    Unread(fn(&str) -> bool),
}

use Told::{Finding, Nothing, Unread};

struct Case {
    /// Tool, version and mode.
    what: &'static str,
    text: &'static [u8],
    figures: &'static [Figure],
    told: Told,
}

macro_rules! cases {
    ($($what:literal, $text:expr, [$($name:literal = $value:expr),*], $told:expr;)*) => {
        &[$(Case {
            what: $what,
            text: $text,
            figures: &[$(($name, $value)),*],
            told: $told,
        }),*]
    };
}

macro_rules! sample {
    ($path:literal) => {
        include_bytes!(concat!("../../../../../../fixtures/tools/", $path)).as_slice()
    };
}

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

const DD: &[Case] = cases![
    "coreutils 8.25 on, C", sample!("dd/c_interrupted_sigint.stderr"),
        ["bytes" = Some(148_045_824.0), "elapsed" = Some(198_580_000.0)], Finding("L25");
    "coreutils, German comma", sample!("dd/de_write_fdatasync.stderr"),
        ["bytes" = Some(8_388_608.0), "elapsed" = Some(5_392_510.0)], Finding("L25");
    "coreutils, Chinese full-width comma", sample!("dd/zh_CN_read_fullwidth_commas.stderr"),
        ["bytes" = Some(8_388_608.0), "elapsed" = Some(2_999_690.0)], Finding("L25");
    "coreutils, Ukrainian, word first", sample!("dd/uk_read_word_first.stderr"),
        ["bytes" = Some(8_388_608.0), "elapsed" = Some(1_286_860.0)], Finding("L25");
    "coreutils 5.3 to 6.0", b"1073741824 bytes (1.1 GB) copied, 54.05 seconds, 19.9 MB/s\n",
        ["bytes" = Some(1_073_741_824.0), "elapsed" = Some(54.05e9)], Nothing;
    "coreutils 6.1 to 8.24, Czech digit groups",
        "4 194 304 bajt\u{16f} (4,2 MB) zkop\u{ed}rov\u{e1}no, 2,8 s, 1,5 MB/s\n".as_bytes(),
        ["bytes" = Some(4_194_304.0), "elapsed" = Some(2.8e9)], Nothing;
    "coreutils, Polish, word first",
        "skopiowane 1073741824 bajt\u{f3}w (1,1 GB, 1,0 GiB), 54,05 s, 19,9 MB/s\n".as_bytes(),
        ["bytes" = Some(1_073_741_824.0), "elapsed" = Some(54.05e9)], Nothing;
    "coreutils, below 1000 bytes", sample!("dd/c_tiny_bytes_no_suffix.stderr"),
        ["bytes" = Some(21.0)], Finding("L25");
    "BSD", b"1073741824 bytes transferred in 54.05 secs (19865713 bytes/sec)\n",
        ["bytes" = Some(1_073_741_824.0), "elapsed" = Some(54.05e9)], Nothing;
    "busybox, powers of 1024",
        b"64+0 records in\n64+0 records out\n4194304 bytes (4.0MB) copied, 2.000000 seconds, \
          2.0MB/s\n",
        ["bytes" = Some(4_194_304.0), "elapsed" = Some(2e9)], Nothing;
    "before 5.3, and busybox without a time", sample!("dd/busybox_read.stderr"),
        ["bytes" = None, "elapsed" = None], Unread(|why| why == "the record counts of dd have no \
            time: busybox, a version before 5.3 or status=noxfer");
    "the rate is of another run", b"1073741824 bytes (1.1 GB) copied, 54.05 s, 29.9 MB/s\n",
        ["elapsed" = None], Unread(|why| why.contains("its time and its rate contradict"));
    "no time passed", b"0 bytes copied, 0 s, Infinity B/s\n", ["throughput" = None], Nothing;
];

const SYSBENCH: &[Case] = cases![
    "0.4.12, time limit", sample!("sysbench/v04_rndrw_time_limited.stdout"),
        ["event_execution_time" = Some(945e6), "ended_by_time_limit" = Some(1.0)], Nothing;
    "0.4.12, no file", sample!("sysbench/v04_error_missing_files_rndrd.stdout"),
        ["throughput" = None], Unread(|why| why.contains("sysbench failed: "));
    "1.0.20", sample!("sysbench/v1_rndrw_default_fsync.stdout"),
        ["reads_per_second" = Some(40_437.86), "read_throughput" = Some(40_437.86 * 16_384.0)], Nothing;
    "1.0.20, requests of less than a block", sample!("sysbench/v1_seqrd_half_blocks.stdout"),
        ["read_throughput" = Some(4357.58 * MIB)], Nothing;
    "1.0.20, not prepared", sample!("sysbench/v1_error_not_prepared.stdout"),
        ["reads_per_second" = None], Unread(|why| why.contains("sysbench failed: "));
    "1.0.20, interrupted", sample!("sysbench/v1_interrupted_sigint.stdout"),
        ["reads_per_second" = None, "total_time" = None], Nothing;
];

const BONNIE: &[Case] = cases![
    "1.03, CSV",
        b"pi,1G,84,94,4288,5,3354,8,319,88,23329,27,962.8,118,16,830,30,+++++,+++,6401,92,879,30,\
          +++++,+++,3593,92\n",
        ["sequential_output_block.throughput" = Some(4288.0 * KIB),
         "random_seeks.rate" = Some(962.8), "sequential_read.rate" = None], Finding("L25");
    "1.97, all of the file too quick",
        b"Version  1.97       ------Sequential Output------ --Sequential Input- --Random-\n\
          Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n\
          Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n\
          pi               8M +++++ +++ +++++ +++ +++++ +++ +++++ +++ +++++ +++ +++++ +++\n\
          Latency              1040us     307us     326us     316us      21us     189us\n",
        ["sequential_output_per_chr.throughput" = None, "random_seeks.rate" = None,
         "sequential_output_block.throughput" = None, "random_seeks.cpu" = None,
         "random_seeks.latency_max" = Some(189e3)], Finding("L25");
    "2.00, CSV, every phase too quick",
        b"1.98,2.00a,vm,1,9,16M,,8192,5,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,\
          +++,16,,,,,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++,544ms,3195us,\
          13225us,1592ms,9382us,8608us,1ms,2ms,3ms,4ms,5ms,6ms\n",
        ["sequential_create.rate" = None, "random_delete.rate" = None,
         "sequential_input_block.throughput" = None, "random_delete.latency_max" = Some(6e6)],
        Finding("L25");
    "1.97, text and CSV", sample!("bonnie/v197_sync_full.stdout"),
        ["sequential_output_per_chr.throughput" = Some(4422.0 * KIB),
         "sequential_output_block.throughput" = None], Finding("L25");
    "2.00, wrong rates in the text, right ones in the CSV", sample!("bonnie/v200_sync_full.stdout"),
        ["sequential_create.rate" = Some(1154.0), "random_create.rate" = Some(930.0)], Finding("L25");
    "2.00, small files only", sample!("bonnie/v200_dirs_only_n2.stdout"),
        ["sequential_create.rate" = Some(2626.0), "random_seeks.rate" = None], Nothing;
    "2.00, text alone: its rates of small files are none", sample!("bonnie/v200_sync_full.stderr"),
        ["sequential_create.rate" = None], Nothing;
];

const IOZONE: &[Case] = cases![
    "3.414, narrower columns",
        b"\tOutput is in Kbytes/sec\n\
          \x20             KB  reclen   write rewrite    read    reread\n\
          \x20        1024000    4096   10123    9876   18000    18100\n",
        ["rewrite.throughput" = Some(9876.0 * KIB), "reread.throughput" = Some(18_100.0 * KIB)], Nothing;
    "below the command of a shell, without the line of its unit",
        b"$ iozone -e -I -a -s 200M -r 4k -i 0 -i 1 -i 2 -f /mnt/t\n\
          \x20                                                   random    random\n\
          \x20   kB  reclen    write  rewrite    read    reread    read     write\n\
          204800       4     2101     2105     7301     7302     7290     2050\n",
        ["rewrite.throughput" = Some(2105.0 * KIB), "random_write.throughput" = Some(2050.0 * KIB)],
        Nothing;
    "3.489, some tests", sample!("iozone/text_subset_0_1_2.stdout"),
        ["backward_read.throughput" = None, "stride_read.throughput" = None], Nothing;
    "3.489, -O", sample!("iozone/ops_mode.stdout"),
        ["write.rate" = Some(269_078.0), "write.throughput" = None], Nothing;
    "3.489, -N", sample!("iozone/usec_mode.stdout"),
        ["write.time_per_operation" = Some(3000.0), "reread.time_per_operation" = None], Nothing;
    "3.489, -E", sample!("iozone/extended_E.stdout"),
        ["pwrite.throughput" = Some(6_652_558.0 * KIB)], Nothing;
    "3.489, -t", sample!("iozone/throughput_t2.stdout"),
        ["children_throughput" = Some(3_177_664.25 * KIB)], Nothing;
    "3.489, -R interrupted: zeros are no figures",
        sample!("iozone/interrupted_sigint_excel.stdout"),
        ["write.throughput" = None], Unread(|why| why.starts_with("iozone was interrupted"));
    "3.489, record too large", sample!("iozone/error_record_too_large.stdout"),
        ["write.throughput" = None], Unread(|why| why.contains("lacks the line that"));
];

const FIO: &[Case] = cases![
    "text", sample!("fio/text_rndrw_fsync_timed.stdout"),
        ["read.bytes" = Some(200.0 * 16_384.0), "read.elapsed" = Some(1004e6),
         "write.bytes" = Some(150.0 * 16_384.0)], Nothing;
    "JSON", sample!("fio/json_seqread_direct.stdout"), ["read.bytes" = Some(8_388_608.0)], Nothing;
    "JSON+", sample!("fio/json_plus_randwrite_endfsync.stdout"),
        ["write.bytes" = Some(4_194_304.0), "read.bytes" = None], Nothing;
    "JSON, text in front", sample!("fio/json_psync_iodepth_note.stdout"),
        ["read.bytes" = Some(4_194_304.0)], Nothing;
    "JSON, interrupted", sample!("fio/json_interrupted_sigint.stdout"),
        ["read.bytes" = Some(262_144.0)], Nothing;
    "JSON of a job that failed", sample!("fio/json_error_enospc_or_einval.stdout"),
        ["read.bytes" = None, "write.bytes" = None], Nothing;
];

fn check(tool: &str, cases: &[Case]) {
    for case in cases {
        let Case { what, text, figures, told } = case;
        let found = import::all(text);
        assert!(found.results.iter().all(|result| result.tool == tool), "{what}: {found:#?}");
        for (name, value) in *figures {
            let of = found.results.iter().flat_map(|result| &result.metrics);
            let of = of.filter(|metric| metric.name == *name).map(|m| m.value.as_f64()).next();
            let is_right = match (of, *value) {
                (Some(found), Some(value)) => (found - value).abs() <= 1e-9 * value,
                (found, value) => found.is_none() && value.is_none(),
            };
            assert!(is_right, "{tool} {what}: {name} is {of:?}, not {value:?}");
        }
        assert!(says(&found, told), "{tool} {what}: {found:#?}");
    }
}

fn says(found: &Imported, told: &Told) -> bool {
    match told {
        Nothing => true,
        Finding(id) => found.results.iter().flat_map(|r| &r.findings).any(|f| f.id == *id),
        Unread(is_why) => found.unread.iter().any(|unread| is_why(&unread.why)),
    }
}

#[test]
fn dd_of_every_version_and_locale() {
    check("dd", DD);
    for (text, locales) in [
        (sample!("dd/all_locales_coreutils_8.32.stdout"), 36),
        (sample!("dd/all_locales_coreutils_9.1.stdout"), 22),
    ] {
        let found = import::all(text);
        assert_eq!((found.results.len(), found.unread.len()), (locales, 0));
        for result in &found.results {
            let bytes = result.metrics.iter().find(|metric| metric.name == "bytes").unwrap();
            assert_eq!(bytes.value.as_f64(), 4_194_304.0, "{:?}", result.context);
        }
    }
}

#[test]
fn sysbench_of_every_version_and_ending() {
    check("sysbench", SYSBENCH);
}

#[test]
fn bonnie_of_every_version_and_with_every_phase_too_quick() {
    check("bonnie++", BONNIE);
}

#[test]
fn iozone_of_every_version_and_mode() {
    check("iozone", IOZONE);
}

#[test]
fn fio_in_every_format() {
    check("fio", FIO);
}
