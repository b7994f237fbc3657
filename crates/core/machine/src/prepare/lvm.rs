//! A logical volume between region (or encryption) and filesystem.
//!
//! LVM looks at every block device of a machine unless told not to; each command here is told to
//! look at ours alone and to leave the machine's list of devices, archives and backups as they
//! are. The names carry the run id. Source: lvm(8), lvmconfig(8), lvm.conf(5).

use bakeoff_model::path::RawPath;
use bakeoff_model::step::{Action, Step};
use bakeoff_model::undo::{Undo, Volume};

const VOLUME: &str = "lv";

/// Name of the volume group; carries the run id, and the slot of a stack that stands beside others.
pub fn group_name(run: &str, slot: u16) -> String {
    match slot {
        0 => format!("bakeoff_{run}"),
        slot => format!("bakeoff_{run}_{slot}"),
    }
}

/// Name of the volume in /dev/mapper: group and volume, no hyphen in either to be doubled.
pub fn mapper_name(run: &str, slot: u16) -> String {
    format!("{}-{VOLUME}", group_name(run, slot))
}

pub fn mapper_path(run: &str, slot: u16) -> RawPath {
    RawPath::new(format!("/dev/mapper/{}", mapper_name(run, slot)))
}

/// Make `device` a physical volume, a group of it, and one volume of the whole group, which is
/// active then. Only the last leaves anything in the kernel; what the others write to the device
/// is overwritten by the next visit and wiped at the end.
pub fn steps(first: u32, name: &str, (run, slot): (&str, u16), device: &RawPath) -> [Step; 3] {
    let group = group_name(run, slot);
    let make = |program: &str, words: &[&str]| {
        let mut argv: Vec<RawPath> = vec![RawPath::new(program), RawPath::new("--yes")];
        argv.extend([RawPath::new("--config"), RawPath::new(config(device))]);
        argv.extend(words.iter().map(RawPath::new));
        argv
    };
    // It may have been part of a group already: a stack is made again where it was made before.
    let mut pv = make("pvcreate", &["-ff", "--zero", "y"]);
    pv.push(device.clone());
    let mut vg = make("vgcreate", &[&group]);
    vg.push(device.clone());
    let lv = make(
        "lvcreate",
        &[
            "--wipesignatures",
            "n",
            "--zero",
            "n",
            "--name",
            VOLUME,
            "--extents",
            "100%FREE",
            &group,
        ],
    );
    let step = |number: u32, why: String, argv, undo, destroys| Step {
        step: first + number,
        why,
        action: Action::Run { argv },
        undo,
        destroys,
    };
    let close = Undo::RemoveVolume(Volume::Lvm(slot));
    [
        step(
            0,
            format!("create LVM for {name}"),
            pv,
            None,
            Some(format!("everything on {device}")),
        ),
        step(1, format!("create a volume group for {name}"), vg, None, None),
        step(2, format!("create a logical volume for {name}"), lv, Some(close), None),
    ]
}

/// Settings for one command. `write_cache_state` and the devices file belong to the machine;
/// `obtain_device_list_from_udev` would wait for a udev that may not run.
fn config(device: &RawPath) -> String {
    // A regular expression of LVM in a string of its own syntax; ours are names like /dev/loop0.
    let exact = device.to_string().replace(['"', '\\', '|'], "");
    format!(
        "devices{{use_devicesfile=0 obtain_device_list_from_udev=0 filter=[\"a|^{exact}$|\",\
         \"r|.*|\"] global_filter=[\"a|^{exact}$|\",\"r|.*|\"]}} backup{{backup=0 archive=0}} \
         global{{event_activation=0 use_lvmpolld=0}} activation{{monitoring=0}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::commands::describe;

    #[test]
    fn the_commands_look_at_our_device_alone() {
        let steps = steps(7, "ext4 on LVM", ("0123456789abcdef", 0), &RawPath::new("/dev/loop0"));
        let lines: Vec<String> = steps.iter().map(|s| describe(&s.action)).collect();
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(steps.each_ref().map(|s| s.step), [7, 8, 9]);
    }

    #[test]
    fn the_mapper_is_what_is_undone() {
        let [.., last] = steps(0, "x", ("0123456789abcdef", 0), &RawPath::new("/dev/loop0"));
        assert_eq!(last.undo, Some(Undo::RemoveVolume(Volume::Lvm(0))));
        assert_eq!(mapper_name("0123456789abcdef", 0), "bakeoff_0123456789abcdef-lv");
        assert_eq!(mapper_name("0123456789abcdef", 2), "bakeoff_0123456789abcdef_2-lv");
    }
}
