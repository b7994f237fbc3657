//! The keys of `[[stack]]`: what is put on the region, before anybody asked what is supported.

use super::error::{PlanError, Problem};
use super::made::Planned;
use super::read::{Source, Value};
use crate::model::candidate::{Crypt, Knobs, Stack};
use crate::phrases::nearest;
use crate::prepare::options::{self, OptionProfile};
use crate::prepare::recipe::{self, Recipe};
use crate::prepare::words;

/// I/O schedulers of Linux, each with the name it has now: the kernel takes old names for two of
/// them, and then says the new one, so that nobody could tell whether it still is as it was set.
const SCHEDULERS: [(&str, &str); 6] = [
    ("none", "none"),
    ("mq-deadline", "mq-deadline"),
    ("kyber", "kyber"),
    ("bfq", "bfq"),
    ("deadline", "mq-deadline"),
    ("noop", "none"),
];

/// Governors of Linux (admin-guide/pm/cpufreq.rst).
const GOVERNORS: [&str; 6] =
    ["performance", "powersave", "userspace", "ondemand", "conservative", "schedutil"];

const CRYPT_KEYS: [&str; 6] =
    ["kind", "cipher", "key_bits", "sector_size", "no_read_workqueue", "no_write_workqueue"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedStack {
    /// The plan's own name for it.
    pub name: Option<String>,
    /// Filesystem as the plan names it: a type, `ntfs` for whichever driver, `raw`.
    pub fs: String,
    pub options: OptionProfile,
    /// The plan's words for mkfs, beside the recipe's.
    pub mkfs: Vec<String>,
    /// The plan's mount options, beside the recipe's.
    pub mount: Vec<String>,
    pub crypt: Option<Crypt>,
    pub lvm: bool,
    pub knobs: Knobs,
    pub(super) table: usize,
}

impl PlannedStack {
    /// The recipes it can be made by, the preferred one first; never empty for a parsed plan.
    pub fn recipes(&self) -> Vec<&'static Recipe> {
        recipe::recipes_for(&self.fs)
    }

    pub fn stack(&self, recipe: &Recipe) -> Stack {
        let made = options::stack(recipe, self.options, &self.mkfs, &self.mount);
        Stack { crypt: self.crypt.clone(), lvm: self.lvm, knobs: self.knobs.clone(), ..made }
    }

    /// Whether workloads go to the device itself.
    pub fn is_raw(&self) -> bool {
        self.fs == recipe::RAW
    }

    pub(super) fn set(
        &mut self,
        source: &Source,
        key: &'static str,
        value: &Value,
    ) -> Result<(), PlanError> {
        match key {
            "name" => self.name = Some(source.name(value)?),
            "fs" => {
                let words: Vec<_> = recipe::names().into_iter().map(|w| (w, w)).collect();
                self.fs = source.word("filesystem", value, &words)?.to_string();
            }
            "mkfs" => self.mkfs = source.list(key, value, "a list of strings: [\"-m\", \"0\"]")?,
            "mount" => self.mount = source.list(key, value, "a list of strings: [\"noatime\"]")?,
            "crypt" => self.crypt = crypt(source, value)?,
            "lvm" => self.lvm = source.switch(key, value)?,
            "options" => self.options = source.variant("set of options", value)?,
            "scheduler" => self.knobs.scheduler = Some(setting(source, key, value, &SCHEDULERS)?),
            "governor" => {
                let known = GOVERNORS.map(|name| (name, name));
                self.knobs.governor = Some(setting(source, key, value, &known)?);
            }
            "read_ahead_kb" => self.knobs.read_ahead_kb = Some(source.number32(key, value, 0)?),
            "nr_requests" => self.knobs.nr_requests = Some(source.number32(key, value, 1)?),
            other => unreachable_key(other),
        }
        Ok(())
    }
}

impl Planned for PlannedStack {
    const NAME: &'static str = "stack";
    const TABLE: &'static str = "[[stack]]";
    const KEYS: &'static [&'static str] = &[
        "name",
        "fs",
        "mkfs",
        "mount",
        "crypt",
        "lvm",
        "options",
        "scheduler",
        "read_ahead_kb",
        "nr_requests",
        "governor",
    ];

    fn made(
        source: &Source,
        table: usize,
        picked: Vec<(&'static str, &Value)>,
    ) -> Result<PlannedStack, PlanError> {
        let mut made = PlannedStack { table, ..PlannedStack::default() };
        for (key, value) in picked {
            made.set(source, key, value)?;
        }
        Ok(made)
    }

    fn check(&self) -> Result<(), Problem> {
        let other = |what: &str| Err(what.into());
        let words = !self.mkfs.is_empty() || !self.mount.is_empty();
        if self.fs.is_empty() {
            return other("a stack needs its filesystem: fs = \"ext4\"");
        }
        if self.is_raw() && words {
            return other("raw is not a filesystem: it takes neither mkfs nor mount options");
        }
        for recipe in self.recipes() {
            words::mkfs(recipe.format, &self.mkfs).map_err(Problem::unaccepted)?;
            words::mount(recipe.format, &self.mount).map_err(Problem::unaccepted)?;
        }
        Ok(())
    }

    fn valued(source: &Source, key: &'static str, value: &Value) -> Result<String, PlanError> {
        // A cipher stands for every encryption with it; the whole table is seldom worth writing.
        if key == "crypt" {
            return source.text(key, value).map(str::to_string);
        }
        PlannedStack::made(source, 0, vec![(key, value)]).map(|made| made.value(key))
    }

    fn value(&self, key: &str) -> String {
        let number = |n: &Option<u32>| n.map_or(String::new(), |n| n.to_string());
        match key {
            "name" => self.name.clone().unwrap_or_default(),
            "fs" => self.fs.clone(),
            "mkfs" => self.mkfs.join(" "),
            "mount" => self.mount.join(","),
            "crypt" => self.crypt.as_ref().map_or("none".to_string(), |c| c.cipher.clone()),
            "lvm" => self.lvm.to_string(),
            "options" => self.options.name().to_string(),
            "scheduler" => self.knobs.scheduler.clone().unwrap_or_default(),
            "governor" => self.knobs.governor.clone().unwrap_or_default(),
            "read_ahead_kb" => number(&self.knobs.read_ahead_kb),
            "nr_requests" => number(&self.knobs.nr_requests),
            _ => String::new(),
        }
    }
}

/// The keys were checked against [`Planned::KEYS`] before; a test sets every one of them.
fn unreachable_key(key: &str) {
    debug_assert!(false, "no such key: {key}");
}

/// A name the kernel knows. Kernels have others than these, which are taken as they are; what looks
/// like a slip of a known one is refused.
fn setting(
    source: &Source,
    key: &str,
    value: &Value,
    known: &[(&str, &str)],
) -> Result<String, PlanError> {
    let word = source.text(key, value)?;
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let near = nearest(word, &names).and_then(|near| known.iter().find(|k| k.0 == near));
    match near {
        Some((_, meant)) if *meant != word => {
            let hint = format!("did you mean '{meant}'?");
            Err(source.error(value.span(), Problem::unknown_word(word, key, &hint)))
        }
        _ => Ok(word.to_string()),
    }
}

fn crypt(source: &Source, value: &Value) -> Result<Option<Crypt>, PlanError> {
    const EXPECTED: &str =
        "\"none\" or a table: { cipher = \"aes-xts-plain64\", key_bits = 512, sector_size = 4096 }";
    if value.get_ref().as_str() == Some("none") {
        return Ok(None);
    }
    let table = source.table("crypt", value, EXPECTED)?;
    let mut crypt = Crypt {
        kind: "luks2".to_string(),
        cipher: String::new(),
        key_bits: 0,
        sector_size: None,
        no_read_workqueue: false,
        no_write_workqueue: false,
    };
    for entry in source.entries(table, "crypt", &CRYPT_KEYS)? {
        let (key, value) = (entry.key, entry.value);
        match key {
            "kind" => {
                let kinds = [("luks2", "luks2"), ("plain", "plain")];
                crypt.kind = source.word("kind of encryption", value, &kinds)?.to_string();
            }
            "cipher" => crypt.cipher = cipher(source, value)?,
            "key_bits" => crypt.key_bits = key_bits(source, value)?,
            "sector_size" => crypt.sector_size = Some(sector_size(source, value)?),
            "no_read_workqueue" => crypt.no_read_workqueue = source.switch(key, value)?,
            "no_write_workqueue" => crypt.no_write_workqueue = source.switch(key, value)?,
            other => unreachable_key(other),
        }
    }
    let missing = match (crypt.cipher.is_empty(), crypt.key_bits) {
        (true, _) => Some("its cipher: cipher = \"aes-xts-plain64\""),
        (_, 0) => Some("the size of its key: key_bits = 512"),
        _ => None,
    };
    if let Some(what) = missing {
        let what = format!("crypt needs {what}; results without it cannot be compared with others");
        return Err(source.error(value.span(), what));
    }
    match wrong_key(&crypt) {
        Some(what) => Err(source.error(value.span(), what)),
        None => Ok(Some(crypt)),
    }
}

/// What a cipher says of its key, where the kernel takes no other: XTS splits it into two keys of
/// AES, and Adiantum's stream cipher has one size (crypto/xts.c and crypto/adiantum.c of Linux).
fn wrong_key(crypt: &Crypt) -> Option<String> {
    let sizes: &[u32] = match crypt.cipher.as_str() {
        cipher if cipher.starts_with("aes-xts") => &[256, 384, 512],
        cipher if cipher.contains("adiantum") => &[256],
        _ => return None,
    };
    let listed = sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let (cipher, bits) = (&crypt.cipher, crypt.key_bits);
    let what = || format!("{cipher} takes these key sizes, not {bits}: key_bits = {listed}");
    (!sizes.contains(&bits)).then(what)
}

/// A cipher as cryptsetup(8) takes it: one word that is no option.
fn cipher(source: &Source, value: &Value) -> Result<String, PlanError> {
    let word = source.text("cipher", value)?;
    if words::is_cipher(word) {
        return Ok(word.to_string());
    }
    let hint = "write it as cryptsetup does: aes-xts-plain64, xchacha20,aes-adiantum-plain64";
    Err(source.error(value.span(), Problem::unknown_word(word, "cipher", hint)))
}

fn key_bits(source: &Source, value: &Value) -> Result<u32, PlanError> {
    let bits = source.number32("key_bits", value, 1)?;
    match (64..=1024).contains(&bits) && bits % 8 == 0 {
        true => Ok(bits),
        false => Err(source.error(
            value.span(),
            "key_bits must be a multiple of 8 between 64 and 1024; for XTS it counts both halves",
        )),
    }
}

fn sector_size(source: &Source, value: &Value) -> Result<u32, PlanError> {
    let bytes = source.number32("sector_size", value, 1)?;
    match bytes.is_power_of_two() && (512..=4096).contains(&bytes) {
        true => Ok(bytes),
        false => Err(source.error(value.span(), "sector_size must be 512, 1024, 2048 or 4096")),
    }
}
