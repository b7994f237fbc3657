//! Advice in the words of the command that was run: `--runtime 60s` is an option of `bench`; in a
//! plan it is `runtime = "60s"`. Rules are written for `bench`, and spelled here for the others.

/// Options that rules speak of, and the commands that have them beside `bench`.
const OPTIONS: [(&str, &[&str]); 14] = [
    ("bs", &[]),
    ("data", &[]),
    ("direct", &[]),
    ("end_fsync", &[]),
    ("engine", &[]),
    ("iodepth", &[]),
    ("io_size", &[]),
    ("mode", &["run"]),
    ("numjobs", &[]),
    ("prove", &["run"]),
    ("rate_iops", &[]),
    ("runtime", &[]),
    ("size", &["quick"]),
    ("workload", &["quick", "demo"]),
];

/// Options without a value, which a plan says as `true`.
const SWITCHES: [&str; 2] = ["direct", "end_fsync"];
/// Words that follow an option as its value; every other word goes on with the sentence.
const VALUES: [&str; 6] = ["decide", "io_uring", "precise", "psync", "randwrite", "random"];

/// `advice` as whoever ran `verb` can follow it.
pub fn spelled(verb: &str, advice: &str) -> String {
    let plan = match verb {
        "run" => " (in the plan)",
        "quick" | "demo" => " (in a plan)",
        _ => return advice.to_string(),
    };
    // What names the command it is for stays as it is.
    if ["bakeoff bench", "bakeoff check --"].iter().any(|command| advice.contains(command)) {
        return advice.to_string();
    }
    let words: Vec<&str> = advice.split(' ').collect();
    let (mut said, mut at) = (Vec::new(), 0);
    let mut changed = None;
    while at < words.len() {
        let (option, after) = split(words[at]);
        let of = option.strip_prefix("--").and_then(|o| OPTIONS.iter().find(|(n, _)| *n == o));
        at += 1;
        let Some((name, _)) = of.filter(|(_, have)| !have.contains(&verb)) else {
            said.push(words[at - 1].to_string());
            continue;
        };
        let next = words.get(at).map(|word| split(word)).filter(|(w, _)| {
            after.is_empty() && (w.starts_with(|c: char| c.is_ascii_digit()) || VALUES.contains(w))
        });
        let key = if *name == "workload" { "name" } else { name };
        said.push(match next {
            Some((value, after)) => format!("{key} = \"{value}\"{after}"),
            None if SWITCHES.contains(name) => format!("{key} = true{after}"),
            None => format!("{key}{after}"),
        });
        at += usize::from(next.is_some());
        changed = Some(said.len() - 1);
    }
    // "(in the plan)" stands behind the last word that is one of a plan, not at the sentence's end.
    if let Some(word) = changed.and_then(|at| said.get_mut(at)) {
        let (key, after) = split(word);
        *word = format!("{key}{plan}{after}");
    }
    said.join(" ")
}

/// A word and the punctuation that follows it.
fn split(word: &str) -> (&str, &str) {
    word.split_at(word.trim_end_matches([',', ';', ':', ')']).len())
}

/// The options that [`spelled`] takes a command to have; for the test that looks at its help.
pub fn options() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    OPTIONS.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_bench_is_a_word_of_the_plan_elsewhere() {
        let longer = "measure longer: --runtime 60s, or flush: --end_fsync";
        assert_eq!(spelled("bench", longer), longer);
        assert_eq!(
            spelled("run", longer),
            "measure longer: runtime = \"60s\", or flush: end_fsync = true (in the plan)"
        );
        assert_eq!(
            spelled("quick", "use --direct, or a --size larger than the memory"),
            "use direct = true (in a plan), or a --size larger than the memory"
        );
        assert_eq!(
            spelled("run", "use a larger --size; seeks"),
            "use a larger size (in the plan); seeks"
        );
        assert_eq!(
            spelled("demo", "again with --mode precise"),
            "again with mode = \"precise\" (in a plan)"
        );
        assert_eq!(
            spelled("run", "add --workload randwrite"),
            "add name = \"randwrite\" (in the plan)"
        );
    }

    #[test]
    fn what_the_command_has_and_what_others_have_stays() {
        for (verb, advice) in [
            ("quick", "use a larger --size"),
            ("run", "again with --mode precise, or --max-write 30g"),
            ("run", "look at it: bakeoff bench DEVICE --rw randwrite --runtime 10m"),
            ("run", "what the generator can do: bakeoff check --engine"),
            ("run", "attach it: losetup --direct-io=on /dev/loop3"),
            ("simulate", "measure longer: --runtime 60s"),
        ] {
            assert_eq!(spelled(verb, advice), advice);
        }
    }
}
