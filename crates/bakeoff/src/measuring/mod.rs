//! Measures a run: the loop (`run`), blocks (`block`), their workloads in rounds of slices
//! (`rounds`, `member`) or in one piece (`cell`), and the layers below (`ceilings`). Outside of
//! these: the workloads of applications (`fitting`) and one job (`single`).

pub mod block;
pub mod ceilings;
pub mod cell;
mod drive_bytes;
pub mod fitting;
pub mod member;
pub mod rounds;
pub mod run;
pub mod single;
