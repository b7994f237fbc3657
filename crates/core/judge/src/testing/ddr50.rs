//! One place on an SD card in a DDR50 slot, measured as it is.

use super::RunBuilder;
use bakeoff_model::run::Run;

/// Sequential reads at the first rate in bytes a second, random ones at the second a second.
pub fn place(rates: [f64; 2]) -> Run {
    let run = RunBuilder::directories(&["/mnt/a \"b\""]).workloads(&["seqread", "randread"]);
    let run = run.place(0, |place| {
        place.chain[1].bus = Some("mmc".into());
        place.chain[1].link = Some("SD, sd uhs DDR50".into());
    });
    run.play(9, move |_, _, w| rates[usize::from(w)]).build()
}
