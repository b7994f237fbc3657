//! L24 cpu-seek: a seek test used 90 % of a CPU or more.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

pub fn in_result(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let of_table = || match result.test.as_deref() {
        Some("random seeks") => result.figure(&["cpu_percent"]),
        _ => None,
    };
    let share = result.figure(&["random_seeks.cpu"]).or_else(of_table)?;
    let evidence = format!(
        "{share} % CPU in the seek test, the sum over its seekers, each of which may \
         count the whole process"
    );
    let advice = "Waiting for a drive takes little CPU: the seeks came from memory, or the CPU was \
                  a limit. Use a larger file.";
    (result.is("bonnie++") && share >= 90.0).then(|| Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::fires;

    #[test]
    fn l24_seeks_that_keep_a_cpu_busy_and_seeks_that_do_not() {
        let of =
            |percent| format!("ext4,none,bonnie++ 1.97,random seeks,,cpu_percent,{percent},%,");
        assert!(fires("L24", &[&of(90)]) && !fires("L24", &[&of(89)]));
        let writing = "ext4,none,bonnie++ 1.97,sequential output block,,cpu_percent,99,%,";
        assert!(!fires("L24", &[writing]), "writing may take the CPU");
    }
}
