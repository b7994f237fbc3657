//! L61 implementation: a format was measured with a user-space driver, and the verdict does not
//! mention it.

use crate::evidence::of_study;
use crate::evidence::rule::{Check, E, Rule, STACK, W, When};
use crate::model::finding::Finding;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L61",
    slug: "implementation",
    when: &[When::Analysis, When::Import],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "a format was measured with a user-space driver, and the verdict does not mention \
        it",
    explain: "ntfs-3g runs in user space: each call passes through another process. Two studies \
              ranked ntfs and exfat without naming the driver. A comparison with it ranks the \
              driver, not the format on the drive. State the driver, or use the kernel's driver.",
    checks: &[Check::Elsewhere("rules::claim"), Check::Study(in_study)],
};

/// Filesystems that Linux long read through user-space or foreign drivers only.
const FOREIGN: [&str; 4] = ["ntfs", "exfat", "zfs", "hfsplus"];

fn in_study(study: &Study) -> Option<Finding> {
    // `ntfs-3g` and `exfat-fuse` are drivers in user space, as are `fuse.…` and `fuseblk`.
    let in_user_space = |fs: &str| fs.starts_with("fuse") || fs.ends_with("-fuse");
    let is_foreign = |fs: &str| FOREIGN.contains(&fs) || fs == "ntfs-3g" || in_user_space(fs);
    let foreign = study.cells.iter().find(|cell| is_foreign(cell.fs))?;
    let evidence =
        format!("{} with a driver that runs in user space or is not part of Linux", foreign.fs);
    let advice = "State the driver: this compares drivers, not formats.";
    Some(of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l61_a_driver_in_user_space_and_one_of_the_kernel() {
        let with = |fs: &str| {
            let other = format!("{fs},none,dd,sequential write,1048576,throughput,9,MB/s,");
            fires("L61", &[TWO[0], &other], "")
        };
        assert!(with("ntfs") && !with("vfat"));
    }
}
