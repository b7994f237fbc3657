//! Runs with every field, what the document of the format says of them, and damaged bundles.

mod format_doc;
mod hostile;
pub mod sample;
pub(crate) mod sample_normal;
mod sample_telemetry;
