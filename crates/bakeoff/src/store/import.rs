//! Bundles from a file or a pipe into a store, in memory for one line at a time.

use std::io::{self, BufRead, Read};

use bakeoff_report::bundle::{BundleError, Decoder, Head, LINE_BYTES, Line};

use super::{RunId, Sqlite, StoreError, StoredImport};

impl From<BundleError> for StoreError {
    fn from(error: BundleError) -> StoreError {
        StoreError::usage(error.to_string())
    }
}

pub fn unreadable(error: io::Error) -> StoreError {
    let text = format!("cannot be read: {error}");
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => StoreError::usage(text),
        _ => StoreError::environment(text),
    }
}

pub fn import(
    store: &mut Sqlite,
    mut input: impl BufRead,
) -> Result<(RunId, StoredImport), StoreError> {
    let mut decoder = Decoder::default();
    let head = read_head(&mut decoder, &mut input)?;
    let run = RunId::parse(&head.run).ok_or_else(StoreError::no_header)?;
    let done = store.import(&head, &mut || next_event(&mut decoder, &mut input))?;
    Ok((run, done))
}

fn read_head(decoder: &mut Decoder, input: &mut impl BufRead) -> Result<Head, StoreError> {
    let wrong = || StoreError::from(BundleError::not_a_bundle());
    let line = read_line(input).map_err(unreadable)?.ok_or_else(wrong)?;
    decoder.line(&line)?;
    decoder.head().cloned().ok_or_else(wrong)
}

/// The next event's line; `None` after the seal, when nothing follows it.
fn next_event(
    decoder: &mut Decoder,
    input: &mut impl BufRead,
) -> Result<Option<String>, StoreError> {
    let Some(line) = read_line(input).map_err(unreadable)? else {
        decoder.finish()?;
        return Ok(None);
    };
    match decoder.line(&line)? {
        Line::Event => {
            Ok(Some(String::from_utf8(line).map_err(|e| unreadable(io::Error::other(e)))?))
        }
        Line::Head | Line::End => match read_line(input).map_err(unreadable)? {
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
