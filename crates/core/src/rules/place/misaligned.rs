//! L03 misaligned: a partition of a card or stick is not aligned to the allocation unit.

use std::collections::BTreeSet;

use super::{drive, is_hard_disk};
use crate::evidence::rule::{CLAIMS, Check, E, Rule, W, When};
use crate::evidence::{finding, of_study};
use crate::model::design::Design;
use crate::model::finding::Finding;
use crate::model::host::Place;
use crate::model::thresholds::Thresholds;
use crate::study::Study;
use crate::units;

pub static RULE: Rule = Rule {
    id: "L03",
    slug: "misaligned",
    when: &[When::Plan, When::Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a partition of a card or stick is not aligned to the allocation unit",
    explain: "Cards and sticks erase in units of several MiB, usually 4 MiB. In one study the \
        partition without a journal began 3 MiB past such a boundary and the one with a journal \
        exactly on one, so the two differed in more than the journal. To list where \
        partitions begin, run sfdisk --dump.",
    checks: &[Check::Place(in_plan), Check::Study(in_study)],
};

/// L03: only flash behind a controller of its own erases in units that partitions can miss.
fn in_plan(design: Design<'_>, place: &Place) -> Option<Finding> {
    let drive = drive(place)?;
    let is_flash = matches!(drive.bus.as_deref(), Some("mmc" | "usb")) && !is_hard_disk(drive);
    let unit = design.protocol.thresholds.allocation_unit_bytes;
    let partition = place.partition()?;
    let start = partition.start_bytes?;
    let off = start % unit.max(1);
    (is_flash && off != 0).then(|| {
        let evidence = format!(
            "{} begins at {}, {} past a multiple of {}",
            partition.name,
            units::size(start),
            units::size(off),
            units::size(unit)
        );
        let advice = "align partitions to multiples of 4 MiB (in sfdisk: a start of 4MiB)";
        finding(design, &RULE, evidence, advice)
    })
}

fn in_study(study: &Study) -> Option<Finding> {
    let starts = study.starts();
    let unit = Thresholds::default().allocation_unit_bytes as f64;
    let advice = "Start partitions at multiples of 4 MiB, and state where they start.";
    for (device, of) in &starts {
        let off = |start: &f64| start % unit;
        let exact = of.values().filter(|start| *start % 512.0 == 0.0);
        let off: BTreeSet<u64> = exact.map(|start| off(start) as u64).collect();
        // Offsets that a tool rounded to MB or GB say nothing about alignment.
        let is_exact = of.values().all(|start| start % 512.0 == 0.0 && start % 1e5 != 0.0);
        if study.facts.is_media(device, "flash") && is_exact && off.len() > 1 {
            let list: Vec<String> = off.iter().map(|bytes| units::size(*bytes)).collect();
            let evidence = format!("partitions start {} past a 4 MiB boundary", list.join(" and "));
            return Some(of_study(&RULE, evidence, advice));
        }
    }
    let slots = study.facts.get("slots")?;
    let is_silent = starts.is_empty() && study.facts.is_media(&slots.device, "flash");
    let evidence = || format!("{}; their start is not stated", slots.says);
    is_silent.then(|| of_study(&RULE, evidence(), advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires, places};

    #[test]
    fn l03_a_card_partitioned_at_one_mebibyte_and_at_four() {
        let start = |bytes: u64, bus: &'static str| {
            places(|p| {
                disk_of(p).bus = Some(bus.to_string());
                p.chain[0].start_bytes = Some(bytes);
            })
        };
        assert!(fires("L03", &start(1 << 20, "mmc")));
        assert!(!fires("L03", &start(4 << 20, "mmc")) && !fires("L03", &start(1 << 20, "nvme")));
    }
}
