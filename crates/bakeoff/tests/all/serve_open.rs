//! Who may read what `bakeoff serve` shows: other users of this machine, and the network.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::bench::ended_of;
use crate::skip;
use crate::stored::Home;
use crate::web::Server;

/// "nobody", who has no right to anything.
const NOBODY: u32 = 65_534;

fn command(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(home.store()).arg("serve").args(args).stdin(Stdio::null());
    command.env_remove("SUDO_UID").env_remove("SUDO_GID");
    command
}

/// What the user of that number gets: the status and the text.
fn read_as(uid: u32, server: &Server, path: &str) -> (u16, String) {
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--noproxy", "*", "--max-time", "120", "-w", "\\n%{http_code}"]);
    let ended = ended_of(curl.arg(format!("http://{}{path}", server.address)).uid(uid).gid(uid));
    assert_eq!(ended.code, 0, "{ended:?}");
    let (text, status) = ended.out.rsplit_once('\n').unwrap();
    (status.parse().unwrap(), text.to_string())
}

/// Any local user read root's private store and had root's server check a drive.
#[test]
fn another_user_of_this_machine_is_shown_nothing_unless_the_server_is_told_to() {
    if skip::lacks_root() || skip::lacks_command("curl") {
        return;
    }
    let home = Home::with_run();
    for listen in ["127.0.0.1:0", "127.0.0.2:0", "0.0.0.0:0"] {
        let mut server = Server::start_at(listen, &mut command(&home, &[]));
        server.address = server.address.replace("0.0.0.0", "127.0.0.1");
        for path in ["/", "/runs", "/metrics", "/api/1/now", "/api/1/events", "/assets/live.js"] {
            let (status, text) = read_as(NOBODY, &server, path);
            assert_eq!(status, 403, "{listen}{path}: {text}");
            assert!(text.contains("--allow-local-users"), "{listen}{path}: {text}");
        }
        assert_eq!(read_as(0, &server, "/metrics").0, 200, "root's own");
    }
    let server = Server::start(&mut command(&home, &["--allow-local-users"]));
    assert_eq!(read_as(NOBODY, &server, "/api/1/now").0, 200);
    // Who typed sudo may read what root shows.
    let mut typed = command(&home, &[]);
    let server = Server::start(typed.env("SUDO_UID", "65534").env("SUDO_GID", "65534"));
    assert_eq!(read_as(NOBODY, &server, "/api/1/now").0, 200);
    assert_eq!(read_as(NOBODY - 1, &server, "/api/1/now").0, 403);
}

/// Connections of a user to whom nothing is shown took the places of those who may read.
#[test]
fn who_is_refused_shuts_nobody_out() {
    if skip::lacks_root() || skip::lacks_command("python3") {
        return;
    }
    let home = Home::with_run();
    let server = Server::start(&mut command(&home, &[]));
    let script = "import socket, sys, time\n\
                  host, port = sys.argv[1].split(':')\n\
                  many = [socket.create_connection((host, int(port))) for _ in range(120)]\n\
                  print('open', flush=True)\n\
                  time.sleep(600)\n";
    let mut python = Command::new("python3");
    python.args(["-c", script, &server.address]).uid(NOBODY).gid(NOBODY);
    let mut many = python.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(many.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    for _ in 0..20 {
        assert_eq!(server.get("/api/1/now").status, 200);
    }
    many.kill().unwrap();
    many.wait().unwrap();
}

#[test]
fn an_open_server_warns_that_everyone_can_read() {
    let home = Home::with_run();
    let mut server = Server::start_at("0.0.0.0:0", &mut command(&home, &[]));
    let said = server.process.err();
    assert!(said.contains("Warning: anyone on the network can read these pages"), "{said}");
    server.address = server.address.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(server.get("/api/1/now").status, 200);
}
