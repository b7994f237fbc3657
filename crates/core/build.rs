//! Compresses the tables of the published studies: 200 kB of text that repeats itself, in a program
//! that has to fit on small boards.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "the build reads files and talks to cargo; core does neither"
)]

use std::path::PathBuf;
use std::{env, fs};

const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("data/studies");
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(name) =
            path.file_name().filter(|_| path.extension().is_some_and(|e| e == "csv"))
        {
            println!("cargo::rerun-if-changed={}", path.display());
            let packed = miniz_oxide::deflate::compress_to_vec(&fs::read(&path)?, LEVEL);
            fs::write(out.join(name), packed)?;
        }
    }
    Ok(())
}
