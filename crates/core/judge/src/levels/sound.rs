//! Whether levels that somebody pasted can be those of a drive. A checksum tells a damaged line
//! from a whole one, and not a forged one from a true one.

use super::RunLevels;
use super::line::LineError;
use bakeoff_model::path::sanitize;
use bakeoff_model::workload::Metric;

pub(super) const TEXT_BYTES: usize = 48;
/// Most drives, candidates and workloads.
pub(super) const MOST_LIST: usize = 64;
const MOST_BLOCKS: u32 = 100_000;
/// Of a mean of logarithms: a factor of over a million.
const MOST_ERROR: f64 = 14.0;
/// About the year 2150.
const LAST_DAY: u32 = 65_000;
const MOST_SECONDS: u32 = 366 * 86_400;
const MOST_SIZE: u64 = 1 << 50;

pub(super) fn check(of: &RunLevels) -> Result<(), LineError> {
    let drives = of.drives.iter().flat_map(|drive| [&drive.class, &drive.model]);
    let candidates = of.candidates.iter().flat_map(|c| [&c.name, &c.filesystem]);
    let workloads = of.workloads.iter().map(|workload| &workload.name);
    let own = [&of.version, &of.mode, &of.board, &of.kernel];
    let links = of.candidates.iter().filter_map(|candidate| candidate.link.as_ref());
    let texts = own.into_iter().chain(drives).chain(candidates).chain(workloads);
    let mut texts = texts.chain(links);
    if texts.any(|text| sanitize(text) != *text || text.trim() != text) {
        return Err(LineError::Absurd("a name with control characters".to_string()));
    }
    let names = |all: Vec<&str>| {
        let is_twice = (1..all.len()).any(|at| all[..at].contains(&all[at]));
        is_twice || all.iter().any(|name| name.is_empty())
    };
    if names(of.candidates.iter().map(|c| c.name.as_str()).collect())
        || names(of.workloads.iter().map(|w| w.name.as_str()).collect())
    {
        return Err(LineError::Absurd("a name that is missing or used twice".to_string()));
    }
    if of.day > LAST_DAY || of.elapsed_s > MOST_SECONDS {
        return Err(LineError::Absurd("the time of the run".to_string()));
    }
    if of.drives.iter().any(|d| d.size_mb > MOST_SIZE) {
        return Err(LineError::Absurd("the size of a drive".to_string()));
    }
    for workload in &of.workloads {
        for (candidate, level) in of.candidates.iter().zip(&workload.levels) {
            let Some(level) = level else { continue };
            let (least, most) = plausible(workload.metric);
            let is_error_sound = level.blocks == 1 || level.standard_error <= MOST_ERROR;
            // Compared as scores: the exponential of an absurd one is infinite.
            let figure = if workload.metric.less_is_better() { -level.mean } else { level.mean };
            let is_sound = (libm::log(least)..=libm::log(most)).contains(&figure);
            if !is_sound || !is_error_sound || level.blocks > MOST_BLOCKS {
                let what = format!("the figure of {} on {}", candidate.name, workload.name);
                return Err(LineError::Absurd(what));
            }
        }
    }
    Ok(())
}

/// Least and largest figure of a drive, in the unit of the metric.
fn plausible(metric: Metric) -> (f64, f64) {
    match metric {
        // A terabyte a second is a hundred times what the fastest drives of 2026 do.
        Metric::Bandwidth => (1.0, 1e12),
        Metric::Iops | Metric::FilesPerSecond | Metric::TransactionsPerSecond => (1e-4, 1e9),
        Metric::LatencyP99 => (10.0, 1e13),
    }
}
