//! `/proc/PID/fdinfo/FD`: which mount an open file lies on. `mnt_id` is there since Linux 3.15.

/// The mount id of the descriptor.
pub fn mount_id(text: &str) -> Option<u64> {
    super::numbers(text).find(|(name, _)| *name == "mnt_id").map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    #[test]
    fn mount_id_among_other_lines() {
        let text = "pos:\t0\nflags:\t02100000\nmnt_id:\t27\nino:\t130561\n";
        assert_eq!(super::mount_id(text), Some(27));
        assert_eq!(super::mount_id("pos:\t0\n"), None);
    }
}
