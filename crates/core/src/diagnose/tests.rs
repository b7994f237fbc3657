//! Each cause is attributed to itself alone, and a quiet machine to none.

use super::cause::{Cause, Grade};
use super::scenes::{MS, Scene, queue, quiet, scenes, windows};
use super::summary;
use crate::model::ceiling::Layer as Rung;
use crate::model::event::Cell;
use crate::model::telemetry::Gauge;
use crate::testing::RunBuilder;

#[test]
fn each_cause_is_attributed_to_itself() {
    let scenes = scenes();
    let mut kinds: Vec<Cause> = scenes.iter().map(|s| s.1).collect();
    kinds.sort();
    kinds.dedup();
    assert!(kinds.len() >= 13, "{kinds:?}");
    for (name, cause, scene) in scenes {
        let reason = scene.reason();
        assert_eq!(reason.cause, cause, "{name}: {reason:?}");
        assert!(!reason.evidence.is_empty(), "{name}");
    }
}

#[test]
fn what_is_proved_and_what_only_fits() {
    let of = |name: &str| scenes().into_iter().find(|s| s.0 == name).unwrap().2.cause();
    assert_eq!(of("a capped disk"), (Cause::Device, Grade::Proved));
    assert_eq!(of("a disk with a full queue"), (Cause::Device, Grade::Consistent));
    assert_eq!(of("depth 1, where more would be faster"), (Cause::QueueDepth, Grade::Proved));
    assert_eq!(of("a flush after every write"), (Cause::Flush, Grade::Consistent));
    let flush = scenes().into_iter().find(|s| s.0 == "a flush after every write").unwrap().2;
    let proved = flush.rung(Rung::NoFlush, 4000.0);
    assert_eq!(proved.cause(), (Cause::Flush, Grade::Proved));
    let calls = scenes().into_iter().find(|s| s.0 == "8-byte writes").unwrap().2;
    assert_eq!(calls.rung(Rung::Calls, 12.5e6).cause(), (Cause::SystemCalls, Grade::Proved));
}

#[test]
fn the_cpu_is_named_by_its_thread() {
    let subject = |name: &str| {
        let scene = scenes().into_iter().find(|s| s.0 == name).unwrap().2;
        scene.reason().subject.unwrap()
    };
    assert_eq!(subject("a cipher on memory"), "kcryptd");
    assert_eq!(subject("a driver in user space"), "ntfs-3g");
    assert_eq!(subject("a controller's interrupts"), "interrupts");
    assert_eq!(subject("others take the CPUs"), "other processes");
    assert_eq!(subject("a full USB 2 link"), "USB 480 Mb/s, UAS");
}

#[test]
fn a_quiet_machine_gives_no_alarm() {
    let alarms = [
        Cause::HeatOrPower,
        Cause::Foreign,
        Cause::PageCache,
        Cause::Cpu,
        Cause::FlashGc,
        Cause::FastCache,
        Cause::Writeback,
        Cause::SystemCalls,
        Cause::Position,
    ];
    for workload in ["randread", "seqread", "randwrite", "seqwrite", "smallfiles", "randrw"] {
        for noise in 0..50u64 {
            let scene = Scene::of(workload, 900.0 + noise as f64 * 7.0).with(|s| {
                // Rates that jump by a third from window to window, as on a real disk.
                windows(s, (0..20u64).map(|i| (100 * MS, 70 + (i * 37 + noise * 13) % 31)));
                let writes = s.cell.measurement.job.rw.writes();
                if writes {
                    s.cell.measurement.flush_ns =
                        s.cell.measurement.elapsed_ns * (80 + noise % 15) / 100;
                }
                s.t().throttled = vec![0x50000; 4];
                let clock = |v| Gauge { name: "policy0".into(), most: Some(1_500_000), values: v };
                s.t().frequency_khz = vec![clock(vec![600_000, 1_500_000, 600_000, 900_000])];
                queue(s, 0.7 + (noise % 10) as f64 / 20.0);
            });
            let reason = scene.reason();
            assert!(!alarms.contains(&reason.cause), "{workload} {noise}: {reason:?}");
        }
    }
}

#[test]
fn what_cannot_be_told_prints_the_ladder() {
    let scene = Scene::of("seqread", 50e6)
        .with(|s| queue(s, 0.2))
        .rung(Rung::Raw, 200e6)
        .rung(Rung::Tool, 9e9);
    let reason = scene.reason();
    assert_eq!((reason.cause, reason.grade), (Cause::Unattributed, Grade::Unattributed));
    insta::assert_snapshot!(reason.evidence, @"it does 25 % of the raw device (200 MB/s), 9 % of what such links reach in practice (540 MB/s), 8 % of the link (600 MB/s), 1 % of bakeoff without I/O (9.00 GB/s)");
    let blind = Scene::of("smallfiles", 50.0).with(|s| s.cell.telemetry = None);
    assert_eq!(blind.cause().0, Cause::Unattributed, "nothing seen, nothing said");
}

#[test]
fn what_most_cells_have_is_said_and_what_they_do_not_share_is_not() {
    let two = || RunBuilder::directories(&["/a", "/b"]).workloads(&["randread"]);
    let blind = two().play(5, |_, _, _| 900.0).build();
    assert!(summary::workload(&blind, 0).is_empty(), "nothing was watched, nothing is said");
    let watch = |cell: &mut Cell| cell.telemetry = Some(Box::new(quiet(20, 0.95)));
    let run = two().cells(watch).play(5, |_, candidate, _| 900.0 + f64::from(candidate)).build();
    let held = summary::workload(&run, 0);
    assert_eq!(
        held.iter().map(|h| (h.of, h.candidate.as_str())).collect::<Vec<_>>(),
        [(5, "/a"), (5, "/b")]
    );
    let said = summary::sentence(&held).unwrap();
    assert!(said.contains("in all candidates"), "{said}");
    let split = two().cells(|cell| {
        let queue = if cell.block % 2 == 0 { 0.95 } else { 3.0 };
        cell.telemetry = Some(Box::new(quiet(20, queue)));
    });
    let run = split.play(4, |_, _, _| 900.0).build();
    let said = summary::sentence(&summary::workload(&run, 0)).unwrap();
    assert!(said.contains("the cells do not agree"), "{said}");
}
