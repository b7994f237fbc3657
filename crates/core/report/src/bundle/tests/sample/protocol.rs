//! A protocol with a value in every field.

use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::uses::DriveUse;

pub fn protocol() -> Protocol {
    Protocol {
        mode: Mode::Quick,
        tie_margin: 0.10,
        looks: vec![5, 8],
        alpha: 0.0134,
        alphas: vec![0.01, 0.02],
        alpha_after: 0.005,
        k: 2,
        time_ns: Some(300_000_000_000),
        cell_min_ns: 2_000_000_000,
        cell_max_ns: Some(20_000_000_000),
        cell_min_ios: 50,
        max_write_bytes: Some(2 << 30),
        isolation: Isolation::Slices,
        rounds: 8,
        slice_bytes: 16 << 20,
        drive_use: DriveUse::Boot,
    }
}
