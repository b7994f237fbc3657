//! What a run makes claims about, from its design.
use crate::design::Design;
use crate::protocol::Mode;

/// What the claims of a run are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Places,
    Image,
    Decide,
    Precise,
}

impl Setting {
    pub fn of<'a>(design: impl Into<Design<'a>>) -> Setting {
        let design = design.into();
        if design.stacks().next().is_none() {
            Setting::Places
        } else if design.region.is_some_and(|r| r.is_image) {
            Setting::Image
        } else if design.protocol.mode == Mode::Precise {
            Setting::Precise
        } else {
            Setting::Decide
        }
    }
}
