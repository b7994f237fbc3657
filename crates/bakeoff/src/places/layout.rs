//! What is written to a filesystem before it is measured: the files that fill it and age it, where
//! it is to be used, and then the data file, into what is left free.

use std::path::Path;
use std::time::Instant;

use bakeoff_machine::prepare::capacity;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::What;
use bakeoff_model::index::{BlockIx, CandidateIx};
use bakeoff_model::run::BlockState;
use bakeoff_model::use_state::{FileHistory, Filled};
use bakeoff_stats::prng::SplitMix64;
use rustix::fs::fstatvfs;

use super::data_file;
use crate::host::Opened;
use crate::load;
use crate::load::scratch::{self, Scratch};
use crate::steps::error::{StepError, io_error, load_error};
use crate::steps::session::Session;

/// Our directory on a stack.
pub const ON_STACK: &str = "bakeoff";
const SEED: u64 = 0x0066_696c_6c65_6421;
/// In place of the number of a block: before the first.
const REHEARSAL: u64 = u64::MAX;

pub struct Layout<'c> {
    pub candidate: &'c Candidate,
    pub region_bytes: u64,
    pub file_bytes: u64,
}

impl Layout<'_> {
    /// Writes it where the candidate is mounted; the block under way gets to know what was made.
    pub fn make(&self, session: &mut Session, mount_point: &Path) -> Result<(), StepError> {
        let scratch =
            Scratch::make(mount_point, ON_STACK).map_err(io_error("create bakeoff's directory"))?;
        let lay_out = |session: &Session| {
            data_file::lay_out(session, &scratch, scratch::DATA, self.file_bytes)
        };
        if self.candidate.state().is_empty() {
            lay_out(session)?;
            return Ok(());
        }
        let (began, block) = (Instant::now(), open_block(session));
        let history = self.history(session, block);
        let tree = scratch.make_dir(scratch::TREE).map_err(io_error("create a directory"))?;
        session.progress.doing(&format!("filling {}", self.candidate.name));
        let mut tick = |live| session.progress.live(live);
        let filled = load::fill(history, &tree, &session.cancel, &mut tick);
        let tree = filled.map_err(load_error("filling it with files"))?;
        let (_, data) = lay_out(session)?;
        let candidates = &session.journal.run().header.candidates;
        let own = CandidateIx::find(candidates, |c| c.name == self.candidate.name);
        // Before the first block, and of one that only an experiment makes, nothing is recorded.
        let Some((block, candidate)) = block.zip(own) else { return Ok(()) };
        let filled = Filled {
            block,
            candidate,
            tree,
            data_bytes: self.file_bytes,
            full_ppm: full_ppm(&data)?,
            elapsed_ns: u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX),
        };
        session.journal.record(What::Filled(Box::new(filled)))?;
        Ok(())
    }

    /// The same for every candidate of a block that is as much used, and another in each block.
    fn history(&self, session: &Session, block: Option<BlockIx>) -> FileHistory {
        let header = &session.journal.run().header;
        let number = block.map_or(REHEARSAL, |block| block.number().into());
        let seed = SplitMix64::derive(header.seed, &[SEED, number]).next_u64();
        let room_bytes = capacity::fill_bytes(&header.candidates, self.region_bytes);
        self.candidate.state().history(seed, room_bytes, self.file_bytes)
    }
}

fn open_block(session: &Session) -> Option<BlockIx> {
    let last = session.journal.run().blocks.last()?;
    (last.state == BlockState::Open).then_some(last.block)
}

/// As df(1) has it.
fn full_ppm(file: &Opened) -> Result<u32, StepError> {
    let told = fstatvfs(file).map_err(|e| io_error("ask how full the filesystem is")(e.into()))?;
    let used = told.f_blocks.saturating_sub(told.f_bfree);
    let all = used.saturating_add(told.f_bavail).max(1);
    Ok(u32::try_from(u128::from(used) * 1_000_000 / u128::from(all)).unwrap_or(1_000_000))
}
