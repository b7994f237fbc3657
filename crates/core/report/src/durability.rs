//! What became of acknowledged writes, for people and for programs.

use serde_json::Value;

use super::document::Document;
use bakeoff_model::acks::{Durability, LOST_MAX};
use bakeoff_stats::units;

/// `bakeoff/kept/1`.
pub fn durability_json(kept: &Durability) -> Value {
    // The only ways to fail are a key that is no string and a writer that fails; there are none.
    serde_json::to_value(kept).unwrap_or(Value::Null)
}

pub fn durability_document(kept: &Durability) -> Document {
    let blocks = format!("{} blocks of {}", kept.blocks, units::block_size(kept.bs));
    let mut out = Document::default();
    out.headline(match (kept.blocks, kept.is_all()) {
        (0, _) => "No write was acknowledged, so there is nothing to check.".to_string(),
        (_, true) => format!("All acknowledged writes are intact: {blocks} checked."),
        (_, false) => format!(
            "{} of {blocks} have lost an acknowledged write. Do not trust this storage: it \
             acknowledges writes that it has not stored.",
            kept.missing + kept.torn + kept.stale
        ),
    });
    out.gap();
    out.rows(counts(kept));
    out.gap();
    for lost in &kept.lost {
        out.bullet(format!(
            "{}: operation {} of lane {} at byte {}; {}",
            lost.loss.word(),
            lost.operation,
            lost.lane,
            lost.offset,
            lost.found
        ));
    }
    if kept.missing + kept.torn + kept.stale > LOST_MAX as u64 {
        out.line(1, format!("(the first {LOST_MAX})"));
    }
    out
}

/// Blocks by what they contain, and the acknowledged operations.
fn counts(kept: &Durability) -> Vec<(String, String)> {
    let counts = [
        (kept.whole, "whole", "contain the last acknowledged write"),
        (kept.newer, "newer", "contain a later write whose flush had not returned"),
        (kept.unfinished, "unfinished", "contain parts of it and of a later, unacknowledged write"),
        (kept.missing, "missing", "contain none of it"),
        (kept.torn, "torn", "contain a part of it and older data"),
        (kept.stale, "stale", "contain an older write"),
    ];
    let of_blocks = counts.into_iter().filter(|(count, ..)| *count > 0);
    let row = |(count, name, meaning): (u64, &str, &str)| {
        (name.to_string(), format!("{count} {meaning}"))
    };
    let acked = ("acked".to_string(), format!("{} operations", kept.acknowledged_ios));
    of_blocks.map(row).chain([acked]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::acks::{Loss, Lost};

    #[test]
    fn losses_are_told_with_their_place() {
        let mut kept =
            Durability { acknowledged_ios: 40, blocks: 30, bs: 4096, ..Durability::default() };
        assert!(
            durability_document(&kept)
                .text(80, false)
                .starts_with("All acknowledged writes are intact: 30 blocks of 4k")
        );
        for loss in [Loss::Missing, Loss::Torn, Loss::Stale] {
            let found = "zeros are there".to_string();
            kept.lose(Lost { offset: 8192, lane: 0, operation: 7, loss, found });
        }
        let text = durability_document(&kept).text(80, false);
        assert!(text.starts_with("3 of 30 blocks of 4k have lost"), "{text}");
        assert!(text.contains("- torn: operation 7 of lane 0 at byte 8192; zeros are"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(
            durability_document(&Durability::default())
                .text(80, false)
                .starts_with("No write was acknowledged")
        );
    }
}
