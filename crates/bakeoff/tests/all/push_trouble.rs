//! `bakeoff fleet push` in trouble, against a real PostgreSQL: nothing is lost, one sentence says
//! what to do, and the next push completes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::postgres::{Cluster, Database, PASSWORD, measured_here, programs, push, read};
use crate::push::{add, board, database, id};
use crate::running::until_so;
use crate::stored::{Home, bundle_text};

#[test]
fn a_server_in_trouble_loses_nothing_and_the_next_push_completes() {
    let Some(db) = database("trouble") else { return };
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    let home = board(&id(1), "pi");
    add(&home, &id(2), "pi");
    measured_here(&home);
    let count = || {
        db.sql(
            "SELECT count(*) FROM bakeoff.runs r WHERE EXISTS \
                           (SELECT FROM bakeoff.parts p WHERE p.run = r.number)",
        )
    };
    // Each time the second run is being sent.
    let trigger = |does: &str| {
        db.sql(&format!(
            "CREATE OR REPLACE FUNCTION public.trouble() RETURNS trigger LANGUAGE plpgsql \
             SECURITY DEFINER AS $$ BEGIN IF (SELECT id FROM bakeoff.runs WHERE number = NEW.run) \
             = '{}' THEN {does}; END IF; RETURN NEW; END $$; \
             CREATE OR REPLACE TRIGGER trouble BEFORE INSERT ON bakeoff.parts FOR EACH ROW EXECUTE \
             FUNCTION public.trouble()",
            id(2)
        ));
    };
    let failed = |says: &str| {
        let (code, out, err) = push(&home, &writer, &[]);
        assert!(code == 4 && err.contains(says), "{code}: {out}{err}");
        assert!(
            err.contains("keeps all runs") && err.contains("bakeoff fleet push --all"),
            "{err}"
        );
        assert_eq!(db.sql("SELECT count(*) FROM bakeoff.runs"), count(), "no half of a run");
    };
    trigger("RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'");
    failed("no space left on the server");
    assert_eq!(count(), "1");
    trigger("PERFORM pg_terminate_backend(pg_backend_pid())");
    failed("stopped or restarted");
    trigger("RAISE EXCEPTION 'out of connections' USING ERRCODE = 'too_many_connections'");
    failed("busy");
    trigger("PERFORM pg_sleep(3600)");
    kill_while_it_sends(&db, &home, &writer);
    db.sql("DROP TRIGGER trouble ON bakeoff.parts");
    waits_no_longer_than_it_may(&db, &home, &writer);
    let (code, out, err) = push(&home, &writer, &[]);
    assert!(code == 0 && out.contains("1 run sent, 1 run already"), "{out}{err}");
    assert_eq!(
        (count().as_str(), db.sql("SELECT count(*) FROM bakeoff.runs").as_str()),
        ("2", "2")
    );
}

/// Kills a client while the server has half of a run.
fn kill_while_it_sends(db: &Database, home: &Home, writer: &str) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("bakeoff"));
    command.args(["--store", writer, "fleet", "push", "--all", "--from"]).arg(home.store());
    let mut killed = command.env("PGPASSWORD", PASSWORD).spawn().unwrap();
    until_so("half of a run", || db.sql(&format!("SELECT count(*) {SLEEPS}")) != "0");
    killed.kill().unwrap();
    killed.wait().unwrap();
    end_who_sleeps(db);
}

/// Connections to this database that sleep.
const SLEEPS: &str =
    "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";

fn end_who_sleeps(db: &Database) {
    db.sql(&format!("SELECT pg_terminate_backend(pid) {SLEEPS}"));
}

/// Pushes with a limit of 200 ms while somebody holds the table.
fn waits_no_longer_than_it_may(db: &Database, home: &Home, writer: &str) {
    let slow = format!("{writer}?options=-c%20statement_timeout%3D200");
    let (holder, name) = (Arc::clone(&db.cluster), db.name.clone());
    let held = std::thread::spawn(move || {
        holder.psql(&name, "BEGIN; LOCK bakeoff.parts; SELECT pg_sleep(3600)")
    });
    let locked = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    until_so("lock", || db.sql(locked) != "0");
    let (code, _, err) = push(home, &slow, &[]);
    end_who_sleeps(db);
    held.join().unwrap();
    assert!(code == 4 && err.contains("busy"), "{err}");
}

#[test]
fn a_server_that_is_away_silent_or_of_another_layout_is_said() {
    let Some(cluster) = Cluster::usual() else { return };
    let db = cluster.database("layouts");
    let role = db.role("pi", "bakeoff_writer");
    let home = board(&id(1), "pi");
    let failed = |address: &str, says: &str| {
        let (code, out, err) = push(&home, address, &[]);
        assert!(code == 4 && err.contains(says), "{says}: {code}: {out}{err}");
        let (code, _, err) = read(&home, address, &["runs"]);
        assert!(code == 4 && err.contains(says), "{says}: {err}");
    };
    failed("postgresql://pi@127.0.0.1:1/b", "cannot connect to the server 127.0.0.1:1");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    failed(&format!("postgresql://pi@127.0.0.1:{port}/b?connect_timeout=1"), "within 1 s");
    failed(&cluster.address(&role, "nothere"), "has no database nothere");
    failed(&cluster.address(&role, "postgres"), "bakeoff fleet schema | psql postgres");
    db.sql("INSERT INTO bakeoff.migrations (version) VALUES (99)");
    failed(&db.address(&role), "has layout 99");
    db.sql("DELETE FROM bakeoff.migrations WHERE version = 99");
    assert_eq!(push(&home, &db.address(&role), &[]).0, 0);
    let boards = || read(&home, &db.address(&role), &["fleet", "list", "--format", "json"]);
    let before = boards();
    assert!(before.0 == 0 && before.1.contains("\"runs\": 1"), "{before:?}");
    // As a database of layout 1 is, with a run that was sent then.
    db.sql(
        "ALTER TABLE bakeoff.runs DROP COLUMN hostname, DROP COLUMN board_id, DROP COLUMN model, \
         DROP COLUMN cpu, DROP COLUMN cpus, DROP COLUMN arch, DROP COLUMN kernel, \
         DROP COLUMN is_stopped; DROP INDEX bakeoff.runs_by_owner; \
         DELETE FROM bakeoff.migrations WHERE version = 2",
    );
    failed(&db.address(&role), "has layout 1");
    db.update();
    db.update();
    assert_eq!(boards(), before);
    add(&home, &id(2), "pi");
    measured_here(&home);
    let (code, out, err) = push(&home, &db.address(&role), &[]);
    assert!(code == 0 && out.contains("1 run sent, 1 run already"), "{out}{err}");
    for (address, says) in [
        ("postgresql://pi@h/b?sslmode=sometimes", "sslmode"),
        ("postgresql://pi@h/b?nonsense=1", "postgresql://USER@HOST/DATABASE"),
        ("postgresql://pi@h:port/b", "postgresql://USER@HOST/DATABASE"),
    ] {
        let (code, _, err) = push(&home, address, &[]);
        assert!(code == 2 && err.contains(says), "{address}: {err}");
    }
    let (code, _, err) = home.run(&["fleet", "push"]);
    assert!(code == 2 && err.contains("no server given"), "{err}");
    let bundle = home.file("b.jsonl", bundle_text());
    let import = ["import", bundle.to_str().unwrap()];
    for args in [&["quick"][..], &["runs", "rm", "last"], &["runs", "label", "last", "x"], &import]
    {
        let (code, _, err) = read(&home, "postgresql://pi@h/b", args);
        assert!(code != 0 && err.contains("bakeoff fleet push"), "{args:?}: {err}");
    }
}

#[test]
fn a_record_that_was_cut_or_forged_on_the_server_is_refused_and_no_other() {
    let Some(db) = database("forged") else { return };
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    let reader = db.address(&db.role("ada", "bakeoff_reader"));
    let home = board(&id(1), "pi");
    add(&home, &id(2), "pi");
    measured_here(&home);
    assert_eq!(push(&home, &writer, &[]).0, 0);
    let of = |n: u32| format!("(SELECT number FROM bakeoff.runs WHERE id = '{}')", id(n));
    for (forge, says) in [
        (format!("UPDATE bakeoff.parts SET bytes = 'garbage' WHERE run = {}", of(1)), "unpacked"),
        (
            format!(
                "UPDATE bakeoff.parts SET bytes = (SELECT bytes FROM bakeoff.parts WHERE run = {}) \
                 WHERE run = {}",
                of(2),
                of(1)
            ),
            "different runs",
        ),
        (
            // With the checksum of the other run it is still a record of another run.
            format!(
                "UPDATE bakeoff.runs SET sha256 = (SELECT sha256 FROM bakeoff.runs WHERE id = '{}') \
                 WHERE id = '{}'",
                id(2),
                id(1)
            ),
            "damaged or was changed",
        ),
        (format!("DELETE FROM bakeoff.parts WHERE run = {}", of(1)), "checksum"),
    ] {
        db.sql(&forge);
        let (code, out, err) = read(&home, &reader, &["show", &id(1)]);
        assert!(code == 4 && err.contains(says) && out.is_empty(), "{forge}: {code} {out}{err}");
        let (code, _, err) = read(&home, &reader, &["show", &id(2), "--format", "json"]);
        assert!(code == 0 || code == 1, "{err}");
        let (_, out, err) = read(&home, &reader, &["fleet", "report", "--label", "cards"]);
        assert!(err.contains(&id(1)), "the report names it: {out}{err}");
    }
    // Hostile text in a row is shown escaped.
    db.sql(
        "UPDATE bakeoff.runs SET title = E'\\x1b[2J', label = E'\\x1b[31mx', verdict = E'\\x07'",
    );
    let (code, out, err) = read(&home, &reader, &["runs"]);
    assert!(code == 0 && !out.contains('\x1b') && !out.contains('\x07'), "{out:?}{err:?}");
}

#[test]
fn a_connection_is_encrypted_and_survives_no_wrong_certificate_and_a_restart() {
    if crate::skip::lacks_command("openssl") {
        return;
    }
    let Some(programs) = programs() else { return };
    let settings = ["listen_addresses = '127.0.0.1'"];
    let cluster = Arc::new(Cluster::start(programs, &settings));
    let db = cluster.database("tls");
    let role = db.role("pi", "bakeoff_writer");
    let home = board(&id(1), "pi");
    let ((key, crt), (_, other)) = (certificate(&home, "server"), certificate(&home, "other"));
    install(&cluster, &key, &crt);
    db.sql("ALTER SYSTEM SET ssl = on");
    cluster.stop();
    cluster.run();
    let address = cluster.tcp_address(&role, "tls");
    let with = |query: &str| push(&home, &format!("{address}?{query}"), &[]);
    let path = |file: &Path| file.to_str().unwrap().replace('/', "%2F");
    let unknown = "cannot encrypt the connection";
    for query in [
        "sslmode=require".to_string(),
        "sslmode=verify-full".to_string(),
        format!("sslmode=require&sslrootcert={}", path(&other)),
    ] {
        let (code, _, err) = with(&query);
        assert!(code == 4 && err.contains(unknown) && err.contains("sslrootcert"), "{err}");
    }
    let (code, _, err) = with("sslmode=disable");
    assert!(code == 4 && err.contains("rejects the user"), "{err}");
    let good = format!("sslmode=require&sslrootcert={}", path(&crt));
    let (code, out, err) = with(&good);
    assert!(code == 0 && out.contains("1 run sent"), "{out}{err}");
    // What was acknowledged is there after a power cut of the server.
    add(&home, &id(2), "pi");
    measured_here(&home);
    cluster.stop();
    let (code, _, err) = with(&good);
    assert!(code == 4 && err.contains("cannot connect"), "{err}");
    cluster.run();
    let (code, out, _) = with(&good);
    assert!(code == 0 && out.contains("1 run sent, 1 run already"), "{out}");
    let (code, _, err) = with(&format!("sslrootcert={}", path(&home.file("no.crt", ""))));
    assert!(code == 4 && err.contains("no PEM certificate"), "{err}");
}

/// Key and certificate as PostgreSQL's manual makes them: no authority, no alternative name.
fn certificate(home: &Home, name: &str) -> (PathBuf, PathBuf) {
    let of = |end: &str| home.dir.path().join(format!("{name}.{end}"));
    let (key, crt) = (of("key"), of("crt"));
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-new", "-x509", "-days", "30", "-nodes", "-newkey", "rsa:2048"]);
    openssl.args(["-subj", "/CN=db", "-keyout"]).arg(&key).arg("-out").arg(&crt);
    assert!(openssl.output().unwrap().status.success());
    (key, crt)
}

/// Puts them where the server reads them.
fn install(cluster: &Cluster, key: &Path, crt: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let data = cluster.data();
    let owner = std::fs::metadata(&data).unwrap().uid();
    for (from, name) in [(key, "server.key"), (crt, "server.crt")] {
        let to = data.join(name);
        std::fs::copy(from, &to).unwrap();
        std::fs::set_permissions(&to, PermissionsExt::from_mode(0o600)).unwrap();
        chown(&to, Some(owner), Some(owner)).unwrap();
    }
}

/// 40 parts of spaces, each within its limit, took a reader 1.1 GB; a title or a first event could
/// take as much.
#[test]
fn what_a_board_stores_takes_little_memory_of_who_reads() {
    let Some(db) = database("heavy") else { return };
    let writer = db.address(&db.role("pi", "bakeoff_writer"));
    let reader = db.address(&db.role("ada", "bakeoff_reader"));
    let home = board(&id(1), "pi");
    assert_eq!(push(&home, &writer, &[]).0, 0);
    let spaces = {
        use std::io::Write;
        let mut python = Command::new("python3");
        python.args(["-c", "import zlib; print(zlib.compress(b' ' * (17 << 20) + b'\\n').hex())"]);
        let output = python.output().unwrap();
        std::io::stderr().write_all(&output.stderr).unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    };
    db.sql(&format!(
        "DELETE FROM bakeoff.parts; INSERT INTO bakeoff.parts (run, owner, part, bytes) \
         SELECT number, owner, part, decode('{spaces}', 'hex') \
         FROM bakeoff.runs, generate_series(0, 39) part; \
         UPDATE bakeoff.runs SET events = 1048576, title = repeat('t', 200000000), \
         verdict = repeat('v', 200000000), label = 'cards', hostname = repeat('h', 200000000)",
    ));
    for (args, says) in [
        (&["show", &id(1)][..], "event 0"),
        (&["fleet", "report", "--label", "cards"], "event 0"),
        (&["runs"], ""),
        (&["fleet", "list"], ""),
    ] {
        // As much address space as it may use at all.
        let mut command = Command::new("prlimit");
        command.arg("--as=400000000").arg(assert_cmd::cargo::cargo_bin("bakeoff"));
        command.args(["--store", &reader]).args(args).env("PGPASSWORD", PASSWORD);
        let ended = command.env("HOME", home.dir.path()).output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code().is_some_and(|code| code < 70), "{args:?}: {ended:?}");
        assert!(err.contains(says) && !err.contains("memory allocation"), "{args:?}: {err}");
    }
}
