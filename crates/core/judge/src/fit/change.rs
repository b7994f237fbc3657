//! Whether a drive changed for certain since earlier checks of the same need.

use bakeoff_model::fit::FitRating;

/// What one check found, for the checks after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastFit {
    /// When it was, nanoseconds since 1970.
    pub unix_ns: i64,
    /// In the unit of the need, above 0.
    pub estimate: f64,
}

/// A change that chance does not explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CertainChange {
    /// The figure of now in units of that of before: estimate, and the ends of its interval.
    pub ratio: [f64; 3],
    /// Checks that it was compared with.
    pub earlier: u32,
}

impl PastFit {
    /// `None` where the check found no figure.
    pub fn new(unix_ns: i64, rating: &FitRating) -> Option<PastFit> {
        let estimate = rating.estimate.filter(|figure| *figure > 0.0)?;
        Some(PastFit { unix_ns, estimate })
    }
}

/// Judges the latest of these checks, which are in the order of time and of one need on one place.
pub fn certain_change(_checks: &[PastFit]) -> Option<CertainChange> {
    None
}
