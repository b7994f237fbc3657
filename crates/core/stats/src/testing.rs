//! What other programs answer to the same questions: fixtures/stats/statistics.json, written by
//! fixtures/stats/statistics.py with their versions.

use serde::Deserialize;

/// One field a statistic; each case is its input followed by the answer.
#[derive(Deserialize)]
pub struct Fixture {
    pub paired: Vec<(Vec<f64>, f64, f64, f64)>,
    pub spearman: Vec<(Vec<f64>, Vec<f64>, f64, f64)>,
    pub steady_state: Vec<(Vec<f64>, f64, f64)>,
    pub change_points: Vec<(Vec<f64>, f64, f64, Vec<usize>)>,
    /// Looks, alpha of each, simulated runs of two equals, those with a false winner at any look.
    pub looks: Vec<(Vec<u32>, f64, u32, u32)>,
}

pub fn fixture() -> Fixture {
    let text = include_str!("../../../../fixtures/stats/statistics.json");
    serde_json::from_str(text).unwrap()
}
