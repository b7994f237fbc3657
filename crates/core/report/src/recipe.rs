//! How to make the winner for use: every layer and setting that was measured, as commands to paste.
//!
//! What only a measurement needs is left out: forcing and silence, mkfs and mount without discards,
//! inode tables written at once, a key that ends with the process.

use bakeoff_machine::prepare::recipe::{RAW, recipe_of};
use bakeoff_machine::prepare::steps::{mkfs_argv, shell_word};
use bakeoff_machine::prepare::words;
use bakeoff_model::candidate::{Crypt, Stack};
use bakeoff_model::path::RawPath;

/// Stands for the user's own partition, so that nothing is erased by pasting.
const DEVICE: &str = "/dev/DEVICE";
/// Name of the opened volume, of the volume group and of the logical volume.
const OPENED: &str = "bakeoff_crypt";
const GROUP: &str = "bakeoff";
const VOLUME: &str = "data";

/// The commands that make and mount a stack with all its layers and settings. A record with words
/// that no plan may have gets none.
pub fn make(stack: &Stack) -> Vec<String> {
    if words::check(stack).is_err() {
        return vec![
            "# Not shown: the record contains options that bakeoff does not accept in a plan."
                .to_string(),
        ];
    }
    let mut lines = Vec::new();
    let mut device = DEVICE.to_string();
    if let Some(crypt) = &stack.crypt {
        lines.extend(encrypt(crypt));
        device = format!("/dev/mapper/{OPENED}");
    }
    if stack.lvm {
        lines.push(format!("pvcreate {device}"));
        lines.push(format!("vgcreate {GROUP} {device}"));
        lines.push(format!("lvcreate --name {VOLUME} --extents 100%FREE {GROUP}"));
        device = format!("/dev/{GROUP}/{VOLUME}");
    }
    if stack.fs != RAW {
        let lasting = Stack { mkfs: mkfs_words(stack), ..stack.clone() };
        let mkfs = mkfs_argv(&lasting, &RawPath::new(&device));
        let mkfs: Vec<String> = mkfs.iter().map(shell_word).collect();
        lines.push(mkfs.join(" ") + &warning(&lasting.mkfs, "  # "));
        let word = |text: &str| shell_word(&RawPath::new(text));
        let options = mount_words(stack);
        let given = if options.is_empty() {
            String::new()
        } else {
            format!(" -o {}", word(&options.join(",")))
        };
        let mount = format!("mount -t {}{given} {device} /mnt", word(&stack.fs));
        lines.push(mount + &warning(&options, "  # "));
    }
    lines.extend(settings(stack));
    lines
}

fn encrypt(crypt: &Crypt) -> Vec<String> {
    let size = crypt.sector_size.map_or(String::new(), |bytes| format!(" --sector-size {bytes}"));
    let cipher = shell_word(&RawPath::new(&crypt.cipher));
    let format = format!("--cipher {cipher} --key-size {}{size}", crypt.key_bits);
    let mut queues = String::new();
    for (is_set, flag) in [
        (crypt.no_read_workqueue, " --perf-no_read_workqueue"),
        (crypt.no_write_workqueue, " --perf-no_write_workqueue"),
    ] {
        queues += if is_set { flag } else { "" };
    }
    match crypt.kind.as_str() {
        "plain" => vec![format!(
            "cryptsetup open --type plain --hash sha256 {format}{queues} {DEVICE} {OPENED}"
        )],
        _ => vec![
            format!("cryptsetup luksFormat --type luks2 {format} {DEVICE}"),
            format!("cryptsetup open --type luks2{queues} {DEVICE} {OPENED}"),
        ],
    }
}

fn mkfs_words(stack: &Stack) -> Vec<String> {
    let Some(recipe) = recipe_of(stack) else { return stack.mkfs.clone() };
    let is_fat = recipe.format == "vfat";
    let is_for_bench = |word: &str| match word {
        "-q" | "--quiet" => true,
        // Do not discard; f2fs has a word of its own below.
        "-K" | "--nodiscard" => recipe.options.contains(&"-K"),
        _ => false,
    };
    let mut kept: Vec<String> = Vec::new();
    let mut rest = stack.mkfs.iter().peekable();
    while let Some(word) = rest.next() {
        let value = rest.peek().map_or("", |value| value.as_str());
        match (word.as_str(), value) {
            ("-t", "0") if recipe.format == "f2fs" => {
                rest.next();
            }
            ("-E", list) if recipe.package == "e2fsprogs" => {
                let only_lasting = |item: &&str| {
                    let name = item.split('=').next().unwrap_or(item);
                    !matches!(name, "nodiscard" | "lazy_itable_init" | "lazy_journal_init")
                };
                let list: Vec<&str> = list.split(',').filter(only_lasting).collect();
                if !list.is_empty() {
                    kept.extend([word.clone(), list.join(",")]);
                }
                rest.next();
            }
            (word, _) if is_for_bench(word) && !is_fat => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// The mount options without those that only a measurement needs.
fn mount_words(stack: &Stack) -> Vec<String> {
    let all = stack.mount.iter().flat_map(|options| options.split(','));
    all.filter(|word| !word.is_empty() && *word != "nodiscard").map(str::to_string).collect()
}

/// ` WARNING: …` where an option loses data that an application was told is safe; else nothing.
fn warning(options: &[String], before: &str) -> String {
    let of = |word: &str| match word {
        "nobarrier" | "barrier=0" | "barrier=none" | "fsync_mode=nobarrier" => {
            Some("a power cut can lose synced data and damage the filesystem")
        }
        "data=writeback" => Some("after a crash, files can contain old data"),
        "journal_async_commit" => Some("a power cut can damage the journal"),
        "noauto_da_alloc" | "auto_da_alloc=0" => Some("after a crash, replaced files can be empty"),
        "nointegrity" | "nolog" | "journal_flush_disabled" | "^has_journal" => {
            Some("without a journal, a crash can damage the filesystem and lose files")
        }
        "nodatasum" | "nodatacow" => Some("damaged data is not detected"),
        _ => None,
    };
    let words = options.iter().flat_map(|options| options.split(','));
    let said: Vec<String> =
        words.filter_map(|word| Some(format!("{word}: {}", of(word)?))).collect();
    if said.is_empty() { String::new() } else { format!("{before}WARNING: {}", said.join("; ")) }
}

/// Commands for the kernel settings, until the next start.
fn settings(stack: &Stack) -> Vec<String> {
    let knobs = &stack.knobs;
    let queue = [
        ("scheduler", knobs.scheduler.clone()),
        ("nr_requests", knobs.nr_requests.map(|n| n.to_string())),
        ("read_ahead_kb", knobs.read_ahead_kb.map(|n| n.to_string())),
    ];
    let of_queue = queue.into_iter().filter_map(|(name, value)| {
        Some(format!("echo {} > /sys/block/DISK/queue/{name}", value?))
    });
    let of_cpus = knobs.governor.iter().map(|governor| {
        format!("echo {governor} | tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor")
    });
    of_queue.chain(of_cpus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::prepare::options::{self, OptionProfile};
    use bakeoff_machine::prepare::recipe::{RECIPES, recipes_for};
    use bakeoff_model::candidate::Knobs;

    fn made(fs: &str, mkfs: &[&str], mount: &[&str]) -> Stack {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        options::stack(recipes_for(fs)[0], OptionProfile::Default, &words(mkfs), &words(mount))
    }

    /// "ext4 + luks adiantum: best" printed an unencrypted disk, and "ext4 · kyber" no scheduler.
    #[test]
    fn has_every_layer_and_setting_that_was_measured() {
        let crypt = Crypt {
            kind: "luks2".into(),
            cipher: "xchacha20,aes-adiantum-plain64".into(),
            key_bits: 256,
            sector_size: Some(4096),
            no_read_workqueue: true,
            no_write_workqueue: false,
        };
        let knobs = Knobs {
            scheduler: Some("kyber".into()),
            read_ahead_kb: Some(1024),
            nr_requests: Some(64),
            governor: Some("performance".into()),
        };
        let all = Stack {
            crypt: Some(crypt.clone()),
            lvm: true,
            knobs,
            ..made("ext4", &["-m", "0"], &["commit=60"])
        };
        let plain = Crypt { kind: "plain".into(), ..crypt };
        let on_plain = Stack { crypt: Some(plain), ..made("xfs", &[], &[]) };
        let spelled = [all, on_plain].map(|stack| make(&stack).join("\n"));
        insta::assert_snapshot!(spelled.join("\n\n"));
    }

    #[test]
    fn has_no_words_that_only_a_measurement_needs() {
        for recipe in RECIPES.iter().filter(|r| r.fs != RAW) {
            let stack = recipe.stack();
            let lines = make(&stack).join("\n");
            for word in ["nodiscard", "lazy_", " -K", " -t 0", " -q", "--quiet"] {
                assert!(!lines.contains(word), "{word}: {lines}");
            }
        }
        assert!(make(&made("vfat", &[], &[]))[0].contains("-F 32"));
        let more = made("ext4", &["-E", "stride=4"], &[]);
        assert_eq!(make(&more)[0], "mkfs.ext4 -F -E stride=4 /dev/DEVICE");
    }

    #[test]
    fn warns_on_the_line_of_an_option_that_loses_data() {
        let stack = made("ext4", &["-O", "^has_journal"], &["nobarrier"]);
        let lines = make(&stack);
        assert_eq!(
            lines,
            [
                "mkfs.ext4 -F -O ^has_journal /dev/DEVICE  # WARNING: ^has_journal: without a \
                 journal, a crash can damage the filesystem and lose files",
                "mount -t ext4 -o noatime,nobarrier /dev/DEVICE /mnt  # WARNING: nobarrier: a \
                 power cut can lose synced data and damage the filesystem",
            ]
        );
    }

    #[test]
    fn shows_no_words_of_a_record_that_no_plan_may_have() {
        let mkfs = vec!["-L".into(), "my disk; reboot".into()];
        let stack = Stack::plain("ext4", mkfs, vec!["x=a b\nc".into()], false);
        let lines = make(&stack);
        let [line] = &lines[..] else { panic!("{lines:?}") };
        assert!(line.starts_with("# Not shown"), "{line}");
    }
}
