//! `/proc/PID/cgroup` and `cpu.stat`: which control group we are in, and how long its CPU quota
//! held it. Sources: cgroups(7), `Documentation/admin-guide/cgroup-v2.rst`,
//! `Documentation/scheduler/sched-bwc.rst`.

/// The group in the hierarchy of `controller`; the empty name is the unified hierarchy.
pub fn group<'a>(text: &'a str, controller: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let controllers = parts.nth(1)?;
        let group = parts.next()?;
        controllers.split(',').any(|name| name == controller).then_some(group)
    })
}

/// Time the group was held: `throttled_usec` of version 2, `throttled_time` (nanoseconds) of
/// version 1; `None` where no quota is counted.
pub fn held_ns(text: &str) -> Option<u64> {
    super::numbers(text).find_map(|(name, value)| match name {
        "throttled_usec" => value.checked_mul(1000),
        "throttled_time" => Some(value),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions() {
        let text = "8:pids:/\n2:cpu,cpuacct:/box\n0::/user.slice/x:y\n";
        assert_eq!(group(text, "cpu"), Some("/box"));
        assert_eq!(group(text, ""), Some("/user.slice/x:y"));
        assert_eq!(group(text, "blkio"), None);
        assert_eq!(held_ns("nr_periods 3\nnr_throttled 1\nthrottled_time 500\n"), Some(500));
        assert_eq!(held_ns("usage_usec 5\nthrottled_usec 7\n"), Some(7000));
        assert_eq!(held_ns("usage_usec 5\n"), None);
    }
}
