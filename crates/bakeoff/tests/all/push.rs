//! `bakeoff fleet push` and reading from a server, against a real PostgreSQL: what arrives, and who
//! may see it.

use crate::postgres::{
    Cluster, Database, PASSWORD, has_text, measured_here, push, push_command, read,
};
use crate::stored::{Home, RUN, answer, bundle_of, bundle_text};
use bakeoff_report::bundle::{Head, encode};
use serde_json::Value;

/// A store with the kept run under this ID, measured here on a board of that name.
pub fn board(run: &str, host: &str) -> Home {
    let home = Home::new();
    add(&home, run, host);
    measured_here(&home);
    home
}

pub fn add(home: &Home, run: &str, host: &str) {
    let name = format!("\"hostname\":\"{host}\",\"board_id\":\"{run}{run}\"");
    let text = bundle_text().replace(RUN, run).replace("\"hostname\":\"pi\"", &name);
    let lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut head: Head = serde_json::from_str(&lines[0]).unwrap();
    head.label = Some("cards".to_string());
    let file = home.file("in.jsonl", encode(&head, &lines[1..lines.len() - 1]).unwrap());
    let (code, _, err) = home.run(&["import", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
}

pub fn id(n: u32) -> String {
    format!("{n:04x}456789abcdef")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub fn database(name: &str) -> Option<Database> {
    Some(Cluster::usual()?.database(name))
}

/// Runs a command on the store of all boards and on the server: they answer the same.
fn same(all: &Home, server: &str, args: &[&str]) -> String {
    // Only a server knows who sent a run.
    let without_roles = |(code, out, err): (i32, String, String)| {
        let lines = out.lines().filter(|line| !line.trim_start().starts_with("\"role\": "));
        (code, lines.map(|line| format!("{line}\n")).collect::<String>(), err)
    };
    let (here, there) = (all.run(args), read(all, server, args));
    assert_eq!(without_roles(here.clone()), without_roles(there), "{args:?}");
    here.1
}

/// Lists and searches answer the same.
fn lists_are_the_same(all: &Home, server: &str) {
    let same = |args: &[&str]| same(all, server, args);
    for filter in [
        &["--host", "PI-3"][..],
        &["--host", "pi-9"],
        &["--drive", "s"],
        &["--label", "ARD"],
        &["--plan", "%"],
        &["--since", "1990-01-01"],
        &["--since", "2090-01-01"],
        &[],
    ] {
        let all = same(&[&["runs", "--format", "json"], filter].concat());
        println!("{filter:?}: {} runs", json(&all)["runs"].as_array().unwrap().len());
        same(&[&["runs"], filter].concat());
    }
    for (limit, listed) in [("0", 4), ("1", 1), ("3", 3), ("4", 4), ("9", 4)] {
        for all in [&[][..], &["--all"], &["--label", "cards"]] {
            let some = same(&[&["runs", "--format", "json", "--limit", limit], all].concat());
            let count = json(&some)["runs"].as_array().unwrap().len();
            assert_eq!((count, json(&some)["more"].as_u64()), (listed, Some(4 - listed as u64)));
        }
    }
    assert!(same(&["runs", "--limit", "1"]).contains("3 earlier runs are not listed (--limit 0"));
    same(&["runs", "--limit", "1", "--format", "markdown"]);
}

/// The whole way: boards push, and one machine reads their answer from the server.
#[test]
fn boards_push_and_the_server_answers_like_the_stores_they_came_from() {
    let Some(db) = database("whole") else { return };
    let reader = db.address(&db.role("ada", "bakeoff_reader"));
    let all = Home::new();
    for n in 1..=4 {
        // Two of them have one host name.
        let host = format!("pi-{}", n.min(3));
        let home = board(&id(n), &host);
        add(&all, &id(n), &host);
        let writer = db.address(&db.role(&format!("pi{n}"), "bakeoff_writer"));
        let (code, out, err) = push(&home, &writer, &[]);
        assert!(code == 0 && err.is_empty(), "{out}{err}");
        assert!(out.contains(&format!("sent run {}", id(n))), "{out}");
        // Twice is once, whether this machine remembers the answer or not.
        for forget in ["", "DELETE FROM pushed"] {
            rusqlite::Connection::open(home.store()).unwrap().execute_batch(forget).unwrap();
            let (code, out, _) = push(&home, &writer, &["--format", "json"]);
            assert_eq!((code, json(&out)["runs"][0]["state"].as_str()), (0, Some("already")));
        }
        // A board sees its own.
        let (_, own, _) = read(&home, &writer, &["runs", "--format", "json"]);
        assert_eq!(json(&own)["runs"].as_array().unwrap().len(), 1, "{own}");
    }
    assert_eq!(db.sql("SELECT count(*), count(DISTINCT owner) FROM bakeoff.runs"), "4|4");
    let same = |args: &[&str]| same(&all, &reader, args);
    for n in 1..=4 {
        same(&["show", &id(n), "--format", "jsonl", "--no-redact"]);
        same(&["show", &id(n), "--format", "bundle", "--no-redact"]);
    }
    same(&["fleet", "report", "--label", "cards", "--format", "json"]);
    let boards = same(&["fleet", "list", "--format", "json"]);
    assert_eq!(json(&boards)["boards"].as_array().unwrap().len(), 4, "{boards}");
    same(&["fleet", "list"]);
    for across in [&[][..], &["--across", "host", "--since", "1990-01-01"]] {
        let trend = same(&[&["runs", "trend", "4C5300", "--format", "json"], across].concat());
        assert!(trend.contains(&id(4)), "{trend}");
    }
    same(&["compare", &id(1), &id(2), "--format", "json"]);
    same(&["show", "0003"]);
    same(&["self", "lint", "0003"]);
    same(&["show", "0001", "--format", "html"]);
    lists_are_the_same(&all, &reader);
    // A bakeoff of layout 1 sent rows without the columns of machines.
    let lines = "hostname = NULL, board_id = NULL, model = NULL, cpu = NULL, cpus = NULL, \
                 arch = NULL, kernel = NULL";
    db.sql(&format!("UPDATE bakeoff.runs SET {lines} WHERE id <> '{}'", id(2)));
    assert_eq!(same(&["fleet", "list", "--format", "json"]), boards);

    let (code, _, err) = read(&all, &reader, &["show", "ffff"]);
    assert!(code == 2 && err.contains("no run 'ffff'"), "{err}");
    let (code, _, err) = read(&all, &reader, &["show", "0"]);
    assert!(code == 2 && err.contains("matches several runs"), "{err}");
    for name in ["%", "_", "'; DROP TABLE bakeoff.runs; --"] {
        let (code, _, err) = read(&all, &reader, &["show", name]);
        assert!(code == 2 && err.contains("no run"), "{err}");
    }
}

#[test]
fn a_run_that_went_on_and_a_new_label_are_sent_and_other_content_is_refused() {
    let Some(db) = database("later") else { return };
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    let home = board(&id(1), "pi");
    assert_eq!(push(&home, &writer, &[]).0, 0);
    home.cmd(&["runs", "label", "last", "other cards"]).assert().success();
    let (code, out, _) = push(&home, &writer, &[]);
    assert!(code == 0 && out.contains("changed the label"), "{out}");
    assert_eq!(db.sql("SELECT label FROM bakeoff.runs"), "other cards");
    // Two more events, the last of which ends the run again.
    let store = rusqlite::Connection::open(home.store()).unwrap();
    let last: String = store
        .query_row("SELECT json FROM events ORDER BY seq DESC LIMIT 1", [], |row| row.get(0))
        .unwrap();
    let mut seq = 79;
    let mut add = |line: String, kind: &str| {
        let line = line.replacen("\"seq\":78", &format!("\"seq\":{seq}"), 1);
        let sql = "INSERT INTO events (run, seq, kind, json) VALUES (1, ?1, ?2, ?3)";
        store.execute(sql, rusqlite::params![seq, kind, line]).unwrap();
        seq += 1;
    };
    let owned = r#"{"owned":{"pid":1,"start_ticks":1,"boot_id":"b"}}"#;
    let head = last.split("\"what\"").next().unwrap();
    add(format!("{head}\"what\":{owned}}}"), "owned");
    let (code, out, _) = push(&home, &writer, &[]);

    assert_eq!(code, 0, "{out}");
    add(last.clone(), "stopped");
    let (code, out, err) = push(&home, &writer, &[]);
    assert!(
        code == 0 && (out.contains("sent the rest of run") || out.contains("already")),
        "{out}{err}"
    );
    assert_eq!(db.sql("SELECT events FROM bakeoff.runs"), "81");
    let exported = |out: (i32, String, String)| out.1;
    assert_eq!(
        exported(read(&home, &writer, &["show", "last", "--format", "jsonl", "--no-redact"])),
        exported(home.run(&["show", "last", "--format", "jsonl", "--no-redact"]))
    );
    // The same ID with an earlier end, and with another end.
    for text in [bundle_of(&id(1), 79), bundle_of(&id(1), 79).replace("cards", "discs")] {
        let other = Home::new();
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let head: Head = serde_json::from_str(&lines[0]).unwrap();
        let sealed = encode(&head, &lines[1..lines.len() - 1]).unwrap();
        other.cmd(&["import"]).arg(other.file("b.jsonl", sealed)).assert().success();
        let (code, out, err) = push(&other, &writer, &["last"]);
        assert!(code == 3 && err.contains("different content"), "{code}: {out}{err}");
    }
    assert_eq!(db.sql("SELECT events FROM bakeoff.runs"), "81");
}

#[test]
fn unfinished_and_imported_runs_stay_here_unless_they_are_named_and_over() {
    let Some(db) = database("which") else { return };
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    let home = Home::new();
    for (run, events) in [(id(1), 79), (id(2), 30)] {
        let file = home.file("in.jsonl", bundle_of(&run, events));
        home.cmd(&["import"]).arg(file).assert().success();
    }
    let (code, out, _) = push(&home, &writer, &[]);
    assert_eq!((code, out.as_str()), (0, "0 runs sent, 0 runs already on the server\n"));
    let (code, out, _) = push(&home, &writer, &["0001", "0002", "0001"]);
    assert!(code == 0 && out.contains("1 run sent") && out.contains("1 run not finished"), "{out}");
    let (code, _, err) = push(&home, &writer, &["ffff"]);
    assert!(code == 2 && err.contains("no run 'ffff'"), "{err}");
}

#[test]
fn rights_and_secrets() {
    let Some(db) = database("rights") else { return };
    let (one, two) = (db.role("one", "bakeoff_writer"), db.role("two", "bakeoff_writer"));
    let (reader, nobody) = (db.role("reader", "bakeoff_reader"), db.role("nobody", ""));
    let home = board(&id(1), "pi");
    assert_eq!(push(&home, &db.address(&one), &[]).0, 0);
    let other = board(&id(2), "pi");
    assert_eq!(push(&other, &db.address(&two), &[]).0, 0);
    // Reader and stranger.
    for role in [&reader, &nobody] {
        let (code, _, err) = push(&home, &db.address(role), &[]);
        assert!(code == 4 && err.contains("GRANT bakeoff_writer TO"), "{role}: {err}");
    }
    let (code, _, err) = read(&home, &db.address(&nobody), &["runs"]);
    assert!(code == 4 && err.contains("bakeoff_reader"), "{err}");
    // With SQL of one's own: nothing of others is seen, changed, removed or added to.
    let sql = |role: &str, sql: &str| db.cluster.psql_as(role, &db.name, sql);
    assert_eq!(sql(&one, "SELECT count(*) FROM bakeoff.runs").1, "1");
    assert_eq!(sql(&one, "SELECT count(*) FROM bakeoff.parts").1, "1");
    assert_eq!(sql(&one, "SELECT count(DISTINCT run) FROM bakeoff.facts").1, "1");
    let counted =
        "WITH u AS (UPDATE bakeoff.runs SET label = 'x' RETURNING 1) SELECT count(*) FROM u";
    assert_eq!(sql(&one, counted).1, "1");
    assert_eq!(db.sql(&format!("SELECT label FROM bakeoff.runs WHERE owner = '{two}'")), "cards");
    let theirs = db.sql(&format!("SELECT number FROM bakeoff.runs WHERE owner = '{two}'"));
    for wrong in [
        "DELETE FROM bakeoff.runs".to_string(),
        "DELETE FROM bakeoff.parts".to_string(),
        "UPDATE bakeoff.parts SET bytes = ''".to_string(),
        format!("UPDATE bakeoff.runs SET owner = '{two}'"),
        format!("INSERT INTO bakeoff.parts (run, part, bytes) VALUES ({theirs}, 1, 'x')"),
        format!("INSERT INTO bakeoff.facts (run, kind, text) VALUES ({theirs}, 'host', 'x')"),
        "INSERT INTO bakeoff.migrations (version) VALUES (99)".to_string(),
        "TRUNCATE bakeoff.runs".to_string(),
        "CREATE TABLE bakeoff.x ()".to_string(),
    ] {
        let (ok, said) = sql(&one, &wrong);
        assert!(!ok, "{wrong}: {said}");
        let (ok, said) = sql(&reader, &wrong);
        assert!(!ok, "as reader, {wrong}: {said}");
    }
    let (ok, said) = sql(&reader, "UPDATE bakeoff.runs SET label = 'x'");
    assert!(!ok && said.contains("permission denied"), "{said}");
    assert_eq!(sql(&reader, "SELECT count(*) FROM bakeoff.parts").1, "2");
    let seen = sql(&two, &format!("SELECT is_own, label FROM bakeoff.known(ARRAY['{}'])", id(1)));
    assert_eq!(seen.1, "f|", "the label is not given away");
    // A run that somebody else sent is there; it is not sent twice.
    let copy = board(&id(1), "pi");
    let (code, out, _) = push(&copy, &db.address(&two), &[]);
    assert!(code == 0 && out.contains("1 run already"), "{out}");
}

#[test]
fn passwords_come_from_a_file_or_the_environment_and_are_never_shown() {
    use std::os::unix::fs::PermissionsExt;
    let Some(db) = database("secrets") else { return };
    let role = db.role("pi", "bakeoff_writer");
    let home = board(&id(1), "pi");
    let address = db.address(&role);
    let with = |password: Option<&str>| {
        let mut command = push_command(&home, &address, &[]);
        match password {
            Some(password) => command.env("PGPASSWORD", password),
            None => command.env_remove("PGPASSWORD"),
        };
        answer(&mut command)
    };
    let wrong = "hunter2-wrong";
    let (code, out, err) = with(Some(wrong));
    assert!(
        code == 4 && err.contains("rejects the user") && err.contains("bakeoff fleet push"),
        "{err}"
    );
    assert!(!out.contains(wrong) && !err.contains(wrong), "{err}");
    let (code, _, err) = with(None);
    assert!(code == 4 && err.contains("requires a password") && err.contains(".pgpass"), "{err}");
    let typed = address.replacen('@', &format!(":{PASSWORD}@"), 1);
    for args in [&["fleet", "push"][..], &["runs"], &["quick"], &["self", "report-bug", "-o", "-"]]
    {
        let (code, out, err) = read(&home, &typed, args);
        assert!(code == 2 || args[0] == "self", "{args:?}: {code}");
        assert!(!out.contains(PASSWORD) && !err.contains(PASSWORD), "{out}{err}");
    }
    let (_, _, err) = read(&home, &typed, &["runs"]);
    assert!(err.contains("Refusing a password") && err.contains("PGPASSWORD"), "{err}");
    let socket = address.split('@').nth(1).unwrap().split('/').next().unwrap();
    let (socket, port) = socket.split_once(':').unwrap();
    let line = format!("{}:{port}:*:{role}:{PASSWORD}\n", socket.replace("%2F", "/"));
    let file = home.file(".pgpass", line);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let (code, _, err) = with(None);
    assert!(code == 4 && err.contains("chmod 600") && !err.contains(PASSWORD), "{err}");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let (code, out, err) = with(None);
    assert!(code == 0 && out.contains("1 run sent"), "{out}{err}");
    std::fs::remove_file(&file).unwrap();
    assert!(!has_text(home.dir.path(), PASSWORD) && !has_text(home.dir.path(), wrong));
}

/// A role that claimed the ID of another one's board, with a later clock, replaced its answer.
#[test]
fn a_board_is_its_role_and_its_id_and_a_claimed_id_is_reported() {
    let Some(db) = database("claimed") else { return };
    let reader = db.address(&db.role("reader", "bakeoff_reader"));
    for (n, role) in [(1, "ada"), (2, "bob"), (3, "eve")] {
        let writer = db.address(&db.role(role, "bakeoff_writer"));
        assert_eq!(push(&board(&id(n), "pi"), &writer, &[]).0, 0);
    }
    db.sql(&format!(
        "UPDATE bakeoff.runs SET board_id = (SELECT board_id FROM bakeoff.runs WHERE id = '{}') \
         WHERE id = '{}'",
        id(1),
        id(3)
    ));
    let (code, out, err) = read(&Home::new(), &reader, &["fleet", "list"]);
    assert!(code == 0 && out.contains("3 boards"), "{out}{err}");
    let said = out.split_once("with one board ID: ").map_or("", |(_, said)| said);
    assert!(said.contains("claimed_ada") && said.contains("claimed_eve"), "{out}");
    assert!(!said.contains("claimed_bob"), "{out}");
    let list = json(&read(&Home::new(), &reader, &["fleet", "list", "--format", "json"]).1);
    let roles = |list: &Value| -> Vec<String> {
        let boards = list["boards"].as_array().unwrap().iter();
        boards.map(|board| board["role"].as_str().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(roles(&list).len(), 3, "{list}");
    let args = ["fleet", "report", "--label", "cards", "--format", "json"];
    let report = json(&read(&Home::new(), &reader, &args).1);
    assert_eq!(roles(&report).len(), 3, "{report}");
    assert!(roles(&report).iter().all(|role| !role.is_empty()), "{report}");
}
