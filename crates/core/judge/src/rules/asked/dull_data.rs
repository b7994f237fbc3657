//! L20 dull-data: the test data is all zeros.

use crate::evidence::observation::{Observation, Source, Zeros};
use crate::evidence::rule::Hit;

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
