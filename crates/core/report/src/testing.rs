//! The pages of docs/ that are made from tables of the code; a test of each holds the page to its
//! table. `cargo run -p bakeoff --example docs` writes them again.

mod applications;
mod filesystems;
mod findings;
mod usual;

pub use applications::applications_markdown;
pub use filesystems::filesystems_markdown;
pub use findings::rules_markdown;
pub use usual::usual_markdown;
