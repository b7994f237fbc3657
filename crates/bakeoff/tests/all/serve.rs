//! `bakeoff serve` as browsers meet it, and other sites; and the page of a run that is written
//! while the run lasts.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::bench::Bench;
use crate::running::{Running, freeze_between_records, until_so};
use crate::skip;
use crate::stored::{Home, RUN};

/// Longest wait for a byte: a busy machine may be slow, a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(300);
const RELOADS: &str = "http-equiv=\"refresh\"";

struct Server {
    _process: Running,
    address: String,
    said: String,
}

struct Reply {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Server {
    /// Starts `command`, which must be `… serve …`, on a free port.
    fn start(listen: &str, command: &mut Command) -> Server {
        let mut process = Running::start(command.args(["--listen", listen]));
        let said = process.until("its last line", |run| {
            let said = run.err();
            said.contains("Ctrl-C stops").then_some(said)
        });
        let address = said.lines().find_map(|line| line.split_once("://")).unwrap().1;
        let address = address.trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
        Server { _process: process, address, said }
    }

    fn send(&self, method: &str, path: &str, host: &str) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nHost: {host}\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{reply:?}"));
        let headers = head.lines().filter_map(|line| line.split_once(": "));
        Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            headers: headers.map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            body: body.to_string(),
        }
    }

    fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &self.address)
    }
}

fn serve(home: &Home, listen: &str) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(home.store()).arg("serve").stdin(Stdio::null());
    Server::start(listen, &mut command)
}

#[test]
fn the_runs_are_listed_and_the_page_of_one_is_that_of_show() {
    let home = Home::with_run();
    let server = serve(&home, "127.0.0.1:0");
    let list = server.get("/");
    assert_eq!((list.status, &*list.headers["x-content-type-options"]), (200, "nosniff"));
    assert!(list.body.contains(&format!("<a href=\"/runs/{RUN}\">")), "{}", list.body);
    assert_eq!(home.run(&["show", RUN, "-o", "page.html"]).0, 0);
    let written = fs::read_to_string(home.dir.path().join("page.html")).unwrap();
    for path in [format!("/runs/{RUN}"), format!("/runs/{}", &RUN[..4]), "/runs/last".to_string()] {
        let page = server.get(&path);
        assert_eq!((page.status, page.body == written), (200, true), "{path}");
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(page.headers.get("refresh"), None, "the run is over");
    }
    assert_eq!(server.send("HEAD", "/", &server.address).body, "");
    for path in ["/runs/none", "/runs", "/metrics", "/api/1/now", "/..%2f..%2fetc%2fpasswd"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn an_empty_store_is_a_page_too() {
    let server = serve(&Home::new(), "127.0.0.1:0");
    assert!(server.get("/").body.contains("No runs are stored yet"));
    assert_eq!(server.get("/runs/last").status, 404);
}

#[test]
fn refuses_names_of_others_and_all_methods_that_change_something() {
    let home = Home::with_run();
    let server = serve(&home, "127.0.0.1:0");
    let run = format!("/runs/{RUN}");
    for path in ["/", &run] {
        assert_eq!(server.send("GET", path, "evil.example").status, 403, "{path}");
        assert_eq!(server.send("GET", path, "localhost").status, 200, "{path}");
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            assert_eq!(server.send(method, path, "localhost").status, 405, "{method} {path}");
        }
    }
}

#[test]
fn an_open_server_warns_that_everyone_can_read() {
    let home = Home::with_run();
    let server = serve(&home, "0.0.0.0:0");
    assert!(server.said.contains("Warning: anyone on the network"), "{}", server.said);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn the_page_of_a_run_reloads_itself_while_the_run_lasts() {
    let bench = Bench::new();
    let mut command = bench.bakeoff();
    // Reads only: a fast disk reaches no limit of bytes.
    command.args(["quick", "--time", "1h", "--workload", "randread,seqread", "-o", "page.html"]);
    let mut run = Running::start(command.arg(bench.dir("place")));
    run.until_announced();
    let written = || fs::read_to_string(bench.path().join("page.html")).unwrap_or_default();
    until_so("a page", || written().contains(RELOADS));
    freeze_between_records(run.pid(), &bench.store());
    let server = Server::start("127.0.0.1:0", bench.bakeoff().arg("serve"));
    assert!(server.get("/").body.contains("(running)"));
    let served = server.get("/runs/last");
    assert!(served.headers.contains_key("refresh") && !served.body.contains(RELOADS));
    run.signal(Signal::INT);
    run.signal(Signal::CONT);
    let ended = run.end();
    assert!(!written().contains(RELOADS), "{ended:?}");
    let served = server.get("/runs/last");
    assert!(!served.headers.contains_key("refresh") && served.body == written());
    assert_eq!(bench.leftovers(), [""; 0]);
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
        serde_json::from_str(&fs::read_to_string(&told).unwrap_or_default()).unwrap();
    assert_eq!(json["schema"], "bakeoff/run/2", "{ended:?}");
    if skip::lacks_command("curl") {
        return;
    }
    // Nobody listens there: it is said, and nothing else fails.
    let failed = quick("http://127.0.0.1:9/");
    assert_eq!(failed.code, ended.code, "{failed:?}");
    assert!(failed.err.contains("cannot notify http://127.0.0.1:9/"), "{failed:?}");
}
