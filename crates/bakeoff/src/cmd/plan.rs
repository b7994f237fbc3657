//! `bakeoff plan PLAN`: what a plan comes to, before anything happens. Changes nothing.

use bakeoff_judge::plan::Plan;
use bakeoff_judge::rules;
use bakeoff_model::finding::Finding;
use bakeoff_model::path::RawPath;
use bakeoff_report as report;
use bakeoff_report::plan::{PlanView, TargetView, state_label};
use bakeoff_stats::units;

use super::{answer, setup, stored};
use crate::cli::{Format, Global, PlanArgs};
use crate::fault::{Fault, Outcome};
use crate::places::targets::Wanted;
use crate::planning::commands::commands;
use crate::planning::costs::costs;
use crate::planning::on_targets::{Looked, check_wear, look_at, too_large, without_targets};

/// Shows the plan; refuses what `run` would refuse, after showing it.
pub fn run(global: &Global, args: &PlanArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "plan")?;
    let (is_whole, is_installing) = (args.commands, args.install);
    let (name, args) = match (&args.plan, &args.on) {
        (Some(name), on) => (name, on),
        (None, on) if !on.targets.is_empty() => {
            return Err(Fault::usage(format!(
                "no plan given for {}. Specify a TOML file or a built-in plan (list them with \
                 `bakeoff plan`)",
                RawPath::new(&on.targets[0])
            )));
        }
        (None, _) => {
            answer::print_either(format, report::plans::json, report::plans::document)?;
            return Ok(Outcome::Done);
        }
    };
    if is_installing {
        setup::install_missing(Some(name))?;
    }
    if args.time == Some(0) {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 2h"));
    }
    if args.targets.is_empty() {
        let (asked, made) = without_targets(global, name, args)?;
        let mut view = PlanView::new(&asked, made);
        view.findings = findings(&asked)?;
        return print(format, &view, is_whole).map(|()| Outcome::Done);
    }
    let looked = look_at(global, name, args, None)?;
    let mut view = on_targets(&looked);
    view.findings = findings(&looked.asked)?;
    print(format, &view, is_whole)?;
    let (made, wanted) = (&looked.made, &looked.wanted);
    check_wear(wanted, made)?;
    let too_much = |view: &PlanView| {
        let estimate = view.estimate.as_ref()?;
        let limit = estimate.max_write_bytes?;
        (estimate.refused.is_some() && estimate.first.write_bytes > limit).then_some(limit)
    };
    match too_much(&view) {
        Some(limit) => Err(Fault::refused(format!(
            "the plan would write more than the limit of {}, which protects the drive from wear. \
             Reduce the region or the workloads, or raise the limit with --max-write",
            units::size(limit)
        ))),
        None => Ok(Outcome::Done),
    }
}

fn findings(plan: &Plan) -> Result<Vec<Finding>, Fault> {
    rules::of_plan(plan).map_err(Fault::usage)
}

fn on_targets(looked: &Looked) -> PlanView {
    let Looked { asked, made, wanted, visited_because } = looked;
    let mut view = PlanView::new(asked, made.clone());
    view.visited_because.clone_from(visited_because);
    view.targets = wanted.iter().map(target_view).collect();
    view.too_large = too_large(made, wanted);
    view.commands = commands(made, wanted);
    view.estimate = costs(made, wanted);
    view
}

fn target_view(wanted: &Wanted) -> TargetView {
    let Wanted { target, span, parts, flash_state, .. } = wanted;
    let (bytes, about) = (target.room.target_bytes, target.about());
    let about = if target.is_image {
        format!("{about} of {}", units::size(bytes))
    } else {
        format!("{about}, {}", units::size_decimal(bytes))
    };
    let serial = target.drive().and_then(|drive| drive.serial.as_deref());
    let about = about + &serial.map_or(String::new(), |s| format!(", serial number {}", s.trim()));
    TargetView {
        path: target.path.to_string(),
        about,
        contents: target.contents.signs.clone(),
        contents_words: target.contents_lines(),
        erase_token: target.token.clone(),
        size_bytes: target.room.target_bytes,
        region_start_bytes: span.start_bytes,
        region_size_bytes: span.size_bytes,
        region_parts: *parts,
        state: state_label(*flash_state),
        max_write_bytes: Some(target.write_budget()),
    }
}

fn print(format: Format, view: &PlanView, is_whole: bool) -> Result<(), Fault> {
    let document = || if is_whole { view.with_commands() } else { view.document() };
    Ok(answer::print_either(format, || view.json(), document)?)
}
