//! What people type at fio, and what becomes of it.

use super::split::line;
use super::*;
use crate::fio::jobfile::JobFile;

fn job_file(text: &str) -> JobFile {
    JobFile::parse(text).unwrap()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

fn job(text: &str) -> Asked {
    let mut made = line(&words(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(made.jobs.len(), 1, "{text}");
    made.jobs.remove(0)
}

fn has(text: &str, wanted: &str) {
    let job = job(text);
    let mut have = job.words.clone();
    have.sort();
    let mut wanted = words(wanted);
    wanted.sort();
    assert_eq!(have, wanted, "{text}");
}

#[test]
fn what_people_type_at_fio_means_the_same_here() {
    // As in the guides of several clouds, with one hyphen.
    has(
        "-direct=1 -iodepth=128 -rw=randwrite -ioengine=libaio -bs=4k -size=1G -numjobs=1 \
         -runtime 60 -time_based -group_reporting -filename=x -name=test",
        "--direct=1 --iodepth=128 --rw=randwrite --engine=libaio --bs=4k --size=1G --numjobs=1 \
         --runtime=60 --filename=x",
    );
    has("--readwrite=rw --bs=4k,64k --buffered=0", "--rw=readwrite --bs=4k,64k --direct=1");
    has("--rw=read --norandommap --thread /dev/x", "--rw=read --offsets=uniform");
    has("--rwmixwrite=30 --io-size 1g --sync=dsync", "--rwmixread=70 --io_size=1g --fdatasync=1");
    has("--bs 4k --bs 8k", "--bs=8k");
    has("--runtime=5 --time_based --io_size=1g", "--runtime=5");
    has("--random_distribution=zipf:1.1 --norandommap", "--offsets=zipf:1.1");
    has("--output-format=json --eta=never", "--format=json");
    has("--eta always --direct .", "--direct=1");
}

/// They were of the last job, which nobody asked: no file, and text on the screen.
#[test]
fn what_is_for_the_whole_call_counts_wherever_it_is() {
    let text = "--name=a --rw=read --name=b --output=o.json --output-format=json,normal --minimal";
    let made = line(&words(text)).unwrap();
    for job in &made.jobs {
        assert!(job.words.contains(&"--output=o.json".to_string()), "{job:?}");
        assert!(job.words.contains(&"--format=json".to_string()), "{job:?}");
        assert_eq!(job.notes.len(), 2, "{job:?}");
    }
}

#[test]
fn what_depends_on_another_option_is_worked_out() {
    has("--ioengine=posixaio --iodepth=1", "--engine=psync --iodepth=1");
    has("--ioengine=posixaio --iodepth=16", "--engine=io_uring --iodepth=16");
    has("--fallocate=native", "");
}

#[test]
fn a_section_is_called_what_its_name_option_says_and_not_what_a_global_one_does() {
    let text = "[global]\nname=all\n[job1]\nname=read_iops\nsize=${SIZE}\n[job2]\n";
    let file = job_file(text);
    let of = |section| of_section(&section, &[], &|_| Some("4m".to_string())).unwrap();
    let jobs: Vec<Asked> = file.jobs().map(of).collect();
    let names: Vec<_> = jobs.iter().map(|job| job.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["read_iops", "job2"]);
    assert!(jobs[0].words.contains(&"--size=4m".to_string()), "{jobs:?}");
}

#[test]
fn a_value_has_variables_and_is_never_computed() {
    let of = |value: &str| {
        let file = JobFile::parse(&format!("[a]\nsize={value}\n")).unwrap();
        let set = |name: &str| (name == "SIZE").then(|| "4".to_string());
        of_section(&file.jobs().next().unwrap(), &[], &set)
    };
    assert!(of("${SIZE}m").unwrap().words.contains(&"--size=4m".to_string()));
    assert!(of("${NONE}").unwrap_err().contains("NONE is not set"));
    for value in ["(2*1024)", "$pagesize"] {
        assert!(of(value).unwrap_err().contains("Write the number"), "{value}");
    }
}

#[test]
fn words_that_are_no_options_of_fio_are_left() {
    let made = line(&words("/dev/sda --erase T --rw=read --overwrite --store s -- --bs")).unwrap();
    assert_eq!(made.own, words("/dev/sda --erase T --overwrite --store s -- --bs"));
    assert_eq!(made.jobs[0].words, ["--rw=read"]);
    // Ours and fio's of one name.
    let made = line(&words("--verify --overwrite=1")).unwrap();
    assert_eq!(made.own, words("--verify"));
    assert_eq!(made.jobs[0].words, ["--lay_out=1"], "fio's --overwrite=1 is no consent");
}

#[test]
fn options_before_the_first_name_are_for_all_jobs() {
    let made = line(&words("--bs=8k --name=a --rw=read --name=b --stonewall --rw=write . --bs=4k"))
        .unwrap();
    let of = |at: usize| (made.jobs[at].name.as_deref(), made.jobs[at].words.join(" "));
    assert_eq!(of(0), (Some("a"), "--bs=8k --rw=read".to_string()));
    assert_eq!(of(1), (Some("b"), "--rw=write --bs=4k".to_string()));
    assert_eq!(made.own, ["."]);
    assert!(!made.jobs[0].waits && made.jobs[1].waits);
}

#[test]
fn what_has_no_effect_is_said_and_what_bench_does_not_do_is_refused() {
    let notes = job("--log_avg_msec=1000 --status-interval=1 --group_reporting").notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("--log_avg_msec=1000 has no effect: "), "{notes:?}");
    assert!(notes[1].starts_with("--status-interval has no effect"), "{notes:?}");
    for (text, wanted) in [
        ("--rw=trim", "flash_state"),
        ("--rw=randread:8", "modifier"),
        ("--rw=write:4k", "forward"),
        ("--bs=4k-64k", "once for each size"),
        ("--offset=1g", "--size"),
        ("--rate=6k", "--rate_iops"),
        ("--filesize=2g", "--size"),
        ("--ioengine=rdma", "fio itself"),
        ("--cpus_allowed=0-3", "taskset"),
        ("--exec_prerun=ls", "no other programs"),
        ("--allow_mounted_write=1", "Unmount"),
        ("--bs", "needs a value"),
    ] {
        let error = line(&words(text)).unwrap_err();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    has("--nrfiles=1 --offset=0 --zonemode=none --thinktime=0", "");
    assert!(job("--name=a --size=1g --runtime=9").notes[0].contains("--io_size"));
    assert!(job("--size=1g --runtime=9").notes.is_empty());
}

#[test]
fn a_section_of_a_job_file_has_the_defaults_of_fio() {
    let text = "[global]\nioengine=libaio\nruntime=60\n[a b]\nbs=4k\nsize=1g\n[c]\nstonewall\n\
        rw=randrw\ntime_based\noverwrite=1\nnorandommap\ninvalidate=0\n";
    let file = job_file(text);
    let jobs: Vec<Asked> =
        file.jobs().map(|section| of_section(&section, &[], &|_| None).unwrap()).collect();
    assert_eq!(jobs[0].name.as_deref(), Some("a b"));
    let first = "--engine=libaio --runtime=60 --bs=4k --size=1g --rw=read --invalidate=1 \
        --io_size=100%";
    assert_eq!(jobs[0].words, words(first));
    let second = "--engine=libaio --runtime=60 --rw=randrw --lay_out=1 --offsets=uniform \
        --invalidate=0";
    assert_eq!(jobs[1].words, words(second));
    assert!(jobs[1].waits);
    let bad = job_file("[a]\nrw=read\nexec_prerun=rm\n");
    let error = of_section(&bad.jobs().next().unwrap(), &[], &|_| None).unwrap_err();
    assert!(error.starts_with("line 3: --exec_prerun=rm"), "{error}");
    let unknown = job_file("[a]\nsurprise=2\n");
    assert!(
        of_section(&unknown.jobs().next().unwrap(), &[], &|_| None)
            .unwrap_err()
            .contains("not an option of fio")
    );
}

#[test]
fn no_option_is_listed_twice_and_none_consents_to_destruction() {
    let mut names: Vec<&str> = table::entries().flat_map(|entry| entry.names.split(' ')).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in names {
        for value in ["0", "1", "x", "read"] {
            let (typed, value) = (name.to_string(), value.to_string());
            let given = [Given { name: name.to_string(), typed, value }];
            let Ok(made) = asked(None, &given, From::File) else { continue };
            let words = made.words.join(" ");
            assert!(!words.contains("--erase") && !words.contains("--overwrite"), "{name}");
        }
    }
}

/// Replace the table below the text of docs/fio.md where this fails.
#[test]
fn the_page_lists_what_bench_accepts() {
    let row = |entry: OptionEntry| {
        let what = match entry.taken {
            // `bench` gives these reasons itself.
            Taken::Idle(_) | Taken::Refused(_) => return String::new(),
            Taken::Same => "the same".to_string(),
            Taken::Called(own) => format!("`--{own}`"),
            Taken::Worded(how) => how.to_string(),
            Taken::Always(why) => format!("always: {why}"),
        };
        let names: Vec<String> = entry.names.split(' ').map(|name| format!("`{name}`")).collect();
        format!("| {} | {what} |\n", names.join(" "))
    };
    let page = include_str!("../../../../../../docs/fio.md");
    let (_, listed) = page.split_once("|---|---|\n").unwrap();
    assert_eq!(listed, table::entries().map(row).collect::<String>());
}
