//! The scalars of a JSON text, each with its path, its text and its line.
//!
//! `serde_json` says whether the text is JSON; this only finds where the numbers stand, which a
//! tree of values has forgotten. It reads nothing but what `serde_json` accepted.

#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Keys and indices, joined with `/`: `jobs/0/read/io_bytes`.
    pub path: String,
    pub text: String,
    pub line: u64,
}

/// Where the walk is: in an object after a key, or in a list.
enum JsonLevel {
    Object(String),
    List(u64),
}

/// All scalars of a JSON text, at most `limit`; `None` when there are more.
pub fn scalars(json: &str, limit: usize) -> Option<Vec<Scalar>> {
    let mut found = Vec::new();
    let mut levels: Vec<JsonLevel> = Vec::new();
    let mut line = 0;
    let mut at = 0;
    let bytes = json.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => line += 1,
            b'{' => levels.push(JsonLevel::Object(String::new())),
            b'[' => levels.push(JsonLevel::List(0)),
            b'}' | b']' => drop(levels.pop()),
            b',' => {
                if let Some(JsonLevel::List(index)) = levels.last_mut() {
                    *index += 1;
                }
            }
            b' ' | b'\t' | b'\r' | b':' => {}
            _ => {
                let (text, end) = token(json, at);
                let is_string = *byte == b'"';
                let is_key = is_string && json[end..].trim_start().starts_with(':');
                match levels.last_mut().filter(|_| is_key) {
                    Some(JsonLevel::Object(key)) => *key = text.to_string(),
                    _ => {
                        if found.len() >= limit {
                            return None;
                        }
                        let path = path(&levels);
                        found.push(Scalar { path, text: text.to_string(), line });
                    }
                }
                at = end;
                continue;
            }
        }
        at += 1;
    }
    Some(found)
}

/// A string or a bare word that begins at `at`, and where it ends.
fn token(json: &str, at: usize) -> (&str, usize) {
    let bytes = json.as_bytes();
    let mut end = at + 1;
    if bytes[at] == b'"' {
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(bytes.len());
        return (json.get(at + 1..end).unwrap_or(""), (end + 1).min(bytes.len()));
    }
    while end < bytes.len() && !b",]} \t\r\n".contains(&bytes[end]) {
        end += 1;
    }
    (json.get(at..end).unwrap_or(""), end)
}

fn path(levels: &[JsonLevel]) -> String {
    let parts: Vec<String> = levels
        .iter()
        .map(|level| match level {
            JsonLevel::Object(key) => key.clone(),
            JsonLevel::List(index) => index.to_string(),
        })
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_found_where_they_stand() {
        let json = "{\n \"a\" : { \"b\\\"c\" : 1.5, \"d\": [1,\n {\"e\":true}]},\n\"f\":\"x,y\"}";
        let found = scalars(json, 10).unwrap();
        let seen: Vec<_> =
            found.iter().map(|s| (s.path.as_str(), s.text.as_str(), s.line)).collect();
        let expected =
            [("a/b\\\"c", "1.5", 1), ("a/d/0", "1", 1), ("a/d/1/e", "true", 2), ("f", "x,y", 3)];
        assert_eq!(seen, expected);
        assert_eq!(scalars(json, 3), None);
    }

    #[test]
    fn broken_text_ends_the_walk_and_nothing_else() {
        for text in ["\"", "\"\\", "{\"a\"", "é\"é", "]]}}", ":::", "\"é\\é"] {
            scalars(text, 10);
        }
    }
}
