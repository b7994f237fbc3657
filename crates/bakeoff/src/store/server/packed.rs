//! The lines of a run as the parts a server keeps, and their checksum.
//!
//! A part is whole lines, each with its newline, as zlib (RFC 1950). The checksum is the SHA-256 of
//! all lines with their newlines, which is that of `bakeoff show --format jsonl`.

use bakeoff_report::bundle::{Decoder, Head, LINE_BYTES};
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use sha2::{Digest, Sha256};

const PART_BYTES: usize = 1 << 20;
/// Largest run on a server, by the text of its events. Who reads has all of it in memory, and a run
/// of many hours has a tenth of it.
pub const RUN_BYTES: u64 = 128 << 20;
/// zlib's own default: a good half of what the best level gains, at a fifth of its time.
const LEVEL: u8 = 6;

pub fn pack(lines: &[String]) -> impl Iterator<Item = Vec<u8>> {
    let mut left = lines;
    std::iter::from_fn(move || {
        let mut text = Vec::new();
        while let Some((line, rest)) = left.split_first() {
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
            left = rest;
            if text.len() >= PART_BYTES {
                break;
            }
        }
        (!text.is_empty()).then(|| compress_to_vec_zlib(&text, LEVEL))
    })
}

/// Takes parts in order and gives back the lines. Each line is judged as that of a bundle before
/// the next part is wanted, so what is no run takes the memory of one part.
pub struct Unpacker {
    events: u64,
    bytes: u64,
    lines: Vec<String>,
    decoder: Decoder,
}

impl Unpacker {
    /// For a run with that head and so many events.
    ///
    /// # Errors
    /// The head is none of ours, in words.
    pub fn new(head: &Head, events: u64) -> Result<Unpacker, String> {
        let mut decoder = Decoder::default();
        let head = serde_json::to_string(head).map_err(|error| error.to_string())?;
        decoder.line(head.as_bytes()).map_err(|error| error.why.to_string())?;
        Ok(Unpacker { events, bytes: 0, lines: Vec::new(), decoder })
    }

    /// Takes the next part.
    ///
    /// # Errors
    /// It is no part of the run, in words.
    pub fn add(&mut self, part: &[u8]) -> Result<(), String> {
        // A part begins below its limit and ends with the line that passes it.
        let most = PART_BYTES + LINE_BYTES + 1;
        let text = decompress_to_vec_zlib_with_limit(part, most)
            .map_err(|_| "a part of it cannot be unpacked".to_string())?;
        self.bytes += text.len() as u64;
        let text = String::from_utf8(text).map_err(|_| "a part of it is not text".to_string())?;
        let whole = text.strip_suffix('\n').ok_or("a part of it does not end with a line")?;
        if self.bytes > RUN_BYTES {
            return Err(format!("it is larger than {} MiB", RUN_BYTES >> 20));
        }
        for line in whole.split('\n') {
            let event = self.lines.len() as u64;
            if event >= self.events {
                return Err("it has more events than the server lists".to_string());
            }
            let judged = self.decoder.line(line.as_bytes());
            judged.map_err(|error| format!("event {event}: {}", error.why))?;
            self.lines.push(line.to_string());
        }
        Ok(())
    }

    pub fn finish(self) -> Vec<String> {
        self.lines
    }
}

/// The events of a run, by number and checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedEvents {
    pub events: u64,
    pub sha256: String,
}

impl PackedEvents {
    pub fn from_lines(lines: &[String]) -> PackedEvents {
        let mut sum = Sha256::new();
        for line in lines {
            sum.update(line.as_bytes());
            sum.update(b"\n");
        }
        let sha256 = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        PackedEvents { events: lines.len() as u64, sha256 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> (Head, Vec<String>) {
        let text = include_str!("../../../../../fixtures/bundle/v0.1.0.jsonl");
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.pop();
        (serde_json::from_str(&lines.remove(0)).unwrap(), lines)
    }

    fn unpacked(parts: &[Vec<u8>]) -> Result<Vec<String>, String> {
        let (head, lines) = run();
        let mut unpacker = Unpacker::new(&head, lines.len() as u64)?;
        parts.iter().try_for_each(|part| unpacker.add(part))?;
        Ok(unpacker.finish())
    }

    #[test]
    fn lines_come_back_as_they_were_in_parts_of_bounded_size() {
        let long: Vec<String> = (0..5_000).map(|n| format!("{n} {}", "ä".repeat(300))).collect();
        assert!((2..5).contains(&pack(&long).count()), "{}", pack(&long).count());
        let (_, lines) = run();
        let (first, rest) = lines.split_at(3);
        let parts: Vec<Vec<u8>> = pack(first).chain(pack(rest)).collect();
        assert_eq!(unpacked(&parts), Ok(lines.clone()));
        assert_ne!(PackedEvents::from_lines(&lines), PackedEvents::from_lines(&lines[1..]));
        // As `sha256sum` has it.
        let known = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";
        assert_eq!(PackedEvents::from_lines(&["a".to_string()]).sha256, known);
    }

    #[test]
    fn what_is_no_part_is_an_error() {
        let (_, lines) = run();
        let twice: Vec<Vec<u8>> = pack(&lines).chain(pack(&lines)).collect();
        assert!(unpacked(&twice).unwrap_err().contains("more events"));
        let bomb = compress_to_vec_zlib(&vec![b'a'; PART_BYTES + LINE_BYTES + 2], 6);
        assert!(bomb.len() < 1 << 16 && unpacked(&[bomb]).is_err());
        assert!(unpacked(&[b"garbage".to_vec()]).is_err());
        assert!(unpacked(&[compress_to_vec_zlib(b"half a line", 6)]).is_err());
        assert!(unpacked(&[compress_to_vec_zlib(b"\xff\n", 6)]).is_err());
        let mut cut: Vec<u8> = pack(&["a".repeat(5_000)]).next().unwrap();
        cut.truncate(cut.len() - 3);
        assert!(unpacked(&[cut]).is_err());
    }

    /// 40 parts of garbage, each within its limit, took 1.1 GB.
    #[test]
    fn garbage_is_refused_at_its_first_line() {
        let (head, lines) = run();
        let mut unpacker = Unpacker::new(&head, lines.len() as u64).unwrap();
        let garbage =
            compress_to_vec_zlib(&[b"a\n".repeat(4), vec![b' '; 99], b"\n".into()].concat(), 6);
        assert!(unpacker.add(&garbage).unwrap_err().starts_with("event 0: "));
        assert!(unpacker.finish().is_empty());
    }
}
