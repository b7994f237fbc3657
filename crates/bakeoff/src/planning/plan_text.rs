//! A plan by its name or file, put on targets: what `plan` and `run` share.

use std::io::Read;
use std::path::Path;

use bakeoff_judge::plan::{self, Expanded, Plan, PlanMachine};
use bakeoff_model::candidate::Stack;
use bakeoff_model::path::RawPath;

use crate::fault::Fault;
use crate::host;
use crate::steps::target::Target;

/// Reads and parses a plan: a built-in one by its name, else a file.
pub fn load(name: &Path) -> Result<Plan, Fault> {
    let shown = RawPath::new(name).to_string();
    if let Some(built_in) = name.to_str().and_then(plan::built_in) {
        return plan::parse(built_in.text, built_in.name).map_err(Fault::bug);
    }
    let file = std::fs::File::open(name).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Fault::usage(format!(
            "there is no plan file or built-in plan named {shown}: {}",
            plan::did_you_mean(&shown)
        )),
        _ => Fault::usage(format!("cannot read the plan {shown}: {error}")),
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let listed = plan::BUILT_IN.map(|plan| plan.name).join(", ");
        let what = format!(
            "the plan {shown} is a directory. Specify a TOML file in it, or \
                            {listed}"
        );
        return Err(Fault::usage(what));
    }
    let mut bytes = Vec::new();
    // One byte more than a plan may have, so that the parser sees that it is too long.
    file.take(plan::TEXT_MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::usage(format!("cannot read the plan {shown}: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Fault::usage(format!("the plan {shown} is not text. A plan is TOML in UTF-8"))
    })?;
    parse(&text, &shown)
}

/// A plan's text: a mistake is exit 2, and options that could reach other drives are exit 3.
pub fn parse(text: &str, name: &str) -> Result<Plan, Fault> {
    plan::parse(text, name).map_err(|error| {
        if error.is_refusal() { Fault::refused(error) } else { Fault::usage(error) }
    })
}

pub fn expand(plan: &Plan, targets: &[(&Target, Option<u64>)]) -> Result<Expanded, Fault> {
    let named: Vec<plan::Target> = targets
        .iter()
        .map(|(target, region_bytes)| plan::Target {
            name: target.name.clone(),
            region_bytes: *region_bytes,
        })
        .collect();
    let supports = |stack: &Stack, index: usize| {
        let drive = targets.get(index).and_then(|(target, _)| target.knob_disk());
        host::stack_support(stack, drive.as_deref())
    };
    let here = PlanMachine { supports: &supports };
    plan::expand(plan, &named, &here).map_err(Fault::usage)
}
