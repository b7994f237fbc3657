//! `bakeoff runs label`: the name a stored run has for people.

use bakeoff_model::path::sanitize;

use super::stored;
use crate::cli::Global;
use crate::cli::history::LabelArgs;
use crate::fault::{Fault, Outcome};
use crate::ui::out;

const MOST: usize = 200;

pub fn run(global: &Global, args: &LabelArgs) -> Result<Outcome, Fault> {
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
    let text = match label {
        Some(text) => format!("run {id} is labelled: {}\n", sanitize(text)),
        None => format!("run {id} has no label\n"),
    };
    out::print(None, &text)?;
    Ok(Outcome::Done)
}
