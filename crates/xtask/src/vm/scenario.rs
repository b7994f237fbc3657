//! What a test on a machine is, and the list of all of them.
//!
//! Starting a guest takes some seconds, so those that leave nothing behind share one; after each
//! of them the guest has to be as it was before (`clean`).

use anyhow::Result;

use super::board::Board;
use super::disk::Disk;
use super::guest::Guest;
use super::lab::TestLab;

pub mod caps;
mod carry_over;
mod causes;
mod detached;
mod devices;
mod exchanged;
mod files;
mod guard;
mod key;
pub mod pi;
mod power;
mod promises;
mod resumed;
mod run;
mod slope;
mod slow_disk;
mod studies;
mod turns_and_visits;

/// Tests that share a guest.
pub struct Group {
    /// Name of the group and of its machine.
    pub name: &'static str,
    /// What it runs on.
    pub board: &'static Board,
    /// Its disks.
    pub disks: fn() -> Vec<Disk>,
    /// Whether it matters to them what else the machine below does: causes are looked for, or
    /// small differences.
    pub is_alone: bool,
    /// The tests, in order.
    pub tests: fn() -> Vec<Test>,
}

/// What a test does in its guest.
type Action = Box<dyn Fn(&mut Guest) -> Result<()>>;

/// A test in a guest that others use as well.
pub struct Test {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub run: Action,
}

impl Test {
    /// A test.
    pub fn new(name: &'static str, run: impl Fn(&mut Guest) -> Result<()> + 'static) -> Test {
        Test { name, run: Box::new(run) }
    }
}

/// A test with machines of its own.
pub struct Solo {
    /// Its name.
    pub name: &'static str,
    /// Whether it matters to it what else the machine below does.
    pub is_alone: bool,
    /// What it does.
    pub run: fn(&TestLab) -> Result<()>,
}

/// What has machines of its own, and can run beside others.
pub enum Part {
    /// Tests in one guest.
    Group(&'static Group),
    /// A test that starts guests itself.
    Solo(Solo),
}

/// All tests, what takes longest first.
pub const PARTS: &[Part] = &[
    Part::Group(&studies::GROUP),
    Part::Group(&run::GROUP),
    Part::Group(&pi::PI1),
    Part::Group(&pi::PI3),
    Part::Solo(Solo { name: "power-cut-and-resume", is_alone: false, run: power::cut_and_resume }),
    Part::Group(&guard::GROUP),
    Part::Solo(Solo {
        name: "promises",
        is_alone: false,
        run: promises::acknowledged_fsyncs_survive,
    }),
    Part::Group(&resumed::GROUP),
    Part::Group(&files::GROUP),
    Part::Group(&devices::GROUP),
    Part::Group(&causes::GROUP),
    Part::Group(&slow_disk::GROUP),
    Part::Group(&turns_and_visits::SPEEDS),
    Part::Group(&turns_and_visits::KINDS),
    Part::Group(&carry_over::GROUP),
    Part::Solo(Solo { name: "caps", is_alone: true, run: caps::once_each }),
];
