//! The plans that come with bakeoff: five published studies, and two questions people have.
//!
//! Each is a TOML file beside this one, whose head says what it repeats and what it does better.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    pub name: &'static str,
    pub summary: &'static str,
    pub text: &'static str,
}

pub const BUILT_IN: [BuiltIn; 7] = [
    BuiltIn {
        name: "mountpoints",
        summary: "vfat, ntfs, ext4 on one or several devices, with sysbench's random 16k mix",
        text: include_str!("builtin/mountpoints.toml"),
    },
    BuiltIn {
        name: "usb-stick",
        summary: "ext4, f2fs, exfat, reiserfs on a USB stick, with the workloads of dd and \
                  bonnie++",
        text: include_str!("builtin/usb-stick.toml"),
    },
    BuiltIn {
        name: "journal-scheduler",
        summary: "ext4 with and without journal under four schedulers",
        text: include_str!("builtin/journal-scheduler.toml"),
    },
    BuiltIn {
        name: "luks-btrfs",
        summary: "ext4 and btrfs, plain and on LUKS, 4k and 4M at queue depth 64",
        text: include_str!("builtin/luks-btrfs.toml"),
    },
    BuiltIn {
        name: "block-size-sweep",
        summary: "ext2, ext3, ext4, vfat with 18 block sizes from 8 bytes to 1 MiB",
        text: include_str!("builtin/block-size-sweep.toml"),
    },
    BuiltIn {
        name: "sd-card",
        summary: "the filesystems that a small computer can run from",
        text: include_str!("builtin/sd-card.toml"),
    },
    BuiltIn {
        name: "nas",
        summary: "ext4, xfs, btrfs for a file server's drive",
        text: include_str!("builtin/nas.toml"),
    },
];

pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|plan| plan.name == name)
}

pub fn did_you_mean(name: &str) -> String {
    bakeoff_stats::phrases::did_you_mean(name, &BUILT_IN.map(|plan| plan.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::parse;
    use crate::testing::expanded;
    use bakeoff_model::job::Rw;

    #[test]
    fn every_built_in_plan_is_one_and_says_what_it_is_for() {
        for plan in BUILT_IN {
            let parsed = parse(plan.text, plan.name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(built_in(plan.name), Some(&plan));
            assert!(plan.text.starts_with("# "), "{}", plan.name);
            assert!(!parsed.title.is_empty() && parsed.title != plan.name);
        }
        assert_eq!(did_you_mean("usbstick"), "did you mean 'usb-stick'?");
    }

    #[test]
    fn what_each_built_in_plan_comes_to() {
        let mut said = String::new();
        for plan in BUILT_IN {
            let made = expanded(plan.text, &[]);
            let candidates = made.candidates.iter().map(|c| format!("    {}\n", c.name));
            let workloads =
                made.workloads.iter().map(|w| format!("    {}: {}\n", w.name, w.summary));
            said += &format!(
                "{}\n  candidates\n{}  workloads\n{}",
                plan.name,
                candidates.collect::<String>(),
                workloads.collect::<String>()
            );
        }
        insta::assert_snapshot!(said);
    }

    #[test]
    fn the_sweep_has_eighteen_block_sizes_from_8_bytes_to_1_mib_both_ways() {
        let made = expanded(built_in("block-size-sweep").unwrap().text, &[]);
        let wanted: Vec<u64> = (3..=20).map(|power| 1 << power).collect();
        for rw in [Rw::Write, Rw::Read] {
            let own = made.workloads.iter().filter(|w| w.driver.is_native());
            let of = own.filter(|w| w.job.rw == rw);
            let mut sizes: Vec<u64> = of.map(|w| w.job.bs).collect();
            // What does not fit into the time is given up from the end: the shape is there first.
            assert_eq!(sizes[..4], [8, 256, 16384, 1 << 20]);
            sizes.sort_unstable();
            assert_eq!(sizes, wanted);
        }
        assert!(made.workloads[..8].iter().any(|w| w.job.rw == Rw::Read));
        assert_eq!(made.candidates.len(), 4);
    }
}
