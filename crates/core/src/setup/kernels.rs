//! Which kernel has a filesystem that the running one lacks.
//!
//! Sources: the first and last release of each driver (kernelnewbies.org, "Linux N.N"), and how
//! distributions split their kernels into packages (Debian's linux-image-cloud, Ubuntu's
//! linux-modules-extra, Fedora's kernel-modules-extra, Alpine's linux-virt, ELRepo's kernel-ml).

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

/// Releases of Linux that have a driver, as major and minor number.
pub struct Span {
    fs: &'static str,
    /// The first release with it.
    pub since: (u32, u32),
    /// The first release without it again.
    pub removed: Option<(u32, u32)>,
}

static SPANS: [Span; 5] = [
    Span { fs: "ntfs3", since: (5, 15), removed: None },
    Span { fs: "exfat", since: (5, 7), removed: None },
    Span { fs: "f2fs", since: (3, 8), removed: None },
    Span { fs: "bcachefs", since: (6, 7), removed: Some((6, 18)) },
    Span { fs: "reiserfs", since: (2, 4), removed: Some((6, 13)) },
];
/// The releases of Linux with a driver; `None` = all that matter have it.
pub fn releases(fs: &str) -> Option<&'static Span> {
    SPANS.iter().find(|span| span.fs == fs)
}

/// Filesystems that kernels of RHEL are built without.
const NOT_IN_RHEL: [&str; 6] = ["btrfs", "f2fs", "ntfs3", "nilfs2", "jfs", "reiserfs"];

/// Which kernel has what the running one lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A later release has it.
    Later {
        /// The driver.
        fs: &'static str,
        /// The first release with it.
        since: (u32, u32),
    },
    /// An earlier release had it.
    Earlier {
        /// The driver.
        fs: &'static str,
        /// The first release with it.
        since: (u32, u32),
        /// The first release without it.
        removed: (u32, u32),
    },
    /// A package of the distribution has it.
    Package(Package),
    /// RHEL and what is made from it build their kernels without it.
    NotInRhel,
    /// A kernel built with these options has it.
    Options {
        /// `CONFIG_F2FS_FS`.
        options: Vec<String>,
        /// Whether modules of the running kernel are installed.
        has_modules: bool,
    },
}

/// A package with the rest of a distribution's kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Package {
    /// Debian's full kernel, in place of that for virtual machines.
    Debian {
        /// Its name.
        package: String,
    },
    /// The same of Alpine.
    Alpine,
    /// Ubuntu's further modules, which may have it.
    Ubuntu {
        /// Its name.
        package: String,
    },
    /// The same of Fedora.
    Fedora,
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

/// Which kernel has a filesystem that this one lacks.
pub fn remedy(fs: &str, kernel: Kernel) -> Remedy {
    let by_release = SPANS.iter().find(|span| span.fs == fs);
    let by_release = by_release.and_then(|span| outside(span, version(kernel.release)?));
    by_release.or_else(|| by_distribution(fs, kernel)).unwrap_or_else(|| Remedy::Options {
        options: vec![format!("CONFIG_{}_FS", fs.to_uppercase())],
        has_modules: kernel.has_modules,
    })
}

/// Major and minor number of a release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn outside(span: &Span, found: (u32, u32)) -> Option<Remedy> {
    let Span { fs, since, removed } = *span;
    if found < since {
        return Some(Remedy::Later { fs, since });
    }
    let removed = removed.filter(|removed| found >= *removed)?;
    Some(Remedy::Earlier { fs, since, removed })
}

/// The package with the rest of the distribution's kernel.
fn by_distribution(fs: &str, kernel: Kernel) -> Option<Remedy> {
    let Kernel { release, has_modules, distribution } = kernel;
    let is = |id: &str| distribution.iter().any(|found| found == id);
    if let Some((_, arch)) = release.split_once("-cloud-").filter(|_| is("debian")) {
        let package = format!("linux-image-{arch}");
        return Some(Remedy::Package(Package::Debian { package }));
    }
    if release.ends_with("-virt") && is("alpine") {
        return Some(Remedy::Package(Package::Alpine));
    }
    if !has_modules {
        return None;
    }
    if is("ubuntu") {
        let package = format!("linux-modules-extra-{release}");
        return Some(Remedy::Package(Package::Ubuntu { package }));
    }
    if distribution.first().is_some_and(|id| id == "fedora") {
        return Some(Remedy::Package(Package::Fedora));
    }
    (is("rhel") && NOT_IN_RHEL.contains(&fs)).then_some(Remedy::NotInRhel)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fs: &str, release: &str, has_modules: bool, ids: &[&str]) -> Remedy {
        let distribution: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
        remedy(fs, Kernel { release, has_modules, distribution: &distribution })
    }

    fn option(option: &str, has_modules: bool) -> Remedy {
        Remedy::Options { options: vec![option.to_string()], has_modules }
    }

    #[test]
    fn a_driver_that_came_later_or_was_removed_names_the_releases() {
        let debian = &["debian"];
        let later = |fs, since| Remedy::Later { fs, since };
        assert_eq!(found("ntfs3", "5.10.0-28-amd64", true, debian), later("ntfs3", (5, 15)));
        let removed = Remedy::Earlier { fs: "reiserfs", since: (2, 4), removed: (6, 13) };
        assert_eq!(found("reiserfs", "6.18.44", true, debian), removed);
        assert_eq!(found("bcachefs", "6.6.0", true, debian), later("bcachefs", (6, 7)));
        assert_eq!(found("bcachefs", "6.12.0", true, debian), option("CONFIG_BCACHEFS_FS", true));
    }

    #[test]
    fn the_package_with_the_other_modules_is_named() {
        let package = |fs, release, ids: &[&str]| match found(fs, release, true, ids) {
            Remedy::Package(package) => package,
            other => panic!("{other:?}"),
        };
        let named = |name: &str| name.to_string();
        let debian = Package::Debian { package: named("linux-image-arm64") };
        assert_eq!(package("f2fs", "6.1.0-18-cloud-arm64", &["debian"]), debian);
        let ubuntu = Package::Ubuntu { package: named("linux-modules-extra-6.8.0-31-generic") };
        assert_eq!(package("jfs", "6.8.0-31-generic", &["ubuntu", "debian"]), ubuntu);
        assert_eq!(package("btrfs", "6.6.31-0-virt", &["alpine"]), Package::Alpine);
        assert_eq!(package("jfs", "6.9.0", &["fedora"]), Package::Fedora);
        let rocky = found("btrfs", "5.14.0-427.el9.x86_64", true, &["rocky", "rhel", "fedora"]);
        assert_eq!(rocky, Remedy::NotInRhel);
    }

    #[test]
    fn elsewhere_the_option_is_named_and_missing_modules_are_reported() {
        let f2fs = |has_modules| option("CONFIG_F2FS_FS", has_modules);
        assert_eq!(found("f2fs", "6.6.31+rpt-rpi-v8", true, &["debian"]), f2fs(true));
        assert_eq!(found("f2fs", "6.18.44-fc-v657", false, &["debian"]), f2fs(false));
        assert_eq!(found("f2fs", "strange", false, &[]), f2fs(false));
    }

    #[test]
    fn options_are_told_in_one_sentence_and_different_remedies_are_not() {
        let kernel = Kernel { release: "6.18.44", has_modules: true, distribution: &[] };
        let mut both = remedy("f2fs", kernel);
        assert!(both.absorb(&remedy("exfat", kernel)));
        let options = ["CONFIG_F2FS_FS", "CONFIG_EXFAT_FS"].map(str::to_string).to_vec();
        assert_eq!(both, Remedy::Options { options, has_modules: true });
        assert!(!both.absorb(&remedy("bcachefs", kernel)));
        assert!(!both.absorb(&remedy("vfat", Kernel { has_modules: false, ..kernel })));
        assert!(remedy("bcachefs", kernel).absorb(&remedy("bcachefs", kernel)));
    }
}
