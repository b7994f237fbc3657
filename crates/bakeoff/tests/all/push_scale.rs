//! Figures for docs/fleet.md: many boards pushing at once while clients and server are killed, and
//! lists and searches over many stored runs. Run with
//! `cargo test --release -p bakeoff --test all push_scale -- --ignored --nocapture`.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bakeoff_report::bundle::{Head, encode};
use bakeoff_stats::prng::SplitMix64;

use crate::postgres::{Cluster, Database, PASSWORD, measured_here, programs, read};
use crate::stored::{Home, RUN, bundle_text};

/// Boards that push at the same time.
const AT_ONCE: usize = 8;
const TIMES: usize = 5;

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The ID of a run of a board.
fn id(board: usize, run: usize) -> String {
    format!("{:016x}", SplitMix64::new((board * 1000 + run) as u64 + 1).next_u64())
}

/// A store with so many runs of board 0, imported at once.
fn template(runs: usize) -> Home {
    let home = Home::new();
    let mut import = home.cmd(&["import", "--quiet"]);
    for run in 0..runs {
        let name = format!("\"hostname\":\"pi\",\"board_id\":\"{:032x}\"", 0);
        let text = bundle_text().replace(RUN, &id(0, run)).replace("\"hostname\":\"pi\"", &name);
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut head: Head = serde_json::from_str(&lines[0]).unwrap();
        head.label = Some("scale".to_string());
        let sealed = encode(&head, &lines[1..lines.len() - 1]).unwrap();
        import.arg(home.file(&format!("{run}.jsonl"), sealed));
    }
    import.assert().success();
    measured_here(&home);
    let store = rusqlite::Connection::open(home.store()).unwrap();
    let to_file = "PRAGMA wal_checkpoint(TRUNCATE)";
    store.query_row(to_file, [], |_| Ok(())).unwrap();
    home
}

/// The same store of another board: with its ID, and runs of other IDs.
fn board(template: &Home, board: usize, runs: usize) -> Home {
    let home = Home::new();
    std::fs::copy(template.store(), home.store()).unwrap();
    let mut store = rusqlite::Connection::open(home.store()).unwrap();
    let all = store.transaction().unwrap();
    for run in 0..runs {
        let (old, new) = (id(0, run), id(board, run));
        let (old_board, new_board) = (format!("{:032x}", 0), format!("{board:032x}"));
        let sql = "UPDATE events SET json = replace(replace(json, ?1, ?2), ?3, ?4) WHERE run = \
                   (SELECT number FROM runs WHERE id = ?1)";
        all.execute(sql, [&old, &new, &old_board, &new_board]).unwrap();
        all.execute("UPDATE runs SET id = ?2 WHERE id = ?1", [&old, &new]).unwrap();
    }
    all.commit().unwrap();
    home
}

fn push(home: &Home, address: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("bakeoff"));
    command.args(["--store", address, "fleet", "push", "--all", "--from"]).arg(home.store());
    command.env("PGPASSWORD", PASSWORD).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Every board pushes until it succeeds. Of the troubled, every other push is killed within so many
/// milliseconds.
fn push_all(boards: &[Home], addresses: &[String], trouble_ms: Option<u64>) -> (Duration, usize) {
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
                        let trouble_ms = trouble_ms.filter(|_| random.next_u64().is_multiple_of(2));
                        if let Some(most) = trouble_ms {
                            std::thread::sleep(Duration::from_millis(random.next_u64() % most));
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

/// Boards whose stores are there at the same time: their disk space is needed once.
const BATCH: usize = 100;

/// All boards push; killed and restarted meanwhile, if that is wanted. Time and clients killed.
fn push_in_batches(
    cluster: &Cluster,
    db: &Database,
    (boards, runs): (usize, usize),
    trouble_ms: Option<u64>,
) -> (Duration, usize, usize) {
    let template = template(runs);
    let (mut took, mut killed) = (Duration::ZERO, 0);
    let restarts = AtomicUsize::new(0);
    for first in (0..boards).step_by(BATCH) {
        let all = first..boards.min(first + BATCH);
        let homes: Vec<Home> = all.clone().map(|at| board(&template, at + 1, runs)).collect();
        let role = |at| db.address(&db.role(&format!("b{at}"), "bakeoff_writer"));
        let addresses: Vec<String> = all.map(role).collect();
        let is_over = AtomicBool::new(false);
        let (time, count) = std::thread::scope(|scope| {
            if trouble_ms.is_some() {
                scope.spawn(|| kill_and_restart(cluster, &is_over, &restarts));
            }
            let done = push_all(&homes, &addresses, trouble_ms);
            is_over.store(true, Ordering::SeqCst);
            done
        });
        took += time;
        killed += count;
        println!("  {} boards after {:.0} s", first + homes.len(), took.as_secs_f64());
    }
    (took, killed, restarts.load(Ordering::SeqCst))
}

/// Kills the server every four seconds, and starts it again.
fn kill_and_restart(cluster: &Cluster, is_over: &AtomicBool, restarts: &AtomicUsize) {
    let mut left_ms = 3_000;
    while !is_over.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(100));
        left_ms -= 100;
        if left_ms <= 0 {
            cluster.stop();
            std::thread::sleep(Duration::from_millis(500));
            cluster.run();
            restarts.fetch_add(1, Ordering::SeqCst);
            left_ms = 3_500;
        }
    }
}

#[test]
#[ignore = "not a test: it measures for minutes what docs/fleet.md states"]
fn boards_push_while_clients_and_server_are_killed() {
    let Some(programs) = programs() else { return };
    let (boards, runs) = (number("BOARDS", 100), number("RUNS", 20));
    let settings = ["fsync = on", "max_connections = 50", "autovacuum = on"];
    let cluster = Arc::new(Cluster::start(programs, &settings));
    let trouble_ms = 400.max(runs as u64 * 40);
    let modes = [("calm", None), ("rough", Some(trouble_ms))];
    for (name, trouble_ms) in modes.into_iter().skip(number("SKIP", 0)) {
        let db = cluster.database(name);
        let (took, killed, restarts) = push_in_batches(&cluster, &db, (boards, runs), trouble_ms);
        let stored: usize = db.sql("SELECT count(*) FROM bakeoff.runs").parse().unwrap();
        let whole = "SELECT count(*) FROM bakeoff.runs r WHERE is_stopped AND (SELECT count(*) \
                     FROM bakeoff.parts p WHERE p.run = r.number) = 1";
        assert_eq!((stored, db.sql(whole).parse().unwrap()), (boards * runs, stored));
        let size = |table: &str| -> f64 {
            let of = format!("SELECT pg_total_relation_size('bakeoff.{table}')");
            db.sql(&of).parse::<f64>().unwrap() / stored as f64
        };
        let (of_runs, of_parts, of_facts) = (size("runs"), size("parts"), size("facts"));
        println!(
            "{name}: {boards} boards, {stored} runs in {:.1} s: {:.0} runs/s; bytes a run on the \
             server: {:.0} (runs {of_runs:.0}, parts {of_parts:.0}, facts {of_facts:.0}); \
             {killed} clients killed, {restarts} restarts",
            took.as_secs_f64(),
            stored as f64 / took.as_secs_f64(),
            of_runs + of_parts + of_facts,
        );
        let reader = db.address(&db.role("ada", "bakeoff_reader"));
        are_as_they_were(&reader, (boards, runs));
        report(&db, &reader, boards);
    }
}

/// Some of the runs come back byte for byte.
fn are_as_they_were(reader: &str, (boards, runs): (usize, usize)) {
    let home = Home::new();
    let mut random = SplitMix64::new(1);
    for _ in 0..20 {
        let board = random.next_u64() as usize % boards + 1;
        let run = id(board, random.next_u64() as usize % runs);
        let name = format!("\"hostname\":\"pi\",\"board_id\":\"{board:032x}\"");
        let text = bundle_text().replace(RUN, &run).replace("\"hostname\":\"pi\"", &name);
        let lines: Vec<&str> = text.lines().collect();
        let export = ["show", &run, "--format", "jsonl", "--no-redact"];
        let (code, out, err) = read(&home, reader, &export);
        assert_eq!(code, 0, "{err}");
        assert_eq!(out.lines().collect::<Vec<_>>(), lines[1..lines.len() - 1], "{run}");
    }
}

/// Times the commands about all boards.
fn report(db: &Database, reader: &str, boards: usize) {
    let home = Home::new();
    time(&home, reader, "fleet list", &["fleet", "list", "--format", "json"]);
    time(&home, reader, "runs", &["runs"]);
    for count in [25, 50, 100, 250, 500, 1000].iter().filter(|count| **count <= boards) {
        let sql =
            format!("SELECT DISTINCT ON (owner) id FROM bakeoff.runs ORDER BY owner LIMIT {count}");
        let ids = db.sql(&sql);
        let args: Vec<&str> =
            ["fleet", "report", "--format", "json"].into_iter().chain(ids.lines()).collect();
        time(&home, reader, &format!("fleet report, {count} boards"), &args);
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
    // The history of a drive is read from its runs, so that these are whole.
    let drives = template(100);
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    assert!(push(&drives, &writer).status().unwrap().success());
    println!("{}", db.sql("SELECT count(*), sum(cells) FROM bakeoff.runs"));
    for (what, args) in [
        ("text", &["runs"][..]),
        ("100 as JSON", &["runs", "--format", "json", "--limit", "100"]),
        ("text of a label", &["runs", "--label", "batch-7 "]),
        ("trend of 100 runs", &["runs", "trend", "4C5300"]),
        ("show by the start of an ID", &["show", &id(0, 7)[..12]]),
        ("a board's own runs", &["runs"]),
    ] {
        let who = if what.starts_with("a board") { &writer } else { &reader };
        time(&home, who, what, args);
    }
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
         sha256, blocks, cells, verdict, hostname, board_id, model, cpu, cpus, arch, kernel) \
         SELECT lpad(to_hex(n), 16, '0'), 1795478400000000000 - n * 86400000000000 / 1000, 'run', \
         'Which filesystem for this card?', 'batch-' || n % 100 || ' cards', '0.1.0', \
         replace('{header}', '{RUN}', lpad(to_hex(n), 16, '0')), 79, repeat('0', 64), 5, 50, \
         'f2fs wins', 'pi-' || n % 1000, lpad(to_hex(n % 1000), 16, '0'), 'Raspberry Pi 4 Model B', \
         'Cortex-A72', 4, 'aarch64', '6.12.' || n % 3 FROM generate_series(1, {count}) n; \
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
