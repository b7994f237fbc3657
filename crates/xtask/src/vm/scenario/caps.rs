//! Disks whose true speed is known, because QEMU holds them to it: is the winner right?
//!
//! The emulator can do several times as much, so the ratio of two caps is the truth. On a machine
//! so busy that it cannot, something else holds the disks back and there is no truth to find: a run
//! in which any cell of a disk fell short of its cap says nothing and is made again, whatever it
//! says. QEMU's throttle lets a tenth of a second's worth through at once after a pause
//! (util/throttle.c), which is in proportion to the cap and so leaves the ratio alone in cells of
//! equal length; a cell of a second that only the cap holds back does a tenth more than the cap.

use std::time::{Duration, Instant};

use crate::tally::Skip;
use crate::vm;
use crate::vm::board::PC_OF_TWO;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::lab::TestLab;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

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
/// How often a run is tried, and how long is waited before the next one, for want of processors.
const TRIES: u32 = 5;
const REST: Duration = Duration::from_secs(10);

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

/// The disks of all pairs, in the order in which the kernel names them.
fn disks() -> Vec<Disk> {
    let disk = |name, of: &Capped| {
        Disk::virtio(name, 192 * MIB).serial(of.serial).at_most_bytes_per_s(of.bytes_per_s)
    };
    vec![disk("a", &A), disk("b", &B), disk("c", &C), disk("d", &D)]
}

/// A plan whose runs take as little as one can: half a minute, most of it in cells of a second, raw
/// reads of the sentinel and the writing of the regions. A small `size` is written soon in each
/// visit, and direct reads of it again and again are the disk's all the same.
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
size = '4m'
[protocol]
mode = 'decide'
flash_state = 'trimmed'
cell_min = '1s'
";

/// How long a run may take: seconds alone, minutes beside three builds.
const LIMIT: Duration = Duration::from_secs(900);

/// What a run said of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// How many times as fast the first one is: estimate, lower and upper end.
    pub ratio: [f64; 3],
    /// Whether the interval holds the truth.
    pub is_covered: bool,
    /// Whether the verdict is the right one.
    pub is_right: bool,
    /// The verdict, and the findings that limit it.
    pub verdict: String,
}

/// Measures a pair once, while the emulator has the processors it needs, and says what came out.
pub fn measure(guest: &mut Guest, pair: &Pair, seed: u64) -> Result<Said> {
    for _ in 0..TRIES {
        let started = Instant::now();
        let (said, slowest) = measure_anyhow(guest, pair, seed)?;
        let seconds = started.elapsed().as_secs();
        println!("{} seed {seed} in {seconds} s, slowest {slowest:.0?} B/s: {said:?}", pair.name);
        if slowest.iter().zip(pair.disks).all(|(did, disk)| *did >= disk.bytes_per_s as f64) {
            return Ok(said);
        }
        println!("{} seed {seed}: again, the emulator is short of processors", pair.name);
        std::thread::sleep(REST);
    }
    let busy = "the machine is too busy: its disks do less than they are let through";
    bail!(Skip(busy.to_owned()))
}

/// What a run says, and what the slowest cell of each disk did, in bytes a second.
fn measure_anyhow(guest: &mut Guest, pair: &Pair, seed: u64) -> Result<(Said, [f64; 2])> {
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
    let result = guest.json("cat /tmp/result")?;
    let verdict = &result["verdicts"][0];
    let both = || Some((said(pair, verdict).ok()?, slowest(pair, verdict)?));
    both().with_context(|| format!("not understood: {result}"))
}

/// What the slowest cell of each disk did.
fn slowest(pair: &Pair, verdict: &Value) -> Option<[f64; 2]> {
    let standings = verdict["standings"].as_array()?;
    let slowest = |disk: &Capped| {
        let is_it =
            |of: &&Value| of["candidate"].as_str().is_some_and(|c| c.ends_with(disk.device));
        standings.iter().find(is_it)?["min"].as_f64()
    };
    let [fast, slow] = pair.disks;
    Some([slowest(fast)?, slowest(slow)?])
}

/// Has each pair measured in a guest of its own, beside the others: what is held back waits most of
/// the time, so that three of them leave the processors idle.
pub fn measure_all<T: Send>(
    lab: &TestLab,
    pairs: &[&Pair],
    of_pair: impl Fn(&mut Guest, &Pair) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let one = |pair: &Pair| {
        let (_machine, mut guest, before) = vm::start(lab, &PC_OF_TWO, pair.name, &disks())?;
        let measured = of_pair(&mut guest, pair)?;
        before.assert_unchanged(&mut guest).and_then(|()| guest.check_kernel())?;
        Ok(measured)
    };
    std::thread::scope(|scope| {
        let guests: Vec<_> = pairs.iter().map(|pair| scope.spawn(|| one(pair))).collect();
        let joined = guests.into_iter().map(|guest| guest.join());
        joined.map(|said| said.unwrap_or_else(|_| bail!("a guest's thread panicked"))).collect()
    })
}

/// The test: one run of each pair. Nineteen of twenty are right, so one that is not is made again
/// with another seed; a wrong winner is never forgiven.
pub fn once_each(lab: &TestLab) -> Result<()> {
    let pairs: Vec<&Pair> = PAIRS.iter().collect();
    let right = |guest: &mut Guest, pair: &Pair| {
        let first = measure(guest, pair, 1)?;
        let has_wrong_winner = first.verdict.contains("fastest") && !first.is_right;
        let said = match first.is_right && first.is_covered || has_wrong_winner {
            true => first,
            false => measure(guest, pair, 2)?,
        };
        ensure!(
            said.is_right && said.is_covered,
            "{}: {:.4} is true; {said:?}",
            pair.name,
            pair.truth()
        );
        Ok(())
    };
    measure_all(lab, &pairs, right).map(drop)
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
        said if *said == "as_fast" => truth == 1.0,
        said if *said == "fastest" => truth > 1.0 && is(&verdict["winner"], fast),
        _ => false,
    };
    let findings = verdict["findings"].as_array().into_iter().flatten();
    let findings = findings.map(|found| format!("; {} {}", found["id"], found["evidence"]));
    let verdict = format!("{}{}", verdict["verdict"], findings.collect::<String>());
    let is_covered = (ratio[1]..=ratio[2]).contains(&truth);
    Ok(Said { ratio, is_covered, is_right, verdict })
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
    fn the_slowest_cells_are_told_in_the_order_of_the_pair() {
        let one = |candidate: &str, min: f64| json!({"candidate": candidate, "min": min});
        let verdict = json!({"standings": [one("raw on vdb", 38e6), one("raw on vda", 41e6)]});
        assert_eq!(slowest(&PAIRS[0], &verdict), Some([41e6, 38e6]));
        assert_eq!(slowest(&PAIRS[1], &verdict), None);
    }

    #[test]
    fn an_effect_is_turned_round_and_a_wrong_winner_is_wrong() {
        let pair = &PAIRS[0];
        let right = said(pair, &verdict("fastest", "raw on vda", [0.95, 0.94, 0.96])).unwrap();
        assert!(right.is_right && right.is_covered);
        assert_eq!(right.ratio, [1.0 / 0.95, 1.0 / 0.96, 1.0 / 0.94]);
        let wrong = said(pair, &verdict("fastest", "raw on vdb", [1.05, 1.04, 1.06])).unwrap();
        assert!(!wrong.is_right && !wrong.is_covered);
        assert!(!said(pair, &verdict("as_fast", "", [0.97, 0.94, 1.01])).unwrap().is_right);
        assert!(said(&PAIRS[1], &verdict("fastest", "raw on vda", [0.9, 0.8, 0.9])).is_err());
    }
}
