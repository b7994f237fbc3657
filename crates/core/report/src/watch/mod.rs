//! What `watch` shows: text of 80 columns, a line of JSON, or rows of CSV.

mod tables;
mod text;

#[cfg(test)]
mod tests;

pub use tables::{csv, csv_header, json};
pub use text::text;
