//! The erase token: what a person types to say which drive may be erased.
//!
//! It has two parts. The first names the drive: the serial number that is printed on it or
//! stored in
//! the card, never a name such as sdb that another drive may have tomorrow. Only where a drive has
//! no serial number its name and size stand in. The second is a fingerprint of the signatures
//! on the
//! drive, so that a token learned yesterday consents to nothing that was put there since. A drive
//! without any signature has none. Two attached drives with one first part (cheap sticks share
//! serial numbers) can be told apart by nobody, so both are refused.

use thiserror::Error;

use super::device::{BlockDevice, System};
use crate::sysinfo::dev::Dev;
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::printable;
use bakeoff_stats::distinct;

const TOKEN_CHARS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum TokenError {
    #[error("no such device. List the drives with `bakeoff devices`")]
    Gone,
    /// Its contents could not be read, and consent would be to what nobody has seen.
    #[error("cannot read its contents. Run as root: sudo bakeoff devices")]
    Unread,
    #[error(
        "{first} and {second} have the same serial number, so a token cannot identify one of them. \
         Unplug one"
    )]
    Duplicate { first: String, second: String },
}

pub fn of_device(dev: Dev, system: &System) -> Result<String, TokenError> {
    let name = name_of(dev, system)?;
    let device = system.device(dev).ok_or(TokenError::Gone)?;
    let contents = device.contents.as_ref().ok_or(TokenError::Unread)?;
    let has_serial = serial_of(device, system).is_some();
    Ok(match (contents.fingerprint(), has_serial) {
        (Some(print), _) => format!("{name}-{print}"),
        (None, true) => name,
        (None, false) => format!("{name}-no-table"),
    })
}

pub fn name_of(dev: Dev, system: &System) -> Result<String, TokenError> {
    let device = system.device(dev).ok_or(TokenError::Gone)?;
    let name = raw(device, system);
    let twin = system.devices.iter().find(|other| {
        other.dev != dev && other.unfit.is_none() && raw(other, system).eq_ignore_ascii_case(&name)
    });
    match twin {
        None => Ok(name),
        Some(twin) => Err(TokenError::Duplicate {
            first: device.layer.name.clone(),
            second: twin.layer.name.clone(),
        }),
    }
}

/// Whether what was typed is the token, letter case and blanks around it aside. The token of an
/// image is its name with escapes for what cannot be shown; the name itself says the same.
pub fn matches(typed: &str, token: &str) -> bool {
    let (typed, token) = (typed.trim(), token.trim());
    typed.eq_ignore_ascii_case(token) || printable(typed.as_bytes()).eq_ignore_ascii_case(token)
}

pub fn are_alike(a: &str, b: &str) -> bool {
    matches(a, b) || matches(b, a)
}

/// The name before anything is compared with it. A partition's is its disk's with its number.
fn raw(device: &BlockDevice, system: &System) -> String {
    let Some(disk) = disk_of(device, system) else { return raw_disk(device) };
    let number = device.layer.name.strip_prefix(&disk.layer.name).unwrap_or_default();
    format!("{}-part{}", raw_disk(disk), number.trim_start_matches('p'))
}

fn disk_of<'a>(device: &BlockDevice, system: &'a System) -> Option<&'a BlockDevice> {
    let below = device.below.first().filter(|_| device.layer.kind == LayerKind::Partition);
    below.and_then(|disk| system.device(*disk))
}

fn serial_of(device: &BlockDevice, system: &System) -> Option<String> {
    typeable(disk_of(device, system).unwrap_or(device).layer.serial.as_deref()?)
}

fn raw_disk(device: &BlockDevice) -> String {
    let layer = &device.layer;
    if let Some(serial) = layer.serial.as_deref().and_then(typeable) {
        return serial;
    }
    format!("{}-{}", typeable(&layer.name).unwrap_or_default(), layer.size_bytes)
}

/// The letters, digits and `._-` of `text`; `None` when too little is left to tell drives apart,
/// as with the serial number 000000000000.
fn typeable(text: &str) -> Option<String> {
    let kept: String = text
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        .take(TOKEN_CHARS)
        .collect();
    let kept = kept.trim_matches(['-', '.']).to_string();
    (kept.len() >= 3 && distinct::sorted(kept.chars()).len() >= 2).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::contents::{Contents, Sign};
    use bakeoff_model::host::Layer;

    fn disk(name: &str, minor: u32, serial: Option<&str>) -> BlockDevice {
        BlockDevice {
            dev: Dev::new(8, minor),
            layer: Layer {
                name: name.to_string(),
                size_bytes: 32_010_928_128,
                serial: serial.map(str::to_string),
                ..Layer::default()
            },
            contents: Some(Contents::default()),
            ..BlockDevice::default()
        }
    }

    fn with(kind: &str, uuid: &str) -> Option<Contents> {
        let sign = Sign { kind: kind.into(), uuid: Some(uuid.into()), ..Sign::default() };
        Some(Contents { signs: vec![sign] })
    }

    fn system(devices: Vec<BlockDevice>) -> System {
        System { devices, ..System::default() }
    }

    #[test]
    fn the_serial_number_when_it_says_anything() {
        let attached = system(vec![
            disk("sda", 0, Some("S3Z8NB0K123456")),
            disk("sdb", 16, Some("000000000000")),
            disk("sdc", 32, Some("\x1b[2J<b>4C53\n0001 99")),
        ]);
        assert_eq!(of_device(Dev::new(8, 0), &attached).as_deref(), Ok("S3Z8NB0K123456"));
        assert_eq!(
            of_device(Dev::new(8, 16), &attached).as_deref(),
            Ok("sdb-32010928128-no-table")
        );
        assert_eq!(of_device(Dev::new(8, 32), &attached).as_deref(), Ok("2Jb4C53000199"));
        assert_eq!(of_device(Dev::new(8, 99), &attached), Err(TokenError::Gone));
    }

    #[test]
    fn changes_with_the_contents_and_keeps_the_name() {
        for serial in [None, Some("S3Z8NB0K123456")] {
            let of_contents = |contents: Option<Contents>| {
                let attached = system(vec![BlockDevice { contents, ..disk("sdb", 16, serial) }]);
                let name = name_of(Dev::new(8, 16), &attached).unwrap();
                (name, of_device(Dev::new(8, 16), &attached))
            };
            let blank = of_contents(Some(Contents::default()));
            let photos = of_contents(with("ext4", "477f0e42"));
            let table = of_contents(with("gpt", "477f0e42"));
            let other = of_contents(with("ext4", "477f0e43"));
            let tokens = [&blank, &photos, &table, &other].map(|(_, token)| token.clone().unwrap());
            for (i, token) in tokens.iter().enumerate() {
                assert!(token.starts_with(&blank.0), "{token}");
                assert!(!tokens[..i].contains(token), "{tokens:?}");
            }
            assert!([&photos, &table, &other].iter().all(|(name, _)| *name == blank.0));
            assert_eq!(of_contents(None).1, Err(TokenError::Unread));
        }
    }

    #[test]
    fn twins_are_refused_and_named_whatever_is_on_them() {
        let mut photos = disk("sda", 0, Some("12345678"));
        photos.contents = with("ext4", "477f0e42");
        let attached = system(vec![photos, disk("sdb", 16, Some("12345678"))]);
        let error = of_device(Dev::new(8, 16), &attached).expect_err("nobody can tell them apart");
        assert_eq!(error, TokenError::Duplicate { first: "sdb".into(), second: "sda".into() });
        assert!(error.to_string().contains("Unplug"), "{error}");
    }

    #[test]
    fn a_name_typed_as_it_is_consents_like_the_escapes_that_are_shown_for_it() {
        let token = printable(b"a\x1b[31m\\.img ");
        assert_eq!(token, "a\\x1b[31m\\x5c.img ");
        for typed in ["a\x1b[31m\\.img ", "a\\x1b[31m\\x5c.img ", "A\x1b[31m\\.IMG\n"] {
            assert!(matches(typed, &token), "{typed:?}");
        }
        assert!(!matches("a[31m.img", &token));
        // What is typed for the first would consent to the second too.
        assert!(are_alike("a\\x5cb", "a\\b") && are_alike("a\\b", "a\\x5cb"));
        assert!(!are_alike("a.img", "b.img"));
    }

    #[test]
    fn a_partition_carries_its_disk() {
        let mut partition = disk("mmcblk0p2", 2, None);
        partition.layer.kind = LayerKind::Partition;
        partition.below = vec![Dev::new(8, 0)];
        let attached = system(vec![disk("mmcblk0", 0, Some("0353445343")), partition]);
        assert_eq!(of_device(Dev::new(8, 2), &attached).as_deref(), Ok("0353445343-part2"));
        assert!(matches("0353445343-PART2\n", "0353445343-part2"));
        assert!(!matches("0353445343", "0353445343-part2"));
    }
}
