//! The form that starts a run: what there is to choose, and what the choice would do.

use askama::Template;

/// A place, workload, plan or drive that can be chosen.
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
#[derive(Clone, Debug, Default, Template)]
#[template(path = "live/new.html")]
pub struct NewPage {
    /// Whether the reader may start runs.
    pub can_act: bool,
    /// Whether this server may erase.
    pub may_erase: bool,
    /// Directories.
    pub places: Vec<Choice>,
    /// Workloads that are measured in them.
    pub workloads: Vec<Choice>,
    /// Built-in plans.
    pub plans: Vec<Choice>,
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
    fn has_chosen_workload(&self) -> bool {
        self.workloads.iter().any(|workload| workload.is_chosen)
    }
}
