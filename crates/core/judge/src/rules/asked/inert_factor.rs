//! L66 inert-factor: candidates differ in something that no workload is sensitive to.

use crate::evidence::rule::Hit;
use bakeoff_machine::prepare::recipe::keeps_no_journal;
use bakeoff_model::candidate::Stack;
use bakeoff_model::design::Design;
use bakeoff_model::workload::{Phase, Workload};

/// L66: a factor that no workload can feel.
pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let stacks: Vec<(&str, &Stack)> = design.stacks().collect();
    let differ =
        |key: &dyn Fn(&Stack) -> String| stacks.iter().any(|(_, s)| key(s) != key(stacks[0].1));
    if stacks.len() < 2 {
        return None;
    }
    let plain = |w: &Workload| w.profile.is_none();
    let stream = |w: &Workload| {
        plain(w)
            && !w.job.rw.is_random()
            && w.job.iodepth * w.job.numjobs <= 1
            && w.phase != Phase::Metadata
    };
    let large = |w: &Workload| stream(w) && w.job.bs >= 1 << 20 && w.job.fsync != 1;
    let all = |is: &dyn Fn(&Workload) -> bool| design.workloads.iter().all(is);
    let tell = |what: &str, why: &str| {
        let advice = "add a workload that is sensitive to it: smallfiles, or randread with iodepth \
            = 32";
        Some(Hit::new(format!("{what} differs, but {why}"), advice))
    };
    if differ(&|s| s.knobs.scheduler.clone().unwrap_or_default()) && all(&stream) {
        return tell("the I/O scheduler", "one stream at depth 1 leaves nothing to sort");
    }
    if differ(&|s| keeps_no_journal(&s.mkfs).to_string()) && all(&large) {
        return tell("the journal", "streams of 1 MiB and more produce almost no metadata");
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, stack, stacks};

    #[test]
    fn l66_factors_under_a_stream_and_under_what_feels_them() {
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
    }
}
