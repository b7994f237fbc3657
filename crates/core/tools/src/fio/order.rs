//! Where fio prints a line of its text: the order is the same in every version and for every job.
//!
//! Lines in another order were sorted or turned round, and those that name no direction would be
//! taken for another one's. Source: fio 2.1 and 3.33, `stat.c`, `show_thread_status_normal`.

/// The directions in their order; `mixed` is what `unified_rw_reporting` prints.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];
const LATENCIES: [&str; 4] = ["slat", "clat", "lat", "sync"];

/// A line's part of the block, and its place there. Parts 1 to 4 are the directions, 6 the flushes;
/// a figure that none of them stands above is in part 0.
pub type Place = (u8, u8);

/// The place of a line below one `at` another place; `None` where it may stand anywhere.
pub fn place(text: &str, at: Place) -> Option<Place> {
    if text.contains("th=[") {
        // Rows follow the line that says of which latencies they are.
        return matches!(at.1, 2..=7).then_some((at.0, at.1 | 1));
    }
    let (label, rest) = text.split_once(':')?;
    let label = label.trim_end();
    if let Some((part, _)) = (1..).zip(DIRECTIONS).find(|(_, name)| *name == label) {
        return Some((part, 0));
    }
    let word = label.split([' ', '(']).next().unwrap_or("");
    let is_flush = word == "sync";
    let below = if matches!((at.0, is_flush), (1..=4, false) | (6, true)) { at.0 } else { 0 };
    let is_latency = LATENCIES.contains(&word);
    Some(match word {
        _ if is_latency && rest.contains("min=") => (below, 1),
        "slat" if label.contains("percentiles") => (below, 2),
        "clat" | "sync" if label.contains("percentiles") => (below, 4),
        "lat" if label.contains("percentiles") => (below, 6),
        "bw" | "iops" if rest.contains("min=") => (below, 8),
        "lat" if rest.contains('%') => (5, 0),
        "fsync/fdatasync/sync_file_range" => (6, 0),
        "cpu" if rest.contains("usr=") => (7, 0),
        "IO" if rest.contains('%') => (7, 1),
        "submit" if rest.contains('%') => (7, 2),
        "complete" if rest.contains('%') => (7, 3),
        "issued" if rest.contains("total=") => (7, 4),
        "latency" if rest.contains("target=") => (7, 5),
        _ => return None,
    })
}
