//! Encryption between region and filesystem: the commands of dm-crypt, LUKS2 and plain.
//!
//! The key is random, is read by cryptsetup on its standard input and ends with our process; there
//! are no passphrases. pbkdf2 with its least number of iterations, because the usual argon2 takes
//! seconds and half the memory of a small board, and deriving a key is no part of what is
//! measured. Discards pass or do not for all stacks alike. Source: cryptsetup(8),
//! cryptsetup-luksFormat(8), cryptsetup-open(8).

use bakeoff_model::candidate::Crypt;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::{Action, Step};
use bakeoff_model::undo::{Undo, Volume};

/// Bytes of key material handed to cryptsetup, whatever the cipher takes.
pub const KEY_BYTES: usize = 64;
/// The fewest iterations of PBKDF2 that cryptsetup takes.
const PBKDF2_ITERATIONS: &str = "1000";

/// Name of the opened volume in /dev/mapper; carries the run id, and the slot of a stack that
/// stands beside others.
pub fn mapper_name(run: &str, slot: u16) -> String {
    match slot {
        0 => format!("bakeoff-{run}-crypt"),
        slot => format!("bakeoff-{run}-crypt{slot}"),
    }
}

pub fn mapper_path(run: &str, slot: u16) -> RawPath {
    RawPath::new(format!("/dev/mapper/{}", mapper_name(run, slot)))
}

/// Whether it writes a header on the device; plain dm-crypt has none.
pub fn has_header(crypt: &Crypt) -> bool {
    crypt.kind != "plain"
}

/// Write a LUKS2 header.
pub fn format(step: u32, name: &str, crypt: &Crypt, device: &RawPath) -> Step {
    let key_bits = crypt.key_bits.to_string();
    let mut argv = words(&["cryptsetup", "luksFormat", "--batch-mode", "--type", "luks2"]);
    argv.extend(words(&["--cipher", &crypt.cipher, "--key-size", &key_bits]));
    argv.extend(words(&["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", PBKDF2_ITERATIONS]));
    if let Some(bytes) = crypt.sector_size {
        argv.extend(words(&["--sector-size", &bytes.to_string()]));
    }
    argv.extend(words(&["--key-file", "-"]));
    argv.push(device.clone());
    Step::new(step, format!("encrypt for {name}"), Action::RunWithKey { argv })
        .destroying(format!("everything on {device}"))
}

/// Open the volume under a name that carries the run id. The device is the filesystem's from then
/// on: [`mapper_path`].
pub fn open(
    step: u32,
    name: &str,
    crypt: &Crypt,
    (run, slot): (&str, u16),
    (device, discards): (&RawPath, bool),
) -> Step {
    let mapper = mapper_name(run, slot);
    let mut argv = words(&["cryptsetup", "open", "--batch-mode", "--key-file", "-"]);
    if !has_header(crypt) {
        let key_bits = crypt.key_bits.to_string();
        argv.extend(words(&["--type", "plain", "--cipher", &crypt.cipher]));
        argv.extend(words(&["--key-size", &key_bits]));
        if let Some(bytes) = crypt.sector_size {
            argv.extend(words(&["--sector-size", &bytes.to_string()]));
        }
    } else {
        argv.extend(words(&["--type", "luks2"]));
    }
    let flags = [
        (discards, "--allow-discards"),
        (crypt.no_read_workqueue, "--perf-no_read_workqueue"),
        (crypt.no_write_workqueue, "--perf-no_write_workqueue"),
    ];
    argv.extend(
        flags.into_iter().filter(|(wanted, _)| *wanted).map(|(_, flag)| RawPath::new(flag)),
    );
    argv.extend([device.clone(), RawPath::new(&mapper)]);
    let destroys = (!has_header(crypt)).then(|| format!("everything on {device}"));
    Step {
        step,
        why: format!("open the encrypted volume of {name}"),
        action: Action::RunWithKey { argv },
        undo: Some(Undo::RemoveVolume(Volume::Crypt(slot))),
        destroys,
    }
}

fn words(list: &[&str]) -> Vec<RawPath> {
    list.iter().map(RawPath::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::commands::describe;

    fn aes() -> Crypt {
        Crypt {
            kind: "luks2".into(),
            cipher: "aes-xts-plain64".into(),
            key_bits: 512,
            sector_size: None,
            no_read_workqueue: false,
            no_write_workqueue: false,
        }
    }

    #[test]
    fn the_commands_of_each_kind() {
        let device = RawPath::new("/dev/loop0");
        let adiantum = Crypt {
            cipher: "xchacha20,aes-adiantum-plain64".into(),
            key_bits: 256,
            sector_size: Some(4096),
            no_read_workqueue: true,
            no_write_workqueue: true,
            ..aes()
        };
        let plain = Crypt { kind: "plain".into(), sector_size: Some(4096), ..aes() };
        let lines: Vec<String> = [aes(), adiantum, plain]
            .iter()
            .flat_map(|crypt| {
                let opened =
                    open(1, "ext4", crypt, ("0123456789abcdef", 0), (&device, crypt == &aes()));
                let formatted = format(0, "ext4", crypt, &device);
                has_header(crypt).then_some(formatted).into_iter().chain([opened])
            })
            .map(|step| describe(&step.action))
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn the_opened_volume_has_its_way_back_and_carries_the_run() {
        let device = RawPath::new("/dev/sdb");
        let step = open(1, "x", &aes(), ("0123456789abcdef", 3), (&device, false));
        assert_eq!(step.undo, Some(Undo::RemoveVolume(Volume::Crypt(3))));
        assert_eq!(mapper_name("0123456789abcdef", 0), "bakeoff-0123456789abcdef-crypt");
        assert_eq!(mapper_name("0123456789abcdef", 3), "bakeoff-0123456789abcdef-crypt3");
    }
}
