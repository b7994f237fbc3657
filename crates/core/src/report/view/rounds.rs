//! Mode characterise: the figure of every round, rounded for people, and which five count.

use crate::model::verdict::Rounds;
use crate::phrases;
use crate::report::round;
use crate::stats::steady_state::ROUNDS;

#[derive(Clone, Debug, PartialEq)]
pub struct RoundsView {
    /// The figure of each, in the question's unit; `-` where its cell was thrown away.
    pub figures: Vec<String>,
    pub numbers: Vec<Option<f64>>,
    /// First and last round that the figure is taken from, from 1.
    pub window: (u32, u32),
    pub is_steady: bool,
    pub word: &'static str,
    /// "rounds 4 to 8 range over 6 % of their mean, their trend is 2 %".
    pub spread: Option<String>,
}

impl RoundsView {
    /// Rounds and words them; `scale` is one of the question's unit.
    pub fn new(of: &Rounds, scale: f64) -> RoundsView {
        let say = |figure: &Option<f64>| match figure {
            Some(figure) => round::to_support(figure / scale, None),
            None => "-".to_string(),
        };
        RoundsView {
            figures: of.figures.iter().map(say).collect(),
            numbers: of.figures.iter().map(|f| f.map(|f| f / scale)).collect(),
            window: of.window(),
            is_steady: of.is_steady,
            word: of.word(),
            spread: of.spread(),
        }
    }

    /// Whether the round, from 1, is among those that the figure is taken from.
    pub fn counts(&self, number: usize) -> bool {
        (self.window.0 as usize..=self.window.1 as usize).contains(&number)
    }

    /// "300 250 140 | 110 101 100 99 100; the five after the bar are steady".
    pub fn line(&self) -> String {
        let at = self.figures.len().saturating_sub(ROUNDS);
        let (before, last) = self.figures.split_at(at);
        let bar = if before.is_empty() { "" } else { " | " };
        let figures = format!("{}{bar}{}", before.join(" "), last.join(" "));
        let which = match (last.len(), before.is_empty()) {
            (0..ROUNDS, _) => {
                return format!("{figures} ({} of 5)", phrases::count(last.len(), "round"));
            }
            (_, true) => "they",
            (_, false) => "the five after the bar",
        };
        format!("{figures} ({which} are {})", self.word)
    }
}
