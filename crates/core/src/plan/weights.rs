//! `[protocol.weights]`: how much each workload counts in the recommendation.

use super::error::PlanError;
use super::read::Field;
use crate::model::path::printable;
use crate::model::protocol::Weight;

/// Smallest and largest weight: beyond it one workload alone decides.
const LEAST: f64 = 0.01;
const MOST: f64 = 100.0;

/// Reads the table, in the order of its lines.
pub(super) fn weights(field: &Field) -> Result<Vec<Weight>, PlanError> {
    let mut made = Vec::new();
    for (key, value) in field.table("a table of weights: { randread = 2 }")? {
        let whole = value.get_ref().as_integer().map(|number| number.as_str());
        let digits = whole.or(value.get_ref().as_float().map(|number| number.as_str()));
        let number = digits.and_then(|digits| digits.parse::<f64>().ok());
        let weight = number.filter(|weight| (LEAST..=MOST).contains(weight));
        let shown = printable(key.get_ref().as_bytes());
        let weight = weight.ok_or_else(|| {
            let what = format!(
                "the weight of {shown} must be a number between {LEAST} and {MOST}, such \
                         as 2.5"
            );
            field.source.error(value.span(), what)
        })?;
        made.push((key.span().start, Weight { workload: key.get_ref().to_string(), weight }));
    }
    made.sort_by_key(|(start, _)| *start);
    Ok(made.into_iter().map(|(_, weight)| weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::parse;

    fn read(lines: &str) -> Result<Vec<Weight>, String> {
        let text = format!(
            "title = \"t\"\n[[stack]]\nfs = \"ext4\"\n[[workload]]\nname = \"seqread\"\n\
             [protocol]\n{lines}"
        );
        let plan = parse(&text, "t").map_err(|error| error.to_string())?;
        Ok(plan.protocol.protocol(2).weights)
    }

    #[test]
    fn weights_are_read_in_the_order_of_their_lines() {
        let read = read("weights = { randread = 3, \"my job\" = 0.5 }").unwrap();
        let weight = |workload: &str, weight| Weight { workload: workload.to_string(), weight };
        assert_eq!(read, [weight("randread", 3.0), weight("my job", 0.5)]);
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for value in ["0", "-1", "\"3\"", "1e9", "nan", "true"] {
            let error = read(&format!("weights = {{ seqread = {value} }}")).unwrap_err();
            assert!(error.contains("the weight of seqread must be a number"), "{error}");
        }
        assert!(read("weights = 3").unwrap_err().contains("table"));
    }
}
