//! `bakeoff runs push` and reading from a server, against a real PostgreSQL.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::cluster::{Cluster, PASSWORD, programs};
use crate::stored::{Home, RUN, answer, json};

const OTHER: &str = "fedcba9876543210";
/// What would end a row, a document or a statement, if a value became part of one.
const HOSTILE: &str =
    "it's \\\\. \\t x'); DROP TABLE bakeoff.runs; -- \\u0001\\u0000 \\u00fc :run \\\\! id";

/// A store with the kept run and another one, as if both had been measured here.
fn board() -> Home {
    let home = Home::with_run();
    let hostname = format!("\"hostname\":\"{HOSTILE}\"");
    home.add_changed(OTHER, |text| text.replace("\"hostname\":\"pi\"", &hostname));
    assert_eq!(home.run(&["runs", "label", OTHER, "x'; \\. :run"]).0, 0);
    let store = rusqlite::Connection::open(home.store()).unwrap();
    store.execute("UPDATE runs SET is_imported = 0", []).unwrap();
    home
}

/// A server with the tables, and a role of each kind whose password is in ~/.pgpass.
fn server(home: &Home) -> Option<Cluster> {
    let cluster = Cluster::start(programs()?);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/postgresql.sql");
    let mut sql = fs::read_to_string(schema).unwrap();
    for (role, group) in [("boards", "bakeoff_writer"), ("ada", "bakeoff_reader")] {
        sql += &format!("CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}' IN ROLE {group};\n");
    }
    let (ok, said) = cluster.psql(&sql);
    assert!(ok, "{said}");
    let file = home.file(".pgpass", format!("*:*:*:*:{PASSWORD}\n"));
    fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
    Some(cluster)
}

/// With the home directory of the test, and nothing of the environment that psql reads.
fn run(home: &Home, command: &mut Command) -> (i32, String, String) {
    for name in ["PGPASSFILE", "PGPASSWORD", "PGUSER", "PGHOST", "PGSSLMODE", "PGOPTIONS"] {
        command.env_remove(name);
    }
    answer(command.env("HOME", home.dir.path()))
}

fn push(home: &Home, address: &str) -> (i32, String, String) {
    run(home, &mut home.cmd(&["runs", "push", address, "--format", "json"]))
}

fn read(home: &Home, address: &str, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    run(home, command.args(["--store", address]).args(args))
}

#[test]
fn pushed_runs_are_read_as_they_are_here_and_are_pushed_once() {
    let home = board();
    let Some(cluster) = server(&home) else { return };
    let (writer, reader) = (cluster.address("boards"), cluster.address("ada"));
    let (code, out, err) = push(&home, &writer);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(json(&out)["pushed"], json(&format!("[\"{RUN}\",\"{OTHER}\"]")));
    let again = json(&push(&home, &writer).1);
    assert_eq!(again["pushed"], json("[]"), "{again}");
    assert_eq!(again["already"].as_array().unwrap().len(), 2, "{again}");
    for args in [
        &["show", RUN, "--format", "json"][..],
        &["show", OTHER, "--details"],
        &["show", OTHER, "--format", "json"],
        &["compare", RUN, OTHER, "--across", "board"],
    ] {
        assert_eq!(read(&home, &reader, args), home.run(args), "{args:?}");
    }
    let listed = |text: &str| json(&read(&home, &reader, &["runs", text, "--format", "json"]).1);
    let found = |text: &str| listed(text)["runs"].as_array().unwrap().len();
    assert_eq!(
        (found("4C5300"), found("drop table"), found("x'; \\. :run"), found("none")),
        (2, 1, 1, 0)
    );
    assert_eq!(listed("fedc")["runs"][0]["label"], "x'; \\. :run");
    // A run that was continued here.
    let lines = cluster
        .psql(
            "DELETE FROM bakeoff.events WHERE seq > 5;
        UPDATE bakeoff.runs SET events = 6, summary = jsonb_set(summary::jsonb, '{events}', '6')::json
            WHERE id = '0123456789abcdef';",
        )
        .1;
    assert_eq!(json(&push(&home, &writer).1)["pushed"][0], RUN, "{lines}");
    assert_eq!(read(&home, &reader, &["show", RUN]), home.run(&["show", RUN]));
    // The other one lacks events now.
    let (code, _, err) = read(&home, &reader, &["show", OTHER]);
    assert!(code == 4 && err.contains("damaged or was changed: 6 of"), "{err}");
}

#[test]
fn roles_can_do_no_more_than_they_need_and_faults_say_what_to_do() {
    let home = board();
    let Some(cluster) = server(&home) else { return };
    let (writer, reader) = (cluster.address("boards"), cluster.address("ada"));
    assert_eq!(push(&home, &writer).0, 0);
    for (address, args) in [(&writer, &["runs"][..]), (&reader, &["runs", "push", &reader])] {
        let (code, _, err) = match args.len() {
            1 => read(&home, address, args),
            _ => {
                cluster.psql("TRUNCATE bakeoff.runs, bakeoff.events");
                push(&home, address)
            }
        };
        assert!(code == 4 && err.contains("permission denied"), "{err}");
    }
    for sql in
        ["DELETE FROM bakeoff.runs", "UPDATE bakeoff.runs SET events = 1", "TABLE bakeoff.events"]
    {
        assert!(!cluster.psql_as("boards", sql).0, "{sql}");
    }
    let with_password = reader.replace("ada@", "ada:sesame@");
    for args in [&["runs"][..], &["runs", "push", &with_password]] {
        let (code, _, err) =
            read(&home, if args.len() == 1 { &with_password } else { "x.db" }, args);
        assert!(code == 2 && err.contains("~/.pgpass") && !err.contains("sesame"), "{err}");
    }
    for args in [&["runs", "rm", "last"][..], &["runs", "label", "last", "x"], &["quick", "."]] {
        let (code, _, err) = read(&home, &reader, args);
        assert!(code == 2 && err.contains("Omit --store"), "{args:?}: {err}");
    }
    assert!(cluster.psql("DROP SCHEMA bakeoff CASCADE").0);
    let (code, _, err) = read(&home, &reader, &["runs"]);
    assert!(code == 4 && err.contains("postgresql.sql"), "{err}");
    let (code, _, err) =
        run(&home, home.cmd(&["runs", "push", &writer]).env("PATH", "/nonexistent"));
    assert!(code == 4 && err.contains("postgresql-client"), "{err}");
}
