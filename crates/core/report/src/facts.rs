//! The facts of `bakeoff self report-bug`: what somebody who looks for a bug has to know of a
//! machine, without what identifies it or its owner.
//!
//! Schema `bakeoff/facts/1`, documented in docs/format.md. Two defences: of drives only the fields
//! named here are taken, and the whole document goes through [`crate::redact`], which has learned
//! the serial numbers, labels, paths and names of the whole machine and of the last run.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::about::About;
use super::devices::{Devices, Drive};
use super::layout::cut;
use super::run_document::utc;
use crate::redact::{self, Kind, Redactor, Replacement};
use bakeoff_model::host::Host;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::secrets;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::phrases;

const INVALID: usize = 20;
const LONGEST_VALUE: usize = 60;

/// How the last command failed that failed here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastError {
    /// When, seconds since 1970.
    pub unix_s: u64,
    pub version: String,
    pub exit: u8,
    pub command: Vec<String>,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panic: Option<String>,
}

/// A program that bakeoff may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolFact {
    pub program: &'static str,
    /// Its own word for its version; `None` where it is not installed or does not tell.
    pub version: Option<String>,
    pub installed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilesystemFact {
    pub filesystem: &'static str,
    /// Why not; `None` = it can.
    pub lacks: Option<String>,
}

pub struct Facts<'a> {
    /// When, nanoseconds since 1970.
    pub unix_ns: i64,
    pub about: &'a About,
    pub host: &'a Host,
    /// Its drives; `None` where they cannot be listed.
    pub devices: Option<&'a Devices>,
    pub tools: &'a [ToolFact],
    pub filesystems: &'a [FilesystemFact],
    pub last_run: Option<(&'a Run, &'a Analysis)>,
    pub last_error: Option<&'a LastError>,
    /// Names of users: who typed this, and who is behind sudo.
    pub users: &'a [String],
}

pub fn facts_json(facts: &Facts) -> (String, Vec<Replacement>) {
    let mut redactor = Redactor::default();
    learn(&mut redactor, facts);
    let value = redact::replace(&mut redactor, &document(facts));
    (format!("{value:#}\n"), redactor.replaced())
}

pub fn whole_json(facts: &Facts) -> String {
    format!("{:#}\n", document(facts))
}

fn learn(redactor: &mut Redactor, facts: &Facts) {
    facts.users.iter().for_each(|user| redactor.learn(Kind::User, user));
    // These hold only what JSON can say.
    let mut all = vec![serde_json::to_value(facts.host).unwrap_or_default()];
    all.extend(facts.devices.map(|devices| serde_json::to_value(devices).unwrap_or_default()));
    if let Some((run, _)) = facts.last_run {
        all.push(serde_json::to_value(&run.header).unwrap_or_default());
    }
    all.push(document(facts));
    all.iter().for_each(|value| redact::learn(redactor, value));
}

fn document(facts: &Facts) -> Value {
    let host = facts.host.clone();
    let machine = Host { hostname: String::new(), boot_id: None, board_id: None, ..host };
    json!({
        "schema": "bakeoff/facts/1",
        "made": utc(facts.unix_ns),
        "program": facts.about,
        "machine": machine,
        "drives": facts.devices.map(|devices| devices.drives.iter().map(drive).collect::<Vec<_>>()),
        "filesystems": facts.filesystems,
        "tools": facts.tools,
        "last_run": facts.last_run.map(|(run, analysis)| last_run(run, analysis)),
        "last_error": facts.last_error,
    })
}

fn drive(drive: &Drive) -> Value {
    let contents = drive.contents.iter().map(|part| {
        json!({
            "kind": part.kind,
            "depth": part.depth,
            "size_bytes": part.size_bytes,
            "fs": part.fs,
            "is_mounted": !part.mount_points.is_empty(),
            "is_swap": part.is_swap,
        })
    });
    json!({
        "name": drive.name,
        "model": drive.model,
        "vendor": drive.vendor,
        "size_bytes": drive.size_bytes,
        "rotational": drive.rotational,
        "removable": drive.removable,
        "read_only": drive.read_only,
        "bus": drive.bus,
        "link": drive.link,
        "scheduler": drive.scheduler,
        "write_cache": drive.write_cache,
        "safe_to_erase": drive.safe_to_erase,
        "contents": contents.collect::<Vec<_>>(),
    })
}

fn last_run(run: &Run, analysis: &Analysis) -> Value {
    let whole = super::json(run, analysis);
    let header = &run.header;
    let skipped = header.skipped.iter().chain(&header.dropped_workloads);
    let invalid = run.invalid.iter().take(INVALID).map(|(.., reason)| reason);
    json!({
        "version": header.version,
        "verb": header.verb,
        "command": secrets::command(header.command.clone()),
        "mode": whole["mode"],
        "blocks": whole["blocks"],
        "cells": whole["cells"],
        "candidates": whole["candidates"],
        "verdicts": whole["verdicts"],
        "findings": whole["findings"],
        "skipped": skipped.map(|s| json!([s.name, s.reason])).collect::<Vec<_>>(),
        "invalid": invalid.collect::<Vec<_>>(),
        "stopped": run.stopped.as_ref().map(|(reason, note)| json!([reason, note])),
    })
}

pub fn replaced_text(replaced: &[Replacement]) -> String {
    let longest = replaced.iter().map(|r| r.pseudonym.len()).max().unwrap_or(0);
    let line = |r: &Replacement| {
        let original = cut(&sanitize(&r.original), LONGEST_VALUE);
        let times = phrases::count(u32::try_from(r.times).unwrap_or(u32::MAX), "time");
        format!("  {:<longest$}  for {original} ({times})\n", r.pseudonym)
    };
    replaced.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
