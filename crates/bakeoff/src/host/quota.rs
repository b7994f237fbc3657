//! How long the CPU quota of our control groups kept us from running.
//!
//! A group that has used up its quota does not run until the next period, and nothing else shows
//! it: the CPUs look idle. The group that has the quota counts it, so all groups around us are
//! asked. Sources: `Documentation/scheduler/sched-bwc.rst`,
//! `Documentation/admin-guide/cgroup-v2.rst`.

use std::path::{Path, PathBuf};

use bakeoff_machine::sysinfo::cgroup;

use super::feed::Feed;
use super::root::Root;

const LEVELS: usize = 8;

pub struct Quota {
    feeds: Vec<Feed>,
}

impl Quota {
    pub fn open(root: &Root) -> Option<Quota> {
        let text = root.text("proc/self/cgroup")?;
        let mut feeds = Vec::new();
        for (mounts, group) in places(&text) {
            let group = Path::new(group.trim_start_matches('/')).to_path_buf();
            let mount = mounts.iter().find(|m| root.path(m).is_dir());
            let Some(mount) = mount else { continue };
            for level in group.ancestors().take(LEVELS) {
                let mut feed = match Feed::open(root, mount.join(level).join("cpu.stat")) {
                    Ok(feed) => feed,
                    Err(_) => continue,
                };
                if feed.read().and_then(cgroup::held_ns).is_some() {
                    feeds.push(feed);
                }
            }
        }
        (!feeds.is_empty()).then_some(Quota { feeds })
    }

    pub fn held_ns(&mut self) -> Option<u64> {
        self.feeds.iter_mut().map(|feed| cgroup::held_ns(feed.read()?)).sum()
    }
}

/// Where the hierarchies that count CPU time are usually mounted, and our group in each.
fn places(text: &str) -> Vec<(Vec<PathBuf>, String)> {
    let at = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
    let mut places = Vec::new();
    if let Some(group) = cgroup::group(text, "cpu") {
        places.push((at(&["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"]), group.to_string()));
    }
    if let Some(group) = cgroup::group(text, "") {
        places.push((at(&["sys/fs/cgroup/unified", "sys/fs/cgroup"]), group.to_string()));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_above_counts_as_well() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            ("proc/self/cgroup", "0::/user.slice/a.scope\n"),
            ("sys/fs/cgroup/cpu.stat", "usage_usec 9\n"),
            ("sys/fs/cgroup/user.slice/cpu.stat", "nr_throttled 1\nthrottled_usec 40\n"),
            ("sys/fs/cgroup/user.slice/a.scope/cpu.stat", "throttled_usec 2\n"),
        ];
        for (file, text) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut quota = Quota::open(&Root::at(dir.path())).unwrap();
        assert_eq!(quota.held_ns(), Some(42_000));
    }
}
