//! L50 governor: the cpufreq governor is not performance.

use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::design::Design;

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let is_pinned = |c: &Candidate| c.stack().is_some_and(|stack| stack.knobs.governor.is_some());
    let other: Vec<&String> =
        design.host.governors.iter().filter(|g| *g != "performance").collect();
    let first = other.first().filter(|_| !design.candidates.iter().all(is_pinned))?;
    let evidence = format!("cpufreq governor {first} on {} policies", other.len());
    let advice = "set governor = \"performance\" in a plan's [axes], or: cpupower frequency-set \
                  -g performance";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, stack, with};

    #[test]
    fn l50_a_governor_that_saves_power() {
        let governor = |g: &str| with(|h| h.host.governors = vec![g.to_string(); 4]);
        assert!(fires("L50", &governor("ondemand")) && !fires("L50", &governor("performance")));
        let pinned = with(|h| {
            h.host.governors = vec!["ondemand".to_string()];
            for i in 0..2 {
                stack(h, i).knobs.governor = Some("performance".to_string());
            }
        });
        assert!(!fires("L50", &pinned));
    }
}
