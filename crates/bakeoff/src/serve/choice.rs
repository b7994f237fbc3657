//! What a reader may choose to start, and what was chosen: every word of it ours.
//!
//! A plan is one of the built-in ones, a workload is a built-in one, a place or a drive is one of
//! those this server offers, and a time is one that the command line accepts. Nothing is started
//! here.

use std::ffi::OsString;
use std::path::Path;

use bakeoff_core::model::path::RawPath;
use bakeoff_core::plan;
use bakeoff_core::prepare::commands::shell_word;
use bakeoff_core::report::pages::{Choice, NewPage};
use bakeoff_core::{units, workloads};
use rustix::fs::{Access, access};

use super::access::Reader;
use super::app::App;
use super::pages::{Pairs, all, one, printed};
use super::problem::Problem;

/// Time limit of a comparison of places, where none is typed.
const TIME: &str = "3m";
/// Most places compared at once.
const PLACES: usize = 16;

/// What a form asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Measure a place, or compare several.
    Quick {
        /// Directories.
        places: Vec<String>,
        /// Names of workloads; none means the usual ones.
        workloads: Vec<String>,
        /// Time limit.
        time: String,
    },
    /// A built-in plan on a drive.
    Plan {
        /// Its name.
        plan: &'static str,
        /// Path of the drive.
        target: String,
        /// Time limit; none means the plan's own.
        time: Option<String>,
    },
}

/// The form with what was chosen in it.
pub fn form(app: &App, reader: Reader, pairs: &Pairs) -> Result<NewPage, Problem> {
    let chosen = all(pairs, "place");
    let places = places(app)?.into_iter().map(|(value, about)| Choice {
        is_chosen: chosen.contains(&value.as_str()),
        name: value.clone(),
        value,
        about,
    });
    let target = one(pairs, "target");
    let drives = targets(app)?.into_iter().map(|(path, about)| Choice {
        is_chosen: path == target,
        value: path.clone(),
        name: path,
        about,
    });
    let measured = all(pairs, "workload");
    let workloads = workloads::all().into_iter().map(|workload| Choice {
        is_chosen: measured.contains(&workload.name.as_str()),
        value: workload.name.clone(),
        name: workload.name,
        about: workload.summary,
    });
    let wanted = one(pairs, "plan");
    let plans = plan::BUILT_IN.iter();
    let plans = plans.map(|plan| Choice {
        is_chosen: plan.name == wanted,
        value: plan.name.to_string(),
        name: plan.name.to_string(),
        about: plan.summary.to_string(),
    });
    Ok(NewPage {
        can_act: reader.may_act,
        may_erase: app.may_erase,
        places: places.collect(),
        workloads: workloads.collect(),
        plans: plans.collect(),
        drives: drives.collect(),
        time: one(pairs, "time").chars().take(20).collect(),
        ..NewPage::default()
    })
}

/// Drives, and files that are attached as such: path and what it is. Whether one may be erased is
/// for `plan` and `run` to say.
fn targets(app: &App) -> Result<Vec<(String, String)>, Problem> {
    let devices = app.devices()?;
    let about = |what: &str, bytes| format!("{what}, {}", units::size_decimal(bytes));
    let drives = devices.drives.iter().map(|drive| {
        let model = drive.model.as_deref().unwrap_or("no model name");
        (drive.path.clone(), about(model, drive.size_bytes))
    });
    let others = devices.others.iter();
    let others = others.map(|o| (format!("/dev/{}", o.name), about(&o.what, o.size_bytes)));
    Ok(drives.chain(others).collect())
}

/// Directories that can be compared: where drives are mounted, as far as this user can write there.
fn places(app: &App) -> Result<Vec<(String, String)>, Problem> {
    let devices = app.devices()?;
    let mut places: Vec<(String, String)> = Vec::new();
    let home = std::env::var_os("HOME").and_then(|home| home.into_string().ok());
    places.extend(home.map(|home| (home, "home directory".to_string())));
    for drive in &devices.drives {
        let model = drive.model.as_deref().unwrap_or(&drive.name);
        for part in &drive.contents {
            let fs = part.fs.as_deref().unwrap_or("unknown filesystem");
            let mounts = part.mount_points.iter().filter_map(|path| path.as_path().to_str());
            places.extend(mounts.map(|path| (path.to_string(), format!("{fs} on {model}"))));
        }
    }
    let may_write = |path: &str| access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    places.retain(|(path, _)| Path::new(path).is_absolute() && may_write(path));
    places.sort();
    places.dedup_by(|a, b| a.0 == b.0);
    Ok(places)
}

impl Asked {
    /// What a form asks for.
    ///
    /// # Errors
    /// When a word of it is none of ours.
    pub fn from_form(app: &App, pairs: &Pairs) -> Result<Asked, Problem> {
        let time = match one(pairs, "time").trim() {
            "" => None,
            text => {
                units::parse_duration_ns(text).map_err(Problem::bad)?;
                Some(text.to_string())
            }
        };
        match (one(pairs, "plan"), one(pairs, "target")) {
            ("", _) => Asked::quick(app, pairs, time.unwrap_or_else(|| TIME.to_string())),
            (name, target) => {
                let plan = plan::built_in(name).ok_or_else(|| Problem::bad("No such plan."))?;
                match targets(app)?.iter().any(|(path, _)| path == target) {
                    true => Ok(Asked::Plan { plan: plan.name, target: target.to_string(), time }),
                    false => Err(Problem::bad("Choose a drive for the plan.")),
                }
            }
        }
    }

    fn quick(app: &App, pairs: &Pairs, time: String) -> Result<Asked, Problem> {
        let texts =
            |name| -> Vec<String> { all(pairs, name).into_iter().map(str::to_string).collect() };
        let (chosen, measured) = (texts("place"), texts("workload"));
        if chosen.is_empty() {
            return Err(Problem::bad("Choose a directory, or a plan and a drive."));
        }
        let places = places(app)?;
        let is_offered = |place: &String| places.iter().any(|(path, _)| path == place);
        if chosen.len() > PLACES || !chosen.iter().all(is_offered) {
            return Err(Problem::bad("Choose directories from the list."));
        }
        let known = workloads::all();
        let is_known = |name: &String| known.iter().any(|workload| workload.name == *name);
        match measured.len() <= known.len() && measured.iter().all(is_known) {
            true => Ok(Asked::Quick { places: chosen, workloads: measured, time }),
            false => Err(Problem::bad("Choose workloads from the list.")),
        }
    }

    /// What identifies it, so that what is started is what was shown.
    pub fn key(&self) -> String {
        format!("{self:?}")
    }

    /// What it would do: of a plan what `bakeoff plan` prints.
    pub fn preview(&self, app: &App) -> Result<String, Problem> {
        match self {
            Asked::Quick { places, .. } => {
                let verb = if places.len() == 1 { "Measure" } else { "Compare" };
                let words = self.command("");
                let words = words.iter().map(|word| shell_word(&RawPath::new(word)));
                Ok(format!(
                    "{verb} {}.\n\nbakeoff writes a scratch file in each directory (at most 2 GiB \
                     or 1 % of the drive in total) and removes it.\n\n$ bakeoff {}\n",
                    places.join(", "),
                    words.collect::<Vec<_>>().join(" ")
                ))
            }
            Asked::Plan { plan, target, time } => {
                let mut args = vec!["plan", plan, "--target", target];
                args.extend(time.iter().flat_map(|time| ["--time", time]));
                printed(app, &args)
            }
        }
    }

    /// The command line of the run; `token` as it was typed.
    pub fn command(&self, token: &str) -> Vec<OsString> {
        match self {
            Asked::Quick { places, workloads, time } => {
                let mut words = ["quick", "--time", time].map(OsString::from).to_vec();
                let named = workloads.iter().flat_map(|name| ["--workload", name]);
                words.extend(named.chain(["--"]).map(OsString::from));
                words.extend(places.iter().map(OsString::from));
                words
            }
            Asked::Plan { plan, target, time } => {
                let mut words = ["run", plan, "--target", target].map(OsString::from).to_vec();
                words.push(format!("--erase={token}").into());
                words.extend(time.iter().flat_map(|time| ["--time".into(), time.into()]));
                words
            }
        }
    }

    /// Whether a drive is erased.
    pub fn erases(&self) -> bool {
        matches!(self, Asked::Plan { .. })
    }
}
