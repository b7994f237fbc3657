//! `/proc/PID/fdinfo/FD`: which mount an open file is on, and how it was opened. `mnt_id` is
//! there since Linux 3.15.

pub fn mount_id(text: &str) -> Option<u64> {
    super::numbers(text).find(|(name, _)| *name == "mnt_id").map(|(_, id)| id)
}

/// Whether the descriptor was opened for writing: by `flags`, octal, as open(2) got them.
pub fn can_write(text: &str) -> bool {
    const ACCESS_MODE: u32 = 3;
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok());
    // One that cannot be read may be for writing.
    flags.is_none_or(|flags| flags & ACCESS_MODE != 0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn mount_id_among_other_lines() {
        let text = "pos:\t0\nflags:\t02100000\nmnt_id:\t27\nino:\t130561\n";
        assert_eq!(super::mount_id(text), Some(27));
        assert_eq!(super::mount_id("pos:\t0\n"), None);
        assert!(!super::can_write(text));
        assert!(super::can_write("flags:\t0100002\n") && super::can_write("flags:\t01\n"));
        assert!(super::can_write(""));
    }
}
