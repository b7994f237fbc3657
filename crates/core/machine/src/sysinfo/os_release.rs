//! `/etc/os-release`: which distribution, os-release(5).

pub fn pretty_name(text: &str) -> Option<String> {
    find(text, "PRETTY_NAME").or_else(|| find(text, "NAME"))
}

/// `ID` and the words of `ID_LIKE`, the distribution's own first.
pub fn ids(text: &str) -> Vec<String> {
    let like = find(text, "ID_LIKE").unwrap_or_default();
    let like = like.split_ascii_whitespace().map(str::to_string);
    find(text, "ID").into_iter().chain(like).collect()
}

fn find(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find_map(|l| l.trim().strip_prefix(key)?.strip_prefix('='))?;
    let value = unquote(line.trim());
    (!value.is_empty()).then_some(value)
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
    use super::{ids, pretty_name};

    #[test]
    fn quoted_or_not() {
        let text =
            "# comment\nNAME=Debian\nPRETTY_NAME=\"Debian \\\"12\\\" (bookworm)\"\nID=debian\n";
        assert_eq!(pretty_name(text).as_deref(), Some("Debian \"12\" (bookworm)"));
        assert_eq!(pretty_name("NAME='Alpine Linux'\n").as_deref(), Some("Alpine Linux"));
        assert_eq!(pretty_name("PRETTY_NAME=\"\"\n"), None);
    }
    #[test]
    fn a_distribution_and_what_it_is_like() {
        let rocky = "NAME=\"Rocky Linux\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
        assert_eq!(ids(rocky), ["rocky", "rhel", "centos", "fedora"]);
        assert_eq!(ids("ID=debian\nVERSION_ID=\"12\"\n"), ["debian"]);
        assert!(ids("NAME=x").is_empty());
    }
}
