//! What a visit of a stack does to the system, before its cells: the steps in their order, which
//! `plan` shows and the runner takes.

use bakeoff_model::candidate::Stack;
use bakeoff_model::event::FlashState;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Step;
use bakeoff_model::undo::Knob;

use super::stand_in::StandIn;
use super::{crypt, knobs, lvm, recipe, steps};

pub struct StackTarget<'a> {
    pub run: &'a str,
    /// Its number among the stacks that stand at once; names are made of it.
    pub slot: u16,
    pub device: &'a RawPath,
    pub region_bytes: u64,
    pub flash_state: FlashState,
    pub mount_point: &'a RawPath,
}

pub struct Made {
    /// The steps, from the region's state up to the mount, numbered from 0.
    pub steps: Vec<Step>,
    pub device: RawPath,
}

pub struct Settings {
    /// The steps, numbered from 0.
    pub steps: Vec<Step>,
    /// Whether [`StandIn::Before`] is in one of them.
    pub has_unknown: bool,
}

/// The changes of settings of `disk` and of cpufreq's policies; `setting` gives the value of one
/// now, `None` where it cannot be known yet. What one change does to another setting is seen only
/// when it is done.
pub fn settings(
    stack: &Stack,
    disk: &str,
    policies: &[String],
    setting: &dyn Fn(&RawPath) -> Option<String>,
) -> Settings {
    let wanted = knobs::wanted(&stack.knobs, disk, policies);
    let mut has_unknown = false;
    let mut before = |knob: &Knob| {
        let now = setting(&knobs::path(knob)).map(|text| knobs::current(&text));
        has_unknown |= now.is_none();
        now.unwrap_or_else(|| StandIn::Before.word().to_string())
    };
    let mut taken: Vec<Step> = Vec::new();
    for (knob, value) in wanted {
        let now = before(&knob);
        if now == value {
            continue;
        }
        let requests = knobs::queue_length(&knob);
        taken.extend(requests.map(|knob| knobs::keep(0, &knob, &before(&knob))));
        taken.push(knobs::set(0, &knob, &value, &now));
    }
    Settings { steps: numbered(taken), has_unknown }
}

fn numbered(mut taken: Vec<Step>) -> Vec<Step> {
    for (number, step) in (0..).zip(&mut taken) {
        step.step = number;
    }
    taken
}

pub fn made(name: &str, stack: &Stack, ground: &StackTarget) -> Made {
    let mut taken: Vec<Step> = Vec::new();
    match ground.flash_state {
        FlashState::WrittenOnce => {}
        FlashState::Overwritten => {
            taken.push(steps::overwrite(0, ground.device, ground.region_bytes, false));
        }
        FlashState::Trimmed => taken.push(steps::discard(0, ground.device)),
    }
    let mut device = ground.device.clone();
    let ours = (ground.run, ground.slot);
    if let Some(wanted) = &stack.crypt {
        let discards = ground.flash_state == FlashState::Trimmed;
        if crypt::has_header(wanted) {
            taken.push(crypt::format(0, name, wanted, &device));
        }
        taken.push(crypt::open(0, name, wanted, ours, (&device, discards)));
        device = crypt::mapper_path(ground.run, ground.slot);
    }
    if stack.lvm {
        taken.extend(lvm::steps(0, name, ours, &device));
        device = lvm::mapper_path(ground.run, ground.slot);
    }
    if stack.fs != recipe::RAW {
        taken.push(steps::mkfs(0, name, stack, &device));
        let at = (ground.mount_point, ground.slot);
        taken.push(steps::mount(0, name, stack, &device, at));
    }
    Made { steps: numbered(taken), device }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::commands::describe;
    use crate::prepare::recipe::recipes_for;
    use bakeoff_model::candidate::{Crypt, Knobs};

    #[test]
    fn from_the_settings_up_to_the_mount() {
        let device = RawPath::new("/dev/mapper/bakeoff-RUN-region0");
        let at = RawPath::new("/run/.bakeoff-RUN/mnt");
        let setting = |path: &RawPath| {
            path.to_string().ends_with("scheduler").then(|| "[none] bfq".to_string())
        };
        let ground = StackTarget {
            run: "RUN",
            slot: 0,
            device: &device,
            region_bytes: 1 << 30,
            flash_state: FlashState::Trimmed,
            mount_point: &at,
        };
        let stack = Stack {
            crypt: Some(Crypt {
                kind: "luks2".to_string(),
                cipher: "aes-xts-plain64".to_string(),
                key_bits: 512,
                sector_size: Some(4096),
                no_read_workqueue: false,
                no_write_workqueue: false,
            }),
            lvm: true,
            knobs: Knobs {
                scheduler: Some("bfq".to_string()),
                read_ahead_kb: Some(64),
                ..Knobs::default()
            },
            ..recipes_for("ext4")[0].stack()
        };
        let made = super::made("ext4", &stack, &ground);
        assert_eq!(made.device, lvm::mapper_path("RUN", 0));
        let set = settings(&stack, "sda", &[], &setting);
        assert!(set.has_unknown, "read-ahead");
        let taken = set.steps.into_iter().chain(made.steps);
        let lines: Vec<String> = taken.map(|step| describe(&step.action)).collect();
        insta::assert_snapshot!(lines.join("\n"));
        let known = |path: &RawPath| {
            Some(if path.to_string().ends_with("_kb") { "128" } else { "none [mq]" }.to_string())
        };
        assert!(!settings(&stack, "sda", &[], &known).has_unknown);
        let raw = Stack { knobs: Knobs::default(), ..recipes_for("raw")[0].stack() };
        let written = StackTarget { flash_state: FlashState::WrittenOnce, ..ground };
        let made = super::made("raw", &raw, &written);
        assert_eq!((made.steps, made.device), (Vec::new(), device.clone()));
    }
}
