//! Advice in the words of the command that was run. Of `{runtime=60s}` in it `bench` has the option
//! `--runtime 60s` and a plan `runtime = "60s"`, of `{direct=true}` `--direct` and `direct = true`;
//! `{size}` is named without a value.

use std::str::FromStr;

use strum::{EnumString, IntoStaticStr, VariantArray};

use bakeoff_model::verb::Verb;

/// A setting that is an option of `bench` or `run`, and a key of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
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

    fn as_option(self, value: &str) -> String {
        match value {
            "" | "true" => format!("--{}", self.option()),
            _ => format!("--{} {value}", self.option()),
        }
    }

    fn in_plan(self, value: &str) -> String {
        let name = if self == Key::Workload { "name" } else { self.option() };
        match value {
            "" => name.to_string(),
            "true" => format!("{name} = true"),
            _ => format!("{name} = \"{value}\""),
        }
    }
}

/// As whoever ran `verb` can follow it.
pub fn spelled(advice: &str, verb: &Verb) -> String {
    let plan = match verb {
        Verb::Run => Some(" (in the plan)"),
        Verb::Quick | Verb::Demo => Some(" (in a plan)"),
        _ => None,
    };
    let (mut said, mut rest, mut last_in_plan) = (String::new(), advice, None);
    while let Some((before, after)) = rest.split_once('{') {
        said.push_str(before);
        let setting = after.split_once('}').and_then(|(setting, after)| {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            Some((Key::from_str(name).ok()?, value, after))
        });
        let Some((key, value, after)) = setting else {
            said.push('{');
            rest = after;
            continue;
        };
        rest = after;
        if plan.is_some() && !key.commands().contains(verb) {
            said.push_str(&key.in_plan(value));
            last_in_plan = Some(said.len());
        } else {
            said.push_str(&key.as_option(value));
        }
    }
    said.push_str(rest);
    // "(in the plan)" stands behind the last word that is one of a plan.
    if let Some((at, plan)) = last_in_plan.zip(plan) {
        said.insert_str(at, plan);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_bench_is_a_word_of_the_plan_elsewhere() {
        let longer = "measure longer: {runtime=60s}, or flush: {end_fsync=true}";
        assert_eq!(
            spelled(longer, &Verb::Bench),
            "measure longer: --runtime 60s, or flush: --end_fsync"
        );
        assert_eq!(
            spelled(longer, &Verb::Run),
            "measure longer: runtime = \"60s\", or flush: end_fsync = true (in the plan)"
        );
        let larger = "use {direct=true}, or a larger {size}";
        assert_eq!(
            spelled(larger, &Verb::Quick),
            "use direct = true (in a plan), or a larger --size"
        );
        assert_eq!(
            spelled(larger, &Verb::Run),
            "use direct = true, or a larger size (in the plan)"
        );
        let added = "add {workload=randwrite}";
        assert_eq!(spelled(added, &Verb::Run), "add name = \"randwrite\" (in the plan)");
        assert_eq!(spelled(added, &Verb::Demo), "add --workload randwrite");
    }

    #[test]
    fn a_text_and_an_option_that_the_command_has_stay() {
        let again = "again with {mode=precise}";
        assert_eq!(spelled(again, &Verb::Run), "again with --mode precise");
        assert_eq!(spelled(again, &Verb::Simulate), "again with --mode precise");
        let typed = "set it in the plan: crypt = { sector_size = 4096, … } or {unknown}";
        assert_eq!(spelled(typed, &Verb::Run), typed);
    }
}
