//! Finds the script and stylesheet of the HTML report and compresses them. `make web` bundles them into web/dist of a clone; a source package has them in web beside
//! this file.
//!
//! Without the bundle the program still builds: its reports then have every table and no chart,
//! and say so. It also tells the program what it was built for and with which libraries, for
//! `bakeoff --version --verbose`.

use std::path::{Path, PathBuf};
use std::{env, fs};

const NAMES: [&str; 2] = ["report.js", "report.css"];
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let web = here.join("../../web");
    let folder = if web.exists() { web.join("dist") } else { here.join("web") };
    // A path that does not exist makes cargo look again on every build, which is what is wanted.
    for name in NAMES {
        println!("cargo::rerun-if-changed={}", folder.join(name).display());
    }
    let is_bundled = NAMES.iter().all(|name| folder.join(name).exists());
    if !is_bundled {
        println!("cargo::warning=reports will have no charts: run `make web`, then build again");
    }
    for name in NAMES {
        let bytes = if is_bundled { fs::read(folder.join(name))? } else { Vec::new() };
        let packed = miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL);
        fs::write(out.join(name), packed)?;
    }
    told("BAKEOFF_TARGET", &env::var("TARGET")?);
    told("BAKEOFF_FEATURES", &features());
    told("BAKEOFF_LIBRARIES", &libraries(&here)?);
    Ok(())
}

fn told(name: &str, value: &str) {
    println!("cargo::rustc-env={name}={value}");
}

/// The features that were chosen, in small letters and in order.
fn features() -> String {
    let names = env::vars().filter_map(|(name, _)| {
        let name = name.strip_prefix("CARGO_FEATURE_")?.to_lowercase().replace('_', "-");
        (name != "default").then_some(name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.join(" ")
}

/// The libraries that the program names itself, as `name=version`, out of the lock file beside
/// the package or the workspace. Empty without one, as in a build from elsewhere.
fn libraries(package: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let places = [package.join("Cargo.lock"), package.join("../../Cargo.lock")];
    let Some(lock) = places.iter().find(|path| path.exists()) else { return Ok(String::new()) };
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock)?;
    let value = |entry: &str, key: &str| {
        let line = entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.map(|quoted| quoted.trim_matches('"').to_string())
    };
    let entries: Vec<&str> = text.split("[[package]]").skip(1).collect();
    let ours = entries.iter().find(|entry| value(entry, "name").as_deref() == Some("bakeoff"));
    let listed = ours.and_then(|entry| entry.split_once("dependencies = [")).map(|(_, list)| list);
    let words = listed.unwrap_or_default().lines().take_while(|line| line.trim() != "]");
    let direct = direct(&fs::read_to_string(package.join("Cargo.toml"))?);
    // "name", or "name version" where there are several of that name.
    let named = words.filter_map(|line| line.trim().trim_end_matches(',').trim_matches('"').into());
    let with_version = named.filter_map(|name: &str| {
        let (name, version) = name.split_once(' ').map_or((name, None), |(n, v)| (n, Some(v)));
        let entry = entries.iter().find(|e| value(e, "name").as_deref() == Some(name))?;
        // Ours have no source, and the lock file does not tell those of tests from the others.
        value(entry, "source").filter(|_| direct.iter().any(|found| found == name))?;
        let version = version.map(str::to_string).or_else(|| value(entry, "version"))?;
        Some(format!("{name}={version}"))
    });
    Ok(with_version.collect::<Vec<_>>().join(" "))
}

/// The names under `[dependencies]`; cargo writes `[dependencies.NAME]` into a packaged manifest.
fn direct(manifest: &str) -> Vec<String> {
    let (mut names, mut is_inside) = (Vec::new(), false);
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_inside = section == "dependencies";
            names.extend(section.strip_prefix("dependencies.").map(str::to_string));
        } else if is_inside {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            names.push(name.to_string());
        }
    }
    names
}
