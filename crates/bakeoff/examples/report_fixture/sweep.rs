//! Two sweeps: nine block sizes of reads, and depths by threads, on two filesystems of which one is
//! slow with small blocks.

use bakeoff_judge::testing::RunBuilder;
use bakeoff_model::event::{Event, StopReason};
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::protocol::Mode;
use bakeoff_model::workload::{Metric, Phase, Workload};
use bakeoff_stats::units;

const SIZES: [u64; 9] = [512, 1024, 2048, 8192, 16384, 32768, 131_072, 524_288, 1_048_576];
const DEPTHS: [u32; 3] = [1, 8, 32];
const THREADS: [u32; 3] = [1, 2, 4];

/// Its events.
pub fn events(noise: impl Fn(u32, u16, u16) -> f64) -> Vec<Event> {
    let workloads = workloads();
    let jobs: Vec<Job> = workloads.iter().map(|w| w.job.clone()).collect();
    let rate = |block: u32, candidate: u16, workload: u16| {
        let job = &jobs[usize::from(workload)];
        let spread = 1.0 + 0.03 * noise(block, candidate, workload);
        let is_map = job.iodepth > 1 || job.numjobs > 1 || job.bs == 4096;
        let base = if is_map {
            // It saturates: more in flight helps less and less.
            2400.0 * f64::from(job.iodepth * job.numjobs).powf(0.55)
        } else {
            // A fixed cost of a request, and the speed of the link.
            job.bs as f64 / (110e-6 + job.bs as f64 / 390e6)
        };
        let slower = if candidate == 1 && job.bs < 16384 { 0.7 } else { 1.0 };
        base * slower * spread
    };
    let builder = RunBuilder::stacks(&["ext4", "f2fs"]).mode(Mode::Quick).header(|h| {
        h.run = "5ee9000000000001".to_string();
        h.title = "From which block size on is this drive at its speed?".to_string();
        h.host.model = Some("Raspberry Pi 4 Model B Rev 1.4".to_string());
        h.workloads = workloads;
    });
    builder.play(5, rate).stopped(StopReason::Decided, "").events()
}

fn workloads() -> Vec<Workload> {
    let read = |bs: u64| Job { direct: true, ..Job::new(Rw::RandRead, bs, 1 << 28) };
    let mut all = Vec::new();
    for bs in SIZES {
        let size = units::block_size(bs);
        let (name, summary) = (format!("read-{size}"), format!("{size} random reads"));
        let metric = Metric::Bandwidth;
        all.push(Workload::native(&name, &summary, Phase::ColdRead, metric, read(bs)));
    }
    for iodepth in DEPTHS {
        for numjobs in THREADS {
            let name = format!("qd{iodepth}-t{numjobs}");
            let summary = format!("4k random reads, {iodepth} in flight, {numjobs} threads");
            let job = Job { iodepth, numjobs, ..read(4096) };
            all.push(Workload::native(&name, &summary, Phase::ColdRead, Metric::Iops, job));
        }
    }
    all
}
