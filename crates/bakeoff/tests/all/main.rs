//! Every test that runs the built program, in one binary: it is compiled and linked once, and its
//! tests share the machine as one queue. A new test is a module of this one.
//!
//! With `cargo test` they run beside each other in one process. So no test changes what the process
//! has one of (the working directory, the environment): it gives that to the program it starts.
//! What the machine has one of (a count of loop devices, of processes) is looked at for the test's
//! own paths only.

#![forbid(unsafe_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

#[path = "../support/bench.rs"]
mod bench;
#[path = "../support/cluster.rs"]
mod cluster;
#[path = "../support/on_image.rs"]
mod on_image;
#[path = "../support/other.rs"]
mod other;
#[path = "../support/recorded.rs"]
mod recorded;
#[path = "../support/running.rs"]
mod running;
#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/stored.rs"]
mod stored;
#[path = "../support/terminal.rs"]
mod terminal;

mod beside;
mod cases;
mod causes;
mod characterise;
mod command_line;
mod compare;
mod control;
mod crash;
mod devices;
mod ends;
mod exports;
mod facts;
mod figures;
mod fit;
mod forecast;
mod guard;
mod held;
mod history;
mod hopeless;
mod imported;
mod limits;
mod masked;
mod members;
mod memory;
mod narrow;
mod normal;
mod obeyed;
mod opened_files;
mod own_mounts;
mod probed;
mod push;
mod recipes;
mod redirect;
mod rules;
mod run;
mod same_bytes;
mod serve;
mod setup;
mod store_trouble;
mod stored_runs;
mod swapped;
mod systemd;
mod tools;
mod wear;
mod words;
mod writers;
