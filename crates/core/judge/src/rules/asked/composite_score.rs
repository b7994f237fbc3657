//! L46 composite-score: one weighted score summarises several workloads.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

const SCORES: [&str; 4] = ["score", "index", "points", "overall"];

pub fn in_result(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let is_score = |name: &str| SCORES.contains(&name) || name.ends_with("_score");
    let score = result.metrics.iter().find(|metric| is_score(&metric.name))?;
    let evidence = format!("{} {} combines several measurements", score.name, score.value.as_f64());
    let advice = "Compare the individual figures, workload by workload: import the tool's complete \
                  output with bakeoff import.";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::ids;

    #[test]
    fn l46_one_figure_for_everything_is_a_score_and_a_rate_is_none() {
        let of = |metric: &str| {
            ids(&format!("device,tool,test,metric,value,unit\nstick,script,all,{metric},812,\n"))
        };
        assert_eq!(of("score"), ["L46"]);
        assert_eq!(of("disk_score"), ["L46"]);
        assert_eq!(of("scored_runs"), [""; 0]);
    }
}
