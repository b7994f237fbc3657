//! `/sys/block/X/queue/scheduler`: `none [mq-deadline] kyber bfq`, the one in force in brackets.

/// The I/O schedulers of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedulers {
    /// In force; `None` for devices without a queue of their own (`dm`, `md`).
    pub current: Option<String>,
    /// All that may be chosen, in the kernel's order.
    pub available: Vec<String>,
}

pub fn parse(text: &str) -> Schedulers {
    let mut found = Schedulers::default();
    for word in text.split_ascii_whitespace() {
        let inner = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
        if let Some(name) = inner {
            found.current = Some(name.to_string());
        }
        found.available.push(inner.unwrap_or(word).to_string());
    }
    // Devices that bypass the block queue print a bare `none`.
    if found.current.is_none() && found.available == ["none"] {
        found.current = Some("none".to_string());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn brackets_mark_the_one_in_force() {
        let found = parse("none [mq-deadline] kyber bfq \n");
        assert_eq!(found.current.as_deref(), Some("mq-deadline"));
        assert_eq!(found.available, ["none", "mq-deadline", "kyber", "bfq"]);
        assert_eq!(parse("none\n").current.as_deref(), Some("none"));
        assert_eq!(parse("\n").current, None);
    }
}
