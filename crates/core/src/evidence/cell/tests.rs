//! Each rule over a cell: fires, and comes close without firing.

use super::*;
use crate::model::host::{Layer, LayerKind};
use crate::model::job::Job;
use crate::model::measurement::Tool;
use crate::model::protocol::Mode;
use crate::testing::{RunBuilder, clean_cell, measurement};

/// A clean cell of `workload` at `rate` between two directories, changed by `change`.
fn found(workload: &str, rate: f64, change: impl FnOnce(&mut Header, &mut Cell)) -> Vec<String> {
    let run = RunBuilder::directories(&["/a", "/b"]).workloads(&[workload]).build();
    let mut header = run.header;
    let measurement = measurement(&header.workloads[0], rate);
    let mut one = clean_cell(measurement);
    change(&mut header, &mut one);
    cell(&header, &one).into_iter().map(|f| f.id).collect()
}

fn with_link(header: &mut Header, link: &str) {
    let Kind::Directory { place, .. } = &mut header.candidates[0].kind else { panic!() };
    let disk = place.chain.iter_mut().find(|l: &&mut Layer| l.kind == LayerKind::Disk);
    disk.unwrap().link = Some(link.to_string());
}

#[test]
fn clean_cells_say_nothing() {
    for w in crate::workloads::all() {
        let rate = if w.metric == crate::model::workload::Metric::Bandwidth { 50e6 } else { 900.0 };
        assert_eq!(found(&w.name, rate, |_, _| {}), Vec::<String>::new(), "{}", w.name);
    }
}

#[test]
fn suspended_for_a_second_and_not_for_the_gap_between_two_clocks() {
    assert_eq!(
        found("randread", 900.0, |_, c| c.truth.suspended_ns = 1_000_000_000),
        ["suspended"]
    );
    assert!(found("randread", 900.0, |_, c| c.truth.suspended_ns = 900_000).is_empty());
}

#[test]
fn l55_swapping_and_the_odd_page() {
    let swapped = |n: u64| move |_: &mut Header, c: &mut Cell| c.truth.swapped_pages = Some(n);
    assert_eq!(found("randread", 900.0, swapped(257)), ["L55"]);
    assert!(found("randread", 900.0, swapped(256)).is_empty());
}

#[test]
fn no_progress_is_no_number() {
    let nothing = |_: &mut Header, c: &mut Cell| c.measurement.read = None;
    assert_eq!(found("seqread", 50e6, nothing), ["no-progress", "L25"]);
}

#[test]
fn l15_faster_than_the_wire_and_just_below() {
    let usb2 = |header: &mut Header, _: &mut Cell| with_link(header, "USB 480 Mb/s");
    assert_eq!(found("seqread", 61e6, usb2), ["L15"]);
    assert!(found("seqread", 25e6, usb2).is_empty());
    assert_eq!(found("seqwrite", 61e6, usb2), ["L15"]);
    // A single read below the time its bytes need on the wire: 4 KiB take 68 µs.
    let quick_one = |header: &mut Header, c: &mut Cell| {
        with_link(header, "USB 480 Mb/s, UAS");
        c.measurement.read.as_mut().unwrap().lat_ns.min = 60_000;
    };
    assert_eq!(found("randread", 900.0, quick_one), ["L15"]);
    let slow_enough = |header: &mut Header, c: &mut Cell| {
        with_link(header, "USB 480 Mb/s, UAS");
        c.measurement.read.as_mut().unwrap().lat_ns.min = 70_000;
    };
    assert!(found("randread", 900.0, slow_enough).is_empty());
}

#[test]
fn l16_warm_is_thrown_away_and_cold_is_not() {
    let warm = |_: &mut Header, c: &mut Cell| c.truth.cache = CacheState::Warm;
    assert_eq!(found("seqread", 50e6, warm), ["L16"]);
    // Small files are read back from memory by design.
    assert!(found("smallfiles", 900.0, warm).is_empty());
}

#[test]
fn unknown_cache_is_said_and_not_thrown_away() {
    let unknown = |_: &mut Header, c: &mut Cell| c.truth.cache = CacheState::Unknown;
    assert_eq!(found("seqread", 50e6, unknown), ["cache-unknown"]);
    assert!(found("randwrite", 900.0, unknown).is_empty());
    let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["seqread"]);
    let run = run.cells(|c| c.truth.cache = CacheState::Unknown).play(1, |_, _, _| 5e7).build();
    assert!(!is_invalid(&run.header, &run.blocks[0].cells[0]));
}

#[test]
fn l12_buffered_reads_of_a_file_that_fits_in_memory() {
    let buffered = |size: u64| {
        move |header: &mut Header, c: &mut Cell| {
            header.host.mem_total_bytes = 4 << 30;
            c.measurement.job.direct = false;
            c.measurement.job.size = size;
            c.truth.cache = CacheState::Unknown;
        }
    };
    assert!(found("randread", 900.0, buffered((8 << 30) - 1)).contains(&"L12".to_string()));
    assert!(!found("randread", 900.0, buffered(8 << 30)).contains(&"L12".to_string()));
    let proven = |header: &mut Header, c: &mut Cell| {
        buffered(1 << 30)(header, c);
        c.truth.cache = CacheState::Cold;
    };
    assert!(found("randread", 900.0, proven).is_empty());
}

#[test]
fn l17_a_direct_write_that_dirties_pages() {
    let dirtied = |d: f64| move |_: &mut Header, c: &mut Cell| c.truth.dirtied_per_page = Some(d);
    assert_eq!(found("randrw", 900.0, dirtied(1.02)), ["L17"]);
    assert!(found("randrw", 900.0, dirtied(0.4)).is_empty());
    // A buffered write dirties pages, as it says.
    assert!(found("seqwrite", 5e7, dirtied(1.0)).is_empty());
}

#[test]
fn l25_too_short_too_few_and_unflushed() {
    let short = |ns: u64| move |_: &mut Header, c: &mut Cell| c.measurement.elapsed_ns = ns;
    assert_eq!(found("randread", 900.0, short(499_999_999)), ["L25"]);
    assert!(found("randread", 900.0, short(500_000_000)).is_empty());
    let few = |n: u64| {
        move |_: &mut Header, c: &mut Cell| {
            let read = c.measurement.read.as_mut().unwrap();
            (read.total_ios, read.lat_ns.p95, read.lat_ns.p99) = (n, None, None);
        }
    };
    assert_eq!(found("randread", 900.0, few(49)), ["L25"]);
    assert!(found("randread", 900.0, few(50)).is_empty());
    let unflushed = |ns: u64| {
        move |_: &mut Header, c: &mut Cell| {
            c.measurement.job.fsync = 0;
            c.measurement.elapsed_ns = ns;
        }
    };
    assert_eq!(found("randwrite", 900.0, unflushed(49_000_000_000)), ["L25"]);
    assert!(found("randwrite", 900.0, unflushed(50_000_000_000)).is_empty());
}

/// dd was advised to run for 60 s, which it cannot.
#[test]
fn l25_asks_for_more_data_of_a_tool_that_has_no_time() {
    let advice = |driver| {
        let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["seqread"]).build();
        let mut one = clean_cell(measurement(&run.header.workloads[0], 5e7));
        one.measurement.elapsed_ns = 1000;
        let tool = Tool { driver, version: "1".to_string(), command: Vec::new() };
        one.measurement.tool = Some(tool);
        cell(&run.header, &one).into_iter().find(|f| f.id == "L25").unwrap().advice
    };
    assert!(advice(DriverName::Dd).contains("larger --size"), "{}", advice(DriverName::Dd));
    assert!(advice(DriverName::Fio).contains("longer"), "{}", advice(DriverName::Fio));
}

#[test]
fn l52_others_on_the_disk() {
    let foreign = |b: u64| move |_: &mut Header, c: &mut Cell| c.truth.foreign_bytes = Some(b);
    // The cell moves 100 MB.
    assert_eq!(found("seqread", 50e6, foreign(5_300_000)), ["L52"]);
    assert!(found("seqread", 50e6, foreign(4_900_000)).is_empty());
    // A commit of a quiet system is more than 5 % of a cell of small reads, and not worth a word.
    assert!(found("randread", 900.0, foreign(900_000)).is_empty());
}

#[test]
fn l52_others_on_the_cpus_and_others_on_cpus_of_their_own() {
    let busy = |cpus: f64, waited: Option<f64>| {
        move |h: &mut Header, c: &mut Cell| {
            h.host.cpus = 4;
            c.truth.foreign_cpus = Some(cpus);
            c.truth.foreign_cpus_by = vec!["rustc (812)".to_string()];
            let ns = |share| (c.measurement.elapsed_ns as f64 * share) as u64;
            c.measurement.waited_ns = waited.map(ns);
        }
    };
    assert_eq!(found("randread", 900.0, busy(0.21, Some(0.03))), ["L52"]);
    assert_eq!(found("randread", 900.0, busy(0.21, None)), ["L52"]);
    // A little of the CPUs, or as much as you like of CPUs that nobody else wanted.
    assert!(found("randread", 900.0, busy(0.19, Some(0.03))).is_empty());
    assert!(found("randread", 900.0, busy(2.5, Some(0.01))).is_empty());
    let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["randread"]).build();
    let (mut header, measured) =
        (run.header, measurement(&crate::workloads::find("randread").unwrap(), 900.0));
    let mut one = clean_cell(measured);
    busy(2.5, Some(0.41))(&mut header, &mut one);
    assert_eq!(
        cell(&header, &one)[0].evidence,
        "other processes (rustc (812)) kept 2.5 of 4 CPUs busy, and the load waited for one for \
         41 % of the time"
    );
}

#[test]
fn the_tools_share() {
    let share = |s: f64| {
        move |_: &mut Header, c: &mut Cell| {
            c.measurement.tool_ns = (c.measurement.elapsed_ns as f64 * s) as u64;
        }
    };
    assert_eq!(found("seqwrite", 5e7, share(0.06)), ["tool-share"]);
    assert!(found("seqwrite", 5e7, share(0.049)).is_empty());
    let advice = |bs: u64, verb: &str| {
        let mut run = RunBuilder::directories(&["/a", "/b"]).build();
        run.header.verb = verb.to_string();
        let measured = measurement(&run.header.workloads[0], 900.0);
        let mut one = clean_cell(measured);
        one.measurement.job.bs = bs;
        share(0.06)(&mut run.header, &mut one);
        let mut all = cell(&run.header, &one).into_iter().filter(|f| f.id == "tool-share");
        all.next().unwrap().advice
    };
    assert!(advice(4096, "bench").ends_with("--bs 64k"));
    // A block that is as large already is not to be made as large.
    for verb in ["bench", "run", "quick"] {
        let said = advice(64 << 10, verb);
        assert!(said.ends_with("bakeoff check --engine") && !said.contains("bs"), "{verb}: {said}");
    }
}

#[test]
fn rewritten_blocks_of_direct_writes_that_nothing_flushes_in_between() {
    let wrote = |passes: f64, change: fn(&mut Job)| {
        found("seqwrite", 5e7, |_, c| {
            let m = &mut c.measurement;
            (m.job.direct, m.job.fsync, m.job.fdatasync) = (true, 0, 0);
            change(&mut m.job);
            m.write.as_mut().unwrap().io_bytes = (m.job.size as f64 * passes) as u64;
        })
    };
    assert_eq!(wrote(2.0, |_| {}), ["rewritten"]);
    assert!(wrote(1.9, |_| {}).is_empty());
    assert!(wrote(30.0, |job| job.fsync = 16).is_empty());
    assert!(!wrote(30.0, |job| job.direct = false).contains(&"rewritten".to_string()));
}

#[test]
fn what_is_thrown_away_says_why() {
    let run = RunBuilder::directories(&["/a", "/b"]).mode(Mode::Quick);
    let run = run.cells(|c| c.truth.suspended_ns = 12_000_000_000).play(1, |_, _, _| 900.0).build();
    let reason = invalid_reason(&run.header, &run.blocks[0].cells[0]);
    assert_eq!(reason.as_deref(), Some("the machine was suspended for 12 s"));
}

#[test]
fn parts_of_profiles_are_judged_by_what_they_say_of_themselves() {
    use crate::model::workload::Metric;
    for w in crate::profiles::all() {
        let rate = match w.metric {
            Metric::Bandwidth => 50e6,
            Metric::LatencyP99 => 2e6,
            _ => 900.0,
        };
        let part = |header: &mut Header, change: fn(&mut Cell)| {
            header.workloads = vec![w.clone()];
            let measurement = measurement(&w, rate);
            let mut one = clean_cell(measurement);
            change(&mut one);
            cell(header, &one).into_iter().map(|f| f.id).collect::<Vec<String>>()
        };
        let mut header = RunBuilder::directories(&["/a", "/b"]).build().header;
        // Reads that a profile does not cool can come from memory; what it cools does not.
        let is_warm = w.job.rw.reads() && !w.job.invalidate;
        let want = if is_warm { vec!["L12".to_string()] } else { Vec::new() };
        assert_eq!(part(&mut header, |_| {}), want, "{}", w.name);
        let warm = part(&mut header, |c| {
            c.measurement.job.rw = Rw::Read;
            c.measurement.job.invalidate = false;
        });
        assert_eq!(warm, ["L12"], "{}", w.name);
    }
}
