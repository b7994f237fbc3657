//! The published figures of other drives: `data/others.csv`.

use bakeoff_model::normal::{Medium, Test};
use bakeoff_model::others::Others;
use bakeoff_stats::tables::Table;

const TABLE: Table<16> = Table::new(include_str!("../../data/others.csv"));

/// A group of drives and what was published of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedFigure {
    pub test: Test,
    /// Bytes or operations a second, as `test` has them; the table has MB/s for bytes.
    pub others: Others,
}

pub fn all() -> Vec<PublishedFigure> {
    TABLE.rows().filter_map(figure).collect()
}

fn figure(fields: [&'static str; 16]) -> Option<PublishedFigure> {
    let [medium, link, test, n, tenths @ .., sources] = fields;
    let (medium, test): (Medium, Test) = (medium.parse().ok()?, test.parse().ok()?);
    let mut others = Others {
        medium,
        link: (!link.is_empty()).then(|| link.to_string()),
        n: n.parse().ok()?,
        tenths: [0.0; 11],
        sources: sources.split("; ").map(str::to_string).collect(),
    };
    for (tenth, text) in others.tenths.iter_mut().zip(tenths) {
        *tenth = text.parse().ok()?;
    }
    if test.is_in_bytes() {
        others.tenths.iter_mut().for_each(|tenth| *tenth *= 1e6);
    }
    Some(PublishedFigure { test, others })
}

/// The others of a drive by the key of its link; where too few are known over that link, all of its
/// kind, if the table has them together.
pub fn find(medium: Medium, link: Option<&str>, test: Test) -> Option<Others> {
    let link = link.map(|key| if key.starts_with("usb3-") { "usb3" } else { key });
    let ours = all().into_iter().filter(|of| of.others.medium == medium && of.test == test);
    let (of_link, any): (Vec<_>, Vec<_>) =
        ours.map(|of| of.others).partition(|of| of.link.is_some());
    of_link.into_iter().find(|of| of.link.as_deref() == link).or_else(|| any.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_rises() {
        let all = all();
        assert_eq!(all.len(), TABLE.rows().count());
        for of in all {
            assert!(of.others.n >= 8 && of.others.tenths.is_sorted(), "{of:?}");
            assert!(of.others.tenths[0] > 0.0 && !of.others.sources.is_empty(), "{of:?}");
            assert!(of.test != Test::RandWrite, "none was flushed after each: {of:?}");
        }
    }

    #[test]
    fn cards_are_compared_in_the_same_slot_and_others_with_all_of_their_kind() {
        let n = |medium, link, test| {
            let of = find(medium, link, test)?;
            Some((of.n, of.link))
        };
        let ddr50 = n(Medium::Sd, Some("sd-ddr50"), Test::RandRead);
        assert_eq!(ddr50, Some((20, Some("sd-ddr50".to_string()))));
        let unknown = n(Medium::Sd, None, Test::RandRead).unwrap();
        assert!(unknown.0 > 20 && unknown.1.is_none());
        assert_eq!(n(Medium::Sd, None, Test::SeqRead), None, "the link decides");
        assert_eq!(n(Medium::Emmc, Some("emmc-hs200"), Test::SeqRead).unwrap().1, None);
        let usb = n(Medium::UsbSsd, Some("usb3-bot"), Test::RandRead).unwrap();
        assert_eq!(usb.1.as_deref(), Some("usb3"));
        assert_eq!(n(Medium::Virtio, None, Test::RandRead), None);
        for &medium in Medium::ALL {
            assert_eq!(n(medium, Some("sd-hs"), Test::RandWrite), None);
        }
        let read = find(Medium::Sd, Some("sd-ddr50"), Test::SeqRead).unwrap();
        assert!((40e6..50e6).contains(&read.median()), "{read:?}");
    }
}
