//! In what runs differ: machine, kernel, drive, place, rules, workloads and candidates.
//!
//! Whatever is on record and can change a number is looked at. Two things are left out on purpose:
//! the seed, because random choices are meant to differ, and the time, because no two runs of one
//! machine can have it in common.

use serde::Serialize;
use serde_json::Value;

use crate::analyse::places;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::difference::{Difference, Factor, Respect};
use bakeoff_model::event::Header;
use bakeoff_model::host::{Layer, LayerKind, Place};
use bakeoff_model::link::Link;
use bakeoff_model::path::printable;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Workload;
use bakeoff_stats::distinct;
use bakeoff_stats::sample;
use bakeoff_stats::units;

const SAME_MEMORY: f64 = 0.05;
/// Sizes that are chosen by the speed of the drive and differ by no more than this factor, two
/// classes, are a note beside the rates.
const NEAR_SIZES: u64 = 4;

/// Everything in which the runs differ, machine first.
pub fn differences(runs: &[&Run]) -> Vec<Difference> {
    let headers: Vec<&Header> = runs.iter().map(|run| &run.header).collect();
    let mut all = machine(&headers);
    all.extend(drives(&headers));
    all.extend(places_below(&headers));
    all.extend(rules(runs));
    all.extend(definitions(&headers));
    all
}

/// Names that every run has, in the order of the first.
pub fn common<'a>(runs: &[&'a Run], names: impl Fn(&'a Header) -> Vec<&'a str>) -> Vec<&'a str> {
    let Some((first, rest)) = runs.split_first() else { return Vec::new() };
    let others: Vec<Vec<&str>> = rest.iter().map(|run| names(&run.header)).collect();
    let is_common = |name: &&str| others.iter().all(|of| of.contains(name));
    names(&first.header).into_iter().filter(is_common).collect()
}

pub fn workloads(header: &Header) -> Vec<&str> {
    header.workloads.iter().map(|w| w.name.as_str()).collect()
}

/// Names of the candidates of a run, A/A twins left out.
pub fn candidates(header: &Header) -> Vec<&str> {
    let of = header.candidates.iter().filter(|c| c.twin_of.is_none());
    of.map(|c| c.name.as_str()).collect()
}

fn identity(found: Option<Difference>) -> Option<Difference> {
    found.map(|found| Difference { is_identity: true, ..found })
}

fn aspect(
    headers: &[&Header],
    what: &str,
    factor: Option<Factor>,
    value: impl Fn(&Header) -> String,
) -> Option<Difference> {
    let raw: Vec<String> = headers.iter().map(|header| value(header)).collect();
    if raw.iter().all(|value| *value == raw[0]) {
        return None;
    }
    let values = raw.iter().map(|value| printable(value.as_bytes())).collect();
    Some(Difference::new(what, factor, values))
}

fn machine(headers: &[&Header]) -> Vec<Difference> {
    let host = |what: &str, value: &dyn Fn(&Header) -> String| {
        aspect(headers, what, Some(Factor::Board), value)
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let mut all = vec![
        identity(host("host name", &|h| h.host.hostname.clone())),
        host("board", &|h| text(&h.host.model)),
        host("CPU", &|h| text(&h.host.cpu)),
        host("CPUs", &|h| h.host.cpus.to_string()),
        host("architecture", &|h| h.host.arch.clone()),
        host("system", &|h| text(&h.host.os)),
        host("AES instructions", &|h| match h.host.aes {
            Some(true) => "yes".to_string(),
            Some(false) => "no".to_string(),
            None => String::new(),
        }),
        host("governor", &|h| h.host.governors.join(",")),
        host("clock source", &|h| text(&h.host.clocksource)),
        aspect(headers, "kernel", Some(Factor::Kernel), |h| h.host.kernel.clone()),
    ];
    // Records of earlier versions have none.
    if headers.iter().all(|h| h.host.board_id.is_some()) {
        all.push(identity(host("board ID", &|h| text(&h.host.board_id))));
    }
    let memory = sample::range(headers.iter().map(|h| h.host.mem_total_bytes as f64));
    if memory.is_some_and(|(low, high)| high > low * (1.0 + SAME_MEMORY)) {
        all.push(host("memory", &|h| units::size(h.host.mem_total_bytes)));
    }
    let names = headers.iter().flat_map(|h| &h.host.settings).map(|(name, _)| name.as_str());
    for name in distinct::sorted(names) {
        let of = |h: &Header| h.host.settings.iter().find(|s| s.0 == name).map(|s| s.1.clone());
        all.push(host(&printable(name.as_bytes()), &|h| of(h).unwrap_or_default()));
    }
    all.into_iter().flatten().collect()
}

/// A workload or candidate that one of the runs has and not all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub name: String,
    pub run: usize,
}

pub fn left_out(runs: &[&Run]) -> Vec<LeftOut> {
    let lists: [fn(&Header) -> Vec<&str>; 2] = [workloads, candidates];
    let all = lists.into_iter().flat_map(|names| {
        let shared = common(runs, names);
        let of = move |(at, run): (usize, &&Run)| {
            let own = names(&run.header).into_iter().filter(|name| !shared.contains(name));
            let left_out = |name: &str| LeftOut { name: printable(name.as_bytes()), run: at };
            own.map(left_out).collect::<Vec<_>>()
        };
        runs.iter().enumerate().flat_map(of)
    });
    distinct::in_order(all)
}

/// Where a run measured: its regions, or its directories that all runs have.
fn spots<'a>(header: &'a Header, shared: &[&str]) -> Vec<(String, &'a Place)> {
    let regions = header.regions().enumerate().map(|(i, region)| {
        let name = if i == 0 { "region".to_string() } else { format!("region {}", i + 1) };
        (name, &region.place)
    });
    let is_shared = |(name, _): &(&str, _)| shared.contains(name);
    let directories = header.directories().filter(is_shared);
    let directories = directories.map(|(name, place)| (name.to_string(), place));
    regions.chain(directories).collect()
}

fn shared<'a>(headers: &[&'a Header]) -> Vec<&'a str> {
    let is_in = |header: &&Header, name: &str| header.candidates.iter().any(|c| c.name == name);
    let Some(first) = headers.first() else { return Vec::new() };
    let names = first.candidates.iter().map(|c| c.name.as_str());
    names.filter(|name| headers.iter().all(|h| is_in(h, name))).collect()
}

fn drives(headers: &[&Header]) -> Vec<Difference> {
    let shared = shared(headers);
    let of_disks = |header: &Header, value: &dyn Fn(&Layer) -> String| -> String {
        let mut values: Vec<String> = Vec::new();
        for (_, place) in spots(header, &shared) {
            let of_spot: Vec<String> = place.disks().map(value).collect();
            values.push(of_spot.join(" + "));
        }
        values.dedup();
        values.join("; ")
    };
    let factor = Some(Factor::Device);
    let device = |what: &str, value: &dyn Fn(&Layer) -> String| {
        aspect(headers, what, factor, |h| of_disks(h, value))
    };
    let text = |value: &Option<String>| value.as_deref().unwrap_or_default().trim().to_string();
    let tokens = |h: &Header| -> String {
        let of = h.regions().map(|r| r.token.clone().unwrap_or_default());
        of.collect::<Vec<_>>().join("; ")
    };
    let start = |h: &Header| -> String {
        let regions = h.regions().map(|r| units::size(r.start_bytes));
        let partitions = spots(h, &shared).into_iter().flat_map(|(_, place)| {
            let is_part = |l: &&Layer| l.kind == LayerKind::Partition;
            place.chain.iter().filter(is_part).filter_map(|l| l.start_bytes).map(units::size)
        });
        regions.chain(partitions).collect::<Vec<_>>().join("; ")
    };
    let all = [
        device("drive", &|l| format!("{} {}", text(&l.vendor), text(&l.model)).trim().to_string()),
        identity(device("serial number", &|l| text(&l.serial))),
        device("capacity", &|l| units::size_decimal(l.size_bytes)),
        device("bus", &|l| text(&l.bus)),
        device("link", &|l| l.link.as_ref().map(Link::to_string).unwrap_or_default()),
        device("sectors", &|l| l.logical_block_bytes.map(|b| b.to_string()).unwrap_or_default()),
        device("write cache", &|l| text(&l.write_cache)),
        device("scheduler", &|l| text(&l.scheduler)),
        device("read-ahead", &|l| l.read_ahead_bytes.map(units::size).unwrap_or_default()),
        identity(aspect(headers, "erase token", factor, tokens)),
        aspect(headers, "position on the drive", factor, start),
    ];
    all.into_iter().flatten().collect()
}

fn places_below(headers: &[&Header]) -> Vec<Difference> {
    let shared = shared(headers);
    let of: Vec<Vec<(String, &Place)>> = headers.iter().map(|h| spots(h, &shared)).collect();
    let mut all = Vec::new();
    for (name, _) in of.first().into_iter().flatten() {
        let find = |spots: &Vec<(String, &_)>| spots.iter().position(|(n, _)| n == name);
        let places: Option<Vec<&Place>> = of.iter().map(|s| Some(s[find(s)?].1)).collect();
        let Some(places) = places else { continue };
        for aspect in places::differing(&places) {
            // The drive and its link were compared by what identifies them.
            if matches!(aspect.name, Respect::Device | Respect::Link | Respect::Position) {
                continue;
            }
            let place = printable(name.as_bytes());
            let what = format!("{} of {place}", aspect.name.label());
            all.push(Difference::new(what, None, aspect.values));
        }
    }
    all
}

fn rules(runs: &[&Run]) -> Vec<Difference> {
    let headers: Vec<&Header> = runs.iter().map(|run| &run.header).collect();
    let never = |what: &str, value: &dyn Fn(&Header) -> String| aspect(&headers, what, None, value);
    let regions = |h: &Header, value: &dyn Fn(&bakeoff_model::event::Region) -> String| {
        h.regions().map(value).collect::<Vec<_>>().join("; ")
    };
    let limit = |ns: Option<u64>| ns.map(units::duration).unwrap_or_default();
    let all = [
        never("what is compared", &|h| {
            match h.region.as_ref().map(|r| r.is_image) {
                None => "places",
                Some(true) => "stacks on an image",
                Some(false) => "stacks on a drive",
            }
            .to_string()
        }),
        never("mode", &|h| h.protocol.mode.name().to_string()),
        never("shortest cell", &|h| units::duration(h.protocol.cell_min_ns)),
        never("longest cell", &|h| limit(h.protocol.cell_max_ns)),
        never("operations of a cell", &|h| h.protocol.cell_min_ios.to_string()),
        never("size of the region", &|h| regions(h, &|r| units::size(r.size_bytes))),
        never("state before each visit", &|h| regions(h, &|r| r.flash_state.name().to_string())),
    ];
    all.into_iter().flatten().collect()
}

/// Sizes of files that are not the same in all runs, where nobody asked for one and they are near
/// each other: rates are compared all the same.
pub fn near_sizes(runs: &[&Run]) -> Vec<Difference> {
    let headers: Vec<&Header> = runs.iter().map(|run| &run.header).collect();
    let Some(first) = headers.first() else { return Vec::new() };
    let of = |workload: &Workload| {
        let all = of_name(&headers, &workload.name)?;
        let is_same = all.iter().all(|w| w.job.size == all[0].job.size);
        let values = all.iter().map(|w| units::size(w.job.size)).collect();
        let what = format!("size of {}", printable(workload.name.as_bytes()));
        (!is_same && are_near(&all)).then(|| Difference::new(what, None, values))
    };
    first.workloads.iter().filter_map(of).collect()
}

fn of_name<'h>(headers: &[&'h Header], name: &str) -> Option<Vec<&'h Workload>> {
    headers.iter().map(|h| h.workloads.iter().find(|w| w.name == name)).collect()
}

fn are_near(all: &[&Workload]) -> bool {
    let sizes = || all.iter().map(|workload| workload.job.size);
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    all.iter().all(|workload| !workload.sized) && most <= least.saturating_mul(NEAR_SIZES)
}

fn definitions(headers: &[&Header]) -> Vec<Difference> {
    let mut all = Vec::new();
    let Some(first) = headers.first() else { return all };
    for workload in &first.workloads {
        let is_near = of_name(headers, &workload.name).is_some_and(|all| are_near(&all));
        let find = |h: &&Header| {
            let mut found = h.workloads.iter().find(|w| w.name == workload.name)?.clone();
            if is_near {
                found.job.size = 0;
            }
            Some(document(&found))
        };
        let name = printable(workload.name.as_bytes());
        let what = format!("workload {name}");
        all.extend(unlike_keys(&what, headers.iter().map(find).collect()));
    }
    for candidate in &first.candidates {
        let of = |c: &Candidate| match &c.kind {
            Kind::Stack(stack) => document(stack),
            // What lies behind a directory was compared layer by layer.
            Kind::Directory { path, .. } => document(path),
        };
        let find = |h: &&Header| h.candidates.iter().find(|c| c.name == candidate.name).map(of);
        let name = printable(candidate.name.as_bytes());
        all.extend(unlike_keys(&name, headers.iter().map(find).collect()));
    }
    all
}

fn document(value: &impl Serialize) -> Value {
    // Plain data of ours: there is nothing in it that could fail.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// The keys in which documents differ; a run without the thing has none and is left out of it.
fn unlike_keys(name: &str, documents: Vec<Option<Value>>) -> Vec<Difference> {
    let Some(documents) = documents.into_iter().collect::<Option<Vec<Value>>>() else {
        return Vec::new();
    };
    let mut leaves: Vec<Vec<(String, String)>> = Vec::new();
    for document in &documents {
        let mut of = Vec::new();
        flatten("", document, &mut of);
        leaves.push(of);
    }
    let keys = leaves.iter().flatten().map(|(key, _)| key);
    let mut all = Vec::new();
    for key in distinct::sorted(keys.filter(|key| !key.ends_with("seed"))) {
        let value = |of: &Vec<(String, String)>| {
            let found = of.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
            printable(found.unwrap_or_default().as_bytes())
        };
        let values: Vec<String> = leaves.iter().map(value).collect();
        if values.iter().any(|v| *v != values[0]) {
            let what = match key.as_str() {
                "" => name.to_string(),
                key => format!("{name}: {}", printable(key.as_bytes())),
            };
            all.push(Difference::new(what, None, values));
        }
    }
    all
}

fn flatten(path: &str, value: &Value, into: &mut Vec<(String, String)>) {
    let below = |key: &str| match path {
        "" | "job" => key.to_string(),
        _ => format!("{path}.{key}"),
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, v)| flatten(&below(key), v, into)),
        Value::String(text) => into.push((path.to_string(), text.clone())),
        Value::Null => into.push((path.to_string(), String::new())),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            into.push((path.to_string(), words.join(" ")));
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            into.push((path.to_string(), value.to_string()));
        }
    }
}
