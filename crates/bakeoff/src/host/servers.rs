//! Processes of this machine that serve a drive themselves: the server of a FUSE filesystem that a
//! place or the file behind a loop device is on, and servers of network block devices. What they
//! move and compute is the drive's work.
//!
//! Source: linux/fs/fuse/dev.c, `fuse_dev_show_fdinfo`: the connection is the minor number of the
//! filesystem's device.

use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::host::{LayerKind, Place, PlaceClass};

use super::loops::filesystem_below;
use super::process;
use super::root::{Root, pids};

const NBD_SERVERS: [&str; 3] = ["nbd-server", "qemu-nbd", "nbdkit"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub pid: u32,
    pub name: String,
}

pub fn servers(place: &Place) -> Vec<Server> {
    let root = Root::system();
    let loops = place.chain.iter().filter(|layer| layer.kind == LayerKind::Loop);
    let mut filesystems: Vec<Dev> =
        loops.filter_map(|layer| filesystem_below(&layer.name)).collect();
    let own: Option<Dev> = place.dev.parse().ok();
    filesystems.extend(own.filter(|_| place.class == PlaceClass::Fuse));
    // Filesystems without a block device, as those of FUSE, have numbers of their own.
    let anonymous = filesystems.iter().filter(|of| of.major == 0);
    let connections: Vec<u64> = anonymous.map(|of| u64::from(of.minor)).collect();
    let is_nbd = place.chain.iter().any(|layer| layer.name.starts_with("nbd"));
    if connections.is_empty() && !is_nbd {
        return Vec::new();
    }
    let server = |pid: u32| {
        let name = process::named(&root, pid).name.to_string();
        let serves_nbd = is_nbd && NBD_SERVERS.contains(&name.as_str());
        (serves_nbd || serves_fuse(&root, pid, &connections)).then_some(Server { pid, name })
    };
    pids(&root).into_iter().filter_map(server).collect()
}

fn serves_fuse(root: &Root, pid: u32, connections: &[u64]) -> bool {
    let connection = |fd: &String| {
        let link = std::fs::read_link(root.path(format!("proc/{pid}/fd/{fd}"))).ok()?;
        link.ends_with("dev/fuse").then_some(())?;
        connection_of(&root.text(format!("proc/{pid}/fdinfo/{fd}"))?)
    };
    let fds =
        if connections.is_empty() { Vec::new() } else { root.names(format!("proc/{pid}/fd")) };
    fds.iter().filter_map(connection).any(|own| connections.contains(&own))
}

fn connection_of(fdinfo: &str) -> Option<u64> {
    let line = fdinfo.lines().find_map(|line| line.strip_prefix("fuse_connection:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::host::root::tree;

    /// On a card served by FUSE, "other processes (python3) transferred" was in every cell.
    #[test]
    fn the_server_of_a_drive_is_known_by_its_connection() {
        let info = "pos:\t0\nflags:\t02\nmnt_id:\t25\nino:\t88\nfuse_connection:\t53\n";
        let (dir, root) = tree(&[
            ("proc/900/fdinfo/4", info),
            ("proc/900/fd/placeholder", ""),
            ("proc/901/fdinfo/4", info),
            ("proc/901/fd/placeholder", ""),
        ]);
        symlink("/dev/fuse", dir.path().join("proc/900/fd/4")).unwrap();
        symlink("/dev/null", dir.path().join("proc/901/fd/4")).unwrap();
        assert!(serves_fuse(&root, 900, &[52, 53]));
        assert!(!serves_fuse(&root, 900, &[52]), "it serves another filesystem");
        assert!(!serves_fuse(&root, 901, &[53]), "it has something else open");
    }
}
