//! Rules over a whole plan: its title, its looks, its candidates.

use crate::evidence::rule::Hit;
use bakeoff_machine::prepare::recipe::keeps_no_journal;
use bakeoff_model::candidate::{Stack, has_option};
use bakeoff_model::design::Design;
use bakeoff_model::protocol::Protocol;
use bakeoff_model::setting::Setting;
use bakeoff_model::workload::{Phase, Workload};
use bakeoff_stats::phrases;

const STREAM_BYTES: u64 = 1 << 20;
const SCATTERED: [&str; 8] =
    ["torrent", "database", "sqlite", "home assistant", "mail", "boot", "stall", "freeze"];

pub fn workload_mismatch(design: Design<'_>) -> Option<Hit> {
    let title = design.title.to_ascii_lowercase();
    // Names of places say nothing about what is asked.
    let asked = SCATTERED.iter().find(|w| title.contains(*w));
    let asked = asked.filter(|_| Setting::of(design) != Setting::Places)?;
    let streams =
        |w: &Workload| w.profile.is_none() && !w.job.rw.is_random() && w.job.bs >= STREAM_BYTES;
    (!design.workloads.is_empty() && design.workloads.iter().all(streams)).then(|| {
        let evidence = format!(
            "the title says '{asked}', but every workload streams in blocks of a megabyte or more"
        );
        let advice = "add a matching workload: profile = \"sqlite\" or rw = \"randwrite\" with \
            fsync = 1";
        Hit::new(evidence, advice)
    })
}

pub fn peeking(design: Design<'_>) -> Option<Hit> {
    let protocol = &design.protocol;
    let looks = protocol.looks.len();
    let spent = |alphas: &[f64]| alphas.iter().sum::<f64>();
    let paid = spent(&Protocol::for_mode(protocol.mode, protocol.k).alphas);
    let own = spent(&protocol.alphas);
    (looks != protocol.alphas.len() || own > paid + 1e-9).then(|| {
        let evidence = format!(
            "{looks} checks cause an error rate of {own:.3}; the checks of this mode cause \
             {paid:.3}"
        );
        let advice = "use the checks of a mode: {mode=decide}";
        Hit::new(evidence, advice)
    })
}

pub fn multiplicity(design: Design<'_>) -> Option<Hit> {
    let compared = design.candidates.iter().filter(|c| c.twin_of.is_none()).count();
    let paid = design.protocol.k as usize;
    (compared > paid && compared > 1).then(|| {
        let evidence = format!(
            "{compared} candidates are compared, but the error rate was corrected for only {paid}"
        );
        Hit::new(evidence, "start a new run with all candidates: bakeoff run")
    })
}

/// L66: a factor that no workload can feel.
pub fn inert_factor(design: Design<'_>) -> Option<Hit> {
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

pub fn discard_asymmetry(design: Design<'_>) -> Option<Hit> {
    let stacks: Vec<(&str, &Stack)> = design.stacks().collect();
    let trims = |s: &Stack| has_option(&s.mount, "discard") || has_option(&s.mkfs, "discard");
    let names: Vec<String> =
        stacks.iter().filter(|(_, s)| trims(s)).map(|(n, _)| n.to_string()).collect();
    (!names.is_empty() && names.len() < stacks.len()).then(|| {
        let evidence = format!("{} trims, the others do not", phrases::list(&names));
        let advice = "remove discard from the mkfs and mount options, or set it for all candidates";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, stack, stacks, with};
    use bakeoff_model::candidate::{Candidate, Kind, Stack};

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
    fn l38_looks_that_are_not_paid_for_and_those_of_a_mode() {
        assert!(fires("L38", &with(|h| h.protocol.alphas[0] = 0.05)));
        assert!(fires("L38", &with(|h| h.protocol.looks = vec![5, 6, 7, 8, 9, 10])));
        assert!(!fires("L38", &stacks().build()));
    }

    #[test]
    fn l39_a_candidate_that_is_not_paid_for_and_a_twin() {
        let third =
            || Candidate::new("f2fs", Kind::Stack(Stack::plain("f2fs", vec![], vec![], false)));
        assert!(fires("L39", &with(|h| h.candidates.push(third()))));
        let twin =
            with(|h| h.candidates.push(Candidate { twin_of: Some("ext4".into()), ..third() }));
        assert!(!fires("L39", &twin), "a twin is no comparison");
    }

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

    #[test]
    fn l68_one_that_trims_and_both() {
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
}
