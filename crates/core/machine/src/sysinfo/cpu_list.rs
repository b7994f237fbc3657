//! CPU lists as /sys writes them: `0-3,5`. Source: `Documentation/admin-guide/cputopology.rst`.

/// How many CPUs the list names; `None` when it is no list.
pub fn count(text: &str) -> Option<u32> {
    let mut total: u32 = 0;
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        total = total.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn ranges_and_single_cpus() {
        assert_eq!(count("0-3,5\n"), Some(5));
        assert_eq!(count("0\n"), Some(1));
        for text in ["", "3-0", "a", "0-4294967295", "0,,1"] {
            assert_eq!(count(text), None, "{text}");
        }
    }
}
