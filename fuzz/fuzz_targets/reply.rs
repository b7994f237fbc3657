//! What the engine's child process sends back: a measurement, a failure, or rubbish from a process
//! that died half-way.

#![no_main]

use bakeoff_tools::native::Reply;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(reply) = Reply::parse(bytes) {
        let _ = reply.into_result();
    }
});
