//! The steps of the tests, in order: each starts where the one before it ended.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::release::MACHINES;
use super::site::{LABEL, Playing, Site};
use super::{heat, pushed};

/// The hosts.
pub const HOSTS: [&str; 7] = ["ordinary", "second", "dies", "full", "wrong", "away", "hot"];

/// A step: what it shows, and how.
pub type Step = (&'static str, fn(&mut Site) -> Result<()>);

/// All of them.
pub const STEPS: [Step; 12] = [
    ("a damaged download is refused before any board changes", damaged_download),
    ("check mode shows the plan and the tokens, and changes nothing", check_mode),
    ("a full drive, a wrong token and a power cut stop only their boards", first_time),
    ("a board that throttles is left out, for that reason", heat::left_out),
    ("the second time resumes, repeats what failed and changes no complete board", second_time),
    ("the third time changes nothing", third_time),
    ("the controller has one run from each board", report),
    ("a board that throttled during its run has no say in the report", heat::excluded),
    ("boards push to a server, once, and keep no password", pushed::pushed),
    ("another plan under the same label is refused", other_plan),
    ("removing removes everything, and changes nothing the second time", removal),
    ("every architecture gets its file, as an archive and as a package", architectures),
];

fn damaged_download(site: &mut Site) -> Result<()> {
    let sums = site.release().join("SHA256SUMS");
    let right = std::fs::read_to_string(&sums)?;
    let wrong: String =
        right.lines().map(|line| format!("{}{}\n", "0".repeat(64), &line[64..])).collect();
    std::fs::write(&sums, wrong)?;
    let played = site.play("bakeoff", &["--limit", "ordinary"])?;
    std::fs::write(&sums, right)?;
    played.fails_only(&["ordinary"])?;
    played.says("checksum")?;
    site.host("ordinary")?.shell("test ! -e /usr/local/bin/bakeoff").map(drop)
}

fn check_mode(site: &mut Site) -> Result<()> {
    let before = site.host("ordinary")?.files()?;
    site.set("second", json!({"bakeoff_erase": []}));
    let played = site.play("bakeoff", &["--check", "--limit", "ordinary,second"])?;
    site.set("second", json!({}));
    // The board without a token stops after its plan, with the line for the inventory.
    played.fails_only(&["second"])?;
    played.says("Which filesystem for this card?")?;
    played.says(r#"bakeoff_erase: ["second.img"]"#)?;
    let after = site.host("ordinary")?.files()?;
    unchanged(&before, &after)?;
    Ok(())
}

fn first_time(site: &mut Site) -> Result<()> {
    site.set("wrong", json!({"bakeoff_erase": ["ordinary.img"]}));
    // Whatever else its check finds on this machine, it has to find this.
    site.set("hot", json!({"bakeoff_check_stops": true}));
    let mut playing = site.begin("bakeoff", &[])?;
    await_block(site, &mut playing, "dies")?;
    site.host("dies")?.kill()?;
    site.host("away")?.set_connected(false)?;
    sleep(Duration::from_secs(15));
    site.host("away")?.set_connected(true)?;
    let played = playing.end()?;
    played.fails_only(&["dies", "full", "wrong", "hot"])?;
    ensure!(played.recap("dies")?.unreachable == 1, "{}", played.said);
    played.says("no space left for the store")?;
    played.says("Refusing to erase /srv/wrong.img")?;
    played.says("ordinary.img is not its erase token")?;
    // Nothing happened on the board with the wrong token.
    site.host("wrong")?.shell("test ! -e /var/lib/bakeoff/bakeoff.db")?;
    let start =
        site.host("wrong")?.shell("head -c 1048576 /srv/wrong.img | tr -d '\\0' | wc -c")?;
    ensure!(start.trim() == "0", "{start} bytes were written");
    Ok(())
}

/// Waits until a block of the run on a host is complete.
fn await_block(site: &mut Site, playing: &mut Playing, name: &str) -> Result<()> {
    let since = Instant::now();
    let list = "bakeoff runs --all --format json --store /var/lib/bakeoff/bakeoff.db";
    while since.elapsed() < Duration::from_secs(300) {
        ensure!(
            !playing.has_ended()?,
            "it ended before a block was measured:\n{}",
            playing.said()?
        );
        let listed = site.host(name)?.shell(list).unwrap_or_default();
        let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
        if listed["runs"][0]["blocks"].as_u64().is_some_and(|blocks| blocks > 0) {
            return Ok(());
        }
        sleep(Duration::from_millis(300));
    }
    bail!("no block was measured on {name}:\n{}", playing.said()?)
}

/// The ID of the run on a host, and how it ended.
fn run_on(site: &mut Site, name: &str) -> Result<(String, String)> {
    let list =
        format!("bakeoff runs --label {LABEL} --format json --store /var/lib/bakeoff/bakeoff.db");
    let listed: Value = serde_json::from_str(&site.host(name)?.shell(&list)?)?;
    let runs = listed["runs"].as_array().context("no list")?;
    ensure!(runs.len() == 1, "{} runs on {name}: {listed}", runs.len());
    let word = |key: &str| runs[0][key].as_str().unwrap_or_default().to_owned();
    Ok((word("run"), word("state")))
}

fn second_time(site: &mut Site) -> Result<()> {
    site.set("wrong", json!({}));
    site.set("hot", json!({}));
    site.host("full")?.kill()?;
    site.host("full")?.set_full(false)?;
    site.host("full")?.start()?;
    site.host("dies")?.start()?;
    let before = run_on(site, "dies")?;
    ensure!(before.1 == "dead", "{before:?}");
    let played = site.play("bakeoff", &[])?;
    played.fails_only(&[])?;
    for name in ["ordinary", "second", "away"] {
        ensure!(played.recap(name)?.changed == 0, "{name}: {}", played.said);
    }
    for name in ["dies", "full", "wrong", "hot"] {
        ensure!(played.recap(name)?.changed > 0, "{name}: {}", played.said);
    }
    let after = run_on(site, "dies")?;
    ensure!(after == (before.0, "stopped".to_owned()), "{after:?}");
    Ok(())
}

fn third_time(site: &mut Site) -> Result<()> {
    let before = site.host("ordinary")?.files()?;
    let played = site.play("bakeoff", &[])?;
    played.fails_only(&[])?;
    for name in HOSTS {
        ensure!(played.recap(name)?.changed == 0, "{name}: {}", played.said);
    }
    let after = site.host("ordinary")?.files()?;
    unchanged(&before, &after)?;
    Ok(())
}

/// Fails with the lines that only one of the lists has.
fn unchanged(before: &[String], after: &[String]) -> Result<()> {
    let gone: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    ensure!(gone.is_empty() && new.is_empty(), "files changed: {gone:#?}, now {new:#?}");
    Ok(())
}

fn report(site: &mut Site) -> Result<()> {
    let listed = site.json(&["runs", "--label", LABEL])?;
    let runs = listed["runs"].as_array().map_or(0, Vec::len);
    ensure!(runs == HOSTS.len(), "{runs} runs: {listed}");
    let report = site.json(&["fleet", "report", "--label", LABEL])?;
    let boards = report["boards"].as_array().map_or(0, Vec::len);
    ensure!(boards == HOSTS.len() && report["unlike"] == json!([]), "{boards} boards: {report:#}");
    Ok(())
}

fn other_plan(site: &mut Site) -> Result<()> {
    site.set("ordinary", json!({"bakeoff_plan": "sd-card"}));
    let played = site.play("bakeoff", &["--limit", "ordinary,second"])?;
    site.set("ordinary", json!({}));
    played.fails_only(&["ordinary"])?;
    played.says("Choose another bakeoff_label")
}

fn removal(site: &mut Site) -> Result<()> {
    let words = ["--extra-vars", r#"{"bakeoff_remove_results": true}"#];
    let played = site.play("remove", &words)?;
    played.fails_only(&[])?;
    for host in &site.hosts {
        host.shell("test ! -e /usr/local/bin/bakeoff && test ! -e /var/lib/bakeoff")?;
    }
    let again = site.play("remove", &words)?;
    again.fails_only(&[])?;
    for name in HOSTS {
        ensure!(again.recap(name)?.changed == 0, "{name}: {}", again.said);
    }
    Ok(())
}

fn architectures(site: &mut Site) -> Result<()> {
    let install = |site: &Site, machine: &str, method: &str| {
        let facts = json!({"ansible_facts": {"architecture": machine}, "bakeoff_method": method});
        let words = ["--limit", "ordinary", "--tags", "install", "--extra-vars"];
        site.play("bakeoff", &[&words[..], &[&facts.to_string()]].concat())
    };
    for (machine, _, package) in MACHINES {
        if machine != std::env::consts::ARCH {
            install(site, machine, "archive")?.fails_only(&[])?;
            let said = site.host("ordinary")?.shell("/usr/local/bin/bakeoff")?;
            ensure!(said.trim() == machine, "{machine}: {said}");
        }
        let played = install(site, machine, "package")?;
        let name = format!("bakeoff_{}{package}.deb", env!("CARGO_PKG_VERSION"));
        site.host("ordinary")?.shell(&format!("test -e /var/cache/{name}"))?;
        // What apt makes of the package of another architecture is not ours.
        if machine == std::env::consts::ARCH {
            played.fails_only(&[])?;
            site.host("ordinary")?.shell("/usr/bin/bakeoff --version")?;
        }
    }
    let played = install(site, "riscv64", "archive")?;
    played.fails_only(&["ordinary"])?;
    played.says("bakeoff has no program for riscv64")?;
    let words = ["--limit", "ordinary", "--extra-vars", r#"{"bakeoff_method": "package"}"#];
    site.play("remove", &words)?.fails_only(&[])?;
    site.host("ordinary")?.shell("test ! -e /usr/bin/bakeoff").map(drop)
}
