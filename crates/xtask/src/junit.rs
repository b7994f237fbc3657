//! Results of tests as JUnit XML, which cargo-nextest and Node write, and we for what we run
//! ourselves. The format: <https://github.com/testmoapp/junitxml>.

use anyhow::{Context, Result};
use askama::Template;
use roxmltree::{Document, Node};

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// How it went.
    pub outcome: Outcome,
}

/// How a test went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It held.
    Passed,
    /// It did not hold; what was said of that.
    Failed(String),
    /// It could not run; the reason.
    Skipped(String),
}

/// The tests of a report, in its order.
///
/// # Errors
///
/// The text is not XML, or was cut.
pub fn read(text: &str) -> Result<Vec<Case>> {
    let report = Document::parse(text).context("no report of tests")?;
    Ok(report.descendants().filter(|node| node.has_tag_name("testcase")).map(case).collect())
}

fn case(test: Node<'_, '_>) -> Case {
    let child = |names: &[&str]| {
        test.children().find(|child| names.iter().any(|name| child.has_tag_name(*name)))
    };
    let outcome = if let Some(failure) = child(&["failure", "error"]) {
        Outcome::Failed(failure.text().unwrap_or_default().trim().to_owned())
    } else if let Some(skipped) = child(&["skipped"]) {
        Outcome::Skipped(skipped.attribute("message").unwrap_or_default().to_owned())
    } else {
        Outcome::Passed
    };
    Case { name: test.attribute("name").unwrap_or_default().to_owned(), outcome }
}

#[derive(Template)]
#[template(path = "junit.xml")]
struct Report<'a> {
    cases: &'a [Case],
}

/// The report of these tests.
pub fn write(cases: &[Case]) -> Result<String> {
    Ok(Report { cases }.render()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, outcome: Outcome) -> Case {
        Case { name: name.to_owned(), outcome }
    }

    #[test]
    fn what_is_written_is_read() {
        let cases = [
            named("guard/swap", Outcome::Passed),
            named("run/<&>\"", Outcome::Failed("ended with 3:\n<no & \"key\">".to_owned())),
            named("pi1", Outcome::Skipped("no 'qemu'".to_owned())),
        ];
        assert_eq!(read(&write(&cases).unwrap()).unwrap(), cases);
        assert_eq!(read(&write(&[]).unwrap()).unwrap(), []);
    }

    #[test]
    fn nextest_and_node_are_read() {
        let nextest = "<?xml version=\"1.0\"?><testsuites tests=\"2\"><testsuite name=\"core\">\
            <testcase name=\"a::b\" classname=\"core\" time=\"0.1\"></testcase>\
            <testcase name=\"c\"><failure message=\"m\" type=\"test failure\">thread &apos;c&apos; \
            panicked</failure><system-out>x</system-out></testcase></testsuite></testsuites>";
        let failed = Outcome::Failed("thread 'c' panicked".to_owned());
        assert_eq!(read(nextest).unwrap(), [named("a::b", Outcome::Passed), named("c", failed)]);
        let node = "<testsuites>\n\t<testsuite name=\"a\"><testcase name=\"sub\"/></testsuite>\n\
            \t<testcase name=\"d\"><skipped type=\"skipped\" message=\"why\"/></testcase>\n\
            \t<!-- tests 2 -->\n</testsuites>";
        let skipped = Outcome::Skipped("why".to_owned());
        assert_eq!(read(node).unwrap(), [named("sub", Outcome::Passed), named("d", skipped)]);
    }

    #[test]
    fn a_report_that_was_cut_is_none() {
        assert!(read("<testsuites><testcase name=\"a\"/>").is_err());
        assert!(read("").is_err());
    }
}
