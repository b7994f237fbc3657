//! L20 dull-data: the test data is all zeros.

use crate::evidence::rule::{CLAIMS, Check, E, Rule, W, When};
use crate::evidence::{finding, of_result};
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::job::Data;
use crate::model::workload::Workload;
use crate::scan::ToolResult;
use crate::study::Study;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L20",
    slug: "dull-data",
    when: &[When::Plan, When::Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "the test data is all zeros",
    explain: "dd from /dev/zero writes only zeros. Two studies measured with it. Compressing \
        filesystems and controllers store almost nothing, and some flash marks such blocks as \
        empty. Use --data random, the default, which does not compress.",
    checks: &[Check::Workload(in_plan), Check::Result(in_result), Check::Study(in_study)],
};

fn in_plan(header: &Header, workload: &Workload) -> Option<Finding> {
    let job = &workload.job;
    (job.rw.writes() && job.data == Data::Zero).then(|| {
        let evidence = "the test data is all zeros, which compress to almost nothing".to_string();
        finding(header, &RULE, evidence, "use data that does not compress: --data random")
    })
}

fn in_result(result: &ToolResult) -> Option<Finding> {
    let writes = ["writes", "writes_per_second", "written_bytes"];
    // A row of somebody's table does not say what was written; a tool's output does, by the tool.
    let is_row = !result.setup.is_empty();
    let is_dull = match () {
        () if is_row && !result.is("dd") => false,
        () if result.is("dd") => result.words()?.contains(&"if=/dev/zero"),
        () if result.is("sysbench") => result.figure(&writes)? > 0.0,
        () if result.is("bonnie++") => {
            let test = "sequential_output_block.throughput";
            result.figure(&[test]).is_some()
        }
        () if result.is("iozone") => {
            let flags = ["-+w", "-+y", "-+C", "-+a"];
            result.figure(&["write.throughput"]).is_some()
                && result.words().is_none_or(|w| !w.iter().any(|word| flags.contains(word)))
        }
        () => false,
    };
    let evidence = "what was written is zeros, or nearly".to_string();
    let advice = "Measure with data that does not compress: some devices and filesystems shrink \
                  this to nothing.";
    is_dull.then(|| of_result(&RULE, evidence, advice))
}

/// What the page says of a command that the table does not have.
fn in_study(study: &Study) -> Option<Finding> {
    study.commanded().iter().find_map(in_result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::before::fires;
    use crate::rules::tests::before::job;

    #[test]
    fn l20_zeros_and_data_that_does_not_compress() {
        assert!(fires("L20", &job(|j| j.data = Data::Zero)) && !fires("L20", &job(|_| {})));
    }
}
