//! L27 units: mixed units change the ratio by more than 1 %.

use crate::evidence::of_study;
use crate::evidence::rule::{CELL, Check, Rule, W, When};
use crate::model::finding::Finding;
use crate::scan::{Metric, ToolResult};
use crate::study::{Study, column};

pub static RULE: Rule = Rule {
    id: "L27",
    slug: "units",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "mixed units change the ratio by more than 1 %",
    explain: "2.414 MB/s divided by 90.5 KB/s is 26.7 if a megabyte has a thousand kilobytes and \
        27.3 if it has 1024. One study printed 26.7, but its megabytes had 1024 kilobytes. bakeoff \
        stores bytes and prints both units where space allows.",
    checks: &[Check::Study(units_mixed), Check::Study(wrong_ratio)],
};

fn units_mixed(study: &Study) -> Option<Finding> {
    let is_in_bits = |m: &Metric| m.name == "throughput" && m.unit.ends_with("b/s");
    let all_in_bits = study.results.iter().all(|r| r.metrics.iter().any(is_in_bits));
    let is_other = |r: &&ToolResult| {
        let has_bits = !all_in_bits && r.metrics.iter().any(is_in_bits);
        has_bits || column(r, "note").contains("printed unit")
    };
    let count = study.results.iter().filter(is_other).count();
    let evidence = format!("{count} figures have a different unit from the rest of their table");
    let advice = "Use one unit in a table. 1 MB is 1000 x 1000 bytes, 1 MiB is 1024 x 1024 bytes.";
    (count > 0).then(|| of_study(&RULE, evidence, advice))
}

/// A ratio the author gives for two rates of the table, more than a hundredth beside it.
fn wrong_ratio(study: &Study) -> Option<Finding> {
    let ratios: Vec<f64> = {
        let rates: Vec<f64> = study.cells.iter().map(|cell| cell.rate).collect();
        rates.iter().flat_map(|a| rates.iter().map(move |b| a / b)).collect()
    };
    let wrong = study.configured("author_ratio").into_iter().find_map(|given| {
        let near = ratios.iter().map(|r| (r / given - 1.0).abs()).fold(f64::MAX, f64::min);
        let right = ratios.iter().find(|r| ((*r / given) - 1.0).abs() == near)?;
        (near > 0.01 && near < 0.1).then_some((given, *right))
    });
    let (given, right) = wrong?;
    let evidence = format!("the stated ratio is {given}, but the figures give {right:.2}");
    let advice = "KiB and MiB differ by 1024, not by 1000.";
    Some(of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l27_a_ratio_of_kilo_by_kibi_and_one_that_is_rounded() {
        let with = |ratio: &str| {
            let stated = format!("ext4,none,dd,sequential write,1048576,author_ratio,{ratio},x,");
            let rows = [
                "ext4,none,dd,sequential write,1048576,throughput,2.414,MiB/s,",
                "xfs,none,dd,sequential write,1048576,throughput,90.5,KiB/s,",
                &stated,
            ];
            fires("L27", &rows, "")
        };
        assert!(with("26.67") && !with("27.3"));
        let noted =
            [TWO[0], "xfs,none,dd,sequential write,512,throughput,11,MiB/s,printed unit 'Mib/s'"];
        assert!(fires("L27", &noted, "") && !fires("L27", &TWO, ""));
    }
}
