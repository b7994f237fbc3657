//! What a user meets when things are not as they should be, and that nothing is lost by it.
//!
//! Every test runs the built program as a user would, on real directories, loop mounts, pipes and
//! signals, and asks for four things: the exit code, a message that says what happened, why and
//! what to type next, nothing of ours left behind, and everything of the user's as it was. None
//! depends on how fast the machine is or which verdict comes out.

mod bench_device;
mod bench_file;
mod bench_fio;
mod bench_jobs;
mod bench_words;
mod clock;
mod demo;
mod drivers;
mod full;
mod names;
mod ownership;
mod plan;
mod profiles;
mod refusals;
mod signals;
mod strange_places;
mod streams;
mod watch;
