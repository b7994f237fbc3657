//! Advice: a text, or one that names settings, in the words of the command that was run.
//! `--runtime 60s` is an option of `bench`; in a plan it is `runtime = "60s"`.

use strum::{IntoStaticStr, VariantArray};

use crate::model::verb::Verb;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    Text(String),
    Parts(&'static [Part]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Say(&'static str),
    /// A setting without its value: `--size`, `size`.
    Name(Key),
    /// A switch: `--direct`, `direct = true`.
    On(Key),
    /// A setting with its value: `--runtime 60s`, `runtime = "60s"`.
    Set(Key, &'static str),
}

/// A setting that is an option of `bench` or `run`, and a key of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Key {
    /// Bytes of a request.
    Bs,
    Data,
    Direct,
    /// A flush at the end, in the measured time.
    EndFsync,
    Engine,
    Mode,
    Numjobs,
    RateIops,
    Runtime,
    /// Bytes of the file.
    Size,
    Workload,
}

impl Key {
    pub const ALL: &'static [Key] = <Key as VariantArray>::VARIANTS;

    pub fn option(self) -> &'static str {
        self.into()
    }

    /// The commands beside `bench` that have it as an option.
    pub fn commands(self) -> &'static [Verb] {
        match self {
            Key::Mode => &[Verb::Run],
            Key::Size => &[Verb::Quick],
            Key::Workload => &[Verb::Quick, Verb::Demo],
            _ => &[],
        }
    }

    fn in_plan(self) -> &'static str {
        if self == Key::Workload { "name" } else { self.option() }
    }
}

impl Part {
    fn key(self) -> Option<Key> {
        match self {
            Part::Say(_) => None,
            Part::Name(key) | Part::On(key) | Part::Set(key, _) => Some(key),
        }
    }

    fn as_option(self) -> String {
        match self {
            Part::Say(text) => text.to_string(),
            Part::Name(key) | Part::On(key) => format!("--{}", key.option()),
            Part::Set(key, value) => format!("--{} {value}", key.option()),
        }
    }

    fn in_plan(self) -> String {
        match self {
            Part::Say(text) => text.to_string(),
            Part::Name(key) => key.in_plan().to_string(),
            Part::On(key) => format!("{} = true", key.in_plan()),
            Part::Set(key, value) => format!("{} = \"{value}\"", key.in_plan()),
        }
    }
}

impl Advice {
    /// As whoever ran `verb` can follow it.
    pub fn spelled(&self, verb: &Verb) -> String {
        let parts = match self {
            Advice::Text(text) => return text.clone(),
            Advice::Parts(parts) => parts,
        };
        let plan = match verb {
            Verb::Run => Some(" (in the plan)"),
            Verb::Quick | Verb::Demo => Some(" (in a plan)"),
            Verb::Bench | Verb::Probe | Verb::Simulate | Verb::Other(_) => None,
        };
        let is_for_plan = |part: &Part| {
            plan.is_some() && part.key().is_some_and(|key| !key.commands().contains(verb))
        };
        // "(in the plan)" stands behind the last word that is one of a plan.
        let last = parts.iter().rposition(is_for_plan);
        let spell = |(at, part): (usize, &Part)| match is_for_plan(part) {
            true if Some(at) == last => part.in_plan() + plan.unwrap_or_default(),
            true => part.in_plan(),
            false => part.as_option(),
        };
        parts.iter().enumerate().map(spell).collect()
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Advice {
        Advice::Text(text.to_string())
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Advice {
        Advice::Text(text)
    }
}

impl<const N: usize> From<&'static [Part; N]> for Advice {
    fn from(parts: &'static [Part; N]) -> Advice {
        Advice::Parts(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::Part::{Name, On, Say, Set};
    use super::*;

    fn spelled(verb: Verb, advice: impl Into<Advice>) -> String {
        advice.into().spelled(&verb)
    }

    #[test]
    fn an_option_of_bench_is_a_word_of_the_plan_elsewhere() {
        let longer = &[
            Say("measure longer: "),
            Set(Key::Runtime, "60s"),
            Say(", or flush: "),
            On(Key::EndFsync),
        ];
        assert_eq!(
            spelled(Verb::Bench, longer),
            "measure longer: --runtime 60s, or flush: --end_fsync"
        );
        assert_eq!(
            spelled(Verb::Run, longer),
            "measure longer: runtime = \"60s\", or flush: end_fsync = true (in the plan)"
        );
        let larger = &[Say("use "), On(Key::Direct), Say(", or a larger "), Name(Key::Size)];
        assert_eq!(
            spelled(Verb::Quick, larger),
            "use direct = true (in a plan), or a larger --size"
        );
        assert_eq!(spelled(Verb::Run, larger), "use direct = true, or a larger size (in the plan)");
        let added = &[Say("add "), Set(Key::Workload, "randwrite")];
        assert_eq!(spelled(Verb::Run, added), "add name = \"randwrite\" (in the plan)");
        assert_eq!(spelled(Verb::Demo, added), "add --workload randwrite");
    }

    #[test]
    fn a_text_and_an_option_that_the_command_has_stay() {
        let again = &[Say("again with "), Set(Key::Mode, "precise")];
        assert_eq!(spelled(Verb::Run, again), "again with --mode precise");
        assert_eq!(spelled(Verb::Simulate, again), "again with --mode precise");
        let typed = "look at it: bakeoff bench DEVICE --rw randwrite --runtime 10m";
        assert_eq!(spelled(Verb::Run, typed), typed);
    }
}
