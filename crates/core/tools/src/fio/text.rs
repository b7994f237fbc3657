//! fio's text for people, versions 2 and 3: one block a job, and a summary a group.

use super::announced::announced;
use super::block::OpenBlock;
use super::direction;
use super::scalar::value;
use super::summary;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Out, short};

/// Most jobs whose block sizes are remembered.
const ANNOUNCED: usize = 1000;
/// A job's block ends at the latest this many foreign lines after its last line.
const GAP_LINES: u64 = 40;

#[derive(Debug, Default)]
pub struct FioText {
    version: Option<String>,
    /// Block sizes of the jobs as they were announced: name, read, write, trim.
    announced: Vec<(String, [Option<u64>; 3])>,
    /// Whether a job's block followed them: a further announcement is another run's.
    is_told: bool,
    open: Option<OpenBlock>,
    summary: summary::SummaryReader,
}

impl Reader for FioText {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        self.own(line, line.text.trim(), out)
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

/// `NAME: (groupid=0, jobs=2): err= 0: pid=7801: ...`
fn head(text: &str) -> Option<(String, u64)> {
    let (name, rest) = text.split_once(": (groupid=")?;
    let error = value(rest, "err")?.trim_end_matches(':').parse().ok()?;
    Some((short(name), error))
}

impl FioText {
    /// Takes a line; true when it is fio's.
    fn own(&mut self, line: &Line<'_>, text: &str, out: &mut Out) -> bool {
        let version = text.strip_prefix("fio-").filter(|v| v.len() < 40 && !v.contains(' '));
        if let Some(version) = version {
            self.close(out);
            self.version = Some(short(version));
            return true;
        }
        if let Some(job) = announced(text) {
            // The open block still belongs to those before.
            if std::mem::take(&mut self.is_told) {
                self.close(out);
                self.announced.clear();
            }
            if self.announced.len() < ANNOUNCED {
                self.announced.push(job);
            }
            return true;
        }
        // It ends an output, and is no heading of the next.
        if text == "Disk stats (read/write):" {
            return true;
        }
        let is_stale = self.open.as_ref().is_some_and(|o| line.number > o.last_line + GAP_LINES);
        if is_stale || text.starts_with("Run status group") {
            self.close(out);
        }
        if let Some((name, error)) = head(text) {
            self.close(out);
            self.summary.cover(line.number, "");
            self.is_told = true;
            self.open = Some(OpenBlock::new(line.place("fio"), name, error));
            return true;
        }
        if self.summary.line(line, text, self.version.as_deref(), out) {
            return true;
        }
        if direction::begins(text) && self.is_next_alone(line, text) {
            self.close(out);
        }
        if self.open.is_none() && direction::begins(text) {
            // Often nothing else is quoted.
            self.open = Some(OpenBlock::new(line.place("fio"), String::new(), 0));
        }
        let Some(open) = &mut self.open else {
            let is_latency = text.starts_with("clat") || text.starts_with("sync");
            let is_lost = is_latency && text.contains("avg=");
            if is_lost && text.contains("min=") {
                let why = "a line of latencies of fio lacks the line above it with its operation";
                out.unread(line.number, line.number, why);
            }
            return is_lost;
        };
        let is_own = open.line(line, text);
        if is_own {
            open.last_line = line.number;
            self.summary.cover(line.number, text);
        }
        is_own
    }

    /// Whether a direction's line is another job's than the open block, with its head not quoted:
    /// another command stands between them, or a block without a head has such a line.
    fn is_next_alone(&self, line: &Line<'_>, text: &str) -> bool {
        let Some(open) = &self.open else { return false };
        open.is_below_another(line) || open.is_headless() && open.has_direction_of(text)
    }

    fn close(&mut self, out: &mut Out) {
        let Some(open) = self.open.take() else { return };
        let mut named = self.announced.iter().filter(|(name, _)| *name == open.name);
        // Two jobs of one name may have two block sizes.
        let blocks = match named.next() {
            Some((_, blocks)) if named.all(|(_, other)| other == blocks) => *blocks,
            _ => [None; 3],
        };
        open.give(self.version.clone(), &blocks, out);
    }
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    /// What fio 3.33 prints of a job of ten seconds.
    fn run(bs: &str, ios: u64, bytes: &str, rate: [&str; 2]) -> String {
        let [binary, decimal] = rate;
        format!(
            "test: (g=0): rw=write, bs=(R) {bs}-{bs}, (W) {bs}-{bs}, (T) {bs}-{bs}, \
             ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 process\n\n\
             test: (groupid=0, jobs=1): err= 0: pid=11: Sun Nov 22 12:00:00 2026\n  \
             write: IOPS=100, BW={binary} ({decimal})({bytes}/10000msec); 0 zone resets\n  \
             cpu          : usr=0.10%, sys=1.00%, ctx=10, majf=0, minf=10\n     \
             issued rwts: total=0,{ios},0,0 short=0,0,0,0 dropped=0,0,0,0\n\n\
             Run status group 0 (all jobs):\n  WRITE: bw={binary} ({decimal}), \
             {binary}-{binary} ({decimal}-{decimal}), io={bytes}, run=10000-10000msec\n\n"
        )
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("fio").all_of(text.as_bytes())
    }

    /// Of 65 jobs of a page 26 were refused: half of them had lost their heads.
    #[test]
    fn lines_that_are_quoted_alone_are_a_job_each() {
        let line =
            |name: &str| format!("  {name}: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n");
        let whole = run("4096B", 1000, "4000KiB", ["400KiB/s", "410kB/s"]);
        let other = format!("# fio --name=x --bs=4k --rw=read\n{}", line("read"));
        for (text, jobs) in [
            (format!("{}\n{}", line("read"), line("read")), 2),
            (format!("$ fio --name=a --rw=read\n{}{other}{}", line("read"), line("write")), 2),
            (format!("# fio --name=test --rw=write\n{whole}{other}"), 2),
        ] {
            let found = read(&text);
            assert_eq!((found.results.len(), &found.unread), (jobs, &Vec::new()), "{text}");
        }
    }

    /// 61 of 392 posted jobs were lost: block sizes were compared with the first two runs only.
    #[test]
    fn every_run_of_one_name_has_the_block_size_of_its_own_announcement() {
        let small = run("4096B", 1000, "4000KiB", ["400KiB/s", "410kB/s"]);
        let large = run("1024KiB", 1000, "1000MiB", ["100MiB/s", "105MB/s"]);
        for order in [[&small, &small, &large], [&large, &small, &small], [&small, &large, &large]]
        {
            let found = read(&order.map(String::as_str).concat());
            assert_eq!((found.results.len(), &found.unread), (3, &Vec::new()));
            for (result, text) in found.results.iter().zip(order) {
                let bytes = result.metrics.iter().find(|m| m.name == "write.bytes").unwrap();
                let right = if *text == small { 4_096_000.0 } else { 1_048_576_000.0 };
                assert_eq!(bytes.value.as_f64(), right, "{result:?}");
            }
        }
    }
}
