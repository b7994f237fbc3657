//! `probe DRIVE --power-cut`: with a token it writes and flushes until the power goes; afterwards,
//! without one, it checks that every flushed write is there.

use std::io;

use bakeoff_machine::probe::BLOCK_BYTES;
use bakeoff_machine::probe::exam::Exam;
use bakeoff_machine::probe::power_cut::{FLUSH_EVERY, FlushedWrites, KeptWrites, MOST_WRITES};

use super::subject::ExamSubject;
use crate::cli::{Global, ProbeArgs};
use crate::cmd::{consent, lifecycle};
use crate::fault::{Fault, Outcome};
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::probing::{ProbedDevice, ProbedMedium};
use crate::store::kept_file::KeptFile;
use crate::ui::progress::{LiveProgress, Progress};
use crate::ui::say;

fn kept(global: &Global, subject: &ExamSubject) -> Result<KeptFile, Fault> {
    let known_by = subject.known_by.as_str();
    Ok(KeptFile::new(global.store.as_deref(), ("power-cut", known_by), known_by)?)
}

/// Erases the drive and writes until it is gone, the machine stops, or Ctrl-C.
pub fn write(global: &Global, args: &ProbeArgs, cancel: &Cancel) -> Result<Outcome, Fault> {
    let target = super::writable(global, args)?;
    let remains = lifecycle::recover(global)?;
    consent::to_erase(&[&target], &args.erase)?;
    let subject = ExamSubject::look(&args.target)?;
    let kept = kept(global, &subject)?;
    let held = target.take(false)?;
    let mut device = ProbedDevice::held(&held)?;
    say::note(
        global.quiet,
        format_args!(
            "Writing to {}. Cut its power or unplug it after a minute; on a drive that is not \
             removable, cut the power of the machine.",
            subject.described
        ),
    );
    let size_bytes = subject.size_bytes;
    let mut record = FlushedWrites { salt: new_run::fresh_u64(), size_bytes, flushed: 0 };
    let progress = Progress::new(global.quiet);
    progress.doing("writing and flushing");
    let ended = write_and_flush(&mut device, &mut record, cancel, &mut |record| {
        let (ios, bytes) = (record.flushed, record.flushed * BLOCK_BYTES as u64);
        progress.live(LiveProgress { ios, bytes });
        Ok(kept.save(record)?)
    });
    progress.clear();
    if let Err(error) = ended? {
        say::note(global.quiet, format_args!("The drive is gone: {error}."));
    }
    let command = say::typed(&format!("sudo {} --power-cut", subject.command));
    say::note(global.quiet, format_args!("Check the flushed writes with `{command}`."));
    remains.end(if cancel.is_set() {
        Err(Fault::interrupted("stopped before the power was cut"))
    } else {
        Ok(Outcome::Done)
    })
}

/// Writes and flushes; each flush is recorded before anything else is written. The error of the
/// drive that ended it, if one did.
fn write_and_flush(
    medium: &mut dyn ProbedMedium,
    record: &mut FlushedWrites,
    cancel: &Cancel,
    save: &mut dyn FnMut(&FlushedWrites) -> Result<(), Fault>,
) -> Result<io::Result<()>, Fault> {
    let mut block = vec![0; BLOCK_BYTES];
    save(record)?;
    while !cancel.is_set() && record.flushed < MOST_WRITES {
        for write in record.flushed..record.flushed + FLUSH_EVERY {
            let at = record.fill(write, &mut block);
            if let Err(error) = medium.write(at, &block) {
                return Ok(Err(error));
            }
        }
        if let Err(error) = medium.flush() {
            return Ok(Err(error));
        }
        record.flushed += FLUSH_EVERY;
        save(record)?;
    }
    Ok(Ok(()))
}

/// Reads the places of all flushed writes; writes nothing.
pub fn check(global: &Global, args: &ProbeArgs, cancel: &Cancel) -> Result<Exam, Fault> {
    let subject = ExamSubject::look(&args.target)?;
    let record: Option<FlushedWrites> = kept(global, &subject)?.load();
    let is_known = |of: &FlushedWrites| of.flushed > 0 && of.size_bytes == subject.size_bytes;
    let record = record.filter(is_known).ok_or_else(|| {
        Fault::usage(say::typed(&format!(
            "no flushed writes of {} are recorded. Write them with `sudo {} --power-cut --erase \
             TOKEN`, which erases the drive; `bakeoff devices` shows the token",
            subject.described, subject.command
        )))
    })?;
    let mut place = subject.open()?;
    let (mut seen, mut block) = (KeptWrites::default(), vec![0; BLOCK_BYTES]);
    for write in record.last() {
        if cancel.is_set() {
            return Err(Fault::interrupted("interrupted; nothing was changed"));
        }
        let at = record.fill(write, &mut block);
        seen.count(&record, write, place.read(at, BLOCK_BYTES).ok());
    }
    let size_bytes = subject.size_bytes;
    Ok(Exam { target: subject.described, size_bytes, parts: vec![seen.seen()], ..Exam::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use bakeoff_machine::probe::SMALLEST_BYTES;

    /// A drive that loses its power after so many writes, and perhaps what it had in its cache.
    struct Cut {
        stored: BTreeMap<u64, Vec<u8>>,
        cached: BTreeMap<u64, Vec<u8>>,
        left: u64,
        is_honest: bool,
    }

    impl ProbedMedium for Cut {
        fn read(&mut self, _: u64, _: &mut [u8]) -> io::Result<()> {
            Err(io::Error::other("it is only written"))
        }

        fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::NotConnected)?;
            self.cached.insert(at, bytes.to_vec());
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            if self.is_honest || self.cached.len() > 100 {
                self.stored.append(&mut self.cached);
            }
            Ok(())
        }
    }

    fn lost_of(is_honest: bool) -> bool {
        let (stored, cached) = (BTreeMap::new(), BTreeMap::new());
        let mut drive = Cut { stored, cached, left: 1001, is_honest };
        let mut record = FlushedWrites { salt: 5, size_bytes: SMALLEST_BYTES, flushed: 0 };
        let mut saved = Vec::new();
        let ended = write_and_flush(&mut drive, &mut record, &Cancel::default(), &mut |record| {
            saved.push(record.flushed);
            Ok(())
        });
        assert!(ended.unwrap().is_err());
        assert_eq!((saved.first(), saved.last()), (Some(&0), Some(&1000)));
        let mut seen = KeptWrites::default();
        for write in record.last() {
            let at = record.fill(write, &mut [0; BLOCK_BYTES]);
            seen.count(&record, write, drive.stored.get(&at).map(Vec::as_slice));
        }
        seen.seen().advice.is_some()
    }

    #[test]
    fn a_drive_that_only_says_that_it_flushed_is_found() {
        assert!(!lost_of(true));
        assert!(lost_of(false));
    }
}
