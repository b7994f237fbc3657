//! A block to paste in a forum: GitHub-flavoured Markdown in which nothing from outside can act.
//!
//! Source: GitHub Flavored Markdown Spec 0.29, section 2.4 (backslash escapes) and 4.10 (tables).

use crate::model::run::Run;
use crate::model::verdict::Analysis;

use super::answer::{FigureWords, Matrix, Place, PlaceAnswer};
use super::document::{Table, number, words};
use super::view::{Alone, Question, Row, View};
use crate::words::capital;

/// The report as Markdown.
pub fn markdown(run: &Run, analysis: &Analysis) -> String {
    let view = View::new(run, analysis);
    let mut out = format!("**{}**\n\n", escape(&view.headline));
    if let Some(context) = &view.context {
        out.push_str(&format!("{}\n\n", escape(context)));
    }
    for advice in &view.advice {
        out.push_str(&format!("- {}\n", escape(advice)));
    }
    if !view.advice.is_empty() {
        out.push('\n');
    }
    if let Some(matrix) = &view.matrix {
        out.push_str(&all_on_all(matrix));
    }
    out.push_str(&format!("{} ({}).", escape(&view.title), escape(&view.extent)));
    for machine in view.facts.iter().take(1) {
        let wanted = |label: &str| matches!(label, "model" | "CPU" | "memory" | "kernel");
        let facts = machine.facts.iter().filter(|(label, _)| wanted(label));
        let facts: Vec<String> = facts.map(|(l, v)| format!("{l} {}", escape(v))).collect();
        if !facts.is_empty() {
            out.push_str(&format!(" Machine: {}.", facts.join(", ")));
        }
    }
    if let Some(ending) = &view.ending {
        out.push_str(&format!(" {}", escape(ending)));
    }
    out.push_str("\n\n");
    for column in &view.columns {
        out.push_str(&format!("- {} = {}\n", escape(&column.name), escape(&column.what)));
    }
    out.extend(view.place.as_ref().map(is_it_normal));
    out.extend(Alone::of(&view).map(|alone| standing_alone(&alone)));
    for question in &view.questions {
        out.push_str(&answer(question));
    }
    let mut findings: Vec<_> = view.findings.iter().collect();
    findings.extend(view.questions.iter().flat_map(|q| view.own_findings(q)));
    if !findings.is_empty() {
        out.push_str("\nWhat limits these answers:\n\n");
    }
    for f in findings {
        let what = format!("{} ({})", f.severity_word, f.about());
        out.push_str(&format!(
            "- {}: {} {} ({})\n",
            escape(&what),
            escape(&f.evidence()),
            escape(&f.advice),
            escape(&f.id)
        ));
    }
    for (name, reason) in &view.missing {
        out.push_str(&format!("- not measured: {}: {}\n", escape(name), escape(reason)));
    }
    out.push_str(&format!("\n{}\n\n", escape(&view.interval_note)));
    if let Some(note) = view.closed_loop_note {
        out.push_str(&format!("{}\n\n", escape(note)));
    }
    out.push_str(&format!(
        "bakeoff {}, run {}, {}; repeat with {}\n",
        escape(&view.version),
        escape(&view.run),
        view.started,
        code(&view.repeat)
    ));
    out
}

/// Candidates x workloads: the leader's figure, the others as a share of it.
fn all_on_all(matrix: &Matrix) -> String {
    let heads = matrix.columns.iter().map(|c| format!(" {} |", escape(&c.name)));
    let rules = "--:|".repeat(matrix.columns.len());
    let mut out = format!("| |{}\n|:--|{rules}\n", heads.collect::<String>());
    for row in &matrix.rows {
        let cells = row.cells.iter().map(|cell| {
            let words = format!("{}{}", cell.label(), cell.mark());
            let words = escape(words.trim_end());
            let is_leader = matches!(cell.place, Place::Leader { .. });
            if is_leader { format!(" **{words}** |") } else { format!(" {words} |") }
        });
        out.push_str(&format!("| {} |{}\n", escape(&row.name), cells.collect::<String>()));
    }
    out.push_str(
        "\nPercent: of the leader's figure. \\*: certain, =: equally fast, !: stalls.\n\n",
    );
    out
}

/// Four figures of one directory, each with its verdict, range and source.
fn is_it_normal(place: &PlaceAnswer) -> String {
    let row = |f: &FigureWords| {
        let cells = [&f.name, &f.mb_per_s, &f.iops, &f.tail, &f.verdict, &f.usual, &f.source];
        cells.map(String::clone).to_vec()
    };
    let numbers = ["MB/s", "IOPS", "latency"].map(number);
    let columns = [words("test")].into_iter().chain(numbers);
    let columns = columns.chain(["verdict", "usual", "source"].map(words));
    format!("\n{}", Table::new(columns, place.figures.iter().map(row)).markdown())
}

/// All that one candidate did.
fn standing_alone(alone: &Alone) -> String {
    format!("\n{}", alone.table().markdown())
}

fn answer(question: &Question) -> String {
    let mut out = format!("\n### {}", escape(&question.title));
    if !question.summary.is_empty() {
        out.push_str(&format!(": {}", escape(&question.summary)));
    }
    out.push_str(&format!(
        "\n\n**{}.** {}\n",
        capital(question.verdict_word),
        escape(&question.sentence)
    ));
    if let Some(rounds) = &question.rounds {
        out.push_str(&format!("\nRounds, {}: {}\n", question.unit, escape(&rounds.line())));
    }
    if let Some(control) = &question.control {
        out.push_str(&format!("\nA/A control: {}\n", escape(control)));
    }
    if let Some(bottleneck) = &question.bottleneck {
        out.push_str(&format!("\nBottleneck: {}\n", escape(bottleneck)));
    }
    if let Some(energy) = &question.energy {
        out.push_str(&format!("\nEnergy: {}\n", escape(energy)));
    }
    if question.rows.is_empty() || question.is_alone {
        return out;
    }
    let reference = question.reference.as_deref().unwrap_or("-");
    let binary = question.binary_unit.map(|b| format!(" ({b})")).unwrap_or_default();
    let columns = [
        words("tier"),
        words("candidate"),
        number(format!("{}{binary}", question.unit)),
        words(format!("against {reference}")),
        number("p99"),
        number("cells"),
    ];
    let cells = |row: &Row| {
        let binary = row.binary_rate.as_ref().map(|b| format!(" ({b})")).unwrap_or_default();
        let dropped = row.dropped.as_ref().map(|d| format!(", {d}")).unwrap_or_default();
        vec![
            row.tier.map_or("-".to_string(), |tiers| tiers.to_string()),
            row.candidate.clone(),
            format!("{}{binary}", row.rate),
            format!("{}{dropped}", row.change_words()),
            row.p99.clone().unwrap_or("-".to_string()),
            row.cells.to_string(),
        ]
    };
    format!("{out}\n{}", Table::new(columns, question.rows.iter().map(cells)).markdown())
}

/// Text as Markdown shows it: every character that could mean something is escaped.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A bare address or mention would become a link or notify a stranger.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '!' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out.replace("://", ":&#8203;//")
}

/// Text as a code span, fenced with more backticks than it holds.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_acts() {
        assert_eq!(escape("<b>|*x*|@you"), "&lt;b&gt;\\|\\*x\\*\\|&#64;you");
        assert_eq!(escape("http://x"), "http:&#8203;//x");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("plain"), "`plain`");
    }
}
