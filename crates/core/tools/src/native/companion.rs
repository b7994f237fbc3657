//! What the parent and a companion of a measured workload say to each other.
//!
//! The parent writes a task on one line and reads [`Answer::Ready`](super::sliced::Answer) once
//! everything is laid out. Then every order gets an answer of its own; the one to
//! [`CompanionOrder::End`] has the figures of all the time the companion worked.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompanionOrder {
    /// Works from now on, at its pace.
    Go,
    /// Ends what it is doing, flushes, and waits. Time in which it waits does not count.
    Rest,
    End,
}
