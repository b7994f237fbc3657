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
    home.cmd(&["import"]).arg(other).assert().success();
    let run = format!("/runs/{RUN}");
    let compare = format!("/compare?run={RUN}&run=ffff");
    for (path, word) in [
        ("/", "This machine"),
        ("/runs", "2 runs."),
        (run.as_str(), "/assets/report.js"),
        (compare.as_str(), "<h2>Runs</h2>"),
        ("/new", "Compare directories"),
        ("/trend?drive=4C5300", "over time"),
        ("/login", "Enter the token"),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert!(reply.body.contains(word), "{path} lacks {word}: {}", reply.body);
        let policy = &reply.headers["content-security-policy"];
        assert!(policy.contains("script-src 'self';") && policy.contains("default-src 'none'"));
        assert!(!reply.body.contains("<script>"), "{path} has an inline script");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff");
    }
    for path in ["/runs/feed", "/nothing", "/assets/", "/assets/..%2f..%2fetc%2fpasswd", "//"] {
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
    assert_eq!(schema("/api/1/devices"), "bakeoff/devices/1");
    assert_eq!(schema("/api/1/homeassistant"), "bakeoff/homeassistant/1");
    assert_eq!(schema("/api/1/runs/none"), "bakeoff/error/1");
    let shown = home.run(&["show", RUN, "--format", "json"]).1;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(server.get("/api/1/runs/last").json(), shown);
    let openapi = server.get("/api/1/openapi.json").json();
    let described: Vec<&String> = openapi["paths"].as_object().unwrap().keys().collect();
    for path in described.into_iter().filter(|path| openapi["paths"][*path]["get"].is_object()) {
        let filled =
            path.replace("{run}", RUN) + if path.ends_with("compare") { "?run=1" } else { "" };
        if !path.ends_with("/events") {
            assert_ne!(server.get(&filled).status, 404, "{path} is described and not there");
        }
    }
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
    let document = server.get("/api/1/homeassistant").json();
    for key in list.split(',').map(str::trim).chain([template]) {
        assert!(document.get(key).is_some_and(|v| !v.is_object() && !v.is_array()), "{key}");
    }
    let address = "/api/1/homeassistant";
    assert!(example.contains(address) && example.contains("Authorization: Bearer"), "{example}");
}

#[test]
fn the_history_of_a_drive_is_that_of_the_command_line() {
    let home = Home::with_run();
    let other = home.file("b.jsonl", bundle_of("ffff456789abcdef", usize::MAX));
    home.cmd(&["import"]).arg(other).assert().success();
    let server = serve(&home, &[]);
    let shown = home.run(&["trend", "4C5300", "--format", "json"]).1;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(server.get("/api/1/trend?drive=4C5300").json(), shown);
    let listed = server.get("/runs?drive=4c53").body;
    assert!(listed.contains("2 runs.") && listed.contains("href=\"/trend?drive="), "{listed}");
    let page = server.get("/trend?drive=4C5300");
    let series = shown["series"].as_array().unwrap().len();
    assert_eq!((page.status, page.body.matches("<polyline").count()), (200, series));
    assert!(page.body.contains(&format!("/runs/{RUN}")) && !page.body.contains("style="));
    let status = |drive: &str| server.get(&format!("/trend?drive={drive}")).status;
    assert_eq!((status(""), status("nothing-like-it"), status("/dev/sda")), (400, 400, 400));
    assert_eq!(status("--format"), 400, "no option comes from a request");
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
    let status = |method: &str, headers: &[(&str, &str)]| {
        server.send(method, "/api/1/runs", headers, "").status
    };
    assert_eq!(status("GET", &[("Host", "evil.example")]), 403);
    assert_eq!(status("GET", &[("Origin", "http://evil.example")]), 403);
    assert_eq!(status("POST", &[]), 403);
    assert_eq!(status("POST", &[("Origin", "http://evil.example")]), 403);
    let stop = format!("/api/1/runs/{RUN}/stop");
    assert_eq!(server.post(&stop, "").status, 400, "it is not measured");
    let long = format!("place={}", "x".repeat(100_000));
    assert_eq!(server.post("/api/1/runs", &long).status, 413);
}

#[test]
fn only_offered_places_and_known_plans_are_started() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let post = |body: &str| {
        let reply = server.post("/api/1/runs", body);
        (reply.status, reply.body)
    };
    for body in [
        "place=/etc/../etc",
        "place=--report%3D/tmp/x",
        "place=",
        "time=3m",
        "plan=/etc/passwd&target=/dev/sda",
        "plan=nas&target=/etc/passwd",
        "plan=nas&target=--erase%3DX",
        "place=/&time=1m;reboot",
    ] {
        assert_eq!(post(body).0, 400, "{body}");
    }
    assert_eq!(home.run(&["runs", "--format", "json"]).1.matches("\"run\":").count(), 1);
}

#[test]
fn root_acts_only_with_the_token() {
    if skip::lacks_root() {
        return;
    }
    let home = Home::with_run();
    let server = serve(&home, &[]);
    let token = server.token.clone().unwrap();
    let origin = format!("http://{}", server.address);
    let stop = format!("/api/1/runs/{RUN}/stop");
    assert_eq!(server.send("POST", &stop, &[("Origin", &origin)], "").status, 403);
    let wrong = format!("token={}", "0".repeat(32));
    let reply = server.send("POST", "/login", &[("Origin", &origin)], &wrong);
    assert!(reply.status == 200 && reply.body.contains("does not match"), "{reply:?}");
    let reply = server.send("POST", "/login", &[("Origin", &origin)], &format!("token={token}"));
    let cookie = reply.headers["set-cookie"].clone();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let headers = [("Origin", origin.as_str()), ("Cookie", pair)];
    assert_eq!(server.send("POST", &stop, &headers, "").status, 400, "let in; it is not measured");
    drop(server);
    // The next server knows the token and does not tell it again.
    let server = serve(&home, &[]);
    assert_eq!(server.token, None);
    let bearer = format!("Bearer {token}");
    let headers = [("Origin", "http://x"), ("Authorization", bearer.as_str())];
    assert_eq!(server.send("POST", &stop, &headers, "").status, 403, "another site with a token");
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

#[test]
fn requests_have_limits_of_size_and_time() {
    let home = Home::with_run();
    let server = serve(&home, &[]);
    // As many as may be connected, none of which ever says a whole request.
    let started = "POST /api/1/runs HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\
                   Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\npla";
    let mut open: Vec<_> = (0..96).map(|_| server.connect()).collect();
    for (i, stream) in open.iter_mut().enumerate() {
        stream.write_all(if i % 2 == 0 { started.as_bytes() } else { b"GET /runs HTT" }).unwrap();
    }
    assert_eq!(server.get("/runs").status, 200, "once the others are given up");
    let mut said = String::new();
    open[0].read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 408") && said.contains("bakeoff/error/1"), "{said}");
    said.clear();
    open[1].read_to_string(&mut said).unwrap();
    assert_eq!(said, "", "a header that never ends has no answer");
    let long = "x".repeat(40 << 10);
    assert_eq!(server.post("/new", &format!("place={long}")).status, 413);
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
    assert_eq!(listed.body.matches("type=\"checkbox\"").count(), 50);
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
    let there = Server { process: running, address: free.to_string(), token: None };
    until("a scrape", || {
        if std::net::TcpStream::connect(free).is_err() {
            return false;
        }
        let reply = there.get("/api/v1/query?query=bakeoff_stored_runs");
        reply.status == 200 && reply.json()["data"]["result"][0]["value"][1] == "1"
    });
}
