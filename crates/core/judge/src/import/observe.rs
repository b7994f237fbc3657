//! What the figures of a table are consistent with, where each candidate had a place of its own.
//!
//! One run each is no evidence for a verdict, so these are observations with their assumption
//! beside them. The idea: a place of the drive slows down reads and writes alike, so the ratio of
//! the two on the same place has the place cancelled, and shows what the candidate itself does.

use std::collections::BTreeMap;

use bakeoff_model::path::printable;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;
use bakeoff_stats::sample;
use bakeoff_stats::units;
use bakeoff_tools::scan::result::{Imported, ToolResult};

/// Ratios closer than this are taken as alike, and reads further apart than this as different.
const ALIKE: f64 = 0.05;
const AGREE: f64 = 0.10;
const MOST_CASES: usize = 64;

pub const ASSUMPTION: &str = "Assumption: the position on the drive slows reads and writes alike. \
                              Single runs have no error bar, so these are observations, not \
                              verdicts.";

/// One candidate on one drive, read and written in order by one block size.
#[derive(Clone, Debug, Default)]
struct StudiedCandidate {
    filesystem: String,
    encryption: String,
    read: Option<f64>,
    write: Option<f64>,
}

impl StudiedCandidate {
    /// Write rate in units of the read rate on the same place.
    fn ratio(&self) -> Option<f64> {
        Some(self.write? / self.read.filter(|r| *r > 0.0)?)
    }
}

/// Every observation, in the order of the table; figures that contradict each other come last.
pub fn observations(imported: &Imported) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut cases: BTreeMap<String, Vec<StudiedCandidate>> = BTreeMap::new();
    for result in &imported.results {
        if let Some((place, filesystem, encryption)) = setting(result) {
            if !order.contains(&place) && order.len() < MOST_CASES {
                order.push(place.clone());
            }
            note(cases.entry(place).or_default(), filesystem, encryption, result);
        }
    }
    let of = |place: &String| cases.get(place).map(|c| observe(place, c)).unwrap_or_default();
    let mut all: Vec<Observed> = order.iter().flat_map(of).collect();
    all.sort_by_key(|(is_torn, _)| *is_torn);
    all.into_iter().map(|(_, text)| text).collect()
}

type Observed = (bool, String);

fn setting(result: &ToolResult) -> Option<(String, &str, &str)> {
    let of = |key: &str| result.setup.get(key).map(String::as_str);
    let bytes: u64 = of("block_size_bytes")?.parse().ok()?;
    let clean = |text: &str| printable(text.as_bytes());
    let place = format!("{}, {}, {}", clean(of("host")?), clean(of("device")?), units::size(bytes));
    Some((place, of("filesystem")?, of("encryption")?))
}

fn note(
    cases: &mut Vec<StudiedCandidate>,
    filesystem: &str,
    encryption: &str,
    result: &ToolResult,
) {
    let rate = result.metrics.iter().find(|m| m.name == "throughput").map(|m| m.value.as_f64());
    let at = cases.iter().position(|c| c.filesystem == filesystem && c.encryption == encryption);
    let at = at.unwrap_or_else(|| {
        let (filesystem, encryption) = (filesystem.to_string(), encryption.to_string());
        cases.push(StudiedCandidate { filesystem, encryption, ..StudiedCandidate::default() });
        cases.len() - 1
    });
    match result.test.as_deref() {
        Some("sequential read") => cases[at].read = cases[at].read.or(rate),
        Some("sequential write") => cases[at].write = cases[at].write.or(rate),
        _ => {}
    }
}

fn observe(place: &str, cases: &[StudiedCandidate]) -> Vec<Observed> {
    let reads: Vec<f64> = cases.iter().filter_map(|c| c.read).collect();
    let Some((low, high)) = sample::range(reads.iter().copied()) else { return Vec::new() };
    if reads.len() < 2 || high < low * (1.0 + ALIKE) {
        return Vec::new();
    }
    let mut said = Vec::new();
    for (i, a) in cases.iter().enumerate() {
        let texts = cases[i + 1..].iter().filter_map(|b| by_place(place, a, b));
        said.extend(texts.map(|text| (false, text)));
    }
    said.extend(by_encryption(place, cases));
    said
}

fn by_place(place: &str, a: &StudiedCandidate, b: &StudiedCandidate) -> Option<String> {
    if a.encryption != b.encryption || a.filesystem == b.filesystem {
        return None;
    }
    let (x, y) = (a.ratio()?, b.ratio()?);
    let (slow, fast, s, f) = if a.read? < b.read? { (a, b, x, y) } else { (b, a, y, x) };
    let (read, write) = (1.0 - slow.read? / fast.read?, 1.0 - slow.write? / fast.write?);
    let is_alike = (s / f - 1.0).abs() <= ALIKE;
    (read > ALIKE && is_alike).then(|| {
        format!(
            "{place}: {} reads {:.0} % and writes {:.0} % slower than {}, but at their own \
             positions both have about the same ratio of write to read speed ({s:.2} and {f:.2}): \
             position alone can explain the difference.",
            name(slow),
            read * 100.0,
            write * 100.0,
            name(fast)
        )
    })
}

fn name(case: &StudiedCandidate) -> String {
    let filesystem = printable(case.filesystem.as_bytes());
    match case.encryption.as_str() {
        "none" | "" => filesystem,
        layer => format!("{filesystem} on {}", printable(layer.as_bytes()).to_uppercase()),
    }
}

/// What encryption costs writes: against reads of the same place, and against what the filesystem
/// without it writes of its reads.
fn by_encryption(place: &str, cases: &[StudiedCandidate]) -> Vec<Observed> {
    let layers = cases.iter().map(|c| c.encryption.as_str()).filter(|e| *e != "none");
    let layers = distinct::sorted(layers);
    let of = |layer: &&str| {
        let mut costs = Vec::new();
        let mut names = Vec::new();
        for with in cases.iter().filter(|c| c.encryption == **layer) {
            let bare =
                cases.iter().find(|c| c.encryption == "none" && c.filesystem == with.filesystem)?;
            costs.extend([1.0 - with.ratio()?, 1.0 - with.ratio()? / bare.ratio()?]);
            names.push(printable(with.filesystem.as_bytes()));
        }
        let (low, high) = sample::range(costs)?;
        let layer = printable(layer.as_bytes()).to_uppercase();
        let (low_p, high_p, middle) = (low * 100.0, high * 100.0, (low + high) * 50.0);
        if high < ALIKE {
            return None;
        }
        let is_torn = high - low > AGREE;
        let text = if !is_torn {
            format!(
                "{place}: the cost of {layer} for writes on {} is consistent with about \
                 {middle:.0} % ({low_p:.0} to {high_p:.0} % without the effect of the position).",
                phrases::list(&names)
            )
        } else {
            format!(
                "{place}: the cost of {layer} for writes on {} would be {low_p:.0} to {high_p:.0} \
                 %: the figures contradict each other, so another factor affected them.",
                phrases::list(&names)
            )
        };
        Some((is_torn, text))
    };
    layers.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import;

    /// A table of four candidates on four places: `(filesystem, encryption, read, write)`.
    fn table(rows: &[(&str, &str, f64, f64)]) -> Vec<String> {
        let mut text = String::from(
            "study,source_line,host,device,filesystem,encryption,journal,scheduler,tool,test,\
             block_size_bytes,metric,value,unit,note\n",
        );
        for (fs, layer, read, write) in rows {
            for (test, value) in [("sequential read", read), ("sequential write", write)] {
                text += &format!(
                    "x,1,pi,drive,{fs},{layer},,,fio,{test},4194304,throughput,{value},MB/s,\n"
                );
            }
        }
        observations(&import::all(text.as_bytes()))
    }

    #[test]
    fn a_penalty_that_the_place_explains_and_one_that_it_does_not() {
        let place = table(&[("ext4", "none", 120.0, 122.0), ("btrfs", "none", 90.0, 92.0)]);
        assert_eq!(place.len(), 1);
        assert!(place[0].contains("position alone can explain the difference"), "{place:?}");
        let own = table(&[("ext4", "none", 120.0, 122.0), ("btrfs", "none", 90.0, 60.0)]);
        assert!(own.is_empty(), "{own:?}");
        let ceiling = table(&[("ext4", "none", 159.0, 27.0), ("btrfs", "none", 159.0, 26.0)]);
        assert!(ceiling.is_empty(), "reads that do not differ say nothing about places");
    }

    #[test]
    fn the_cost_of_a_layer_is_told_where_two_estimates_agree() {
        let rows = [("xfs", "none", 100.0, 100.0), ("xfs", "luks", 80.0, 60.0)];
        let said = table(&rows);
        assert!(said[0].contains("about 25 %"), "{said:?}");
        let torn = [("xfs", "none", 100.0, 80.0), ("xfs", "luks", 80.0, 60.0)];
        assert!(table(&torn)[0].contains("contradict"), "{:?}", table(&torn));
    }

    #[test]
    fn the_published_penalty_of_btrfs_is_one_of_position_and_luks_costs_writes_29_percent() {
        let table = include_str!("../../../../../fixtures/studies/luks-btrfs.csv");
        let table = table.replace("\nluks-btrfs,", "\nx,");
        let all = observations(&import::all(table.as_bytes()));
        let torn = all.iter().position(|line| line.contains("contradict")).unwrap();
        assert!(all[torn..].iter().all(|line| line.contains("contradict")), "{all:?}");
        let said = all.join("\n");
        let lines = |part: &str| said.lines().filter(|l| l.contains(part)).count();
        assert!(lines("position alone can explain the difference") >= 2, "{said}");
        assert_eq!(lines("consistent with about 29 %"), 1, "{said}");
        assert!(!said.contains("beats") && !said.contains("NaN"), "{said}");
    }
}
