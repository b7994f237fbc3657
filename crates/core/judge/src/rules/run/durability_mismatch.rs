//! L18 durability-mismatch: candidates give different guarantees after fsync, and the verdict does
//! not mention it.

use crate::evidence::rule::{R, Rule, STACK, W, When};

pub static RULE: Rule = Rule {
    id: "L18",
    slug: "durability-mismatch",
    when: &[When::Analysis],
    severity: [W, R, R, R],
    scope: STACK,
    condition: "candidates give different guarantees after fsync, and the verdict does not mention \
        it",
    explain: "A filesystem does less work, and is therefore faster, if it has no journal, if its \
        barriers are off, or if its fsync covers less than that of the others. One study compared \
        ext4, ntfs and vfat with a test that flushes. You can include such a candidate if the \
        verdict states what it does not guarantee.",
};
