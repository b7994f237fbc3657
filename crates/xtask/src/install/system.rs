//! The clean systems: root folders that nothing was ever installed in, made once and kept below
//! `target`, and copied for each case.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tool;

const EMULATED: &str = include_str!("emulated.sh");

/// Where Debian's packages come from.
const MIRROR: &str = "http://deb.debian.org/debian";

/// One system.
#[derive(Debug)]
pub struct System {
    /// What its folder is called.
    pub name: &'static str,
    /// What it is, for people.
    pub said: &'static str,
    /// What it is made of.
    pub made_of: Base,
    /// Whether QEMU runs its programs.
    pub is_emulated: bool,
}

/// Where a system comes from.
#[derive(Debug)]
pub enum Base {
    /// Debian: the suite, the architecture, and what is installed beside the essential packages.
    Debian(&'static str, &'static str, &'static str),
    /// A shell and tools in one static program, and nothing else: no C library at all.
    Busybox,
    /// An emulated Raspberry Pi of `test-vm`, which has no folder here: `pi1` or `pi3`.
    Board(&'static str),
}

const fn debian(
    name: &'static str,
    said: &'static str,
    suite: &'static str,
    architecture: &'static str,
    packages: &'static str,
) -> System {
    let made_of = Base::Debian(suite, architecture, packages);
    System {
        name,
        said,
        made_of,
        is_emulated: matches!(architecture.as_bytes(), b"arm64" | b"armhf"),
    }
}

pub static DEBIAN_12: System =
    debian("debian-12-amd64", "Debian 12, amd64", "bookworm", "amd64", "xz-utils");
pub static DEBIAN_13: System =
    debian("debian-13-amd64", "Debian 13, amd64", "trixie", "amd64", "xz-utils");
pub static DEBIAN_13_PIPX: System =
    debian("debian-13-amd64-pipx", "Debian 13, amd64, with pipx", "trixie", "amd64", "pipx");
pub static DEBIAN_12_GCC: System = debian(
    "debian-12-amd64-gcc",
    "Debian 12, amd64",
    "bookworm",
    "amd64",
    "xz-utils,gcc,libc6-dev,ca-certificates",
);
pub static DEBIAN_12_ARM64: System = debian(
    "debian-12-arm64",
    "Debian 12, arm64, in QEMU",
    "bookworm",
    "arm64",
    "xz-utils,python3-venv",
);
pub static DEBIAN_12_ARMHF: System = debian(
    "debian-12-armhf",
    "Debian 12, armhf, in QEMU",
    "bookworm",
    "armhf",
    "xz-utils,python3-venv",
);
pub static BUSYBOX: System = System {
    name: "busybox",
    said: "busybox only, no C library",
    made_of: Base::Busybox,
    is_emulated: false,
};

pub static PI3: System = System {
    name: "pi3",
    said: "Raspberry Pi 3, emulated, arm64",
    made_of: Base::Board("pi3"),
    is_emulated: true,
};
pub static PI1: System = System {
    name: "pi1",
    said: "Raspberry Pi 1, emulated, ARMv6",
    made_of: Base::Board("pi1"),
    is_emulated: true,
};

/// A command that is run in the namespace in which the kernel starts ARM programs, if it has to.
pub fn command(folder: &Path, is_emulated: bool, program: &str) -> Result<Command> {
    if !is_emulated {
        return Ok(Command::new(program));
    }
    let script = folder.join("emulated.sh");
    std::fs::write(&script, EMULATED)?;
    let mut command = Command::new("sh");
    command.env("EMULATORS", emulators(folder)?).arg(script).arg(program);
    Ok(command)
}

/// The programs of Debian 13's QEMU, which are static. That of Debian 12 starts itself in place of
/// a program that starts itself by /proc/self/exe, as bakeoff does to measure.
fn emulators(folder: &Path) -> Result<PathBuf> {
    let made = folder.join("made/qemu");
    let programs = made.join("usr/bin");
    if !made.exists() {
        eprintln!("fetching QEMU from Debian 13");
        let unfinished = folder.join("unfinished-qemu");
        remove(&unfinished)?;
        std::fs::create_dir_all(folder.join("made"))?;
        let mut make = Command::new("mmdebstrap");
        make.args(["--quiet", "--mode=root", "--variant=extract", "--format=directory"]);
        make.args(["--include=qemu-user", "trixie"]).arg(&unfinished).arg(MIRROR);
        tool::run(&mut make).context("mmdebstrap is in Debian's mmdebstrap")?;
        std::fs::rename(&unfinished, &made)?;
    }
    Ok(programs)
}

/// A copy of the system in a folder of its own; the system is made where it is missing.
pub fn copy(system: &System, folder: &Path, name: &str) -> Result<PathBuf> {
    let made = folder.join("made").join(system.name);
    if !made.exists() {
        make(system, folder, &made).with_context(|| format!("no system {}", system.name))?;
    }
    let root = folder.join(name);
    remove(&root)?;
    tool::run(Command::new("cp").args(["--archive", "--reflink=auto", "--"]).arg(made).arg(&root))?;
    Ok(root)
}

/// Removes a root folder, on which nothing is mounted outside the namespaces that have ended.
pub fn remove(root: &Path) -> Result<()> {
    tool::run(Command::new("rm").args(["-r", "-f", "--one-file-system", "--"]).arg(root))
}

fn make(system: &System, folder: &Path, made: &Path) -> Result<()> {
    let unfinished = folder.join(format!("unfinished-{}", system.name));
    remove(&unfinished)?;
    std::fs::create_dir_all(folder.join("made"))?;
    match system.made_of {
        Base::Debian(suite, architecture, packages) => {
            eprintln!("making {} with mmdebstrap", system.said);
            let mut make = command(folder, system.is_emulated, "mmdebstrap")?;
            make.args(["--quiet", "--mode=root", "--variant=apt", "--format=directory"]);
            make.args(["--aptopt=Acquire::Retries \"3\"", "--skip=output/dev,chroot/mount/sys"]);
            make.arg(format!("--architectures={architecture}"));
            make.arg(format!("--include={packages}")).arg(suite).arg(&unfinished).arg(MIRROR);
            tool::run(&mut make).context("mmdebstrap is in Debian's mmdebstrap")?;
            // Names and certificates as here, for what fetches its dependencies.
            for file in ["etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"] {
                let (here, there) = (Path::new("/").join(file), unfinished.join(file));
                if here.exists() && there.parent().is_some_and(Path::exists) {
                    std::fs::copy(here, there)?;
                }
            }
        }
        Base::Board(name) => bail!("{name} has no root folder"),
        Base::Busybox => {
            for name in ["bin", "etc", "root", "usr/local", "home/user"] {
                std::fs::create_dir_all(unfinished.join(name))?;
            }
            std::fs::write(unfinished.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")?;
            let busybox = unfinished.join("bin/busybox");
            std::fs::copy("/bin/busybox", &busybox).context("Debian's busybox-static")?;
            let mut install = Command::new("chroot");
            install.arg(&unfinished).args(["/bin/busybox", "--install", "-s", "/bin"]);
            tool::run(&mut install)?;
        }
    }
    let home = unfinished.join("home/user");
    tool::run(Command::new("install").args(["-d", "-o", "1000", "-g", "1000"]).arg(home))?;
    std::fs::rename(&unfinished, made)?;
    Ok(())
}
