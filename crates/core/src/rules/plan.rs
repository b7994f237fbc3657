//! Rules that can be known before the first block: what lies behind the candidates.

use super::{disks, finding, pattern, stack};
use crate::evidence::registry;
use crate::model::candidate::Kind;
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::host::{Host, LayerKind, Place, PlaceClass};

/// A disk the running system uses, as the host reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemDisk {
    /// What for: `/`, `/var`, `swap`, `the store`.
    pub purpose: String,
    /// `major:minor` of the whole disk.
    pub dev: String,
}

/// Everything that can be said before the start. What follows from the header alone is found again
/// by every analysis; what needs `system` (L10) has to be recorded.
pub fn plan(header: &Header, system: &[SystemDisk]) -> Vec<Finding> {
    let mut found = disks::rules(header);
    found.extend(pattern::rules(header));
    found.extend(stack::rules(header));
    for (candidate, place) in places(header) {
        let rules =
            [root_device(header, place, system), memory(header, place), looped(header, place)];
        for mut finding in rules.into_iter().flatten() {
            finding.candidate = candidate.map(str::to_string);
            found.push(finding);
        }
    }
    found
}

/// A plan as the header of a run on a disk of which nothing is known.
pub(super) fn header(plan: &crate::plan::Plan, expanded: crate::plan::Expanded) -> Header {
    Header {
        schema: "bakeoff/run/1".to_string(),
        run: "0000000000000000".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        verb: "run".to_string(),
        title: plan.title.clone(),
        command: Vec::new(),
        seed: 0,
        protocol: expanded.protocol,
        candidates: expanded.candidates,
        workloads: expanded.workloads,
        skipped: expanded.skipped,
        dropped_workloads: expanded.dropped_workloads,
        host: Host::default(),
        region: None,
        more_regions: Vec::new(),
        plan: Some(plan.text.clone()),
        expected_write_bytes: 0,
        file_bytes: expanded.file_bytes,
    }
}

/// Each place with the candidate it belongs to; the region's belongs to all.
pub(super) fn places(header: &Header) -> Vec<(Option<&str>, &Place)> {
    let directories = header.candidates.iter().filter_map(|c| match &c.kind {
        Kind::Directory { place, .. } => Some((Some(c.name.as_str()), &**place)),
        Kind::Stack(_) => None,
    });
    let region = header.region.as_ref().map(|r| (None, &r.place));
    directories.chain(region).collect()
}

fn root_device(header: &Header, place: &Place, system: &[SystemDisk]) -> Option<Finding> {
    let is_here = |d: &&SystemDisk| place.disks().any(|disk| disk.dev == d.dev);
    let mut purposes: Vec<&str> =
        system.iter().filter(is_here).map(|d| d.purpose.as_str()).collect();
    purposes.dedup();
    let disk = place.disks().next()?;
    (!purposes.is_empty()).then(|| {
        let evidence = format!("{} also contains {}", disk.name, purposes.join(", "));
        let advice = "stop the programs that write (see: iotop -o), or choose a disk that the \
            system does not use: bakeoff devices";
        finding(header, &registry::ROOT_DEVICE, evidence, advice)
    })
}

fn memory(header: &Header, place: &Place) -> Option<Finding> {
    let ram = place.chain.iter().find(|l| l.kind == LayerKind::Ram);
    let is_memory = place.class == PlaceClass::Memory || ram.is_some();
    is_memory.then(|| {
        let what = ram.map_or(place.fs.as_str(), |l| l.name.as_str());
        let evidence = format!("{what} is memory, not a disk: its data is lost at a restart");
        finding(
            header,
            &registry::MEMORY_PLACE,
            evidence,
            "name a directory on a disk to compare disks",
        )
    })
}

fn looped(header: &Header, place: &Place) -> Option<Finding> {
    let is_cached =
        |l: &&crate::model::host::Layer| l.kind == LayerKind::Loop && l.direct_io == Some(false);
    place.chain.iter().find(is_cached).map(|layer| {
        let evidence = format!("{} uses the page cache for its file (loop/dio is 0)", layer.name);
        let advice = format!("attach it directly: losetup --direct-io=on /dev/{}", layer.name);
        finding(header, &registry::LOOP_NOT_DIRECT, evidence, &advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finding::{Scope, Severity};
    use crate::model::host::Layer;
    use crate::model::run::Run;
    use crate::testing::RunBuilder;

    fn ids(run: &Run, system: &[SystemDisk]) -> Vec<(String, Option<String>)> {
        plan(&run.header, system).into_iter().map(|f| (f.id, f.candidate)).collect()
    }

    fn disk(purpose: &str, dev: &str) -> SystemDisk {
        SystemDisk { purpose: purpose.to_string(), dev: dev.to_string() }
    }

    #[test]
    fn l10_fires_on_the_systems_disk_and_not_on_its_neighbour() {
        let run = RunBuilder::directories(&["/home", "/mnt"]).build();
        let system = [disk("/", "8:0"), disk("swap", "8:0")];
        let found = plan(&run.header, &system);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].severity, found[0].scope), (Severity::Warn, Scope::Place));
        assert_eq!(found[0].candidate.as_deref(), Some("/home"));
        assert_eq!(found[0].evidence, "sda also contains /, swap");
        assert!(found[0].advice.ends_with(": bakeoff devices"), "{}", found[0].advice);
        assert!(ids(&run, &[disk("/", "8:32")]).is_empty());
    }

    #[test]
    fn l10_limits_stacks_on_an_image_beside_the_system() {
        let run = RunBuilder::stacks(&["ext4", "xfs"]).build();
        let found = plan(&run.header, &[disk("/", "8:0")]);
        assert_eq!((found[0].scope, found[0].candidate.clone()), (Scope::Stack, None));
    }

    #[test]
    fn memory_fires_on_tmpfs_and_not_on_a_disk_called_tmpfs() {
        let tmpfs = |p: &mut Place| {
            p.class = PlaceClass::Memory;
            p.fs = "tmpfs".to_string();
            p.chain.clear();
        };
        let run = RunBuilder::directories(&["/home", "/tmp"]).place(1, tmpfs).build();
        assert_eq!(ids(&run, &[]), [("memory".to_string(), Some("/tmp".to_string()))]);
        let named = |p: &mut Place| p.source = "tmpfs".to_string();
        let run = RunBuilder::directories(&["/home", "/tmp"]).place(1, named).build();
        assert!(ids(&run, &[]).is_empty());
    }

    #[test]
    fn a_loop_fires_without_direct_io_only() {
        let with = |direct_io| {
            let layer = Layer {
                name: "loop3".to_string(),
                kind: LayerKind::Loop,
                direct_io,
                ..Layer::default()
            };
            let run = RunBuilder::directories(&["/a", "/b"]);
            let run = run.place(0, |p| p.chain.insert(0, layer)).build();
            plan(&run.header, &[])
        };
        assert!(with(Some(false))[0].advice.contains("losetup --direct-io=on /dev/loop3"));
        assert!(with(Some(true)).is_empty() && with(None).is_empty());
    }
}
