//! The words of runs in which every pair is judged, those of version 0.1, and of a candidate that
//! is measured alone. The words of a lead are those of [`super::answer`].

mod advice;
mod headline;
mod sentence;

#[cfg(test)]
mod tests;

pub use advice::lines as advice;
pub use headline::text as headline;
pub use sentence::text as sentence;
