//! `systemctl list-timers --all --output=json`: what starts by itself, and when.
//!
//! `next` is microseconds since 1970, null or 0 for a timer that will not elapse. Source:
//! systemctl(1), and src/systemctl/systemctl-list-units.c of systemd 252.

use serde_json::Value;

use bakeoff_model::path::printable;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    pub unit: String,
    /// When, nanoseconds since 1970.
    pub next_unix_ns: i64,
}

/// Reads the list, the soonest first; `None` when it is no such list.
pub fn parse(text: &str) -> Option<Vec<Timer>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let timer = |row: &Value| {
        let next_us = row.get("next")?.as_u64().filter(|us| *us > 0 && *us != u64::MAX)?;
        Some(Timer {
            unit: printable(row.get("unit")?.as_str()?.as_bytes()),
            next_unix_ns: i64::try_from(next_us).ok()?.checked_mul(1000)?,
        })
    };
    let mut timers: Vec<Timer> = document.as_array()?.iter().filter_map(timer).collect();
    timers.sort_by(|a, b| a.next_unix_ns.cmp(&b.next_unix_ns).then_with(|| a.unit.cmp(&b.unit)));
    Some(timers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_will_elapse_the_soonest_first() {
        let text = r#"[{"next":1795310000000000,"left":1,"last":0,"passed":0,
            "unit":"fstrim.timer","activates":"fstrim.service"},
            {"next":1795300000000000,"unit":"apt-daily.timer","activates":"apt-daily.service"},
            {"next":null,"unit":"snapd.timer"},{"next":0,"unit":"x.timer"},
            {"next":18446744073709551615,"unit":"never.timer"},7]"#;
        let units: Vec<String> = parse(text).unwrap().into_iter().map(|t| t.unit).collect();
        assert_eq!(units, ["apt-daily.timer", "fstrim.timer"]);
        assert_eq!(parse("{}"), None);
        assert_eq!(parse("Failed to connect to bus"), None);
        let hostile = "[{\"next\":1,\"unit\":\"\\u001b[2J.timer\"}]";
        assert!(!parse(hostile).unwrap()[0].unit.contains('\u{1b}'));
    }
}
