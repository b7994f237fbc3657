//! `bench`: fio's words, what ends a case, and the fixed keys of its JSON.

use serde_json::Value;

use crate::bench::Bench;

/// Runs a case that has to succeed; gives its JSON.
#[track_caller]
fn measured(bench: &Bench, args: &[&str]) -> Value {
    let json = ["--format", "json", "--quiet"];
    let ended = bench.run(&[&["bench"], args, &json[..]].concat());
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{args:?}: {ended:?}");
    ended.json()
}

#[test]
fn json_has_the_fixed_keys() {
    let bench = Bench::new();
    let args = [".", "--rw", "randrw", "--size", "1m", "--io_size", "4m", "--fsync", "64"];
    let answer = measured(&bench, &args);
    assert_eq!(answer["schema"], "bakeoff/bench/1");
    for key in ["job", "engine", "elapsed_ns", "read", "write", "flush"] {
        assert!(!answer[key].is_null(), "{key}: {answer}");
    }
    for key in ["usr_cpu_ns", "sys_cpu_ns"] {
        assert!(answer[key].is_u64(), "{key}: {answer}");
    }
    assert!(answer["windows"].is_array() && answer["findings"].is_array(), "{answer}");
    let stats = ["total_ios", "io_bytes", "iops", "bw_bytes_per_s", "lat_ns"];
    for side in ["read", "write"] {
        for key in stats {
            assert!(!answer[side][key].is_null(), "{side}.{key}: {answer}");
        }
        latencies(&answer[side]["lat_ns"]);
    }
    latencies(&answer["flush"]["lat_ns"]);
    let total = |side: &str| answer[side]["io_bytes"].as_u64().unwrap();
    assert_eq!(total("read") + total("write"), 4 << 20);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

fn latencies(lat: &Value) {
    let number = |key: &str| lat[key].as_f64();
    let (min, max) = (number("min").unwrap(), number("max").unwrap());
    assert!(number("mean").is_some_and(|mean| (min..=max).contains(&mean)), "{lat}");
    for key in ["p50", "p90", "p95", "p99", "p99.9", "p99.99"] {
        // A percentile that so few operations cannot show is null, never left out.
        let value = lat.get(key).unwrap_or_else(|| panic!("{key}: {lat}"));
        assert!(value.is_null() || value.as_f64().is_some_and(|v| v >= min), "{key}: {lat}");
    }
}

#[test]
fn the_first_of_io_size_and_runtime_ends() {
    let bench = Bench::new();
    let few = measured(&bench, &[".", "--size=1m", "--io_size=64k", "--runtime=1h", "--rw=read"]);
    assert_eq!(few["read"]["io_bytes"], 64 << 10);
    let args = [".", "--size=1m", "--io-size=8t", "--runtime=300ms", "--rw=randwrite"];
    let short = measured(&bench, &args);
    let took_ns = short["elapsed_ns"].as_u64().unwrap();
    assert!(took_ns >= 300_000_000, "{took_ns}");
    assert!(short["write"]["io_bytes"].as_u64().unwrap() < 8 << 40);
    // Without either the size is done once.
    let once = measured(&bench, &[".", "--size=1m", "--rw=write", "--bs=64k"]);
    assert_eq!(
        (&once["write"]["io_bytes"], &once["write"]["total_ios"]),
        (&(1 << 20).into(), &16.into())
    );
}

#[test]
fn every_flag_reaches_the_job_in_either_spelling() {
    let bench = Bench::new();
    let underscores = [
        "--rw=randrw",
        "--bs=8k",
        "--size=1m",
        "--io_size=2m",
        "--runtime=30s",
        "--iodepth=2",
        "--numjobs=2",
        "--direct=1",
        "--engine=io_uring",
        "--fsync=8",
        "--fdatasync=0",
        "--end_fsync=1",
        "--rwmixread=70",
        "--rate_iops=100000",
        "--offsets=once",
        "--data=zero",
        "--mem=malloc",
        "--seed=9",
    ];
    let hyphens =
        underscores.map(|flag| flag.replacen('_', "-", 1).replace("io-uring", "io_uring"));
    let hyphens: Vec<&str> = hyphens.iter().map(String::as_str).collect();
    for flags in [&underscores[..], &hyphens] {
        let job = &measured(&bench, &[&["."], flags].concat())["job"];
        for (key, wanted) in [
            ("rw", Value::from("randrw")),
            ("bs", 8192.into()),
            ("size", (1 << 20).into()),
            // Of both jobs together.
            ("io_size", (4 << 20).into()),
            ("runtime_ns", 30_000_000_000u64.into()),
            ("iodepth", 2.into()),
            ("numjobs", 2.into()),
            ("direct", true.into()),
            ("engine", "io_uring".into()),
            ("fsync", 8.into()),
            ("end_fsync", true.into()),
            ("rwmixread", 70.into()),
            // Of both jobs together, and each of reads and writes has it, as in fio.
            ("rate_iops", 400_000.into()),
            ("rate_reads", 200_000.into()),
            ("offsets", "once".into()),
            ("data", "zero".into()),
            ("mem", "malloc".into()),
            ("seed", 9.into()),
        ] {
            assert_eq!(job[key], wanted, "{key} of {job}");
        }
    }
    let job = &measured(&bench, &[".", "--size=64k", "--rw=write", "--fdatasync=4"])["job"];
    assert_eq!((&job["fdatasync"], &job["direct"]), (&4.into(), &false.into()));
}
