//! Bundles from a file or a pipe into a store, in memory for one line at a time.

use std::io::{self, BufRead, Read};

use bakeoff_report::bundle::{BundleError, Decoder, Head, LINE_BYTES, Line};
use thiserror::Error;

use super::{Imported, RunId, Store, StoreError};

/// Why a bundle did not come into the store. Nothing was changed.
#[derive(Debug, Error)]
pub enum ImportError {
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error(
        "these are the events of run {run} (show --format jsonl), without the checksum that \
         shows that they are complete. Import a bundle instead. Create it where the run is stored: \
         bakeoff show {run} --no-redact -o run.bundle"
    )]
    Events { run: RunId },
    #[error(
        "run {run} is already in the store with different content from event {seq} on{}. The store \
         was not changed. To use the bundle instead, run `bakeoff runs rm {run}` and import again",
        if *seq == 0 { "; one of the two may be redacted" } else { "" }
    )]
    Differs { run: RunId, seq: u64 },
}

/// Reads one whole bundle and takes it into the store.
pub fn import(
    store: &mut dyn Store,
    mut input: impl BufRead,
) -> Result<(RunId, Imported), ImportError> {
    let mut decoder = Decoder::default();
    let head = read_head(&mut decoder, &mut input)?;
    let run = RunId::parse(&head.run).ok_or_else(StoreError::no_header)?;
    let done = store.import(&head, &mut || next_event(&mut decoder, &mut input))?;
    Ok((run, done))
}

fn read_head(decoder: &mut Decoder, input: &mut impl BufRead) -> Result<Head, ImportError> {
    let wrong = || ImportError::Bundle(BundleError::not_a_bundle());
    let line = read_line(input)?.ok_or_else(wrong)?;
    decoder.line(&line)?;
    decoder.head().cloned().ok_or_else(wrong)
}

/// The next event's line; `None` after the seal, when nothing follows it.
fn next_event(
    decoder: &mut Decoder,
    input: &mut impl BufRead,
) -> Result<Option<String>, ImportError> {
    let Some(line) = read_line(input)? else {
        decoder.finish()?;
        return Ok(None);
    };
    match decoder.line(&line)? {
        Line::Event => {
            Ok(Some(String::from_utf8(line).map_err(|e| io::Error::other(e.to_string()))?))
        }
        Line::Head | Line::End => match read_line(input)? {
            None => Ok(None),
            Some(more) => {
                decoder.line(&more)?;
                Ok(None)
            }
        },
    }
}

/// The next line without its newline; cut just above the limit, where the decoder refuses it.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let limit = LINE_BYTES as u64 + 2;
    if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(Some(line))
}
