//! Mode characterise in words: the figure is the mean of the last five rounds, and it is called
//! steady only where SNIA's test says so. Nothing is ranked, whatever else stands beside it.

use crate::round;
use bakeoff_judge::analyse::scope;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Rounds, WorkloadVerdict};
use bakeoff_stats::phrases;
use bakeoff_stats::steady_state::ROUNDS;

/// "300 250 140 | 110 101 100 99 100 (the five after the bar are steady)".
pub fn line(rounds: &Rounds, scale: f64) -> String {
    let word = |f: &Option<f64>| f.map_or("-".to_string(), |f| round::three_digits(f / scale));
    let figures: Vec<String> = rounds.figures.iter().map(word).collect();
    let (before, last) = figures.split_at(figures.len().saturating_sub(ROUNDS));
    let bar = if before.is_empty() { "" } else { " | " };
    let which = match (last.len(), before.is_empty()) {
        (n @ 0..ROUNDS, _) => format!("{} of 5", phrases::count(n, "round")),
        (_, true) => format!("they are {}", rounds.word()),
        (_, false) => format!("the five after the bar are {}", rounds.word()),
    };
    format!("{}{bar}{} ({which})", before.join(" "), last.join(" "))
}

pub fn sentence(run: &Run, of: &Rounds, verdict: &WorkloadVerdict) -> Option<String> {
    let header = &run.header;
    let name = &header.candidates.first()?.name;
    let workload = header.workloads.iter().find(|w| w.name == verdict.workload)?;
    let (mean, (low, high)) = (of.mean?, of.edges()?);
    let say = |value| workload.metric.figure(value);
    let rounds = phrases::count(of.figures.len(), "round");
    let spread = of.spread().map(|spread| format!("; {spread}")).unwrap_or_default();
    let said = match (of.is_steady, of.is_over) {
        (true, _) => {
            format!("{name}: {} in its steady state after {rounds}{spread}", say(mean))
        }
        (false, true) => format!(
            "{name}: not steady after {rounds}, the maximum; {} to {} in the last \
             five{spread}",
            say(low),
            say(high)
        ),
        (false, false) => format!(
            "{name}: not steady so far, after {rounds}; last {} to {}{spread}",
            say(low),
            say(high)
        ),
    };
    let anew = match of.earlier {
        0 => String::new(),
        n => format!("; restarted because {} {} interrupted", phrases::count(n, "round"), {
            if n == 1 { "was" } else { "were" }
        }),
    };
    Some(format!("{said}{anew}. {}; {}.", workload.summary, scope::conditions(header)))
}

/// "ext4: randwrite 102 IOPS (steady) and randread 1.2 kIOPS (not steady)."
pub fn headline(run: &Run, verdicts: &[WorkloadVerdict]) -> String {
    let name = run.header.candidates.first().map_or("nothing", |c| c.name.as_str());
    let all = verdicts.iter().zip(&run.header.workloads).filter_map(|(verdict, workload)| {
        let rounds = verdict.rounds.as_ref()?;
        let figure = rounds.mean.map_or(String::new(), |mean| workload.metric.figure(mean) + " ");
        Some(format!("{} {figure}({})", verdict.workload, rounds.word()))
    });
    format!("{name}: {}.", phrases::list(&all.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use crate::said;
    use bakeoff_judge::analyse::{analyse, is_answered};
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::event::StopReason;
    use bakeoff_model::protocol::Mode;
    use bakeoff_model::run::Run;
    use bakeoff_model::verdict::Verdict;

    fn rate(block: u32, _: u16, workload: u16) -> f64 {
        match workload {
            0 => [300.0, 250.0, 140.0, 110.0, 101.0].get(block as usize).copied().unwrap_or(100.0),
            _ => 1000.0 * (1.0 + 0.6 * f64::from(block % 2)),
        }
    }

    fn run(most: u32) -> Run {
        let builder = RunBuilder::stacks(&["ext4"]).mode(Mode::Characterise);
        builder.workloads(&["randwrite", "randread"]).play(most, rate).build()
    }

    #[test]
    fn the_figure_is_the_mean_of_the_five_steady_rounds_and_nothing_is_claimed() {
        let run = run(99);
        let analysis = analyse(&run);
        let verdict = &analysis.verdicts[0];
        let rounds = verdict.rounds.as_ref().unwrap();
        assert_eq!((rounds.window(), rounds.figures.len(), rounds.is_steady), ((4, 8), 8, true));
        let mean = (110.0 + 101.0 + 3.0 * 100.0) / 5.0;
        assert!((rounds.mean.unwrap() - mean).abs() < 0.1, "{rounds:?}");
        // SNIA's own figures: 10 of 102.2, and the line falls by 8.2.
        assert!((rounds.range.unwrap() - 10.0 / mean).abs() < 1e-3, "{rounds:?}");
        assert_eq!(
            (verdict.standings[0].cells, verdict.standings[0].mean),
            (5, rounds.mean.unwrap())
        );
        let unsteady = analysis.verdicts[1].rounds.as_ref().unwrap();
        assert_eq!((unsteady.figures.len(), unsteady.is_steady), (25, false));
        for verdict in &analysis.verdicts {
            assert_eq!((verdict.verdict, &verdict.winner), (Verdict::Alone, &None));
            assert!(verdict.effects.is_empty());
        }
        assert!(is_answered(&run, &analysis), "there was nothing to compare");
        let said = analysis.verdicts.iter().map(|v| said::sentence(&run, v));
        let said: Vec<String> =
            std::iter::once(said::measured(&run, &analysis)).chain(said).collect();
        insta::assert_snapshot!(said.join("\n"));
    }

    #[test]
    fn the_state_so_far() {
        let said = |most| {
            let builder = RunBuilder::stacks(&["ext4"]).mode(Mode::Characterise);
            let builder = builder.workloads(&["randwrite", "randread"]).play(most, rate);
            let run = builder.stopped(StopReason::Interrupted, "").build();
            let analysis = analyse(&run);
            let sentence = said::sentence(&run, &analysis.verdicts[0]);
            format!("{}\n{sentence}", said::measured(&run, &analysis))
        };
        insta::assert_snapshot!([0, 3, 6].map(said).join("\n\n"));
    }
}
