//! The line to paste: `bakeoff1:`, the number of characters that follow as two digits of base 64,
//! and these characters: base 64 of a checksum (four bytes of SHA-256) and of the levels,
//! compressed (DEFLATE, RFC 1951). The number says where a line ends that was wrapped.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::base64;
use super::{RunLevels, wire};

pub const PREFIX: &str = "bakeoff1:";
/// Most characters of a line.
pub const MOST: usize = 600;
const CHECKSUM: usize = 4;
/// Most bytes that are expanded: 64 candidates and workloads are less.
const EXPANDED: usize = 64 << 10;
const LEVEL: u8 = 10;

/// Why a line that begins as one of ours is not read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LineError {
    #[error("the line is cut off: {got} of {of} characters. Copy it whole")]
    Truncated { got: usize, of: usize },
    #[error("the line is of version {0}, made by a later bakeoff. Update bakeoff to read it")]
    Later(u32),
    #[error("the line was changed: its checksum does not match. Copy it again")]
    Checksum,
    #[error("the line expands to more than a line of bakeoff can have")]
    TooLarge,
    #[error("bakeoff reads at most {0} runs of a text. Split it")]
    TooMany(usize),
    #[error("the line is damaged")]
    Damaged,
    #[error("the line cannot be the result of a run: {0}")]
    Absurd(String),
}

/// The line of a run. Where not all candidates fit, the last ones are left out.
pub fn encode(levels: &RunLevels) -> String {
    let mut levels = levels.clone();
    loop {
        let line = whole(&levels);
        if line.len() <= MOST {
            return line;
        }
        if levels.candidates.len() > 1 {
            levels.candidates.pop();
            levels.left_out += 1;
        } else if levels.workloads.pop().is_none() {
            return line;
        }
        let candidates = levels.candidates.len();
        for workload in &mut levels.workloads {
            workload.levels.truncate(candidates);
            workload.leader = workload.leader.filter(|leader| *leader < candidates);
        }
    }
}

fn whole(levels: &RunLevels) -> String {
    let packed = miniz_oxide::deflate::compress_to_vec(&wire::write(levels), LEVEL);
    let mut bytes = Sha256::digest(&packed)[..CHECKSUM].to_vec();
    bytes.extend_from_slice(&packed);
    let text = base64::encode(&bytes);
    let length = [text.len() >> 6, text.len()].map(|n| char::from(base64::ALPHABET[n & 63]));
    format!("{PREFIX}{}{}{text}", length[0], length[1])
}

/// Reads what stands behind [`PREFIX`]: exactly the characters of a line.
///
/// # Errors
/// What is wrong with it.
pub fn decode(text: &str) -> Result<RunLevels, LineError> {
    let of = length(text).ok_or(LineError::Damaged)?;
    let body = text.get(2..).unwrap_or_default();
    if body.len() < of {
        return Err(LineError::Truncated { got: body.len() + 2, of: of + 2 });
    }
    let bytes = base64::decode(body).ok_or(LineError::Damaged)?;
    let (checksum, packed) = bytes.split_at_checked(CHECKSUM).ok_or(LineError::Damaged)?;
    if Sha256::digest(packed)[..CHECKSUM] != *checksum {
        return Err(LineError::Checksum);
    }
    let expanded = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, EXPANDED);
    let expanded = expanded.map_err(|error| match error.status {
        miniz_oxide::inflate::TINFLStatus::HasMoreOutput => LineError::TooLarge,
        _ => LineError::Damaged,
    })?;
    wire::read(&expanded)
}

/// Characters behind the first two, which give their number; `None` where those are none.
pub(crate) fn length(text: &str) -> Option<usize> {
    let mut digits = text.chars().map(base64::digit);
    let (high, low) = (digits.next()??, digits.next()??);
    usize::try_from(high << 6 | low).ok()
}

pub(crate) fn is_digit(c: char) -> bool {
    base64::digit(c).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::{LevelCandidate, LevelDrive, WorkloadLevels, levels};
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;
    use bakeoff_model::normal::Medium;
    use bakeoff_model::verdict::Verdict;
    use bakeoff_model::workload::Metric;
    use bakeoff_stats::level::Level;
    use proptest::prelude::*;

    fn sample() -> RunLevels {
        let run = RunBuilder::stacks(&["ext4", "btrfs", "xfs"])
            .workloads(&["randwrite", "seqread", "randread"])
            .play(9, |block, c, _| 1e5 / f64::from(1 + u32::from(c)) + f64::from(block % 3))
            .build();
        levels(&run, &analyse(&run))
    }

    fn after(line: &str) -> &str {
        line.strip_prefix(PREFIX).unwrap()
    }

    #[test]
    fn a_run_is_a_short_line_and_comes_back() {
        let (all, line) = (sample(), encode(&sample()));
        assert!(line.len() < 350 && all.left_out == 0, "{} {line}", line.len());
        let back = decode(after(&line)).unwrap();
        assert_eq!((&back.candidates, &back.drives), (&all.candidates, &all.drives));
        let (one, other) = (all.level("seqread", "xfs"), back.level("seqread", "xfs"));
        assert!((one.unwrap().mean - other.unwrap().mean).abs() < 1e-4);
        assert_eq!(encode(&back), line);
    }

    /// Made by bakeoff 0.1.0 on a virtual machine: later versions have to read it.
    #[test]
    fn a_line_of_an_earlier_version_is_read() {
        let block = include_str!("../../../../../fixtures/pasted/quick.md");
        let line = block.lines().find_map(|line| line.strip_prefix(PREFIX)).unwrap();
        let run = decode(line).unwrap();
        assert_eq!((run.short.as_str(), run.mode.as_str(), run.day), ("fe1ffe32", "quick", 20_784));
        assert_eq!(run.drive_names(), ["275 GB"]);
        let metrics: Vec<Metric> = run.workloads.iter().map(|w| w.metric).collect();
        use Metric::{Bandwidth, Iops};
        assert_eq!(metrics, [Iops, Bandwidth, Iops, Bandwidth]);
        assert!(run.workloads.iter().all(|w| w.test().is_some_and(|t| t.workload() == w.name)));
        let level = run.level("randwrite", "ext4 dir").unwrap();
        assert_eq!((level.blocks, libm::exp(level.mean).round()), (12, 123.0));
    }

    #[test]
    fn hostile_lines_are_named() {
        let line = encode(&sample());
        let body = after(&line);
        let cut = decode(&body[..40]);
        assert_eq!(cut, Err(LineError::Truncated { got: 40, of: body.len() }));
        let turned =
            body.replacen(&body[20..22], if &body[20..22] == "AA" { "BB" } else { "AA" }, 1);
        assert_eq!(decode(&turned), Err(LineError::Checksum));
        assert_eq!((decode(""), decode("A")), (Err(LineError::Damaged), Err(LineError::Damaged)));
    }

    /// A line of these bytes with a checksum that matches.
    fn forged(raw: &[u8]) -> Result<RunLevels, LineError> {
        let packed = miniz_oxide::deflate::compress_to_vec(raw, LEVEL);
        let mut bytes = Sha256::digest(&packed)[..CHECKSUM].to_vec();
        bytes.extend_from_slice(&packed);
        let text = base64::encode(&bytes);
        let digits = [text.len() >> 6, text.len()].map(|n| char::from(base64::ALPHABET[n & 63]));
        decode(&format!("{}{}{text}", digits[0], digits[1]))
    }

    #[test]
    fn a_line_that_expands_without_end_is_not_expanded() {
        assert_eq!(forged(&vec![0; 300_000]), Err(LineError::TooLarge));
    }

    #[test]
    fn figures_that_no_drive_has_are_left_out() {
        let absurd = |change: fn(&mut RunLevels)| {
            let mut all = sample();
            change(&mut all);
            forged(&wire::write(&all)).unwrap_err().to_string()
        };
        let mean = |all: &mut RunLevels| all.workloads[1].levels[2].as_mut().unwrap().mean = 400.0;
        assert!(absurd(mean).contains("the figure of xfs on seqread"));
        let name = |all: &mut RunLevels| all.board = "\u{1b}[2J".to_string();
        assert!(absurd(name).contains("control characters"));
        let twice = |all: &mut RunLevels| all.candidates[1].name = "ext4".to_string();
        assert!(absurd(twice).contains("used twice"));
        assert!(absurd(|all| all.day = u32::MAX).contains("time"));
    }

    #[test]
    fn a_run_of_very_many_candidates_still_fits_and_says_who_is_missing() {
        let names: Vec<String> = (0..40).map(|n| format!("filesystem number {n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let run =
            RunBuilder::stacks(&names).play(5, |b, c, _| 1e3 + f64::from(b * u32::from(c))).build();
        let line = encode(&levels(&run, &analyse(&run)));
        let back = decode(after(&line)).unwrap();
        assert!(line.len() <= MOST && back.candidates.len() > 4, "{}", back.candidates.len());
        assert_eq!(back.left_out as usize + back.candidates.len(), 40);
    }

    fn text() -> impl Strategy<Value = String> {
        "[a-zA-Z0-9ä][a-zA-Z0-9 .]{0,30}[a-z]"
    }

    fn any_levels() -> impl Strategy<Value = RunLevels> {
        let level = prop::option::of((2..99u32, 0..200_000u32, 0..9_000u32));
        let drive = (text(), text(), 0..1u64 << 40);
        let workload =
            (0..5usize, any::<u32>(), 0..1u64 << 40, prop::option::of(0..5usize), any::<bool>());
        let workloads = prop::collection::vec((workload, prop::collection::vec(level, 4)), 0..6);
        (text(), text(), prop::collection::vec(drive, 0..3), 0..4usize, workloads, any::<u32>())
            .prop_map(|(board, kernel, drives, candidates, workloads, run)| RunLevels {
                short: format!("{run:08x}"),
                version: "1.2.3".to_string(),
                day: run % 60_000,
                elapsed_s: run % 100_000,
                mode: "quick".to_string(),
                board,
                kernel,
                candidates: (0..candidates)
                    .map(|c| LevelCandidate {
                        name: format!("c{c}"),
                        filesystem: "ext4".to_string(),
                        is_encrypted: c == 1,
                        drive: (c < drives.len()).then_some(c),
                        medium: (run % 3 > 0).then(|| Medium::ALL[c]),
                        link: (run % 3 > 1).then(|| "sd-hs".to_string()),
                    })
                    .collect(),
                drives: drives
                    .into_iter()
                    .map(|(class, model, size_mb)| LevelDrive { class, model, size_mb })
                    .collect(),
                workloads: workloads
                    .into_iter()
                    .enumerate()
                    .map(|(at, ((metric, definition, size_kib, verdict, is_forbidden), levels))| {
                        let metric = <Metric as strum::VariantArray>::VARIANTS[metric];
                        let sign = if metric.less_is_better() { -1.0 } else { 1.0 };
                        let level = |(blocks, mean, error): (u32, u32, u32)| Level {
                            mean: sign * (30_000.0 + f64::from(mean % 150_000)) / 10_000.0,
                            standard_error: f64::from(error) / 10_000.0,
                            blocks,
                        };
                        WorkloadLevels {
                            name: format!("w{at}"),
                            metric,
                            definition,
                            size_kib,
                            verdict: verdict.map(|v| Verdict::ALL[v]),
                            leader: (at < candidates).then_some(at),
                            is_forbidden,
                            levels: levels
                                .into_iter()
                                .take(candidates)
                                .map(|l| l.map(level))
                                .collect(),
                        }
                    })
                    .collect(),
                left_out: 0,
            })
    }

    proptest! {
        #[test]
        fn any_levels_come_back_as_they_were(all in any_levels()) {
            let line = whole(&all);
            prop_assume!(line.len() < 4096 + PREFIX.len());
            let back = decode(after(&line)).unwrap();
            prop_assert_eq!(back, all);
            prop_assert!(encode(&decode(after(&line)).unwrap()).len() <= MOST);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[A-Za-z0-9_-]{0,300}") {
            let _ = decode(&text);
        }
    }
}
