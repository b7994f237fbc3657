//! A target is looked at once more when it is held: what changes while the token is asked for, or
//! between the guard and the write, is not overwritten.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::bench::{Bench, LoopDevice, must};
use crate::on_image::{MIB, RUN, SMALL, lacks, made};
use crate::running::{EndsWith, Running, until_found};
use crate::skip;
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// bakeoff on a terminal, waiting for a token.
struct Asked {
    script: Child,
    keys: ChildStdin,
    log: tempfile::NamedTempFile,
}

impl Asked {
    fn start(bench: &Bench, words: &str) -> Asked {
        let log = tempfile::NamedTempFile::new().unwrap();
        let program = bench.bakeoff().get_program().to_string_lossy().into_owned();
        let mut script = Command::new("script");
        script.args(["-qefc", &format!("'{program}' {words}"), "/dev/null"]);
        script.env("XDG_DATA_HOME", bench.path().join("data")).current_dir(bench.path());
        script.env_remove("SUDO_UID").env_remove("SUDO_GID");
        script.stdin(Stdio::piped()).stdout(log.reopen().unwrap()).stderr(Stdio::null());
        let mut script = script.spawn().unwrap();
        let keys = script.stdin.take().unwrap();
        Asked { script, keys, log }
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log.path()).unwrap()).into_owned()
    }

    /// Waits for the question; gives the token that it names.
    fn token(&mut self) -> String {
        until_found("question", || {
            let said = self.said();
            let asked = said.split_once("To erase it, type ").and_then(|(_, r)| r.split_once(": "));
            if let Some((token, _)) = asked {
                return Some(token.to_string());
            }
            assert!(self.script.try_wait().unwrap().is_none(), "ended unasked: {said}");
            None
        })
    }

    /// Types the token; gives the exit code and what was said.
    fn answered(mut self, token: &str) -> (Option<i32>, String) {
        writeln!(self.keys, "{token}").unwrap();
        let code = self.script.wait().unwrap().code();
        (code, self.said())
    }
}

fn lacks_terminal() -> bool {
    lacks() || skip::lacks_command("script")
}

fn format(target: &Path) {
    must(Command::new("mkfs.ext4").args(["-q", "-F", "-L", "PHOTOS"]).arg(target));
}

/// `bench DEVICE` and `probe` took a device as the token had named it, whatever was put on it
/// while the token was typed.
#[test]
fn what_is_put_on_a_drive_while_its_token_is_typed_is_not_overwritten() {
    if lacks_terminal() {
        return;
    }
    for verb in ["bench --rw write --bs 64k --io_size 1m", "probe --full"] {
        let bench = Bench::new();
        let image = made(&bench, SMALL, 96 * MIB);
        let device = LoopDevice::over(&image);
        let mut asked = Asked::start(&bench, &format!("{verb} {}", device.0));
        let token = asked.token();
        format(Path::new(&device.0));
        let before = fs::read(&image).unwrap();
        let (code, said) = asked.answered(&token);
        assert_eq!(code, Some(3), "{verb}: {said}");
        assert!(said.contains("The drive or its contents have changed"), "{verb}: {said}");
        assert!(fs::read(&image).unwrap() == before, "{verb}: it was written");
    }
}

/// The same of `resume`, of which a kill had made the token necessary.
#[test]
fn what_is_put_on_an_image_while_resume_asks_is_not_overwritten() {
    if lacks_terminal() {
        return;
    }
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    let mut running = Running::start(bench.bakeoff().args(RUN));
    running.until_announced();
    drop(running);
    assert_eq!(bench.run(&["clean"]).code, 0);
    // Whether the kill left the region as recorded or not: now it is not.
    let file = fs::OpenOptions::new().write(true).open(&image).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[7; 4096], 16 * MIB).unwrap();
    drop(file);
    let mut asked = Asked::start(&bench, "resume last");
    let token = asked.token();
    format(&image);
    let before = fs::read(&image).unwrap();
    let (code, said) = asked.answered(&token);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("The drive or its contents have changed"), "{said}");
    assert!(fs::read(&image).unwrap() == before, "it was written");
}

/// How often two files are exchanged under the name of the one that may be overwritten.
const RACES: u32 = 200;

/// `bench FILE --overwrite` opened the file by its name once more after the guard had seen it.
#[test]
fn a_file_that_takes_the_name_after_the_guard_is_not_overwritten() {
    if skip::lacks_root() {
        return;
    }
    let bench = Bench::new();
    let (free, used) = (bench.path().join("free"), bench.path().join("used"));
    fs::write(&free, vec![1; 1 << 20]).unwrap();
    fs::write(&used, vec![2; 1 << 20]).unwrap();
    // A second name is a reason to refuse it, wherever it is.
    fs::hard_link(&used, bench.path().join("second")).unwrap();
    let number = fs::metadata(&used).unwrap().ino();
    let is_over = AtomicBool::new(false);
    let mut written = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &free, CWD, &used, RenameFlags::EXCHANGE).unwrap();
                thread::sleep(Duration::from_micros(700));
            }
        });
        let _ends = EndsWith(&is_over);
        for _ in 0..RACES {
            let words = ["--rw", "write", "--bs", "64k", "--io_size", "64k", "--overwrite"];
            let ended = bench.run(&[&["bench", "free"], &words[..]].concat());
            written += u32::from(ended.code == 0);
            assert!([0, 3, 4].contains(&ended.code), "{ended:?}");
        }
    });
    let kept = File::open(bench.path().join("second")).unwrap();
    assert_eq!(kept.metadata().unwrap().ino(), number);
    let bytes = fs::read(bench.path().join("second")).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 2), "written in one of {written} of {RACES} races");
    println!("{written} of {RACES} wrote the free file");
}
