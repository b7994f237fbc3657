//! Keeps the machine from going to sleep while it measures.

use super::systemd_runs;
use crate::exec::unlimited::{Background, background};

/// Keeps the machine awake while the value lives (systemd-inhibit(1)); `None` where nothing would
/// put it to sleep or nobody can be asked.
pub fn stay_awake() -> Option<Background> {
    if !systemd_runs() {
        return None;
    }
    let words = [
        "systemd-inhibit",
        "--what=sleep:idle:handle-lid-switch",
        "--who=bakeoff",
        "--why=measuring a drive",
        "--mode=block",
        "sleep",
        "infinity",
    ];
    // Without it a suspended cell is found out and repeated; that is slower, and nothing else.
    background(&words).ok()
}
