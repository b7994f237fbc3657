//! What a stack needs, and a machine lacks. The words are in [`crate::report::lacking`].

use super::kernels::Remedy;
use super::manager::Manager;

/// What is missing for a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// A program.
    Program {
        /// The program.
        program: &'static str,
        /// The package manager that would install it here.
        manager: Option<Manager>,
    },
    /// A driver in the kernel.
    Driver(NoDriver),
    /// /dev/fuse.
    FuseDevice,
    /// A drive has no request queue of its own, and so no I/O scheduler.
    Queue {
        /// Its kernel name.
        drive: String,
    },
    /// An I/O scheduler.
    Scheduler {
        /// Its module.
        module: Box<NoDriver>,
        /// The drive's kernel name.
        drive: String,
        /// The schedulers it has.
        available: Vec<String>,
    },
    /// CPU frequency scaling.
    FrequencyScaling,
    /// A cpufreq governor.
    Governor {
        /// Its name.
        wanted: String,
        /// The governors there are, as the kernel lists them.
        available: String,
    },
}

/// A filesystem or another module that the kernel has neither built in nor as a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoDriver {
    /// The filesystem or module.
    pub fs: String,
    /// `uname -r`.
    pub kernel: String,
    /// Which kernel has it.
    pub remedy: Remedy,
}

impl NoDriver {
    /// What one remedy gives a driver to: the filesystems, and the first of them with that remedy.
    pub fn together(all: &[NoDriver]) -> Vec<(NoDriver, Vec<String>)> {
        let mut groups: Vec<(NoDriver, Vec<String>)> = Vec::new();
        for one in all {
            let mut known = groups.iter_mut();
            match known.find_map(|(of, names)| of.remedy.absorb(&one.remedy).then_some(names)) {
                Some(names) => names.push(one.fs.clone()),
                None => groups.push((one.clone(), vec![one.fs.clone()])),
            }
        }
        groups
    }
}
