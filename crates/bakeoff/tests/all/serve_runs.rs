//! Runs that `bakeoff serve` starts, stops and resumes, and what it says when one of both is
//! killed. A run is held where it is while a test looks: no disk is so fast that it ends meanwhile.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::bench::{Bench, must};
use crate::on_image;
use crate::running::{Running, freeze_between_records, send};
use crate::skip;
use crate::web::{Server, until};

/// The state of the last run as programs see it.
fn state(server: &Server) -> Option<String> {
    let reply = server.get("/api/1/now");
    (reply.status == 200).then(|| reply.json()["state"].as_str().unwrap().to_string())
}

fn is(server: &Server, wanted: &str) -> bool {
    state(server).as_deref() == Some(wanted)
}

/// A server of `bench`'s store, whose home is a place that it offers.
fn serve(bench: &Bench, home: &Path, args: &[&str]) -> Server {
    Server::start(bench.bakeoff().env("HOME", home).arg("serve").args(args))
}

/// The process of the run that was begun last, which is in hand; its record says so a moment later.
fn owner(bench: &Bench) -> u32 {
    let mut owner = 0;
    until("owner", || {
        let events = bench.events("last");
        let owned =
            events.iter().filter_map(|event| event["what"]["owned"]["pid"].as_u64()).next_back();
        owner = owned.map_or(0, |pid| u32::try_from(pid).unwrap());
        std::fs::read_link(format!("/proc/{owner}/exe")).is_ok()
    });
    owner
}

/// Whether the list of runs has one that is measured; asks for no document of it.
fn has_running(server: &Server) -> bool {
    let runs = server.get("/api/1/runs").json();
    runs["runs"].as_array().unwrap().iter().any(|run| run["state"] == "running")
}

/// Sends a form that starts or resumes a run, and holds the run as soon as it is in hand; gives the
/// answer's status and the process.
fn begun(bench: &Bench, server: &Server, path: &str, body: &str) -> (u16, u32) {
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| server.post(path, body));
        until("run", || has_running(server) || answer.is_finished());
        let pid = has_running(server).then(|| owner(bench));
        pid.into_iter().for_each(|pid| freeze_between_records(pid, &bench.store()));
        let reply = answer.join().unwrap();
        (reply.status, pid.unwrap_or_else(|| panic!("{reply:?}")))
    })
}

#[test]
fn a_run_outlives_the_server_that_started_it_and_is_stopped_by_the_next() {
    let bench = Bench::new();
    let place = bench.dir("place");
    let mut server = serve(&bench, &place, &[]);
    // Reads only: a fast disk reaches no limit of bytes.
    let body = format!("place={}&workload=randread&workload=seqread&time=1h", place.display());
    let (status, run) = begun(&bench, &server, "/api/1/runs", &body);
    assert_eq!(status, 202);
    assert_eq!(server.post("/api/1/runs", &body).status, 503, "one at a time");
    let token = server.token.take();
    send(server.process.pid(), Signal::KILL);
    drop(server);
    let mut server = serve(&bench, &place, &[]);
    server.token = token;
    assert!(is(&server, "running"), "it is still there");
    assert!(server.get("/").body.contains("data-state=\"running\""));
    assert!(server.get("/metrics").body.contains("bakeoff_run_active 1.0"));
    assert_eq!(server.post("/api/1/runs/last/stop", "").status, 202);
    send(run, Signal::CONT);
    until("end", || is(&server, "stopped"));
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_run_that_is_killed_is_called_interrupted() {
    let bench = Bench::new();
    let place = bench.dir("place");
    let mut command = bench.bakeoff();
    command.args(["quick", "--time", "1h", "--workload", "randread,seqread"]).arg(&place);
    let mut run = Running::start(&mut command);
    run.until_announced();
    freeze_between_records(run.pid(), &bench.store());
    let server = serve(&bench, &place, &[]);
    assert!(is(&server, "running"));
    run.signal(Signal::KILL);
    until("notice", || is(&server, "dead"));
    let page = server.get("/").body;
    assert!(page.contains("bakeoff resume") && page.contains("data-resume=\"yes\""), "{page}");
    let (status, resumed) = begun(&bench, &server, "/api/1/runs/last/resume", "");
    assert_eq!(status, 202);
    assert_eq!(server.post("/api/1/runs/last/stop", "").status, 202);
    send(resumed, Signal::CONT);
    until("end", || is(&server, "stopped"));
    assert_eq!(bench.leftovers(), [""; 0]);
}

/// A loop device over a file of ours with nothing in it; detached when dropped.
struct Spare(String);

impl Spare {
    fn new(bench: &Bench) -> Spare {
        let image: PathBuf = bench.path().join("spare.img");
        must(std::process::Command::new("truncate").args(["-s", "2g"]).arg(&image));
        let args = ["--find", "--show"];
        Spare(must(std::process::Command::new("losetup").args(args).arg(&image)).trim().into())
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

/// What `bakeoff plan` says is typed to erase it.
fn erase_token(shown: &str) -> String {
    let token = shown.lines().find_map(|line| line.trim().strip_prefix("erase token: "));
    token.unwrap_or_else(|| panic!("no token: {shown}")).to_string()
}

#[test]
fn a_drive_is_erased_only_with_its_token_and_by_a_server_that_may() {
    if on_image::lacks() || skip::lacks_command("mkfs.xfs") || skip::lacks_command("mkfs.btrfs") {
        return;
    }
    let bench = Bench::new();
    let place = bench.dir("place");
    let spare = Spare::new(&bench);
    let form = format!("plan=nas&target={}&time=1h", spare.0);
    let mut server = serve(&bench, &place, &[]);
    let refused = server.post("/api/1/runs", &format!("{form}&erase=spare.img"));
    assert!(refused.status == 403 && refused.body.contains("--allow-erase"), "{refused:?}");
    let token = server.token.take();
    drop(server);
    let mut server = serve(&bench, &place, &["--allow-erase"]);
    server.token = token;
    let shown = server.post("/api/1/plan", &form);
    assert_eq!(shown.status, 200, "{shown:?}");
    let erase = erase_token(&shown.body);
    for wrong in ["", "wrong", "--erase", "x y\nz", &"0".repeat(999)] {
        let refused = server.post("/api/1/runs", &format!("{form}&erase={}", encoded(wrong)));
        assert!(refused.status == 403, "{wrong}: {refused:?}");
    }
    assert_eq!(bench.run_ids(), [""; 0], "nothing was begun");
    // The form starts what was shown, and nothing else.
    let page = server.post("/new", &format!("{form}&do=start&seen=another&erase={erase}"));
    assert!(page.body.contains("name=\"erase\"") && page.body.contains("Start</button>"));
    assert_eq!(bench.run_ids(), [""; 0]);
    let (status, run) =
        begun(&bench, &server, "/api/1/runs", &format!("{form}&erase={}", encoded(&erase)));
    assert_eq!(status, 202);
    assert_eq!(server.post("/api/1/runs/last/stop", "").status, 202);
    send(run, Signal::CONT);
    until("end", || is(&server, "stopped"));
    assert_eq!(on_image::left(&bench).len(), 1, "the loop device of the test");
    let bearer = format!("Bearer {}", server.token.as_deref().unwrap_or_default());
    let page = server.send("GET", "/", &[("Authorization", &bearer)], "").body;
    assert!(page.contains("id=\"again\"") && page.contains("id=\"resume\""), "{page}");
    let again = format!("erase={}", encoded(&erase));
    let (status, run) = begun(&bench, &server, "/api/1/runs/last/resume", &again);
    assert_eq!(status, 202);
    assert_eq!(server.post("/api/1/runs/last/stop", "").status, 202);
    send(run, Signal::CONT);
    until("end", || is(&server, "stopped"));
    assert_eq!(on_image::left(&bench).len(), 1, "the loop device of the test");
}

fn encoded(text: &str) -> String {
    bakeoff_core::report::pages::encoded(text)
}

#[test]
fn the_result_is_sent_to_a_command_and_to_an_address() {
    let bench = Bench::new();
    let place = bench.dir("place");
    let told = bench.path().join("told.json");
    let command = format!("cat >{}", told.display());
    let quick = |notify: &str| {
        let path = place.to_str().unwrap();
        let args = ["quick", "--time", "3m", "--workload", "randread", "--notify", notify, path];
        bench.run(&args)
    };
    let ended = quick(&command);
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&told).unwrap_or_default()).unwrap();
    assert_eq!(json["schema"], "bakeoff/now/1", "{ended:?}");
    if skip::lacks_command("curl") {
        return;
    }
    // Nobody listens there: it is said, and nothing else fails.
    let failed = quick("http://127.0.0.1:9/");
    assert_eq!(failed.code, ended.code, "{failed:?}");
    assert!(failed.err.contains("cannot notify http://127.0.0.1:9/"), "{failed:?}");
}
