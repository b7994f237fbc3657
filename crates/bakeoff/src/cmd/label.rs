//! `bakeoff runs label`: the name a stored run has for people.

use bakeoff_model::path::sanitize;

use super::stored;
use crate::cli::history::LabelArgs;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::ui::out;

const MOST: usize = 200;

pub fn run(global: &Global, args: &LabelArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs label")?;
    let label = args.text.as_deref().map(str::trim).filter(|_| !args.remove);
    match label {
        Some("") => {
            let advice = "To remove the label: bakeoff runs label RUN --remove";
            return Err(Fault::usage(format!("the label is empty. {advice}")));
        }
        Some(text) if text.chars().count() > MOST => {
            return Err(Fault::usage(format!("the label has more than {MOST} characters")));
        }
        _ => {}
    }
    let (mut store, id) = stored::find_file(global, &args.run)?;
    store.set_label(&id, label)?;
    let text = match (format, label) {
        (Format::Json, _) => {
            let labelled = serde_json::json!({"run": id.as_str(), "label": label});
            let document = serde_json::json!({"schema": "bakeoff/label/1", "labelled": labelled});
            format!("{document}\n")
        }
        (_, Some(text)) => format!("run {id} is labelled: {}\n", sanitize(text)),
        (_, None) => format!("run {id} has no label\n"),
    };
    out::print(Some(format), &text)?;
    Ok(Outcome::Done)
}
