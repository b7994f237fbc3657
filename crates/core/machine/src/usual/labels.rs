//! What the labels of SD cards promise: `data/labels.csv`.

use bakeoff_model::normal::{Label, Test};
use bakeoff_stats::tables::Table;

const TABLE: Table<4> = Table::new(include_str!("../../data/labels.csv"));

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelPromise {
    /// `C10`, `U3`, `V30`, `A1`.
    pub class: &'static str,
    pub test: Test,
    /// At least so many bytes or operations a second.
    pub rate: f64,
    pub source: &'static str,
}

impl LabelPromise {
    pub fn bytes_per_s(&self) -> f64 {
        // An operation reads 4 KiB.
        if self.test.is_in_bytes() { self.rate } else { self.rate * 4096.0 }
    }
}

pub fn all() -> impl Iterator<Item = LabelPromise> {
    TABLE.rows().filter_map(|[class, test, rate, source]: [&'static str; 4]| {
        let (test, rate): (Test, f64) = (test.parse().ok()?, rate.parse().ok()?);
        let scale = if test.is_in_bytes() { 1e6 } else { 1.0 };
        Some(LabelPromise { class, test, rate: rate * scale, source })
    })
}

/// The highest promise of a card's classes about a figure.
pub fn best(classes: &[String], test: Test) -> Option<Label> {
    let ours = all().filter(|of| of.test == test && classes.iter().any(|class| class == of.class));
    let best = ours.max_by(|x, y| x.rate.total_cmp(&y.rate))?;
    let (class, source) = (best.class.to_string(), best.source.to_string());
    Some(Label { class, bytes_per_s: best.bytes_per_s(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_card_promises_something() {
        assert_eq!(all().count(), TABLE.rows().count());
        let best = |classes: &[&str], test| {
            let classes: Vec<String> = classes.iter().map(|class| class.to_string()).collect();
            best(&classes, test).map(|label| (label.class, label.bytes_per_s))
        };
        for class in
            ["C2", "C4", "C6", "C10", "U1", "U3", "V6", "V10", "V30", "V60", "V90", "A1", "A2"]
        {
            assert!(best(&[class], Test::SeqWrite).is_some(), "{class}");
        }
        let all = ["C10", "U3", "V60", "A2"];
        assert_eq!(best(&all, Test::SeqWrite), Some(("V60".to_string(), 60e6)));
        assert_eq!(best(&all, Test::RandRead), Some(("A2".to_string(), 1500.0 * 4096.0)));
        assert_eq!(best(&[], Test::SeqWrite), None);
    }
}
