//! L45 untested-cause: a cause is named without evidence from a ceiling or a test. The grade beside
//! each cause already tells "proved" from "consistent with the measurements". The rule speaks where
//! the difference could have been made and was not.

use crate::diagnose::{Cause, Grade, layers};
use crate::evidence::rule::Hit;
use bakeoff_model::bottleneck::Bottleneck;
use bakeoff_model::ceiling::CeilingLayer;
use bakeoff_model::ceiling::{CeilingCause, LeftOut};
use bakeoff_model::finding::Finding;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_model::setting::Setting;

pub const ID: &str = "L45";

const SHOWN_BY_LAYERS: [Cause; 6] =
    [Cause::Cpu, Cause::SystemCalls, Cause::Bus, Cause::Device, Cause::QueueDepth, Cause::Flush];

pub fn untested(run: &Run, workload: WorkloadIx, held: &[Bottleneck]) -> Option<Finding> {
    let of = &run.header.workloads[workload];
    let is_guess = |held: &&Bottleneck| {
        held.reason.grade == Grade::Consistent && SHOWN_BY_LAYERS.contains(&held.reason.cause)
    };
    let guess = held.iter().find(is_guess)?;
    let tells = |layer: CeilingLayer| layer != CeilingLayer::Tool;
    let can_be = layers::jobs(of, false).iter().any(|planned| tells(planned.layer));
    let mut measured = run.ceilings.measured.iter();
    if !can_be || measured.any(|known| known.workload == workload && tells(known.layer)) {
        return None;
    }
    // A record that does not say why there is none is an old one, of which nothing is known.
    let is_about = |left: &&LeftOut| left.workload.is_none_or(|of| of == workload);
    let because = run.ceilings.left_out.iter().find(is_about)?.because;
    let evidence = format!(
        "the bottleneck is unverified: lower layers were not measured ({})",
        because.label()
    );
    let advice = match (because, Setting::of(&run.header)) {
        (CeilingCause::Bytes, _) => "raise the write limit: --max-write 8g",
        (CeilingCause::Time | CeilingCause::Failed, Setting::Places | Setting::Image) => {
            "allow more time than the blocks need: --time 15m"
        }
        (CeilingCause::Time | CeilingCause::Failed, Setting::Decide | Setting::Precise) => {
            "allow more time than the blocks need: --time 4h"
        }
    };
    let (workload, candidate) = (Some(of.name.clone()), Some(guess.candidate.clone()));
    let hit = Hit { workload, candidate, ..Hit::new(evidence, advice) };
    Some(hit.finding(&run.header, ID))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::bottleneck::Reason;
    use bakeoff_model::ceiling::LayerRate;
    use bakeoff_model::profile::{Part, Profile};

    fn held(cause: Cause, grade: Grade) -> Vec<Bottleneck> {
        let reason = Reason { grade, ..Reason::consistent(cause, "no lower layer was measured") };
        vec![Bottleneck { candidate: "/a".to_string(), reason, cells: 5, of: 5 }]
    }

    fn run() -> Run {
        let mut run = RunBuilder::directories(&["/a", "/b"]).workloads(&["randread"]).build();
        run.ceilings.left_out = vec![LeftOut { workload: None, because: CeilingCause::Time }];
        run
    }

    #[test]
    fn l45_a_cause_without_a_layer_below_it_and_one_with() {
        let consistent = held(Cause::Device, Grade::Consistent);
        let mut run = run();
        let found = untested(&run, WorkloadIx::FIRST, &consistent).expect("nothing was measured");
        assert_eq!((found.id.as_str(), found.workload.as_deref()), ("L45", Some("randread")));
        assert_eq!(
            found.evidence,
            "the bottleneck is unverified: lower layers were not measured (the time limit leaves \
             no time for them)"
        );
        assert!(found.advice.contains("--time 15m"), "{}", found.advice);
        let rate_of = |layer| LayerRate {
            layer,
            workload: WorkloadIx::FIRST,
            candidate: None,
            rate: 1e4,
            bytes_per_s: 4e7,
            elapsed_ns: 300_000_000,
        };
        // The generator's own limit says nothing about a drive; the drive with many requests does.
        run.ceilings.measured = vec![rate_of(CeilingLayer::Tool)];
        assert!(untested(&run, WorkloadIx::FIRST, &consistent).is_some());
        run.ceilings.measured = vec![rate_of(CeilingLayer::Deep)];
        assert_eq!(untested(&run, WorkloadIx::FIRST, &consistent), None);
        (run.ceilings.measured, run.ceilings.left_out) = (Vec::new(), Vec::new());
        assert_eq!(untested(&run, WorkloadIx::FIRST, &consistent), None, "an old record");
    }

    #[test]
    fn l45_leaves_alone_what_is_proved_and_what_no_layer_shows() {
        let run = run();
        assert_eq!(untested(&run, WorkloadIx::FIRST, &held(Cause::Device, Grade::Proved)), None);
        assert_eq!(
            untested(&run, WorkloadIx::FIRST, &held(Cause::Foreign, Grade::Consistent)),
            None
        );
        assert_eq!(
            untested(&run, WorkloadIx::FIRST, &held(Cause::Unattributed, Grade::Unattributed)),
            None
        );
        let mut profile = run.clone();
        profile.header.workloads[0].profile = Some(Part { profile: Profile::Desktop, part: 0 });
        assert_eq!(
            untested(&profile, WorkloadIx::FIRST, &held(Cause::Flush, Grade::Consistent)),
            None
        );
    }
}
