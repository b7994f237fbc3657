//! L13 sync-not-timed: buffered writes without a flush inside the measured time.

use crate::evidence::rule::{CLAIMS, Check, R, Rule, Stated, When};
use crate::evidence::{finding, of_result};
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::job::Rw;
use crate::model::workload::Workload;
use crate::scan::ToolResult;
use crate::study::Study;
use crate::units;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L13",
    slug: "sync-not-timed",
    when: &[When::Plan, When::Import],
    severity: [R, R, R, R],
    scope: CLAIMS,
    condition: "buffered writes without a flush inside the measured time",
    explain: "A write that is not flushed ends in memory: on a machine with 384 MB, up to 77 MB of \
        a gigabyte had not reached the disk when one study stopped its clock, and far more on its \
        PC. --end_fsync or --fsync includes the flush in the time; for dd use conv=fdatasync, for \
        iozone -e.",
    checks: &[
        Check::Workload(in_plan),
        Check::Result(in_result),
        Check::Stated(Stated {
            key: "sync",
            value: "not stated",
            severity: None,
            advice: "Say whether the clock waited for the flush (iozone -e).",
        }),
        Check::Study(in_study),
    ],
};

fn in_plan(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    let is_open = !job.is_durable() && !job.direct && job.rw != Rw::SmallFiles;
    (is_open && workload.driver.is_native()).then(|| {
        let evidence = format!("{} of buffered writes and no flush", units::size(job.size));
        let advice = "include the flush in the measured time: --end_fsync, or fsync = 16 in a plan";
        finding(header, &RULE, evidence, advice)
    })
}

fn in_result(result: &ToolResult) -> Option<Finding> {
    let words = result.words()?;
    let (is_unsynced, mend) = match () {
        () if result.is("dd") => {
            let to = words.iter().find_map(|word| word.strip_prefix("of="))?;
            let is_synced = has(&words, &["fsync", "fdatasync", "oflag=sync", "oflag=dsync"]);
            (to != "/dev/null" && !is_synced, "conv=fdatasync")
        }
        () if result.is("iozone") => {
            let flags = ["-e", "-o", "-+D", "-+r", "-I"];
            let is_synced = words.iter().any(|word| flags.contains(word));
            (!is_synced && result.figure(&["write.throughput"]).is_some(), "-e")
        }
        () if result.is("fio") => {
            let is_synced = has(&words, &["fsync=", "fdatasync=", "sync=1", "direct=1"]);
            (!is_synced && result.figure(&["write.bytes"]).is_some(), "--end_fsync=1")
        }
        () => return None,
    };
    let evidence = "the command has nothing that waits for the device".to_string();
    let advice = match mend {
        "-e" => "Run it with -e: what was still in memory when the clock stopped is not counted.",
        "conv=fdatasync" => "Run it with conv=fdatasync: part of the data was still in memory.",
        _ => "Run it with --end_fsync=1: part of the data was still in memory.",
    };
    is_unsynced.then(|| of_result(&RULE, evidence, advice))
}

fn has(words: &[&str], parts: &[&str]) -> bool {
    words.iter().any(|word| parts.iter().any(|part| word.contains(part)))
}

/// What the page says of a command that the table does not have.
fn in_study(study: &Study) -> Option<Finding> {
    study.commanded().iter().find_map(in_result)
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::fires;
    use crate::rules::tests::before::job;
    use crate::rules::tests::imported::ids;

    #[test]
    fn l13_writes_without_a_flush_and_direct_ones() {
        assert!(fires("L13", &job(|j| j.fsync = 0)) && !fires("L13", &job(|_| {})));
        let direct = job(|j| (j.fsync, j.direct) = (0, true));
        assert!(!fires("L13", &direct), "what is left is the disk's own cache");
    }

    #[test]
    fn a_write_is_judged_by_its_command() {
        let stats = "1073741824 bytes (1.1 GB) copied, 234.011 s, 4.6 MB/s\n";
        let of = |command: &str| ids(&format!("$ {command}\n{stats}"));
        assert_eq!(of("dd if=/dev/zero of=t bs=1M"), ["L13", "L20"]);
        assert_eq!(of("dd if=/dev/zero of=t bs=1M conv=fdatasync,notrunc"), ["L20"]);
        assert_eq!(of("dd if=t of=/dev/null bs=1M"), [""; 0]);
        assert_eq!(of("dd if=/dev/zero of=t; sync"), [""; 0], "two programs, one clock: unclear");
        assert_eq!(ids(stats), [""; 0], "no command, no evidence");
    }
}
