//! L10 root-device: a drive under test also contains /, /var, swap or the store.

use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::{Place, SystemDisk};

pub fn in_plan(design: Design<'_>, place: &Place) -> Option<Hit> {
    let is_here = |d: &&SystemDisk| place.disks().any(|drive| drive.dev == d.dev);
    let mut purposes: Vec<&str> =
        design.system.iter().filter(is_here).map(|d| d.purpose.as_str()).collect();
    purposes.dedup();
    let drive = place.disks().next()?;
    (!purposes.is_empty()).then(|| {
        let evidence = format!("drive {} also contains {}", drive.name, purposes.join(", "));
        let advice = "stop the programs that write (see: iotop -o), or choose a drive that the \
            system does not use: bakeoff devices";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::plan;
    use crate::testing::RunBuilder;
    use bakeoff_model::finding::{Scope, Severity};

    fn used(purpose: &str, dev: &str) -> SystemDisk {
        SystemDisk { purpose: purpose.to_string(), dev: dev.to_string() }
    }

    #[test]
    fn l10_fires_on_the_systems_disk_and_not_on_its_neighbour() {
        let run = RunBuilder::directories(&["/home", "/mnt"]).build();
        let system = [used("/", "8:0"), used("swap", "8:0")];
        let found = plan(&run.header, &system);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].severity, found[0].scope), (Severity::Warn, Scope::Place));
        assert_eq!(found[0].candidate.as_deref(), Some("/home"));
        assert_eq!(found[0].evidence, "drive sda also contains /, swap");
        assert!(found[0].advice.ends_with(": bakeoff devices"), "{}", found[0].advice);
        assert!(plan(&run.header, &[used("/", "8:32")]).is_empty());
    }

    #[test]
    fn l10_limits_stacks_on_an_image_beside_the_system() {
        let run = RunBuilder::stacks(&["ext4", "xfs"]).build();
        let found = plan(&run.header, &[used("/", "8:0")]);
        assert_eq!((found[0].scope, found[0].candidate.clone()), (Scope::Stack, None));
    }
}
