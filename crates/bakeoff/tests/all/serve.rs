//! `bakeoff serve` as browsers, programs and monitors meet it, and as nobody should.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::skip;
use crate::stored::{Home, RUN, bundle_of};
use crate::web::{Server, until};

/// A server for the store of `home`.
fn serve(home: &Home, args: &[&str]) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(home.store()).arg("serve").args(args).stdin(Stdio::null());
    Server::start(command.env_remove("SUDO_UID").env_remove("SUDO_GID"))
}

#[test]
fn every_page_is_there_and_says_what_browsers_may_do_with_it() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let other = home.file("b.jsonl", bundle_of("ffff456789abcdef", 30));
    home.cmd(&["runs", "add"]).arg(other).assert().success();
    let run = format!("/runs/{RUN}");
    for (path, word) in
        [("/", "This machine"), ("/runs", "2 runs."), (run.as_str(), "/assets/report.js")]
    {
        let reply = server.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert!(reply.body.contains(word), "{path} lacks {word}: {}", reply.body);
        let policy = &reply.headers["content-security-policy"];
        assert!(policy.contains("script-src 'self';") && policy.contains("default-src 'none'"));
        assert!(!reply.body.contains("<script>"), "{path} has an inline script");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff");
    }
    for path in [
        "/runs/feed",
        "/nothing",
        "/new",
        "/login",
        "/check",
        "/compare",
        "/assets/",
        "/assets/..%2f..%2fetc%2fpasswd",
        "//",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.get("/runs?search=nothing-like-it").body.matches("/runs/0123").count(), 0);
}

#[test]
fn programs_get_the_documents_of_the_command_line() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let schema = |path: &str| {
        let reply = server.get(path);
        assert_eq!(reply.headers["content-type"], "application/json", "{reply:?}");
        reply.json()["schema"].as_str().unwrap_or_default().to_string()
    };
    assert_eq!(schema("/api/1/now"), "bakeoff/now/1");
    assert_eq!(schema("/api/1/runs"), "bakeoff/runs/1");
    assert_eq!(schema("/api/1/runs/none"), "bakeoff/error/1");
    let shown = home.run(&["show", RUN, "--format", "json"]).1;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(server.get("/api/1/runs/last").json(), shown);
}

/// As the REST sensor reads it: a template over the whole document, and attributes by their keys.
#[test]
fn the_example_for_home_assistant_reads_what_is_there() {
    let page = include_str!("../../../../docs/live.md");
    let example = page.split("- platform: rest").nth(1).unwrap().split("```").next().unwrap();
    let list = example.split("json_attributes: [").nth(1).unwrap().split(']').next().unwrap();
    let template = example.split("value_json.").nth(1).unwrap().split_whitespace().next().unwrap();
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let document = server.get("/api/1/now").json();
    for key in list.split(',').map(str::trim).chain([template]) {
        assert!(document.get(key).is_some_and(|v| !v.is_object() && !v.is_array()), "{key}");
    }
    assert!(example.contains("/api/1/now"), "{example}");
}

#[test]
fn nothing_stored_is_a_page_as_well() {
    let home = Home::new();
    let server = serve(&home, &[]);
    assert!(server.get("/").body.contains("No runs yet"));
    assert!(server.get("/runs").body.contains("No runs are stored yet"));
    assert_eq!(server.get("/api/1/now").status, 404);
    assert!(server.get("/metrics").body.contains("bakeoff_stored_runs 0"));
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let status = |headers: &[(&str, &str)]| server.send("GET", "/api/1/runs", headers).status;
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Sec-Fetch-Site", "cross-site")]), 403);
}

/// The server started, stopped, resumed, labelled and checked; root's obeyed a token that another
/// user had put beside the store, and an ordinary user's anyone with an Origin header.
#[test]
fn nothing_can_be_asked_for_but_to_read() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let own = format!("http://{}", server.address);
    let run = format!("/runs/{RUN}");
    for path in ["/", "/runs", "/new", "/check", "/login", "/api/1/runs", "/api/1/plan", &run] {
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            let reply = server.send(method, path, &[("Origin", &own), ("Content-Length", "0")]);
            assert!(matches!(reply.status, 404 | 405), "{method} {path}: {reply:?}");
        }
    }
    for path in ["/", &run, "/compare", "/runs"] {
        let page = server.get(path).body;
        assert!(!page.contains("method=\"post\""), "{page}");
    }
    assert!(!home.dir.path().join("bakeoff.db.serve-token").exists());
}

/// It printed an address and then answered it with 403.
#[test]
fn every_address_of_its_own_is_answered() {
    let home = Home::with_run();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(home.store()).arg("serve").stdin(Stdio::null());
    let server = Server::start_at("127.0.0.2:0", &mut command);
    assert!(server.address.starts_with("127.0.0.2:"), "{}", server.address);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_browser_that_was_cut_off_gets_what_it_missed() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let mut events = server.events(None);
    assert_eq!(events.next().name, "reset");
    let run = events.until("run");
    assert!(run.data.contains("data-state"), "{run:?}");
    let last = events.until("frame");
    drop(events);
    let mut events = server.events(Some(&last.id));
    let number = |id: &str| id.rsplit_once('-').unwrap().1.parse::<u64>().unwrap();
    let missed: Vec<_> = (0..2).map(|_| events.next()).collect();
    let numbers: Vec<u64> = missed.iter().map(|event| number(&event.id)).collect();
    assert_eq!(numbers, [number(&last.id) + 1, number(&last.id) + 2], "{missed:?}");
    // Another server's id is no number of this one.
    assert_eq!(server.events(Some("00000000-7")).next().name, "reset");
}

#[test]
fn clients_that_are_slow_or_gone_hold_nobody_up() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let mut slow = Vec::new();
    for i in 0..40 {
        let mut stream = server.connect();
        // A third says nothing, a third stops in its header, a third never reads.
        let said: &[u8] = match i % 3 {
            0 => b"",
            1 => b"GET / HTTP/1.1\r\nHost: local",
            _ => b"GET /api/1/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
        };
        stream.write_all(said).unwrap();
        slow.push(stream);
    }
    for _ in 0..5 {
        drop(server.events(None));
        assert_eq!(server.get("/runs").status, 200);
    }
    drop(slow);
    assert_eq!(server.get("/api/1/now").status, 200);
}

/// 97 event streams from one address shut every other one out.
#[test]
fn one_address_opens_so_many_streams_and_others_read_on() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let mut streams: Vec<_> = (0..32).map(|_| server.events(None)).collect();
    streams.iter_mut().for_each(|stream| assert_eq!(stream.next().name, "reset"));
    let refused = server.get("/api/1/events");
    assert_eq!((refused.status, refused.json()["schema"].as_str()), (503, Some("bakeoff/error/1")));
    assert_eq!(server.get("/runs").status, 200, "pages are no streams");
    drop(streams.pop());
    until("a place for another stream", || {
        let mut stream = server.connect();
        let text = format!("GET /api/1/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        stream.write_all(text.as_bytes()).unwrap();
        let mut begun = [0; 12];
        stream.read_exact(&mut begun).unwrap();
        &begun == b"HTTP/1.1 200"
    });
}

#[test]
fn requests_have_limits_of_size_and_time() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    // As many as one address may connect, none of which ever says a whole request.
    let mut open: Vec<_> = (0..64).map(|_| server.connect()).collect();
    open.iter_mut().for_each(|stream| stream.write_all(b"GET /runs HTT").unwrap());
    let mut said = String::new();
    open[0].read_to_string(&mut said).unwrap();
    assert_eq!(said, "", "a header that never ends has no answer");
    until("a place", || server.get_or_none("/runs").is_some_and(|reply| reply.status == 200));
    let long = "x".repeat(400 << 10);
    for (path, header) in [("/", long.as_str()), (&format!("/{long}"), "x")] {
        let text = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nX-A: {header}\r\n\r\n");
        let (mut stream, mut said) = (server.connect(), Vec::new());
        // It may answer, and be gone, before it was told everything.
        let _ = stream.write_all(text.as_bytes());
        let _ = stream.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        let status = said.split(' ').nth(1);
        assert!(matches!(status, None | Some("414" | "431")), "{said}");
    }
    assert_eq!(server.get("/runs").status, 200, "and it goes on");
}

#[test]
fn ten_thousand_runs_are_listed_and_searched_by_indices() {
    let home = Home::with_run();
    let mut raw = rusqlite::Connection::open(home.store()).unwrap();
    let header: String =
        raw.query_row("SELECT json FROM events WHERE seq = 0", [], |row| row.get(0)).unwrap();
    let change = raw.transaction().unwrap();
    for n in 2..=10_000_i64 {
        let id = format!("{n:016x}");
        let title = format!("quick: /mnt/{n}");
        let run = "INSERT INTO runs (id, created_unix_ns, verb, title, is_imported)
                   VALUES (?1, ?2, 'quick', ?3, 1)";
        change.execute(run, rusqlite::params![id, n, title]).unwrap();
        let json = header.replace(RUN, &id);
        let event = "INSERT INTO events (run, seq, kind, json) VALUES (?1, 0, 'started', ?2)";
        change.execute(event, rusqlite::params![n, json]).unwrap();
        let digest =
            "INSERT INTO digests (run, events, version, blocks, verdict, is_stopped, cells)
                      VALUES (?1, 1, ?2, 3, 'ext4 wins', 1, 9)";
        change.execute(digest, rusqlite::params![n, env!("CARGO_PKG_VERSION")]).unwrap();
        let fact = "INSERT INTO facts (run, kind, text) VALUES (?1, 'drive', ?2)";
        change.execute(fact, rusqlite::params![n, format!("Disk {}", n % 100)]).unwrap();
    }
    change.commit().unwrap();
    let server = serve(&home, &[]);
    let began = Instant::now();
    let listed = server.get("/runs");
    eprintln!("10,000 runs: the list took {:?}", began.elapsed());
    assert!(listed.body.contains("10000 runs."), "{}", listed.body);
    assert_eq!(listed.body.matches("<th scope=\"row\">").count(), 50);
    assert!(server.get("/runs?page=199").body.contains(&format!("/runs/{RUN}")));
    let found = server.get(&format!("/api/1/runs?search={RUN}")).json();
    assert_eq!(found["runs"].as_array().unwrap().len(), 1);
    for (query, of) in [
        ("drive=disk+77", "100 of 10000"),
        ("search=/mnt/99", "111 of 10000"),
        ("search=quick:+/mnt/9999", "1 of 10000"),
        ("drive=disk+77&search=/mnt/77", "3 of 10000"),
        ("until=1970-01-01", "9999 of 10000"),
        ("since=1970-01-02", "1 of 10000"),
        ("host=no-such-machine", "0 of 10000"),
    ] {
        let began = Instant::now();
        let page = server.get(&format!("/runs?{query}")).body;
        eprintln!("10,000 runs: {query} took {:?}", began.elapsed());
        assert!(page.contains(&format!("{of} runs.")), "{query}: {page}");
    }
    // What a page asks the store for each run never looks at all events.
    let plan: String = raw
        .query_row(
            "EXPLAIN QUERY PLAN SELECT coalesce(max(seq) + 1, 0) FROM events WHERE run = 7",
            [],
            |row| row.get(3),
        )
        .unwrap();
    assert!(plan.starts_with("SEARCH events USING"), "{plan}");
}

#[test]
fn prometheus_scrapes_what_promtool_finds_clean() {
    if skip::lacks_command("promtool") || skip::lacks_command("prometheus") {
        return;
    }
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains("bakeoff_verdict{"), "{metrics}");
    let file = home.file("metrics", &metrics);
    let checked = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(std::fs::File::open(file).unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success() && said.is_empty(), "{said}{metrics}");
    let config = format!(
        "scrape_configs:\n- job_name: bakeoff\n  scrape_interval: 1s\n  static_configs:\n  \
         - targets: ['{}']\n",
        server.address
    );
    let config = home.file("prometheus.yml", config);
    // At an address of this process alone: what is free there stays so until it is used.
    let [_, a, b, c] = std::process::id().to_be_bytes();
    let own = std::net::Ipv4Addr::new(127, 64 | a, b, c);
    let free = std::net::TcpListener::bind((own, 0)).unwrap().local_addr().unwrap();
    let mut prometheus = Command::new("prometheus");
    prometheus
        .arg(format!("--config.file={}", config.display()))
        .arg(format!("--storage.tsdb.path={}", home.dir.path().join("tsdb").display()))
        .arg(format!("--web.listen-address={free}"));
    let running = crate::running::Running::start(&mut prometheus);
    let there = Server { process: running, address: free.to_string() };
    until("a scrape", || {
        if std::net::TcpStream::connect(free).is_err() {
            return false;
        }
        let reply = there.get("/api/v1/query?query=bakeoff_stored_runs");
        reply.status == 200 && reply.json()["data"]["result"][0]["value"][1] == "1"
    });
}
