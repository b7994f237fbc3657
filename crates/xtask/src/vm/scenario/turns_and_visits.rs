//! The same plan in interleaved slices and in visits, on ten disks of different nature: for each
//! pair of candidates the intervals of the two runs overlap.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC_OF_TWO;
use crate::vm::disk::{Disk, HostCache, MIB};
use crate::vm::guest::Guest;
use crate::vm::plan;

/// Disks that are limited in one way each.
pub const SPEEDS: Group = Group {
    name: "turns-and-visits-by-speed",
    board: &PC_OF_TWO,
    disks: || {
        vec![
            Disk::virtio("vda", SIZE_BYTES),
            Disk::virtio("vdb", SIZE_BYTES).at_most_iops(200),
            Disk::virtio("vdc", SIZE_BYTES).at_most_bytes_per_s(20_000_000),
            Disk::virtio("vdd", SIZE_BYTES).write_cache(2_000_000, 4_000_000),
            Disk::virtio("vde", SIZE_BYTES),
        ]
    },
    is_alone: true,
    tests: || {
        let test = |(name, device, delay_ms): (_, &'static str, _)| {
            Test::new(name, move |guest| agree(guest, name, device, delay_ms))
        };
        let all = [
            ("unlimited", "vda", 0),
            ("200-requests-a-second", "vdb", 0),
            ("20-mb-a-second", "vdc", 0),
            ("a-slow-write-back-cache", "vdd", 0),
            ("8-ms-late", "vde", 8),
        ];
        all.into_iter().map(test).collect()
    },
};

/// Disks on other buses, and with other caches of the host.
pub const KINDS: Group = Group {
    name: "turns-and-visits-by-kind",
    board: &PC_OF_TWO,
    disks: || {
        vec![
            Disk::virtio("vda", SIZE_BYTES).host_cache(HostCache::WriteBack),
            Disk::virtio("vdb", SIZE_BYTES).host_cache(HostCache::None),
            Disk::sata("sata", SIZE_BYTES).serial("SATA").host_cache(HostCache::WriteBack),
            Disk::nvme("NVME", SIZE_BYTES),
            Disk::usb("usb", SIZE_BYTES).serial("USB"),
        ]
    },
    is_alone: true,
    tests: || {
        let test = |(name, device): (_, &'static str)| {
            Test::new(name, move |guest| agree(guest, name, device, 0))
        };
        let all = [
            ("nvme", "nvme0n1"),
            ("usb", "sdb"),
            ("sata-cache-writeback", "sda"),
            ("virtio-cache-writeback", "vda"),
            ("virtio-cache-none", "vdb"),
        ];
        all.into_iter().map(test).collect()
    },
};

const SIZE_BYTES: u64 = 320 * MIB;

const PLAN: &str = "
title = 'slices and visits'
[region]
size = '64m'
[[stack]]
fs = 'ext4'
[[stack]]
fs = 'ext2'
[[workload]]
rw = 'randwrite'
bs = '4k'
direct = true
fsync = 1
size = '4m'
[protocol]
mode = 'quick'
precondition = false
cell_min = '500ms'
cell_min_ios = 20
";

/// The ratio of a pair with the ends of its interval.
type Ratios = BTreeMap<String, [f64; 3]>;

fn agree(guest: &mut Guest, name: &str, device: &str, delay_ms: u32) -> Result<()> {
    let target = match delay_ms {
        0 => format!("/dev/{device}"),
        _ => {
            let table = format!("0 {} delay /dev/{device} 0 {delay_ms}", SIZE_BYTES / 512);
            guest.ok(&format!("dmsetup create late --table '{table}'"))?;
            "/dev/mapper/late".to_owned()
        }
    };
    let turns = measured(guest, &target, "slices");
    let visits = turns.is_ok().then(|| measured(guest, &target, "visit")).transpose();
    guest.ok("udevadm settle; [ ! -e /dev/mapper/late ] || dmsetup remove --retry late")?;
    let (turns, visits) = (turns?, visits?.context("no visits")?);
    let mut apart = Vec::new();
    for (pair, turn) in &turns {
        let visit = visits.get(pair).with_context(|| format!("no {pair} in visits"))?;
        let word = if overlap(turn, visit) { "agree" } else { "differ" };
        let [in_turns, in_visits] = [turn, visit].map(written);
        let row = format!("| {name} | {pair} | {in_turns} | {in_visits} | {word} |");
        println!("{row}");
        apart.extend((!overlap(turn, visit)).then_some(row));
    }
    ensure!(!turns.is_empty(), "no pair was compared");
    ensure!(apart.is_empty(), "intervals do not overlap:\n{}", apart.join("\n"));
    Ok(())
}

fn overlap(one: &[f64; 3], other: &[f64; 3]) -> bool {
    one[1] <= other[2] && other[1] <= one[2]
}

fn written([ratio, low, high]: &[f64; 3]) -> String {
    format!("{ratio:.2} ({low:.2} to {high:.2})")
}

/// What a run in this isolation says of each pair.
fn measured(guest: &mut Guest, target: &str, isolation: &str) -> Result<Ratios> {
    plan::write(guest, &format!("{PLAN}isolation = '{isolation}'\n"))?;
    guest.ok(&format!("wipefs -aq {target}"))?;
    let result = plan::result(guest, &[target]).with_context(|| isolation.to_owned())?;
    ratios(&result).with_context(|| format!("{isolation}: {result}"))
}

/// The effects, each with the first name of the pair before the second one in the alphabet.
fn ratios(result: &Value) -> Result<Ratios> {
    let effects = result["verdicts"][0]["effects"].as_array().context("no effects")?;
    let mut ratios = Ratios::new();
    for effect in effects {
        let ends = ["ratio", "low", "high"].map(|key| effect[key].as_f64());
        let names = ["a", "b"].map(|key| effect[key].as_str());
        let ([Some(ratio), Some(low), Some(high)], [Some(a), Some(b)]) = (ends, names) else {
            bail!("not understood: {effect}");
        };
        match a < b {
            true => ratios.insert(format!("{a} / {b}"), [ratio, low, high]),
            false => ratios.insert(format!("{b} / {a}"), [1.0 / ratio, 1.0 / high, 1.0 / low]),
        };
    }
    Ok(ratios)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pair_has_one_name_whoever_comes_first() {
        let result = |effect: Value| json!({"verdicts": [{"effects": [effect]}]});
        let of = |a, b| json!({"a": a, "b": b, "ratio": 2.0, "low": 1.0, "high": 4.0});
        let [one, other] = [of("ext2", "ext4"), of("ext4", "ext2")].map(|e| ratios(&result(e)));
        assert_eq!(one.unwrap()["ext2 / ext4"], [2.0, 1.0, 4.0]);
        assert_eq!(other.unwrap()["ext2 / ext4"], [0.5, 0.25, 1.0]);
        assert!(ratios(&json!({"verdicts": []})).is_err());
    }

    #[test]
    fn intervals_apart_do_not_agree() {
        assert!(overlap(&[1.0, 0.9, 1.1], &[1.15, 1.05, 1.25]));
        assert!(!overlap(&[1.0, 0.9, 1.1], &[1.3, 1.2, 1.4]));
        assert!(!overlap(&[1.3, 1.2, 1.4], &[1.0, 0.9, 1.1]));
    }
}
