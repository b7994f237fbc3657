//! `/proc/PID/cgroup`: which control group a process is in. Source: cgroups(7).

/// The group in the hierarchy of `controller`; the empty name is the unified hierarchy.
pub fn group<'a>(text: &'a str, controller: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let controllers = parts.nth(1)?;
        let group = parts.next()?;
        controllers.split(',').any(|name| name == controller).then_some(group)
    })
}

/// The service or container that a group's path names: its last part, ids cut to the twelve digits
/// that container engines print; empty for the root. `docker-0123…ef.scope` is
/// `docker-0123456789ab`, `/docker/0123…ef` is `docker/0123456789ab`.
pub fn owner(path: &str) -> String {
    const ID_DIGITS: usize = 12;
    let mut parts = path.rsplit('/').filter(|part| !part.is_empty());
    let Some(last) = parts.next() else { return String::new() };
    let last = last.strip_suffix(".scope").unwrap_or(last);
    let name = last.trim_end_matches(|c: char| c.is_ascii_hexdigit());
    let id = &last[name.len()..];
    if id.len() < 32 {
        return last.to_string();
    }
    let engine = if name.is_empty() { parts.next().map(|of| format!("{of}/")) } else { None };
    format!("{}{name}{}", engine.unwrap_or_default(), &id[..ID_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_containers_have_short_names() {
        let id = "0123456789abcdef".repeat(4);
        for (path, name) in [
            ("/system.slice/influxdb.service".to_string(), "influxdb.service"),
            (format!("/system.slice/docker-{id}.scope"), "docker-0123456789ab"),
            (format!("/docker/{id}"), "docker/0123456789ab"),
            (format!("/{id}"), "0123456789ab"),
            ("/user.slice/user-1000.slice/session-3.scope".to_string(), "session-3"),
            ("/".to_string(), ""),
            ("/ü".to_string(), "ü"),
        ] {
            assert_eq!(owner(&path), name, "{path}");
        }
    }

    #[test]
    fn both_versions() {
        let text = "8:pids:/\n2:cpu,cpuacct:/box\n0::/user.slice/x:y\n";
        assert_eq!(group(text, "cpu"), Some("/box"));
        assert_eq!(group(text, ""), Some("/user.slice/x:y"));
        assert_eq!(group(text, "blkio"), None);
    }
}
