//! The page about the filesystems that can be candidates: docs/filesystems.md.

use bakeoff_machine::prepare::recipe::{Driver, RAW, RECIPES, Recipe};
use bakeoff_machine::prepare::words;
use bakeoff_machine::setup::kernels;
use bakeoff_stats::units;

/// The page: each filesystem with what it is made by, how it is mounted and what `equalised` adds.
pub fn filesystems_markdown() -> String {
    let rows: String = RECIPES.iter().filter(|r| r.fs != RAW).map(row).collect();
    let adds: String = RECIPES.iter().filter(|r| r.fs != RAW).map(equalised).collect();
    let mut formats: Vec<&str> = RECIPES.iter().filter(|r| r.fs != RAW).map(|r| r.format).collect();
    let mut seen = std::collections::BTreeSet::new();
    formats.retain(|format| seen.insert(*format));
    let accepted: String = formats.into_iter().map(accepted).collect();
    let everywhere = words::listed_for_all();
    format!(
        "# Filesystems\n\nThe filesystems that bakeoff can create and measure, with its default \
         options. [Plans](plans.md) can add options of their own.\n\n\
         | filesystem | created by | package | mkfs options | mount options | driver | \
         smallest region |\n|---|---|---|---|---|---|---|\n{rows}\n\
         ## What the `equalised` profile adds\n\n\
         | filesystem | mount options | mkfs options | why |\n|---|---|---|---|\n{adds}\n\
         ## Options that a plan can set\n\n\
         bakeoff passes on no other option. It refuses options that name a file, a device, another \
         filesystem, a label or a UUID, and words that are not options (exit code 3). `#` stands \
         for a number with or without a unit, `@` for names between commas, `|` for a choice, `?=` \
         for a value that you can omit, and `[no]` for a prefix that you can omit.\n\n\
         Mount options of all filesystems: `{everywhere}`\n{accepted}"
    )
}

fn row(recipe: &Recipe) -> String {
    let driver = match recipe.driver {
        Driver::Kernel(fs) => match kernels::releases(fs) {
            None => "kernel".to_string(),
            Some(span) => match (span.since, span.removed) {
                ((major, minor), None) => format!("kernel, since Linux {major}.{minor}"),
                (_, Some((major, minor))) => format!("kernel, before Linux {major}.{minor}"),
            },
        },
        Driver::Fuse { package, .. } => format!("user space ({package})"),
        Driver::Raw => "none".to_string(),
    };
    format!(
        "| {} | `{}` | {} | {} | {} | {driver} | {} |\n",
        recipe.name,
        recipe.mkfs,
        recipe.package,
        code(&recipe.options, " "),
        code(&recipe.mount, ","),
        units::size(recipe.min_bytes)
    )
}

fn accepted(format: &str) -> String {
    let [mkfs, mount] = words::listed(format).unwrap_or_default();
    format!("\n### {format}\n\n- mkfs: `{mkfs}`\n- mount: `{mount}`\n")
}

fn equalised(recipe: &Recipe) -> String {
    let (mount, mkfs) = (code(&recipe.equalised, ","), code(&recipe.equalised_mkfs, " "));
    format!("| {} | {mount} | {mkfs} | {} |\n", recipe.name, recipe.equalised_why)
}

fn code(words: &[&str], between: &str) -> String {
    if words.is_empty() { String::new() } else { format!("`{}`", words.join(between)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_filesystems_md_is_this_page() {
        let page = include_str!("../../../../../docs/filesystems.md");
        let expected = filesystems_markdown();
        assert_eq!(expected, page, "write it again: cargo run -p bakeoff --example docs");
    }
}
