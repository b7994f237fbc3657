//! What other programs answer to the same questions: fixtures/stats/statistics.json, written by
//! fixtures/stats/statistics.py with their versions.

use serde::Deserialize;

/// One field a statistic; each case is its input followed by the answer.
#[derive(Deserialize)]
pub struct Fixture {
    pub paired: Vec<(Vec<f64>, f64, f64, f64)>,
    pub hodges_lehmann: Vec<(Vec<f64>, f64, f64, f64, f64)>,
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

/// What statsmodels and SciPy answer about effects over boards: fixtures/stats/boards.json, written
/// by fixtures/stats/boards.py with their versions.
#[derive(Deserialize)]
pub struct Boards {
    pub chi_squared: Vec<(f64, f64, f64)>,
    pub random_effects: Vec<RandomEffects>,
}

/// Effects with their variances, and what follows by Paule and Mandel.
#[derive(Deserialize)]
pub struct RandomEffects {
    pub effects: Vec<f64>,
    pub variances: Vec<f64>,
    pub tau2: f64,
    pub mean: f64,
    pub i_squared: f64,
    /// Standard error of Hartung, Knapp, Sidik and Jonkman, with their scale below 1 as well.
    pub standard_error_hksj: f64,
    pub hksj_scale: f64,
}

pub fn boards() -> Boards {
    let text = include_str!("../../../../fixtures/stats/boards.json");
    serde_json::from_str(text).unwrap()
}
