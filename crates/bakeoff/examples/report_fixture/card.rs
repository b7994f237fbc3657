//! A demo by the lead: seven filesystems on five workloads, one of them read from memory.

use bakeoff_judge::testing::RunBuilder;
use bakeoff_judge::testing::card::{FIVE, SEVEN, card, unit};
use bakeoff_model::event::{CacheState, Cell, Event, StopReason};
use bakeoff_model::protocol::Mode;

/// Its events.
pub fn events(noise: impl Fn(u32, u16, u16) -> f64) -> Vec<Event> {
    let builder = RunBuilder::stacks(&SEVEN)
        .mode(Mode::Quick)
        .header(|h| {
            h.run = "ca4d0f1e1d0c0b0a".to_string();
            h.title = "demo: which filesystem on this image?".to_string();
            h.protocol.time_ns = None;
            h.host.model = Some("Raspberry Pi 4 Model B Rev 1.4".to_string());
            for disk in h.region.iter_mut().flat_map(|region| &mut region.place.chain) {
                disk.link = Some("USB 5000 Mb/s".into());
            }
            super::use_recipes(&mut h.candidates);
        })
        .workloads(&FIVE)
        .cells(from_memory);
    let rate = |block: u32, candidate: u16, workload: u16| {
        let base = match (candidate, workload) {
            (FROM_MEMORY, 2) => 9500.0,
            (FROM_MEMORY, 4) => 700e6,
            _ => card(candidate.into(), workload.into()) * unit(&FIVE, workload),
        };
        // Random writes are noisier, so that one workload stays open.
        let spread = if workload == 0 { 0.09 } else { 0.03 };
        base * (1.0 + spread * noise(block, candidate, workload))
    };
    builder.finding(super::root_disk()).play(5, rate).stopped(StopReason::TimeUp, "").events()
}

/// ntfs-3g: its driver keeps what it read.
const FROM_MEMORY: u16 = 6;

fn from_memory(cell: &mut Cell) {
    if cell.candidate.number() == FROM_MEMORY && matches!(cell.workload.number(), 2 | 4) {
        cell.truth.cache = CacheState::Warm;
    }
}
