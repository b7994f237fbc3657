//! Rules over what ranks say: of one link, of several workloads, of layers that only add work.

use super::{ComparedRun, name, winner};
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Stack;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::thresholds;
use bakeoff_stats::phrases::figures;
use bakeoff_stats::{sample, units};

pub fn ceiling(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let of = &run.header.workloads[workload];
    if of.metric != bakeoff_model::workload::Metric::Bandwidth {
        return None;
    }
    let carried = |c: &CandidateIx| {
        let place = crate::evidence::cell::place(&run.header, *c)?;
        bakeoff_model::boards::link::of_place(place)
    };
    let mean = |c: &CandidateIx| {
        sample::mean(&table.scores(workload, *c)).map(|y| of.metric.from_score(y))
    };
    let at_limit: Vec<f64> = compared
        .ranked
        .iter()
        .filter_map(|c| {
            let (rate, link) = (mean(c)?, carried(c)?);
            (rate >= thresholds::CEILING * link).then_some(rate)
        })
        .collect();
    let (low, high) = sample::range(at_limit.iter().copied())?;
    (at_limit.len() >= 3 && high <= low * (1.0 + thresholds::ALIKE)).then(|| {
        let evidence = format!(
            "{} candidates reach {} to {}, at least {:.0} % of the link speed",
            at_limit.len(),
            units::rate(low),
            units::rate(high),
            thresholds::CEILING * 100.0
        );
        Hit::new(evidence, "add small or flushed requests: {workload=randwrite}")
    })
}

pub const RANK_FLIP: &str = "L42";

pub fn rank_flip(of: &ComparedRun) -> Option<Hit> {
    let (run, all) = (of.run, &of.compared);
    let won: Vec<(WorkloadIx, CandidateIx)> =
        WorkloadIx::each(all).filter_map(|(w, c)| Some((w, winner(of, c)?.0))).collect();
    let first = won.first()?;
    let other = won.iter().find(|o| o.1 != first.1)?;
    let lead = |(w, winner): (WorkloadIx, CandidateIx)| {
        let ahead = all[usize::from(w)].pairs.iter().find_map(|p| {
            let certain = p.interval.filter(|i| p.a == winner && i.low > 0.0)?;
            Some(figures::lead(p.paired?.mean, certain))
        });
        let by = ahead.map(|by| format!(" ({by})")).unwrap_or_default();
        format!("{}{by}", run.header.workloads[w].name)
    };
    let evidence = format!(
        "{} is fastest for {}, {} for {}",
        name(run, first.1),
        lead(*first),
        name(run, other.1),
        lead(*other)
    );
    let advice = "choose by your workload; bakeoff show last names the winner for each";
    Some(Hit::new(evidence, advice))
}

#[derive(Clone, Copy, Debug)]
pub struct WinnerIn<'a> {
    pub winner: &'a str,
    pub run: &'a str,
}

pub fn winners_differ(header: &Header, workload: &str, [a, b]: [WinnerIn; 2]) -> Finding {
    let evidence = format!("{} is fastest in {}, {} in {}", a.winner, a.run, b.winner, b.run);
    let advice = "choose by the setting that you use; a winner is valid for its own setting only";
    let hit = Hit { workload: Some(workload.to_string()), ..Hit::new(evidence, advice) };
    hit.finding(header, RANK_FLIP)
}

pub fn contradiction(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let stack = |c: CandidateIx| of.run.header.candidates[c].stack();
    let pair = compared.pairs.iter().find(|p| {
        let certain = p.interval.is_some_and(|i| i.low > 0.0);
        let adds = stack(p.a).zip(stack(p.b)).is_some_and(|(a, b)| adds_to(a, b));
        certain && adds
    })?;
    let lead = libm::expm1(pair.paired?.mean) * 100.0;
    let evidence = format!(
        "{} is {lead:.1} % faster than {}, the same stack without the layer",
        name(of.run, pair.a),
        name(of.run, pair.b)
    );
    let advice = "an uncontrolled factor affects the result: measure again with {mode=precise}";
    Some(Hit::new(evidence, advice))
}

/// Whether `a` is `b` with encryption or a logical volume added, and nothing else changed.
fn adds_to(a: &Stack, b: &Stack) -> bool {
    let more = (a.crypt.is_some() && b.crypt.is_none()) || (a.lvm && !b.lvm);
    let mut bare = a.clone();
    if b.crypt.is_none() {
        bare.crypt = None;
    }
    if !b.lvm {
        bare.lvm = false;
    }
    more && bare == *b
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::session::{at, has, noise};
    use crate::testing::RunBuilder;
    use bakeoff_model::candidate::{Crypt, Kind};

    #[test]
    fn l41_three_at_the_link_and_two() {
        let run = |rates: &'static [f64]| {
            let mut builder = RunBuilder::directories(&["/a", "/b", "/c"]).workloads(&["seqread"]);
            for i in 0..3 {
                builder = builder.place(i, |p| p.chain[1].link = Some("USB 480 Mb/s".into()));
            }
            builder.play(5, at(rates)).build()
        };
        assert!(has("L41", &run(&[52e6, 52.2e6, 52.1e6])));
        assert!(!has("L41", &run(&[52e6, 52.2e6, 45e6])) && !has("L41", &run(&[40e6; 3])));
    }

    #[test]
    fn l42_another_winner_on_another_workload() {
        let run = |second: f64| {
            let rate = move |b, c: u16, w: u16| {
                let fast = [[1.0, 1.3], [1.0, second]][usize::from(w)][usize::from(c)];
                1e4 * fast * libm::exp(noise(b, c, w))
            };
            RunBuilder::stacks(&["a", "b"])
                .workloads(&["randwrite", "randread"])
                .play(5, rate)
                .build()
        };
        assert!(has("L42", &run(0.7)) && !has("L42", &run(1.4)));
    }

    #[test]
    fn l43_encryption_that_makes_it_faster() {
        let run = |encrypted: f64| {
            let rate = move |b, c: u16, w| {
                1000.0 * if c == 1 { encrypted } else { 1.0 } * libm::exp(noise(b, c, w))
            };
            let builder = RunBuilder::stacks(&["ext4", "ext4, LUKS"]).header(|h| {
                let Kind::Stack(stack) = &mut h.candidates[1].kind else { panic!("a stack") };
                stack.crypt = Some(Crypt {
                    kind: "luks2".to_string(),
                    cipher: "aes-xts-plain64".to_string(),
                    key_bits: 512,
                    sector_size: Some(4096),
                    no_read_workqueue: false,
                    no_write_workqueue: false,
                });
            });
            builder.play(5, rate).build()
        };
        assert!(has("L43", &run(1.12)) && !has("L43", &run(0.7)) && !has("L43", &run(1.0)));
    }
}
