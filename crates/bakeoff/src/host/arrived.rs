//! What arrived at a block device.

use std::path::Path;

use bakeoff_machine::sysinfo::block_stat;

use super::root::Root;

/// Bytes written to a block device since it is there; `None` for what is none.
pub fn device_written_bytes(path: &Path) -> Option<u64> {
    let real = std::fs::canonicalize(path).ok()?;
    let name = real.file_name()?;
    let stat = Root::system().text(Path::new("sys/class/block").join(name).join("stat"))?;
    block_stat::parse(&stat).map(|stat| stat.written_bytes)
}
