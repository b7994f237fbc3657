//! `watch --writes`: who writes how much to a drive, and how long it lasts at that rate.

use bakeoff_machine::writers::{Life, Writers, life};
use bakeoff_model::health::Health;
use bakeoff_stats::units;
use serde_json::{Value, json};

const SHOWN: usize = 12;

/// A drive and what was written to it.
#[derive(Clone, Debug, Default)]
pub struct DriveWrites {
    /// Kernel name: `sda`.
    pub disk: String,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub writers: Writers,
    pub health: Option<Health>,
    /// Whether the processes of all users were counted.
    pub sees_all: bool,
}

impl DriveWrites {
    fn life(&self) -> Option<Life> {
        life(&self.writers, self.health.as_ref())
    }

    fn share(&self, bytes: u64) -> f64 {
        bytes as f64 / self.writers.whole_bytes().max(1) as f64
    }
}

/// The answer in a sentence, then the writers, the most first.
pub fn text(of: &DriveWrites) -> String {
    let writers = &of.writers;
    let Some(per_day) = writers.bytes_per_day() else {
        return format!("{}: nothing has been counted yet.\n", of.disk);
    };
    let ranked = writers.ranked();
    let per_day = units::size_decimal(per_day as u64);
    let most = ranked.first().map_or(String::new(), |most| {
        format!(", {:.0} % by {}", of.share(most.bytes) * 100.0, most.name)
    });
    let first = format!("{}: {per_day} a day{most}. {}", of.disk, lasting(of));
    let mut lines = vec![first.trim_end().to_string()];
    lines.push(format!(
        "Watched for {}: {} written.",
        units::duration(writers.watched_ns),
        units::size_decimal(writers.drive_bytes)
    ));
    lines.push(String::new());
    let row = |name: &str, group: &str, bytes: u64| {
        let share = of.share(bytes) * 100.0;
        format!("{name:<16} {group:<32} {:>8} {share:>4.0} %", units::size_decimal(bytes))
    };
    lines.push(format!("{:<16} {:<32} {:>8} {:>6}", "process", "service", "written", "share"));
    lines.extend(ranked.iter().take(SHOWN).map(|one| row(&one.name, &one.group, one.bytes)));
    let hidden: u64 = ranked.iter().skip(SHOWN).map(|one| one.bytes).sum();
    let others = hidden + writers.rest_bytes;
    lines.extend((others > 0).then(|| row("others", "", others)));
    let beyond = writers.beyond_bytes();
    let rest = if of.sees_all {
        ("(filesystem)", "journal, metadata")
    } else {
        ("(not counted)", "other users, journal, metadata")
    };
    lines.extend((beyond > 0).then(|| row(rest.0, rest.1, beyond)));
    lines.extend(limits(writers));
    lines.join("\n") + "\n"
}

fn lasting(of: &DriveWrites) -> String {
    match of.life() {
        Some(life) => format!(
            "At this rate it lasts {} by its own wear counter ({} in all).",
            years(life.years),
            units::size_decimal(life.total_bytes as u64)
        ),
        None if of.writers.drive_bytes == 0 => String::new(),
        None => {
            let told = of.health.as_ref().filter(|health| health.life_time.is_some());
            told.map_or(String::new(), |health| format!("It reports: {}.", health.label()))
        }
    }
}

fn years(years: f64) -> String {
    match years {
        y if y >= 100.0 => "over 100 years".to_string(),
        y if y >= 9.95 => format!("{y:.0} years"),
        y if y >= 1.0 => format!("{y:.1} years"),
        y => format!("{:.0} days", y * bakeoff_machine::writers::YEAR_DAYS),
    }
}

/// Why a share may be wrong.
fn limits(writers: &Writers) -> Vec<String> {
    let sent = writers.processes_bytes();
    let mut lines = Vec::new();
    if sent > writers.drive_bytes {
        lines.push(format!(
            "Processes wrote {} in all: the rest was replaced in memory or went elsewhere.",
            units::size_decimal(sent)
        ));
    }
    if writers.other_drives_bytes > writers.drive_bytes / 20 {
        lines.push(format!(
            "Other drives took {}. Linux does not count the drives of a process apart.",
            units::size_decimal(writers.other_drives_bytes)
        ));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

/// `bakeoff/writes/1`.
pub fn document(of: &DriveWrites) -> Value {
    let writers = &of.writers;
    let each = writers.ranked().into_iter().map(|one| {
        json!({"name": one.name, "group": one.group, "bytes": one.bytes,
            "share": of.share(one.bytes)})
    });
    let life = of.life().map(|life| json!({"total_bytes": life.total_bytes, "years": life.years}));
    json!({
        "schema": "bakeoff/writes/1",
        "disk": of.disk,
        "model": of.model,
        "serial": of.serial,
        "began_unix_ns": writers.began_unix_ns,
        "watched_ns": writers.watched_ns,
        "drive_bytes": writers.drive_bytes,
        "bytes_per_day": writers.bytes_per_day(),
        "writers": each.collect::<Vec<_>>(),
        "rest_bytes": writers.rest_bytes,
        "filesystem_bytes": writers.beyond_bytes(),
        "other_drives_bytes": writers.other_drives_bytes,
        "life": life,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::writers::Writer;

    fn writes(health: Option<Health>) -> DriveWrites {
        let writer = |name: &str, group: &str, bytes| Writer {
            name: name.to_string(),
            group: group.to_string(),
            bytes,
        };
        let writers = Writers {
            drive: "a".to_string(),
            began_unix_ns: 1_700_000_000_000_000_000,
            watched_ns: 86_400_000_000_000,
            drive_bytes: 5_100_000_000,
            other_drives_bytes: 9_000_000_000,
            named: vec![
                writer("rsyslogd", "rsyslog.service", 300_000_000),
                writer("influxd", "docker-0123456789ab", 3_621_000_000),
            ],
            rest_bytes: 2_000_000,
        };
        DriveWrites {
            disk: "mmcblk0".to_string(),
            model: Some("SD64G".to_string()),
            serial: None,
            writers,
            health,
            sees_all: true,
        }
    }

    #[test]
    fn the_answer_in_every_format() {
        let worn = Health {
            used_percent: Some(20),
            written_bytes: Some(10_000_000_000_000),
            ..Health::default()
        };
        let emmc = Health { life_time: Some([2, 1]), ..Health::default() };
        let worn = writes(Some(worn));
        let mut of = vec![text(&worn), text(&writes(None))];
        of.push(text(&writes(Some(emmc))).lines().next().unwrap().to_string());
        of.push(text(&DriveWrites { disk: "sda".to_string(), ..DriveWrites::default() }));
        of.push(format!("{:#}", document(&worn)));
        insta::assert_snapshot!(of.join("\n----\n"));
    }
}
