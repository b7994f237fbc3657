//! The promises of the protocol, on few runs; docs/truth.md has them on many.

use super::*;

/// The most runs that 5 % gives in `runs`, with 99.9 % certainty (normal approximation).
fn at_most_five_percent(runs: u32) -> u32 {
    let n = f64::from(runs);
    libm::ceil(0.05 * n + 3.1 * libm::sqrt(0.05 * 0.95 * n)) as u32
}

fn named(part: &str, k: usize, w: usize) -> Scenario {
    let is_it = |s: &Scenario| s.name.contains(part) && s.disk.means.len() == k && s.workloads == w;
    catalogue::all().into_iter().find(is_it).expect("a scenario of that name")
}

#[test]
fn identical_candidates_seldom_get_a_winner() {
    let mut scenarios: Vec<(Scenario, u32)> = catalogue::all()
        .into_iter()
        .filter(|s| s.name.starts_with("identical") && s.disk.own.is_none() && s.workloads == 1)
        .map(|s| {
            let runs = 200 / s.disk.means.len() as u32;
            (s, runs)
        })
        .collect();
    assert!(scenarios.len() >= 10);
    scenarios.push((named("drift and common waves", 2, 6), 40));
    for (scenario, runs) in scenarios {
        let seen = scenario.play(runs, 1).unwrap();
        let most = at_most_five_percent(runs);
        assert!(seen.false_beats <= most && seen.false_headline <= most, "{seen:?}");
        assert_eq!(seen.right_winner, 0, "nobody is ahead: {seen:?}");
        let said = seen.false_beats + seen.ties + seen.not_resolved + seen.refused;
        assert_eq!(said, runs, "{seen:?}");
    }
}

#[test]
fn six_percent_at_two_percent_noise_is_found_in_a_third_of_the_cells() {
    for (name, k, runs) in [("6 % ahead", 2, 150), ("6 % ahead of three", 4, 80)] {
        let seen = named(name, k, 1).play(runs, 2).unwrap();
        assert!(seen.share(seen.right_winner) >= 0.95, "{seen:?}");
        assert!(seen.share(seen.coverage) >= 0.94, "{seen:?}");
        assert!(seen.cells_used * 3.0 <= seen.cells_fixed_design, "{seen:?}");
    }
    let seven = named("6 % ahead of seven", 8, 1).play(30, 2).unwrap();
    assert!(seven.cells_used <= 0.4 * seven.cells_fixed_design, "{seven:?}");
}

#[test]
fn a_lead_on_four_workloads_is_found_and_takes_less_than_half_of_the_cells() {
    for (name, k, runs) in [("6 % ahead, on every", 2, 60), ("three, on every", 4, 30)] {
        let seen = named(name, k, 4).play(runs, 2).unwrap();
        assert!(seen.share(seen.right_winner) >= 0.9, "{seen:?}");
        assert!(seen.cells_used <= 0.5 * seen.cells_fixed_design, "{seen:?}");
    }
}

#[test]
fn one_that_wanders_is_seldom_ranked_where_several_workloads_show_it() {
    let wave = named("one wanders by 10 % (lag-1 0.8)", 4, 4).play(40, 3).unwrap();
    assert!(wave.share(wave.refused) > 0.7, "{wave:?}");
    assert!(wave.share(wave.refused + wave.not_resolved) > 0.85, "{wave:?}");
    let wave = named("one wanders by 10 % (lag-1 0.8), all 27", 2, 1).play(150, 3).unwrap();
    assert!(wave.share(wave.refused) > 0.8, "{wave:?}");
    let quiet = named("quiet", 2, 1).play(150, 3).unwrap();
    assert!(quiet.share(quiet.refused) < 0.05, "{quiet:?}");
}

#[test]
fn a_leader_of_equals_is_found_in_a_third_of_the_cells() {
    let seen = named("6 % ahead of three equals", 4, 1).play(120, 2).unwrap();
    assert!(seen.share(seen.right_winner) >= 0.95, "{seen:?}");
    assert!(seen.cells_used <= 0.35 * seen.cells_fixed_design, "{seen:?}");
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    let scenario = named("quick: 25", 3, 1);
    let play = |seed| scenario.play(20, seed).unwrap();
    assert_eq!(play(7), play(7));
    assert_ne!(play(7).cells_used.to_bits(), 0);
    assert!(play(7).right_winner >= 18, "{:?}", play(7));
}
