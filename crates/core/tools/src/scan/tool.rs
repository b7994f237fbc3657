//! What is known of a tool whose outputs are found: its names, what only it prints, its readers.
//!
//! Each tool states this once, in its own folder of [`crate`].

use super::finder::Reader;

#[derive(Debug)]
pub struct ScannedTool {
    pub name: &'static str,
    pub title: &'static str,
    pub programs: &'static [&'static str],
    /// What only it prints, in one spelling each, whatever stands in front of it or behind it.
    pub marks: &'static [&'static str],
    pub phases: &'static [&'static str],
    pub readers: fn() -> Vec<Box<dyn Reader>>,
}

impl ScannedTool {
    /// One that people call by the name of its only program.
    pub const fn new(
        name: &'static str,
        marks: &'static [&'static str],
        readers: fn() -> Vec<Box<dyn Reader>>,
    ) -> ScannedTool {
        ScannedTool { name, title: name, programs: &[], marks, phases: &[], readers }
    }

    pub fn has_program(&self, program: &str) -> bool {
        self.name == program || self.programs.contains(&program)
    }
}
