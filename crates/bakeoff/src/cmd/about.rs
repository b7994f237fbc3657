//! `bakeoff --version --verbose`: what this program is, and where its store is.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use bakeoff_judge::applications;
use bakeoff_judge::evidence::rule::RULES;
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_model::path::RawPath;
use bakeoff_report::about::{About, StoreFacts, TableSizes};
use bakeoff_report::{about_document, about_json};

use super::{answer, stored};
use crate::assets;
use crate::cli::{Format, formats};
use crate::fault::{Fault, Outcome};
use crate::store::{LAYOUT, Records, Sqlite, StoreError, place};

/// Whether the program needs no shared library: only what links it knows.
static IS_STATIC: OnceLock<bool> = OnceLock::new();

pub fn set_static(is_static: bool) {
    // A second call would say the same.
    let _ = IS_STATIC.set(is_static);
}

pub fn run(typed: Vec<OsString>) -> Result<Outcome, Fault> {
    let is_other = |word: &OsString| !["--version", "-V", "--verbose"].iter().any(|w| word == w);
    let args = formats::parse(typed.into_iter().filter(is_other));
    // What is wrong with the rest of the line takes nothing from the version.
    let global = args.map(|args| args.global).ok();
    let store = global.as_ref().and_then(|global| global.store.clone());
    let about = gather(store.as_deref());
    let format = global.and_then(|global| global.format).unwrap_or(Format::Text);
    if !matches!(format, Format::Text | Format::Json) {
        return Err(stored::no_format(format, "--version", "text or json"));
    }
    answer::print_either(format, || about_json(&about), || about_document(&about))?;
    Ok(Outcome::Done)
}

pub fn gather(store: Option<&Path>) -> About {
    let kernel = rustix::system::uname();
    let (release, version) = (kernel.release(), kernel.version());
    About {
        schema: "bakeoff/about/1".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        target: env!("BAKEOFF_TARGET").to_string(),
        is_static: IS_STATIC.get().copied().unwrap_or(false),
        is_optimised: !cfg!(debug_assertions),
        has_charts: !assets::report().js.is_empty(),
        // Reads them all, so that a build with a broken one ends with this command.
        tables: TableSizes {
            rules: RULES.len(),
            filesystems: RECIPES.len(),
            applications: applications::built_in().applications.len(),
        },
        kernel: format!("{} {}", release.to_string_lossy(), version.to_string_lossy()),
        store: store_facts(store),
    }
}

fn store_facts(option: Option<&Path>) -> StoreFacts {
    let facts = StoreFacts { layout: LAYOUT, ..StoreFacts::default() };
    let path = match place::path(option) {
        Ok(path) => path,
        Err(error) => return StoreFacts { error: Some(error.to_string()), ..facts },
    };
    let facts = StoreFacts { path: RawPath::new(&path).to_string(), ..facts };
    let counted = || -> Result<Option<usize>, StoreError> {
        Sqlite::open_existing(&path)?.map(|store| Ok(store.list()?.len())).transpose()
    };
    match counted() {
        Ok(runs) => StoreFacts {
            runs: runs.map(|runs| u32::try_from(runs).unwrap_or(u32::MAX)),
            size_bytes: std::fs::metadata(&path).ok().map(|found| found.len()),
            ..facts
        },
        Err(error) => StoreFacts { error: Some(error.to_string()), ..facts },
    }
}
