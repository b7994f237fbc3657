//! Runs the fuzz targets for a short while: libFuzzer, built with the stable compiler.
//!
//! cargo-fuzz would want a nightly toolchain for the address sanitizer; what is fuzzed here is
//! safe Rust, where coverage is all there is to gain, and the flags for that are stable. They are
//! those of SanitizerCoverage, <https://clang.llvm.org/docs/SanitizerCoverage.html>, and
//! `fuzz/README.md` says how to dig longer.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::step::Step;
use crate::tool;

/// Makes the compiler count what runs and what is compared, for libFuzzer to steer by.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cdebug-assertions -Coverflow-checks";

/// Memory a target may take, in MiB: a parser that takes more has no limit.
const MEMORY_MIB: u32 = 1024;

/// Time that one input may take, in seconds: milliseconds alone. libFuzzer looks at the clock on
/// the wall, whatever else the machine does; what never ends is found all the same.
const INPUT_S: u32 = 60;

/// What tests are held against is as good to start from: target and folder.
const FIXTURES: &[(&str, &str)] =
    &[("bundle", "fixtures/bundle"), ("bundle", "fixtures/runs"), ("import", "fixtures/tools")];

/// Where the inputs that are tried come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The same ones in the same order, as many as there is time for: a test.
    Repeated,
    /// Others each time.
    New,
}

/// The step that builds all targets, and one for each of them.
pub fn steps(root: &Path, seconds: u32, search: Search) -> Result<(Step, Vec<Step>)> {
    let target = host_triple()?;
    let run = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        target_step(root, &target, &name, (seconds, search))
    };
    let runs = tool::files_of(&root.join("fuzz/fuzz_targets"), "rs")?.into_iter().map(run);
    let runs = runs.collect();
    Ok((build(&target), runs))
}

/// With --target, so that build scripts and macros are not instrumented.
fn build(target: &str) -> Step {
    let mut command = tool::cargo();
    command
        .args(["build", "--release", "--quiet", "--manifest-path", "fuzz/Cargo.toml"])
        .args(["--target-dir", "fuzz/target", "--target", target])
        .env("RUSTFLAGS", COVERAGE);
    Step::new("fuzz targets", command)
}

fn target_step(root: &Path, target: &str, name: &str, (seconds, search): (u32, Search)) -> Step {
    let corpus = root.join("fuzz/corpus").join(name);
    // A folder that cannot be made is reported by libFuzzer, which is given its name.
    let _ = std::fs::create_dir_all(&corpus);
    let mut command = Command::new(root.join(format!("fuzz/target/{target}/release/{name}")));
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-timeout={INPUT_S}"))
        .args(["-print_final_stats=0", "-verbosity=0"])
        .arg(format!("-artifact_prefix={}/", root.join("fuzz").display()))
        .arg(corpus);
    if search == Search::Repeated {
        command.arg("-seed=1");
    }
    let seeds = FIXTURES.iter().filter(|(target, _)| *target == name).map(|(_, folder)| *folder);
    for folder in seeds.chain([format!("fuzz/seeds/{name}").as_str()]) {
        if root.join(folder).exists() {
            command.arg(root.join(folder));
        }
    }
    Step::new(&format!("fuzz {name}"), command).quiet()
}

fn host_triple() -> Result<String> {
    let text = tool::output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV does not name its host")
}
