//! Actions in words: the program one runs as argv, and the line a person would type for it.
//!
//! Pure. What has no program is said in a sentence; nothing here goes through a shell.

use super::{knobs, steps, udev_rule};
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Action;
use bakeoff_model::undo::Undo;
use bakeoff_stats::units;

/// The program an action runs, as argv; `None` for what is done by system call.
pub fn argv(action: &Action) -> Option<Vec<RawPath>> {
    let words = |list: &[&str]| list.iter().map(RawPath::new).collect::<Vec<_>>();
    match action {
        Action::Run { argv } | Action::RunWithKey { argv } => Some(argv.clone()),
        Action::AttachLoop { file, offset_bytes, size_bytes, sector_bytes } => {
            let mut argv = words(&["losetup", "--find", "--show", "--direct-io=on"]);
            let mut option = |name: &str, value: u64| {
                argv.extend([RawPath::new(name), RawPath::new(value.to_string())]);
            };
            if *offset_bytes > 0 {
                option("--offset", *offset_bytes);
            }
            if let Some(bytes) = size_bytes {
                option("--sizelimit", *bytes);
            }
            if let Some(bytes) = sector_bytes {
                option("--sector-size", u64::from(*bytes));
            }
            argv.push(file.clone());
            Some(argv)
        }
        Action::Mount { device, at, fs, options } => {
            let mut argv = words(&["mount", "-t", fs]);
            if !options.is_empty() {
                argv.extend(words(&["-o", &options.join(",")]));
            }
            argv.extend([device.clone(), at.clone()]);
            Some(argv)
        }
        _ => None,
    }
}

pub fn describe(action: &Action) -> String {
    let typed = || argv(action).iter().flatten().map(shell_word).collect::<Vec<_>>().join(" ");
    match action {
        Action::Run { .. } | Action::AttachLoop { .. } | Action::Mount { .. } => typed(),
        // The same random key for formatting and opening, from memory.
        Action::RunWithKey { .. } => format!("{} <KEY", typed()),
        Action::MakeScratch { parent, name } => {
            format!("mkdir -m 0700 {}", shell_word(&join(parent, name)))
        }
        Action::Fill { file, size_bytes } | Action::Overwrite { device: file, size_bytes, .. } => {
            format!(
                "write {} of incompressible data to {}",
                units::size(*size_bytes),
                shell_word(file)
            )
        }
        Action::SetKnob { path, value } => format!("echo {value} > {}", shell_word(path)),
        Action::AddUdevRule { path, .. } => {
            format!("write {} and `udevadm control --reload`", shell_word(path))
        }
    }
}

pub fn describe_undo(undo: &Undo, run: &str, step: u32) -> String {
    match undo {
        Undo::RemoveOurScratch { parent, of, .. } => {
            let ours = join(parent, &of.name(run));
            format!("remove bakeoff's files in {} and the directory", shell_word(&ours))
        }
        Undo::RemoveMountPoints => format!("rmdir the mount points of run {run}"),
        Undo::UnmountOurs { slot: 0 } => format!("umount the mount point of run {run}"),
        Undo::UnmountOurs { slot } => format!("umount mount point {slot} of run {run}"),
        Undo::DetachMarkedLoop => {
            format!("losetup --detach the loop device marked {}", steps::loop_mark(run, step))
        }
        Undo::RemoveVolume(volume) => {
            format!("dmsetup remove --retry {}", steps::volume_name(run, *volume))
        }
        Undo::RestoreKnob { knob, ours, before } => {
            let path = shell_word(&knobs::path(knob));
            format!("echo {before} > {path}, if it still contains {ours}")
        }
        Undo::KeepKnob { knob, value } => {
            format!("echo {value} > {}", shell_word(&knobs::path(knob)))
        }
        Undo::RemoveOurRule => {
            let path = shell_word(&udev_rule::path(run));
            format!("rm {path} and `udevadm control --reload`")
        }
        Undo::RestoreSaved { .. } => "restore the saved contents of the drive".to_string(),
        Undo::Unknown(_) => "undo it manually: another version recorded it".to_string(),
    }
}

fn join(parent: &RawPath, name: &str) -> RawPath {
    RawPath::new(parent.as_path().join(name))
}

/// A word as a POSIX shell would need it typed. Bytes that cannot be shown are kept as `\xNN`
/// inside `$'…'`, which bash, zsh and POSIX 2024 read back.
pub fn shell_word(word: &RawPath) -> String {
    let text = word.to_string();
    if text.contains('\\') { format!("$'{}'", text.replace('\'', "\\'")) } else { quoted(&text) }
}

/// Printable text as a POSIX shell would need it typed to get just these characters.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+^".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_string()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_are_quoted() {
        for (word, typed) in [
            ("plain.img", "plain.img"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("", "''"),
            ("a\nb", "$'a\\x0ab'"),
        ] {
            assert_eq!(shell_word(&RawPath::new(word)), typed);
        }
        // What is typed is the text with its backslash, not the byte it stands for.
        assert_eq!(quoted("a\\x0ab"), "'a\\x0ab'");
    }
}
