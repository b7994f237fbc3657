"""A signed apt repository of the packages of a release: `repository.py FOLDER KEY`, where KEY is
the name, address or fingerprint by which gpg finds the key. Source: reprepro(1).

Debian and Raspbian each have a distribution of their own in it, since Raspbian calls ARMv6 by the
name that Debian gives to ARMv7."""

import argparse
from pathlib import Path

from machines import MACHINES
from tools import TARGET, ensure, run, start

# The distribution that a package belongs to, by the suffix of its version.
DISTRIBUTIONS = {"debian": "", "raspbian": "+rpi1"}


def build(folder: Path, packages: Path, key: str):
    """Makes or extends the repository with every package in `packages`; the public half of the key
    is put beside it."""
    (folder / "conf").mkdir(parents=True, exist_ok=True)
    (folder / "conf/distributions").write_text(distributions(key))
    found = sorted(packages.glob("*.deb"))
    ensure(found, f"there is no package in {packages}: run `make release`")
    for package in found:
        name = "raspbian" if DISTRIBUTIONS["raspbian"] in package.name else "debian"
        run("reprepro", "--silent", "--basedir", folder, "includedeb", name, package)
    run("gpg", "--batch", "--yes", "--export", "--output", folder / "bakeoff.gpg", key)


def distributions(key: str) -> str:
    def section(name: str, suffix: str) -> str:
        of_suffix = sorted(m.debian for m in MACHINES if m.debian_suffix == suffix)
        return (
            f"Origin: bakeoff\nLabel: bakeoff\nCodename: {name}\nArchitectures: "
            f"{' '.join(of_suffix)}\nComponents: main\nDescription: bakeoff for {name}\n"
            f"SignWith: {key}\n"
        )

    return "\n".join(section(*distribution) for distribution in DISTRIBUTIONS.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("key")
    words = parser.parse_args()
    build(words.folder, TARGET / "release-files", words.key)
    print(f"{words.folder} has the packages, signed by {words.key}")


if __name__ == "__main__":
    start(main)
