//! `bakeoff --version --verbose`: what a bug report needs.

use bakeoff_judge::applications;
use bakeoff_judge::evidence::rule::RULES;
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_model::path::RawPath;

use crate::assets;
use crate::fault::{Fault, Outcome};
use crate::store::place;
use crate::ui::out;

pub fn run() -> Result<Outcome, Fault> {
    let kernel = rustix::system::uname();
    let words = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    let (release, machine) = (words(kernel.release()), words(kernel.machine()));
    let build = if cfg!(debug_assertions) { "development" } else { "release" };
    let charts = if assets::report().js.is_empty() { "without charts" } else { "with charts" };
    let store = place::path(None)?;
    // Reads the tables, so that a build with a broken one ends with this command.
    let (rules, filesystems) = (RULES.len(), RECIPES.len());
    let applications = applications::built_in().applications.len();
    let text = format!(
        "bakeoff {}\n  target   {}\n  build    {build}, {charts}\n  kernel   Linux {release} \
         {machine}\n  SQLite   {}\n  tables   {rules} rules, {filesystems} filesystems, {applications} \
         applications\n  store    {}\n",
        env!("CARGO_PKG_VERSION"),
        env!("BAKEOFF_TARGET"),
        rusqlite::version(),
        RawPath::new(&store)
    );
    Ok(out::print(None, &text).map(|()| Outcome::Done)?)
}
