//! The form that starts a run: what there is to choose, and what the choice would do.

use askama::Template;

use super::{Here, rendered};
use crate::report::html::SYMBOLS;

/// A place or a drive that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What the form sends.
    pub value: String,
    /// What people read.
    pub name: String,
    /// More about it.
    pub about: String,
    /// Whether it is chosen.
    pub is_chosen: bool,
}

/// The form.
#[derive(Clone, Debug, Default)]
pub struct NewPage {
    /// Whether the reader may start runs.
    pub can_act: bool,
    /// Whether this server may erase.
    pub may_erase: bool,
    /// Directories.
    pub places: Vec<Choice>,
    /// Workloads that are measured in them.
    pub workloads: Vec<Choice>,
    /// Built-in plans: name, title, whether chosen.
    pub plans: Vec<(String, String, bool)>,
    /// Drives.
    pub drives: Vec<Choice>,
    /// The time limit as typed.
    pub time: String,
    /// What the choice would do, in the words of `bakeoff plan`.
    pub preview: String,
    /// Whether a token has to be typed.
    pub needs_token: bool,
    /// What the preview was of; a start of something else is shown first.
    pub seen: String,
    /// What is wrong with the choice.
    pub problem: Option<String>,
}

impl NewPage {
    /// As HTML.
    pub fn html(self) -> String {
        rendered(Form {
            here: Here::New,
            symbols: SYMBOLS,
            can_act: self.can_act,
            may_erase: self.may_erase,
            places: self.places,
            chooses: self.workloads.iter().any(|workload| workload.is_chosen),
            workloads: self.workloads,
            plans: self.plans,
            drives: self.drives,
            time: self.time,
            preview: self.preview,
            needs_token: self.needs_token,
            seen: self.seen,
            problem: self.problem,
        })
    }
}

#[derive(Template)]
#[template(path = "live/new.html")]
struct Form {
    here: Here,
    symbols: &'static [&'static str],
    can_act: bool,
    may_erase: bool,
    places: Vec<Choice>,
    /// Whether some of them are chosen.
    chooses: bool,
    workloads: Vec<Choice>,
    plans: Vec<(String, String, bool)>,
    drives: Vec<Choice>,
    time: String,
    preview: String,
    needs_token: bool,
    seen: String,
    problem: Option<String>,
}
