//! What `fit` cannot see from where it runs, such as a container, and says before it measures.

use bakeoff_model::candidate::Candidate;
use bakeoff_model::host::PlaceClass;

use crate::host;
use crate::ui::say;

pub fn note(quiet: bool, candidates: &[Candidate]) {
    if host::hides_processes() {
        say::note(
            quiet,
            format_args!(
                "bakeoff: other processes are not visible from here, as in a container. Others \
                 may use the drive meanwhile; bakeoff cannot name them."
            ),
        );
    }
    for candidate in candidates {
        let is_hidden = |place: &bakeoff_model::host::Place| {
            place.disks().next().is_none() && place.class != PlaceClass::Memory
        };
        if candidate.place().is_some_and(is_hidden) {
            say::note(
                quiet,
                format_args!(
                    "bakeoff: the drive below {} is not visible from here, so the answer is \
                     about the directory only.",
                    candidate.name
                ),
            );
        }
    }
}
