//! Every filesystem available here as a candidate on a scratch image.

use std::path::Path;

use bakeoff_machine::prepare::recipe::{Driver, RECIPES, Recipe};
use bakeoff_machine::prepare::space;
use bakeoff_machine::setup::lacking::{Lacking, NoDriver};
use bakeoff_model::candidate::{Candidate, Kind, Skipped};
use bakeoff_model::host::Place;
use bakeoff_model::path::RawPath;
use bakeoff_report::left_out;
use bakeoff_stats::units;

use crate::fault::Fault;
use crate::host;
use crate::places::image;

pub fn check_room(here: &Path, place: &Place) -> Result<(), Fault> {
    let available = host::available_bytes();
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    if room >= image::IMAGE_BYTES {
        return Ok(());
    }
    Err(Fault::environment(format!(
        "the demo's image needs {}, but bakeoff uses at most half of the free space and leaves 5 % \
         or 512 MiB free. {} has {} free. Change to a directory on another drive and try again",
        units::size(image::IMAGE_BYTES),
        RawPath::new(here),
        units::size(place.free_bytes)
    )))
}

/// Every filesystem of the demo that this kernel and these tools support, why the others are left
/// out, and how many of them only lack a program.
pub fn candidates() -> (Vec<Candidate>, Vec<Skipped>, u32) {
    let (mut candidates, mut lacking) = (Vec::new(), 0);
    let (mut skipped, mut no_driver) = (Vec::new(), Vec::new());
    for recipe in RECIPES.iter().filter(|recipe| recipe.in_demo) {
        if stands_in_needlessly(recipe, &candidates) {
            continue;
        }
        match host::support(recipe) {
            Ok(()) => candidates.push(Candidate::new(recipe.name, Kind::Stack(recipe.stack()))),
            Err(Lacking::Driver(none)) if matches!(recipe.driver, Driver::Kernel(_)) => {
                no_driver.push(NoDriver { fs: recipe.name.to_string(), ..none });
            }
            Err(missing) => {
                lacking += u32::from(matches!(missing, Lacking::Program(_)));
                skipped.push(Skipped::new(recipe.name, missing.to_string()));
            }
        }
    }
    skipped.extend(left_out::no_drivers(&no_driver));
    (candidates, skipped, lacking)
}

/// A user-space driver is tried only where the kernel has no driver of its own.
fn stands_in_needlessly(recipe: &Recipe, candidates: &[Candidate]) -> bool {
    recipe.stands_in_for.is_some_and(|first| candidates.iter().any(|c| c.name == first))
}
