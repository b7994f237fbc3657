//! `[protocol.thresholds]`: thresholds at which rules fire, for those who know better than the
//! defaults. Keys are the fields of [`Thresholds`], as a record has them (docs/format.md).

use toml::de::DeTable;

use super::error::PlanError;
use super::read::{Entry, Source, fraction};
use crate::model::thresholds::Thresholds;

/// What a setting is, and where it is kept.
#[derive(Clone, Copy)]
enum Setting {
    /// A share of 1, up to the most that makes sense.
    Share(f64, fn(&mut Thresholds) -> &mut f64),
    Bytes(fn(&mut Thresholds) -> &mut u64),
    Count(fn(&mut Thresholds) -> &mut u64),
    Times(fn(&mut Thresholds) -> &mut f64),
}
use Setting::{Bytes, Count, Share, Times};

const SETTINGS: [(&str, Setting); 24] = [
    ("overlap", Share(1.0, |t| &mut t.overlap)),
    ("gradient", Share(1.0, |t| &mut t.gradient)),
    ("allocation_unit_bytes", Bytes(|t| &mut t.allocation_unit_bytes)),
    ("cache_fall", Share(1.0, |t| &mut t.cache_fall)),
    ("change_penalty", Times(|t| &mut t.change_penalty)),
    ("media_cache_bytes", Bytes(|t| &mut t.media_cache_bytes)),
    ("span", Share(1.0, |t| &mut t.span)),
    ("covered", Share(1.0, |t| &mut t.covered)),
    ("flushing", Share(1.0, |t| &mut t.flushing)),
    ("random_block_bytes", Bytes(|t| &mut t.random_block_bytes)),
    ("random_blocks", Count(|t| &mut t.random_blocks)),
    ("small_block_bytes", Bytes(|t| &mut t.small_block_bytes)),
    ("sentinel", Share(1.0, |t| &mut t.sentinel)),
    ("correlation", Share(1.0, |t| &mut t.correlation)),
    ("alike", Share(1.0, |t| &mut t.alike)),
    ("ceiling", Share(1.0, |t| &mut t.ceiling)),
    ("stall", Times(|t| &mut t.stall)),
    ("watching", Share(1.0, |t| &mut t.watching)),
    ("foreign", Share(1.0, |t| &mut t.foreign)),
    ("foreign_cpu", Share(1.0, |t| &mut t.foreign_cpu)),
    ("clock_fall", Share(1.0, |t| &mut t.clock_fall)),
    ("cool_within_c", Count(|t| &mut t.cool_within_c)),
    ("cool_limit_s", Count(|t| &mut t.cool_limit_s)),
    ("tool", Share(1.0, |t| &mut t.tool)),
];

pub(super) fn thresholds(source: &Source, table: &DeTable) -> Result<Thresholds, PlanError> {
    let mut made = Thresholds::default();
    for entry in source.entries(table, "[protocol.thresholds]", &SETTINGS.map(|(key, _)| key))? {
        let Some((_, setting)) = SETTINGS.iter().find(|(key, _)| *key == entry.key) else {
            continue;
        };
        set(source, &entry, *setting, &mut made)?;
    }
    Ok(made)
}

fn set(
    source: &Source,
    entry: &Entry<'_, '_>,
    setting: Setting,
    made: &mut Thresholds,
) -> Result<(), PlanError> {
    let (key, value) = (entry.key, entry.value);
    match setting {
        Share(most, of) => *of(made) = fraction(source, key, value, 0.0, most)?,
        Bytes(of) => *of(made) = source.size(key, value)?,
        Count(of) => *of(made) = source.number(key, value, 0..=1 << 40)?,
        Times(of) => *of(made) = source.number(key, value, 2..=1_000_000)? as f64,
    }
    Ok(())
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
        let mut fields: Vec<&String> = fields.as_object().unwrap().keys().collect();
        let mut keys = SETTINGS.map(|(key, _)| key.to_string());
        fields.sort();
        keys.sort();
        assert_eq!(fields, keys.iter().collect::<Vec<_>>());
        for (key, _) in SETTINGS {
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
