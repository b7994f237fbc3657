//! Runs with a candidate that is slowed down on purpose.

use crate::analyse::analyse;
use crate::testing::RunBuilder;
use bakeoff_model::finding::Severity;
use bakeoff_model::profile::Part;
use bakeoff_stats::prng::NormalDeviates;
use bakeoff_stats::prng::SplitMix64;

fn noise(block: u32, candidate: u16, workload: u16) -> f64 {
    let words = [block.into(), candidate.into(), workload.into()];
    NormalDeviates(SplitMix64::derive(31, &words)).deviate()
}

/// `a`, `b` a tenth ahead, and `a` slowed down by a twentieth, which makes `slower` of it.
pub(crate) fn with_control(slower: f64, sd: f64, profile: Option<Part>) -> RunBuilder {
    let rate = move |b, c: u16, w| {
        let speed = [1.0, 1.1, 1.0 - slower][usize::from(c)];
        1e8 * speed * libm::exp(sd * noise(b, c, w))
    };
    RunBuilder::stacks(&["a", "b", "a slowed"])
        .header(|h| {
            h.candidates[2].twin_of = Some("a".to_string());
            h.candidates[2].slowed_ppm = 50_000;
            h.workloads[0].profile = profile;
        })
        .play(5, rate)
}

pub fn told(slower: f64, sd: f64, profile: Option<Part>) -> Vec<(String, String, Severity)> {
    let run = with_control(slower, sd, profile);
    let found = analyse(&run.build()).verdicts[0].findings.clone();
    let is_control = |id: &str| id.starts_with("control-") || id == "L35";
    let all = found.into_iter().filter(|f| is_control(&f.id));
    all.map(|f| (f.id, f.evidence, f.severity)).collect()
}
