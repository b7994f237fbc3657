//! Measures a run: the loop (`until_answered`), blocks, rounds of slices (`rounds`, `member`),
//! cells in one piece (`group`, `cell`), the layers below (`ceilings`, `in_memory`, each with
//! `layer`) and experiments (`prove`). Outside a run, one job (`single`).

pub mod block;
pub mod calibration;
pub mod ceilings;
pub mod cell;
pub mod cooling;
pub mod group;
pub mod idle;
pub mod in_memory;
pub mod layer;
pub mod member;
pub mod prove;
pub mod rounds;
pub mod side_by_side;
pub mod single;
pub mod until_answered;
