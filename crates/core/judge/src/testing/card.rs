//! What seven filesystems do on a memory card, invented: a clear winner of most workloads.

/// The filesystems.
pub const SEVEN: [&str; 7] = ["ext4", "xfs", "ext2", "btrfs", "f2fs", "exfat", "ntfs-3g"];
/// The workloads of a run that compares them.
pub const FIVE: [&str; 5] = ["randwrite", "smallfiles", "randread", "seqwrite", "seqread"];
/// The same and one more.
pub const SIX: [&str; 6] = ["randwrite", "smallfiles", "randread", "seqwrite", "seqread", "randrw"];
/// Workload by workload of [`SIX`], operations a second of each.
const RATES: [[f64; 7]; 6] = [
    [1110.0, 1240.0, 1100.0, 480.0, 1180.0, 900.0, 310.0],
    [820.0, 690.0, 800.0, 410.0, 640.0, 220.0, 95.0],
    [2110.0, 2100.0, 2090.0, 2060.0, 2120.0, 2080.0, 1500.0],
    [400.0, 520.0, 390.0, 350.0, 410.0, 300.0, 160.0],
    [640.0, 645.0, 630.0, 600.0, 610.0, 560.0, 420.0],
    [900.0, 1000.0, 880.0, 400.0, 950.0, 700.0, 250.0],
];

/// Operations a second of a candidate on a workload of [`SIX`]; an eighth and further candidate is
/// a slower one of the seven.
pub fn card(candidate: usize, workload: usize) -> f64 {
    RATES[workload][candidate % 7] * if candidate < 7 { 1.0 } else { 0.8 }
}

/// What an operation a second is in the unit of the workload's metric: for those in order bytes.
pub fn unit(workloads: &[&str], workload: u16) -> f64 {
    match workloads[usize::from(workload)] {
        "seqwrite" => 80e3,
        "seqread" => 140e3,
        _ => 1.0,
    }
}
