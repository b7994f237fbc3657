//! Levels as few bytes: numbers of seven bits a byte (LEB128), texts with their length, means in
//! ten-thousandths of a logarithm as the difference to the candidate before. docs/format.md has the
//! order. Bytes behind the last field are those of a later bakeoff, and are not read.

use super::line::LineError;
use super::sound::{self, MOST_LIST, TEXT_BYTES};
use super::{LevelCandidate, LevelDrive, RunLevels, WorkloadLevels};
use bakeoff_model::normal::Medium;
use bakeoff_model::verdict::Verdict;
use bakeoff_model::workload::Metric;
use bakeoff_stats::level::Level;
use strum::VariantArray;

const STEPS: f64 = 10_000.0;

pub(super) fn write(of: &RunLevels) -> Vec<u8> {
    let mut out = Writer(Vec::new());
    out.number(u64::from_str_radix(&of.short, 16).unwrap_or(0));
    out.number(of.day.into());
    out.number(of.elapsed_s.into());
    for text in [&of.version, &of.mode, &of.board, &of.kernel] {
        out.text(text);
    }
    out.count(of.drives.len());
    for drive in &of.drives {
        out.text(&drive.class);
        out.text(&drive.model);
        out.number(drive.size_mb);
    }
    out.count(of.candidates.len());
    for candidate in &of.candidates {
        out.text(&candidate.name);
        out.text(&candidate.filesystem);
        out.number(candidate.is_encrypted.into());
        out.option(candidate.drive);
    }
    out.count(of.workloads.len());
    of.workloads.iter().for_each(|workload| out.workload(workload));
    out.number(of.left_out.into());
    if of.candidates.iter().any(|candidate| candidate.medium.is_some()) {
        for candidate in &of.candidates {
            out.text(candidate.medium.map_or("", Medium::key));
            out.text(candidate.link.as_deref().unwrap_or_default());
        }
    }
    out.0
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut value: u64) {
        while value >= 128 {
            self.0.push((value & 127) as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    fn option(&mut self, value: Option<usize>) {
        self.count(value.map_or(0, |value| value + 1));
    }

    fn text(&mut self, text: &str) {
        let mut end = text.len().min(TEXT_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text[..end].trim();
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn workload(&mut self, of: &WorkloadLevels) {
        self.text(&of.name);
        self.option(Metric::VARIANTS.iter().position(|metric| *metric == of.metric));
        self.0.extend_from_slice(&of.definition.to_be_bytes());
        self.number(of.size_kib);
        let verdict = |wanted| Verdict::ALL.iter().position(|verdict| *verdict == wanted);
        self.option(of.verdict.and_then(verdict));
        self.option(of.leader);
        self.number(of.is_forbidden.into());
        let mut before = 0;
        for level in &of.levels {
            let Some(level) = level else {
                self.number(0);
                continue;
            };
            self.number(level.blocks.into());
            let mean = libm::round(level.mean * STEPS) as i64;
            let step = mean - before;
            self.number((step << 1 ^ step >> 63) as u64);
            before = mean;
            if level.blocks > 1 {
                self.number(libm::ceil(level.standard_error * STEPS - 1e-6) as u64);
            }
        }
    }
}

/// Reads levels and looks whether they can be those of a drive.
pub(super) fn read(bytes: &[u8]) -> Result<RunLevels, LineError> {
    let mut input = Reader(bytes);
    let (run, day, elapsed_s) = (input.small()?, input.small()?, input.small()?);
    let [version, mode, board, kernel] =
        [input.text()?, input.text()?, input.text()?, input.text()?];
    let drives = input.list(|input| {
        Ok(LevelDrive { class: input.text()?, model: input.text()?, size_mb: input.number()? })
    })?;
    let mut candidates = input.list(|input| {
        Ok(LevelCandidate {
            name: input.text()?,
            filesystem: input.text()?,
            is_encrypted: input.number()? & 1 == 1,
            drive: input.option(drives.len())?,
            medium: None,
            link: None,
        })
    })?;
    let workloads = input.list(|input| input.workload(candidates.len()))?;
    let left_out = input.small()?;
    // Lines of earlier versions, and of storage of no known kind, end here.
    for candidate in candidates.iter_mut().take_while(|_| !input.0.is_empty()) {
        candidate.medium = input.text()?.parse().ok();
        candidate.link = Some(input.text()?).filter(|link| !link.is_empty());
    }
    let short = format!("{run:08x}");
    let found = RunLevels {
        short,
        version,
        day,
        elapsed_s,
        mode,
        board,
        kernel,
        drives,
        candidates,
        workloads,
        left_out,
    };
    sound::check(&found)?;
    Ok(found)
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, LineError> {
        let (first, rest) = self.0.split_first().ok_or(LineError::Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u64, LineError> {
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(LineError::Damaged)
    }

    fn small(&mut self) -> Result<u32, LineError> {
        u32::try_from(self.number()?).map_err(|_| LineError::Damaged)
    }

    fn count(&mut self, most: usize) -> Result<usize, LineError> {
        usize::try_from(self.number()?).ok().filter(|n| *n <= most).ok_or(LineError::Damaged)
    }

    /// A position in a list of so many.
    fn option(&mut self, of: usize) -> Result<Option<usize>, LineError> {
        Ok(self.count(of)?.checked_sub(1))
    }

    fn text(&mut self) -> Result<String, LineError> {
        let length = self.count(TEXT_BYTES)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(LineError::Damaged)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| LineError::Damaged)
    }

    fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, LineError>,
    ) -> Result<Vec<T>, LineError> {
        let count = self.count(MOST_LIST)?;
        (0..count).map(|_| one(self)).collect()
    }

    fn workload(&mut self, candidates: usize) -> Result<WorkloadLevels, LineError> {
        let name = self.text()?;
        let metric = self.option(Metric::VARIANTS.len())?.ok_or(LineError::Damaged)?;
        let definition = [self.byte()?, self.byte()?, self.byte()?, self.byte()?];
        let size_kib = self.number()?;
        let verdict = self.option(Verdict::ALL.len())?.map(|at| Verdict::ALL[at]);
        let leader = self.option(candidates)?;
        let is_forbidden = self.number()? & 1 == 1;
        let mut before = 0i64;
        let levels = (0..candidates).map(|_| self.level(&mut before)).collect::<Result<_, _>>()?;
        Ok(WorkloadLevels {
            name,
            metric: Metric::VARIANTS[metric],
            definition: u32::from_be_bytes(definition),
            size_kib,
            verdict,
            leader,
            is_forbidden,
            levels,
        })
    }

    fn level(&mut self, before: &mut i64) -> Result<Option<Level>, LineError> {
        let blocks = self.small()?;
        if blocks == 0 {
            return Ok(None);
        }
        let step = self.number()?;
        let step = (step >> 1) as i64 ^ -((step & 1) as i64);
        *before = before.checked_add(step).ok_or(LineError::Damaged)?;
        let standard_error = match blocks {
            1 => f64::INFINITY,
            _ => self.number()? as f64 / STEPS,
        };
        Ok(Some(Level { mean: *before as f64 / STEPS, standard_error, blocks }))
    }
}
