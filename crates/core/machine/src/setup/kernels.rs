//! Which kernel has a filesystem that the running one lacks.
//!
//! Source: the first and last release of each driver (kernelnewbies.org, "Linux N.N").

use std::fmt;

use bakeoff_stats::phrases;

#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    pub release: &'a str,
    pub has_modules: bool,
}

/// Releases of Linux that have a driver, as major and minor number.
pub struct Span {
    fs: &'static str,
    pub since: (u32, u32),
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

/// Which kernel has what the running one lacks: in words one or two sentences without the last full
/// stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    Kernel(String),
    Options {
        /// `CONFIG_F2FS_FS`.
        options: Vec<String>,
        has_modules: bool,
    },
}

impl fmt::Display for Remedy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Kernel(words) => out.write_str(words),
            Remedy::Options { options, has_modules: true } => {
                write!(out, "Use a kernel built with {}", phrases::list(options))
            }
            Remedy::Options { options, has_modules: false } => write!(
                out,
                "No modules of this kernel are installed: reboot if the kernel was updated, \
                 otherwise use a kernel built with {}",
                phrases::list(options)
            ),
        }
    }
}

impl Remedy {
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

pub fn remedy(fs: &str, kernel: Kernel) -> Remedy {
    let by_release = SPANS.iter().find(|span| span.fs == fs);
    let by_release = by_release.and_then(|span| outside(span, version(kernel.release)?));
    match by_release {
        Some(words) => Remedy::Kernel(words),
        None => Remedy::Options {
            options: vec![format!("CONFIG_{}_FS", fs.to_uppercase())],
            has_modules: kernel.has_modules,
        },
    }
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn outside(span: &Span, found: (u32, u32)) -> Option<String> {
    let Span { fs, since, removed } = *span;
    let (major, minor) = since;
    if found < since {
        return Some(format!("{fs} needs Linux {major}.{minor} or later. Update the kernel"));
    }
    let (first, without) = removed.filter(|removed| found >= *removed)?;
    let last = without.saturating_sub(1);
    Some(format!(
        "Linux {first}.{without} removed {fs}. Kernels from {major}.{minor} to {first}.{last} have \
         it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fs: &str, release: &str, has_modules: bool) -> Remedy {
        remedy(fs, Kernel { release, has_modules })
    }

    fn option(option: &str, has_modules: bool) -> Remedy {
        Remedy::Options { options: vec![option.to_string()], has_modules }
    }

    #[test]
    fn a_driver_that_came_later_or_was_removed_names_the_releases() {
        let words = |fs, release| found(fs, release, true).to_string();
        assert_eq!(
            words("ntfs3", "5.10.0-28-amd64"),
            "ntfs3 needs Linux 5.15 or later. Update the kernel"
        );
        assert_eq!(
            words("reiserfs", "6.18.44"),
            "Linux 6.13 removed reiserfs. Kernels from 2.4 to 6.12 have it"
        );
        assert_eq!(
            words("bcachefs", "6.6.0"),
            "bcachefs needs Linux 6.7 or later. Update the kernel"
        );
        assert_eq!(found("bcachefs", "6.12.0", true), option("CONFIG_BCACHEFS_FS", true));
    }

    #[test]
    fn elsewhere_the_option_is_named_and_missing_modules_are_reported() {
        let f2fs = |has_modules| option("CONFIG_F2FS_FS", has_modules);
        assert_eq!(found("f2fs", "6.6.31+rpt-rpi-v8", true), f2fs(true));
        assert_eq!(found("f2fs", "6.18.44-fc-v657", false), f2fs(false));
        assert_eq!(found("f2fs", "strange", false), f2fs(false));
    }

    #[test]
    fn options_are_told_in_one_sentence_and_different_remedies_are_not() {
        let kernel = Kernel { release: "6.18.44", has_modules: true };
        let mut both = remedy("f2fs", kernel);
        assert!(both.absorb(&remedy("exfat", kernel)));
        let options = ["CONFIG_F2FS_FS", "CONFIG_EXFAT_FS"].map(str::to_string).to_vec();
        assert_eq!(both, Remedy::Options { options, has_modules: true });
        assert_eq!(both.to_string(), "Use a kernel built with CONFIG_F2FS_FS and CONFIG_EXFAT_FS");
        assert!(!both.absorb(&remedy("bcachefs", kernel)));
        assert!(!both.absorb(&remedy("vfat", Kernel { has_modules: false, ..kernel })));
        assert!(remedy("bcachefs", kernel).absorb(&remedy("bcachefs", kernel)));
    }
}
