//! What is kept of a command that failed, for `report-bug`: its words, and where the program was
//! when a bug ended it.

use std::panic;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bakeoff_model::path::printable;
use bakeoff_model::secrets;
use bakeoff_report::facts::LastError;

use crate::exec::internal;
use crate::fault::Fault;
use crate::host;
use crate::store::last_error;

/// What the last panic of any thread said. A panic hook has no other way out.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Notes what a panic says, beside printing it.
pub fn watch() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(what.to_string());
        print(what);
    }));
}

/// Keeps how a command failed. Wrong words on the command line and Ctrl-C are no failures.
pub fn keep(store: Option<&Path>, fault: &Fault) {
    if fault.is_silent() || fault.is_usage() || fault.is_interrupted() {
        return;
    }
    let words = internal::typed_args().into_iter();
    let error = LastError {
        unix_s: host::unix_s(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        exit: fault.code(),
        command: secrets::command(words.map(|word| printable(word.as_encoded_bytes()))),
        message: fault.to_string(),
        panic: PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    };
    // The words are on the screen; what cannot be kept beside the store (a full drive, a home that
    // is read-only) is missed by nobody but report-bug, which then has no last error.
    let _ = last_error::keep(store, &error);
}
