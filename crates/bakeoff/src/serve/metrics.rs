//! `/metrics`: OpenMetrics of the run, and of the last run of each drive.
//!
//! Names and units follow the Prometheus conventions (prometheus.io/docs/practices/naming): base
//! units, a unit at the end, `_total` for counters only.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bakeoff_core::report::now::{DriveNow, Now};
use bakeoff_core::report::runs::State as RunState;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::app::{App, locked, slowly};
use super::problem::Problem;
use crate::host;

/// Drives that have metrics; more is no machine but a collection of runs.
const DRIVES: u32 = 32;
/// Runs analysed for one scrape; the others follow at the next ones.
const AT_ONCE: usize = 2;
/// Its content type (OpenMetrics 1.0, "Overall Structure").
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type Labels = Vec<(&'static str, String)>;
type Values = Family<Labels, Gauge<f64, AtomicU64>>;

/// Progress, verdicts, ceilings, wear, health and temperature.
#[utoipa::path(get, path = "/metrics", responses(
    (status = 200, description = "OpenMetrics", content_type = "application/openmetrics-text")))]
pub async fn scrape(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let text = slowly(&app, |app| {
        let current = app.current()?;
        let (stored, last) = last_of_drives(app)?;
        let hottest_c = host::hottest_mc().map(|mc| mc as f64 / 1000.0);
        text(current.as_ref().map(|current| &current.now), stored, &last, hottest_c)
            .map_err(Problem::broken)
    });
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], text.await?).into_response())
}

/// The last run of each drive, under the labels of the drive.
type LastOfDrives = Vec<(Labels, Arc<Now>)>;

/// The last run of each drive as far as it is analysed, and how many runs there are.
fn last_of_drives(app: &App) -> Result<(u64, LastOfDrives), Problem> {
    let Some(store) = app.open()? else { return Ok((0, Vec::new())) };
    let wanted = store.last_of_drives(DRIVES)?;
    let mut analysed = locked(&app.analysed);
    analysed.retain(|run, _| wanted.contains(run));
    let mut left = AT_ONCE;
    let mut last: LastOfDrives = Vec::new();
    for run in wanted {
        let events = store.events(&run)?;
        let kept = analysed.get(&run).filter(|now| now.events == events).cloned();
        let now = match kept {
            Some(now) => Some(now),
            None if left > 0 => {
                left -= 1;
                // One that cannot be read takes nothing from the others.
                let now = app.view_now(&run).ok().map(|made| Arc::new(made.now));
                analysed.extend(now.clone().map(|now| (run, now)));
                now
            }
            None => None,
        };
        for (labels, now) in now.iter().flat_map(labelled) {
            if !last.iter().any(|(seen, _)| *seen == labels) {
                last.push((labels, now));
            }
        }
    }
    Ok((store.stored()?, last))
}

/// The drives of a run that say who they are.
fn labelled(now: &Arc<Now>) -> impl Iterator<Item = (Labels, Arc<Now>)> {
    let named = now.drives.iter().filter(|d| d.model.is_some() || d.serial.is_some());
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    named.map(move |drive| {
        (vec![("model", text(&drive.model)), ("serial", text(&drive.serial))], Arc::clone(now))
    })
}

/// Everything, as text.
fn text(
    now: Option<&Now>,
    stored: u64,
    last: &[(Labels, Arc<Now>)],
    hottest_c: Option<f64>,
) -> Result<String, std::fmt::Error> {
    let mut registry = Registry::with_prefix("bakeoff");
    let build = family(&mut registry, "build_info", "Version of bakeoff");
    set(&build, vec![("version", env!("CARGO_PKG_VERSION").to_string())], 1.0);
    let runs = family(&mut registry, "stored_runs", "Runs in the store");
    set(&runs, Labels::new(), stored as f64);
    if let Some(celsius) = hottest_c {
        let name = "Temperature of the machine's hottest sensor";
        let hottest = unit_family(&mut registry, "hottest_temperature", name, Unit::Celsius);
        set(&hottest, Labels::new(), celsius);
    }
    if let Some(now) = now {
        of_run(&mut registry, now);
    }
    of_drives(&mut registry, last);
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

fn family(registry: &mut Registry, name: &str, help: &str) -> Values {
    let family = Values::default();
    registry.register(name, help, family.clone());
    family
}

fn unit_family(registry: &mut Registry, name: &str, help: &str, unit: Unit) -> Values {
    let family = Values::default();
    registry.register_with_unit(name, help, unit, family.clone());
    family
}

fn set(family: &Values, labels: Labels, value: f64) {
    family.get_or_create(&labels).set(value);
}

fn of_run(registry: &mut Registry, now: &Now) {
    let is_active = f64::from(u8::from(now.state == RunState::Running));
    set(&family(registry, "run_active", "Whether a run is in progress"), Labels::new(), is_active);
    let progress = "Elapsed share of the run's expected time";
    let family = unit_family(registry, "run_progress", progress, Unit::Other("ratio".to_string()));
    set(&family, Labels::new(), now.progress());
    let seconds = |ns: u64| ns as f64 / 1e9;
    let times = [
        ("run_elapsed", "Active time of the run", Some(seconds(now.elapsed_ns))),
        ("run_left", "Expected remaining time of the run", now.left_ns.map(seconds)),
        ("run_start", "Start time of the run, Unix time", Some(now.started_unix_ns as f64 / 1e9)),
    ];
    for (name, help, value) in times {
        if let Some(value) = value {
            set(&unit_family(registry, name, help, Unit::Seconds), Labels::new(), value);
        }
    }
    let written = unit_family(registry, "run_written", "Bytes written by the run", Unit::Bytes);
    set(&written, Labels::new(), now.written_bytes as f64);
    let blocks = self::family(registry, "run_blocks", "Completed blocks of the run");
    set(&blocks, Labels::new(), f64::from(now.blocks));
}

/// The metrics of drives.
struct OfDrives {
    ended: Values,
    verdict: Values,
    lead: Values,
    ceiling: Values,
    used: Values,
    healthy: Values,
    temperature: Values,
    written: Values,
    media_errors: Values,
}

fn of_drives(registry: &mut Registry, last: &[(Labels, Arc<Now>)]) {
    let per_second = || Unit::Other("bytes_per_second".to_string());
    let of = OfDrives {
        ended: unit_family(
            registry,
            "drive_last_run",
            "Time of the last event in the drive's last run, Unix time",
            Unit::Seconds,
        ),
        verdict: family(
            registry,
            "verdict",
            "Verdict of the drive's last run, as a label; always 1",
        ),
        lead: unit_family(
            registry,
            "lead",
            "Smallest lower bound of the leader's differences to all others",
            Unit::Other("ratio".to_string()),
        ),
        ceiling: unit_family(registry, "ceiling", "Ceiling: rate of a lower layer", per_second()),
        used: unit_family(
            registry,
            "drive_used",
            "Used share of the drive's rated life, as reported by the drive",
            Unit::Other("ratio".to_string()),
        ),
        healthy: family(registry, "drive_healthy", "Whether the drive reports itself as healthy"),
        temperature: unit_family(
            registry,
            "drive_temperature",
            "Temperature reported by the drive",
            Unit::Celsius,
        ),
        written: unit_family(
            registry,
            "drive_lifetime_written",
            "Bytes written over the drive's lifetime",
            Unit::Bytes,
        ),
        media_errors: family(registry, "drive_media_errors", "Media errors reported by the drive"),
    };
    for (labels, now) in last {
        let with = |more: &[(&'static str, &str)]| -> Labels {
            let more = more.iter().map(|(name, value)| (*name, value.to_string()));
            labels.iter().cloned().chain(more).collect()
        };
        set(&of.ended, with(&[]), now.last_unix_ns as f64 / 1e9);
        for verdict in &now.verdicts {
            let leader = verdict.leader.as_deref().unwrap_or_default();
            let on = [("workload", verdict.workload.as_str()), ("leader", leader)];
            set(&of.verdict, with(&[on[0], on[1], ("verdict", verdict.verdict.name())]), 1.0);
            if let Some(lead) = verdict.lead {
                set(&of.lead, with(&on), lead);
            }
        }
        for ceiling in &now.ceilings {
            let layer = serde_json::to_value(ceiling.layer).unwrap_or_default();
            let layer = layer.as_str().unwrap_or_default();
            let on = [("workload", ceiling.workload.as_str()), ("layer", layer)];
            set(&of.ceiling, with(&on), ceiling.bytes_per_s);
        }
        of_health(&of, labels, now);
    }
}

/// What the drive told of itself.
fn of_health(of: &OfDrives, labels: &Labels, now: &Now) {
    let told = |drive: &&DriveNow| {
        let is = |label: &str, value: &Option<String>| {
            labels.iter().any(|(n, v)| *n == label && Some(v) == value.as_ref())
        };
        is("model", &drive.model) && (drive.serial.is_none() || is("serial", &drive.serial))
    };
    if let Some(health) = now.drives.iter().find(told).and_then(|drive| drive.health.as_ref()) {
        let values = [
            (&of.used, health.used_percent.map(|percent| percent as f64 / 100.0)),
            (&of.healthy, health.passed.map(|passed| f64::from(u8::from(passed)))),
            (&of.temperature, health.temperature_c.map(|celsius| celsius as f64)),
            (&of.written, health.written_bytes.map(|bytes| bytes as f64)),
            (&of.media_errors, health.media_errors.map(|errors| errors as f64)),
        ];
        for (family, value) in values {
            if let Some(value) = value {
                set(family, labels.clone(), value);
            }
        }
    }
}
