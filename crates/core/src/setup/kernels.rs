//! Which kernel has a filesystem that the running one lacks.
//!
//! Sources: the first and last release of each driver (kernelnewbies.org, "Linux N.N"), and how
//! distributions split their kernels into packages (Debian's linux-image-cloud, Ubuntu's
//! linux-modules-extra, Fedora's kernel-modules-extra, Alpine's linux-virt, ELRepo's kernel-ml).

use std::fmt;

use crate::phrases;

/// The running kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// `uname -r`.
    pub release: &'a str,
    /// Whether modules for this release are installed.
    pub has_modules: bool,
    /// ID and ID_LIKE of the distribution.
    pub distribution: &'a [String],
}

/// Releases of Linux that have a driver.
struct Span {
    fs: &'static str,
    since: (u32, u32),
    /// The first release without it.
    removed: Option<(u32, u32)>,
}

const SPANS: [Span; 5] = [
    Span { fs: "ntfs3", since: (5, 15), removed: None },
    Span { fs: "exfat", since: (5, 7), removed: None },
    Span { fs: "f2fs", since: (3, 8), removed: None },
    Span { fs: "bcachefs", since: (6, 7), removed: Some((6, 18)) },
    Span { fs: "reiserfs", since: (2, 4), removed: Some((6, 13)) },
];
/// Filesystems that kernels of RHEL are built without.
const NOT_IN_RHEL: [&str; 6] = ["btrfs", "f2fs", "ntfs3", "nilfs2", "jfs", "reiserfs"];

/// What to do about a filesystem that the kernel lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another release or package has it: one or two sentences.
    Elsewhere(String),
    /// A kernel built with these options has it.
    Options {
        /// `CONFIG_F2FS_FS`.
        options: Vec<String>,
        /// Whether modules of the running kernel are installed.
        has_modules: bool,
    },
}

impl Remedy {
    /// Takes over another remedy that can be told in the same sentence; whether it can.
    pub fn absorb(&mut self, other: &Remedy) -> bool {
        match (self, other) {
            (
                Remedy::Options { options, has_modules },
                Remedy::Options { options: more, has_modules: too },
            ) if has_modules == too => {
                options.extend(more.iter().cloned());
                true
            }
            (mine, other) => *mine == *other,
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Remedy::Elsewhere(text) => f.write_str(text),
            Remedy::Options { options, has_modules: true } => {
                write!(f, "Use a kernel built with {}", phrases::list(options))
            }
            Remedy::Options { options, has_modules: false } => write!(
                f,
                "No modules of this kernel are installed: reboot if the kernel was updated, \
                 otherwise use a kernel built with {}",
                phrases::list(options)
            ),
        }
    }
}

/// What to do about a filesystem that the kernel lacks.
pub fn remedy(fs: &str, kernel: Kernel) -> Remedy {
    let by_release = SPANS.iter().find(|span| span.fs == fs);
    let by_release = by_release.and_then(|span| outside(span, version(kernel.release)?));
    let elsewhere = by_release.or_else(|| by_distribution(fs, kernel));
    elsewhere.map_or_else(
        || Remedy::Options {
            options: vec![format!("CONFIG_{}_FS", fs.to_uppercase())],
            has_modules: kernel.has_modules,
        },
        Remedy::Elsewhere,
    )
}

/// Major and minor number of a release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn outside(span: &Span, found: (u32, u32)) -> Option<String> {
    let Span { fs, since: (major, minor), removed } = span;
    match removed {
        _ if found < (*major, *minor) => {
            Some(format!("{fs} needs Linux {major}.{minor} or later. Update the kernel"))
        }
        Some((first, without)) if found >= (*first, *without) => Some(format!(
            "Linux {first}.{without} removed {fs}. Kernels from {major}.{minor} to {first}.{} have \
             it",
            without.saturating_sub(1)
        )),
        _ => None,
    }
}

/// The package with the rest of the distribution's kernel.
fn by_distribution(fs: &str, kernel: Kernel) -> Option<String> {
    let Kernel { release, has_modules, distribution } = kernel;
    let is = |id: &str| distribution.iter().any(|found| found == id);
    if let Some((_, arch)) = release.split_once("-cloud-").filter(|_| is("debian")) {
        let package = format!("linux-image-{arch}");
        return Some(format!("Debian's full kernel has it: apt install {package}, then reboot"));
    }
    if release.ends_with("-virt") && is("alpine") {
        return Some("Alpine's full kernel has it: apk add linux-lts, then reboot".to_string());
    }
    if !has_modules {
        return None;
    }
    if is("ubuntu") {
        let package = format!("linux-modules-extra-{release}");
        return Some(format!("Ubuntu's extra modules may have it: apt install {package}"));
    }
    if distribution.first().is_some_and(|id| id == "fedora") {
        let package = "kernel-modules-extra";
        return Some(format!("Fedora's extra modules may have it: dnf install {package}"));
    }
    let is_rhel = is("rhel") && NOT_IN_RHEL.contains(&fs);
    is_rhel
        .then(|| "This distribution's kernel is built without it. ELRepo's kernel-ml has it".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(fs: &str, release: &str, has_modules: bool, ids: &[&str]) -> String {
        let distribution: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
        remedy(fs, Kernel { release, has_modules, distribution: &distribution }).to_string()
    }

    #[test]
    fn a_driver_that_came_later_or_was_removed_names_the_releases() {
        let debian = &["debian"];
        assert!(words("ntfs3", "5.10.0-28-amd64", true, debian).contains("5.15 or later"));
        let removed = words("reiserfs", "6.18.44", true, debian);
        assert!(removed.contains("6.13 removed") && removed.contains("2.4 to 6.12"), "{removed}");
        assert!(words("bcachefs", "6.6.0", true, debian).contains("6.7 or later"));
        assert!(words("bcachefs", "6.12.0", true, debian).contains("CONFIG_BCACHEFS_FS"));
    }

    #[test]
    fn the_package_with_the_other_modules_is_named() {
        let cloud = words("f2fs", "6.1.0-18-cloud-arm64", true, &["debian"]);
        assert!(cloud.contains("apt install linux-image-arm64"), "{cloud}");
        let ubuntu = words("jfs", "6.8.0-31-generic", true, &["ubuntu", "debian"]);
        assert!(ubuntu.contains("linux-modules-extra-6.8.0-31-generic"), "{ubuntu}");
        let rocky = words("btrfs", "5.14.0-427.el9.x86_64", true, &["rocky", "rhel", "fedora"]);
        assert!(rocky.contains("kernel-ml"), "{rocky}");
        assert!(words("btrfs", "6.6.31-0-virt", true, &["alpine"]).contains("linux-lts"));
        assert!(words("jfs", "6.9.0", true, &["fedora"]).contains("kernel-modules-extra"));
    }

    #[test]
    fn elsewhere_the_option_is_named_and_missing_modules_are_reported() {
        assert_eq!(words("f2fs", "6.6.31+rpt-rpi-v8", true, &["debian"]), {
            "Use a kernel built with CONFIG_F2FS_FS"
        });
        let none = words("f2fs", "6.18.44-fc-v657", false, &["debian"]);
        assert!(none.contains("reboot") && none.contains("CONFIG_F2FS_FS"), "{none}");
        assert!(words("f2fs", "strange", false, &[]).contains("CONFIG_F2FS_FS"));
    }
    #[test]
    fn options_are_told_in_one_sentence_and_different_words_are_not() {
        let kernel = Kernel { release: "6.18.44", has_modules: true, distribution: &[] };
        let mut both = remedy("f2fs", kernel);
        assert!(both.absorb(&remedy("exfat", kernel)));
        assert_eq!(both.to_string(), {
            "Use a kernel built with CONFIG_F2FS_FS and CONFIG_EXFAT_FS"
        });
        assert!(!both.absorb(&remedy("bcachefs", kernel)));
        assert!(!both.absorb(&remedy("vfat", Kernel { has_modules: false, ..kernel })));
        assert!(remedy("bcachefs", kernel).absorb(&remedy("bcachefs", kernel)));
    }
}
