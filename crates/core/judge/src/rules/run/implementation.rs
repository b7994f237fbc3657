//! L61 implementation: a format was measured with a user-space driver, and the verdict does not
//! mention it.

use crate::evidence::rule::{E, Rule, STACK, W, When};

pub static RULE: Rule = Rule {
    id: "L61",
    slug: "implementation",
    when: &[When::Analysis],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "a format was measured with a user-space driver, and the verdict does not mention \
        it",
    explain: "ntfs-3g runs in user space: each call passes through another process. Two studies \
              ranked ntfs and exfat without naming the driver. A comparison with it ranks the \
              driver, not the format on the drive. State the driver, or use the kernel's driver.",
};
