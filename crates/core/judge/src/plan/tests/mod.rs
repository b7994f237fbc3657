//! Plans as people write them: right, and wrong in every way.

mod beside;
mod capacity;
mod setup;
mod state;

use super::*;
use crate::testing::{anything, expanded};
use bakeoff_machine::setup::lacking::Lacking;
use bakeoff_model::candidate::{Kind, Skipped, Stack};
use bakeoff_model::index::RegionIx;
use bakeoff_model::workload::Workload;

const EXAMPLE: &str = r#"
title = "Which filesystem for this card?"
[region]
size = "4g"
[[stack]]
fs = "ext4"
[[stack]]
name = "ext4 bare"
fs = "ext4"
mkfs = ["-O", "^has_journal"]
[[stack]]
fs = "f2fs"
crypt = { cipher = "aes-xts-plain64", key_bits = 512, sector_size = 4096 }
mount = ["noatime"]
[axes]
scheduler = ["none", "mq-deadline", "bfq"]
[[workload]]
rw = "randwrite"
bs = ["4k", "64k"]
fsync = 1
[[workload]]
name = "smallfiles"
[protocol]
mode = "decide"
time = "2h"
flash_state = "overwritten"
"#;

fn names(expanded: &Expanded) -> Vec<&str> {
    expanded.candidates.iter().map(|c| c.name.as_str()).collect()
}

fn workload_names(expanded: &Expanded) -> Vec<&str> {
    expanded.workloads.iter().map(|w| w.name.as_str()).collect()
}

fn with(stacks: &str) -> String {
    format!("{stacks}\n[[workload]]\nname = \"randwrite\"\n")
}

#[test]
fn lists_multiply_and_names_say_what_differs() {
    let made = expanded(EXAMPLE, &[]);
    assert_eq!(
        names(&made),
        [
            "ext4 · none",
            "ext4 · mq-deadline",
            "ext4 · bfq",
            "ext4 bare · none",
            "ext4 bare · mq-deadline",
            "ext4 bare · bfq",
            "f2fs + luks aes-xts 512 · none",
            "f2fs + luks aes-xts 512 · mq-deadline",
            "f2fs + luks aes-xts 512 · bfq",
        ]
    );
    assert_eq!(workload_names(&made), ["randwrite-4k", "randwrite-64k", "smallfiles"]);
    assert_eq!((made.protocol.k, made.region.size_bytes), (9, Some(4 << 30)));
    assert_eq!(made.protocol.time_ns, Some(7_200_000_000_000));
    let Kind::Stack(stack) = &made.candidates[8].kind else { panic!() };
    assert_eq!(stack.knobs.scheduler.as_deref(), Some("bfq"));
    assert_eq!(stack.crypt.as_ref().unwrap().sector_size, Some(4096));
}

#[test]
fn what_is_alike_is_not_in_a_name() {
    let made = expanded(&with("[axes]\nfs = [\"ext4\", \"xfs\"]\nscheduler = \"none\""), &[]);
    assert_eq!(names(&made), ["ext4", "xfs"]);
    let two = "[[stack]]\nfs = \"ext4\"\nmount = [[\"commit=5\"], [\"commit=60\"]]\n[[stack]]\nfs = \"raw\"";
    assert_eq!(names(&expanded(&with(two), &[])), ["ext4 · commit=5", "ext4 · commit=60", "raw"]);
    let bare =
        "[[stack]]\nfs = \"ext4\"\n[[stack]]\nfs = \"ext4\"\nmkfs = [\"-O\", \"^has_journal\"]";
    assert_eq!(names(&expanded(&with(bare), &[])), ["ext4", "ext4 without journal"]);
}

#[test]
fn long_names_are_cut_and_stay_apart() {
    let text = with(
        "[[stack]]\nfs = [\"ext4\", \"btrfs\"]\nlvm = [true, false]\noptions = [\"default\", \
         \"equalised\"]\ncrypt = [\"none\", { cipher = \"aes-xts-plain64\", key_bits = [512] }]",
    );
    let error = parse(&text, "t").unwrap_err().to_string();
    assert!(error.contains("key_bits must be a whole number, not a list"), "{error}");
    let text = text.replace("[512]", "512").replace("\"btrfs\"", "\"bcachefs\"");
    let made = expanded(&text, &[]);
    let long = names(&made).into_iter().map(|n| n.chars().count()).max();
    assert_eq!((made.candidates.len(), long), (16, Some(NAME_CHARS)));
}

#[test]
fn several_targets_are_a_device_axis() {
    let target = |name: &str, region_bytes| Target { name: name.to_string(), region_bytes };
    let targets = [target("sda", Some(1 << 30)), target("sdb", Some(200 << 20))];
    let made = expanded(&with("[axes]\nfs = [\"ext4\", \"xfs\"]"), &targets);
    assert_eq!(names(&made), ["ext4 on sda", "xfs on sda", "ext4 on sdb"]);
    let regions: Vec<RegionIx> = made.candidates.iter().map(|c| c.region).collect();
    assert_eq!((regions, made.protocol.k), ([0, 0, 1].map(RegionIx::new).to_vec(), 3));
    assert_eq!(made.skipped[0].name, "xfs on sdb");
    let small = "xfs needs a region of 300 MiB; this one has 200 MiB";
    assert_eq!(made.skipped[0].reason, small);
}

#[test]
fn devices_with_long_names_stay_apart() {
    let target = |n: u32| Target {
        name: format!("an-image-of-a-card-{n}.img"),
        region_bytes: Some(1 << 30),
    };
    let made = expanded(&with("[axes]\nfs = \"ext4\""), &[target(1), target(2)]);
    assert_eq!(names(&made), ["ext4 on #1", "ext4 on #2"]);
}

#[test]
fn missing_support_skips_and_ntfs_takes_the_driver_that_is_there() {
    let plan = parse(&with("[axes]\nfs = [\"ext4\", \"ntfs\", \"jfs\"]"), "t").unwrap();
    let supports = |stack: &Stack, _: usize| match stack.fs.as_str() {
        "ntfs3" | "jfs" => Err(Lacking::Other("there is no /dev/fuse".to_string())),
        _ => Ok(()),
    };
    let here = PlanMachine { supports: &supports };
    let made = expand(&plan, &[], &here).unwrap();
    assert_eq!(names(&made), ["ext4", "ntfs-3g"]);
    assert_eq!(made.skipped, [Skipped::new("jfs", "there is no /dev/fuse")]);
}

#[test]
fn exclude_takes_combinations_out() {
    let text = with(
        "[axes]\nfs = [\"ext4\", \"xfs\"]\nscheduler = [\"none\", \"bfq\"]\n[[exclude]]\nfs = \
         \"xfs\"\nscheduler = [\"bfq\", \"kyber\"]",
    );
    let made = expanded(&text, &[]);
    assert_eq!(names(&made), ["ext4 · none", "ext4 · bfq", "xfs · none"]);
    let text = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nrw = [\"read\", \"write\"]\nbs = [\"4k\", \
                \"1m\"]\n[[exclude]]\nrw = \"read\"\nbs = 4096\n";
    assert_eq!(workload_names(&expanded(text, &[])), ["read-1m", "write-4k", "write-1m"]);
}

/// Of these keys every workload had the excluded value.
#[test]
fn an_exclusion_compares_every_key_of_a_workload() {
    for (key, values) in [
        ("runtime", "[\"2s\", \"3s\"]"),
        ("metric", "[\"iops\", \"bandwidth\"]"),
        ("offsets", "[\"once\", \"zipf:1.2\"]"),
        ("data", "[\"zero\", \"random\"]"),
        ("mem", "[\"malloc\", \"thp\"]"),
        ("rate_iops", "[100, 200]"),
        ("verify", "[true, false]"),
        ("nrfiles", "[3, 4]"),
        ("profile", "[\"boot\", \"desktop\"]"),
    ] {
        let rw = if key == "profile" { "" } else { "rw = \"randwrite\"\n" };
        let first = &values[1..values.find(',').unwrap()];
        let text = format!(
            "[[stack]]\nfs = \"ext4\"\n[[workload]]\n{rw}{key} = {values}\n[[exclude]]\n\
             {key} = {first}\n"
        );
        assert_eq!(expanded(&text, &[]).workloads.len(), 1, "{key}");
    }
}

/// A plan of one megabyte, all of it exclusions, took 15 s.
#[test]
fn exclusions_without_end_are_refused() {
    let sizes: Vec<String> = (1..2000).map(|size| format!("\"{size}k\"")).collect();
    let text = format!(
        "[[stack]]\nfs = \"ext4\"\n[[workload]]\nrw = \"read\"\nbs = [{}]\n{}",
        sizes.join(","),
        "[[exclude]]\nbs = \"1k\"\n".repeat(40_000)
    );
    let error = parse(&text, "test.toml").unwrap_err().to_string();
    assert!(error.contains("values may be excluded"), "{error}");
}

#[test]
fn drivers_are_an_axis_of_workloads() {
    let text = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nrw = \"randread\"\ndriver = [\"native\", \
                \"fio\"]\n";
    let made = expanded(text, &[]);
    assert_eq!(workload_names(&made), ["randread-4k", "randread-4k-fio"]);
}

#[test]
fn a_tool_without_words_for_a_workload_skips_it_and_the_others_stay() {
    let text = "[[stack]]\nfs = \"ext4\"\n[axes]\ndriver = [\"native\", \"fio\", \"dd\", \
                \"bonnie\"]\n[[workload]]\nrw = \"randread\"\n[[workload]]\nprofile = \
                \"boot\"\n";
    let made = expanded(text, &[]);
    assert_eq!(workload_names(&made), ["randread-4k", "randread-4k-fio", "boot"]);
    let dropped: Vec<String> =
        made.dropped_workloads.iter().map(|s| format!("{}: {}", s.name, s.reason)).collect();
    insta::assert_snapshot!(dropped.join("\n"), @r#"
    randread-4k-dd: dd cannot run this: it does read, write, and not randread
    randread-4k-bonnie: bonnie++ cannot run this: it does read, write, and not randread
    boot-fio: fio cannot run this: profile = "boot" needs driver = "native"
    boot-dd: dd cannot run this: profile = "boot" needs driver = "native"
    boot-bonnie: bonnie++ cannot run this: profile = "boot" needs driver = "native"
    "#);
    // With nothing else in it the plan is a mistake, and each reason is said once.
    let text = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nrw = [\"randread\", \"randwrite\"]\ndriver \
                = [\"dd\", \"bonnie\"]\n";
    let error = parse(text, "t").unwrap_err().to_string();
    assert!(error.starts_with("t:3:"), "{error}");
    assert_eq!(
        error.matches("dd cannot run this: it does read, write, and not randread").count(),
        1,
        "{error}"
    );
}

#[test]
fn a_profile_is_measured_in_its_parts_and_a_tool_refuses_what_it_cannot() {
    let text = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nprofile = \"nas\"\n[[workload]]\nname = \
                \"small\"\nprofile = \"nas\"\nbs = \"4k\"\n";
    let made = expanded(text, &[]);
    let parts = ["nas-write", "nas-read", "nas-mixed"];
    let small = ["small-write", "small-read", "small-mixed"];
    assert_eq!(workload_names(&made), [parts, small].concat());
    assert_eq!((made.workloads[0].job.bs, made.workloads[3].job.bs), (1 << 20, 4096));
    let text = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nprofile = \"nas\"\ndriver = \"dd\"\n";
    let error = parse(text, "t").unwrap_err().to_string();
    assert!(error.contains("needs driver = \"native\""), "{error}");
}

#[test]
fn what_is_written_is_flushed_unless_the_plan_flushes_otherwise() {
    let text = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nrw = \"write\"\n[[workload]]\nname = \
                \"w\"\nrw = \"write\"\nfsync = 8\n";
    let made = expanded(text, &[]);
    let flushes = |at: usize| (made.workloads[at].job.fsync, made.workloads[at].job.end_fsync);
    assert_eq!((flushes(0), flushes(1)), ((4096, true), (8, false)));
    let error = parse(&text.replace("fsync = 8", "end_fsync = false"), "t").unwrap_err();
    assert!(error.to_string().contains("memory would be measured"), "{error}");
}

/// Every mistake a plan can have, as its user sees it.
#[test]
fn mistakes_point_at_their_place() {
    let stack = "[[stack]]\nfs = \"ext4\"\n";
    let workload = "[[workload]]\nname = \"randwrite\"\n";
    let plans = [
        "[[stack]\nfs = \"ext4\"\n",
        "title = \"a\"\ntitle = \"b\"\n",
        "[protcol]\nmode = \"quick\"\n",
        "[[stack]]\nfs = \"ext4\"\nshceduler = [\"none\"]\n",
        "[[stack]]\n\tfs = \"ext5\"\n",
        "[[stack]]\nfs = \"ext4\"\nmount = \"noatime\"\n",
        "[[stack]]\nfs = \"ext4\"\ncrypt = { cipher = \"aes-xts-plain64\" }\n",
        "[[stack]]\nfs = \"ext4\"\ncrypt = { cipher = \"-h\", key_bits = 512 }\n",
        "[[stack]]\nfs = \"raw\"\nmkfs = [\"-q\"]\n",
        "[[stack]]\nname = \"a name that is much too long for any table\"\nfs = \"xfs\"\n",
        "[[stack]]\nname = \"\\u001b[31mred\"\nfs = \"xfs\"\n",
        "[axes]\nscheduler = []\n",
        "[protocol]\nmode = \"decisive\"\ntime = \"2h\"\n",
        "[protocol]\ntime = \"2 parsecs\"\n",
        "[protocol]\ntie_margin = 3\n",
        "[protocol]\ncell_min = \"5s\"\ncell_max = \"4s\"\n",
        "[region]\nsize = -4\n",
        "region = \"4g\"\n",
        "[[workload]]\nname = \"randwrit\"\n",
        "[[workload]]\nrw = \"randread\"\nbs = \"4x\"\n",
        "[[workload]]\nrw = \"randread\"\niodepth = 0\n",
        "[[workload]]\nrw = \"randread\"\nbs = \"1000\"\ndirect = 1\n",
        "[[workload]]\nrw = \"randread\"\nrwmixread = 101\n",
        "[[workload]]\nrw = \"read\"\nprofile = \"nas\"\n",
        "[[workload]]\nbs = \"4k\"\n",
    ];
    let mut said = String::new();
    for text in plans {
        let whole = if text.contains("[[workload]]") {
            format!("{stack}{text}")
        } else {
            format!("{text}{workload}")
        };
        said += &format!("{}\n\n", parse(&whole, "my plan.toml").unwrap_err());
    }
    let whole_plans = [
        String::new(),
        stack.to_string(),
        workload.to_string(),
        format!("{stack}{stack}{workload}"),
        format!(
            "{stack}[axes]\nrw = [\"read\"]\n  profile = [\"nas\"]\n[[workload]]\nbs = \"4k\"\n"
        ),
        format!("[axes]\nfs = [\"raw\"]\nmkfs = [[\"-q\"]]\n{workload}"),
        format!("{stack}{workload}[[exclude]]\nfs = \"xfs\"\n"),
        format!("{stack}{workload}[[exclude]]\nfs = \"ext4\"\n"),
        format!("{stack}{workload}[[exclude]]\nfs = \"ext4\"\nrw = \"read\"\n"),
        format!("{stack}[[stack]]\nfs = \"raw\"\n[[workload]]\nname = \"smallfiles\"\n"),
        format!("{stack}[axes]\nread_ahead_kb = {:?}\n{workload}", (0..400).collect::<Vec<_>>()),
        format!(
            "{stack}[axes]\nread_ahead_kb = {0:?}\nnr_requests = {0:?}\n{workload}",
            (1..320).collect::<Vec<_>>()
        ),
    ];
    for text in whole_plans {
        said += &format!("{}\n\n", parse(&text, "whole.toml").unwrap_err());
    }
    insta::assert_snapshot!(said);
}

/// A plan of lists with this many values each.
fn plan_of(stack_axes: &[usize], workload_axes: &[usize]) -> String {
    const STACK: [(&str, &[&str]); 5] = [
        ("fs", &["ext4", "xfs", "btrfs", "f2fs"]),
        ("scheduler", &["none", "bfq", "kyber"]),
        ("nr_requests", &["32", "64", "128"]),
        ("lvm", &["true", "false"]),
        ("options", &["default", "equalised"]),
    ];
    const WORKLOAD: [(&str, &[&str]); 4] = [
        ("rw", &["randread", "randwrite", "read", "write"]),
        ("bs", &["4k", "8k", "1m"]),
        ("iodepth", &["1", "4", "32"]),
        ("driver", &["native", "fio"]),
    ];
    let quoted = |value: &&str| {
        if value.parse::<u32>().is_ok() || value.parse::<bool>().is_ok() {
            value.to_string()
        } else {
            format!("{value:?}")
        }
    };
    let lines = |keys: &[(&str, &[&str])], sizes: &[usize]| -> String {
        let line = |((key, values), n): (&(&str, &[&str]), &usize)| {
            let list: Vec<String> = values[..*n].iter().map(quoted).collect();
            format!("{key} = [{}]\n", list.join(", "))
        };
        keys.iter().zip(sizes).filter(|(_, n)| **n > 0).map(line).collect()
    };
    format!(
        "[[stack]]\n{}[[workload]]\nengine = \"libaio\"\n{}",
        lines(&STACK, stack_axes),
        lines(&WORKLOAD, workload_axes)
    )
}

fn product(sizes: &[usize]) -> usize {
    sizes.iter().map(|n| (*n).max(1)).product()
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn cases_are_the_product_of_the_axes_less_what_is_excluded(
        fs in 1usize..=4, scheduler in 0usize..=3, requests in 0usize..=3, lvm in 0usize..=2,
        options in 0usize..=2, rw in 1usize..=4, bs in 0usize..=3, depth in 0usize..=3,
        driver in 0usize..=2, out in proptest::bool::ANY, devices in 1usize..=3,
    ) {
        let stacks = [fs, scheduler, requests, lvm, options];
        let workloads = [rw, bs, depth, driver];
        let mut text = plan_of(&stacks, &workloads);
        let mut wanted = product(&stacks);
        // One filesystem under one scheduler is one part in as many as there are of both.
        if out && fs * scheduler.max(1) > 1 {
            text += "[[exclude]]\nfs = \"ext4\"\n";
            if scheduler > 0 {
                text += "scheduler = \"none\"\n";
            }
            wanted -= wanted / (fs * scheduler.max(1));
        }
        let plan = match parse(&text, "t") {
            Ok(plan) => plan,
            Err(error) => {
                proptest::prop_assert!(wanted > 128 || product(&workloads) > 64, "{}", error);
                return Ok(());
            }
        };
        proptest::prop_assert_eq!(plan.stacks.len(), wanted);
        proptest::prop_assert_eq!(plan.workloads.len(), product(&workloads));
        let targets: Vec<Target> = (0..devices)
            .map(|n| Target { name: format!("sd{n}"), region_bytes: Some(1 << 30) })
            .collect();
        let here = PlanMachine { supports: &anything };
        match expand(&plan, &targets, &here) {
            Ok(made) => {
                proptest::prop_assert_eq!(made.candidates.len(), wanted * devices);
                let mut names: Vec<_> = made.candidates.iter().map(|c| &c.name).collect();
                names.sort_unstable();
                names.dedup();
                proptest::prop_assert_eq!(names.len(), wanted * devices);
            }
            Err(_) => proptest::prop_assert!(wanted * devices > 128),
        }
    }

    #[test]
    fn no_text_is_too_strange_for_the_parser(text in "\\PC{0,200}") {
        let _ = parse(&text, "t").map_err(|error| error.to_string());
    }

    #[test]
    fn no_change_of_a_plan_is_too_strange_for_the_parser(
        at in 0usize..EXAMPLE.len(), cut in 0usize..40, put in "[\\[\\]{}=\"'\\.,a-z0-9 \n\t\r-]{0,8}",
    ) {
        let end = (at + cut).min(EXAMPLE.len());
        let text = format!("{}{put}{}", &EXAMPLE[..at], &EXAMPLE[end..]);
        if let Err(error) = parse(&text, "t") {
            let spot = error.spot.as_deref();
            let lines = text.matches('\n').count() as u32 + 1;
            proptest::prop_assert!(spot.is_none_or(|s| s.line >= 1 && s.line <= lines));
            proptest::prop_assert!(error.to_string().lines().all(|l| l.chars().count() < 400));
        }
    }
}

#[test]
fn the_data_file_is_as_large_as_those_ask_for_who_use_it() {
    let with = |workloads: &str| expanded(&format!("[[stack]]\nfs = \"ext4\"\n{workloads}"), &[]);
    let profile = "[[workload]]\nprofile = \"nas\"\nsize = [\"2g\", \"1g\"]\n";
    let reads = |sizes: &str| format!("[[workload]]\nrw = \"randread\"\nbs = \"4k\"\n{sizes}");
    let both = with(&(profile.to_string() + &reads("size = [\"64m\", \"128m\"]")));
    assert_eq!(both.file_bytes, Some(128 << 20));
    assert!(both.workloads.iter().all(|w| w.sized));
    let sizes: Vec<u64> = both.workloads.iter().rev().map(|w| w.job.size >> 20).collect();
    assert_eq!(sizes, [128, 64, 1024, 1024, 1024, 2048, 2048, 2048]);
    assert_eq!(with(profile).file_bytes, Some(2 << 30));
    assert_eq!(with(&(profile.to_string() + &reads(""))).file_bytes, None);
}
