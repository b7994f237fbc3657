//! The most a link can carry, from its name.
//!
//! Used to recognise rates no wire can carry, so every doubt is settled upwards: line coding is
//! taken off where the standard fixes it, protocol overhead never. Sources: USB 3.2 (8b/10b at
//! 5 Gb/s, 128b/132b above), Serial ATA 3 (8b/10b), PCI Express (8b/10b up to 5 GT/s, 128b/130b
//! above).

use crate::model::host::Place;

/// Bytes a second of a link such as `USB 480 Mb/s`, `SATA 6.0 Gb/s` or `PCIe 5.0 GT/s x2`; `None`
/// where the text is not understood.
pub fn capacity_bytes_per_s(link: &str) -> Option<f64> {
    let is_separator = |c: char| c.is_whitespace() || c == ',';
    let words: Vec<&str> = link.split(is_separator).filter(|w| !w.is_empty()).collect();
    let unit = words.iter().position(|w| matches!(*w, "Mb/s" | "Gb/s" | "GT/s"))?;
    let number: f64 = words.get(unit.checked_sub(1)?)?.parse().ok()?;
    if !(number.is_finite() && number > 0.0) {
        return None;
    }
    let lane = |w: &&str| w.strip_prefix('x').and_then(|n| n.parse::<u32>().ok());
    let lanes = words.iter().find_map(lane).filter(|n| (1..=32).contains(n)).unwrap_or(1);
    let gbit = if words[unit] == "Mb/s" { number / 1000.0 } else { number };
    let coding = match words[0] {
        "PCIe" if gbit <= 5.0 => 0.8,
        "PCIe" => 128.0 / 130.0,
        "SATA" => 0.8,
        "USB" if (4.5..5.5).contains(&gbit) => 0.8,
        _ => 1.0,
    };
    Some(gbit * 1e9 / 8.0 * coding * f64::from(lanes))
}

/// The links of all disks behind a place together; `None` when one of them is not known.
pub fn of_place(place: &Place) -> Option<f64> {
    let links = place.disks().map(|d| d.link.as_deref().and_then(capacity_bytes_per_s));
    let total: f64 = links.collect::<Option<Vec<f64>>>()?.into_iter().sum();
    (total > 0.0).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_as_the_kernel_names_them() {
        let mb = |link| capacity_bytes_per_s(link).map(|b| libm::round(b / 1e6) as u64);
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
