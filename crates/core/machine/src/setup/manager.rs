//! Package managers: which one a distribution has, and the commands that install packages with it.
//!
//! Sources: apt-get(8), dnf(8), pacman(8), apk(8), zypper(8), and the ID and ID_LIKE of
//! os-release(5).

use strum::VariantArray;

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Manager {
    Apt,
    Dnf,
    Pacman,
    Apk,
    Zypper,
}

/// By [`Manager::column`]: the IDs of its distributions in os-release(5), how it installs, and the
/// short command for an error message.
const TABLE: [[&str; 3]; 5] = [
    [
        "debian ubuntu raspbian linuxmint pop armbian devuan",
        "apt-get install --yes --no-install-recommends",
        "apt install",
    ],
    ["fedora rhel centos rocky almalinux ol", "dnf install --assumeyes", "dnf install"],
    ["arch archarm manjaro", "pacman --sync --needed --noconfirm", "pacman -S"],
    ["alpine postmarketos", "apk add --update-cache", "apk add"],
    [
        "suse opensuse opensuse-leap opensuse-tumbleweed sles",
        "zypper --non-interactive install --no-recommends",
        "zypper install",
    ],
];

impl Manager {
    /// All, in the order in which they are looked for. A Debian may have dnf as a package.
    pub const ALL: &'static [Manager] = <Manager as VariantArray>::VARIANTS;

    pub(super) fn column(self) -> usize {
        self as usize
    }

    pub fn program(self) -> &'static str {
        let [_, install, _] = TABLE[self.column()];
        install.split(' ').next().unwrap_or(install)
    }

    /// The manager of a distribution, by an ID or ID_LIKE of os-release(5).
    fn of_distribution(id: &str) -> Option<Manager> {
        let is_its = |of: &&Manager| TABLE[of.column()][0].split(' ').any(|own| own == id);
        Manager::ALL.iter().find(is_its).copied()
    }

    /// The manager of this machine: the distribution's own where it is installed, else the first
    /// that is. `ids` are its ID and ID_LIKE.
    pub fn detect(ids: &[String], is_installed: &dyn Fn(&str) -> bool) -> Option<Manager> {
        let is_here = |manager: &Manager| is_installed(manager.program());
        let own = ids.iter().filter_map(|id| Manager::of_distribution(id)).find(is_here);
        own.or_else(|| Manager::ALL.iter().copied().find(is_here))
    }

    /// The same for words only: where none is installed, that of the distribution.
    pub fn likely(ids: &[String], is_installed: &dyn Fn(&str) -> bool) -> Option<Manager> {
        let known = || ids.iter().find_map(|id| Manager::of_distribution(id));
        Manager::detect(ids, is_installed).or_else(known)
    }

    /// What refreshes the package lists before an installation; `None` where installing does.
    pub fn refresh(self) -> Option<Vec<String>> {
        (self == Manager::Apt).then(|| words(&["apt-get", "update"]))
    }

    pub fn install(self, packages: &[&str]) -> Vec<String> {
        let [_, install, _] = TABLE[self.column()];
        words(&[&install.split(' ').collect::<Vec<_>>(), packages].concat())
    }

    pub fn hint(self, package: &str) -> String {
        let [_, _, hint] = TABLE[self.column()];
        format!("{hint} {package}")
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| word.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(ids: &[&str], installed: &[&str]) -> Option<Manager> {
        Manager::detect(&words(ids), &|program| installed.contains(&program))
    }

    #[test]
    fn the_distribution_decides_where_several_are_installed() {
        let several = ["apt-get", "dnf", "zypper", "pacman"];
        assert_eq!(detect(&["debian"], &several), Some(Manager::Apt));
        assert_eq!(detect(&["rocky", "rhel", "centos", "fedora"], &several), Some(Manager::Dnf));
        assert_eq!(detect(&["opensuse-leap", "suse"], &several), Some(Manager::Zypper));
        assert_eq!(detect(&["endeavouros", "arch"], &several), Some(Manager::Pacman));
    }

    #[test]
    fn the_one_that_is_installed_is_taken_elsewhere() {
        assert_eq!(detect(&["debian"], &["apk"]), Some(Manager::Apk));
        assert_eq!(detect(&["nixos"], &["dnf"]), Some(Manager::Dnf));
        assert_eq!(detect(&["nixos"], &[]), None);
        assert_eq!(Manager::likely(&words(&["alpine"]), &|_| false), Some(Manager::Apk));
    }

    #[test]
    fn columns_are_all_different() {
        let columns: Vec<usize> = Manager::ALL.iter().map(|m| m.column()).collect();
        assert_eq!(columns, [0, 1, 2, 3, 4]);
    }
}
