//! What other programs answer to the same questions: fixtures/stats/statistics.json, written by
//! fixtures/stats/statistics.py with their versions.

use serde::Deserialize;

/// One field a statistic; each case is its input followed by the answer.
#[derive(Deserialize)]
pub struct Fixture {
    /// Differences, alpha, low, high.
    pub paired: Vec<(Vec<f64>, f64, f64, f64)>,
    /// Differences, alpha, estimate, low, high.
    pub hodges_lehmann: Vec<(Vec<f64>, f64, f64, f64, f64)>,
    /// x, y, rho, p.
    pub spearman: Vec<(Vec<f64>, Vec<f64>, f64, f64)>,
    /// Rounds, range, slope.
    pub steady_state: Vec<(Vec<f64>, f64, f64)>,
    /// Values, sigma, penalty, ends of the segments.
    pub change_points: Vec<(Vec<f64>, f64, f64, Vec<usize>)>,
    /// Own values, those of the others, p.
    pub own_noise: Vec<(Vec<f64>, Vec<Vec<f64>>, f64)>,
    /// Looks, alpha of each, simulated runs of two equals, those with a false winner at any look.
    pub looks: Vec<(Vec<u32>, f64, u32, u32)>,
}

/// The answers.
pub fn fixture() -> Fixture {
    let text = include_str!("../../../../fixtures/stats/statistics.json");
    serde_json::from_str(text).unwrap()
}
