//! fio's rarer options, as posts have them.

use crate::scan::{Finder, Imported};

fn read(text: &str) -> Imported {
    Finder::for_tool("fio").all_of(text.as_bytes())
}

/// Names of metrics of one kind, with the job's.
fn volumes(found: &Imported) -> Vec<String> {
    let of = |result: &crate::scan::result::ToolResult| {
        let job = result.test.clone().unwrap_or_default();
        let names = result.metrics.iter().filter(|metric| metric.name.ends_with(".bytes"));
        names.map(|metric| format!("{job} {}", metric.name)).collect::<Vec<_>>()
    };
    found.results.iter().flat_map(of).collect()
}

#[test]
fn every_form_that_fio_prints_is_read_in_full() {
    let sum = "All clients";
    for (text, expected) in [
        (include_str!("../../../../../fixtures/tools/fio/unified.stdout"), vec!["u mixed.bytes"]),
        (
            include_str!("../../../../../fixtures/tools/fio/unified_json.stdout"),
            vec!["u mixed.bytes"],
        ),
        (
            include_str!("../../../../../fixtures/tools/fio/unified_both.stdout"),
            vec!["u read.bytes", "u write.bytes"],
        ),
        (
            include_str!("../../../../../fixtures/tools/fio/bits.stdout"),
            vec!["b read.bytes", "b write.bytes"],
        ),
        (
            include_str!("../../../../../fixtures/tools/fio/percentiles_10_digits.stdout"),
            vec!["q read.bytes"],
        ),
    ] {
        let found = read(text);
        assert_eq!(
            (volumes(&found), &found.unread),
            (expected.iter().map(|name| name.to_string()).collect(), &Vec::new())
        );
    }
    let clients = [
        include_str!("../../../../../fixtures/tools/fio/client.stdout"),
        include_str!("../../../../../fixtures/tools/fio/client_json.stdout"),
    ];
    for text in clients {
        let found = read(text);
        assert_eq!(found.unread, []);
        for job in ["c read", "c write", "d write"] {
            assert!(volumes(&found).contains(&format!("{job}.bytes")), "{job}: {found:#?}");
        }
        assert!(found.results.iter().any(|result| result.test.as_deref() == Some(sum)));
    }
}

#[test]
fn a_rate_in_bits_is_one_of_bytes() {
    let found = read(include_str!("../../../../../fixtures/tools/fio/bits.stdout"));
    let figure = |name: &str| found.results[0].figure(&[name]).unwrap();
    let rate = figure("read.bytes") / figure("read.elapsed") * 1e9;
    assert!((figure("read.throughput") / rate - 1.0).abs() < 0.01);
}

/// The sums of version 2 went over 100 % when requests were counted late.
#[test]
fn depths_of_more_than_all_are_no_reason_to_refuse_a_job() {
    let text = include_str!("../../../../../fixtures/tools/fio/unified.stdout");
    let odd = text.replace("IO depths    : 1=100.0%", "IO depths    : 1=121.9%");
    assert_ne!(odd, text);
    assert_eq!(read(&odd), read(text));
}

/// Both say KB; 25 of 219 posted jobs of version 2 were refused.
#[test]
fn with_kb_base_1000_requests_times_block_size_tell_what_version_2_moved() {
    let text = |io: &str, rate: &str| {
        format!(
            "k: (g=0): rw=write, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1\nfio-2.1.11\n\
             k: (groupid=0, jobs=1): err= 0: pid=7: Sun Nov 22 12:00:00 2026\n  \
             write: io={io}, bw={rate}, iops=2000, runt= 10000msec\n     \
             issued    : total=r=0/w=20000/d=0, short=r=0/w=0/d=0\n"
        )
    };
    for (io, rate) in [("80000KB", "8000.0KB/s"), ("81920KB", "8192.0KB/s")] {
        let found = read(&text(io, rate));
        assert_eq!(found.unread, []);
        assert_eq!(found.results[0].figure(&["write.bytes"]), Some(81_920_000.0), "{io}");
    }
    let found = read(&text("90000KB", "9000.0KB/s"));
    assert_eq!(found.results[0].figure(&["write.ios"]), None);
    assert_eq!(found.unread.len(), 1);
}

#[test]
fn a_figure_that_is_contradicted_is_listed_and_the_rest_of_its_job_read() {
    let text = include_str!("../../../../../fixtures/tools/fio/percentiles_10_digits.stdout");
    let whole = read(text);
    let volume = ["read.ios", "read.bytes", "read.elapsed", "read.throughput", "read.iops"];
    let is_latency = |name: &str| name.contains("latency");
    let is_volume = |name: &str| volume.contains(&name);
    let check = |from: &str, to: &str, is_lost: &dyn Fn(&str) -> bool| {
        let found = read(&text.replacen(from, to, 1));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1), "{found:#?}");
        let names = |of: &Imported| -> Vec<String> {
            let metrics = &of.results[0].metrics;
            metrics.iter().map(|m| m.name.clone()).filter(|name| !is_lost(name)).collect()
        };
        assert_eq!(names(&found), names(&whole));
        assert!(!found.results[0].metrics.iter().any(|metric| is_lost(&metric.name)));
    };
    check("msec)\n", "0msec)\n", &is_volume);
    check("50.00000000th=[   35]", "50.00000000th=[ 9935]", &is_latency);
}

/// It lost the 95th percentile and more without a word.
#[test]
fn a_line_that_was_cut_or_broken_is_listed_and_gives_no_other_figure() {
    let sample = include_str!("../../../../../fixtures/tools/fio/text_rndrw_fsync_timed.stdout");
    let figures = |found: &Imported| -> Vec<(String, f64)> {
        let metrics = found.results.iter().flat_map(|result| &result.metrics);
        metrics.map(|metric| (metric.name.clone(), metric.value.as_f64())).collect()
    };
    let whole = figures(&read(sample));
    for (from, to) in [
        ("70.00th=[  112], 80.00th=[  143], 90.00th=[  420], 95.00th=[ 3032],", "70.00th=["),
        (", avg=409.23, stdev=964.73", ", avg=40"),
        (",150,0,38 short=0,0,0,0 dropped=0,0,0,0", ",15"),
    ] {
        let text = sample.replacen(from, to, 1);
        assert_ne!(text, sample);
        let found = read(&text);
        assert!(!found.unread.is_empty(), "{to}: {found:?}");
        assert!(figures(&found).iter().all(|figure| whole.contains(figure)), "{to}");
    }
    for columns in 40..120 {
        let broken = sample.lines().flat_map(|line| {
            let letters: Vec<char> = line.chars().collect();
            letters.chunks(columns).map(|part| part.iter().collect()).collect::<Vec<String>>()
        });
        let broken: String = broken.map(|part| part + "\n").collect();
        let found = read(&broken);
        let is_same = |figure: &(String, f64)| {
            let is_near = |value: &f64| (value - figure.1).abs() <= 0.006 * value.max(figure.1);
            whole.iter().any(|(name, value)| *name == figure.0 && is_near(value))
        };
        assert!(figures(&found).iter().all(is_same), "{columns}: {found:?}\n{broken}");
    }
}
