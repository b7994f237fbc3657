//! A `bakeoff serve` that a test talks to, with plain sockets: a test has to send what no browser
//! would.

#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::running::Running;

/// Longest wait for a byte: a busy machine may be slow, a hang is a failure.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A running server; killed when the test forgets it.
pub struct Server {
    pub process: Running,
    /// `127.0.0.1:PORT`.
    pub address: String,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// By name in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl Server {
    /// Starts `command`, which must be `… serve …`, on a free port of this machine.
    pub fn start(command: &mut Command) -> Server {
        Server::start_at("127.0.0.1:0", command)
    }

    /// The same where it says.
    pub fn start_at(listen: &str, command: &mut Command) -> Server {
        let mut process = Running::start(command.args(["--listen", listen]));
        let address = process.until("an address", |run| {
            let said = run.err();
            let line = said.lines().find_map(|line| line.split_once("://"))?.1.to_string();
            Some(line.trim_end_matches('/').to_string())
        });
        // It says everything before it listens for Ctrl-C.
        process.until("its last line", |run| run.err().contains("Ctrl-C stops").then_some(()));
        Server { process, address }
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request with these headers, and reads the answer to its end.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        let mut stream = self.connect();
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        reply(stream)
    }

    /// A page or document.
    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[])
    }

    /// The same, where the server may close the connection at once.
    pub fn get_or_none(&self, path: &str) -> Option<Reply> {
        let mut stream = self.connect();
        let text = format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n");
        stream.write_all(text.as_bytes()).ok()?;
        let is_there = stream.peek(&mut [0]).is_ok_and(|bytes| bytes > 0);
        is_there.then(|| reply(stream))
    }

    /// The stream of events, from after `last`.
    pub fn events(&self, last: Option<&str>) -> Events {
        let mut text = format!("GET /api/1/events HTTP/1.1\r\nHost: {}\r\n", self.address);
        if let Some(last) = last {
            text += &format!("Last-Event-ID: {last}\r\n");
        }
        let mut stream = self.connect();
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        Events(BufReader::new(stream))
    }
}

/// Waits until something is so; not for ever.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn reply(stream: TcpStream) -> Reply {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_default();
    let status = status.parse().unwrap_or_else(|_| panic!("no answer: {line:?}"));
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_string());
    }
    let mut body = Vec::new();
    reader.read_to_end(&mut body).unwrap();
    let body = match headers.get("transfer-encoding").map(String::as_str) {
        Some("chunked") => unchunked(&body),
        _ => body,
    };
    Reply { status, headers, body: String::from_utf8(body).unwrap() }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|pair| pair == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        let start = end + 2;
        whole.extend_from_slice(&body[start..start + size]);
        body = &body[start + size + 2..];
    }
    whole
}

/// A stream of events that is read.
pub struct Events(BufReader<TcpStream>);

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Happened {
    pub name: String,
    pub id: String,
    pub data: String,
}

impl Events {
    /// The next event.
    pub fn next(&mut self) -> Happened {
        let mut event = Happened::default();
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream ended");
            let line = line.trim_end();
            if line.is_empty() && !event.name.is_empty() {
                return event;
            }
            match line.split_once(": ") {
                Some(("event", name)) => event.name = name.to_string(),
                Some(("id", id)) => event.id = id.to_string(),
                Some(("data", data)) => event.data = data.to_string(),
                _ => {}
            }
        }
    }

    /// The next event of that name.
    pub fn until(&mut self, name: &str) -> Happened {
        loop {
            let event = self.next();
            if event.name == name {
                return event;
            }
        }
    }
}
