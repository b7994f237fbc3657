//! What a plan uses of a machine.

use super::document::Plan;
use crate::model::workload::Workload;
use crate::prepare::support::Recipe;
use crate::setup::{Uses, once};
use crate::tools::foreign;

impl Plan {
    /// The filesystems and programs it uses, with the workloads it makes.
    pub fn uses(&self, workloads: &[Workload]) -> Uses {
        let mut programs = vec!["wipefs", "blkid", "dmsetup"];
        if self.stacks.iter().any(|stack| stack.crypt.is_some()) {
            programs.push("cryptsetup");
        }
        if self.stacks.iter().any(|stack| stack.lvm) {
            programs.push("lvcreate");
        }
        let drivers = workloads.iter().filter(|w| !w.driver.is_native());
        programs.extend(drivers.map(|workload| foreign::program(workload.driver)));
        let mut filesystems: Vec<Vec<&Recipe>> = Vec::new();
        for stack in self.stacks.iter().filter(|stack| !stack.is_raw()) {
            let recipes = stack.recipes();
            if !filesystems.contains(&recipes) {
                filesystems.push(recipes);
            }
        }
        let what = format!("the plan {}", self.name);
        Uses { what, takes_what_there_is: false, filesystems, programs: once(programs) }
    }
}
