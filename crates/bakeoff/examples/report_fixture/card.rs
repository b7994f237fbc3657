//! A demo by the lead: seven filesystems on five workloads, one of them read from memory.

use bakeoff_core::model::candidate::Kind;
use bakeoff_core::model::event::{CacheState, Cell, Event, StopReason, What};
use bakeoff_core::model::protocol::Mode;
use bakeoff_core::prepare::support::RECIPES;
use bakeoff_core::testing::RunBuilder;

const NAMES: [&str; 7] = ["ext4", "xfs", "ext2", "btrfs", "f2fs", "exfat", "ntfs-3g"];
const WORKLOADS: [&str; 5] = ["randwrite", "smallfiles", "randread", "seqwrite", "seqread"];
/// Workload by workload, what each candidate does.
const RATES: [[f64; 7]; 5] = [
    [1110.0, 1240.0, 1100.0, 480.0, 1180.0, 900.0, 310.0],
    [820.0, 690.0, 800.0, 410.0, 640.0, 220.0, 95.0],
    [2110.0, 2100.0, 2090.0, 2060.0, 2120.0, 2080.0, 9500.0],
    [32.0e6, 41.6e6, 31.2e6, 28.0e6, 32.8e6, 24.0e6, 12.8e6],
    [89.6e6, 90.3e6, 88.2e6, 84.0e6, 85.4e6, 78.4e6, 700e6],
];

/// Its events.
pub fn events(noise: impl Fn(u32, u16, u16) -> f64) -> Vec<Event> {
    let builder = RunBuilder::stacks(&NAMES)
        .mode(Mode::Quick)
        .header(|h| {
            h.run = "ca4d0f1e1d0c0b0a".to_string();
            h.title = "demo: which filesystem on this image?".to_string();
            h.protocol.time_ns = None;
            h.host.model = Some("Raspberry Pi 4 Model B Rev 1.4".to_string());
            for disk in h.region.iter_mut().flat_map(|region| &mut region.place.chain) {
                disk.link = Some("USB 5000 Mb/s".into());
            }
            for candidate in &mut h.candidates {
                let recipe = RECIPES.iter().find(|r| r.name == candidate.name);
                candidate.kind = Kind::Stack(recipe.expect("a recipe of that name").stack());
            }
        })
        .workloads(&WORKLOADS)
        .cells(from_memory);
    let rate = |block: u32, candidate: u16, workload: u16| {
        let base = RATES[usize::from(workload)][usize::from(candidate)];
        // Random writes are noisier, so that one workload stays open.
        let spread = if workload == 0 { 0.09 } else { 0.03 };
        base * (1.0 + spread * noise(block, candidate, workload))
    };
    let mut played = builder.finding(super::root_disk()).play(5, rate);
    played.push(What::Stopped { reason: StopReason::TimeUp, note: String::new() });
    played.events()
}

/// ntfs-3g's driver keeps what it read.
fn from_memory(cell: &mut Cell) {
    if cell.candidate.number() == 6 && matches!(cell.workload.number(), 2 | 4) {
        cell.truth.cache = CacheState::Warm;
    }
}
