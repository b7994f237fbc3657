//! The udev rule that keeps auto-mounters and auto-assembly off a target while a run has it.
//!
//! Desktops mount what appears (udisks reads UDISKS_IGNORE), LVM and others activate what they
//! find (they honour DM_UDEV_DISABLE_OTHER_RULES_FLAG), and udev itself probes a device again each
//! time a writer closes it (nowatch). Only the target, what is below it and our own volumes are
//! named: a sibling partition that is mounted stays as it is. Source: udev(7), udisks(8), the
//! rules shipped with lvm2.

use bakeoff_model::path::RawPath;
use bakeoff_model::step::{Action, Step};
use bakeoff_model::undo::Undo;

pub const RULES: &str = "/run/udev/rules.d";

/// The file of a run's rule. Named to be read before all others: theirs look at what is set here.
pub fn path(run: &str) -> RawPath {
    RawPath::new(format!("{RULES}/00-bakeoff-{run}.rules"))
}

/// Write the rule for these kernel names (`sda`, `sda1`, `loop0`).
pub fn add(step: u32, run: &str, kernel_names: &[String]) -> Step {
    Step::new(
        step,
        "prevent automatic mounting during the run",
        Action::AddUdevRule { path: path(run), text: text(run, kernel_names) },
    )
    .undone_by(Undo::RemoveOurRule)
}

fn text(run: &str, kernel_names: &[String]) -> String {
    const OFF: &str = "ENV{UDISKS_IGNORE}=\"1\", ENV{UDISKS_AUTO}=\"0\", \
                       ENV{DM_UDEV_DISABLE_OTHER_RULES_FLAG}=\"1\", OPTIONS+=\"nowatch\"";
    // Kernel names have no quotes; whatever else is in one would end the rule.
    let plain = |name: &&String| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let mut text = format!("# Created by bakeoff run {run}; removed when it ends.\n");
    for name in kernel_names.iter().filter(plain) {
        text.push_str(&format!("SUBSYSTEM==\"block\", KERNEL==\"{name}\", {OFF}\n"));
    }
    for mapper in [format!("bakeoff-{run}-*"), format!("bakeoff_{run}-*")] {
        // ENV{DM_NAME} is set by a rule that is read later.
        text.push_str(&format!("SUBSYSTEM==\"block\", ATTR{{dm/name}}==\"{mapper}\", {OFF}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_the_target_and_our_volumes_and_nothing_else() {
        let names = ["sdb".to_string(), "sdb1".to_string(), "a\"b".to_string()];
        let step = add(0, "0123456789abcdef", &names);
        let Action::AddUdevRule { path, text } = step.action else { panic!() };
        assert_eq!(path.to_string(), "/run/udev/rules.d/00-bakeoff-0123456789abcdef.rules");
        assert_eq!(step.undo, Some(Undo::RemoveOurRule));
        insta::assert_snapshot!(text);
    }
}
