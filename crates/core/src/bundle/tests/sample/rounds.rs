//! A region that was brought to its steady state: every event of preconditioning.

use crate::model::event::What;
use crate::model::index::RegionIx;
use crate::model::job::Rw;
use crate::model::precondition::{End, Round};

/// Five rounds, from what is said before the first to why no other followed.
pub fn preconditioning() -> Vec<What> {
    let round = |round| {
        What::PreconditionRound(Box::new(Round {
            region: RegionIx::FIRST,
            round,
            job: super::job(Rw::RandWrite),
            write_bytes: 24 << 20,
            elapsed_ns: 2_010_000_000,
        }))
    };
    let started = What::PreconditionStarted { region: RegionIx::FIRST, most_bytes: 1 << 30 };
    let ended = What::Preconditioned { region: RegionIx::FIRST, end: End::Steady };
    std::iter::once(started).chain((0..5).map(round)).chain([ended]).collect()
}

/// What a target is recognised by.
pub fn mark() -> crate::model::mark::Mark {
    crate::model::mark::Mark {
        name: "0353445343".into(),
        boot_id: Some("6f1c".into()),
        diskseq: Some(9),
        file: Some(crate::model::step::Inode { dev: 2049, ino: 12 }),
        table_id: Some("a1b2c3d4".into()),
        outside: Some("0123abcd".into()),
        start: Some("ext4 477f0e42-8ada-4c5d-9ace-83afc23048da".into()),
    }
}
