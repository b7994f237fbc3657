//! How many are served at one time, in all and from one address, so that no address shuts the
//! others out.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};

use super::app::locked;

pub struct Crowd {
    most: usize,
    most_of_one: usize,
    inside: Mutex<BTreeMap<IpAddr, usize>>,
}

/// A place inside, until the value goes.
pub struct Place {
    crowd: Arc<Crowd>,
    address: IpAddr,
}

impl Crowd {
    pub fn new(most: usize, most_of_one: usize) -> Arc<Crowd> {
        Arc::new(Crowd { most, most_of_one, inside: Mutex::default() })
    }

    /// A place for that address; `None` while too many are inside.
    pub fn enter(self: &Arc<Crowd>, address: IpAddr) -> Option<Place> {
        let address = network(address);
        let mut inside = locked(&self.inside);
        let all: usize = inside.values().sum();
        let of_one = inside.get(&address).copied().unwrap_or(0);
        if all >= self.most || of_one >= self.most_of_one {
            return None;
        }
        inside.insert(address, of_one + 1);
        drop(inside);
        Some(Place { crowd: Arc::clone(self), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = locked(&self.crowd.inside);
        match inside.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                inside.remove(&self.address);
            }
        }
    }
}

/// One machine can have every address of a /64 (RFC 4291, 2.5.4), and of 127.0.0.0/8.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        ip if ip.is_loopback() => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V4(ip) => ip.into(),
        IpAddr::V6(ip) => Ipv6Addr::from(ip.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_shuts_no_other_out() {
        let crowd = Crowd::new(5, 3);
        let enter = |address: &str| crowd.enter(address.parse().unwrap());
        let mut first: Vec<Place> = (0..3).filter_map(|_| enter("2001:db8::1")).collect();
        assert!(enter("2001:db8::2").is_none(), "the same network");
        let other = enter("192.0.2.1").unwrap();
        let mapped = enter("::ffff:192.0.2.1").unwrap();
        assert!(enter("192.0.2.2").is_none(), "five in all");
        first.pop();
        assert!(enter("192.0.2.2").is_some());
        drop((first, other, mapped));
        assert!(locked(&crowd.inside).is_empty());
    }
}
