//! `--push`: a run that is sent to a real PostgreSQL between its blocks, while the server goes away
//! or the run is killed. The store of the machine is the truth, and in the end the server has the
//! same.

use std::process::Command;
use std::sync::Arc;

use rustix::process::Signal;

use crate::postgres::{Cluster, Database, PASSWORD, push, read};
use crate::running::{Running, until_so};
use crate::stored::Home;

/// bakeoff on the store of `home`, with the password of the tests.
fn bakeoff(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("bakeoff"));
    command.current_dir(home.dir.path()).arg("--store").arg(home.store()).args(args);
    for name in ["SUDO_UID", "SUDO_GID", "PGPASSFILE", "PGUSER", "PGHOST", "PGSSLMODE"] {
        command.env_remove(name);
    }
    command.env("PGPASSWORD", PASSWORD).env("HOME", home.dir.path());
    command
}

/// Blocks of some seconds on two directories, and where they are sent. With one workload the run
/// could end between a look at the server and the signal that follows.
fn quick(home: &Home, to: &str) -> Command {
    for dir in ["a", "b"] {
        std::fs::create_dir_all(home.dir.path().join(dir)).unwrap();
    }
    let words = ["quick", "a", "b", "--size", "16m", "--time", "5m", "--push", to];
    let workloads = ["randread", "randwrite", "smallfiles"];
    let workloads: Vec<&str> = workloads.into_iter().flat_map(|w| ["--workload", w]).collect();
    bakeoff(home, &[&words[..], &workloads].concat())
}

/// The one row of the server: blocks, and whether the run has ended.
fn row(db: &Database) -> Option<(u32, bool)> {
    let (ok, said) = db.cluster.psql(&db.name, "SELECT blocks, is_stopped FROM bakeoff.runs");
    let (blocks, is_stopped) = said.split_once('|').filter(|_| ok)?;
    Some((blocks.parse().ok()?, is_stopped == "t"))
}

/// Waits until the server has so many blocks of the run, and more are being measured.
fn until_blocks(running: &mut Running, db: &Database, wanted: u32) {
    running.until("blocks on the server", |_| {
        row(db).filter(|(blocks, is_stopped)| *blocks >= wanted && !is_stopped)
    });
}

/// Waits until the server has so many blocks of the run, which may be its last ones.
fn until_blocks_or_end(running: &mut Running, db: &Database, wanted: u32) {
    let has_them = || row(db).is_some_and(|(blocks, _)| blocks >= wanted);
    until_so("blocks on the server", || has_them() || !running.is_running());
    assert!(has_them(), "ended without: {}", running.err());
}

/// Ends the run as Ctrl-C does, unless it has ended.
fn interrupted(mut running: Running) -> crate::bench::Ended {
    if running.is_running() {
        running.signal(Signal::INT);
    }
    let ended = running.end();
    assert!([0, 1, 130].contains(&ended.code), "{ended:?}");
    ended
}

/// The server has the one run, once, ended, and byte for byte that of this machine.
fn is_whole(db: &Database, home: &Home, reader: &str) {
    assert_eq!(db.sql("SELECT count(*), bool_and(is_stopped) FROM bakeoff.runs"), "1|t");
    let export = ["show", "last", "--format", "jsonl", "--no-redact"];
    let (here, there) = (home.run(&export), read(home, reader, &export));
    assert_eq!((here.0, &here.1), (there.0, &there.1));
    let (code, out, err) = read(home, reader, &["runs", "--format", "json"]);
    assert!(code == 0 && out.contains("\"stopped\""), "{out}{err}");
}

/// How many runs the store here knows to be on a server, whole.
fn receipts(home: &Home) -> u32 {
    let store = rusqlite::Connection::open(home.store()).unwrap();
    store.query_row("SELECT count(*) FROM pushed", [], |row| row.get(0)).unwrap()
}

/// When the server received something, and between which times blocks were measured.
fn was_received_between_blocks(db: &Database, home: &Home) {
    let times = db.sql("SELECT (extract(epoch FROM at) * 1e9)::bigint FROM public.received");
    let times: Vec<i64> = times.lines().map(|line| line.parse().unwrap()).collect();
    let (_, lines, _) = home.run(&["show", "last", "--format", "jsonl", "--no-redact"]);
    let (mut began, mut blocks) = (0, 0);
    for line in lines.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let unix_ns = event["unix_ns"].as_i64().unwrap();
        if event["what"].get("block_started").is_some() {
            began = unix_ns;
        } else if event["what"].get("block_done").is_some() {
            blocks += 1;
            let inside = times.iter().find(|time| (began..=unix_ns).contains(*time));
            assert_eq!(inside, None, "received between {began} and {unix_ns}");
        }
    }
    assert!(blocks >= 2 && times.len() >= 3, "{blocks} blocks, received {times:?}");
}

#[test]
fn a_run_is_sent_between_blocks_and_a_server_that_goes_away_costs_it_nothing() {
    let Some(programs) = crate::postgres::programs() else { return };
    let cluster = Arc::new(Cluster::start(programs, &[]));
    let db = cluster.database("live");
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    let reader = db.address(&db.role("ada", "bakeoff_reader"));
    db.sql(
        "CREATE TABLE public.received (at timestamptz); \
         CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
         $$ BEGIN INSERT INTO public.received VALUES (clock_timestamp()); RETURN NEW; END $$; \
         CREATE TRIGGER note AFTER INSERT ON bakeoff.parts FOR EACH ROW EXECUTE FUNCTION \
         public.note()",
    );
    let home = Home::new();
    let mut running = Running::start(&mut quick(&home, &writer));
    until_blocks(&mut running, &db, 1);
    cluster.stop();
    running.until("a word about the server", |running| {
        running.err().contains("continues without the server").then_some(())
    });
    // It may have few blocks left: it waits until everything was looked at.
    running.signal(Signal::STOP);
    cluster.run();
    let (code, out, err) = read(&home, &reader, &["runs", "--format", "json"]);
    assert!(code == 0 && out.contains("\"unfinished\""), "{out}{err}");
    let (_, _, err) = read(&home, &reader, &["show", "last"]);
    assert!(err.contains("the server has not received the end of"), "{err}");
    let (_, out, _) = push(&home, &writer, &[]);
    assert!(out.contains("1 run in progress"), "{out}");
    running.signal(Signal::CONT);
    let ended = interrupted(running);
    assert!(ended.err.contains("is on the server, complete"), "{ended:?}");
    assert_eq!(ended.err.matches("continues without the server").count(), 1, "{ended:?}");
    is_whole(&db, &home, &reader);
    was_received_between_blocks(&db, &home);
    let (code, out, err) = push(&home, &writer, &[]);
    assert!(code == 0 && out.contains("0 runs sent, 1 run already"), "{out}{err}");
}

#[test]
fn a_run_that_was_killed_is_completed_on_the_server_when_it_is_resumed_or_pushed() {
    let Some(cluster) = Cluster::usual() else { return };
    for (name, by_resume) in [("resumed", true), ("pushed", false)] {
        let db = cluster.database(name);
        let writer = db.address(&db.role("pi", "bakeoff_writer"));
        let reader = db.address(&db.role("ada", "bakeoff_reader"));
        let home = Home::new();
        let mut running = Running::start(&mut quick(&home, &writer));
        until_blocks(&mut running, &db, 1);
        running.signal(Signal::KILL);
        let _ = running.end();
        // With a receipt of what was sent so far, `fleet push` took the run for one that has ended
        // where no event had followed.
        assert_eq!(receipts(&home), 0);
        let (code, out, _) = push(&home, &writer, &[]);
        assert!(code == 0 && out.contains("1 run not finished"), "{out}");
        let resume = ["resume", "last", "--time", "5m", "--push", &writer];
        let words = if by_resume { &resume[..] } else { &resume[..4] };
        let mut running = Running::start(&mut bakeoff(&home, words));
        let blocks = row(&db).unwrap().0;
        match by_resume {
            true => until_blocks_or_end(&mut running, &db, blocks + 1),
            false => {
                running.until_announced();
            }
        }
        let ended = interrupted(running);
        assert_eq!(ended.err.contains("is on the server, complete"), by_resume, "{ended:?}");
        if !by_resume {
            let (code, out, err) = push(&home, &writer, &[]);
            assert!(code == 0 && out.contains("sent the rest of run"), "{out}{err}");
        }
        is_whole(&db, &home, &reader);
    }
}

#[test]
fn a_server_that_is_never_there_is_said_and_a_password_is_refused_before_anything_begins() {
    let home = Home::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let to = format!("postgresql://pi@127.0.0.1:{port}/b?connect_timeout=1");
    let mut running = Running::start(&mut quick(&home, &to));
    running.until("a word about the server", |running| {
        running.err().contains("continues without the server").then_some(())
    });
    let ended = interrupted(running);
    assert_eq!(ended.err.matches("within 1 s").count(), 2, "{ended:?}");
    let advice =
        "The store of this machine keeps all runs. Continue later with: bakeoff fleet push";
    assert!(ended.err.contains(advice) && ended.err.contains("--from"), "{ended:?}");
    let before = home.run(&["runs", "--format", "json"]).1;
    for (wrong, says) in [
        ("postgresql://pi:hunter2@h/b", "Refusing a password"),
        ("elsewhere.db", "postgresql://USER@HOST/DATABASE"),
    ] {
        let ended = Running::start(&mut quick(&home, wrong)).end();
        assert!(ended.code == 2 && ended.err.contains(says), "{ended:?}");
        assert!(!ended.err.contains("hunter2"), "{ended:?}");
    }
    assert_eq!(home.run(&["runs", "--format", "json"]).1, before);
}
