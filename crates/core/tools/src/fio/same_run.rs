//! One run of fio that stands several times in a text: `--output-format=normal,json,terse` prints
//! it once in each form. The form with the most exact figures is kept: JSON, then text, then terse.

use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Form, Out, ToolResult};

/// Digits of a byte count in the text: four.
const ROUNDING: f64 = 1e-3;
/// Bytes of one unit of a terse line.
const UNIT_BYTES: f64 = 1024.0;

/// Takes out the other forms once all are read; it reads no line.
#[derive(Debug)]
pub struct SameRun;

impl Reader for SameRun {
    fn line(&mut self, _: &Line<'_>, _: &mut Out) -> bool {
        false
    }

    fn finish(&mut self, out: &mut Out) {
        out.change(without_other_forms);
    }
}

fn without_other_forms(results: &mut Vec<ToolResult>) {
    if results.iter().all(|result| result.form == Form::Text) {
        return;
    }
    let mut is_dropped = vec![false; results.len()];
    for (kept, others) in
        [(Form::Json, &[Form::Text, Form::Terse][..]), (Form::Text, &[Form::Terse])]
    {
        for at in 0..results.len() {
            if is_dropped[at] || results[at].form != kept || !results[at].is("fio") {
                continue;
            }
            for other in others {
                let is_it = |of: &usize| {
                    let result = &results[*of];
                    result.form == *other && !is_dropped[*of] && is_same(&results[at], result)
                };
                if let Some(found) = (0..results.len()).find(is_it) {
                    is_dropped[found] = true;
                }
            }
        }
    }
    let mut dropped = is_dropped.into_iter();
    results.retain(|_| dropped.next() != Some(true));
}

/// Whether two results in different forms are of one run: the same job, the same milliseconds, and
/// as many bytes as rounding allows, in every direction.
fn is_same(a: &ToolResult, b: &ToolResult) -> bool {
    let is_near = |a: f64, b: f64, slack: f64| (a - b).abs() <= slack;
    let mut is_any = false;
    for direction in super::direction::NAMES {
        for (what, unit) in [("bytes", UNIT_BYTES), ("elapsed", 0.0)] {
            let name = format!("{direction}.{what}");
            match (a.figure(&[&name]), b.figure(&[&name])) {
                (None, None) => {}
                (Some(a), Some(b)) if is_near(a, b, unit * (1.0 + a * ROUNDING / UNIT_BYTES)) => {
                    is_any = true;
                }
                _ => return false,
            }
        }
    }
    is_any && a.test == b.test && b.is("fio")
}

#[cfg(test)]
mod tests {
    use crate::scan::result::Value;
    use crate::scan::{Finder, Imported};

    /// fio 3.33, `--output-format=normal,json,terse`, two jobs.
    const THREE: &str = include_str!("../../../../../fixtures/tools/fio/normal_json_terse.stdout");

    fn read(text: &str) -> Imported {
        Finder::for_tool("fio").all_of(text.as_bytes())
    }

    #[test]
    fn one_run_in_three_forms_was_counted_three_times() {
        let found = read(THREE);
        let jobs: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(jobs, ["n", "n2"], "{found:#?}");
        assert!(found.unread.is_empty(), "{:?}", found.unread);
        let json = THREE.find("\n{\n").unwrap()..THREE.find("\n}\n").unwrap() + 3;
        let values = |of: &Imported| -> Vec<(String, Value)> {
            of.results[0].metrics.iter().map(|metric| (metric.name.clone(), metric.value)).collect()
        };
        assert_eq!(values(&read(&THREE[json])), values(&found));
    }

    #[test]
    fn two_runs_in_two_forms_stay_two() {
        let terse = THREE.lines().find(|line| line.starts_with("3;fio")).unwrap();
        let other = terse.splitn(10, ';').collect::<Vec<_>>();
        let [head @ .., _, ms, rest] = other.as_slice() else { panic!() };
        let longer: u64 = ms.parse::<u64>().unwrap() + 1;
        let changed = format!("{};{};{longer};{rest}", head.join(";"), other[7]);
        let found = read(&THREE.replace(terse, &changed));
        assert_eq!(found.results.len(), 3, "{changed}");
    }
}
