//! Which files are test code as a whole: those in a `tests` folder, fuzz targets, and modules that
//! some other file declares under `#[cfg(test)]`.

use std::collections::BTreeSet;

use super::rust::Source;

/// Marks the sources that are test code.
pub fn mark(sources: &mut [(String, Source)]) {
    let declared: BTreeSet<String> =
        sources.iter().flat_map(|(path, source)| declared(path, source)).collect();
    for (path, source) in sources {
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let is_declared = declared.iter().any(|module| {
            stem.strip_prefix(module.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let in_folder = path.split('/').any(|part| part == "tests");
        if is_declared || in_folder || path.starts_with("fuzz/") {
            source.mark_test();
        }
    }
}

/// Paths without `.rs` of the modules that a file declares for tests only.
fn declared(path: &str, source: &Source) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let base = match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", name.trim_end_matches(".rs")),
    };
    let modules = source
        .tokens
        .windows(3)
        .filter(|window| window[0].is_test && window[0].text == "mod" && window[2].text == ";");
    modules.map(|window| format!("{base}/{}", window[1].text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests_among(files: &[(&str, &str)]) -> Vec<String> {
        let parse =
            |(path, text): &(&str, &str)| ((*path).to_owned(), Source::parse(text).unwrap());
        let mut sources: Vec<(String, Source)> = files.iter().map(parse).collect();
        mark(&mut sources);
        sources.into_iter().filter(|(_, source)| source.is_test).map(|(path, _)| path).collect()
    }

    #[test]
    fn modules_declared_for_tests_are_tests_with_all_below_them() {
        let found = tests_among(&[
            ("a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod testing;"),
            ("a/src/b.rs", "#[cfg(test)] mod crash; mod real;"),
            ("a/src/b/crash.rs", ""),
            ("a/src/b/real.rs", ""),
            ("a/src/testing.rs", "mod fake;"),
            ("a/src/testing/fake.rs", ""),
            ("a/src/testing_not.rs", ""),
        ]);
        assert_eq!(found, ["a/src/b/crash.rs", "a/src/testing.rs", "a/src/testing/fake.rs"]);
    }

    #[test]
    fn test_folders_and_fuzz_targets_are_tests() {
        let found = tests_among(&[("a/tests/cli.rs", ""), ("fuzz/b.rs", ""), ("a/src/c.rs", "")]);
        assert_eq!(found, ["a/tests/cli.rs", "fuzz/b.rs"]);
    }
}
