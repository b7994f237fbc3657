//! served: a process of this machine serves the drive itself.

use crate::evidence::rule::{CLAIMS, Hit, I, Rule, When};
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_stats::phrases;

pub static RULE: Rule = Rule {
    id: "served",
    slug: "served",
    when: &[When::Plan],
    severity: [I, I, I, I],
    scope: CLAIMS,
    condition: "a process of this machine serves the drive, by FUSE or as a network block device",
    explain: "A loop device whose file is on a FUSE filesystem and a network block device need a \
        process for each read and write. If that process runs on this machine, its transfers and \
        its CPU time are part of the drive and do not count as a disturbance. Its CPU time can \
        still be the bottleneck.",
};

/// What a run says once about processes that were found to serve its drives: `python3 (812)`.
pub fn found(header: &Header, servers: &[String]) -> Finding {
    let evidence =
        format!("{} the drive on this machine", phrases::agreeing(servers, ["serves", "serve"]));
    Hit::new(evidence, "no action: this work counts as the drive's own").finding(header, &RULE)
}
