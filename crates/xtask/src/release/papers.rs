//! What a release says of itself: notices of third parties, the SBOM, release notes, checksums.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::components::Component;
use super::facts::Facts;
use crate::tool;

/// Every licence text once, after the names of those it is of.
pub fn notices(parts: &[Component]) -> Result<String> {
    let mut page = String::from(
        "Third-party software in bakeoff\n\nThe program contains the software below. Each text is \
         printed once, after the names of the components that it comes with.\n\n",
    );
    let mut of: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for part in parts {
        writeln!(page, "{} {}: {}", part.name, part.version, part.licence)?;
        for text in &part.texts {
            of.entry(text).or_default().push(format!("{} {}", part.name, part.version));
        }
    }
    let mut texts: Vec<(Vec<String>, &str)> = of.into_iter().map(|(t, names)| (names, t)).collect();
    texts.sort();
    for (names, text) in texts {
        write!(page, "\n{}\n{}\n\n{text}", "-".repeat(78), names.join(", "))?;
    }
    Ok(page)
}

/// The bill of materials. Source: CycloneDX 1.6, JSON.
pub fn bom(facts: &Facts, parts: &[Component]) -> Result<String> {
    let component = |part: &Component| {
        let mut value = json!({
            "type": "library",
            "bom-ref": part.purl,
            "name": part.name,
            "version": part.version,
            "purl": part.purl,
            "licenses": [{"expression": part.licence}],
        });
        if let Some(sum) = &part.sha256 {
            value["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
        }
        value
    };
    let program = format!("pkg:generic/bakeoff@{}", facts.version);
    let refs: Vec<&String> = parts.iter().map(|part| &part.purl).collect();
    let bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": format!("{}T00:00:00Z", facts.day()?),
            "component": {
                "type": "application",
                "bom-ref": program,
                "name": "bakeoff",
                "version": facts.version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
            },
        },
        "components": parts.iter().map(component).collect::<Vec<Value>>(),
        "dependencies": [{"ref": program, "dependsOn": refs}],
    });
    Ok(serde_json::to_string_pretty(&bom)? + "\n")
}

/// The top section of the changes, without its heading.
pub fn newest(changes: &str) -> Result<&str> {
    let (_, rest) = changes.split_once("\n## ").context("CHANGELOG.md has no section")?;
    let (_, rest) = rest.split_once('\n').context("the top section of CHANGELOG.md is empty")?;
    let section = rest.split_once("\n## ").map_or(rest, |(section, _)| section).trim();
    ensure!(!section.is_empty(), "the top section of CHANGELOG.md is empty");
    Ok(section)
}

/// The notes of a release.
pub fn release_notes(facts: &Facts, changes: &str) -> Result<String> {
    Ok(format!(
        "# bakeoff {}, {}\n\nHow to install it: docs/install.md.\n\n{}\n",
        facts.version,
        facts.day()?,
        newest(changes)?
    ))
}

/// Debian's changelog: one entry, which says where the changes are.
pub fn debian_changelog(facts: &Facts, version: &str) -> Result<String> {
    Ok(format!(
        "bakeoff ({version}) stable; urgency=medium\n\n  * Release {}. The changes are in \
         /usr/share/doc/bakeoff/CHANGELOG.md.gz.\n\n -- {}  {}\n",
        facts.version,
        facts.maintainer(),
        facts.debian_date()?
    ))
}

/// Checksums of everything in a folder, in order of the names.
pub fn sums(folder: &Path) -> Result<()> {
    let names = tool::files(folder)?;
    let names = names.iter().filter_map(|path| path.file_name());
    let mut sha256sum = std::process::Command::new("sha256sum");
    let sums = tool::output(sha256sum.current_dir(folder).arg("--").args(names))?;
    std::fs::write(folder.join("SHA256SUMS"), sums)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, text: &str) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0".to_owned(),
            licence: "MIT".to_owned(),
            purl: format!("pkg:cargo/{name}@1.0"),
            sha256: Some("0f".to_owned()),
            texts: vec![text.to_owned()],
        }
    }

    #[test]
    fn a_text_that_two_have_is_printed_once() {
        let page = notices(&[part("a", "Be good.\n"), part("b", "Be good.\n")]).unwrap();
        assert_eq!(page.matches("Be good.").count(), 1);
        assert!(page.contains("a 1.0, b 1.0") && page.contains("b 1.0: MIT"), "{page}");
    }

    #[test]
    fn notes_are_the_top_section() {
        let changes = "# Changes\n\n## 0.2.0\n\n- new\n\n### Part\n\n- more\n\n## 0.1.0\n\n- old\n";
        assert_eq!(newest(changes).unwrap(), "- new\n\n### Part\n\n- more");
        assert!(newest("# Changes\n").is_err() && newest("# C\n\n## 1\n\n## 0\n\n- a\n").is_err());
    }
}
