//! The keys of `[[stack]]`: what is put on the region, before anybody asked what is supported.

use super::error::{PlanError, PlanProblem};
use super::made::Planned;
use super::read::{Field, Key};
use bakeoff_machine::prepare::options::{self, OptionProfile};
use bakeoff_machine::prepare::recipe::{self, Recipe};
use bakeoff_machine::prepare::words;
use bakeoff_model::candidate::{Crypt, Knobs, Stack};
use bakeoff_model::use_state::{Age, MOST_PERCENT, UseState};
use bakeoff_stats::phrases::{choices, nearest};

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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedStack {
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
    /// How it is used before it is measured.
    pub state: UseState,
    pub(super) table: usize,
}

impl PlannedStack {
    /// The recipes it can be made by, the preferred one first; never empty for a parsed plan.
    pub fn recipes(&self) -> Vec<&'static Recipe> {
        recipe::recipes_for(&self.fs)
    }

    pub fn stack(&self, recipe: &Recipe) -> Stack {
        let made = options::stack(recipe, self.options, &self.mkfs, &self.mount);
        let (crypt, knobs) = (self.crypt.clone(), self.knobs.clone());
        Stack { crypt, lvm: self.lvm, knobs, state: self.state, ..made }
    }

    pub fn is_raw(&self) -> bool {
        self.fs == recipe::RAW
    }
}

impl Planned for PlannedStack {
    const TABLE: &'static str = "[[stack]]";
    const KEYS: &'static [Key<Self>] = &[
        ("name", |stack, field| field.name().map(|name| stack.name = Some(name))),
        ("fs", |stack, field| filesystem(field).map(|fs| stack.fs = fs)),
        ("mkfs", |stack, field| {
            field.list("a list of strings: [\"-m\", \"0\"]").map(|words| stack.mkfs = words)
        }),
        ("mount", |stack, field| {
            field.list("a list of strings: [\"noatime\"]").map(|words| stack.mount = words)
        }),
        ("crypt", |stack, field| crypt(field).map(|crypt| stack.crypt = crypt)),
        ("lvm", |stack, field| field.switch().map(|is_on| stack.lvm = is_on)),
        ("options", |stack, field| {
            let options = field.word("set of options", &choices());
            options.map(|options| stack.options = options)
        }),
        ("scheduler", |stack, field| {
            setting(field, &SCHEDULERS).map(|name| stack.knobs.scheduler = Some(name))
        }),
        ("read_ahead_kb", |stack, field| {
            field.number(0..=u32::MAX).map(|kb| stack.knobs.read_ahead_kb = Some(kb))
        }),
        ("nr_requests", |stack, field| {
            field.number(1..=u32::MAX).map(|n| stack.knobs.nr_requests = Some(n))
        }),
        ("governor", |stack, field| {
            let known = GOVERNORS.map(|name| (name, name));
            setting(field, &known).map(|name| stack.knobs.governor = Some(name))
        }),
        ("fill", |stack, field| {
            let share = field.fraction(0.0, f64::from(MOST_PERCENT) / 100.0);
            share.map(|share| stack.state.fill_percent = libm::round(share * 100.0) as u8)
        }),
        ("age", |stack, field| field.variant().map(|age| stack.state.age = age)),
    ];

    fn made(table: usize, fields: Vec<Field>) -> Result<PlannedStack, PlanError> {
        let mut made = PlannedStack { table, ..PlannedStack::default() };
        fields.iter().try_for_each(|field| field.set(&mut made, Self::KEYS))?;
        Ok(made)
    }

    fn check(&self) -> Result<(), PlanProblem> {
        let other = |what: &str| Err(what.into());
        let words = !self.mkfs.is_empty() || !self.mount.is_empty();
        if self.fs.is_empty() {
            return other("a stack needs its filesystem: fs = \"ext4\"");
        }
        if self.is_raw() && words {
            return other("raw is not a filesystem: it takes neither mkfs nor mount options");
        }
        if self.is_raw() && self.state != UseState::default() {
            return other(
                "raw has no files: set fill = \"0%\" and age = \"fresh\" in its [[stack]]",
            );
        }
        if self.state.is_empty() && self.state.age != Age::Fresh {
            return other("age = \"used\" needs files: add fill = \"80%\"");
        }
        // Words could reach something other than the candidate.
        for recipe in self.recipes() {
            words::mkfs(recipe.format, &self.mkfs).map_err(PlanProblem::unaccepted)?;
            words::mount(recipe.format, &self.mount).map_err(PlanProblem::unaccepted)?;
        }
        Ok(())
    }

    fn has(&self, field: &Field) -> Result<bool, PlanError> {
        Ok(match field.key {
            "name" => self.name.as_deref() == Some(field.text()?.trim()),
            // A cipher stands for every encryption with it.
            "crypt" => {
                let cipher = self.crypt.as_ref().map_or("none", |crypt| &crypt.cipher);
                cipher == field.text()?.trim()
            }
            _ => {
                let mut other = self.clone();
                field.set(&mut other, Self::KEYS)?;
                other == *self
            }
        })
    }
}

fn filesystem(field: &Field) -> Result<String, PlanError> {
    let words: Vec<_> = recipe::names().into_iter().map(|word| (word, word)).collect();
    field.word("filesystem", &words).map(str::to_string)
}

/// A name the kernel knows. Kernels have others than these, which are taken as they are; what looks
/// like a slip of a known one is refused.
fn setting(field: &Field, known: &[(&str, &str)]) -> Result<String, PlanError> {
    let word = field.text()?;
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let near = nearest(word, &names).and_then(|near| known.iter().find(|k| k.0 == near));
    match near {
        Some((_, meant)) if *meant != word => {
            let hint = format!("did you mean '{meant}'?");
            Err(field.error(PlanProblem::unknown_word(word, field.key, &hint)))
        }
        _ => Ok(word.to_string()),
    }
}

const CRYPT_KEYS: &[Key<Crypt>] = &[
    ("kind", |crypt, field| {
        let kind = field.word("kind of encryption", &[("luks2", "luks2"), ("plain", "plain")]);
        kind.map(|kind| crypt.kind = kind.to_string())
    }),
    ("cipher", |crypt, field| cipher(field).map(|cipher| crypt.cipher = cipher)),
    ("key_bits", |crypt, field| key_bits(field).map(|bits| crypt.key_bits = bits)),
    ("sector_size", |crypt, field| sector_size(field).map(|bytes| crypt.sector_size = Some(bytes))),
    ("no_read_workqueue", |crypt, field| {
        field.switch().map(|is_on| crypt.no_read_workqueue = is_on)
    }),
    ("no_write_workqueue", |crypt, field| {
        field.switch().map(|is_on| crypt.no_write_workqueue = is_on)
    }),
];

fn crypt(field: &Field) -> Result<Option<Crypt>, PlanError> {
    const EXPECTED: &str =
        "\"none\" or a table: { cipher = \"aes-xts-plain64\", key_bits = 512, sector_size = 4096 }";
    if field.value.get_ref().as_str() == Some("none") {
        return Ok(None);
    }
    let mut crypt = Crypt {
        kind: "luks2".to_string(),
        cipher: String::new(),
        key_bits: 0,
        sector_size: None,
        no_read_workqueue: false,
        no_write_workqueue: false,
    };
    field.source.set(&mut crypt, field.table(EXPECTED)?, "crypt", CRYPT_KEYS)?;
    let missing = match (crypt.cipher.is_empty(), crypt.key_bits) {
        (true, _) => "its cipher: cipher = \"aes-xts-plain64\"",
        (_, 0) => "the size of its key: key_bits = 512",
        _ => return wrong_key(&crypt).map_or(Ok(Some(crypt)), |what| Err(field.error(what))),
    };
    let why = "results without it cannot be compared with others";
    Err(field.error(format!("crypt needs {missing}; {why}")))
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
fn cipher(field: &Field) -> Result<String, PlanError> {
    let word = field.text()?;
    if words::is_cipher(word) {
        return Ok(word.to_string());
    }
    let hint = "write it as cryptsetup does: aes-xts-plain64, xchacha20,aes-adiantum-plain64";
    Err(field.error(PlanProblem::unknown_word(word, "cipher", hint)))
}

fn key_bits(field: &Field) -> Result<u32, PlanError> {
    let bits = field.number(1..=u32::MAX)?;
    if (64..=1024).contains(&bits) && bits % 8 == 0 {
        Ok(bits)
    } else {
        Err(field.error(
            "key_bits must be a multiple of 8 between 64 and 1024; for XTS it counts both halves",
        ))
    }
}

fn sector_size(field: &Field) -> Result<u32, PlanError> {
    match field.number(1..=u32::MAX)? {
        bytes @ (512 | 1024 | 2048 | 4096) => Ok(bytes),
        _ => Err(field.error("sector_size must be 512, 1024, 2048 or 4096")),
    }
}
