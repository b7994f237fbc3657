//! Rules over the figures: L15, L18, L21, L22, L27, L28, L30, L32, L35, L36, L40 to L43 and L66.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, Study, found};
use crate::model::finding::{Finding, Severity};
use crate::stats::spearman::spearman;
use crate::units;

/// Fewest repeats that carry a claim.
const REPEATS: usize = 5;
/// Rates within this of each other count as the same.
const SAME: f64 = 0.02;

/// All rules of this file.
pub fn findings(study: &Study) -> Vec<Finding> {
    let rules = [
        impossible_rate,
        durability,
        fake_random,
        request_cost,
        units_mixed,
        wrong_ratio,
        patched_tool,
        queue_depth,
        no_replication,
        drift,
        few_rounds,
        below_noise,
        ceiling,
        rank_flip,
        contradiction,
        inert_factor,
    ];
    rules.iter().filter_map(|rule| rule(study)).collect()
}

fn impossible_rate(study: &Study) -> Option<Finding> {
    let link = study.facts.number("link_bytes_per_s")?;
    let of = |r: &super::ToolResult| {
        let find = |name: &str| r.metrics.iter().find(|m| m.name == name).map(|m| m.value.as_f64());
        let (fastest_ns, block) = (find("latency_min")?, find("block_size")?);
        let rate = block / fastest_ns.max(1.0) * 1e9;
        (rate > link).then_some((block, fastest_ns, rate))
    };
    let (block, ns, rate) = study.results.iter().find_map(of)?;
    let evidence = format!(
        "{} in {} are {}, over a link that carries {} at most",
        units::size(block as u64),
        units::latency(ns as u64),
        units::rate(rate),
        units::rate(link)
    );
    let advice = "Such requests came from memory: read directly, or drop the cache.";
    Some(found("L15", Severity::Refuse, evidence, advice))
}

/// Where flushes are most of the time, what candidates promise after a flush is what is compared.
fn durability(study: &Study) -> Option<Finding> {
    let is_flushing = |r: &super::ToolResult| r.findings.iter().any(|f| f.id == "L19");
    let filesystems: BTreeSet<&str> = study.cells.iter().map(|cell| cell.fs).collect();
    let evidence = format!(
        "flushes on {}: with and without a journal, on drives that may or may not pass them on",
        Vec::from_iter(filesystems.iter().copied()).join(", ")
    );
    let advice = "Say what each promises after fsync, and compare like with like.";
    (study.results.iter().any(is_flushing) && filesystems.len() > 1)
        .then(|| found("L18", Severity::Refuse, evidence, advice))
}

fn fake_random(study: &Study) -> Option<Finding> {
    let is_random = study.cells.iter().any(|cell| cell.test.starts_with("random "));
    let record = study.configured("record_size").into_iter().reduce(f64::max)?;
    let file = study.configured("file_size").into_iter().reduce(f64::max)?;
    let evidence = format!(
        "random access in records of {}: {:.0} of them in the file",
        units::size_decimal(record as u64),
        file / record
    );
    let advice = "Random access needs small records and many of them.";
    (is_random && record >= 1048576.0).then(|| found("L21", Severity::Refuse, evidence, advice))
}

/// The same sequential test in small and in large blocks, where the small ones are far slower.
fn request_cost(study: &Study) -> Option<Finding> {
    let same = |a: &Cell, b: &Cell| {
        (a.host, a.device, a.candidate(), a.test, a.tool)
            == (b.host, b.device, b.candidate(), b.test, b.tool)
    };
    let sequential = || study.cells.iter().filter(|c| c.is_sequential());
    let small = sequential().filter(|c| (2..=4096).contains(&c.block));
    let pair = small.flat_map(|a| {
        let large = sequential().filter(move |b| b.block >= 1 << 20 && same(a, b));
        large.map(move |b| (a, b))
    });
    let (a, b) = pair.into_iter().find(|(a, b)| a.rate < b.rate * 0.5)?;
    let evidence = format!(
        "{} in blocks of {} run at {:.0} % of the rate of {} blocks: {} requests a second",
        a.test,
        units::block_size(a.block),
        a.rate / b.rate * 100.0,
        units::block_size(b.block),
        units::count(a.rate / a.block as f64)
    );
    let advice = "That is the cost of a request, not of the disk: use 64 KiB and more for streams.";
    Some(found("L22", Severity::Warn, evidence, advice))
}

fn units_mixed(study: &Study) -> Option<Finding> {
    let is_other = |r: &&super::ToolResult| super::text(r, "note").contains("printed unit");
    let count = study.results.iter().filter(is_other).count();
    let evidence = format!("{count} figures carry another unit than the rest of their table");
    let advice = "One unit in one table; MB are 1000 x 1000 and MiB 1024 x 1024 bytes.";
    (count > 0).then(|| found("L27", Severity::Warn, evidence, advice))
}

/// A ratio the author gives for two rates of the table, more than a hundredth beside it.
fn wrong_ratio(study: &Study) -> Option<Finding> {
    let ratios: Vec<f64> = {
        let rates: Vec<f64> = study.cells.iter().map(|cell| cell.rate).collect();
        rates.iter().flat_map(|a| rates.iter().map(move |b| a / b)).collect()
    };
    let wrong = study.configured("author_ratio").into_iter().find_map(|given| {
        let near = ratios.iter().map(|r| (r / given - 1.0).abs()).fold(f64::MAX, f64::min);
        let right = ratios.iter().find(|r| ((*r / given) - 1.0).abs() == near)?;
        (near > 0.01 && near < 0.1).then_some((given, *right))
    });
    let (given, right) = wrong?;
    let evidence = format!("a ratio of {given} is given where the figures come to {right:.2}");
    let advice = "KiB and MiB differ by 1024, not by 1000.";
    Some(found("L27", Severity::Warn, evidence, advice))
}

fn patched_tool(study: &Study) -> Option<Finding> {
    let limit = study.configured("stock_max_record_size").into_iter().reduce(f64::min)?;
    let used = study.configured("record_size").into_iter().reduce(f64::max)?;
    let size = |bytes: f64| units::size_decimal(bytes as u64);
    let evidence = format!("records of {} in a tool that stops at {}", size(used), size(limit));
    let advice = "Say what was changed: it is no longer what others measure with.";
    (used > limit).then(|| found("L28", Severity::Warn, evidence, advice))
}

fn queue_depth(study: &Study) -> Option<Finding> {
    let depth = study.configured("option_iodepth").into_iter().reduce(f64::max)?;
    let is_sequential = study.cells.iter().any(|cell| cell.is_sequential());
    let evidence = format!("{depth} sequential requests in flight, which the kernel merges");
    let advice = "The device sees larger requests than were asked for: look at its own counters.";
    (depth > 1.0 && is_sequential).then(|| found("L30", Severity::Warn, evidence, advice))
}

fn no_replication(study: &Study) -> Option<Finding> {
    let mut counts: BTreeMap<(&str, &str, String, &str, &str, u64), usize> = BTreeMap::new();
    for c in &study.cells {
        *counts.entry((c.host, c.device, c.candidate(), c.tool, c.test, c.block)).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let times = if most == 1 { "once".to_string() } else { format!("{most} times at most") };
    let evidence = format!("{} figures, each measured {times}", counts.len());
    let advice = "Repeat everything five times at least, in another order each time.";
    (most < REPEATS).then(|| found("L32", Severity::Refuse, evidence, advice))
}

/// Rates that fall along a sweep in which larger blocks came later: no disk is slower for them.
fn drift(study: &Study) -> Option<Finding> {
    study.facts.get("sweep")?;
    let series: BTreeSet<(&str, &str, String, &str)> =
        study.cells.iter().map(|c| (c.host, c.device, c.candidate(), c.test)).collect();
    for (host, device, candidate, test) in series {
        let of = study.cells.iter().filter(|c| {
            (c.host, c.device, c.candidate(), c.test) == (host, device, candidate.clone(), test)
        });
        let (blocks, rates): (Vec<f64>, Vec<f64>) =
            of.filter(|c| c.block >= 128).map(|c| (c.block as f64, c.rate)).unzip();
        let found_here = spearman(&blocks, &rates).filter(|s| s.rho < -0.6 && s.p < 0.05);
        if let Some(s) = found_here {
            let evidence = format!(
                "{test} on {candidate}, {device}: rates fall as blocks grow (rho {:.2}), and \
                 larger blocks came later",
                s.rho
            );
            let advice = "Sweep in random order: time and block size are one here.";
            return Some(found("L35", Severity::Error, evidence, advice));
        }
    }
    None
}

/// One flush round stands for a hundred requests: the rounds are what was sampled.
fn few_rounds(study: &Study) -> Option<Finding> {
    let of = |r: &super::ToolResult| {
        let find = |name: &str| r.metrics.iter().find(|m| m.name == name).map(|m| m.value.as_f64());
        let is_flushing = r.findings.iter().any(|f| f.id == "L19");
        let rounds = find("other")? / find("file_count")?.max(1.0);
        (is_flushing && rounds < 30.0).then_some((rounds, find("events")?))
    };
    let (rounds, requests) = study.results.iter().find_map(of)?;
    let evidence = format!("{requests:.0} requests, but {rounds:.1} flush rounds set their time");
    let advice = "Count the rounds, not the requests, as what was sampled.";
    Some(found("L36", Severity::Warn, evidence, advice))
}

/// The same file read twice differs by more than candidates do.
fn below_noise(study: &Study) -> Option<Finding> {
    let again = |c: &Cell| c.test.ends_with(" repeated");
    let first_of = |c: &Cell| {
        let stem = c.test.strip_suffix(" repeated")?;
        study.cells.iter().find(|o| {
            o.test != c.test
                && o.test.starts_with(stem)
                && o.candidate() == c.candidate()
                && o.tool == c.tool
        })
    };
    let pairs: Vec<(&Cell, &Cell)> =
        study.cells.iter().filter(|c| again(c)).filter_map(|c| Some((first_of(c)?, c))).collect();
    let noise = pairs.iter().map(|(a, b)| (a.rate / b.rate - 1.0).abs()).fold(0.0, f64::max);
    let rates: Vec<f64> = pairs.iter().map(|(a, _)| a.rate).collect();
    let closest = rates
        .iter()
        .enumerate()
        .flat_map(|(at, a)| rates[at + 1..].iter().map(move |b| (a / b - 1.0).abs()));
    let effect = closest.fold(f64::MAX, f64::min);
    let evidence = format!(
        "the same file read twice differs by up to {:.1} %, candidates by as little as {:.1} %",
        noise * 100.0,
        effect * 100.0
    );
    let advice = "Differences below the spread of repeats say nothing.";
    (effect < noise).then(|| found("L40", Severity::Refuse, evidence, advice))
}

/// Cells of the same test in the same setting, by host, device, tool, test and block.
fn settings<'a, 's>(study: &'s Study<'a>) -> Vec<Vec<&'s Cell<'a>>> {
    let mut all: BTreeMap<(&str, &str, &str, &str, u64), Vec<&Cell>> = BTreeMap::new();
    for c in &study.cells {
        all.entry((c.host, c.device, c.tool, c.test, c.block)).or_default().push(c);
    }
    all.into_values().collect()
}

fn ceiling(study: &Study) -> Option<Finding> {
    let is_disk = |c: &&Cell| c.block >= 4096 && c.test.contains("read");
    for of in settings(study) {
        let mut rates: Vec<f64> = of.iter().copied().filter(is_disk).map(|c| c.rate).collect();
        rates.sort_by(f64::total_cmp);
        let top = &rates[rates.len().saturating_sub(3)..];
        if top.len() == 3 && top[2] <= top[0] * (1.0 + SAME) {
            let evidence = format!(
                "{} on {}: three candidates within {:.1} % at {}",
                of[0].test,
                of[0].device,
                (top[2] / top[0] - 1.0) * 100.0,
                units::rate(top[2])
            );
            let advice = "They meet the same limit, so this test cannot rank them.";
            return Some(found("L41", Severity::Warn, evidence, advice));
        }
    }
    None
}

/// Disk, test and block size.
type Sweep<'a> = (String, &'a str, u64);

/// Another candidate leads once the same disk hangs on another bus.
fn rank_flip(study: &Study) -> Option<Finding> {
    let mut leaders: BTreeMap<Sweep, Vec<(&str, String)>> = BTreeMap::new();
    for of in settings(study) {
        let best = of.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
        let disk = best.device.split(" on ").next().unwrap_or_default().to_string();
        let key = (disk, best.test, best.block);
        leaders.entry(key).or_default().push((best.device, best.candidate()));
    }
    let flipped = leaders.iter().find(|((.., block), of)| {
        let names: BTreeSet<&String> = of.iter().map(|(_, name)| name).collect();
        *block >= 4096 && of.len() >= 3 && names.len() > 1
    })?;
    let ((disk, test, block), of) = flipped;
    let list: Vec<String> = of.iter().map(|(device, name)| format!("{name} ({device})")).collect();
    let evidence =
        format!("{test} of {} on {disk} is led by {}", units::block_size(*block), list.join(", "));
    let advice = "The winner holds for one bus only: say for which.";
    Some(found("L42", Severity::Warn, evidence, advice))
}

/// With encryption faster than without.
fn contradiction(study: &Study) -> Option<Finding> {
    for of in settings(study) {
        for plain in of.iter().filter(|c| c.crypt.is_empty()) {
            let same = |c: &&&Cell| c.fs == plain.fs && !c.crypt.is_empty();
            let faster = of.iter().filter(same).find(|c| c.rate > plain.rate * (1.0 + SAME));
            if let Some(more) = faster {
                let evidence = format!(
                    "{} on {}: {} at {} is faster than {} alone at {}",
                    more.test,
                    more.device,
                    more.candidate(),
                    units::rate(more.rate),
                    plain.fs,
                    units::rate(plain.rate)
                );
                let advice = "Doing more cannot be faster: something else differs between them.";
                return Some(found("L43", Severity::Error, evidence, advice));
            }
        }
    }
    None
}

/// Schedulers and journals under streams of large records.
fn inert_factor(study: &Study) -> Option<Finding> {
    let factors = study
        .results
        .iter()
        .filter(|r| ["journal", "scheduler"].iter().any(|key| super::text(r, key).contains(';')));
    let record = study.configured("record_size").into_iter().reduce(f64::min)?;
    let evidence = format!(
        "schedulers and journals compared with one stream of {} records",
        units::size_decimal(record as u64)
    );
    let advice = "One stream gives a scheduler nothing to order and a journal nothing to log.";
    (factors.count() > 0 && record >= 1048576.0)
        .then(|| found("L66", Severity::Warn, evidence, advice))
}
