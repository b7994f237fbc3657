//! Talks with the first process of a guest (init.sh) through a socket: a script there, its exit
//! code and output back.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::tool;

/// Longest answer that is taken.
const ANSWER_BYTES: usize = 256 << 20;

/// What a script printed and how it ended.
#[derive(Clone, Debug)]
pub struct Output {
    /// Exit code; 128 and more: ended by a signal.
    pub code: i32,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
}

impl Output {
    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard error as text.
    pub fn error(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

/// A connection.
pub struct Port {
    socket: UnixStream,
    buffer: Vec<u8>,
}

impl Port {
    /// Connects to QEMU's end, as soon as it is there.
    pub fn connect(path: &Path) -> Result<Port> {
        let socket = connect(path)?;
        socket.set_read_timeout(Some(Duration::from_millis(200)))?;
        Ok(Port { socket, buffer: Vec::new() })
    }

    /// Waits until the guest is up.
    pub fn wait_ready(&mut self, limit: Duration) -> Result<()> {
        let end = Instant::now() + limit;
        self.wait_for(b"\n@@ready\n", end).map(drop)
    }

    /// Runs a script.
    pub fn run(&mut self, script: &str, limit: Duration) -> Result<Output> {
        let end = Instant::now() + limit;
        self.socket.write_all(format!("{}\n@@run\n", script.trim_end()).as_bytes())?;
        self.wait_for(b"\n@@done ", end)?;
        let head = self.wait_for(b"\n", end)?;
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut numbers = head.split_whitespace().map(str::parse);
        let (Some(Ok(code)), Some(Ok(out)), Some(Ok(err))) =
            (numbers.next(), numbers.next(), numbers.next())
        else {
            bail!("an answer with no lengths: {head:?}");
        };
        let (out, err) = (usize::try_from(out)?, usize::try_from(err)?);
        let (out, err) = (self.take(out, end)?, self.take(err, end)?);
        Ok(Output { code, out, err })
    }

    /// Everything before a mark, which is dropped with it.
    fn wait_for(&mut self, mark: &[u8], end: Instant) -> Result<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(mark.len()).position(|window| window == mark) {
                let before = self.buffer.drain(..at + mark.len()).take(at).collect();
                return Ok(before);
            }
            self.read(end)?;
        }
    }

    /// So many bytes.
    fn take(&mut self, count: usize, end: Instant) -> Result<Vec<u8>> {
        if count > ANSWER_BYTES {
            bail!("an answer of {count} bytes; {ANSWER_BYTES} at most");
        }
        while self.buffer.len() < count {
            self.read(end)?;
        }
        Ok(self.buffer.drain(..count).collect())
    }

    fn read(&mut self, end: Instant) -> Result<()> {
        let mut bytes = [0; 1 << 16];
        match self.socket.read(&mut bytes) {
            Ok(0) => bail!("the guest has ended"),
            Ok(count) => self.buffer.extend_from_slice(&bytes[..count]),
            // A stopped machine that goes on interrupts a read that has a time limit.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) =>
            {
                if Instant::now() > end {
                    bail!("the guest did not answer in time");
                }
            }
            Err(error) => return Err(error).context("reading from the guest"),
        }
        Ok(())
    }
}

/// Connects to a socket that QEMU is about to make.
pub fn connect(path: &Path) -> Result<UnixStream> {
    tool::retry(Duration::from_secs(120), || Ok(UnixStream::connect(path)?))
        .context("QEMU made no socket")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_may_look_like_the_protocol() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"noise\n@@done 3 10 2\n\n@@done 0 er").unwrap();
        let mut port = Port { socket: ours, buffer: Vec::new() };
        let output = port.run("true", Duration::from_secs(5)).unwrap();
        assert_eq!(
            (output.code, output.text(), output.error()),
            (3, "\n@@done 0 ".into(), "er".into())
        );
    }
}
