//! Sets `cfg(io_uring)` where the io-uring crate builds: it refuses other machines, among them all
//! 32-bit ones, at compile time. The list is that of its `src/sys/mod.rs` (0.7) and of the target
//! section in Cargo.toml.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(io_uring)");
    let get = |key| std::env::var(key).unwrap_or_default();
    let known = ["x86_64", "aarch64", "riscv64", "loongarch64", "powerpc64"];
    if get("CARGO_CFG_TARGET_OS") == "linux"
        && get("CARGO_CFG_TARGET_POINTER_WIDTH") == "64"
        && known.contains(&get("CARGO_CFG_TARGET_ARCH").as_str())
    {
        println!("cargo::rustc-cfg=io_uring");
    }
}
