//! L63 kernel-mismatch: the compared results use different kernels or tools.

use crate::evidence::cell::direct_fallback;
use crate::evidence::rule::{Check, E, RUN, Rule, W, When};
use crate::evidence::{finding, of_study};
use crate::model::difference::Difference;
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L63",
    slug: "kernel-mismatch",
    when: &[When::Analysis, When::Import],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "the compared results use different kernels or tools",
    explain: "Until 2022 btrfs split direct reads into single sectors; a change tripled their \
        speed. Since 2025 it sends direct writes of files with checksums through the page cache. \
        Figures from two kernels include such changes. To compare kernels on purpose, use compare \
        --across kernel.",
    checks: &[Check::Elsewhere("compare"), Check::Study(in_study)],
};

/// Runs that differ in their kernel, which was not named as what may differ.
pub fn over_runs(header: &Header, kernel: &Difference) -> Finding {
    let advice = "measure on one kernel, or compare kernels with --across kernel";
    finding(header, &RULE, kernel.to_string(), advice)
}

/// Where direct I/O depends on the kernel and the page does not name it.
fn in_study(study: &Study) -> Option<Finding> {
    direct_fallback::in_study(study)?;
    let fact = study.states("kernel", "not stated")?;
    let advice =
        "State the kernel of each machine: direct I/O and defaults differ between versions.";
    Some(of_study(&RULE, fact.says.clone(), advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l63_a_kernel_that_matters_and_is_not_named() {
        let direct = [
            TWO[0],
            "btrfs,none,fio,sequential write,1048576,throughput,11,MB/s,",
            "btrfs,none,fio,configuration,,option_direct,1,,",
        ];
        assert!(fires("L63", &direct, "kernel=not stated"), "direct I/O on btrfs depends on it");
        assert!(
            !fires("L63", &direct, "kernel=6.12.1") && !fires("L63", &TWO, "kernel=not stated")
        );
    }
}
