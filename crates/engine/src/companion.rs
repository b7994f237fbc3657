//! The child process that works beside a measured workload: a task on the first line, then orders.
//!
//! What it does is what the other children do, by the clock of [`crate::hold`], and without an end
//! of its own. See [`CompanionOrder`] for what it is asked.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::thread;

use bakeoff_model::job::Job;
use bakeoff_model::json;
use bakeoff_model::measurement::Measurement;
use bakeoff_tools::native::sliced::REQUEST_LIMIT_BYTES;
use bakeoff_tools::native::{CompanionOrder, NativeTask, Reply};

use crate::error::EngineError;
use crate::hold;
use crate::profile::OpenDatabase;
use crate::serve::{do_task, end, first, last, line, say};

/// Longer than any run, and far from what overflows.
const FOREVER_NS: u64 = 1 << 60;

/// Reads a task and orders from `input`, and answers on `output` until the order to end. Returns
/// the exit status, as [`crate::serve_slices`] does.
///
/// The process dies with its parent. It does nothing else: its clocks stand still between orders.
pub fn serve_companion(input: impl Read, mut output: impl Write, open: OpenDatabase) -> i32 {
    let ended = accompany(&mut BufReader::new(input), &mut output, open);
    end(say(&mut output, &last(ended)))
}

fn accompany(
    input: &mut BufReader<impl Read>,
    output: &mut impl Write,
    open: OpenDatabase,
) -> Result<Measurement, EngineError> {
    let task = first(input)?;
    let endless = Job {
        io_size: None,
        runtime_ns: Some(FOREVER_NS),
        min_ios: 0,
        time_limit_ns: None,
        ..task.job.clone()
    };
    let task = NativeTask { job: endless, ..task };
    // Before a profile changes what paths mean.
    let place = File::open(task.target.as_path())
        .map_err(|e| EngineError::io("opening the place of the companion", e))?;
    hold::begin();
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            let _told = Ended;
            do_task(&task, open)
        });
        hold::until_ready();
        let talked = if hold::has_ended() { Ok(()) } else { converse(input, output, &place) };
        hold::end();
        let done = work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        talked?;
        let all = match done {
            Reply::Ok(measured) => Some(*measured),
            Reply::Parts(parts) => parts.into_iter().next(),
            Reply::Ready | Reply::Slice(_) | Reply::Tree(_) | Reply::Error(_) => None,
        };
        let measured = all.ok_or_else(|| EngineError::protocol("the companion has no numbers"))?;
        // By a clock that others do not have.
        Ok(Measurement { monotonic_ns: None, windows: Vec::new(), ..measured })
    })
}

/// Tells that the work has ended, by a panic too: without it everybody would wait for ever.
struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        hold::ended();
    }
}

/// Until the order to end, or until nobody works any more.
fn converse(
    input: &mut BufReader<impl Read>,
    output: &mut impl Write,
    place: &File,
) -> Result<(), EngineError> {
    say(output, &Reply::Ready)?;
    loop {
        let order = line(input, REQUEST_LIMIT_BYTES)?;
        match json::read(&order).map_err(EngineError::protocol)? {
            CompanionOrder::Go => hold::go(),
            CompanionOrder::Rest => {
                hold::rest();
                // What it wrote is not to be written back beside another candidate.
                rustix::fs::syncfs(place)
                    .map_err(|e| EngineError::io("flushing the filesystem", e))?;
            }
            CompanionOrder::End => return Ok(()),
        }
        if hold::has_ended() {
            return Ok(());
        }
        say(output, &Reply::Ready)?;
    }
}
