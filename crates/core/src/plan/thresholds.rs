//! `[protocol.thresholds]`: thresholds at which rules fire, for those who know better than the
//! defaults. Keys are the fields of [`Thresholds`], as a record has them (docs/format.md).

use super::error::PlanError;
use super::read::Field;
use crate::model::thresholds::Thresholds;

pub(super) fn thresholds(field: &Field) -> Result<Thresholds, PlanError> {
    let table = field.table("a table of thresholds: { foreign = \"10%\" }")?;
    let unread = |error: serde_json::Error| field.error(error.to_string());
    let mut made = serde_json::to_value(Thresholds::default()).map_err(unread)?;
    let defaults = made.clone();
    let keys = defaults.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    for field in field.source.fields(table, "[protocol.thresholds]", &keys.collect::<Vec<_>>())? {
        made[field.key] = match field.key {
            "change_penalty" | "stall" => f64::from(field.number(2..=1_000_000_u32)?).into(),
            key if defaults[key].is_f64() => field.fraction(0.0, 1.0)?.into(),
            key if key.ends_with("_bytes") => field.size()?.into(),
            _ => field.number(0..=1_u64 << 40)?.into(),
        };
    }
    serde_json::from_value(made).map_err(unread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::parse;

    fn read(lines: &str) -> Result<Thresholds, String> {
        let text = format!(
            "title = \"t\"\n[[stack]]\nfs = \"ext4\"\n[[workload]]\nname = \"seqread\"\n\
             [protocol]\nmode = \"decide\"\n{lines}"
        );
        let plan = parse(&text, "t").map_err(|error| error.to_string())?;
        Ok(plan.protocol.protocol(2).thresholds)
    }

    #[test]
    fn what_a_plan_sets_is_what_rules_use_and_the_rest_stays() {
        let set = read("[protocol.thresholds]\nforeign = \"20%\"\nstall = 30\n").unwrap();
        let wanted = Thresholds { foreign: 0.20, stall: 30.0, ..Thresholds::default() };
        assert_eq!(set, wanted);
        let inline = read("thresholds = { allocation_unit_bytes = \"8m\", overlap = 0.5 }");
        let inline = inline.unwrap();
        assert_eq!((inline.allocation_unit_bytes, inline.overlap), (8 << 20, 0.5));
        assert_eq!(read("").unwrap(), Thresholds::default());
    }

    #[test]
    fn every_field_can_be_set_and_no_other() {
        let fields = serde_json::to_value(Thresholds::default()).unwrap();
        for key in fields.as_object().unwrap().keys() {
            let plain = read(&format!("thresholds = {{ {key} = \"99%\" }}"));
            let sized = read(&format!("thresholds = {{ {key} = 7777 }}"));
            let changed = [plain, sized].into_iter().flatten().any(|t| t != Thresholds::default());
            assert!(changed, "{key}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_word_that_was_meant() {
        let told = |lines| read(lines).unwrap_err();
        assert!(told("thresholds = { foriegn = 0.1 }").contains("did you mean 'foreign'"));
        assert!(told("thresholds = { foreign = 1.5 }").contains("foreign must be a fraction"));
        assert!(
            told("thresholds = { stall = 1 }").contains("at least 2")
                || told("thresholds = { stall = 1 }").contains("between 2")
        );
        assert!(told("thresholds = 3").contains("table"));
    }
}
