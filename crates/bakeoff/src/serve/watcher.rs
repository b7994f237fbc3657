//! The thread that looks at the machine and at the store while somebody watches, and says what is
//! new. It only ever reads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_report::watch;

use super::app::{App, Current};
use super::hub::Topic;
use crate::host::{LiveDevices, LiveHost};

const INTERVAL: Duration = Duration::from_secs(2);
const TOO_LONG: Duration = Duration::from_secs(10);

pub fn run(app: &App) {
    let mut live = None;
    let mut shown: Option<Arc<Current>> = None;
    let mut looked = Instant::now();
    while !app.cancel.is_set() {
        app.hub.rest(INTERVAL);
        if looked.elapsed() > TOO_LONG {
            live = None;
        }
        looked = Instant::now();
        publish_frame(app, &mut live);
        publish_run(app, &mut shown);
    }
}

/// What cannot be read now is tried again at the next look.
fn publish_frame(app: &App, live: &mut Option<LiveHost>) {
    let Some(opened) = live else {
        *live = LiveHost::open(LiveDevices::Disks).ok();
        return;
    };
    match opened.frame() {
        Ok(frame) => {
            app.hub.publish(Topic::Frame, watch::json(&frame).trim_end().to_string());
            app.hub.set_text(watch::text(&frame, 80, usize::MAX));
        }
        Err(_) => *live = None,
    }
}

fn publish_run(app: &App, shown: &mut Option<Arc<Current>>) {
    let said = match app.current() {
        Ok(Some(current)) => {
            if shown.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, &current)) {
                return;
            }
            *shown = Some(Arc::clone(&current));
            current.html.clone()
        }
        Ok(None) => return,
        // The page has the run as it was; the next look may do better.
        Err(_) => return,
    };
    // A string always has a JSON form.
    app.hub.publish(Topic::Run, serde_json::Value::String(said).to_string());
}
