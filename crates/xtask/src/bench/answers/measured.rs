//! One demo and one `quick`, as their own records tell.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::spread::Spread;
use crate::tool;

/// What a workload of a demo came to.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// `fastest`, `as_fast`, `leads`, `refused`.
    pub verdict: String,
    /// Who leads.
    pub leader: Option<String>,
    /// The lead, a fraction; negative: how much faster another could be.
    pub lead: Option<f64>,
    /// Noise of a block: standard deviation of the logarithm of a pair's ratio from block to block,
    /// the median over pairs.
    pub noise: Option<f64>,
}

/// One demo.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Start to end.
    pub seconds: f64,
    /// Blocks.
    pub blocks: u64,
    /// By workload.
    pub answers: BTreeMap<String, Answer>,
}

/// Runs a demo of three minutes in `dir`.
pub fn demo(bakeoff: &Path, dir: &Path) -> Result<Measured> {
    let (json, seconds) = run(bakeoff, dir, &["demo", "--time", "3m"])?;
    let events = bakeoff_in(bakeoff, dir, &["export", "last", "--format", "jsonl", "--no-redact"])?;
    let noises = noises(&events)?;
    let mut answers = BTreeMap::new();
    for verdict in json["verdicts"].as_array().context("no verdicts")? {
        let text = |key: &str| verdict[key].as_str().map(str::to_string);
        let workload = text("workload").context("a verdict names no workload")?;
        let answer = Answer {
            verdict: text("verdict").unwrap_or_default(),
            leader: text("leader"),
            lead: verdict["lead"].as_f64(),
            noise: noises.get(&workload).copied(),
        };
        answers.insert(workload, answer);
    }
    let blocks = json["blocks"].as_u64().unwrap_or(0);
    eprintln!("{}: {seconds:.0} s, {blocks} blocks", bakeoff.display());
    Ok(Measured { seconds, blocks, answers })
}

/// Seconds that `quick` takes for random writes on two directories of one disk.
pub fn quick(bakeoff: &Path, dir: &Path) -> Result<f64> {
    let places = ["a", "b"].map(|name| dir.join(name));
    for place in &places {
        std::fs::create_dir_all(place)?;
    }
    let [a, b] = places.map(|place| place.to_string_lossy().into_owned());
    Ok(run(bakeoff, dir, &["quick", &a, &b, "--workload", "randwrite"])?.1)
}

fn run(bakeoff: &Path, dir: &Path, args: &[&str]) -> Result<(Value, f64)> {
    let started = Instant::now();
    let options = ["--quiet", "--format", "json", "--report", "report.html"];
    let told = bakeoff_in(bakeoff, dir, &[args, &options[..]].concat())?;
    let seconds = started.elapsed().as_secs_f64();
    Ok((serde_json::from_str(&told).context("bakeoff told no JSON")?, seconds))
}

fn bakeoff_in(bakeoff: &Path, dir: &Path, args: &[&str]) -> Result<String> {
    let mut command = Command::new(bakeoff);
    tool::answer(command.args(args).args(["--store", "bench.db"]).current_dir(dir))
}

/// The noise of a block on each workload, from the events of a run of any version.
fn noises(events: &str) -> Result<BTreeMap<String, f64>> {
    // ln(rate) by workload, candidate and block.
    let mut cells: BTreeMap<u64, BTreeMap<u64, BTreeMap<u64, f64>>> = BTreeMap::new();
    let mut names = Vec::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).context("an event is no JSON")?;
        let what = &event["what"];
        if let Some(workloads) = what["rehearsed"]["workloads"].as_array() {
            names = workloads.iter().filter_map(|w| Some(w["name"].as_str()?.into())).collect();
        }
        let cell = &what["cell_done"];
        let number = |key: &str| cell[key].as_u64();
        let key = number("workload").zip(number("candidate")).zip(number("block"));
        let Some(((workload, candidate), block)) = key else { continue };
        let measured = &cell["measurement"];
        let ios = |way: &str| measured[way]["total_ios"].as_f64().unwrap_or(0.0);
        let rate = (ios("read") + ios("write")) / measured["elapsed_ns"].as_f64().unwrap_or(1.0);
        if rate > 0.0 {
            let of = cells.entry(workload).or_default().entry(candidate).or_default();
            of.insert(block, rate.ln());
        }
    }
    let named = |(workload, of): (u64, BTreeMap<u64, BTreeMap<u64, f64>>)| {
        let name: &String = names.get(usize::try_from(workload).ok()?)?;
        Some((name.clone(), noise(&of.into_values().collect::<Vec<_>>())?))
    };
    Ok(cells.into_iter().filter_map(named).collect())
}

/// Median over pairs of the standard deviation of their difference from block to block.
fn noise(candidates: &[BTreeMap<u64, f64>]) -> Option<f64> {
    let mut deviations = Vec::new();
    for (at, a) in candidates.iter().enumerate() {
        for b in &candidates[at + 1..] {
            let differences = a.iter().filter_map(|(block, x)| Some(x - b.get(block)?));
            deviations.extend(deviation(&differences.collect::<Vec<_>>()));
        }
    }
    (!deviations.is_empty()).then(|| Spread::from_values(deviations).median)
}

fn deviation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (values.len() >= 3).then(|| (squares / (n - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_that_of_pairs_inside_blocks() {
        let cell = |block: u64, candidate: u64, ios: f64| {
            format!(
                "{{\"what\":{{\"cell_done\":{{\"workload\":0,\"candidate\":{candidate},\
                 \"block\":{block},\"measurement\":{{\"elapsed_ns\":1000,\
                 \"read\":{{\"total_ios\":{ios}}}}}}}}}}}\n"
            )
        };
        let mut events =
            String::from("{\"what\":{\"rehearsed\":{\"workloads\":[{\"name\":\"randread\"}]}}}\n");
        // What changes for both is no noise; what changes for one is.
        for (block, (both, one)) in [(1.0, 1.0), (3.0, 1.1), (2.0, 1.0)].into_iter().enumerate() {
            events += &cell(block as u64, 0, both * 100.0);
            events += &cell(block as u64, 1, both * one * 200.0);
        }
        let noise = noises(&events).unwrap()["randread"];
        assert!((noise - 1.1f64.ln() / 3f64.sqrt()).abs() < 1e-9, "{noise}");
        assert!(noises("{}").unwrap().is_empty());
    }
}
