//! `/etc/os-release`: which distribution, os-release(5).

/// `PRETTY_NAME`, else `NAME`.
pub fn pretty_name(text: &str) -> Option<String> {
    let find = |key: &str| {
        let line = text.lines().find_map(|l| l.trim().strip_prefix(key)?.strip_prefix('='))?;
        let value = unquote(line.trim());
        (!value.is_empty()).then_some(value)
    };
    find("PRETTY_NAME").or_else(|| find("NAME"))
}

/// The value as a shell would read it: quotes off, `\"`, `\$`, `` \` `` and `\\` undone.
fn unquote(value: &str) -> String {
    let inner =
        ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(value);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::pretty_name;

    #[test]
    fn quoted_or_not() {
        let text =
            "# comment\nNAME=Debian\nPRETTY_NAME=\"Debian \\\"12\\\" (bookworm)\"\nID=debian\n";
        assert_eq!(pretty_name(text).as_deref(), Some("Debian \"12\" (bookworm)"));
        assert_eq!(pretty_name("NAME='Alpine Linux'\n").as_deref(), Some("Alpine Linux"));
        assert_eq!(pretty_name("PRETTY_NAME=\"\"\n"), None);
    }
}
