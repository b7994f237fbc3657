//! `bakeoff self lint`: the rules, what one means, and what they say about a plan, a run or a text.

use std::path::Path;
use std::slice::from_ref;

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::evidence::{RULES, Rule};
use bakeoff_judge::import;
use bakeoff_judge::rules::{self, limit};
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::path::{RawPath, printable};
use bakeoff_report as report;

use super::answer;
use super::stored;
use crate::cli::{Format, Global, Lint};
use crate::fault::{self, Fault, Outcome};
use crate::store::folded;
use crate::ui::{out, say};

/// Most bytes read of a text; results of tools are far shorter.
const MOST_BYTES: u64 = 256 << 20;

/// Runs the command: R and E among the findings are exit 1.
pub fn run(global: &Global, args: &Lint) -> Result<Outcome, Fault> {
    let is_list = args.explain.is_none() && args.what.is_none();
    let is_known = |f: &Format| {
        matches!(f, Format::Text | Format::Json) || (*f == Format::Markdown && is_list)
    };
    if let Some(format) = global.format.filter(|f| !is_known(f)) {
        return Err(stored::no_format(
            format,
            "self lint",
            "text or json (also markdown for the list of rules)",
        ));
    }
    if let Some(name) = &args.explain {
        let rule = Rule::find(name).ok_or_else(|| unknown(name))?;
        return show(global, None, from_ref(rule), None);
    }
    let Some(what) = &args.what else { return show(global, None, &RULES, None) };
    let (found, has_results) = findings(global, what)?;
    let found = limit::sorted(found);
    if !has_results {
        say::line(format_args!(
            "bakeoff: nothing was read from {}: it contains no output of a supported tool. To see \
             which parts were not read: bakeoff show {}",
            printable(what.as_bytes()),
            RawPath::new(what)
        ));
        return Ok(Outcome::Open);
    }
    let said = show(global, Some(what), &[], Some(&found)).map(drop);
    let is_clean = found.iter().all(|f| f.severity < Severity::Error);
    fault::after_printing(said, Ok(if is_clean { Outcome::Done } else { Outcome::Open }))
}

fn unknown(name: &str) -> Fault {
    let name = printable(name.as_bytes());
    Fault::usage(format!("no rule '{name}'. List all rules with `bakeoff self lint`"))
}

fn show(
    global: &Global,
    source: Option<&str>,
    rules: &[Rule],
    findings: Option<&[Finding]>,
) -> Result<Outcome, Fault> {
    let format = global.format.unwrap_or(Format::Text);
    let text = match (format, findings, rules) {
        (Format::Json, ..) => report::lint_json(source, rules, findings.unwrap_or_default()) + "\n",
        (_, Some(findings), _) => {
            let shown = report::findings_document(source.unwrap_or_default(), findings);
            answer::laid_out(&shown, format)
        }
        (_, None, [one]) => answer::laid_out(&report::rule_document(one), format),
        (_, None, _) => answer::laid_out(&report::rules_document(), format),
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}

/// What the rules say about a file (a plan or a text) or a stored run; and whether there
/// was anything that they could judge.
fn findings(global: &Global, what: &str) -> Result<(Vec<Finding>, bool), Fault> {
    let path = Path::new(what);
    if what.ends_with(".toml") || (!path.exists() && plan_text(what).is_some()) {
        return Ok((of_plan(what)?, true));
    }
    if path.is_dir() {
        let shown = RawPath::new(path);
        return Err(Fault::usage(format!("{shown} is a directory. Specify a file in it")));
    }
    if path.is_file() {
        return Ok(of_text(&read(path)?));
    }
    let (store, id) = stored::find(global, what)?;
    let run = folded::read(&*store, &id)?;
    Ok((analyse(&run).findings, true))
}

pub fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    use std::io::Read;
    let fail = |error: std::io::Error| {
        Fault::usage(format!("cannot read {}: {error}", RawPath::new(path)))
    };
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(fail)?;
    file.take(MOST_BYTES).read_to_end(&mut text).map_err(fail)?;
    Ok(text)
}

fn of_text(text: &[u8]) -> (Vec<Finding>, bool) {
    let imported = import::all(text);
    let has_results = !imported.results.is_empty();
    let told = |r: bakeoff_judge::import::ToolResult| {
        let at = format!("{}, line {}", r.tool, r.first_line);
        r.findings.into_iter().map(move |mut f| {
            f.candidate.get_or_insert_with(|| at.clone());
            f
        })
    };
    (imported.results.into_iter().flat_map(told).collect(), has_results)
}

fn plan_text(name: &str) -> Option<&'static str> {
    bakeoff_judge::plan::built_in(name).map(|plan| plan.text)
}

fn of_plan(name: &str) -> Result<Vec<Finding>, Fault> {
    let text = match plan_text(name) {
        Some(text) => text.to_string(),
        None => String::from_utf8(read(Path::new(name))?)
            .map_err(|_| Fault::usage(format!("{} is not text", printable(name.as_bytes()))))?,
    };
    let plan = crate::planning::plan_text::parse(&text, name)?;
    rules::of_plan(&plan, &crate::planning::plan_text::job_files(&plan)?).map_err(Fault::usage)
}
