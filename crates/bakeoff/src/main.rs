//! The program: all of it is in the library beside this file, which is compiled once for the
//! program, however that is linked.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    bakeoff::main()
}
