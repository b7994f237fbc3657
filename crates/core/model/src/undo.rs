//! The way back of a step, as a closed type: no command, no path that could lead anywhere.
//!
//! A record can be edited by whoever owns the store, and root recovers from it. So an undo has only
//! the few values that code cannot derive: names and prefixes are made of the run's id and the
//! step's number, and before anything happens the live object is proved ours. What an earlier
//! version or somebody else put into a record is kept to be shown and is never obeyed.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::inode::Inode;
use super::path::RawPath;

/// What puts a step back. The run's id and the step's number come from the record it is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// Remove our scratch directory, by the names bakeoff makes, from a directory of the user's.
    RemoveOurScratch {
        /// Directory of the user's. Only what has our name in it and belongs to us is touched.
        parent: RawPath,
        of: ScratchOf,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<On>,
    },
    RemoveMountPoints,
    UnmountOurs {
        slot: u16,
    },
    DetachMarkedLoop,
    RemoveVolume(Volume),
    RestoreKnob {
        knob: Knob,
        ours: String,
        before: String,
    },
    /// Write a value that another setting's change made the kernel forget.
    KeepKnob {
        knob: Knob,
        value: String,
    },
    RemoveOurRule,
    /// Copy what `probe` saved back to the drive it came from, and remove the copy.
    RestoreSaved {
        drive: DriveId,
    },
    /// Something else is recorded; it is shown and never obeyed.
    #[serde(untagged)]
    Unknown(serde_json::Value),
}

/// A filesystem, by which it is recognised where another one may be mounted in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct On {
    pub dev: u64,
    pub is_in_memory: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScratchOf {
    Run,
    Number(u16),
}

impl ScratchOf {
    pub const MEMORY: ScratchOf = ScratchOf::Number(9999);

    /// The directory's name. Everybody who may list its parent sees it during the run, so it does
    /// not tell the run's id, which is part of the names of reports. A plan has `RUN` for an id.
    pub fn name(self, run: &str) -> String {
        if !is_run_id(run) {
            return format!(".bakeoff-{run}");
        }
        let of = match self {
            ScratchOf::Run => format!("scratch of {run}"),
            ScratchOf::Number(number) => format!("scratch {number} of {run}"),
        };
        let start: String =
            Sha256::digest(of).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!(".bakeoff-{start}")
    }
}

/// A device mapper volume of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volume {
    Region(u16),
    Crypt(u16),
    Lvm(u16),
}

/// What a drive is recognised by. That it is the right one is proved by what a probe wrote on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveId {
    /// The part of its erase token that names it: from its serial number, where it has one.
    pub name: String,
    pub at: RawPath,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Inode>,
    pub size_bytes: u64,
}

/// A setting of the kernel that bakeoff varies, of a drive or of a cpufreq policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knob {
    Scheduler(String),
    /// Length of a drive's queue.
    NrRequests(String),
    ReadAheadKb(String),
    /// Governor of a policy: `policy0`.
    Governor(String),
}

impl Knob {
    /// Its file in /sys; `None` where the name is none of a drive or a policy.
    pub fn path(&self) -> Option<RawPath> {
        let queue = |disk: &str, file: &str| {
            is_kernel_name(disk).then(|| RawPath::new(format!("/sys/block/{disk}/queue/{file}")))
        };
        let cpufreq = |policy: &str, file: &str| {
            let number = policy.strip_prefix("policy")?;
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            let dir = "/sys/devices/system/cpu/cpufreq";
            is_number.then(|| RawPath::new(format!("{dir}/{policy}/{file}")))
        };
        match self {
            Knob::Scheduler(disk) => queue(disk, "scheduler"),
            Knob::NrRequests(disk) => queue(disk, "nr_requests"),
            Knob::ReadAheadKb(disk) => queue(disk, "read_ahead_kb"),
            Knob::Governor(policy) => cpufreq(policy, "scaling_governor"),
        }
    }

    /// Whether a value can be one of this setting: a number, or a plain word.
    pub fn accepts(&self, value: &str) -> bool {
        let digits = |b: u8| b.is_ascii_digit();
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let is_of = |one: &dyn Fn(u8) -> bool| value.bytes().all(one);
        let is_short = (1..=32).contains(&value.len());
        is_short
            && match self {
                Knob::Scheduler(_) | Knob::Governor(_) => is_of(&word),
                Knob::NrRequests(_) | Knob::ReadAheadKb(_) => is_of(&digits),
            }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Knob::Scheduler(_) => "scheduler",
            Knob::NrRequests(_) => "nr_requests",
            Knob::ReadAheadKb(_) => "read_ahead_kb",
            Knob::Governor(_) => "scaling_governor",
        }
    }
}

/// Whether a name is one that the kernel gives drives: no path, and no way out of a directory.
fn is_kernel_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'!' | b'.');
    (1..=32).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(plain)
}

/// Whether a run's id is one: 16 hexadecimal digits. Names of ours are made of nothing else.
pub fn is_run_id(run: &str) -> bool {
    run.len() == 16 && run.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
}

impl Undo {
    /// Whether the kernel forgets what it puts back when the machine starts anew. After that, what
    /// has the same name is somebody else's.
    pub fn ends_with_the_boot(&self) -> bool {
        match self {
            Undo::UnmountOurs { .. }
            | Undo::DetachMarkedLoop
            | Undo::RemoveVolume(_)
            | Undo::RestoreKnob { .. }
            | Undo::KeepKnob { .. }
            | Undo::RemoveOurRule => true,
            Undo::RemoveOurScratch { .. }
            | Undo::RemoveMountPoints
            | Undo::RestoreSaved { .. }
            | Undo::Unknown(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A review edited the undo of a stored step to these, and root obeyed.
    #[test]
    fn never_reads_a_command_or_a_free_path_as_an_undo() {
        for text in [
            r#"{"run":{"argv":["/bin/sh","-c","id"]}}"#,
            r#"{"remove_udev_rule":{"path":"/etc/passwd"}}"#,
            r#"{"set_knob":{"path":"/etc/shadow","value":"x"}}"#,
            r#"{"put_back_knob":{"path":"/etc/shadow","ours":"a","before":"b"}}"#,
            r#"{"unmount":{"at":"/home"}}"#,
            r#"{"remove_scratch":{"parent":"/etc","name":"ssh"}}"#,
            r#"{"close_mapper":{"name":"cryptroot"}}"#,
            r#"{"restore_knob":{"knob":{"scheduler":7},"ours":"a","before":"b"}}"#,
        ] {
            let undo: Undo = serde_json::from_str(text).unwrap();
            assert!(matches!(undo, Undo::Unknown(_)), "{undo:?}");
            let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(read(&serde_json::to_string(&undo).unwrap()), read(text), "kept as it was");
        }
    }

    #[test]
    fn a_setting_leads_nowhere_but_to_its_file() {
        let path = |knob: Knob| knob.path().map(|path| path.to_string());
        let scheduler = |disk: &str| path(Knob::Scheduler(disk.to_string()));
        assert_eq!(scheduler("sda").as_deref(), Some("/sys/block/sda/queue/scheduler"));
        for disk in ["../../etc", "..", ".", "", "a/b", "sda\n", &"x".repeat(33)] {
            assert_eq!(scheduler(disk), None, "{disk:?}");
        }
        let governor = |policy: &str| path(Knob::Governor(policy.to_string()));
        assert!(governor("policy0").is_some());
        for policy in ["policy", "policy/../../..", "0", "policy0/.."] {
            assert_eq!(governor(policy), None, "{policy}");
        }
        let accepts = |value: &str| Knob::NrRequests("sda".into()).accepts(value);
        assert!(accepts("64") && !accepts("bfq") && !accepts("") && !accepts("6\n4"));
        assert!(Knob::Scheduler("sda".into()).accepts("mq-deadline"));
    }

    #[test]
    fn only_an_id_makes_names() {
        assert!(is_run_id("0123456789abcdef"));
        for run in
            ["", "0123456789abcde", "0123456789ABCDEF", "../../etc/passwd", "012345678/abcdef"]
        {
            assert!(!is_run_id(run), "{run}");
        }
    }

    /// The name of a scratch directory told another user the name of the report.
    #[test]
    fn the_name_of_a_scratch_directory_does_not_tell_the_run() {
        let names = [ScratchOf::Run, ScratchOf::Number(3), ScratchOf::MEMORY]
            .map(|of| of.name("0123456789abcdef"));
        assert_eq!(names[0], ScratchOf::Run.name("0123456789abcdef"), "found again by the record");
        for (at, name) in names.iter().enumerate() {
            assert!(!name.contains("0123456789abcdef") && !names[..at].contains(name), "{name}");
            assert!(name.strip_prefix(".bakeoff-").is_some_and(is_run_id), "{name}");
        }
    }
}
