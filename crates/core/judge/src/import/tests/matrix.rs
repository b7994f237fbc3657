//! Outputs of programs that cannot be run here, written as their sources print: what each has to
//! give, worked out by hand, and what it must never give. `samples` has the outputs of programs that
//! were run.

use super::samples::SAMPLES;
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

const KIB: f64 = 1024.0;

const DD: &[Case] = cases![
    "coreutils 5.3 to 6.0", b"1073741824 bytes (1.1 GB) copied, 54.05 seconds, 19.9 MB/s\n",
        ["bytes" = Some(1_073_741_824.0), "elapsed" = Some(54.05e9)], Nothing;
    "coreutils 6.1 to 8.24, Czech digit groups",
        "4 194 304 bajt\u{16f} (4,2 MB) zkop\u{ed}rov\u{e1}no, 2,8 s, 1,5 MB/s\n".as_bytes(),
        ["bytes" = Some(4_194_304.0), "elapsed" = Some(2.8e9)], Nothing;
    "coreutils, Polish, word first",
        "skopiowane 1073741824 bajt\u{f3}w (1,1 GB, 1,0 GiB), 54,05 s, 19,9 MB/s\n".as_bytes(),
        ["bytes" = Some(1_073_741_824.0), "elapsed" = Some(54.05e9)], Nothing;
    "BSD", b"1073741824 bytes transferred in 54.05 secs (19865713 bytes/sec)\n",
        ["bytes" = Some(1_073_741_824.0), "elapsed" = Some(54.05e9)], Nothing;
    "busybox, powers of 1024",
        b"64+0 records in\n64+0 records out\n4194304 bytes (4.0MB) copied, 2.000000 seconds, \
          2.0MB/s\n",
        ["bytes" = Some(4_194_304.0), "elapsed" = Some(2e9)], Nothing;
    "the rate is of another run", b"1073741824 bytes (1.1 GB) copied, 54.05 s, 29.9 MB/s\n",
        ["elapsed" = None], Unread(|why| why.contains("its time and its rate contradict"));
    "no time passed", b"0 bytes copied, 0 s, Infinity B/s\n", ["throughput" = None], Nothing;
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
    for (path, locales) in
        [("dd/all_locales_coreutils_8.32.stdout", 36), ("dd/all_locales_coreutils_9.1.stdout", 22)]
    {
        let (_, text) = SAMPLES.iter().find(|(known, _)| *known == path).unwrap();
        let found = import::all(text);
        assert_eq!((found.results.len(), found.unread.len()), (locales, 0));
        for result in &found.results {
            let bytes = result.metrics.iter().find(|metric| metric.name == "bytes").unwrap();
            assert_eq!(bytes.value.as_f64(), 4_194_304.0, "{:?}", result.context);
        }
    }
}

#[test]
fn bonnie_of_every_version_and_with_every_phase_too_quick() {
    check("bonnie++", BONNIE);
}

#[test]
fn iozone_of_every_version_and_mode() {
    check("iozone", IOZONE);
}
