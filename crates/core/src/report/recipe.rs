//! How to make the winner again: mkfs, mount and /etc/fstab lines, exactly as it was measured.

use crate::model::candidate::{Kind, Stack};
use crate::model::path::{RawPath, sanitize};
use crate::model::run::Run;
use crate::model::verdict::Analysis;
use crate::phrases;
use crate::prepare::steps::{mkfs_argv, shell_word};

use super::answer::workload_name;

/// Stands for the user's own partition, so that nothing is erased by pasting.
const DEVICE: &str = "/dev/DEVICE";

/// At most so many stacks are spelled out; with more, the answer is "any of them".
const STACKS_MAX: usize = 3;

/// Lines to paste for every stack that won a workload; when nothing won, for those that share the
/// first place everywhere. Empty for directories: they are used as they are.
pub fn recipe(run: &Run, analysis: &Analysis) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, best_for) in winners(analysis).into_iter().take(STACKS_MAX) {
        let candidate = run.header.candidates.iter().find(|c| c.name == name);
        if let Some(Kind::Stack(stack)) = candidate.map(|c| &c.kind) {
            lines.push(format!("# {}: best for {}", sanitize(&name), sanitize(&best_for)));
            lines.extend(stack_lines(stack));
        }
    }
    if !lines.is_empty() {
        let note = format!("# Replace {DEVICE} with your partition. mkfs erases everything on it.");
        lines.insert(0, note);
    }
    lines
}

/// Names of winners with the workloads they are best for, in the order of the workloads.
fn winners(analysis: &Analysis) -> Vec<(String, String)> {
    if let Some(chosen) = &analysis.recommendation {
        if chosen.alternatives.is_empty() {
            return vec![(chosen.candidate.clone(), "all workloads together".to_string())];
        }
        let names =
            |all: &[String]| all.iter().map(|w| workload_name(w)).collect::<Vec<_>>().join(", ");
        let each = chosen.alternatives.iter();
        return each.map(|best| (best.candidate.clone(), names(&best.workloads))).collect();
    }
    let won = analysis.verdicts.iter().filter(|v| v.verdict.is_winner());
    let won = won.filter_map(|v| Some((v.winner.clone()?, v.workload.clone())));
    let winners: Vec<(String, String)> = phrases::grouped(won)
        .into_iter()
        .map(|(name, best_for)| (name, best_for.join(", ")))
        .collect();
    if !winners.is_empty() || analysis.verdicts.iter().any(|v| !v.verdict.is_tie()) {
        return winners;
    }
    let mut firsts = analysis.verdicts.iter().filter_map(|v| v.tiers.first());
    let Some(shared) = firsts.next() else { return winners };
    let rest: Vec<_> = firsts.collect();
    let everywhere = shared.iter().filter(|name| rest.iter().all(|tier| tier.contains(name)));
    everywhere.map(|name| (name.clone(), "every workload, with others".to_string())).collect()
}

fn stack_lines(stack: &Stack) -> Vec<String> {
    let mut lines = make(stack);
    lines.push(format!("# /etc/fstab: {}", fstab_line(stack)));
    lines
}

/// The commands that make and mount a stack.
pub fn make(stack: &Stack) -> Vec<String> {
    let mkfs = mkfs_argv(stack, &RawPath::new(DEVICE));
    let mkfs: Vec<String> = mkfs.iter().map(shell_word).collect();
    let word = |text: &str| shell_word(&RawPath::new(text));
    let options = match stack.mount.is_empty() {
        true => String::new(),
        false => format!(" -o {}", word(&stack.mount.join(","))),
    };
    vec![mkfs.join(" "), format!("mount -t {}{options} {DEVICE} /mnt", word(&stack.fs))]
}

/// One line of /etc/fstab, fstab(5): blanks inside a field are written as `\040`.
fn fstab_line(stack: &Stack) -> String {
    let field = |text: &str| {
        let text = sanitize(&text.replace('\\', "\\134").replace(' ', "\\040"));
        if text.is_empty() { "defaults".to_string() } else { text }
    };
    let options = field(&stack.mount.join(","));
    // fsck at boot makes sense where a checker for this filesystem runs there (fstab(5), passno).
    let pass = if matches!(stack.fs.as_str(), "ext2" | "ext3" | "ext4" | "vfat" | "exfat" | "f2fs")
    {
        2
    } else {
        0
    };
    format!("{DEVICE} /mnt {} {options} 0 {pass}", field(&stack.fs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_options_stay_one_field_and_one_word() {
        let mkfs = vec!["-L".into(), "my disk; reboot".into()];
        let mount = vec!["noatime".into(), "x=a b\nc".into()];
        let stack = Stack::plain("ext4", mkfs, mount, false);
        assert_eq!(
            stack_lines(&stack),
            [
                "mkfs.ext4 -L 'my disk; reboot' /dev/DEVICE",
                r"mount -t ext4 -o $'noatime,x=a b\x0ac' /dev/DEVICE /mnt",
                r"# /etc/fstab: /dev/DEVICE /mnt ext4 noatime,x=a\040b\x0ac 0 2",
            ]
        );
    }
}
