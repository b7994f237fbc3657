//! Words in announced commands for what is known only when they run.

/// What a command cannot name before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StandIn {
    Run,
    Loop,
    Before,
}

impl StandIn {
    /// The word in its place; of the loop device its name in /dev.
    pub const fn word(self) -> &'static str {
        match self {
            StandIn::Run => "RUN",
            StandIn::Loop => "loopN",
            StandIn::Before => "BEFORE",
        }
    }
}
