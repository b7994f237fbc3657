//! What is compared: each case with bakeoff's command and those of its peers.
//!
//! fio gets `--invalidate=0` where the file is cached, because by default it throws the cache away
//! first. "Tuned" is what fio's manual offers for speed without giving up latencies: no map of the
//! blocks already read, no forked process, registered files and buffers, and submission in batches.
//! Small writes are of zeros for all alike: dd copies from /dev/zero, fio writes one buffer again
//! and again.

use std::path::{Path, PathBuf};

use super::helpers::Helpers;

/// Which tool's output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `bakeoff bench --format json`.
    Bakeoff,
    /// `fio --output-format=json`.
    Fio,
    /// dd, whose last line tells bytes and seconds; with this block size.
    Dd(u64),
    /// `sysbench fileio`.
    Sysbench,
    /// The bare loop of system calls.
    Loop,
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
    /// What is set in its environment.
    pub env: Vec<(&'static str, String)>,
}

/// One access pattern.
pub struct Case {
    /// Short, for the table of figures.
    pub key: &'static str,
    /// In words.
    pub name: &'static str,
    /// Whether the file is to be in memory.
    pub is_cached: bool,
    /// bakeoff first, then the one it is compared with, then others.
    pub contenders: Vec<Contender>,
}

/// A case before it becomes commands.
struct Pattern {
    key: &'static str,
    name: &'static str,
    rw: &'static str,
    bs: u64,
    engine: &'static str,
    depth: u32,
    direct: bool,
    peers: &'static [&'static str],
}

/// In page cache.
const fn cached(key: &'static str, name: &'static str, rw: &'static str, bs: u64) -> Pattern {
    Pattern { key, name, rw, bs, engine: "psync", depth: 1, direct: false, peers: &[] }
}

/// Random reads of 4 KiB in page cache, as io_uring or another engine does them.
const fn random(key: &'static str, name: &'static str, engine: &'static str) -> Pattern {
    Pattern { engine, ..cached(key, name, "randread", 4096) }
}

/// Tiny requests in page cache, one after the other.
const fn tiny(key: &'static str, name: &'static str, rw: &'static str, bs: u64) -> Pattern {
    Pattern { peers: &["dd", "loop"], ..cached(key, name, rw, bs) }
}

const ALL: [Pattern; 13] = [
    Pattern {
        peers: &["tuned", "sysbench"],
        ..random("psync", "4k random read, in page cache, psync", "psync")
    },
    Pattern {
        depth: 32,
        peers: &["tuned"],
        ..random("uring", "4k random read, in page cache, io_uring, depth 32", "io_uring")
    },
    tiny("read8", "8 B sequential read, in page cache", "read", 8),
    tiny("write8", "8 B sequential write, in page cache", "write", 8),
    tiny("read64", "64 B sequential read, in page cache", "read", 64),
    tiny("write64", "64 B sequential write, in page cache", "write", 64),
    random("null", "no I/O at all: the null engine", "null"),
    Pattern {
        depth: 32,
        ..random("nop", "io_uring no-op requests, depth 32, against fio's null engine", "nop")
    },
    Pattern {
        peers: &["slow"],
        ..random("slow4k", "4k random read, in page cache, psync, clock by system call", "psync")
    },
    Pattern {
        peers: &["slow", "loop"],
        ..tiny("slow64", "64 B sequential write, in page cache, clock by system call", "write", 64)
    },
    Pattern {
        direct: true,
        ..random("direct1", "4k random read, O_DIRECT, io_uring, depth 1", "io_uring")
    },
    Pattern {
        direct: true,
        depth: 32,
        peers: &["tuned"],
        ..random("direct32", "4k random read, O_DIRECT, io_uring, depth 32", "io_uring")
    },
    Pattern {
        direct: true,
        peers: &["dd"],
        ..cached("direct1m", "1 MiB sequential read, O_DIRECT, psync", "read", 1 << 20)
    },
];

/// Where things are and how long a run takes.
pub struct Setup<'a> {
    /// Our program.
    pub bakeoff: &'a Path,
    /// What is read and written.
    pub file: &'a Path,
    /// The folder in which sysbench finds the same file under its own name.
    pub sysbench: PathBuf,
    /// Programs in C.
    pub helpers: &'a Helpers,
    /// Size of the file.
    pub size_mib: u64,
    /// Seconds a run measures.
    pub runtime_s: u32,
}

impl Setup<'_> {
    /// Every case, those in memory first.
    pub fn cases(&self) -> Vec<Case> {
        ALL.iter().map(|pattern| self.case(pattern)).collect()
    }

    fn case(&self, pattern: &Pattern) -> Case {
        let contender = |name, tool, argv| Contender { name, tool, argv, env: Vec::new() };
        let mut contenders = vec![
            contender("bakeoff", Tool::Bakeoff, self.bakeoff(pattern)),
            contender("fio", Tool::Fio, self.fio(pattern)),
        ];
        for peer in pattern.peers {
            match *peer {
                "tuned" => contenders.push(contender("fio, tuned", Tool::Fio, self.tuned(pattern))),
                "dd" => contenders.push(contender("dd", Tool::Dd(pattern.bs), self.dd(pattern))),
                "sysbench" => {
                    contenders.push(contender("sysbench", Tool::Sysbench, self.sysbench(pattern)));
                }
                "loop" => {
                    contenders.push(contender("bare loop", Tool::Loop, self.bare_loop(pattern)));
                }
                _ => self.slow_down(&mut contenders),
            }
        }
        let Pattern { key, name, direct, .. } = *pattern;
        Case { key, name, is_cached: !direct, contenders }
    }

    /// Bytes of the file that are used: tiny blocks go round a small part of it.
    fn span(&self, pattern: &Pattern) -> u64 {
        let whole = self.size_mib << 20;
        if pattern.bs < 4096 { (pattern.bs << 21).min(whole) } else { whole }
    }

    /// Both clocks by system call.
    fn slow_down(&self, contenders: &mut [Contender]) {
        for contender in contenders {
            if contender.tool == Tool::Bakeoff {
                contender.env.push(("BAKEOFF_CLOCK", "syscall".to_owned()));
            } else {
                contender.argv.push("--clocksource=clock_gettime".to_owned());
                let library = self.helpers.slow_clock.display().to_string();
                contender.env.push(("LD_PRELOAD", library));
            }
        }
    }

    fn bakeoff(&self, pattern: &Pattern) -> Vec<String> {
        let program = self.bakeoff.display().to_string();
        let writes = if pattern.rw == "write" { " --overwrite --data zero" } else { "" };
        let text = format!(
            "bench FILE --rw {} --bs {} --size {} --runtime {} --engine {} --iodepth {} \
             --direct {} --format json --quiet{writes}",
            pattern.rw,
            pattern.bs,
            self.span(pattern),
            self.runtime_s,
            pattern.engine,
            pattern.depth,
            u8::from(pattern.direct)
        );
        self.words(program, &text)
    }

    fn fio(&self, pattern: &Pattern) -> Vec<String> {
        let engine = if pattern.engine == "nop" { "null" } else { pattern.engine };
        let text = format!(
            "--name=bench --filename=FILE --rw={} --bs={} --size={} --runtime={} --time_based \
             --ioengine={engine} --iodepth={} --direct={} --invalidate=0 --output-format=json",
            pattern.rw,
            pattern.bs,
            self.span(pattern),
            self.runtime_s,
            pattern.depth,
            u8::from(pattern.direct)
        );
        self.words("fio".to_owned(), &text)
    }

    fn tuned(&self, pattern: &Pattern) -> Vec<String> {
        let mut argv = self.fio(pattern);
        argv.extend(["--norandommap", "--randrepeat=0", "--thread"].map(str::to_owned));
        if pattern.engine == "io_uring" {
            argv.extend(["--registerfiles=1", "--fixedbufs=1"].map(str::to_owned));
        }
        if pattern.depth > 1 {
            let batches = [
                "--iodepth_batch_submit=16",
                "--iodepth_batch_complete_min=1",
                "--iodepth_batch_complete_max=32",
            ];
            argv.extend(batches.map(str::to_owned));
        }
        argv
    }

    fn dd(&self, pattern: &Pattern) -> Vec<String> {
        let count = self.span(pattern) / pattern.bs;
        let direct = if pattern.direct { " iflag=direct" } else { "" };
        let text = if pattern.rw == "write" {
            format!("if=/dev/zero of=FILE bs={} count={count} conv=notrunc", pattern.bs)
        } else {
            format!("if=FILE of=/dev/null bs={} count={count}{direct}", pattern.bs)
        };
        self.words("dd".to_owned(), &text)
    }

    fn sysbench(&self, pattern: &Pattern) -> Vec<String> {
        let text = format!(
            "fileio --file-num=1 --file-total-size={} --file-test-mode=rndrd \
             --file-block-size={} --time={} run",
            self.span(pattern),
            pattern.bs,
            self.runtime_s
        );
        self.words("sysbench".to_owned(), &text)
    }

    fn bare_loop(&self, pattern: &Pattern) -> Vec<String> {
        let program = self.helpers.bare_loop.display().to_string();
        let way = if pattern.rw == "write" { "w" } else { "r" };
        let text = format!("{way} FILE {} {} {}", pattern.bs, self.span(pattern), self.runtime_s);
        self.words(program, &text)
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
        let helpers = Helpers { bare_loop: "/h/loop".into(), slow_clock: "/h/slow.so".into() };
        let setup = Setup {
            bakeoff: Path::new("/b/bakeoff"),
            file: Path::new("/a b/file"),
            sysbench: "/a b".into(),
            helpers: &helpers,
            size_mib: 64,
            runtime_s: 2,
        };
        for case in setup.cases() {
            let [ours, plain, ..] = &case.contenders[..] else { panic!("two contenders") };
            assert_eq!(ours.argv[2], "/a b/file");
            let value = |name: &str| {
                let at = ours.argv.iter().position(|word| *word == format!("--{name}")).unwrap();
                ours.argv[at + 1].clone()
            };
            for name in ["rw", "bs", "size", "runtime", "iodepth", "direct"] {
                assert!(plain.argv.contains(&format!("--{name}={}", value(name))), "{name}");
            }
            let is_slow = |contender: &Contender| !contender.env.is_empty();
            assert_eq!(is_slow(ours), case.key.starts_with("slow"));
            assert_eq!(is_slow(ours), is_slow(plain));
        }
    }
}
