//! `bakeoff probe TARGET`: the examination of a drive, in the order of what it costs. It only reads
//! unless a token allows more.

mod contents;
mod full;
mod power_cut;
mod reads;
mod samples;
mod subject;

use std::time::Instant;

use bakeoff_machine::fitness::{Facts, Status, clock};
use bakeoff_machine::probe::exam::{Exam, ExamAnswer, ExamPart, PartLeftOut, PartSeen};
use bakeoff_machine::probe::judge::ProbeVerdict;
use bakeoff_machine::probe::speed::AlikeDrives;
use bakeoff_machine::probe::{self, SMALLEST_BYTES, parts};
use bakeoff_model::normal::Test;
use bakeoff_report as report;
use bakeoff_stats::units;

use super::lifecycle::{self, Remains};
use super::{answer, consent, stored};
use crate::cli::{Format, Global, ProbeArgs};
use crate::fault::{self, Fault, Outcome};
use crate::host;
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::probing::ProbedDevice;
use crate::steps::target::{self, Target};
use crate::store::place;
use crate::ui::progress::{LiveProgress, Progress};
use crate::ui::say;
use samples::Sampled;
use subject::ExamSubject;

/// How often short reads have to be too slow before a drive is.
const LOOKS: u64 = 3;

pub fn run(global: &Global, args: &ProbeArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "probe")?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    if args.power_cut && !args.erase.is_empty() {
        return power_cut::write(global, args, &cancel);
    }
    if args.power_cut {
        return print(format, &power_cut::check(global, args, &cancel)?);
    }
    let writes = args.full || !args.erase.is_empty();
    let mut remains = Remains::default();
    let target = if writes {
        let target = writable(global, args)?;
        remains = lifecycle::recover(global)?;
        // What cannot be asked for later is refused before anything takes its time.
        if !args.erase.is_empty() || !consent::can_ask() {
            consent::to_erase(&[&target], &args.erase)?;
        }
        Some(target)
    } else {
        None
    };
    let mut session = Examination::begin(global, args, &cancel)?;
    let ended = session.examine(target.as_ref());
    let interrupted = match ended {
        Err(fault) if !fault.is_interrupted() => return Err(fault),
        Err(fault) => Some(fault),
        Ok(()) => None,
    };
    let outcome = print(format, &session.exam);
    remains.end(match interrupted {
        Some(fault) => fault::after_printing(outcome.map(drop), Err(fault)),
        None => outcome,
    })
}

fn print(format: Format, exam: &Exam) -> Result<Outcome, Fault> {
    answer::print_either(
        format,
        || report::probe_json(exam),
        || report::probe_document(exam, say::typed),
    )?;
    Ok(match exam.answer() {
        ExamAnswer::NothingWrongFound => Outcome::Done,
        ExamAnswer::Slow | ExamAnswer::Failing | ExamAnswer::Fake => Outcome::Open,
    })
}

/// The target as one that may be written.
fn writable(global: &Global, args: &ProbeArgs) -> Result<Target, Fault> {
    let target = target::look(&args.target, false)?;
    let store = place::path(global.store.as_deref())?;
    target.refuse_ours(&[("the store", &store)])?;
    let size = target.room.target_bytes;
    if size < SMALLEST_BYTES {
        return Err(Fault::usage(format!(
            "{} has only {}: probe checks drives of at least {}",
            target.path,
            units::size(size),
            units::size(SMALLEST_BYTES)
        )));
    }
    Ok(target)
}

/// How far a long part of an examination is.
pub struct Bar<'a> {
    pub progress: &'a Progress,
    began: Instant,
    total_bytes: u64,
}

impl Bar<'_> {
    pub fn new(progress: &Progress, total_bytes: u64) -> Bar<'_> {
        Bar { progress, began: Instant::now(), total_bytes }
    }

    pub fn draw(&self, done_bytes: u64) {
        let elapsed_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let left_bytes = self.total_bytes.saturating_sub(done_bytes) as f64;
        let per_byte = elapsed_ns as f64 / done_bytes.max(1) as f64;
        self.progress.expect(elapsed_ns, (left_bytes * per_byte) as u64);
        self.progress
            .live(LiveProgress { ios: done_bytes / reads::CHUNK_BYTES as u64, bytes: done_bytes });
    }
}

/// One examination while it goes on.
struct Examination<'a> {
    global: &'a Global,
    args: &'a ProbeArgs,
    cancel: &'a Cancel,
    subject: ExamSubject,
    facts: Facts,
    alike: AlikeDrives,
    exam: Exam,
    /// Bytes a second of sequential reads, for times that are told first.
    rate: Option<f64>,
}

impl<'a> Examination<'a> {
    /// Looks at everything that costs nothing.
    fn begin(
        global: &'a Global,
        args: &'a ProbeArgs,
        cancel: &'a Cancel,
    ) -> Result<Examination<'a>, Fault> {
        let subject = ExamSubject::look(&args.target)?;
        say::note(
            global.quiet,
            format_args!("Examining {} for about 10 s. This part only reads.", subject.described),
        );
        let facts = host::fitness(&subject.place.chain, cancel);
        let model = facts.host.model.as_deref();
        let mut alike = AlikeDrives::new(&subject.place, model);
        alike.is_throttled = clock::throttling(&facts).status >= Status::Warn;
        let mut exam = Exam {
            target: subject.described.clone(),
            size_bytes: subject.size_bytes,
            ..Exam::default()
        };
        match facts.disks.as_slice() {
            [disk] => exam.parts = parts::at_once(disk, &facts),
            _ => exam.parts.push(PartSeen::fine(
                ExamPart::Link,
                "not one drive: it lies on several, or on none that the kernel shows",
            )),
        }
        Ok(Examination { global, args, cancel, subject, facts, alike, exam, rate: None })
    }

    fn examine(&mut self, target: Option<&Target>) -> Result<(), Fault> {
        self.short_reads()?;
        if self.args.read_all {
            self.contents()?;
        } else {
            self.leave_out_contents();
        }
        self.new_errors();
        match target {
            Some(target) => self.write(target),
            None => {
                self.leave_out_writes();
                Ok(())
            }
        }
    }

    fn interrupted(&self) -> Result<(), Fault> {
        if self.cancel.is_set() {
            Err(Fault::interrupted("interrupted; nothing was changed"))
        } else {
            Ok(())
        }
    }

    fn short_reads(&mut self) -> Result<(), Fault> {
        let mut place = self.subject.open()?;
        let seed = self.global.seed.unwrap_or_else(new_run::fresh_u64);
        let (moved, size) = (self.moved(), self.subject.size_bytes);
        for look in 1..=LOOKS {
            let reads =
                reads::short(&mut place, size, seed.wrapping_add(look), &moved, self.cancel);
            self.interrupted()?;
            if !place.is_direct {
                let why = "cannot be measured here: the page cache cannot be bypassed";
                self.exam.parts.push(PartSeen::fine(ExamPart::SequentialReads, why));
                return Ok(());
            }
            self.rate = reads.sequential.pace.median().map(|(rate, ..)| rate);
            let seen = [
                self.alike.reads(Test::SeqRead, &reads.sequential),
                self.alike.reads(Test::RandRead, &reads.random),
            ];
            if look == LOOKS || seen.iter().all(|seen| seen.answer != ExamAnswer::Slow) {
                self.exam.parts.extend(seen);
                return Ok(());
            }
        }
        Ok(())
    }

    fn contents(&mut self) -> Result<(), Fault> {
        let mut place = self.subject.open()?;
        let size = self.subject.size_bytes;
        say::note(
            self.global.quiet,
            format_args!("Reading all {}{}.", units::size_decimal(size), self.time_of(size)),
        );
        let progress = Progress::new(self.global.quiet);
        let read = contents::read(&mut place, size, &Bar::new(&progress, size), self.cancel);
        progress.clear();
        self.exam.parts.push(read.seen(size));
        self.interrupted()
    }

    /// Errors that the kernel logged while this read.
    fn new_errors(&mut self) {
        let (Ok(before), Ok(after)) = (&self.facts.log, host::storage_problems()) else { return };
        let [disk] = self.facts.disks.as_slice() else { return };
        let new = parts::new_errors(disk, before, &after);
        if new > 0 {
            let found = format!("the kernel logged I/O errors of it while it was examined: {new}");
            let seen = PartSeen::wrong(ExamPart::Log, ExamAnswer::Failing, found);
            self.exam.parts.push(seen.advise("read them with `sudo dmesg`, and back up the drive"));
        }
    }

    fn write(&mut self, target: &Target) -> Result<(), Fault> {
        let size = target.room.target_bytes;
        let first = format!(
            "{}: about {} are overwritten, read back and then restored from a copy.\n\
             On a fake drive existing data may be lost: its addresses overlap.",
            target.describe(),
            units::size(probe::stretch_bytes(size))
        );
        let whole = format!(
            "{}: every block is overwritten and read back{}. All data on it is lost, and it wears \
             by one full write.",
            target.describe(),
            self.time_of(size.saturating_mul(2))
        );
        let said = if self.args.full { whole } else { first };
        say::note(self.global.quiet, format_args!("{said}"));
        consent::to_erase(&[target], &self.args.erase)?;
        let held = target.take(false)?;
        let moved = self.moved();
        let (alike, cancel) = (&self.alike, self.cancel);
        let sampled = Sampled { target, held: &held, alike, moved: &moved, cancel };
        let (report, seen) = samples::examine(self.global, &sampled)?;
        self.exam.parts.extend(seen);
        let is_real = report.verdict == ProbeVerdict::NoEvidence;
        self.exam.capacity = Some(report);
        if !self.args.full {
            self.leave_out_every_block(Some(target));
            return Ok(());
        }
        // One that was found to lie needs no other proof.
        if !is_real {
            return Ok(());
        }
        let progress = Progress::new(self.global.quiet);
        let mut device = ProbedDevice::held(&held)?;
        let name = target.describe();
        let bar = Bar::new(&progress, size.saturating_mul(2));
        let done = full::write_and_read(&mut device, (&name, size), &bar, cancel);
        progress.clear();
        let report = done
            .map_err(|e| Fault::environment(format!("probing {name} failed: {e}")))?
            .ok_or_else(|| {
            Fault::interrupted("interrupted. The drive was partly overwritten")
        })?;
        self.exam.parts.push(report.seen());
        self.exam.capacity = Some(report);
        Ok(())
    }

    /// What the drive below has moved so far.
    fn moved(&self) -> impl Fn() -> Option<u64> + use<> {
        let disks: Vec<String> =
            self.facts.disks.iter().map(|disk| disk.layer.dev.clone()).collect();
        move || host::disk_bytes(&disks)
    }

    /// ", in about 24 min" for so many bytes.
    fn time_of(&self, bytes: u64) -> String {
        let time = |rate: f64| {
            let seconds = (bytes as f64 / rate).max(1.0);
            format!(", in about {}", units::duration((seconds * 1e9) as u64))
        };
        self.rate.map(time).unwrap_or_default()
    }

    fn leave_out(&mut self, part: ExamPart, why: String, command: Option<String>) {
        let command = command.map(|command| say::typed(&command));
        self.exam.left_out.push(PartLeftOut { part, why, command });
    }

    fn leave_out_contents(&mut self) {
        let size = self.subject.size_bytes;
        let time = self.time_of(size);
        let why = format!("reads all {}{time}; writes nothing", units::size_decimal(size));
        let command = format!("sudo {} --read-all", self.subject.command);
        self.leave_out(ExamPart::Contents, why, Some(command));
    }

    fn leave_out_writes(&mut self) {
        match target::look(&self.args.target, false) {
            Ok(target) => {
                let size = target.room.target_bytes;
                let why = format!(
                    "writes about {} and restores it, and tests a card's marks; a fake drive may \
                     lose data by it",
                    units::size(probe::stretch_bytes(size))
                );
                let command = format!("sudo {} {}", self.subject.command, target.consent_words());
                self.leave_out(ExamPart::Capacity, why, Some(command));
                self.leave_out_every_block(Some(&target));
            }
            Err(fault) => self.leave_out(ExamPart::Capacity, fault.to_string(), None),
        }
    }

    fn leave_out_every_block(&mut self, target: Option<&Target>) {
        let Some(target) = target else { return };
        let size = target.room.target_bytes;
        let time = self.time_of(size.saturating_mul(2));
        let why = format!(
            "erases it: writes and reads back all {}{time} or more; one full write of wear",
            units::size_decimal(size)
        );
        let words = target.consent_words();
        let command = format!("sudo {} --full {words}", self.subject.command);
        self.leave_out(ExamPart::EveryBlock, why, Some(command));
    }
}
