//! What a visit of a stack does to the system, before its cells: the steps in their order, to be
//! shown by `plan`. The runner takes the same steps one by one, because each looks at what the one
//! before it did; a test compares the two.

use crate::model::candidate::Stack;
use crate::model::event::FlashState;
use crate::model::path::RawPath;
use crate::model::step::Step;

use super::{crypt, knobs, lvm, steps, support};

/// Where a stack is made.
pub struct Ground<'a> {
    /// The run's id.
    pub run: &'a str,
    /// The block device that is exactly the region.
    pub device: &'a RawPath,
    /// Size of the region.
    pub region_bytes: u64,
    /// What is done to the region first.
    pub flash_state: FlashState,
    /// Where it is mounted.
    pub mount_point: &'a RawPath,
    /// Kernel name of the disk whose settings are changed.
    pub knob_disk: &'a str,
    /// cpufreq policies.
    pub policies: &'a [String],
    /// The value of a setting now; `None` where it cannot be known yet.
    pub setting: &'a dyn Fn(&RawPath) -> Option<String>,
}

/// The steps, numbered from 0, ready to be measured on after the last one.
pub fn steps(name: &str, stack: &Stack, ground: &Ground) -> Vec<Step> {
    const UNKNOWN: &str = "BEFORE";
    let mut taken: Vec<Step> = Vec::new();
    for (path, value) in knobs::wanted(&stack.knobs, ground.knob_disk, ground.policies) {
        let before = (ground.setting)(&path).map(|text| knobs::current(&text));
        let before = before.unwrap_or_else(|| UNKNOWN.to_string());
        if before != value {
            taken.push(knobs::set(0, &path, &value, &before));
        }
    }
    match ground.flash_state {
        FlashState::WrittenOnce => {}
        FlashState::Overwritten => {
            taken.push(steps::overwrite(0, ground.device, ground.region_bytes, false));
        }
        FlashState::Trimmed => taken.push(steps::discard(0, ground.device)),
    }
    let mut device = ground.device.clone();
    if let Some(wanted) = &stack.crypt {
        let discards = ground.flash_state == FlashState::Trimmed;
        if crypt::has_header(wanted) {
            taken.push(crypt::format(0, name, wanted, &device));
        }
        taken.push(crypt::open(0, name, wanted, ground.run, &device, discards));
        device = crypt::mapper_path(ground.run);
    }
    if stack.lvm {
        taken.extend(lvm::steps(0, name, ground.run, &device));
        device = lvm::mapper_path(ground.run);
    }
    if stack.fs != support::RAW {
        taken.push(steps::mkfs(0, name, stack, &device));
        taken.push(steps::mount(0, name, stack, &device, ground.mount_point));
    }
    for (number, step) in (0..).zip(&mut taken) {
        step.step = number;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::candidate::{Crypt, Knobs};
    use crate::prepare::commands::describe;
    use crate::prepare::support::recipes_for;

    #[test]
    fn from_the_settings_up_to_the_mount() {
        let device = RawPath::new("/dev/mapper/bakeoff-RUN-region0");
        let at = RawPath::new("/run/.bakeoff-RUN/mnt");
        let setting = |path: &RawPath| {
            path.to_string().ends_with("scheduler").then(|| "[none] bfq".to_string())
        };
        let ground = Ground {
            run: "RUN",
            device: &device,
            region_bytes: 1 << 30,
            flash_state: FlashState::Trimmed,
            mount_point: &at,
            knob_disk: "sda",
            policies: &[],
            setting: &setting,
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
        let taken = steps("ext4", &stack, &ground);
        let lines: Vec<String> = taken.iter().map(|step| describe(&step.action)).collect();
        insta::assert_snapshot!(lines.join("\n"));
        let raw = Stack { knobs: Knobs::default(), ..recipes_for("raw")[0].stack() };
        let written = Ground { flash_state: FlashState::WrittenOnce, ..ground };
        assert_eq!(steps("raw", &raw, &written), []);
    }
}
