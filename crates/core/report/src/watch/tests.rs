//! A frame in every format.

use super::*;
use bakeoff_machine::sysinfo::block_stat;
use bakeoff_machine::telemetry::rates;
use bakeoff_machine::watch::{Frame, Machine};
use bakeoff_model::log_problem::LogProblem;
use bakeoff_model::telemetry::{CpuSeries, LogLine, MemorySeries, PressureSeries, Telemetry};

/// Two looks two seconds apart: 200 reads of 4 KiB, 100 of them merged from 200; 10 writes of
/// 64 KiB; 5 discards of 1 MiB; 4 flushes.
fn frame() -> Frame {
    let before = block_stat::parse("0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0").unwrap();
    let text = "200 100 1600 100 10 0 1280 40 0 1900 3000 5 0 10240 10 4 8";
    let rates = rates::device(&before, &block_stat::parse(text).unwrap(), 2_000_000_000).unwrap();
    let cpu = |ms| CpuSeries { user_ms: vec![ms], system_ms: vec![100], ..CpuSeries::default() };
    let seen = Telemetry {
        cpus: vec![cpu(0), cpu(900)],
        pressure: Some(PressureSeries { io_some_us: vec![500_000], ..PressureSeries::default() }),
        memory: Some(MemorySeries {
            dirty_bytes: vec![3 << 20],
            writeback_bytes: vec![0],
            ..MemorySeries::default()
        }),
        throttled: vec![1],
        log: vec![LogLine { problem: LogProblem::Reset, text: "usb 1-1: \u{1b}reset".into() }],
        ..Telemetry::default()
    };
    Frame {
        unix_ns: 1_795_305_662_000_000_000,
        clock: "00:01:02".into(),
        elapsed_ns: 2_000_000_000,
        devices: vec![("sda".into(), rates), ("mmcblk0".into(), Default::default())],
        machine: Machine::from_telemetry(&seen, 2_000_000_000),
    }
}

#[test]
fn eighty_columns_and_no_more_lines_than_there_are() {
    let shown = text(&frame(), 80, 24);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(!shown.contains('\u{1b}'));
    insta::assert_snapshot!(shown);
    let many = Frame { devices: vec![frame().devices[0].clone(); 40], ..frame() };
    for height in [10, 24, 50] {
        let shown = text(&many, 80, height);
        assert!(shown.lines().count() <= height.max(13), "{height}: {shown}");
        assert!(shown.contains(" more; to watch one"), "{shown}");
    }
    let huge = Frame { elapsed_ns: 1, ..frame() };
    for width in [40, 80] {
        let shown = text(&huge, width, 24);
        assert!(shown.lines().all(|line| line.chars().count() <= width), "{shown}");
    }
}

#[test]
fn programs_get_iostats_names() {
    let value: serde_json::Value = serde_json::from_str(&json(&frame())).unwrap();
    let drive = &value["disk"][0];
    assert_eq!((&drive["r/s"], &drive["rkB/s"]), (&100.0.into(), &400.0.into()));
    assert_eq!((&drive["rrqm/s"], &drive["r_await"]), (&50.0.into(), &0.5.into()));
    assert_eq!((&drive["dareq-sz"], &drive["f_await"]), (&1024.0.into(), &2.0.into()));
    assert_eq!((&drive["aqu-sz"], &drive["util"]), (&1.5.into(), &95.0.into()));
    assert_eq!(value["disk"][1]["d/s"], serde_json::Value::Null);
    assert_eq!(value["machine"]["cpu_percent"][1], 50.0);
    let (header, rows) = (csv_header(), csv(&frame()));
    let width = header.trim().split(',').count();
    assert!(rows.lines().all(|row| row.split(',').count() == width), "{header}{rows}");
    assert_eq!(rows.lines().count(), 2);
}

#[test]
fn every_key_is_documented() {
    let doc = include_str!("../../../../../docs/format.md");
    let section = doc.split("`bakeoff/watch/1`").nth(1).unwrap().split("\n## ").next().unwrap();
    let value: serde_json::Value = serde_json::from_str(&json(&frame())).unwrap();
    let parts = [&value, &value["machine"], &value["disk"][0]];
    for key in parts.iter().flat_map(|part| part.as_object().unwrap().keys()) {
        assert!(section.contains(&format!("`{key}`")), "docs/format.md lacks {key}");
    }
}
