//! Ratings of made-up drives in words and in every format.

use super::*;
use bakeoff_judge::applications;
use bakeoff_judge::testing::RunBuilder;
use bakeoff_model::application::{FitSample, FitSamples};
use bakeoff_model::event::What;
use bakeoff_model::index::WorkloadIx;
use bakeoff_stats::histogram::Histogram;

/// A run for etcd in which each workload has 60 slices with these latencies.
fn run(names: &[&str], latencies: &[(u64, u64)]) -> Run {
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let table = applications::built_in().choose(&names).unwrap();
    let mut header = RunBuilder::directories(&["/srv"]).build().header;
    header.protocol.time_ns = Some(20_000_000_000);
    (header.workloads, header.applications) = (table.workloads, table.applications);
    let workloads = header.workloads.len();
    let mut run = RunBuilder::from_header(header);
    for workload in 0..workloads {
        let sample = |at: u64| FitSample {
            began_ns: at * 300_000_000,
            elapsed_ns: 150_000_000,
            ios: 100,
            bytes: 100 << 20,
            latencies: Histogram { buckets: latencies.to_vec() },
            ..FitSample::default()
        };
        let samples = (0..60).map(sample).collect();
        let workload = WorkloadIx::new(workload);
        run = run.event(What::FitMeasured(Box::new(FitSamples { workload, look: 2, samples })));
    }
    run.build()
}

fn said(run: &Run) -> String {
    document(run, &ratings::ratings(run), &[]).text(80, false)
}

#[test]
fn a_fast_a_slow_and_a_stalling_drive() {
    let fast = run(&["etcd"], &[(2_000_000, 100)]);
    assert!(said(&fast).starts_with("Yes: etcd needs 99 % of its log writes"), "{}", said(&fast));
    let slow = run(&["etcd"], &[(24_000_000, 100), (31_000_000, 2)]);
    insta::assert_snapshot!("slow", said(&slow));
    let stalls = run(&["etcd"], &[(2_000_000, 95), (400_000_000, 5)]);
    assert!(said(&stalls).contains("Likely limit: stalls"), "{}", said(&stalls));
}

#[test]
fn many_applications_are_one_screen_and_the_formats_agree() {
    let all = run(&["all"], &[(2_000_000, 100)]);
    let text = said(&all);
    assert!(text.lines().count() <= 24, "{text}");
    insta::assert_snapshot!("all", text);
    let ratings = ratings::ratings(&all);
    let json: serde_json::Value = serde_json::from_str(&json(&all, &ratings, &[])).unwrap();
    assert_eq!(json["applications"].as_array().unwrap().len(), ratings.len());
    assert_eq!(json["applications"][0]["verdict"], "yes");
    let metrics = metrics(&all, &ratings, &[]);
    assert!(metrics.contains("bakeoff_fit_limit{application=\"etcd\",directory=\"/srv\""));
    assert!(metrics.contains("unit=\"seconds\"} 0.01\n"), "{metrics}");
}

#[test]
fn a_run_without_measurements_says_so() {
    let header = run(&["etcd"], &[(1, 1)]).header;
    let empty = RunBuilder::from_header(header).build();
    assert!(said(&empty).contains("nothing was measured"), "{}", said(&empty));
}
