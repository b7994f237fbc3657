//! The engine's child process where a cell is measured in slices: a task, then orders, each
//! answered with a line. See [`bakeoff_tools::native::sliced`].

use std::io::{BufRead, BufReader, Read, Write};

use bakeoff_model::json;
use bakeoff_model::measurement::Measurement;
use bakeoff_tools::native::sliced::{Answer, ORDER_LIMIT_BYTES, Order};
use bakeoff_tools::native::{Failure, TASK_LIMIT_BYTES, Task};

use crate::error::EngineError;
use crate::live::Live;
use crate::serve::{borrow, die_with};
use crate::slice_report::Measure;
use crate::slices::measure_slices;
use crate::target::Target;

/// Reads a task and orders from `input`, and answers on `output` until the order to end. Returns
/// the exit status: 0 when it was told to end or said why it cannot go on, and 70 when nobody
/// listens.
///
/// The process dies with its parent.
pub fn serve_slices(input: impl Read, mut output: impl Write) -> i32 {
    let mut input = BufReader::new(input);
    let last = match whole_cell(&mut input, &mut output) {
        Ok(ended) => Answer::Ended(Box::new(ended)),
        Err(error) => Answer::Error(Failure::from(&error)),
    };
    match say(&mut output, &last) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            70
        }
    }
}

fn whole_cell(
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<Measurement, EngineError> {
    let task: Task = json::read(&line(input, TASK_LIMIT_BYTES)?).map_err(unclear)?;
    die_with(task.parent_pid)?;
    if task.profile.is_some() || task.look_for.is_some() || task.acks_fd.is_some() {
        return Err(protocol("this task cannot be done in slices"));
    }
    let live = Live::new(task.live_fd.map(borrow).transpose()?);
    measure_slices(&task.job, |job| Target::of_task(&task, job), &live, &mut |measure| {
        converse(input, output, measure)
    })
}

fn converse(
    input: &mut impl BufRead,
    output: &mut impl Write,
    measure: Measure<'_>,
) -> Result<(), EngineError> {
    say(output, &Answer::Ready)?;
    loop {
        let order = line(input, ORDER_LIMIT_BYTES)?;
        match json::read(&order).map_err(unclear)? {
            Order::Go(go) => say(output, &Answer::Slice(Box::new(measure(&go)?)))?,
            Order::End => return Ok(()),
        }
    }
}

fn line(input: &mut impl BufRead, limit: u64) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    input.take(limit).read_until(b'\n', &mut bytes).map_err(|e| protocol(&e.to_string()))?;
    match bytes.last() {
        Some(b'\n') => Ok(bytes),
        Some(_) if bytes.len() as u64 == limit => Err(protocol("a line is too long")),
        _ => Err(protocol("the parent process stopped sending requests")),
    }
}

fn say(output: &mut impl Write, answer: &Answer) -> Result<(), EngineError> {
    let mut bytes = serde_json::to_vec(answer).map_err(unclear)?;
    bytes.push(b'\n');
    let written = output.write_all(&bytes).and_then(|()| output.flush());
    written.map_err(|e| EngineError::io("replying to the parent process", e))
}

fn protocol(why: &str) -> EngineError {
    EngineError::Protocol(why.to_string())
}

fn unclear(error: serde_json::Error) -> EngineError {
    protocol(&error.to_string())
}
