//! What all threads of a cell did in a slice, added up.

use bakeoff_tools::native::sliced::{Go, SliceReport};

use crate::crew::{Worker, with_crew};
use crate::error::EngineError;
use crate::lane::Cell;
use crate::outcome::{Outcome, Piece};
use crate::report::added_up;
use crate::usage::Usage;
use crate::waiting;

pub type Measure<'m> = &'m mut dyn FnMut(&Go) -> Result<SliceReport, EngineError>;

pub type SliceTalk<'t> = &'t mut dyn FnMut(Measure<'_>) -> Result<(), EngineError>;

/// How a cell is measured.
pub enum How<'t> {
    AtOnce,
    InSlices(SliceTalk<'t>),
}

/// Measures slices with a crew, as often as `talk` says, and adds up what its members did in each.
pub fn in_crew<W: Worker<Order = Go, Done = Piece, End = Outcome>>(
    cell: Cell,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: SliceTalk<'_>,
) -> Result<Vec<Outcome>, EngineError> {
    with_crew(cell.job.numjobs, cell.live, prepare, |slice| {
        talk(&mut |go| {
            let before = Usage::now();
            let pieces = slice(*go)?;
            let usage = Usage::now().since(before);
            Ok(added_up(pieces, cell.cost, usage))
        })
    })
}

/// A slice of a lane: the part in which the drive settles, and at once the part that counts.
pub fn both_parts(
    go: Go,
    mut part: impl FnMut(u32) -> Result<Piece, EngineError>,
) -> Result<Piece, EngineError> {
    let (piece, waited_ns) = waiting::with_wait_time(|| {
        let settling = match go.settling {
            0 => Vec::new(),
            units => part(units)?.along,
        };
        Ok(Piece { settling, ..part(go.counted)? })
    })?;
    Ok(Piece { waited_ns, ..piece })
}
