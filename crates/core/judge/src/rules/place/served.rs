//! served: a process of this machine serves the drive itself.

use crate::evidence::rule::Hit;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_stats::phrases;

pub const ID: &str = "served";

/// What a run says once about processes that were found to serve its drives: `python3 (812)`.
pub fn found(header: &Header, servers: &[String]) -> Finding {
    let evidence =
        format!("{} the drive on this machine", phrases::agreeing(servers, ["serves", "serve"]));
    Hit::new(evidence, "no action: this work counts as the drive's own").finding(header, ID)
}
