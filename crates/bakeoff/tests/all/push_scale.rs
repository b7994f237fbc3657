//! Figures for docs/fleet.md: many boards pushing at once while clients and server are killed, and
//! lists and searches over many stored runs. Run with
//! `cargo test --release -p bakeoff --test all push_scale -- --ignored --nocapture`.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bakeoff_core::bundle::{Head, encode};
use bakeoff_core::prng::SplitMix64;

use crate::postgres::{Cluster, Database, PASSWORD, measured_here, programs, read};
use crate::stored::{Home, RUN, bundle_text};

/// Boards that push at the same time.
const AT_ONCE: usize = 8;
const TIMES: usize = 5;

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A board with so many runs, imported at once.
fn board(board: usize, runs: usize) -> Home {
    let home = Home::new();
    let mut import = home.cmd(&["import", "--quiet"]);
    for run in 0..runs {
        let id = format!("{:016x}", SplitMix64::new((board * 1000 + run) as u64 + 1).next_u64());
        let name = format!("\"hostname\":\"pi\",\"board_id\":\"{board:032x}\"");
        let text = bundle_text().replace(RUN, &id).replace("\"hostname\":\"pi\"", &name);
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut head: Head = serde_json::from_str(&lines[0]).unwrap();
        head.label = Some("scale".to_string());
        let sealed = encode(&head, &lines[1..lines.len() - 1]).unwrap();
        import.arg(home.file(&format!("{run}.jsonl"), sealed));
    }
    import.assert().success();
    measured_here(&home);
    home
}

fn push(home: &Home, address: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("bakeoff"));
    command.args(["--store", address, "push", "--from"]).arg(home.store());
    command.env("PGPASSWORD", PASSWORD).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Every board pushes until it succeeds. Some are killed, as long as `trouble` says so.
fn push_all(boards: &[Home], addresses: &[String], trouble: &AtomicBool) -> (Duration, usize) {
    let (next, killed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..AT_ONCE {
            let (next, killed) = (&next, &killed);
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread as u64);
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst);
                    let Some(home) = boards.get(at) else { return };
                    loop {
                        let mut child = push(home, &addresses[at]).spawn().unwrap();
                        if trouble.load(Ordering::SeqCst) && random.next_u64().is_multiple_of(2) {
                            std::thread::sleep(Duration::from_millis(random.next_u64() % 400));
                            let _ = child.kill();
                            killed.fetch_add(1, Ordering::SeqCst);
                        }
                        if child.wait().unwrap().success() {
                            break;
                        }
                    }
                }
            });
        }
    });
    (began.elapsed(), killed.load(Ordering::SeqCst))
}

#[test]
#[ignore = "not a test: it measures for minutes what docs/fleet.md states"]
fn boards_push_while_clients_and_server_are_killed() {
    let Some(programs) = programs() else { return };
    let (boards, runs) = (number("BOARDS", 100), number("RUNS", 20));
    let settings = ["fsync = on", "max_connections = 50"];
    let cluster = Arc::new(Cluster::start(programs, &settings));
    let homes: Vec<Home> = (0..boards).map(|at| board(at, runs)).collect();
    for (name, is_troubled) in [("calm", false), ("rough", true)] {
        let db = cluster.database(name);
        let roles: Vec<String> =
            (0..boards).map(|at| db.role(&format!("b{at}"), "bakeoff_writer")).collect();
        let addresses: Vec<String> = roles.iter().map(|role| db.address(role)).collect();
        let trouble = AtomicBool::new(is_troubled);
        let restarts = AtomicUsize::new(0);
        let (took, killed) = std::thread::scope(|scope| {
            if is_troubled {
                scope.spawn(|| {
                    for _ in 0..5 {
                        std::thread::sleep(Duration::from_secs(3));
                        cluster.stop();
                        std::thread::sleep(Duration::from_millis(500));
                        cluster.run();
                        restarts.fetch_add(1, Ordering::SeqCst);
                    }
                    trouble.store(false, Ordering::SeqCst);
                });
            }
            push_all(&homes, &addresses, &trouble)
        });
        let stored: usize = db.sql("SELECT count(*) FROM bakeoff.runs").parse().unwrap();
        let whole = "SELECT count(*) FROM bakeoff.runs r WHERE (SELECT count(*) FROM bakeoff.parts \
                     p WHERE p.run = r.number) = 1";
        assert_eq!((stored, db.sql(whole).parse().unwrap()), (boards * runs, stored));
        let bytes: f64 = db
            .sql(
                "SELECT (pg_total_relation_size('bakeoff.runs') \
                  + pg_total_relation_size('bakeoff.parts') \
                  + pg_total_relation_size('bakeoff.facts'))::float / (SELECT count(*) FROM \
                  bakeoff.runs)",
            )
            .parse()
            .unwrap();
        let rate = stored as f64 / took.as_secs_f64();
        println!(
            "{name}: {boards} boards, {stored} runs in {:.1} s: {rate:.0} runs/s, {bytes:.0} bytes \
             a run on the server; {killed} clients killed, {} restarts",
            took.as_secs_f64(),
            restarts.load(Ordering::SeqCst)
        );
        let reader = db.address(&db.role("ada", "bakeoff_reader"));
        let home = Home::new();
        time(&home, &reader, "fleet list", &["fleet", "list", "--format", "json"]);
        for count in [25, 50, 100].iter().filter(|count| **count <= boards) {
            let sql = format!(
                "SELECT DISTINCT ON (owner) id FROM bakeoff.runs ORDER BY owner LIMIT {count}"
            );
            let ids = db.sql(&sql);
            let args: Vec<&str> =
                ["fleet", "report", "--format", "json"].into_iter().chain(ids.lines()).collect();
            time(&home, &reader, &format!("fleet report, {count} boards"), &args);
        }
    }
}

#[test]
#[ignore = "not a test: it measures for minutes what docs/fleet.md states"]
fn lists_and_searches_of_a_hundred_thousand_runs() {
    let Some(programs) = programs() else { return };
    let cluster = Arc::new(Cluster::start(programs, &["shared_buffers = 256MB"]));
    let db = cluster.database("large");
    let count = number("STORED", 100_000);
    fill(&db, count);
    let reader_role = db.role("ada", "bakeoff_reader");
    let reader = db.address(&reader_role);
    let home = Home::new();
    println!("{}", db.sql("SELECT count(*), sum(cells) FROM bakeoff.runs"));
    for (what, args) in [
        ("all", &[][..]),
        ("drive (0.1 %)", &["--drive", "serial-77 "]),
        ("host (0.1 %)", &["--host", "pi-77 "]),
        ("plan (all)", &["--plan", "card"]),
        ("label (1 %)", &["--label", "batch-7 "]),
        ("the last day (1 %)", &["--since", "2026-11-23"]),
    ] {
        let all = [&["runs", "--format", "json"], args].concat();
        time(&home, &reader, what, &all);
    }
    time(&home, &reader, "fleet list", &["fleet", "list", "--format", "json"]);
    for sql in [
        "SELECT r.id, r.created_unix_ns, r.verb, r.title, r.label, r.events, r.blocks, r.cells, \
         r.verdict FROM bakeoff.runs r ORDER BY r.number DESC LIMIT 50",
        "SELECT count(*) FROM bakeoff.runs r WHERE r.number IN (SELECT f.run FROM bakeoff.facts f \
         WHERE f.kind = 'drive' AND position('serial-77 ' IN lower(f.text)) > 0)",
        "SELECT count(*) FROM bakeoff.runs r WHERE position('batch-7 ' IN lower(r.label)) > 0",
    ] {
        let plan = cluster.psql_as(&reader_role, "large", &format!("EXPLAIN ANALYZE {sql}")).1;
        println!("{sql}\n  {}", plan.lines().last().unwrap_or_default());
    }
}

/// Rows as pushes would have made them, but for the parts.
fn fill(db: &Database, count: usize) {
    let text = bundle_text();
    let header = text.lines().nth(1).unwrap().replace('\'', "''");
    db.sql(&format!(
        "INSERT INTO bakeoff.runs (id, created_unix_ns, verb, title, label, version, header, events, \
         sha256, blocks, cells, verdict) \
         SELECT lpad(to_hex(n), 16, '0'), 1795478400000000000 - n * 86400000000000 / 1000, 'run', \
         'Which filesystem for this card?', 'batch-' || n % 100 || ' cards', '0.1.0', \
         replace('{header}', '{RUN}', lpad(to_hex(n), 16, '0')), 79, repeat('0', 64), 5, 50, \
         'f2fs wins' FROM generate_series(1, {count}) n; \
         INSERT INTO bakeoff.facts (run, kind, text) SELECT number, 'drive', \
         'SD SC32G serial-' || number % 1000 || ' 31.9 GB' FROM bakeoff.runs; \
         INSERT INTO bakeoff.facts (run, kind, text) SELECT number, 'host', \
         'pi-' || number % 1000 || ' Raspberry Pi 4 Model B' FROM bakeoff.runs; \
         INSERT INTO bakeoff.facts (run, kind, text) SELECT number, 'plan', 'sd-card' \
         FROM bakeoff.runs; VACUUM ANALYZE bakeoff.runs; VACUUM ANALYZE bakeoff.facts"
    ));
}

/// Prints the median time of a command, from its start to its end.
fn time(home: &Home, address: &str, what: &str, args: &[&str]) {
    let mut all = Vec::new();
    let mut bytes = 0;
    for _ in 0..TIMES {
        let began = Instant::now();
        let (code, out, err) = read(home, address, args);
        all.push(began.elapsed());
        bytes = out.len();
        assert!(code <= 1, "{what}: exit {code}: {err}");
    }
    all.sort();
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    println!(
        "{what}: {:.0} ms ({:.0} to {:.0}), {bytes} bytes",
        ms(all[TIMES / 2]),
        ms(all[0]),
        ms(all[TIMES - 1])
    );
}
