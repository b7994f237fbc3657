//! What every reader of a tool's outputs keeps to, whatever the text.

use bakeoff_judge::import::Finder;

/// Reads `bytes` as outputs of `tool`: every figure is a number with a line of the text, and a text
/// cut in two is the same text.
pub fn check(tool: &str, bytes: &[u8]) {
    let mut finder = Finder::for_tool(tool);
    finder.push(bytes);
    let found = finder.finish();
    let line_count = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for result in &found.results {
        assert!(result.first_line <= result.last_line && result.last_line <= line_count);
        assert!(!result.metrics.is_empty() || !result.findings.is_empty());
        for metric in &result.metrics {
            assert!(metric.line >= 1 && metric.line <= line_count);
            assert!(metric.value.as_f64().is_finite() && metric.value.as_f64() >= 0.0);
        }
    }
    let (head, tail) = bytes.split_at(bytes.len() / 2);
    let mut again = Finder::for_tool(tool);
    again.push(head);
    again.push(tail);
    assert_eq!(again.finish(), found);
}
