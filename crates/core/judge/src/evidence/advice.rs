//! Advice in the words of the command that was run. Of `{runtime=60s}` in it `bench` has the option
//! `--runtime 60s` and a plan `runtime = "60s"`, of `{direct=true}` `--direct` and `direct = true`;
//! `{size}` is named without a value.

use bakeoff_model::verb::Verb;

/// Settings that are options of `bench` and keys of a plan, each with the other commands that have
/// it as an option.
pub const SETTINGS: [(&str, &[Verb]); 11] = [
    ("bs", &[]),
    ("data", &[]),
    ("direct", &[]),
    ("end_fsync", &[]),
    ("engine", &[]),
    ("mode", &[Verb::Run]),
    ("numjobs", &[]),
    ("rate_iops", &[]),
    ("runtime", &[]),
    ("size", &[Verb::Quick]),
    ("workload", &[Verb::Quick, Verb::Demo]),
];

fn as_option(name: &str, value: &str) -> String {
    match value {
        "" | "true" => format!("--{name}"),
        _ => format!("--{name} {value}"),
    }
}

fn in_plan(name: &str, value: &str) -> String {
    let name = if name == "workload" { "name" } else { name };
    match value {
        "" => name.to_string(),
        "true" => format!("{name} = true"),
        _ => format!("{name} = \"{value}\""),
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
            let (name, commands) = SETTINGS.iter().find(|(known, _)| *known == name)?;
            Some((*name, *commands, value, after))
        });
        let Some((name, commands, value, after)) = setting else {
            said.push('{');
            rest = after;
            continue;
        };
        rest = after;
        if plan.is_some() && !commands.contains(verb) {
            said.push_str(&in_plan(name, value));
            last_in_plan = Some(said.len());
        } else {
            said.push_str(&as_option(name, value));
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
        assert_eq!(spelled(again, &Verb::Probe), "again with --mode precise");
        let typed = "set it in the plan: crypt = { sector_size = 4096, … } or {unknown}";
        assert_eq!(spelled(typed, &Verb::Run), typed);
    }
}
