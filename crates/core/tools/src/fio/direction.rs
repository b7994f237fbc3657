//! The figures of one direction, as versions 2 and 3 put them, and the requests issued.

use super::DirectionVolume;
use super::scalar::{Rounded, count, finer, is_rate, rates, size, value};

const UNEQUAL: &str = "requests times block size does not equal the bytes that fio reports";
/// The directions of a job, and what `unified_rw_reporting` prints of all together.
pub const NAMES: [&str; 4] = ["read", "write", "trim", "mixed"];

/// The figures of a direction's line.
#[derive(Debug)]
pub struct DirectionFigures {
    pub rates: Vec<Rounded>,
    pub rate_raw: String,
    pub iops: Option<(f64, String)>,
    pub bytes: (Rounded, String),
    pub runtime_ms: (u64, String),
}

impl DirectionFigures {
    /// Whether the bytes and the runtime can be those of the rate.
    pub fn agree(&self) -> bool {
        self.rates.iter().any(|rate| is_rate(self.bytes.0, self.runtime_ms.0 as f64, *rate))
    }

    pub fn volume(&self, line: u64) -> DirectionVolume {
        let (bytes, raw) = &self.bytes;
        let (ms, runtime) = &self.runtime_ms;
        DirectionVolume {
            bytes: (libm::round(bytes.value) as u64, raw.clone(), line),
            runtime_ms: Some((*ms, runtime.clone(), line)),
            rate: finer(&self.rates, *bytes, *ms as f64),
        }
    }
}

/// Whether a line is one of a direction: its name, and behind it what names its figures.
pub fn begins(text: &str) -> bool {
    let rest = NAMES.iter().find_map(|name| text.strip_prefix(name));
    let rest = rest.and_then(|rest| rest.trim_start().strip_prefix(':'));
    rest.is_some_and(is_direction)
}

/// Whether what stands behind `read:` is such a line.
pub fn is_direction(rest: &str) -> bool {
    let has = |words: &[&str]| words.iter().all(|word| rest.contains(word));
    has(&["IOPS=", "BW="]) || has(&["io=", "bw=", "runt="])
}

/// `IOPS=51.2k, BW=200MiB/s (210MB/s)(8192KiB/40msec)`, and how version 2 puts it.
pub fn parts(rest: &str) -> Option<DirectionFigures> {
    let parts = if rest.contains("IOPS=") { new_parts(rest) } else { old_parts(rest) };
    parts.filter(|parts| !parts.rates.is_empty())
}

fn new_parts(rest: &str) -> Option<DirectionFigures> {
    let rate_raw = value(rest, "BW")?;
    let iops = value(rest, "IOPS")?;
    // The pair in the last parentheses: bytes and runtime.
    let (_, pair) = rest[..rest.rfind(')')?].rsplit_once('(')?;
    let (bytes, runtime) = pair.split_once('/')?;
    let ms: u64 = runtime.strip_suffix("msec")?.parse().ok()?;
    Some(DirectionFigures {
        rates: rates(rate_raw, false),
        rate_raw: rate_raw.to_string(),
        iops: Some((count(iops)?.value, iops.to_string())),
        bytes: (size(bytes, false)?, bytes.to_string()),
        runtime_ms: (ms, runtime.to_string()),
    })
}

fn old_parts(rest: &str) -> Option<DirectionFigures> {
    let rate_raw = value(rest, "bw")?;
    let bytes = value(rest, "io")?;
    let runtime = value(rest, "runt")?;
    let ms: u64 = runtime.strip_suffix("msec")?.parse().ok()?;
    let iops = value(rest, "iops").and_then(|raw| Some((count(raw)?.value, raw.to_string())));
    Some(DirectionFigures {
        rates: rates(rate_raw, true),
        rate_raw: rate_raw.to_string(),
        iops,
        bytes: (size(bytes, true)?, bytes.to_string()),
        runtime_ms: (ms, runtime.to_string()),
    })
}

/// Requests times block size, where that is what fio says it moved; none where a request was short
/// or sizes differ. Version 2 divides by 1000 with `kb_base=1000` and calls it KB as well.
pub fn exact(
    total: u64,
    block: Option<u64>,
    bytes: Rounded,
    raw: &str,
) -> Result<Option<u64>, &'static str> {
    let Some((block, exact)) = block.and_then(|b| Some((b, b.checked_mul(total)?))) else {
        return Ok(None);
    };
    let beyond = |of: Rounded| (exact as f64 - of.value).abs() - of.slack * 1.01;
    let nearest = [Some(bytes), size(raw, false)].into_iter().flatten().map(beyond);
    match nearest.fold(f64::INFINITY, f64::min) {
        beyond if beyond <= 0.0 => Ok(Some(exact)),
        // The last one, at the file's end.
        beyond if beyond <= block as f64 => Ok(None),
        _ => Err(UNEQUAL),
    }
}

/// `total=200,150,0,38 short=...`, or `total=r=0/w=2048/d=0, short=...` in version 2.
pub fn issued(rest: &str) -> Option<[u64; 4]> {
    let (total, _) = rest.split_once("total=")?.1.split_once("short=")?;
    let total = total.trim_end().trim_end_matches([',', ';']);
    let number = |part: &str| part.rsplit('=').next()?.trim().parse::<u64>().ok();
    let separator = if total.contains('=') { '/' } else { ',' };
    let numbers: Option<Vec<u64>> = total.split(separator).map(number).collect();
    let numbers = numbers?;
    let flushes = numbers.get(3).copied().unwrap_or(0);
    Some([*numbers.first()?, *numbers.get(1)?, *numbers.get(2)?, flushes])
}
