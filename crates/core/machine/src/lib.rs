//! The machine and what may be done to it: parsers of /proc and /sys, preparing, guarding and
//! undoing, fitness, and what is usual for it.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

pub mod fitness;
pub mod guard;
pub mod prepare;
pub mod probe;
pub mod setup;
pub mod sysinfo;
pub mod telemetry;
pub mod usual;
pub mod watch;
pub mod writers;
