//! Measures a run: the loop (`until_answered`), blocks, their `workloads` in rounds of slices
//! (`rounds`, `member`) or in one piece (`cell`), the layers below (`ceilings`,
//! each with `layer`). Outside of these: the workloads of applications (`fitting`) and one job
//! (`single`).

pub mod block;
pub mod calibration;
pub mod ceilings;
pub mod cell;
pub mod fitting;
pub mod idle;
pub mod layer;
pub mod member;
pub mod rounds;
pub mod single;
pub mod until_answered;
mod wear;
pub mod workloads;
