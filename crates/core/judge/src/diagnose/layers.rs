//! Which lower layers are measured for a workload, and with what work.
//!
//! Each planned is the workload's own job with one thing taken away, for a fraction of a second.

use bakeoff_model::ceiling::CeilingLayer;
use bakeoff_model::event::Header;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::workload::{Phase, Workload};

pub const LAYER_NS: u64 = 300_000_000;
/// What a planned takes beside that: starting the engine, laying a small file out.
pub const LAYER_OVERHEAD_NS: u64 = 200_000_000;
/// Operations that a planned one does however long they take, within [`LAYER_LIMIT_NS`]: of two or
/// three a slow disk's first, which often comes from a buffer, would be half.
pub const LAYER_IOS: u64 = 10;
pub const FEWEST_IOS: u64 = 8;
pub const LAYER_LIMIT_NS: u64 = 3_000_000_000;
pub const LAYER_WRITE_BYTES: u64 = 32 << 20;
pub const MEMORY_FILE_BYTES: u64 = 16 << 20;
const DEEP: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Memory,
    File,
    Device,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LayerJob {
    pub layer: CeilingLayer,
    pub at: At,
    pub job: Job,
}

impl LayerJob {
    pub fn write_bytes(&self) -> u64 {
        let wears = matches!(self.at, At::File | At::Device) && self.job.rw.writes();
        if wears { LAYER_WRITE_BYTES } else { 0 }
    }
}

/// The jobs of a workload, the most telling first. Profiles and foreign tools have none: what
/// they do is no one job.
pub fn jobs(workload: &Workload, has_device: bool) -> Vec<LayerJob> {
    if !workload.driver.is_native() || workload.profile.is_some() || workload.phase == Phase::Whole
    {
        return Vec::new();
    }
    let short = Job {
        runtime_ns: Some(LAYER_NS),
        time_limit_ns: Some(LAYER_LIMIT_NS),
        min_ios: LAYER_IOS,
        verify: false,
        rate_iops: None,
        io_size: workload.job.rw.writes().then_some(LAYER_WRITE_BYTES),
        ..workload.job.clone()
    };
    let mut jobs = Vec::new();
    let mut add = |layer, at, job| jobs.push(LayerJob { layer, at, job });
    let is_data = short.rw != Rw::SmallFiles;
    let size = if is_data { MEMORY_FILE_BYTES.min(short.size) } else { short.size };
    let fits = short.bs <= size;
    if is_data {
        on_the_disk(&short, has_device, &mut add);
    }
    if is_data && fits {
        // It opens the file and does not touch it.
        let none = Job { engine: EngineName::Null, direct: false, io_size: None, ..short.clone() };
        let none = Job { fsync: 0, fdatasync: 0, end_fsync: false, size, ..none };
        add(CeilingLayer::Tool, At::Memory, Job { runtime_ns: Some(LAYER_NS / 3), ..none });
    }
    // A filesystem in memory has no requests in flight, and not everywhere direct I/O.
    let calls = Job { direct: false, engine: EngineName::Psync, iodepth: 1, size, ..short };
    if fits {
        add(CeilingLayer::Calls, At::Memory, Job { io_size: None, ..calls });
    }
    jobs
}

/// Whether places on the drive can be compared: there is a region whose ends can be read.
pub fn has_ends(header: &Header) -> bool {
    header.region.is_some()
}

fn on_the_disk(short: &Job, has_device: bool, add: &mut impl FnMut(CeilingLayer, At, Job)) {
    let direct = Job { direct: true, ..short.clone() };
    let is_aligned = short.bs.is_multiple_of(4096);
    if !is_aligned {
        return;
    }
    let at = if has_device { At::Device } else { At::File };
    if has_device {
        add(CeilingLayer::Raw, At::Device, direct.clone());
    }
    let flushes = short.fsync > 0 || short.fdatasync > 0;
    let unflushed = Job { fsync: 0, fdatasync: 0, end_fsync: true, ..direct };
    // Large blocks hold what the disk does whatever the depth; a few at a time keep it busy.
    let depth = if short.bs >= 256 << 10 { 4 } else { DEEP };
    let deep = Job { engine: EngineName::IoUring, iodepth: depth, ..unflushed.clone() };
    if !short.rw.writes() {
        add(CeilingLayer::Deep, at, Job { end_fsync: false, ..deep });
    } else if flushes && short.bs >= 256 << 10 {
        add(CeilingLayer::Deep, at, deep);
    } else if flushes {
        add(CeilingLayer::NoFlush, at, unflushed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::workloads;

    fn layers(name: &str, has_device: bool) -> Vec<CeilingLayer> {
        let all = jobs(&workloads::find(name).unwrap(), has_device);
        all.iter().map(|planned| planned.layer).collect()
    }

    #[test]
    fn each_workload_has_what_can_prove_its_cause() {
        use CeilingLayer::*;
        assert_eq!(layers("randread", false), [Deep, Tool, Calls]);
        assert_eq!(layers("randread", true), [Raw, Deep, Tool, Calls]);
        assert_eq!(layers("randwrite", false), [NoFlush, Tool, Calls]);
        assert_eq!(layers("seqwrite", false), [Deep, Tool, Calls]);
        assert_eq!(layers("smallfiles", true), [Calls]);
    }

    #[test]
    fn a_directory_has_no_ends() {
        let has_ends = |builder: RunBuilder| has_ends(&builder.build().header);
        assert!(!has_ends(RunBuilder::directories(&["/mnt"])));
        assert!(has_ends(RunBuilder::stacks(&["ext4"])));
    }

    #[test]
    fn a_layer_is_measured_shortly_and_writes_little() {
        for workload in workloads::all() {
            for planned in jobs(&workload, true) {
                assert!(
                    planned.job.runtime_ns <= Some(LAYER_NS) && planned.job.min_ios <= LAYER_IOS
                );
                let bounded = planned.job.io_size.is_some_and(|bytes| bytes <= LAYER_WRITE_BYTES);
                assert!(planned.write_bytes() == 0 || bounded, "{planned:?}");
            }
        }
    }
}
