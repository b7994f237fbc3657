//! The key of encrypted candidates: random, and nowhere but in memory.

use std::fs::File;
use std::io::{self, Read};

use anyhow::{Context, Result, ensure};

use super::run::{LAYERS, TARGET, one_block_of, target};
use crate::vm::guest::Guest;
use crate::vm::plan;

/// A cryptsetup before the real one, which keeps what it is given as a key. /dev/shm is memory.
/// The end of the run may stop it at any point, so a key takes the place of the last one whole.
const KEEP: &str = "mkdir -p /tmp/keep
cat >/tmp/keep/cryptsetup <<END
#!/bin/dash
case \" \\$* \" in
    *' --key-file - '*)
        cat >/dev/shm/key.new && mv /dev/shm/key.new /dev/shm/key
        exec $(command -v cryptsetup) \"\\$@\" </dev/shm/key ;;
esac
exec $(command -v cryptsetup) \"\\$@\"
END
chmod +x /tmp/keep/cryptsetup";

/// Files with what a run says and keeps.
const KEPT: &str = "cat /tmp/job.out /tmp/job.err $HOME/.local/share/bakeoff/*
for run in $(bakeoff runs --all --format csv | tail -n +2 | cut -d , -f 1); do
    bakeoff export $run --format jsonl --no-redact
done";

/// Measures every kind of encryption, and looks for the key on the disk and in the record.
pub fn is_nowhere(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, LAYERS)?;
    guest.ok(KEEP)?;
    let path = "env PATH=/tmp/keep:$PATH";
    one_block_of(guest, path, TARGET)?;
    let key = guest.file("/dev/shm/key")?;
    ensure!(key.len() == 64 && key.iter().any(|byte| *byte != key[0]), "no key: {key:?}");
    let disk = guest.content(&target());
    let file = File::open(&disk).with_context(|| format!("reading {}", disk.display()))?;
    ensure!(!holds(file, &key)?, "the key is on the disk");
    let kept = guest.expect(KEPT, 0)?.out;
    let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let numbers: Vec<String> = key.iter().map(u8::to_string).collect();
    for form in [key.as_slice(), hex.as_bytes(), numbers.join(",").as_bytes()] {
        ensure!(!holds(kept.as_slice(), form)?, "the key is in the record");
    }
    guest.ok("rm -r /tmp/keep /dev/shm/key*").map(drop)
}

/// Whether `bytes` are anywhere in what is read.
fn holds(mut from: impl Read, bytes: &[u8]) -> io::Result<bool> {
    const CHUNK: usize = 1 << 20;
    let empty = vec![0; CHUNK];
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut end = Vec::new();
    loop {
        chunk.clear();
        if from.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)? == 0 {
            return Ok(false);
        }
        // Most of a disk; its end may be the beginning of something.
        if chunk == empty {
            end = vec![0; bytes.len()];
            continue;
        }
        end.extend_from_slice(&chunk);
        if end.windows(bytes.len()).any(|window| window == bytes) {
            return Ok(true);
        }
        end.drain(..end.len().saturating_sub(bytes.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_across_chunks_and_after_empty_ones() {
        let key = [7, 8, 9, 10];
        for at in [0, (1 << 20) - 2, (1 << 20) + 5, (3 << 20) - 1] {
            let mut disk = vec![0; 4 << 20];
            disk[at..at + key.len()].copy_from_slice(&key);
            assert!(holds(disk.as_slice(), &key).unwrap(), "at {at}");
        }
        assert!(!holds(vec![0; 4 << 20].as_slice(), &key).unwrap());
        assert!(!holds(&b""[..], &key).unwrap());
    }
}
