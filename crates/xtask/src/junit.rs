//! Results of tests as JUnit XML, which cargo-nextest, Node and pytest write. The format: <https://github.com/testmoapp/junitxml>.

use anyhow::{Context, Result};
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
    /// It held, but only the second time; what was said the first time.
    Flaky(String),
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
    } else if let Some(first) = child(&["flakyFailure", "flakyError"]) {
        Outcome::Flaky(first.text().unwrap_or_default().trim().to_owned())
    } else {
        Outcome::Passed
    };
    Case { name: test.attribute("name").unwrap_or_default().to_owned(), outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, outcome: Outcome) -> Case {
        Case { name: name.to_owned(), outcome }
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
    fn a_test_that_passed_the_second_time_is_flaky() {
        let nextest = "<testsuite><testcase name='a'><flakyFailure type='test failure'>late\
            </flakyFailure></testcase></testsuite>";
        assert_eq!(read(nextest).unwrap(), [named("a", Outcome::Flaky("late".to_owned()))]);
    }

    #[test]
    fn a_report_that_was_cut_is_none() {
        assert!(read("<testsuites><testcase name=\"a\"/>").is_err());
        assert!(read("").is_err());
    }
}
