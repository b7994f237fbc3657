//! Where marks of a strip are drawn.

use super::matrix::Percent;

/// A position from 0 to 1.
pub fn at(position: &f64) -> Percent {
    Percent(position * 100.0)
}

pub fn wide(from: &f64, to: &f64) -> Percent {
    Percent((to - from) * 100.0)
}
