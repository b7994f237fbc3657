//! Steps: what is done to the system for a run, each with its reason and its way back.
//!
//! Pure: names and sizes in, steps out. The shell records each step before it acts, so that a
//! crash at any point leaves the way back in the record.

use crate::model::candidate::Stack;
use crate::model::event::{Action, Step};
use crate::model::path::RawPath;
use crate::units;

use super::support;

/// The name of a run's scratch directory inside a directory of the user's.
pub fn scratch_name(run: &str) -> String {
    format!(".bakeoff-{run}")
}

/// The same for one of several candidates: a directory may be given twice, or be reached by two
/// paths, and each gets files of its own.
pub fn scratch_name_of(run: &str, candidate: usize) -> String {
    format!(".bakeoff-{run}-{candidate}")
}

/// Make our scratch directory `name` in `parent`.
pub fn make_scratch(step: u32, name: &str, parent: &RawPath) -> Step {
    let name = name.to_string();
    Step {
        step,
        why: format!("make a scratch directory in {parent}"),
        action: Action::MakeScratch { parent: parent.clone(), name: name.clone() },
        undo: Some(Action::RemoveScratch { parent: parent.clone(), name }),
        destroys: None,
    }
}

/// Write the image in full, so that no candidate meets holes.
pub fn fill(step: u32, file: &RawPath, size_bytes: u64) -> Step {
    Step {
        step,
        why: format!("write the scratch image in full ({})", units::size(size_bytes)),
        action: Action::Fill { file: file.clone(), size_bytes },
        undo: None,
        destroys: None,
    }
}

/// Attach the image to a loop device with direct I/O.
pub fn attach_loop(step: u32, file: &RawPath) -> Step {
    Step {
        step,
        why: "attach the image to a loop device with direct I/O".to_string(),
        action: Action::AttachLoop { file: file.clone() },
        undo: Some(Action::DetachLoop { file: file.clone() }),
        destroys: None,
    }
}

/// Make a stack's filesystem on a device.
pub fn mkfs(step: u32, name: &str, stack: &Stack, device: &RawPath) -> Step {
    Step {
        step,
        why: format!("make {name}"),
        action: Action::Run { argv: mkfs_argv(stack, device) },
        undo: None,
        destroys: Some(format!("everything on {device}")),
    }
}

/// Mount a stack.
pub fn mount(step: u32, name: &str, stack: &Stack, device: &RawPath, at: &RawPath) -> Step {
    Step {
        step,
        why: format!("mount {name}"),
        action: Action::Mount {
            device: device.clone(),
            at: at.clone(),
            fs: stack.fs.clone(),
            options: stack.mount.clone(),
        },
        undo: Some(Action::Unmount { at: at.clone() }),
        destroys: None,
    }
}

/// The mkfs command of a stack: `mkfs.FS` where no recipe names another program.
pub fn mkfs_argv(stack: &Stack, device: &RawPath) -> Vec<RawPath> {
    let program = match support::recipe_of(stack) {
        Some(recipe) => recipe.mkfs.to_string(),
        None => format!("mkfs.{}", stack.fs),
    };
    let mut argv = vec![RawPath::new(program)];
    argv.extend(stack.mkfs.iter().map(RawPath::new));
    argv.push(device.clone());
    argv
}

/// The program an action runs, as argv; `None` for what is done by system call.
pub fn argv(action: &Action) -> Option<Vec<RawPath>> {
    let words = |list: &[&str]| list.iter().map(RawPath::new).collect::<Vec<_>>();
    match action {
        Action::Run { argv } => Some(argv.clone()),
        Action::AttachLoop { file } => {
            let mut argv = words(&["losetup", "--find", "--show", "--direct-io=on"]);
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
        Action::Unmount { at } => {
            let mut argv = words(&["umount"]);
            argv.push(at.clone());
            Some(argv)
        }
        Action::MakeScratch { .. }
        | Action::RemoveScratch { .. }
        | Action::Fill { .. }
        | Action::DetachLoop { .. } => None,
    }
}

/// One line that says what an action does: a command to type where there is one.
pub fn describe(action: &Action) -> String {
    match (argv(action), action) {
        (Some(argv), _) => argv.iter().map(shell_word).collect::<Vec<_>>().join(" "),
        (None, Action::MakeScratch { parent, name }) => {
            format!("mkdir -m 0700 {}", shell_word(&join(parent, name)))
        }
        (None, Action::RemoveScratch { parent, name }) => {
            format!("remove our files in {} and the directory", shell_word(&join(parent, name)))
        }
        (None, Action::Fill { file, size_bytes }) => {
            format!(
                "write {} of incompressible data to {}",
                units::size(*size_bytes),
                shell_word(file)
            )
        }
        (None, Action::DetachLoop { file }) => {
            format!("losetup --detach the loop device of {}", shell_word(file))
        }
        (None, _) => String::new(),
    }
}

fn join(parent: &RawPath, name: &str) -> RawPath {
    RawPath::new(parent.as_path().join(name))
}

/// A word as a POSIX shell would need it typed. Bytes that cannot be shown are kept as `\xNN`
/// inside `$'…'`, which bash, zsh and POSIX 2024 read back.
pub fn shell_word(word: &RawPath) -> String {
    let text = word.to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+^".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    if text.contains('\\') {
        return format!("$'{}'", text.replace('\'', "\\'"));
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::support::RECIPES;

    #[test]
    fn commands_read_as_they_would_be_typed() {
        let device = RawPath::new("/dev/loop0");
        let at = RawPath::new("/tmp/a b/mnt");
        let lines: Vec<String> = RECIPES
            .iter()
            .flat_map(|r| {
                [mkfs(0, r.name, &r.stack(), &device), mount(1, r.name, &r.stack(), &device, &at)]
            })
            .map(|step| describe(&step.action))
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

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
    }

    #[test]
    fn every_change_that_lasts_has_its_way_back() {
        let file = RawPath::new("/x/image");
        assert!(make_scratch(0, "ab", &RawPath::new("/x")).undo.is_some());
        assert_eq!(attach_loop(1, &file).undo, Some(Action::DetachLoop { file }));
    }
}
