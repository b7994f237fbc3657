//! One place on a SATA drive, measured as it is.

use super::RunBuilder;
use bakeoff_model::run::Run;

/// Reads at the first rate in bytes a second, and writes at the second in operations a second.
pub fn place(rates: [f64; 2]) -> Run {
    let run = RunBuilder::directories(&["/mnt/a \"b\""]).workloads(&["seqread", "randwrite"]);
    let run = run.place(0, |place| {
        place.chain[1].bus = Some("ata".into());
        place.chain[1].link = Some("SATA 6.0 Gb/s".into());
    });
    run.play(9, move |_, _, w| rates[usize::from(w)]).build()
}
