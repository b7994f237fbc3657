//! `/proc/mdstat`: which arrays are being copied or checked. Source: md(4), mdadm(8).

/// Arrays with work under way, each with the kernel's word for it: `resync`, `recovery`, `check`,
/// `reshape`.
pub fn busy(text: &str) -> Vec<(String, &'static str)> {
    const WORK: [&str; 4] = ["resync", "recovery", "check", "reshape"];
    let mut found = Vec::new();
    let mut array = None;
    for line in text.lines() {
        if !line.starts_with(' ') {
            array = line.split_once(" : ").map(|(name, _)| name.to_string());
        }
        let work = WORK.into_iter().find(|word| {
            // "resync=DELAYED" and "resync=PENDING" wait; with blanks it is under way.
            line.contains(&format!(" {word} ="))
        });
        if let (Some(work), Some(name)) = (work, array.clone()) {
            found.push((name, work));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::busy;

    #[test]
    fn an_array_that_is_checked_and_one_at_rest() {
        let text = "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      \
            976630464 blocks super 1.2 [2/2] [UU]\n      [==>..................]  check = 12.6% \
            (123/976) finish=1.0min speed=1K/sec\n\nmd1 : active raid1 sdd1[1]\n      \
            10 blocks [2/2] [UU]\n      resync=DELAYED\nunused devices: <none>\n";
        assert_eq!(busy(text), [("md0".to_string(), "check")]);
        assert!(busy("").is_empty());
    }
}
