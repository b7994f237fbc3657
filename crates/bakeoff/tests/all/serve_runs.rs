//! Runs that `bakeoff serve` shows, and what it says when one of both is killed. A run is held
//! where it is while a test looks: no disk is so fast that it ends meanwhile.

use rustix::process::Signal;

use crate::bench::Bench;
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

/// A server of `bench`'s store.
fn serve(bench: &Bench) -> Server {
    Server::start(bench.bakeoff().arg("serve"))
}

/// A run of directories that is held where it is, as soon as it measures.
fn held(bench: &Bench) -> Running {
    let mut command = bench.bakeoff();
    // Reads only: a fast disk reaches no limit of bytes.
    command.args(["quick", "--time", "1h", "--workload", "randread,seqread"]);
    let mut run = Running::start(command.arg(bench.dir("place")));
    run.until_announced();
    freeze_between_records(run.pid(), &bench.store());
    run
}

#[test]
fn a_run_outlives_the_server_that_shows_it_and_the_next_one_shows_its_end() {
    let bench = Bench::new();
    let run = held(&bench);
    let server = serve(&bench);
    assert!(is(&server, "running"));
    send(server.process.pid(), Signal::KILL);
    drop(server);
    let server = serve(&bench);
    assert!(is(&server, "running"), "it is still there");
    assert!(server.get("/").body.contains("data-state=\"running\""));
    assert!(server.get("/metrics").body.contains("bakeoff_run_active 1\n"));
    run.signal(Signal::INT);
    run.signal(Signal::CONT);
    until("end", || is(&server, "stopped"));
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_run_that_is_killed_is_called_interrupted() {
    let bench = Bench::new();
    let run = held(&bench);
    let server = serve(&bench);
    assert!(is(&server, "running"));
    run.signal(Signal::KILL);
    until("notice", || is(&server, "dead"));
    let page = server.get("/").body;
    assert!(page.contains("bakeoff resume"), "{page}");
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
