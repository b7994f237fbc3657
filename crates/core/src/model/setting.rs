//! What a run makes claims about, from its header.
use crate::model::event::Header;
use crate::model::protocol::Mode;

/// What the claims of a run are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Places as they are: directories.
    Places,
    /// Stacks on an image file.
    Image,
    /// Stacks on a device, to choose one.
    Decide,
    /// Stacks on a device, to publish.
    Precise,
}

impl Setting {
    /// The setting of a run.
    pub fn of(header: &Header) -> Setting {
        if header.stacks().next().is_none() {
            Setting::Places
        } else if header.region.as_ref().is_some_and(|r| r.is_image) {
            Setting::Image
        } else if header.protocol.mode == Mode::Precise {
            Setting::Precise
        } else {
            Setting::Decide
        }
    }
}
