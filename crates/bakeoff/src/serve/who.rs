//! Which user of this machine is at the other end of a connection.
//!
//! The kernel lists every TCP socket of this machine with its owner (proc_net_tcp.rst). The socket
//! at the other end of a connection from this machine is among them: its addresses are ours the
//! other way round. One from another machine is not.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::files::user::OtherUser;
use crate::host;

const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(10);

/// Who may read, of the users of this machine.
#[derive(Clone, Debug)]
pub struct Readers {
    uids: Option<Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Visitor {
    /// The address by which connections are counted ([`super::crowd`]).
    pub address: IpAddr,
    pub refusal: Option<&'static str>,
}

impl Readers {
    /// Every user of this machine, or those whose server it is: its own user, root, and under sudo
    /// the user who typed it.
    pub fn new(all_local: bool) -> Readers {
        let own = rustix::process::geteuid().as_raw();
        let behind = OtherUser::behind_sudo().map(|user| user.uid());
        Readers { uids: (!all_local).then(|| [own, 0].into_iter().chain(behind).collect()) }
    }

    pub fn has_all_local(&self) -> bool {
        self.uids.is_none()
    }

    pub fn visitor(&self, client: SocketAddr, server: SocketAddr) -> Visitor {
        let refusal = match &self.uids {
            None => None,
            Some(uids) => match owner(client, server) {
                Ok(Some(uid)) => (!uids.contains(&uid)).then_some(
                    "This server belongs to another user of this machine. Its owner can show its \
                     pages to all users with: bakeoff serve --allow-local-users",
                ),
                // From another machine: who listens on the network shows its pages there.
                Ok(None) if !client.ip().to_canonical().is_loopback() => None,
                Ok(None) | Err(_) => Some(
                    "Cannot determine which user asks, because the connection is not in \
                     /proc/net/tcp. Start the server with --allow-local-users to show its pages \
                     to all users of this machine.",
                ),
            },
        };
        Visitor { address: client.ip().to_canonical(), refusal }
    }
}

/// The user whose socket is at `client`, connected to `server`; `None` where this machine has no
/// such socket.
fn owner(client: SocketAddr, server: SocketAddr) -> io::Result<Option<u32>> {
    for attempt in 0..TRIES {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        for table in host::TCP_TABLES {
            let file = match File::open(table) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && table.ends_with('6') => {
                    continue;
                }
                opened => opened?,
            };
            for line in BufReader::new(file).lines() {
                if let Some(uid) = owner_in(&line?, client, server) {
                    return Ok(Some(uid));
                }
            }
        }
    }
    Ok(None)
}

/// The owner in a line of the list, where it is of the socket at `client`. One that no process has
/// any more has no owner: its inode is 0, and the list says root.
fn owner_in(line: &str, client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().take(10).collect();
    let [_, local, remote, _, _, _, _, uid, _, inode] = fields.as_slice() else { return None };
    let is_it = same(parsed(local)?, client) && same(parsed(remote)?, server) && *inode != "0";
    is_it.then(|| uid.parse().ok())?
}

/// Whether two addresses are one. A socket of IPv6 may be connected to an address of IPv4.
fn same(a: SocketAddr, b: SocketAddr) -> bool {
    a.port() == b.port() && a.ip().to_canonical() == b.ip().to_canonical()
}

/// `0100007F:1F90`: words of 32 bits as this machine has them in memory.
fn parsed(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(address.get(at..at + 8)?, 16).ok();
    let ip = match address.len() {
        8 => IpAddr::from(word(0)?.to_ne_bytes()),
        32 => {
            let mut bytes = [0; 16];
            for (i, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(8 * i)?.to_ne_bytes());
            }
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    #[cfg(target_endian = "little")]
    fn the_owner_is_of_the_socket_at_the_other_end_and_not_of_ours() {
        let line = "   7: 0100007F:C350 0200007F:1F90 01 00000000:00000000 00:00000000 00000000  \
                    1000        0 12345 1 0000000000000000 20 4 30 10 -1";
        let [client, server] =
            ["127.0.0.1:50000", "127.0.0.2:8080"].map(|text| text.parse().unwrap());
        assert_eq!(owner_in(line, client, server), Some(1000));
        assert_eq!(owner_in(line, server, client), None);
        assert_eq!(owner_in(line, "127.0.0.1:50001".parse().unwrap(), server), None);
        assert_eq!(owner_in(&line.replace("12345", "0"), client, server), None, "of nobody");
        let mapped = "   0: 0000000000000000FFFF00000100007F:C350 \
                      0000000000000000FFFF00000200007F:1F90 01 0:0 0:0 0  1000 0 12345";
        assert_eq!(owner_in(mapped, client, server), Some(1000));
        assert_eq!(parsed("00000000000000000000000001000000:0050"), "[::1]:80".parse().ok());
        for cut in ["", "  sl  local_address rem_address", "0: 0:0 0:0", &line[..60]] {
            assert_eq!(owner_in(cut, client, server), None, "{cut}");
        }
    }

    #[test]
    fn a_connection_of_this_process_is_of_its_user() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // A machine may have no IPv6.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (client, server) = (stream.local_addr().unwrap(), stream.peer_addr().unwrap());
            let own = rustix::process::geteuid().as_raw();
            assert_eq!(owner(client, server).unwrap(), Some(own), "{address}");
            assert!(Readers::new(false).visitor(client, server).refusal.is_none());
            let others = Readers { uids: Some(vec![own.wrapping_add(1)]) };
            let refusal = others.visitor(client, server).refusal.unwrap();
            assert!(refusal.contains("--allow-local-users"), "{refusal}");
        }
        let [nowhere, server] = ["127.0.0.1:1", "127.0.0.1:2"].map(|text| text.parse().unwrap());
        assert!(Readers::new(false).visitor(nowhere, server).refusal.is_some());
        assert!(Readers::new(true).visitor(nowhere, server).refusal.is_none());
        let far = "192.0.2.7:1".parse().unwrap();
        assert!(Readers::new(false).visitor(far, server).refusal.is_none(), "the network");
    }
}
