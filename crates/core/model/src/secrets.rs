//! Command lines and addresses without what opens something: passwords, and the tokens that web
//! hooks have in their paths. What is recorded, shown or reported of a command line goes through
//! here.

pub fn command(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut is_hook = false;
    let shown = |word: String| {
        if std::mem::replace(&mut is_hook, word == "--notify") {
            return hook(&word);
        }
        match word.strip_prefix("--notify=") {
            Some(to) => format!("--notify={}", hook(to)),
            None => address(&word),
        }
    };
    words.into_iter().map(shown).collect()
}

/// Who is notified: the host of an address, or the first word of a command.
pub fn hook(to: &str) -> String {
    if let Some((scheme, rest)) = to.split_once("://") {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        return format!("{scheme}://{host}/…");
    }
    match to.split_once(char::is_whitespace) {
        Some((program, _)) if !program.contains(['=', '"', '\'', '$']) => format!("{program} …"),
        Some(_) => "…".to_string(),
        None => to.to_string(),
    }
}

/// An address of anything without the password and the values that are called one; other words as
/// they are.
fn address(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_string() };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) if user.contains(':') => {
            format!("{}:…@{host}", user.split(':').next().unwrap_or_default())
        }
        _ => authority.to_string(),
    };
    let pair = |pair: &str| match pair.split_once('=') {
        Some((key, _)) if is_secret(key) => format!("{key}=…"),
        _ => pair.to_string(),
    };
    let query: Vec<String> = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{authority}{path}{mark}{}", query.join("&"))
}

fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["pass", "token", "secret", "key", "auth", "sig"].iter().any(|word| key.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The token of a web hook was in the report, in Markdown and in the record.
    #[test]
    fn no_token_and_no_password_is_in_a_command_line() {
        for (typed, kept) in [
            (
                "--notify https://a:b@hooks.example/services/T0/B0/x?k=1",
                "--notify https://hooks.example/…",
            ),
            ("--notify=http://h/t0ken", "--notify=http://h/…"),
            ("--notify bell", "--notify bell"),
            ("--push postgresql://pi:hunter2@db/b", "--push postgresql://pi:…@db/b"),
            (
                "--push postgresql://pi@db/b?sslmode=require&password=x",
                "--push postgresql://pi@db/b?sslmode=require&password=…",
            ),
            ("quick /mnt/a --time 3m", "quick /mnt/a --time 3m"),
        ] {
            let words = command(typed.split(' ').map(str::to_string));
            assert_eq!(words.join(" "), kept);
        }
        assert_eq!(hook("curl -H 'Authorization: Bearer t0ken' x"), "curl …");
        assert_eq!(hook("TOKEN=t0ken send"), "…");
    }
}
