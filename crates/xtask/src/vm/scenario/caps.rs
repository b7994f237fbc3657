//! Disks whose true speed is known, because QEMU holds them to it: is the winner right?
//!
//! The emulator could do several times as much, so the ratio of two caps is the truth whatever the
//! machine below is busy with. QEMU's throttle lets a tenth of a second's worth through at once
//! after a pause (util/throttle.c), which is in proportion to the cap and so leaves the ratio
//! alone in cells of equal length.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

/// Two disks and what is true of them.
#[derive(Debug)]
pub struct Pair {
    /// Name, in tests and in docs/truth.md.
    pub name: &'static str,
    /// The faster one first.
    disks: [&'static Capped; 2],
}

/// A disk that is held to a speed.
#[derive(Debug)]
struct Capped {
    serial: &'static str,
    /// What the guest's kernel calls it.
    device: &'static str,
    bytes_per_s: u64,
}

const A: Capped = Capped { serial: "CAP-40-A", device: "vda", bytes_per_s: 40_000_000 };
const B: Capped = Capped { serial: "CAP-38", device: "vdb", bytes_per_s: 38_000_000 };
const C: Capped = Capped { serial: "CAP-32", device: "vdc", bytes_per_s: 32_000_000 };
const D: Capped = Capped { serial: "CAP-40-D", device: "vdd", bytes_per_s: 40_000_000 };

/// What is compared.
pub const PAIRS: [Pair; 3] = [
    Pair { name: "40-38", disks: [&A, &B] },
    Pair { name: "40-32", disks: [&A, &C] },
    Pair { name: "40-40", disks: [&A, &D] },
];

impl Pair {
    /// How many times as fast the first one is.
    pub fn truth(&self) -> f64 {
        let [fast, slow] = self.disks.map(|disk| disk.bytes_per_s as f64);
        fast / slow
    }
}

/// The group: one run of each pair.
pub const GROUP: Group = Group {
    name: "caps",
    board: &PC,
    disks,
    is_alone: true,
    tests: || PAIRS.iter().map(|pair| Test::new(pair.name, |guest| once(guest, pair))).collect(),
};

/// The disks of all pairs, in the order in which the kernel names them.
fn disks() -> Vec<Disk> {
    let disk = |name, of: &Capped| {
        Disk::virtio(name, 192 * MIB).serial(of.serial).at_most_bytes_per_s(of.bytes_per_s)
    };
    vec![disk("a", &A), disk("b", &B), disk("c", &C), disk("d", &D)]
}

/// A plan whose runs take a quarter of a minute.
const PLAN: &str = "
title = 'disks held to a speed'
[region]
size = '64m'
[[stack]]
fs = 'raw'
[[workload]]
rw = 'read'
bs = '128k'
direct = true
iodepth = 4
[protocol]
mode = 'decide'
flash_state = 'trimmed'
cell_min = '1s'
";

/// How long a run may take: seconds alone, minutes beside three builds.
const LIMIT: Duration = Duration::from_secs(900);

/// What a run said of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said {
    /// How many times as fast the first one is: estimate, lower and upper end.
    pub ratio: [f64; 3],
    /// Whether the interval holds the truth.
    pub is_covered: bool,
    /// Whether the verdict is the right one.
    pub is_right: bool,
}

/// Measures a pair once and says what came out.
pub fn measure(guest: &mut Guest, pair: &Pair, seed: u64) -> Result<Said> {
    let targets = pair.disks.map(|Capped { serial, .. }| {
        format!("--target /dev/disk/by-id/virtio-{serial} --erase {serial}")
    });
    let script = format!(
        "cat >/tmp/plan.toml <<'END'\n{PLAN}END
        bakeoff run /tmp/plan.toml {} --seed {seed} --max-write 100g --format json \
            >/tmp/result 2>/tmp/said
        code=$?; [ $code -le 1 ] || {{ cat /tmp/said >&2; exit $code; }}",
        targets.join(" ")
    );
    let ended = guest.run_within(&script, LIMIT)?;
    ensure!(ended.code == 0, "ended with {}: {}", ended.code, ended.error());
    let result: Value = serde_json::from_slice(&guest.file("/tmp/result")?)?;
    said(pair, &result["verdicts"][0]).with_context(|| format!("not understood: {result}"))
}

/// Once more, for a test.
fn once(guest: &mut Guest, pair: &Pair) -> Result<()> {
    let said = measure(guest, pair, 1)?;
    ensure!(said.is_right && said.is_covered, "{:.4} is true; {said:?}", pair.truth());
    Ok(())
}

fn said(pair: &Pair, verdict: &Value) -> Result<Said> {
    let [fast, slow] = pair.disks.map(|disk| disk.device);
    let is = |name: &Value, device| name.as_str().is_some_and(|name| name.ends_with(device));
    let effect = &verdict["effects"][0];
    let ends = ["ratio", "low", "high"].map(|key| effect[key].as_f64());
    let [Some(ratio), Some(low), Some(high)] = ends else { bail!("no effect in {verdict}") };
    let ratio = match (is(&effect["a"], fast), is(&effect["a"], slow)) {
        (true, false) => [ratio, low, high],
        (false, true) => [1.0 / ratio, 1.0 / high, 1.0 / low],
        _ => bail!("neither {fast} nor {slow} in {effect}"),
    };
    let truth = pair.truth();
    let is_right = match &verdict["verdict"] {
        said if *said == "ties" => truth == 1.0,
        said if *said == "beats" => truth > 1.0 && is(&verdict["winner"], fast),
        _ => false,
    };
    Ok(Said { ratio, is_covered: (ratio[1]..=ratio[2]).contains(&truth), is_right })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(word: &str, winner: &str, effect: [f64; 3]) -> Value {
        let [ratio, low, high] = effect;
        json!({"verdict": word, "winner": winner, "effects": [
            {"a": "raw on vdb", "b": "raw on vda", "ratio": ratio, "low": low, "high": high},
        ]})
    }

    #[test]
    fn an_effect_is_turned_round_and_a_wrong_winner_is_wrong() {
        let pair = &PAIRS[0];
        let right = said(pair, &verdict("beats", "raw on vda", [0.95, 0.94, 0.96])).unwrap();
        assert!(right.is_right && right.is_covered);
        assert_eq!(right.ratio, [1.0 / 0.95, 1.0 / 0.96, 1.0 / 0.94]);
        let wrong = said(pair, &verdict("beats", "raw on vdb", [1.05, 1.04, 1.06])).unwrap();
        assert!(!wrong.is_right && !wrong.is_covered);
        assert!(!said(pair, &verdict("ties", "", [0.97, 0.94, 1.01])).unwrap().is_right);
        assert!(said(&PAIRS[1], &verdict("beats", "raw on vda", [0.9, 0.8, 0.9])).is_err());
    }
}
