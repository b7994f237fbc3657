//! Rules that are known before the first block.

use super::*;
use crate::model::candidate::{Candidate, Crypt, Kind, Stack};
use crate::model::event::Header;
use crate::model::host::{Layer, LayerKind, Place, PlaceClass};
use crate::model::job::{Data, EngineName};
use crate::model::protocol::Mode;
use crate::plan::BUILT_IN;
use crate::testing::{RunBuilder, disk_place};

fn stacks() -> RunBuilder {
    RunBuilder::stacks(&["ext4", "xfs"])
}

/// Two directories, the first one's place changed.
fn places(change: impl FnOnce(&mut Place)) -> Run {
    RunBuilder::directories(&["/a", "/b"]).place(0, change).build()
}

fn disk(place: &mut Place) -> &mut Layer {
    place.chain.iter_mut().find(|l| l.kind == LayerKind::Disk).expect("a disk")
}

/// Whether rule `id` speaks of this header.
fn fires(id: &str, run: &Run) -> bool {
    told(&plan(&run.header, &[]), id).is_some()
}

fn with(change: impl FnOnce(&mut Header)) -> Run {
    stacks().header(change).build()
}

fn stack(header: &mut Header, i: usize) -> &mut Stack {
    match &mut header.candidates[i].kind {
        Kind::Stack(stack) => stack,
        Kind::Directory { .. } => panic!("no stack"),
    }
}

#[test]
fn l01_two_regions_of_one_disk_and_one_region() {
    let shifted = |by: u64| {
        with(|h| {
            let mut second = h.region.clone().expect("a region");
            second.start_bytes += by;
            h.more_regions = vec![second];
            h.candidates[1].region = 1;
        })
    };
    assert!(fires("L01", &shifted(1 << 30)));
    assert!(!fires("L01", &shifted(64 << 20)), "nearly the same place");
    let other_disk = with(|h| {
        let mut second = h.region.clone().expect("a region");
        second.place = disk_place("ext4", "/", "sdb");
        second.start_bytes += 1 << 30;
        h.more_regions = vec![second];
        h.candidates[1].region = 1;
    });
    assert!(!fires("L01", &other_disk), "two devices are a question of their own");
}

#[test]
fn l01_two_partitions_of_one_disk_are_a_warning_about_places() {
    let second = |name: &'static str, dev: &'static str| {
        let place = move |p: &mut Place| {
            *p = disk_place("ext4", "/b", "sda");
            p.chain[0].name = name.to_string();
            p.chain[0].dev = dev.to_string();
        };
        RunBuilder::directories(&["/a", "/b"]).place(1, place).build()
    };
    let found = told(&plan(&second("sda2", "8:2").header, &[]), "L01").expect("fires");
    assert_eq!((found.severity, found.scope), (Severity::Warn, Scope::Place));
    assert!(!fires("L01", &second("sda1", "8:1")));
}

#[test]
fn l02_a_region_over_much_of_a_hard_disk_and_a_small_one() {
    let sized = |size: u64, rotational| {
        with(|h| {
            let region = h.region.as_mut().expect("a region");
            region.size_bytes = size;
            disk(&mut region.place).rotational = Some(rotational);
        })
    };
    assert!(fires("L02", &sized(12 << 30, true)), "a fifth of 64 GiB");
    assert!(!fires("L02", &sized(8 << 30, true)));
    assert!(!fires("L02", &sized(12 << 30, false)));
}

#[test]
fn l03_a_card_partitioned_at_one_mebibyte_and_at_four() {
    let start = |bytes: u64, bus: &'static str| {
        places(|p| {
            disk(p).bus = Some(bus.to_string());
            p.chain[0].start_bytes = Some(bytes);
        })
    };
    assert!(fires("L03", &start(1 << 20, "mmc")));
    assert!(!fires("L03", &start(4 << 20, "mmc")) && !fires("L03", &start(1 << 20, "nvme")));
}

const TRIMMED: &str = "[[stack]]\nfs = \"ext4\"\n[[workload]]\nname = \"randread\"\n[protocol]\n\
                       flash_state = \"trimmed\"\n";

fn on_device(plan: Option<&str>) -> Run {
    with(|h| {
        h.region.as_mut().expect("a region").is_image = false;
        h.plan = plan.map(str::to_string);
        h.verb = "run".to_string();
    })
}

#[test]
fn l05_l06_the_state_of_the_flash() {
    assert!(fires("L06", &on_device(Some(TRIMMED))));
    let overwritten = TRIMMED.replace("trimmed", "overwritten");
    assert!(!fires("L06", &on_device(Some(&overwritten))));
    assert!(!fires("L05", &on_device(Some(&overwritten))));
    assert!(fires("L05", &on_device(None)), "nothing says what state it was in");
    assert!(!fires("L05", &stacks().build()), "an image is filled by us");
}

#[test]
fn l08_l09_a_large_hard_disk_behind_usb() {
    let large = |size: u64, written: u64| {
        RunBuilder::directories(&["/a", "/b"])
            .place(0, |p| {
                let disk = disk(p);
                disk.rotational = Some(true);
                disk.bus = Some("usb".to_string());
                disk.size_bytes = size;
            })
            .header(|h| h.expected_write_bytes = written)
            .build()
    };
    let tb = 1_000_000_000_000;
    assert!(fires("L08", &large(5 * tb, 2 << 30)));
    assert!(!fires("L08", &large(5 * tb, 26 << 30)) && !fires("L08", &large(tb / 2, 2 << 30)));
    assert!(fires("L09", &large(tb, 1)));
    assert!(!fires("L09", &large(2 << 30, 1)), "an eighth of the disk");
}

#[test]
fn l50_a_governor_that_saves_power() {
    let governor = |g: &str| with(|h| h.host.governors = vec![g.to_string(); 4]);
    assert!(fires("L50", &governor("ondemand")) && !fires("L50", &governor("performance")));
    let pinned = with(|h| {
        h.host.governors = vec!["ondemand".to_string()];
        for i in 0..2 {
            stack(h, i).knobs.governor = Some("performance".to_string());
        }
    });
    assert!(!fires("L50", &pinned));
}

#[test]
fn l56_l58_l59_usb_on_small_boards() {
    let on = |board: &'static str, bus: &'static str| {
        RunBuilder::directories(&["/a", "/net"])
            .place(0, |p| disk(p).bus = Some(bus.to_string()))
            .place(1, |p| {
                p.class = PlaceClass::Network;
                p.chain.clear();
            })
            .header(|h| h.host.model = Some(board.to_string()))
            .build()
    };
    assert!(fires("L56", &on("Raspberry Pi 3 Model B Plus", "usb")));
    assert!(!fires("L56", &on("Raspberry Pi 4 Model B", "usb")));
    assert!(!fires("L56", &on("Raspberry Pi 3 Model B Plus", "mmc")));
    let link = |l: &'static str| places(|p| disk(p).link = Some(l.to_string()));
    assert!(fires("L58", &link("USB 5000 Mb/s, BOT")));
    assert!(
        !fires("L58", &link("USB 5000 Mb/s, UAS")) && !fires("L58", &link("USB 480 Mb/s, BOT"))
    );
    let fed = |board: &'static str, rotational| {
        RunBuilder::directories(&["/a"])
            .place(0, |p| {
                disk(p).bus = Some("usb".to_string());
                disk(p).rotational = Some(rotational);
            })
            .header(|h| h.host.model = Some(board.to_string()))
            .build()
    };
    assert!(fires("L59", &fed("Raspberry Pi 4 Model B", true)));
    assert!(fires("L59", &fed("Raspberry Pi Zero W", false)));
    assert!(
        !fires("L59", &fed("Raspberry Pi 4 Model B", false)) && !fires("L59", &fed("PC", true))
    );
}

#[test]
fn l57_a_link_below_what_both_ends_can() {
    let link = |l: &'static str| {
        places(|p| {
            disk(p).link = Some(l.to_string());
            disk(p).best_link = Some("PCIe 8.0 GT/s x4".to_string());
        })
    };
    assert!(fires("L57", &link("PCIe 8.0 GT/s x2")) && !fires("L57", &link("PCIe 8.0 GT/s x4")));
}

#[test]
fn l60_a_device_whose_scheduler_is_not_known() {
    let known = |scheduler: Option<&str>| {
        with(|h| {
            let region = h.region.as_mut().expect("a region");
            region.is_image = false;
            disk(&mut region.place).scheduler = scheduler.map(str::to_string);
            disk(&mut region.place).read_ahead_bytes = Some(128 << 10);
        })
    };
    assert!(fires("L60", &known(None)) && !fires("L60", &known(Some("none"))));
}

fn crypt(sector_size: Option<u32>) -> Crypt {
    Crypt {
        kind: "luks2".to_string(),
        cipher: "aes-xts-plain64".to_string(),
        key_bits: 512,
        sector_size,
        no_read_workqueue: false,
        no_write_workqueue: false,
    }
}

#[test]
fn l62_encryption_that_is_not_stated() {
    let layer = |target: &str| Layer {
        name: "dm-0".to_string(),
        kind: LayerKind::Dm,
        dm_target: Some(target.to_string()),
        ..Layer::default()
    };
    assert!(fires("L62", &places(|p| p.chain.insert(0, layer("crypt")))));
    assert!(!fires("L62", &places(|p| p.chain.insert(0, layer("linear")))));
    assert!(fires("L62", &with(|h| stack(h, 0).crypt = Some(crypt(None)))));
    assert!(!fires("L62", &with(|h| stack(h, 0).crypt = Some(crypt(Some(4096))))));
}

/// A run with one workload, its job changed.
fn job(change: impl FnOnce(&mut crate::model::job::Job)) -> Run {
    with(|h| change(&mut h.workloads[0].job))
}

#[test]
fn l13_l20_l21_l22_l30_what_is_asked_for() {
    assert!(fires("L13", &job(|j| j.fsync = 0)) && !fires("L13", &job(|_| {})));
    let direct = job(|j| (j.fsync, j.direct) = (0, true));
    assert!(!fires("L13", &direct), "what is left is the disk's own cache");
    assert!(fires("L20", &job(|j| j.data = Data::Zero)) && !fires("L20", &job(|_| {})));
    assert!(fires("L21", &job(|j| j.bs = 1 << 20)) && !fires("L21", &job(|j| j.bs = 512 << 10)));
    assert!(fires("L21", &job(|j| j.size = 99 * 4096)));
    assert!(!fires("L21", &job(|j| j.size = 100 * 4096)));
    assert!(fires("L22", &job(|j| j.bs = 512)) && !fires("L22", &job(|j| j.bs = 4096)));
    let deep = |engine, direct| job(|j| (j.iodepth, j.engine, j.direct) = (32, engine, direct));
    assert!(fires("L30", &deep(EngineName::Psync, true)));
    assert!(fires("L30", &deep(EngineName::IoUring, false)));
    assert!(!fires("L30", &deep(EngineName::IoUring, true)));
}

#[test]
fn l29_a_title_about_torrents_over_streams() {
    let titled = |title: &str, workload: &str| {
        stacks().workloads(&[workload]).header(|h| h.title = title.to_string()).build()
    };
    assert!(fires("L29", &titled("Why does my torrent client stall?", "seqwrite")));
    assert!(!fires("L29", &titled("Why does my torrent client stall?", "randwrite")));
    assert!(!fires("L29", &titled("Which filesystem for films?", "seqwrite")));
}

#[test]
fn l38_l39_looks_and_comparisons_that_are_not_paid_for() {
    assert!(fires("L38", &with(|h| h.protocol.alphas[0] = 0.05)));
    assert!(fires("L38", &with(|h| h.protocol.looks = vec![5, 6, 7, 8, 9, 10])));
    assert!(!fires("L38", &stacks().build()));
    let third = || Candidate::new("f2fs", Kind::Stack(Stack::plain("f2fs", vec![], vec![], false)));
    assert!(fires("L39", &with(|h| h.candidates.push(third()))));
    let twin = with(|h| h.candidates.push(Candidate { twin_of: Some("ext4".into()), ..third() }));
    assert!(!fires("L39", &twin), "a twin is no comparison");
}

#[test]
fn l53_l66_l68_options_of_stacks() {
    let lazy = |word: &'static str| with(|h| stack(h, 0).mkfs = vec!["-E".into(), word.into()]);
    assert!(fires("L53", &lazy("nodiscard,lazy_itable_init=1")));
    assert!(!fires("L53", &lazy("lazy_itable_init=0")));
    let scheduled = |workload: &str| {
        stacks()
            .workloads(&[workload])
            .header(|h| stack(h, 0).knobs.scheduler = Some("bfq".to_string()))
            .build()
    };
    assert!(fires("L66", &scheduled("seqread")) && !fires("L66", &scheduled("randread")));
    let journal = |workload: &str| {
        stacks()
            .workloads(&[workload])
            .header(|h| stack(h, 0).mkfs = vec!["-O".into(), "^has_journal".into()])
            .build()
    };
    assert!(fires("L66", &journal("seqread")) && !fires("L66", &journal("smallfiles")));
    let trims = |both: bool| {
        with(|h| {
            stack(h, 0).mount = vec!["noatime,discard".into()];
            if both {
                stack(h, 1).mount = vec!["discard".into()];
            }
        })
    };
    assert!(fires("L68", &trims(false)) && !fires("L68", &trims(true)));
}

#[test]
fn built_in_plans_are_not_refused_before_they_begin() {
    use crate::plan::{Here, expand, parse};
    let here = Here { supports: &|_, _| Ok(()), job_files: &Default::default() };
    for plan in BUILT_IN {
        let parsed = parse(plan.text, plan.name).unwrap();
        let expanded = expand(&parsed, &[], &here).unwrap();
        let run = stacks().header(|h| {
            h.candidates = expanded.candidates;
            h.workloads = expanded.workloads;
            h.protocol = expanded.protocol;
            h.plan = Some(plan.text.to_string());
            h.title = parsed.title.clone();
        });
        let found = plan_findings(&run.build());
        let errors: Vec<&Finding> =
            found.iter().filter(|f| f.severity >= Severity::Error).collect();
        let forbids = crate::rules::limit::forbidding(&found);
        assert!(forbids.is_empty(), "{}: {errors:#?}", plan.name);
    }
}

fn plan_findings(run: &Run) -> Vec<Finding> {
    plan(&run.header, &[])
}

#[test]
fn a_clean_header_has_nothing_said_against_it() {
    assert_eq!(before(&stacks().build()), Vec::<String>::new());
    assert_eq!(before(&stacks().mode(Mode::Precise).build()), Vec::<String>::new());
    assert_eq!(before(&places(|_| {})), Vec::<String>::new());
}
