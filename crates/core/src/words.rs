//! Small things of English that several sentences need.

/// `a`, `a and b`, `a, b and c`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1 block`, `2 blocks`.
pub fn count(n: u32, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// With a capital first letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| format!("{}{}", c.to_ascii_uppercase(), chars.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_counts() {
        let of = |n: &[&str]| list(&n.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert_eq!((of(&["a"]), of(&["a", "b", "c"])), ("a".into(), "a, b and c".into()));
        assert_eq!((capital("it is"), capital("")), ("It is".into(), String::new()));
        assert_eq!((count(1, "block"), count(0, "block")), ("1 block".into(), "0 blocks".into()));
    }
}
