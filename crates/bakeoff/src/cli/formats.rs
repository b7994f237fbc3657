//! Which output formats each command has: the one list that help, completions and errors share.

use clap::builder::{EnumValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches, ValueEnum};

use super::{Args, Format};

/// The formats of a command, by its words; none for one that has no choice.
pub fn of_command(command: &str) -> &'static [Format] {
    use Format::{Csv, Json, Markdown, Prometheus, Text};
    match command {
        "devices" | "runs" | "quick" | "demo" | "run" | "resume" => &[Text, Json, Csv, Markdown],
        "show" => &[Text, Json, Csv, Markdown, Prometheus],
        "fit" => &[Text, Json, Markdown, Prometheus],
        "bench" => &[Text, Json],
        "watch" => &[Text, Json, Csv],
        "compare" | "plan" => &[Text, Json, Markdown],
        "probe" | "runs push" => &[Text, Json],
        _ => &[],
    }
}

/// The command line, whose commands offer the formats that they have.
pub fn command() -> Command {
    let all = Args::command();
    let hidden: Vec<Arg> = all
        .get_arguments()
        .filter(|arg| arg.is_global_set() && arg.get_id() != "format")
        .map(|arg| arg.clone().hide(true))
        .collect();
    let listed = groups(&all);
    with_formats(all, "", &hidden).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}\n\n\
         Help for a command: bakeoff COMMAND --help\n"
    ))
}

/// Commands as they are listed: what a user starts with comes first.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Start", &["devices", "quick", "demo", "fit"]),
    ("Compare", &["plan", "run", "resume", "clean"]),
    ("Inspect", &["probe", "watch", "bench"]),
    ("Results", &["runs", "show", "compare", "serve"]),
];

/// The list of commands for the help screen.
fn groups(all: &Command) -> String {
    let line = |name: &&str| {
        let about = all.find_subcommand(name)?.get_about()?;
        Some(format!("  {name:<9}{about}\n"))
    };
    let group = |(title, names): &(&str, &[&str])| {
        format!("{title}:\n{}\n", names.iter().filter_map(line).collect::<String>())
    };
    GROUPS.iter().map(group).collect()
}

/// Gives every command below `all`, whose words are `path`, the formats of its own. Its help leaves
/// out the other options that all commands have.
fn with_formats(all: Command, path: &str, hidden: &[Arg]) -> Command {
    let names: Vec<String> = all.get_subcommands().map(|c| c.get_name().to_string()).collect();
    names.iter().fold(all, |all, name| {
        let path = format!("{path} {name}");
        all.mut_subcommand(name, |one| {
            with_formats(one, &path, hidden).args(hidden).arg(option(path.trim_start()))
        })
    })
}

/// Reads a command line.
///
/// # Errors
/// clap's.
pub fn parse<W>(words: W) -> Result<Args, clap::Error>
where
    W: IntoIterator,
    W::Item: Into<std::ffi::OsString> + Clone,
{
    let matches: ArgMatches = command().try_get_matches_from(words)?;
    Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))
}

/// The option of a command, in place of the one that all have.
fn option(command: &str) -> Arg {
    let formats = of_command(command);
    let help = "Output format (default: text)";
    let arg = Arg::new("format").long("format").value_name("FORMAT").global(true).help(help);
    arg.value_parser(Offered(formats)).hide(formats.is_empty())
}

/// Reads every format, so that the command can say which it has, and offers those.
#[derive(Clone)]
struct Offered(&'static [Format]);

impl TypedValueParser for Offered {
    type Value = Format;

    fn parse_ref(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Format, clap::Error> {
        let own = PossibleValuesParser::new(self.0.iter().map(|format| name(*format)));
        EnumValueParser::<Format>::new().parse_ref(cmd, arg, value).map_err(|all| {
            match own.parse_ref(cmd, arg, value) {
                Err(own) if !self.0.is_empty() => own,
                _ => all,
            }
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// The word for a format.
pub fn name(format: Format) -> String {
    format.to_possible_value().map_or("that".to_string(), |value| value.get_name().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_command_once_and_global_options_only_there() {
        let mut command = command();
        let help = command.render_long_help().to_string();
        for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
            let lines = help.lines().filter(|line| {
                line.strip_prefix("  ").and_then(|l| l.split(' ').next()) == Some(one.get_name())
            });
            assert_eq!(lines.count(), 1, "{}", one.get_name());
        }
        assert!(help.contains("--store") && help.lines().all(|line| line.len() <= 100), "{help}");
        let own = command.find_subcommand_mut("show").unwrap().render_long_help().to_string();
        assert!(own.contains("--format") && !own.contains("--store"), "{own}");
    }

    #[test]
    fn a_command_offers_its_own_formats_and_reads_all() {
        let mut command = command();
        command.build();
        let nested = |one: &Command| {
            let inner = one.get_subcommands().filter(|inner| inner.get_name() != "help");
            let words = |inner: &Command| format!("{} {}", one.get_name(), inner.get_name());
            inner.map(|inner| (words(inner), inner.clone())).collect::<Vec<_>>()
        };
        let all = command.get_subcommands().filter(|one| one.get_name() != "help");
        let all = all.flat_map(|one| {
            std::iter::once((one.get_name().to_string(), one.clone())).chain(nested(one))
        });
        for (words, one) in all {
            let arg = one.get_arguments().find(|arg| arg.get_id() == "format").expect("an option");
            let values = arg.get_possible_values();
            let offered: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
            let own: Vec<String> = of_command(&words).iter().map(|f| name(*f)).collect();
            assert_eq!(offered, own, "{words}");
            assert_eq!(arg.is_hide_set(), own.is_empty(), "{words}");
        }
        for words in ["bakeoff runs rm --format csv last", "bakeoff --format csv runs rm last"] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(parse(&words).unwrap().global.format, Some(Format::Csv), "{words:?}");
        }
        assert!(parse(["bakeoff", "runs", "rm", "--format", "xml", "last"]).is_err());
    }
}
