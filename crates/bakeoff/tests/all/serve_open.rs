//! `bakeoff serve` for other machines: the token, what plain HTTP gives away, and TLS with a
//! certificate of one's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bench::{Ended, ended_of, must};
use crate::skip;
use crate::stored::Home;
use crate::web::Server;

fn command(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(home.store()).arg("serve").args(args).stdin(Stdio::null());
    command.env_remove("SUDO_UID").env_remove("SUDO_GID");
    command
}

#[test]
fn an_open_server_needs_its_token_for_everything_and_says_that_http_is_plain() {
    let home = Home::with_run();
    let mut server = Server::start_at("0.0.0.0:0", &mut command(&home, &[]));
    let said = server.process.err();
    assert!(said.contains("Warning: this is plain HTTP. Anyone on the network"), "{said}");
    let token = server.token.clone().unwrap();
    let kept = std::fs::read_to_string(home.dir.path().join("bakeoff.db.serve-token")).unwrap();
    assert!(!kept.contains(&token), "only its hash is kept");
    server.address = server.address.replace("0.0.0.0", "127.0.0.1");
    for path in ["/api/1/now", "/metrics", "/api/1/events", "/api/1/openapi.json"] {
        assert_eq!(server.get(path).status, 403, "{path}");
    }
    for path in ["/", "/runs", "/new", "/runs/last"] {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.headers["location"].as_str()), (303, "/login"), "{path}");
    }
    let bearer = format!("Bearer {token}");
    let status =
        |bearer: &str| server.send("GET", "/metrics", &[("Authorization", bearer)], "").status;
    assert_eq!((status(&bearer), status(&format!("{bearer}0"))), (200, 403));
    let wrong = format!("Bearer {}", "0".repeat(token.len()));
    assert_eq!((status(&wrong), status("Bearer "), status(&token)), (403, 403, 403));
}

/// A key and a certificate made with it.
fn certificate(home: &Home, name: &str) -> (PathBuf, PathBuf) {
    let file = |end: &str| home.dir.path().join(format!("{name}.{end}"));
    let (cert, key) = (file("pem"), file("key"));
    let mut openssl = Command::new("openssl");
    openssl
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=pi"]);
    openssl.args(["-addext", "subjectAltName=DNS:localhost", "-keyout"]).arg(&key);
    must(openssl.arg("-out").arg(&cert));
    (cert, key)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_certificate_of_ones_own_makes_it_https() {
    if skip::lacks_command("openssl") || skip::lacks_command("curl") {
        return;
    }
    let home = Home::with_run();
    let (cert, key) = certificate(&home, "a");
    let args = ["--tls-cert", text(&cert), "--tls-key", text(&key)];
    let server = Server::start_at("0.0.0.0:0", &mut command(&home, &args));
    let said = server.process.err();
    assert!(said.contains("Serving on https://") && !said.contains("plain HTTP"), "{said}");
    let port = server.address.rsplit(':').next().unwrap();
    let token = server.token.clone().unwrap();
    let curl = |cert: &Path, args: &[&str], path: &str| {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "--noproxy", "*", "--max-time", "120", "--cacert"]).arg(cert).args(args);
        ended_of(curl.arg(format!("https://localhost:{port}{path}")))
    };
    let bearer = format!("Authorization: Bearer {token}");
    let now = curl(&cert, &["-H", &bearer], "/api/1/now");
    assert_eq!((now.code, now.json()["schema"].as_str()), (0, Some("bakeoff/now/1")), "{now:?}");
    // A browser keeps the token for HTTPS only.
    let origin = format!("Origin: https://localhost:{port}");
    let form = format!("token={token}");
    let login = curl(&cert, &["-i", "-H", &origin, "-d", &form], "/login");
    assert!(login.out.contains("303") && login.out.contains("; Secure"), "{login:?}");
    // Of another scheme, who does not know the certificate, who does not speak TLS.
    let plain = format!("Origin: http://localhost:{port}");
    let other = curl(&cert, &["-i", "-H", &plain, "-d", &form], "/login");
    assert!(other.out.contains("403"), "{other:?}");
    let (stranger, _) = certificate(&home, "b");
    assert_eq!(curl(&stranger, &[], "/login").code, 60, "a certificate nobody vouches for");
    let http = ["-sS", "--noproxy", "*", "--max-time", "120"];
    let plain = ended_of(Command::new("curl").args(http).arg(format!("http://localhost:{port}/")));
    assert_ne!((plain.code, plain.out.as_str()), (0, ""), "{plain:?}");
    assert!(plain.out.is_empty(), "nothing is said to who speaks no TLS: {plain:?}");
    assert_eq!(curl(&cert, &[], "/login").code, 0, "and it goes on");
}

#[test]
fn certificates_and_keys_that_do_not_work_are_named() {
    if skip::lacks_command("openssl") {
        return;
    }
    let home = Home::new();
    let (cert, key) = certificate(&home, "a");
    let (_, other) = certificate(&home, "b");
    let empty = home.file("empty.pem", "");
    let text_file = home.file("text.pem", "-----BEGIN CERTIFICATE-----\nno\n");
    let gone = home.dir.path().join("gone.pem");
    let refused = |cert: &Path, key: &Path| -> Ended {
        let args = ["--listen", "127.0.0.1:0", "--tls-cert", text(cert), "--tls-key", text(key)];
        ended_of(&mut command(&home, &args))
    };
    for (cert, key, words) in [
        (&gone, &key, "gone.pem: "),
        (&cert, &gone, "gone.pem: "),
        (&empty, &key, "empty.pem contains no PEM certificate"),
        (&key, &key, "a.key contains no PEM certificate"),
        (&cert, &cert, "a.pem contains no PEM private key"),
        (&text_file, &key, "text.pem: "),
        (&cert, &other, "the key in "),
    ] {
        let ended = refused(cert, key);
        assert_eq!(ended.code, 4, "{words}: {ended:?}");
        assert!(ended.err.contains(words), "{words}: {ended:?}");
    }
    let alone = ended_of(&mut command(&home, &["--tls-cert", text(&cert)]));
    assert!(alone.code == 2 && alone.err.contains("--tls-key"), "{alone:?}");
}
