//! The list of cases.

use super::case::{Case, How};
use super::system::{
    BUSYBOX, DEBIAN_12, DEBIAN_12_ARM64, DEBIAN_12_ARMHF, DEBIAN_12_GCC, DEBIAN_13, DEBIAN_13_PIPX,
    PI1, PI3, System,
};

const APT: &str = include_str!("cases/apt.sh");
const PIP: &str = include_str!("cases/pip.sh");
const PIPX: &str = include_str!("cases/pipx.sh");
const SOURCE: &str = include_str!("cases/source.sh");
const ARCHIVE: &str = include_str!("cases/archive.sh");
const READ_ONLY_HOME: &str = include_str!("cases/read_only_home.sh");
const CONTAINER: &str =
    concat!(include_str!("cases/container.sh"), include_str!("cases/archive.sh"));
const REFUSED: &str = include_str!("cases/refused.sh");

const PACKAGE: &str = "Debian package from a signed apt repository";
const TAR: &str = "archive";

const fn case(
    name: &'static str,
    artefact: &'static str,
    system: &'static System,
    script: &'static str,
    arguments: &'static [&'static str],
) -> Case {
    Case { name, artefact, system, note: "", script, arguments, how: How::Root }
}

const fn with(case: Case, how: How, note: &'static str) -> Case {
    Case { how, note, ..case }
}

/// All of them.
pub static CASES: [Case; 19] = [
    case("apt-debian-12", PACKAGE, &DEBIAN_12, APT, &["debian"]),
    case("apt-debian-13", PACKAGE, &DEBIAN_13, APT, &["debian"]),
    case("apt-arm64", PACKAGE, &DEBIAN_12_ARM64, APT, &["debian"]),
    case("apt-armhf", PACKAGE, &DEBIAN_12_ARMHF, APT, &["debian"]),
    case("apt-raspbian", PACKAGE, &DEBIAN_12_ARMHF, APT, &["raspbian"]),
    case("pipx-debian-13", "wheel", &DEBIAN_13_PIPX, PIPX, &[]),
    case("pip-arm64", "wheel", &DEBIAN_12_ARM64, PIP, &[]),
    case("pip-armhf", "wheel", &DEBIAN_12_ARMHF, PIP, &[]),
    case("archive-debian-12", TAR, &DEBIAN_12, ARCHIVE, &["x86_64"]),
    with(
        case("archive-user", TAR, &DEBIAN_12, ARCHIVE, &["x86_64"]),
        How::User,
        "not root, processes of others hidden",
    ),
    case("archive-busybox", TAR, &BUSYBOX, ARCHIVE, &["x86_64"]),
    with(
        case("archive-container", TAR, &DEBIAN_12, CONTAINER, &["x86_64"]),
        How::Container,
        "podman, io_uring forbidden",
    ),
    with(
        case("archive-read-only-home", TAR, &DEBIAN_12, READ_ONLY_HOME, &["x86_64"]),
        How::ReadOnlyHome,
        "read-only home",
    ),
    case("archive-pi3", TAR, &PI3, ARCHIVE, &["aarch64"]),
    case("archive-pi1", TAR, &PI1, ARCHIVE, &["armv6"]),
    with(
        case("source", "sources, with cargo", &DEBIAN_12_GCC, SOURCE, &[]),
        How::WithRust,
        "with gcc and Rust, without Node.js",
    ),
    case(
        "refused-architecture",
        "archive of another machine",
        &DEBIAN_12,
        REFUSED,
        &["architecture", "x86_64", "armv6"],
    ),
    case("refused-full", "archive on a full drive", &DEBIAN_12, REFUSED, &["full", "x86_64"]),
    case(
        "refused-interrupted",
        "archive, interrupted and repeated",
        &DEBIAN_12,
        REFUSED,
        &["interrupted", "x86_64"],
    ),
];
