//! What limits a published comparison as a whole: its table with the facts that its page states.

#[cfg(test)]
mod tests;

use super::Imported;
use crate::rules;
pub use crate::study::facts;
use facts::Facts;

impl Imported {
    /// The same, judged as one comparison with what is stated beside it.
    pub fn judged(mut self, facts: &Facts) -> Imported {
        self.findings = rules::study(&self, facts);
        self
    }
}
