//! Every output in fixtures/tools, whole and as people and terminals leave it.

mod hostile;
mod matrix;
mod samples;
mod shuffled;
mod versions;
