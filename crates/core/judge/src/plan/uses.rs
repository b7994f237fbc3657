//! What a plan uses of a machine.

use super::document::Plan;
use bakeoff_machine::setup::Uses;
use bakeoff_model::workload::Workload;
use bakeoff_stats::distinct;
use bakeoff_tools::driver::driver;

impl Plan {
    pub fn uses(&self, workloads: &[Workload]) -> Uses {
        let mut programs = vec!["wipefs", "blkid", "dmsetup"];
        if self.stacks.iter().any(|stack| stack.crypt.is_some()) {
            programs.push("cryptsetup");
        }
        if self.stacks.iter().any(|stack| stack.lvm) {
            programs.push("lvcreate");
        }
        programs.extend(workloads.iter().filter_map(|w| driver(w.driver)).map(|d| d.program));
        let stacks = self.stacks.iter().filter(|stack| !stack.is_raw());
        Uses {
            filesystems: distinct::in_order(stacks.map(|stack| stack.recipes())),
            programs: distinct::in_order(programs),
        }
    }
}
