//! What is usual for a kind of storage: what others published of such drives, what labels promise,
//! and what links carry. Each line of the tables has its source; `data/README.md` says how far they
//! carry. Nothing in them was measured by bakeoff.

pub mod labels;
pub mod links;
pub mod medium;
pub mod others;
pub mod words;
