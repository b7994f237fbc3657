//! Jobs and places that people have: scratch files as fio makes them, job files with variables and
//! included files, and commands as their authors document them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bench::Bench;
use crate::skip;

/// Every file below a directory.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries.flatten().flat_map(|entry| below(entry.path())).collect()
}

/// What `look` finds in the scratch files of a bench while it runs.
fn while_running<T>(words: &[&str], look: impl Fn(&[PathBuf]) -> Option<T>) -> T {
    let bench = Bench::new();
    let dir = bench.dir("at");
    let mut child = bench
        .bakeoff()
        .args([&["bench"], words].concat())
        .current_dir(&dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        let files = files_below(&dir);
        if let Some(found) = look(&files) {
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(bench.run(&["clean"]).code, 0, "what a kill leaves is removed");
            assert_eq!(files_below(&dir), Vec::<PathBuf>::new());
            return found;
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended unseen: {files:?}");
    }
}

/// 552 of 16,384 blocks were there: the file grew, or its holes were filled, while it was measured.
#[test]
fn a_file_that_is_only_written_has_its_blocks_before() {
    for rw in ["write", "randwrite"] {
        let words = [".", "--rw", rw, "--bs=4k", "--size=8m", "--rate_iops=50", "--runtime=60"];
        let (size, blocks) = while_running(&words, |files| {
            let found = files.first()?.metadata().ok()?;
            (found.size() > 0).then(|| (found.size(), found.blocks()))
        });
        assert_eq!(size, 8 << 20, "{rw}");
        assert!(blocks >= 16384, "{rw}: {blocks}");
    }
}

/// All of four threads read and wrote the same blocks of one file.
#[test]
fn each_of_numjobs_has_a_file_of_its_own_in_a_directory() {
    let words =
        "--name=s --directory=. --rw=read --bs=64k --size=1m --numjobs=4 --runtime=60 --time_based";
    let words: Vec<&str> = words.split(' ').collect();
    let mut names = while_running(&words, |files| {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        (files.len() == 4).then(|| files.iter().map(name).collect::<Vec<_>>())
    });
    names.sort();
    assert_eq!(names, ["s.0.0", "s.1.0", "s.2.0", "s.3.0"]);
}

/// Each was refused, or done otherwise, without a word.
#[test]
fn job_files_mean_what_they_mean_in_fio() {
    let bench = Bench::new();
    let write = |name: &str, text: &str| std::fs::write(bench.path().join(name), text).unwrap();
    write("a.fio", "[job1]\nname=read_iops\nrw=${RW}\nsize=${SZ}\nruntime=1\n");
    write("b.fio", "[a]\nrw=read\ninclude a.fio\n");
    let run = |words: &[&str]| {
        let words = [&["bench", "--quiet", "--output-format=json"], words].concat();
        let ended = bench.bakeoff().args(&words).env("RW", "read").env("SZ", "4m").output();
        crate::bench::Ended::from_output(ended.unwrap())
    };
    let job = |ended: &crate::bench::Ended| {
        assert_eq!(ended.code, 0, "{ended:?}");
        let job = ended.json();
        (job["name"].as_str().unwrap().to_string(), job["read"]["io_bytes"].as_u64().unwrap())
    };
    assert_eq!(job(&run(&["a.fio"])), ("read_iops".to_string(), 4 << 20));
    assert_eq!(run(&["b.fio"]).code, 2, "a file that includes another");
    write("c.fio", "[a]\nrw=read\nbs=64k\n");
    assert_eq!(job(&run(&["c.fio", "--size=16Mi"])).1, 16 << 20);
    assert_eq!(job(&run(&["--directory=.", "c.fio", "--filename=t", "--size=1m"])).1, 1 << 20);
    let unset = bench.run(&["bench", "a.fio"]);
    assert!(unset.code == 2 && unset.err.contains("RW is not set"), "{unset:?}");
    write("d.fio", "rw=read\n[a]\n");
    let early = bench.run(&["bench", "d.fio"]);
    assert!(early.code == 2 && early.err.contains("line 1"), "{early:?}");
    assert!(!early.err.contains("--filename"), "it would overwrite the job file: {early:?}");
    // A later section uses the file that an earlier one prepared: nothing is laid out for it.
    write(
        "e.fio",
        "[global]\nfilename=f\nsize=8m\nbs=1m\n[prepare]\nrw=write\n\
         [use]\nstonewall\nrw=randread\n",
    );
    let ended = run(&["e.fio"]);
    assert_eq!(ended.json()["jobs"][1]["read"]["io_bytes"], 8 << 20, "{ended:?}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

/// 50 + 50 for --rate_iops=100, and 3,681 "operations per second" of 1,840 flushed writes.
#[test]
fn rates_count_for_each_direction_and_flushes_are_no_writes() {
    let bench = Bench::new();
    let run = |line: &str| bench.run(&line.split_whitespace().collect::<Vec<_>>());
    let json = |line: &str| {
        let ended = run(line);
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.json()
    };
    let mixed = "bench . --rw=randrw --bs=4k --size=1m --runtime=2s --format=json --quiet";
    for (rates, [reads, writes]) in
        [("--rate_iops=100", [200, 200]), ("--rate_iops=100,50", [200, 100])]
    {
        let done = json(&format!("{mixed} {rates}"));
        for (way, wanted) in [("read", reads), ("write", writes)] {
            let ios = done[way]["total_ios"].as_u64().unwrap();
            // What was due is all begun, unless the machine has no time for it.
            assert!(ios <= wanted + 1, "{rates}: {way} {ios}");
        }
        let [read, write] = ["read", "write"].map(|way| done[way]["total_ios"].as_u64().unwrap());
        assert!((read * writes).abs_diff(write * reads) <= 2 * reads, "{rates}: {read} {write}");
    }
    let journal = run("bench --filename=t --size=1m --sync=1 --rw=write --io_size=1m --name=j");
    assert_eq!(journal.code, 0, "{journal:?}");
    let text = journal.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("writes per second, each flushed"), "{text}");
}

/// "would fill m: at most 0 B may be used there", with 220 MiB free and any --size.
#[test]
fn a_small_filesystem_can_be_measured() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount("ext4", "256m", "loop");
    let at = at.to_str().unwrap();
    let ended = bench.run(&["bench", at, "--size=16m", "--io_size=1m"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let large = bench.run(&["bench", at, "--size=250m", "--io_size=1m"]);
    assert!(large.code == 4 && large.err.contains("5 %"), "{large:?}");
}

/// The advice was to add --direct, with --direct on the command line.
#[test]
fn a_filesystem_in_memory_is_named_and_no_option_is_advised() {
    let bench = Bench::new();
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let kind = Command::new("stat").args(["-f", "-c", "%T", "/dev/shm"]).output().unwrap();
    if !kind.stdout.starts_with(b"tmpfs") {
        return skip::skip("a tmpfs on /dev/shm", "it is the filesystem in memory under test");
    }
    let at = dir.path().to_str().unwrap();
    let ended = bench.run(&["bench", at, "--rw=read", "--size=1m", "--io_size=1m"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let first = ended.out.split("\n\n").next().unwrap();
    assert!(first.contains("in memory") && !first.contains("--direct"), "{ended:?}");
}

/// "cannot inspect DIR: No such file or directory", of a directory that exists.
#[test]
fn a_missing_proc_is_named() {
    if skip::lacks_root() {
        return;
    }
    let bench = Bench::new();
    let script = "mount -t tmpfs none /proc && exec \"$@\"";
    let bakeoff = bench.bakeoff();
    let ended = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh"])
        .arg(bakeoff.get_program())
        .args(["bench", ".", "--size=1m", "--quiet"])
        .envs(bakeoff.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(bench.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(4) && said.contains("/proc"), "{ended:?}");
}

/// A smaller form of the table that `make bench` prints.
#[test]
fn thirty_job_files_do_what_they_do_in_fio() {
    if skip::lacks_command("fio") || skip::lacks_command("strace") || skip::lacks_command("python3")
    {
        return;
    }
    let bench = Bench::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/same_as_fio.py");
    let ended = Command::new("python3")
        .arg(script)
        .args(["--jobs", "30", "--bakeoff", env!("CARGO_BIN_EXE_bakeoff"), "--dir"])
        .arg(bench.path())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
}
