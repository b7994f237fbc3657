//! L20 dull-data: the test data is all zeros.

use crate::evidence::observation::{Observation, Source, Zeros};
use crate::evidence::rule::{CLAIMS, E, Hit, Rule, W, When};

pub static RULE: Rule = Rule {
    id: "L20",
    slug: "dull-data",
    when: &[When::Plan, When::Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "the test data is all zeros",
    explain: "dd from /dev/zero writes only zeros. Two studies used it. Compressing filesystems \
        and controllers store almost nothing, and some flash marks such blocks as empty. Use \
        --data random, the default, which does not compress.",
};

pub fn hit(of: &Observation) -> Option<Hit> {
    let what = match of.zeros? {
        Zeros::All => "all zeros",
        Zeros::Nearly => "nearly all zeros",
    };
    let evidence = format!("the test data is {what}, which compress to almost nothing");
    let advice = match of.source {
        Source::Ours => "use data that does not compress: {data=random}",
        Source::Others => {
            "Measure with data that does not compress: some devices and filesystems compress this \
             data to almost nothing."
        }
    };
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, job};
    use bakeoff_model::job::Data;

    #[test]
    fn l20_zeros_and_data_that_does_not_compress() {
        assert!(fires("L20", &job(|j| j.data = Data::Zero)) && !fires("L20", &job(|_| {})));
    }
}
