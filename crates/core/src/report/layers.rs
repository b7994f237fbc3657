//! Why lower layers were not measured, in words as they are recorded.

use crate::model::candidate::Skipped;
use crate::model::ceiling::Because;

/// No place on the drive is compared, because the run has no region whose ends can be read.
pub fn without_ends() -> Skipped {
    Skipped {
        name: "the start and the end of the drive".to_string(),
        reason: "the filesystem chooses where a file is on the drive; a plan on a drive, a \
                 partition or an image reads both ends of its region"
            .to_string(),
    }
}

/// None was measured; `option` raises the limit that stood against it.
pub fn none_measured(because: Because, option: &str) -> Skipped {
    let reason = format!("{}. Raise the limit: {option}", because.label());
    Skipped { name: "all lower layers".to_string(), reason }
}
