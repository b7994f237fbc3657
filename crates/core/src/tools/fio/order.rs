//! Where fio prints a line of its text: the order is the same in every version and for every job.
//!
//! Lines in another order were sorted or turned round, and those that name no direction would be
//! taken for another one's. Source: fio 2.1 and 3.33, `stat.c`, `show_thread_status_normal`.

/// The directions in their order.
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];
const LATENCIES: [&str; 4] = ["slat", "clat", "lat", "sync"];

/// A line's part of the block, and its place there. Parts 1 to 3 are the directions, 5 the flushes;
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
    let below = if matches!((at.0, is_flush), (1..=3, false) | (5, true)) { at.0 } else { 0 };
    let is_latency = LATENCIES.contains(&word);
    Some(match word {
        _ if is_latency && rest.contains("min=") => (below, 1),
        "slat" if label.contains("percentiles") => (below, 2),
        "clat" | "sync" if label.contains("percentiles") => (below, 4),
        "lat" if label.contains("percentiles") => (below, 6),
        "bw" | "iops" if rest.contains("min=") => (below, 8),
        "lat" if rest.contains('%') => (4, 0),
        "fsync/fdatasync/sync_file_range" => (5, 0),
        "cpu" if rest.contains("usr=") => (6, 0),
        "IO" if rest.contains('%') => (6, 1),
        "submit" if rest.contains('%') => (6, 2),
        "complete" if rest.contains('%') => (6, 3),
        "issued" if rest.contains("total=") => (6, 4),
        "latency" if rest.contains("target=") => (6, 5),
        _ => return None,
    })
}
