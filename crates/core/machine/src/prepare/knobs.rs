//! Settings of the kernel that are varied: I/O scheduler, read-ahead, requests, governor.
//!
//! Each is a file in /sys whose old value is recorded before it is changed, and put back only if
//! it still is what we made it: whoever changed it meanwhile meant to. Source:
//! Documentation/ABI/stable/sysfs-block and Documentation/admin-guide/pm/cpufreq.rst of Linux.

use crate::sysinfo::scheduler;
use bakeoff_model::candidate::Knobs;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::{Action, Step};
use bakeoff_model::undo::{Knob, Undo};

/// The settings a candidate asks for, as files with the values wanted. `disk` is a kernel name
/// (`sda`), `policies` the names in /sys/devices/system/cpu/cpufreq.
pub fn wanted(knobs: &Knobs, disk: &str, policies: &[String]) -> Vec<(Knob, String)> {
    let disk = disk.to_string();
    let mut wanted = Vec::new();
    // The scheduler first: it brings a number of requests of its own.
    if let Some(name) = &knobs.scheduler {
        wanted.push((Knob::Scheduler(disk.clone()), name.clone()));
    }
    if let Some(requests) = knobs.nr_requests {
        wanted.push((Knob::NrRequests(disk.clone()), requests.to_string()));
    }
    if let Some(kib) = knobs.read_ahead_kb {
        wanted.push((Knob::ReadAheadKb(disk), kib.to_string()));
    }
    if let Some(governor) = &knobs.governor {
        let of = |policy: &String| (Knob::Governor(policy.clone()), governor.clone());
        wanted.extend(policies.iter().map(of));
    }
    wanted
}

/// The file of a setting; one that is none of a disk or a policy has a name that nothing has.
pub fn path(knob: &Knob) -> RawPath {
    knob.path().unwrap_or_else(|| RawPath::new("/sys/none"))
}

/// The value in force in the text of a setting: of `none [mq-deadline] kyber` the one in brackets.
pub fn current(text: &str) -> String {
    let text = text.trim();
    scheduler::parse(text).current.unwrap_or_else(|| text.to_string())
}

pub fn set(step: u32, knob: &Knob, value: &str, before: &str) -> Step {
    Step::new(
        step,
        format!("set {} to {value} (currently {before})", knob.name()),
        Action::SetKnob { path: path(knob), value: value.to_string() },
    )
    .undone_by(Undo::RestoreKnob {
        knob: knob.clone(),
        ours: value.to_string(),
        before: before.to_string(),
    })
}

/// The length of the queue beside a scheduler's file. The kernel sets it anew with each scheduler
/// (blk_mq_init_sched and elevator_disable in Linux's block/), so who chose one would lose it.
pub fn queue_length(knob: &Knob) -> Option<Knob> {
    match knob {
        Knob::Scheduler(disk) => Some(Knob::NrRequests(disk.clone())),
        Knob::NrRequests(_) | Knob::ReadAheadKb(_) | Knob::Governor(_) => None,
    }
}

/// Note a value that another change makes the kernel forget, and write it when that is undone.
pub fn keep(step: u32, knob: &Knob, value: &str) -> Step {
    let value = value.to_string();
    Step::new(
        step,
        format!("keep {} at {value}, which a scheduler would change", knob.name()),
        Action::SetKnob { path: path(knob), value: value.clone() },
    )
    .undone_by(Undo::KeepKnob { knob: knob.clone(), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_values_in_the_order_they_are_written() {
        let knobs = Knobs {
            scheduler: Some("bfq".into()),
            read_ahead_kb: Some(128),
            nr_requests: Some(64),
            governor: Some("performance".into()),
        };
        let policies = ["policy0".to_string(), "policy4".to_string()];
        let lines: Vec<String> = wanted(&knobs, "sda", &policies)
            .iter()
            .map(|(knob, value)| format!("{} {value}", path(knob)))
            .collect();
        assert_eq!(
            lines,
            [
                "/sys/block/sda/queue/scheduler bfq",
                "/sys/block/sda/queue/nr_requests 64",
                "/sys/block/sda/queue/read_ahead_kb 128",
                "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor performance",
                "/sys/devices/system/cpu/cpufreq/policy4/scaling_governor performance",
            ]
        );
        assert_eq!(wanted(&Knobs::default(), "sda", &policies), []);
        let disk = || "sda".to_string();
        assert_eq!(queue_length(&Knob::Scheduler(disk())), Some(Knob::NrRequests(disk())));
        assert_eq!(queue_length(&Knob::ReadAheadKb(disk())), None);
    }

    #[test]
    fn the_scheduler_in_brackets_is_the_one_in_force() {
        assert_eq!(current("none [mq-deadline] kyber bfq\n"), "mq-deadline");
        assert_eq!(current("[none]"), "none");
        assert_eq!(current("128\n"), "128");
        let step = set(3, &Knob::Scheduler("sda".to_string()), "bfq", "none");
        assert_eq!(step.why, "set scheduler to bfq (currently none)");
        let Some(Undo::RestoreKnob { ours, before, .. }) = step.undo else { panic!() };
        assert_eq!((ours.as_str(), before.as_str()), ("bfq", "none"));
    }
}
