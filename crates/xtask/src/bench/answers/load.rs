//! Other work on the machine while something is measured.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Processes that work until this is dropped.
pub struct Load(Vec<Child>);

impl Load {
    /// A compiler on every CPU: the bare loop of this bench, again and again.
    pub fn compiler(root: &Path, dir: &Path) -> Result<Load> {
        let source = root.join("crates/xtask/src/bench/bare_loop.c");
        let cpus = std::thread::available_parallelism()?.get();
        let script = "while :; do cc -O3 -o \"$2\" \"$1\"; done";
        Load::start(script, (0..cpus).map(|cpu| (source.clone(), dir.join(format!("cc-{cpu}")))))
    }

    /// Two programs that write 64 MiB, flush, read them and begin again.
    pub fn disk_users(dir: &Path) -> Result<Load> {
        let script = "while :; do dd if=/dev/zero of=\"$2\" bs=1M count=64 conv=fsync; \
                      dd if=\"$2\" of=/dev/null bs=1M iflag=direct; done";
        Load::start(script, (0..2).map(|n| (dir.to_path_buf(), dir.join(format!("busy-{n}")))))
    }

    fn start(
        script: &str,
        each: impl Iterator<Item = (std::path::PathBuf, std::path::PathBuf)>,
    ) -> Result<Load> {
        let mut load = Load(Vec::new());
        for (first, second) in each {
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "KILL", "sh", "-c", script, "load"]);
            command.arg(first).arg(second).stdout(Stdio::null()).stderr(Stdio::null());
            load.0.push(command.spawn().context("cannot start setpriv (util-linux)")?);
        }
        Ok(load)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It ended by itself: then there is nothing to end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
