//! What the parts that only look say: link, card, wear and the kernel's log, from the facts of
//! [`crate::fitness`].

use super::card;
use super::exam::{ExamAnswer, ExamPart, PartSeen};
use crate::fitness::facts::Disk;
use crate::fitness::{Check, Facts, Status, card as fitness_card, health, link};
use bakeoff_model::log_problem::LogProblem;
use bakeoff_model::telemetry::LogLine;
use bakeoff_stats::phrases;

/// The parts that cost nothing, in their order.
pub fn at_once(disk: &Disk, facts: &Facts) -> Vec<PartSeen> {
    let mut all: Vec<PartSeen> = link::checks(disk, facts).iter().map(of_link).collect();
    all.extend(identity(disk));
    all.push(wear(disk));
    all.push(log(disk, facts.log.as_ref().map(Vec::as_slice).map_err(String::as_str)));
    all
}

fn told(part: ExamPart, answer: ExamAnswer, check: &Check) -> PartSeen {
    PartSeen { part, answer, found: check.found.clone(), advice: check.advice.clone() }
}

/// A link below what both ends could do is advice; one that no drive should have is why it is slow.
fn of_link(check: &Check) -> PartSeen {
    let answer = match check.status {
        Status::Stop => ExamAnswer::Slow,
        Status::Pass | Status::Unknown | Status::Warn => ExamAnswer::NothingWrongFound,
    };
    told(ExamPart::Link, answer, check)
}

fn identity(disk: &Disk) -> Option<PartSeen> {
    let card = disk.card.as_ref()?;
    let seen = PartSeen::fine(ExamPart::Identity, fitness_card::describe(card));
    let id = disk.layer.serial.as_deref().filter(|_| card.kind == "SD");
    Some(match id.and_then(card::hint) {
        Some(hint) => seen.advise(hint),
        None => seen,
    })
}

/// Only what a drive itself calls failing is; counters that are above nought are advice.
fn wear(disk: &Disk) -> PartSeen {
    let answer = match &disk.health {
        Some(Ok(health)) if health.complaints().iter().any(|one| one.is_failing) => {
            ExamAnswer::Failing
        }
        _ => ExamAnswer::NothingWrongFound,
    };
    told(ExamPart::Wear, answer, &health::of_disk(disk))
}

/// Lines since boot may be of another drive that had the name, and of a cable that was pulled: they
/// are shown and prove nothing.
fn log(disk: &Disk, lines: Result<&[LogLine], &str>) -> PartSeen {
    let lines = match lines {
        Ok(lines) => lines,
        Err(why) => return PartSeen::fine(ExamPart::Log, why),
    };
    let of_disk: Vec<&LogLine> = lines.iter().filter(|line| is_about(line, disk)).collect();
    let Some(last) = of_disk.last() else {
        return PartSeen::fine(ExamPart::Log, "no errors, resets or timeouts of it since boot");
    };
    let count = phrases::count(of_disk.len(), "line");
    let found = format!("{count} about problems with it since boot; last: {}", last.text);
    PartSeen::fine(ExamPart::Log, found).advise(
        "read it with `sudo dmesg`; resets and timeouts are often the cable, the port or the power \
         supply",
    )
}

/// Errors of reading that the kernel logged between two looks.
pub fn new_errors(disk: &Disk, before: &[LogLine], after: &[LogLine]) -> usize {
    let since = after.iter().skip(before.len());
    since.filter(|line| line.problem == LogProblem::IoError && is_about(line, disk)).count()
}

/// Whether a line names the drive, a partition of it, or the controller it is alone on.
fn is_about(line: &LogLine, disk: &Disk) -> bool {
    let name = disk.layer.name.as_str();
    // mmcblk1 hangs at mmc1, and nvme0n1 at nvme0.
    let controller = match (name.strip_prefix("mmcblk"), name.rsplit_once('n')) {
        (Some(number), _) => Some(format!("mmc{number}")),
        (None, Some((controller, _))) if name.starts_with("nvme") => Some(controller.to_string()),
        _ => None,
    };
    names(&line.text, name) || controller.is_some_and(|name| names(&line.text, &name))
}

/// Whether the text has the word, also with the number of a partition after it.
fn names(text: &str, word: &str) -> bool {
    let ends_in_digit = word.ends_with(|c: char| c.is_ascii_digit());
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let continues =
            |c: char| if ends_in_digit { c.is_ascii_digit() } else { c.is_ascii_alphabetic() };
        !before.is_some_and(|c| c.is_ascii_alphanumeric()) && !after.is_some_and(continues)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitness::testing;
    use bakeoff_model::health::Health;
    use bakeoff_model::host::Layer;

    fn disk(name: &str) -> Disk {
        Disk { layer: Layer { name: name.into(), ..Layer::default() }, ..Disk::default() }
    }

    fn line(text: &str) -> LogLine {
        LogLine { problem: LogProblem::IoError, text: text.into() }
    }

    #[test]
    fn a_line_is_about_the_drive_it_names_and_about_no_other() {
        let is = |text: &str, name: &str| is_about(&line(text), &disk(name));
        assert!(is("blk_update_request: I/O error, dev sda, sector 2048", "sda"));
        assert!(is("Buffer I/O error on dev sda1, logical block 0", "sda"));
        assert!(!is("I/O error, dev sdab, sector 1", "sda") && !is("dev sdb", "sda"));
        assert!(is("mmc0: Card stuck being busy!", "mmcblk0"));
        assert!(is("mmcblk0: error -110 transferring data", "mmcblk0"));
        assert!(!is("mmc1: Timeout waiting", "mmcblk0") && !is("mmc10: timeout", "mmcblk1"));
        assert!(is("nvme nvme0: I/O 12 QID 1 timeout", "nvme0n1"));
        assert!(!is("nvme nvme1: I/O 12 timeout", "nvme0n1"));
    }

    #[test]
    fn only_what_the_drive_calls_failing_is() {
        let mut facts = testing::fit();
        let wear = |facts: &Facts| {
            let seen = at_once(&facts.disks[0], facts);
            seen.into_iter().find(|seen| seen.part == ExamPart::Wear).unwrap()
        };
        let with = |health: Health| Some(Ok(health));
        facts.disks[0].health =
            with(Health { passed: Some(true), pending_sectors: Some(3), ..Health::default() });
        let worn = wear(&facts);
        assert_eq!(worn.answer, ExamAnswer::NothingWrongFound);
        assert!(worn.found.contains("3 sectors are pending") && worn.advice.is_some(), "{worn:?}");
        facts.disks[0].health = with(Health { passed: Some(false), ..Health::default() });
        assert_eq!(wear(&facts).answer, ExamAnswer::Failing);
        facts.disks[0].health = None;
        assert!(wear(&facts).found.contains("do not report"), "{:?}", wear(&facts));
    }

    #[test]
    fn old_lines_of_the_log_prove_nothing_and_new_ones_count() {
        let mut facts = testing::fit();
        let before =
            vec![line("I/O error, dev sda, sector 8"), line("I/O error, dev sdb, sector 8")];
        facts.log = Ok(before.clone());
        let seen = at_once(&facts.disks[0], &facts).pop().unwrap();
        assert_eq!((seen.part, seen.answer), (ExamPart::Log, ExamAnswer::NothingWrongFound));
        assert!(seen.found.starts_with("1 line about problems"), "{seen:?}");
        let more = [&before[..], &[line("dev sda"), line("dev sdb")]].concat();
        assert_eq!(new_errors(&facts.disks[0], &before, &more), 1);
    }
}
