//! Ways to execute a workload, as values: what goes to a driver and what comes back.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

pub mod agnostics;
pub mod bench_sh;
pub mod bonnie;
pub mod dd;
pub mod diskmark;
pub mod driver;
pub mod f3;
pub mod fio;
pub mod hdparm;
pub mod ioping;
pub mod iostat;
pub mod iozone;
pub mod measured;
pub mod native;
pub mod pibenchmarks;
pub mod scan;
pub mod sysbench;
#[cfg(test)]
mod tests;
pub mod yabs;

use crate::scan::{Finder, ScannedTool};

/// The tools whose outputs are read and whose command lines are remembered. Others repeat lines of
/// fio, so it comes last.
pub static TOOLS: [&ScannedTool; 14] = [
    &dd::TOOL,
    &sysbench::TOOL,
    &bonnie::TOOL,
    &iozone::TOOL,
    &hdparm::TOOL,
    &ioping::TOOL,
    &f3::TOOL,
    &iostat::TOOL,
    &diskmark::TOOL,
    &yabs::TOOL,
    &agnostics::TOOL,
    &pibenchmarks::TOOL,
    &bench_sh::TOOL,
    &fio::TOOL,
];

impl Finder {
    /// Looks for the outputs of the tool of that name; for none where it is none of [`TOOLS`].
    pub fn for_tool(name: &str) -> Finder {
        let of_tool = TOOLS.iter().filter(|tool| tool.name == name);
        Finder::with(&TOOLS, of_tool.flat_map(|tool| (tool.readers)()).collect())
    }
}

/// What the readers of all tools find in a text, before a rule judges it.
#[cfg(test)]
pub fn read(text: &[u8]) -> crate::scan::Imported {
    Finder::with(&TOOLS, TOOLS.iter().flat_map(|tool| (tool.readers)()).collect()).all_of(text)
}
