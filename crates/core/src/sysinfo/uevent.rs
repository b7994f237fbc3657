//! `uevent` files of /sys: `KEY=VALUE` lines that describe a device.

/// The value of `key`.
pub fn get<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    #[test]
    fn whole_keys_only() {
        let text = "MAJOR=8\nMINOR=1\nDEVNAME=sda1\nDEVTYPE=partition\nPARTN=1\n";
        assert_eq!(super::get(text, "DEVTYPE"), Some("partition"));
        assert_eq!(super::get(text, "DEV"), None);
        assert_eq!(super::get(text, "PARTN"), Some("1"));
    }
}
