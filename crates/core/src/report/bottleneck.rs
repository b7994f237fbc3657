//! What holds candidates back, in words.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::model::bottleneck::{Bottleneck, Reason};
use crate::model::cause::{Cause, Grade};
use crate::model::clue::{
    Around, Calling, Clue, Direction, Drive, Experiment, Fall, OfLayer, Processor, Rate, Subject,
};
use crate::model::throttled;
use crate::model::workload::Metric;
use crate::{phrases, units};

/// One sentence about a workload: what holds all of them back, or each.
pub fn sentence(all: &[Bottleneck]) -> Option<String> {
    let each = of_each(all);
    if each.is_empty() {
        // The least sure of them is how sure all are; its evidence stands for all.
        let shown = all.iter().min_by_key(|held| held.reason.grade)?;
        let who = if all.len() > 1 { ", for all candidates" } else { "" };
        return Some(format!("{}{who}", of_one(&shown.reason)));
    }
    let each = each.iter().map(|(candidate, cause)| format!("{candidate}: {cause}"));
    Some(each.collect::<Vec<_>>().join("; "))
}

/// Each candidate with its cause; empty if all candidates share one.
pub fn of_each(all: &[Bottleneck]) -> Vec<(String, String)> {
    if all.windows(2).all(|pair| pair[0].reason.what() == pair[1].reason.what()) {
        return Vec::new();
    }
    all.iter().map(|held| (held.candidate.clone(), of_one(&held.reason))).collect()
}

/// "flushing (proved: 1200 flushes took 97 % of the time)".
pub fn of_one(reason: &Reason) -> String {
    let (name, evidence) = (name(reason.what()), evidence(&reason.evidence));
    match reason.grade {
        Grade::Unattributed => format!("{name}: {evidence}"),
        grade @ (Grade::Consistent | Grade::Proved) => {
            format!("{name} ({}: {evidence})", grade.label())
        }
    }
}

/// `held_back` of a workload, for programs.
pub fn json(all: &[Bottleneck]) -> Value {
    let reason = |of: &Reason| {
        let mut said =
            json!({ "cause": of.cause, "grade": of.grade, "evidence": evidence(&of.evidence) });
        if let Some(share) = of.share {
            said["share"] = json!(share);
        }
        if let Some(subject) = &of.subject {
            said["subject"] = json!(whose(subject));
        }
        said
    };
    let one = |held: &Bottleneck| {
        json!({
            "candidate": held.candidate,
            "reason": reason(&held.reason),
            "cells": held.cells,
            "of": held.of,
        })
    };
    all.iter().map(one).collect()
}

/// "the CPU (kcryptd)".
pub fn name((cause, subject): (Cause, Option<&Subject>)) -> String {
    match subject {
        Some(subject) => format!("{} ({})", cause.label(), whose(subject)),
        None => cause.label().to_string(),
    }
}

/// Whose the cause is.
pub fn whose(subject: &Subject) -> String {
    match subject {
        Subject::Quota => "quota of the control group".to_string(),
        Subject::Bakeoff => "bakeoff itself".to_string(),
        Subject::DmCrypt => "dm-crypt".to_string(),
        Subject::Cipher => "the cipher".to_string(),
        Subject::Filesystem(name) => filesystem(name.as_deref()).to_string(),
        Subject::Thread { name, .. } => name.clone(),
        Subject::Interrupts => "interrupts".to_string(),
        Subject::CallingThread => "the calling thread".to_string(),
        Subject::OtherProcesses => "other processes".to_string(),
        Subject::UnderVoltage => "under-voltage".to_string(),
        Subject::Heat => "heat".to_string(),
        Subject::VirtualDisk => "virtual disk".to_string(),
        Subject::ShingledDisk => "shingled drive".to_string(),
        Subject::Flash => "flash".to_string(),
        Subject::Links(links) => links.join(" + "),
    }
}

fn filesystem(name: Option<&str>) -> &str {
    name.unwrap_or("the filesystem")
}

/// What was seen, in numbers.
pub fn evidence(clues: &[Clue]) -> String {
    clues.iter().map(clue).collect::<Vec<_>>().join("; ")
}

fn clue(clue: &Clue) -> String {
    match clue {
        Clue::Around(clue) => around(clue),
        Clue::Processor(clue) => processor(clue),
        Clue::Drive(clue) => drive(clue),
        Clue::Experiment(clue) => experiment(clue),
        Clue::OfLayer(of) => of_layer(of),
        Clue::Layers(all) if all.is_empty() => "no lower layer was measured".to_string(),
        Clue::Layers(all) => {
            let all: Vec<String> = all.iter().map(of_layer).collect();
            format!("it reaches {}", all.join(", "))
        }
        Clue::Disagree(causes) => {
            let names = causes.iter().map(|(cause, subject)| name((*cause, subject.as_ref())));
            let names: BTreeSet<String> = names.collect();
            let names: Vec<String> = names.into_iter().collect();
            format!("measurements disagree: {}", phrases::list(&names))
        }
    }
}

fn of_layer(of: &OfLayer) -> String {
    format!("{} of {} ({})", percent(of.share), of.layer.label(), rate(of.rate))
}

fn around(clue: &Around) -> String {
    match clue {
        Around::Throttled { bits, share } => {
            let when = match *share {
                0.0 => "between two samples".to_string(),
                share => format!("in {} of the samples", percent(share)),
            };
            format!("the firmware reported {} {when}", throttled::labels(*bits).join(", "))
        }
        Around::LowClock { lowest_khz, most_khz, hottest_mc } => {
            let heat = hottest_mc.map_or(String::new(), |mc| format!(" at {} °C", mc / 1000));
            let (lowest, most) = (lowest_khz / 1e3, most_khz / 1e3);
            format!("the CPU clock fell to {lowest:.0} of {most:.0} MHz{heat}")
        }
        Around::Foreign { others_bytes, own_bytes } => format!(
            "other processes transferred {} on the same drive, this workload {}",
            units::size(*others_bytes),
            units::size(*own_bytes)
        ),
        Around::Unmoved { direction, share } => {
            let what = match direction {
                Direction::Read => "read",
                Direction::Written => "written",
            };
            format!("the devices transferred {} of the bytes {what}", percent(*share))
        }
    }
}

fn processor(clue: &Processor) -> String {
    match clue {
        Processor::Quota { share } => format!(
            "the control group's CPU quota stopped bakeoff for {} of the time",
            percent(*share)
        ),
        Processor::OwnRate { share } => {
            format!("{} of bakeoff's own rate without I/O", percent(*share))
        }
        Processor::OwnWork { share } => {
            format!("generating data and counting took {} of the time", percent(*share))
        }
        Processor::Thread { name, share, drive, lane } => format!(
            "{name} ran for {} of the time; waiting for the drive took {}, the calling thread ran \
             {}",
            percent(*share),
            percent(*drive),
            percent(*lane)
        ),
        Processor::Interrupts { cpu, share } => {
            format!("CPU {cpu} spent {} of the time in interrupts", percent(*share))
        }
        Processor::WaitedForCpu { waited, ran } => format!(
            "the calling thread waited for a CPU for {} of the time and ran for {}",
            percent(*waited),
            percent(*ran)
        ),
        Processor::CallingThread { ran, waited, calling } => calling_thread(*ran, *waited, calling),
        Processor::Crowded { busy, waiting, lane } => format!(
            "all CPUs were busy for {} of the time, tasks waited for a CPU for {}, and the \
             calling thread ran for {}",
            percent(*busy),
            percent(*waiting),
            percent(*lane)
        ),
    }
}

fn calling_thread(ran: f64, waited: Option<f64>, calling: &Calling) -> String {
    let ran = match waited {
        Some(waited) => format!(
            "the calling thread ran for {} of the time and waited for a CPU for {}",
            percent(ran),
            percent(waited)
        ),
        None => format!("the calling thread ran for {} of the time", percent(ran)),
    };
    match calling {
        Calling::AsInMemory { share } => {
            format!("{ran}, at {} of the rate of the same calls in memory", percent(*share))
        }
        Calling::SmallCalls { ns, bytes } => {
            format!("{ran}: {ns:.0} ns a call for {bytes} bytes each")
        }
        Calling::InKernel { share, filesystem: name } => {
            let fs = filesystem(name.as_deref());
            format!("{ran}, {} of it in the kernel ({fs}, copying)", percent(*share))
        }
    }
}

fn drive(clue: &Drive) -> String {
    match clue {
        Drive::Flushes { count, share } => {
            format!("{count} flushes took {} of the time", percent(*share))
        }
        Drive::DeviceFlushes { share } => {
            format!("the kernel counts {} of the time as drive flushes", percent(*share))
        }
        Drive::WithoutFlushes(without) => format!("without flushes: {}", rate(*without)),
        Drive::DirtyPages { most_bytes, from_bytes, lane } => format!(
            "{} of dirty pages; the kernel slows writers from {} on; the calling thread ran {}",
            units::size(*most_bytes),
            units::size(*from_bytes),
            percent(*lane)
        ),
        Drive::Ends { start, end } => format!(
            "the raw drive reaches {} at the start of the region and {} at its end",
            rate(*start),
            rate(*end)
        ),
        Drive::Slope { change } => {
            format!(
                "from the start of the file to its end the rate changes by {}",
                percent(*change)
            )
        }
        Drive::OfLink { share, rate: of } => {
            format!("{} of the {} that the link can carry", percent(*share), rate(*of))
        }
        Drive::OfPractice { share, rate: of } => format!(
            "{} of the {} that others measured over this kind of link",
            percent(*share),
            rate(*of)
        ),
        Drive::Deeper { times } => {
            format!("with many requests in flight the same region is {times:.1} times as fast")
        }
        Drive::FasterThanRaw { times } => format!("{times:.1} times the rate of the raw device"),
        Drive::InFlight { requests, await_ms } => {
            format!("{requests:.1} requests in flight on average, {await_ms:.2} ms each")
        }
        Drive::OneInFlight { share, await_ms } => format!(
            "one request in flight for {} of the time, {await_ms:.2} ms each",
            percent(*share)
        ),
        Drive::Fall(fall) => fell(fall),
        Drive::Stalls { count, share, longest_ns, median_ns } => format!(
            "{count} stalls took {} of the time, the longest {}; the median write takes {}",
            percent(*share),
            units::latency(*longest_ns),
            units::latency(*median_ns)
        ),
    }
}

fn fell(fall: &Fall) -> String {
    let again = match fall.again {
        None => "measured once".to_string(),
        Some(cells) => format!("as in {cells} other cells"),
    };
    format!(
        "after {} the write rate fell to {} and stayed there, {again}; each byte then took the \
         drive {:.1} times as long",
        units::size(fall.after_bytes),
        percent(fall.ratio),
        fall.times
    )
}

fn experiment(clue: &Experiment) -> String {
    match clue {
        Experiment::NullCipher { times, without } => {
            let without = without.map_or(String::new(), |times| {
                format!(", without encryption {times:.1} times as fast")
            });
            format!("with a null cipher {times:.1} times as fast{without}")
        }
        Experiment::SlowClock { clock, rate } => format!(
            "at {} of the CPU clock it reaches {} of the rate",
            percent(*clock),
            percent(*rate)
        ),
        Experiment::SmallBlocks { block_bytes, share } => format!(
            "with blocks of {} the rate is {} of this rate",
            units::block_size(*block_bytes),
            percent(*share)
        ),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A rate in its metric.
pub fn rate(of: Rate) -> String {
    match of.metric {
        Metric::Bandwidth => units::rate(of.value),
        Metric::Iops | Metric::LatencyP99 => format!("{} IOPS", units::count(of.value)),
        Metric::FilesPerSecond => format!("{} files/s", units::count(of.value)),
        Metric::TransactionsPerSecond => format!("{} transactions/s", units::count(of.value)),
    }
}
