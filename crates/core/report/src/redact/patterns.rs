//! Values that their form betrays: addresses on networks, UUIDs, user@host and the far end of a
//! network filesystem.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Kind;

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || ".:-@_%".contains(c)
}

pub fn find(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(start) = text[from..].find(is_inside).map(|at| from + at) {
        let rest = &text[start..];
        let stop = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
        // What ends a sentence is not part of its last word.
        let word = rest[..stop].trim_end_matches(['.', ':', '-', '_', '%']);
        if let Some((at, len)) = inside(word) {
            return Some((start + at, start + at + len));
        }
        from = start + stop;
    }
    None
}

pub fn kind(found: &str) -> Kind {
    if is_uuid(found) { Kind::Id } else { Kind::Address }
}

fn inside(word: &str) -> Option<(usize, usize)> {
    if word.contains('@') && word.len() > 2 {
        return Some((0, word.len()));
    }
    let whole = |is: bool| is.then_some((0, word.len()));
    whole(is_ipv4(word) || is_ipv6(word) || is_mac(word) || is_uuid(word))
        // An address with a port, or a prefix before it: "host:192.168.1.5:22".
        .or_else(|| part(word, ':', is_ipv4))
        .or_else(|| part(word, '_', |p| is_uuid(p) || is_ipv4(p)))
        .or_else(|| uuid_within(word))
}

fn part(word: &str, at: char, is: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let mut from = 0;
    for part in word.split(at) {
        if is(part) {
            return Some((from, part.len()));
        }
        from += part.len() + at.len_utf8();
    }
    None
}

fn is_ipv4(word: &str) -> bool {
    word.parse::<Ipv4Addr>().is_ok_and(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

fn is_ipv6(word: &str) -> bool {
    let word = word.split('%').next().unwrap_or_default();
    let is_long = word.matches(':').count() >= 2;
    is_long && word.parse::<Ipv6Addr>().is_ok_and(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

fn is_mac(word: &str) -> bool {
    [':', '-'].iter().any(|between| {
        let pairs: Vec<&str> = word.split(*between).collect();
        let is_pair = |p: &&str| p.len() == 2 && p.bytes().all(|b| b.is_ascii_hexdigit());
        pairs.len() == 6 && pairs.iter().all(is_pair)
    })
}

/// 8-4-4-4-12 hexadecimal digits (RFC 9562).
fn is_uuid(word: &str) -> bool {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = word.split('-').collect();
    groups.len() == LENGTHS.len()
        && groups.iter().zip(LENGTHS).all(|(group, length)| {
            group.len() == length && group.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// A UUID with other words tied to it: "luks-6f1c…".
fn uuid_within(word: &str) -> Option<(usize, usize)> {
    const LENGTH: usize = 36;
    let starts = word.char_indices().map(|(at, _)| at);
    let at = starts
        .take_while(|at| at + LENGTH <= word.len())
        .find(|at| word.get(*at..*at + LENGTH).is_some_and(is_uuid))?;
    Some((at, LENGTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        find(text).map(|(from, to)| &text[from..to])
    }

    #[test]
    fn addresses_and_ids_are_found_wherever_they_are() {
        for (text, value) in [
            ("ping 192.168.1.77, then", "192.168.1.77"),
            ("mounted from 10.1.2.3:/export", "10.1.2.3"),
            ("at fe80::1ff:fe23:4567:890a%eth0 now", "fe80::1ff:fe23:4567:890a%eth0"),
            ("2001:db8::7.", "2001:db8::7"),
            ("mac B8:27:EB:12:34:56", "B8:27:EB:12:34:56"),
            ("UUID=6F1C0A2B-1111-2222-3333-444455556666 x", "6F1C0A2B-1111-2222-3333-444455556666"),
            ("luks-6f1c0a2b-1111-2222-3333-444455556666", "6f1c0a2b-1111-2222-3333-444455556666"),
            ("sshfs ada@atlas.example.org:", "ada@atlas.example.org"),
        ] {
            assert_eq!(found(text), Some(value), "{text}");
        }
        assert_eq!(kind("6f1c0a2b-1111-2222-3333-444455556666"), Kind::Id);
    }

    #[test]
    fn times_versions_and_numbers_are_no_addresses() {
        for text in [
            "at 12:34:56",
            "kernel 6.12.47+rpt-rpi-v8",
            "8:0",
            "fio-3.33",
            "127.0.0.1",
            "::1",
            "0000:01:00.0",
            "4.50 ms",
            "2026-11-24T21:40:00",
        ] {
            assert!(found(text).is_none(), "{text}: {:?}", found(text));
        }
    }
}
