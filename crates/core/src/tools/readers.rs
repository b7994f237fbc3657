//! The readers of each tool's outputs.

use super::{
    agnostics, bonnie, dd, diskmark, f3, fio, hdparm, ioping, iostat, iozone, pibenchmarks,
    sysbench, yabs,
};
pub use crate::scan::finder::TOOLS;
use crate::scan::{Finder, Reader};

/// The readers of one tool's outputs; none of a program that is not in [`TOOLS`].
pub fn readers(tool: &str) -> Vec<Box<dyn Reader>> {
    match tool {
        "dd" => vec![Box::new(dd::Dd::default())],
        "sysbench" => vec![Box::new(sysbench::Sysbench::default())],
        "bonnie++" => vec![Box::new(bonnie::Bonnie::default())],
        "iozone" => {
            vec![Box::new(iozone::Iozone::default()), Box::new(iozone::Latencies::default())]
        }
        "hdparm" => vec![Box::new(hdparm::Hdparm::default())],
        "ioping" => vec![Box::new(ioping::Ioping::default())],
        "f3" => vec![Box::new(f3::F3::default())],
        "iostat" => vec![Box::new(iostat::Iostat::default())],
        "crystaldiskmark" => vec![Box::new(diskmark::DiskMark::default())],
        "yabs" => vec![Box::new(yabs::Yabs::default())],
        "agnostics" => vec![Box::new(agnostics::Agnostics::default())],
        "Storage.sh" => vec![Box::new(pibenchmarks::StorageSh::default())],
        "fio" => vec![
            Box::new(fio::json::Json::default()),
            Box::new(fio::terse::Terse),
            Box::new(fio::text::Text::default()),
            Box::new(fio::same_run::SameRun),
        ],
        _ => Vec::new(),
    }
}

impl Finder {
    /// Looks for the outputs of one of [`TOOLS`].
    pub fn of(tool: &str) -> Finder {
        Finder::with(readers(tool))
    }
}
