//! L13 sync-not-timed: buffered writes are not flushed within the measured time.

use crate::evidence::observation::{Observation, Source};
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

pub fn hit(of: &Observation) -> Option<Hit> {
    let evidence = match of.unflushed?.bytes {
        Some(bytes) => format!("{} of buffered writes and no flush", units::size(bytes)),
        None => "buffered writes and no flush".to_string(),
    };
    let advice = match (of.source, of.tool) {
        (Source::Ours, _) => {
            "include the flush in the measured time: {end_fsync=true}, or fsync = 16 in a plan"
        }
        (_, tool) if tool.starts_with("dd") => {
            "Run it with conv=fdatasync: part of the data was still in memory."
        }
        (_, tool) if tool.starts_with("iozone") => {
            "Run it with -e: otherwise the measured time does not include data that is still in \
             memory."
        }
        _ => "Run it with --end_fsync=1: part of the data was still in memory.",
    };
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, job};
    use crate::rules::tests::imported::ids;

    #[test]
    fn l13_writes_without_a_flush_and_direct_ones() {
        assert!(fires("L13", &job(|j| j.fsync = 0)) && !fires("L13", &job(|_| {})));
        let direct = job(|j| (j.fsync, j.direct) = (0, true));
        assert!(!fires("L13", &direct), "what is left is the drive's own cache");
    }

    #[test]
    fn a_write_is_judged_by_its_command() {
        let stats = "1073741824 bytes (1.1 GB) copied, 234.011 s, 4.6 MB/s\n";
        let of = |command: &str| ids(&format!("$ {command}\n{stats}"));
        assert_eq!(of("dd if=/dev/zero of=t bs=1M"), ["L13", "L20"]);
        assert_eq!(of("dd if=/dev/zero of=t bs=1M conv=fdatasync,notrunc"), ["L20"]);
        assert_eq!(of("dd if=t of=/dev/null bs=1M"), [""; 0]);
        assert_eq!(of("dd if=t of=/dev/zero bs=1M"), [""; 0]);
        assert_eq!(of("dd if=/dev/zero of=t; sync"), [""; 0], "two programs, one clock: unclear");
        assert_eq!(ids(stats), [""; 0], "no command, no evidence");
    }
}
