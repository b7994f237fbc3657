//! A region that was brought to its steady state: every event of preconditioning.

use crate::model::event::What;
use crate::model::job::Rw;
use crate::model::precondition::{End, Round};

/// Five rounds, from what is said before the first to why no other followed.
pub fn preconditioning() -> Vec<What> {
    let round = |round| {
        What::PreconditionRound(Box::new(Round {
            region: 0,
            round,
            job: super::job(Rw::RandWrite),
            write_bytes: 24 << 20,
            elapsed_ns: 2_010_000_000,
        }))
    };
    let started = What::PreconditionStarted { region: 0, most_bytes: 1 << 30 };
    let ended = What::Preconditioned { region: 0, end: End::Steady };
    std::iter::once(started).chain((0..5).map(round)).chain([ended]).collect()
}
