//! fio's options as `bakeoff bench` takes them: from a command line or a section of a job file.
//!
//! People type what they typed at fio. Each of fio's options is one of five things here: an option
//! of `bench` of the same meaning, other words of `bench`, something `bench` always does, something
//! without an effect (which is said), or something `bench` does not do (refused with the reason).
//! The list is [`table`]; a test compares it with the options of the installed fio. What `bench`
//! makes of the words is the command's business. Source: fio 3.33, HOWTO.

pub mod split;
pub mod table;
mod values;

use self::table::{OptionEntry, Taken};
use super::jobfile::Section;

/// An option of fio's as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub name: String,
    pub typed: String,
    /// Its value; a word alone stands for `1`.
    pub value: String,
}

/// Where options were written. Defaults that differ from fio's hold at the command line only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Line,
    File,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub name: Option<String>,
    pub files: Option<String>,
    pub words: Vec<String>,
    pub notes: Vec<String>,
    pub waits: bool,
    pub given: Vec<Given>,
}

/// The job that these options describe.
///
/// # Errors
/// The option that `bench` does not take, why, and what does it.
pub fn asked(name: Option<&str>, given: &[Given], from: From) -> Result<Asked, String> {
    let (name, given) = (name.map(str::to_string), given.to_vec());
    let files = name.clone();
    let mut asked = Asked { name, files, given: given.clone(), ..Asked::default() };
    let is_skewed = given
        .iter()
        .any(|one| one.name == "random_distribution" && !one.value.starts_with("random"));
    let last = |name: &str| given.iter().rfind(|one| table::canonical(&one.name) == name);
    let is_on = |name: &str| last(name).is_some_and(|one| one.value != "0");
    for one in &given {
        let name = table::canonical(&one.name);
        let is_overruled = match name {
            // A distribution of its own has no map of what was visited.
            "norandommap" => is_skewed,
            // fio goes on until the time is over.
            "io_size" => is_on("time_based") && last("runtime").is_some(),
            _ => false,
        };
        if !is_overruled {
            one.take(name, from, &mut asked)?;
        }
    }
    let value = |name: &str| last(name).map(|one| one.value.as_str());
    if value("ioengine") == Some("posixaio") && !matches!(value("iodepth"), None | Some("1")) {
        asked.add("engine", "io_uring");
    }
    asked.waits = is_on("stonewall");
    let ends_at_size =
        last("runtime").is_some() && !is_on("time_based") && last("io_size").is_none();
    match from {
        From::File => asked.fill_in(ends_at_size),
        From::Line if ends_at_size && asked.name.is_some() => asked.notes.push(
            "--runtime: bakeoff runs for the full time, like fio with --time_based. To end \
             earlier, after --size bytes, add --io_size with the same number"
                .to_string(),
        ),
        From::Line => {}
    }
    Ok(asked)
}

/// The job of a job file's section, after options for all jobs; of one that comes twice the last
/// one counts. `variable` gives what is set in the environment.
///
/// # Errors
/// As [`asked`], with the line.
pub fn of_section(
    section: &Section,
    before: &[Given],
    variable: Variable<'_>,
) -> Result<Asked, String> {
    let mut all = before.to_vec();
    for (name, value, line) in &section.options {
        let at_line = |error| format!("line {line}: {error}");
        let value = expand(value, variable);
        let value = value.map_err(|why| at_line(format!("{name}: {why}")))?;
        let one = Given { name: name.clone(), typed: name.clone(), value };
        // By itself first, so that the error can name its line.
        let canonical = table::canonical(&one.name);
        one.take(canonical, From::File, &mut Asked::default()).map_err(at_line)?;
        all.push(one);
    }
    // A name in [global] is that of no job.
    let own = section.options.iter().skip(section.global).rfind(|(name, ..)| name == "name");
    let own = own.and_then(|(_, value, _)| expand(value, variable).ok());
    let asked = asked(Some(&section.name), &all, From::File)?;
    Ok(Asked { name: own.or(asked.name), ..asked })
}

/// Gives the value of an environment variable.
pub type Variable<'v> = &'v dyn Fn(&str) -> Option<String>;

/// The value with `${NAME}` replaced. Values that fio would compute are refused.
fn expand(value: &str, variable: Variable<'_>) -> Result<String, String> {
    let is_computed = value.starts_with('(') && value.ends_with(')');
    if is_computed || ["$pagesize", "$mb_memory", "$ncpus"].iter().any(|word| value.contains(word))
    {
        return Err("bench does not compute values. Write the number".to_string());
    }
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, after) = behind.split_once('}').ok_or("a variable without its }")?;
        let set = variable(name).ok_or_else(|| {
            format!("the variable {name} is not set. Set it: {name}=… bakeoff bench …")
        })?;
        out.push_str(before);
        out.push_str(&set);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

impl Given {
    fn take(&self, name: &str, from: From, asked: &mut Asked) -> Result<(), String> {
        let value = self.value.as_str();
        let shown = || match value {
            "1" => format!("--{}", self.typed),
            value => format!("--{}={value}", self.typed),
        };
        let entry = table::find(name)
            .ok_or_else(|| format!("{} is not an option of fio 3.33 or of bench", shown()))?;
        match entry.taken {
            Taken::Same => asked.add(name, value),
            Taken::Called(own) => asked.add(own, value),
            Taken::Worded(_) => {
                let (word, note) = values::worded(name, value, from)
                    .map_err(|why| format!("{}: {why}", shown()))?;
                if let Some((name, value)) = word {
                    asked.add(name, &value);
                }
                asked.notes.extend(note.map(|note| format!("{}: {note}", shown())));
            }
            Taken::Always(_) => {}
            Taken::Idle(why) => asked.notes.push(format!("{} has no effect: {why}", shown())),
            Taken::Refused(why) if !entry.is_default(value) => {
                return Err(format!("{}: {why}", shown()));
            }
            Taken::Refused(_) => {}
        }
        Ok(())
    }
}

impl OptionEntry {
    fn is_default(&self, value: &str) -> bool {
        ["0", "none"].contains(&value) || self.default == Some(value)
    }
}

impl Asked {
    /// An option; of one that comes twice the last one counts, as in fio.
    fn add(&mut self, name: &str, value: &str) {
        let start = format!("--{name}=");
        self.words.retain(|word| !word.starts_with(&start));
        self.words.push(start + value);
    }

    fn value(&self, name: &str) -> Option<&str> {
        let start = format!("--{name}=");
        self.words.iter().find_map(|word| word.strip_prefix(&start))
    }

    /// fio's defaults where those of `bench` differ.
    fn fill_in(&mut self, ends_at_size: bool) {
        if self.value("rw").is_none() {
            self.add("rw", "read");
        }
        let is_random = self.value("rw").is_some_and(|rw| rw.starts_with("rand"));
        if is_random && self.value("offsets").is_none() {
            self.add("offsets", "once");
        }
        if self.value("invalidate").is_none() {
            self.add("invalidate", "1");
        }
        if ends_at_size {
            self.add("io_size", "100%");
        }
    }
}

#[cfg(test)]
mod tests;
