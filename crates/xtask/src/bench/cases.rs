//! What is compared: each case with bakeoff's command and fio's, plain and tuned.
//!
//! fio gets `--invalidate=0` where the file is cached, because by default it throws the cache away
//! first. "Tuned" is what fio's manual offers for speed without giving up latencies: no map of the
//! blocks already read, no forked process, registered files and buffers, and submission in batches.

use std::path::Path;

/// Which tool's output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `bakeoff bench --format json`.
    Bakeoff,
    /// `fio --output-format=json`.
    Fio,
}

/// One way to run a case.
#[derive(Clone, Debug)]
pub struct Contender {
    /// In the table.
    pub name: &'static str,
    /// Whose output it is.
    pub tool: Tool,
    /// The exact command.
    pub argv: Vec<String>,
}

/// One access pattern.
pub struct Case {
    /// In words.
    pub name: &'static str,
    /// Whether the file is to be in memory.
    pub is_cached: bool,
    /// bakeoff first, then the one it is compared with, then others.
    pub contenders: Vec<Contender>,
}

/// A case before it becomes commands.
struct Pattern {
    name: &'static str,
    rw: &'static str,
    bs: &'static str,
    engine: &'static str,
    depth: u32,
    direct: bool,
}

const PATTERNS: [Pattern; 7] = [
    pattern("4k random read, O_DIRECT, io_uring, depth 1", "randread", "4k", "io_uring", 1, true),
    pattern("4k random read, O_DIRECT, io_uring, depth 32", "randread", "4k", "io_uring", 32, true),
    pattern("1 MiB sequential read, O_DIRECT, psync", "read", "1m", "psync", 1, true),
    pattern("4k random read, in page cache, psync", "randread", "4k", "psync", 1, false),
    pattern(
        "4k random read, in page cache, io_uring, depth 1",
        "randread",
        "4k",
        "io_uring",
        1,
        false,
    ),
    pattern(
        "4k random read, in page cache, io_uring, depth 32",
        "randread",
        "4k",
        "io_uring",
        32,
        false,
    ),
    pattern("1 MiB sequential read, in page cache, psync", "read", "1m", "psync", 1, false),
];

const fn pattern(
    name: &'static str,
    rw: &'static str,
    bs: &'static str,
    engine: &'static str,
    depth: u32,
    direct: bool,
) -> Pattern {
    Pattern { name, rw, bs, engine, depth, direct }
}

/// Every case, those past the cache first.
pub fn all(bakeoff: &Path, file: &Path, size_mib: u64, runtime_s: u32) -> Vec<Case> {
    let files = Files { bakeoff, file, size_mib, runtime_s };
    PATTERNS.iter().map(|pattern| files.case(pattern)).collect()
}

struct Files<'a> {
    bakeoff: &'a Path,
    file: &'a Path,
    size_mib: u64,
    runtime_s: u32,
}

impl Files<'_> {
    fn case(&self, pattern: &Pattern) -> Case {
        let plain = self.fio(pattern);
        let mut tuned = plain.clone();
        tuned.extend(["--norandommap", "--randrepeat=0", "--thread"].map(str::to_owned));
        if pattern.engine == "io_uring" {
            tuned.extend(["--registerfiles=1", "--fixedbufs=1"].map(str::to_owned));
        }
        if pattern.depth > 1 {
            let batches = [
                "--iodepth_batch_submit=16",
                "--iodepth_batch_complete_min=1",
                "--iodepth_batch_complete_max=32",
            ];
            tuned.extend(batches.map(str::to_owned));
        }
        let contender = |name, tool, argv| Contender { name, tool, argv };
        Case {
            name: pattern.name,
            is_cached: !pattern.direct,
            contenders: vec![
                contender("bakeoff", Tool::Bakeoff, self.bakeoff(pattern)),
                contender("fio", Tool::Fio, plain),
                contender("fio, tuned", Tool::Fio, tuned),
            ],
        }
    }

    fn bakeoff(&self, pattern: &Pattern) -> Vec<String> {
        let program = self.bakeoff.display().to_string();
        let text = format!(
            "bench FILE --rw {} --bs {} --size {}m --runtime {} --engine {} --iodepth {} \
             --direct {} --format json --quiet",
            pattern.rw,
            pattern.bs,
            self.size_mib,
            self.runtime_s,
            pattern.engine,
            pattern.depth,
            u8::from(pattern.direct)
        );
        self.words(program, &text)
    }

    fn fio(&self, pattern: &Pattern) -> Vec<String> {
        let text = format!(
            "--name=bench --filename=FILE --rw={} --bs={} --size={}m --runtime={} --time_based \
             --ioengine={} --iodepth={} --direct={} --invalidate=0 --output-format=json",
            pattern.rw,
            pattern.bs,
            self.size_mib,
            self.runtime_s,
            pattern.engine,
            pattern.depth,
            u8::from(pattern.direct)
        );
        self.words("fio".to_owned(), &text)
    }

    /// The command as words; the file's name may have spaces, the options have none.
    fn words(&self, program: String, text: &str) -> Vec<String> {
        let file = self.file.display().to_string();
        let words = text.split(' ').map(|word| word.replace("FILE", &file));
        std::iter::once(program).chain(words).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tools_are_asked_for_the_same() {
        let cases = all(Path::new("/b/bakeoff"), Path::new("/a b/file"), 64, 2);
        for case in cases {
            let [ours, plain, tuned] = &case.contenders[..] else { panic!("three contenders") };
            assert_eq!(ours.argv[2], "/a b/file");
            assert_eq!(tuned.argv[..plain.argv.len()], plain.argv[..]);
            let value = |name: &str| {
                let at = ours.argv.iter().position(|word| *word == format!("--{name}")).unwrap();
                ours.argv[at + 1].clone()
            };
            for name in ["rw", "bs", "size", "runtime", "iodepth", "direct"] {
                assert!(plain.argv.contains(&format!("--{name}={}", value(name))), "{name}");
            }
        }
    }
}
