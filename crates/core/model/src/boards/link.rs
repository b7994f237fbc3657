//! The most a link can carry.
//!
//! Used to recognise rates no wire can carry, so every doubt is settled upwards: line coding is
//! taken off where the standard fixes it, protocol overhead never. Sources: USB 3.2 (8b/10b at
//! 5 Gb/s, 128b/132b above), Serial ATA 3 (8b/10b), PCI Express (8b/10b up to 5 GT/s, 128b/130b
//! above).

use crate::host::Place;
use crate::link::{Link, LinkKind};

/// Bytes a second of a link; `None` where it is not known, as of a card.
pub fn capacity_bytes_per_s(link: &Link) -> Option<f64> {
    let (kbit, coding, lanes) = match link.kind? {
        LinkKind::Usb { kbit, .. } if (4_500_000..5_500_000).contains(&kbit) => (kbit, 0.8, 1),
        LinkKind::Usb { kbit, .. } => (kbit, 1.0, 1),
        LinkKind::Sata { mbit } => (mbit * 1000, 0.8, 1),
        LinkKind::Pcie { mtransfers, lanes } if mtransfers <= 5000 => {
            (mtransfers * 1000, 0.8, lanes)
        }
        LinkKind::Pcie { mtransfers, lanes } => (mtransfers * 1000, 128.0 / 130.0, lanes),
        LinkKind::Card { .. } => return None,
    };
    Some(kbit as f64 * 1e3 / 8.0 * coding * f64::from(lanes))
}

/// The links of all drives behind a place together; `None` when one of them is not known.
pub fn of_place(place: &Place) -> Option<f64> {
    let links = place.disks().map(|d| d.link.as_ref().and_then(capacity_bytes_per_s));
    let total: f64 = links.collect::<Option<Vec<f64>>>()?.into_iter().sum();
    (total > 0.0).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_as_the_kernel_names_them() {
        let mb =
            |link: &str| capacity_bytes_per_s(&link.into()).map(|b| libm::round(b / 1e6) as u64);
        assert_eq!(mb("USB 480 Mb/s"), Some(60));
        assert_eq!(mb("USB 5000 Mb/s"), Some(500));
        assert_eq!(mb("USB 10000 Mb/s, UAS"), Some(1250));
        assert_eq!(mb("USB 10000 Mb/s, UAS"), Some(1250));
        assert_eq!(mb("PCIe 5.0 GT/s x1"), Some(500));
        assert_eq!(mb("PCIe 8.0 GT/s PCIe x4"), Some(3938));
        assert_eq!(mb("SATA 6.0 Gb/s"), Some(600));
        assert_eq!(mb("SATA 6.0 Gbps"), None);
        assert_eq!(mb(""), None);
        assert_eq!(mb("Mb/s"), None);
        assert_eq!(mb("USB NaN Mb/s"), None);
    }
}
