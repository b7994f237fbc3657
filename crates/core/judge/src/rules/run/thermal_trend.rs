//! L51 thermal-trend: temperature and speed are correlated over the run.

use super::{ALPHA, ComparedRun, FEWEST};
use crate::evidence::rule::Hit;
use bakeoff_model::event::Header;
use bakeoff_model::thresholds;
use bakeoff_stats::sample;
use bakeoff_stats::spearman::{Spearman, spearman};

pub const ID: &str = "L51";

/// What keeps heat out of a run: `run` waits before visits to drives, and nothing else does.
fn cooler(header: &Header) -> &'static str {
    match header.regions().any(|region| !region.is_image) {
        true => "cool the board (for example with a fan), then measure again",
        false => {
            "cool the board (for example with a fan; check its temperature with: bakeoff watch), \
             then measure again"
        }
    }
}

/// Cells in the order they were measured, each against its candidate's mean.
pub fn thermal(&ComparedRun { run, table, .. }: &ComparedRun) -> Option<Hit> {
    let mut heat = Vec::new();
    let mut rate = Vec::new();
    for (position, block) in table.blocks_of(run).enumerate() {
        for cell in &block.cells {
            let hottest = cell.telemetry.as_ref().and_then(|t| t.hottest_mc());
            let values = table.values(cell.workload, cell.candidate);
            let own: Vec<f64> = values.iter().flatten().copied().collect();
            let mean = sample::mean(&own);
            if let (Some(mc), Some(Some(y)), Some(mean)) = (hottest, values.get(position), mean) {
                heat.push(mc as f64 / 1000.0);
                rate.push(y - mean);
            }
        }
    }
    let limit = thresholds::CORRELATION;
    let Spearman { rho, p } = spearman(&heat, &rate)?;
    let (low, high) = sample::range(heat.iter().copied())?;
    (heat.len() >= 2 * FEWEST && rho.abs() > limit && p < ALPHA).then(|| {
        let evidence =
            format!("rank correlation {rho:.2} of rate and temperature, {low:.0} to {high:.0} °C");
        Hit::new(evidence, cooler(&run.header))
    })
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::tests::session::{at, has};
    use crate::rules::tests::told;
    use crate::testing::RunBuilder;
    use bakeoff_model::run::Run;
    use bakeoff_model::telemetry::{Gauge, Telemetry};

    #[test]
    fn l51_rates_that_follow_the_heat() {
        // The hotter, the slower: 1 % for each of the eight degrees.
        let follows = RunBuilder::stacks(&["a", "b"]).cells(|c| {
            let mc = 60_000 + 1000 * u64::from(c.block.number());
            let gauge = Gauge { name: "cpu-thermal".to_string(), most: None, values: vec![mc] };
            let telemetry = Telemetry { temperature_mc: vec![gauge], ..Telemetry::default() };
            c.telemetry = Some(Box::new(telemetry));
        });
        let slower = |b: u32, c, w| at(&[1000.0; 2])(b, c, w) * libm::exp(-0.02 * f64::from(b));
        assert!(has("L51", &follows.clone().play(8, slower).build()));
        assert!(!has("L51", &follows.clone().play(8, at(&[1000.0; 2])).build()));
        // Only visits to drives can wait for longer.
        let advice = |run: &Run| told(&analyse(run).findings, "L51").unwrap().advice;
        let mut run = follows.play(8, slower).build();
        assert!(advice(&run).contains("bakeoff watch"), "{}", advice(&run));
        run.header.region.as_mut().unwrap().is_image = false;
        assert!(advice(&run).contains("cool_limit_s = 300"), "{}", advice(&run));
    }
}
