"""What a release says of itself: notices of third parties, the SBOM, release notes, checksums."""

import json
import os
import time
import tomllib
from pathlib import Path

from components import Component
from machines import Machine
from tools import ROOT, TARGET, ensure, renew, run

# Who answers for the packages where `DEBFULLNAME` and `DEBEMAIL` do not say who publishes them.
MAINTAINER = ("bakeoff developers", "developers@bakeoff.example")


class Release:
    """What every file of one release has in common: version, date, folders."""

    def __init__(self, folder: str, level: int):
        """`folder`, below `target`, is emptied; `level` of xz is the best for people, and the
        quickest for tests."""
        self.version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"][
            "version"
        ]
        # Seconds since 1970 of the commit: the date of everything that is made, so that it does not
        # depend on when it is made. Source: reproducible-builds.org, `SOURCE_DATE_EPOCH`.
        given = os.environ.get("SOURCE_DATE_EPOCH")
        self.epoch_s = int(given or run("git", "log", "-1", "--format=%ct", cwd=ROOT))
        self.out, self.work, self.level = TARGET / folder, TARGET / f"{folder}-work", level
        renew(self.out)
        renew(self.work)
        # What packs is told the date.
        self.env = {"SOURCE_DATE_EPOCH": str(self.epoch_s), "LC_ALL": "C"}

    def maintainer(self) -> str:
        name, address = MAINTAINER
        name, address = os.environ.get("DEBFULLNAME", name), os.environ.get("DEBEMAIL", address)
        return f"{name} <{address}>"

    def debian_version(self, machine: Machine) -> str:
        return self.version + machine.debian_suffix

    def date(self, form: str) -> str:
        return time.strftime(form, time.gmtime(self.epoch_s))

    def tar(self, compressor: str, file: Path, folder: Path, names: list[str]) -> Path:
        """Packs names in a folder: the same bytes for the same files."""
        words = "--create --sort=name --format=gnu --owner=0 --group=0 --numeric-owner"
        words = ["tar", *words.split(), "--mode=go=rX,u+rwX", f"--mtime=@{self.epoch_s}"]
        words += [f"--use-compress-program={compressor}", "--file", file, "--directory", folder]
        run(*words, *names, env=self.env)
        return file

    def tar_xz(self, name: str, packed_as="") -> Path:
        """Packs a folder below `work`."""
        file = self.out / f"{packed_as or name}.tar.xz"
        return self.tar(f"xz -{self.level} -T1", file, self.work, [name])


def notices(parts: list[Component]) -> str:
    """Every licence text once, after the names of those it is of."""
    page = (
        "Third-party software in bakeoff\n\nThe program contains the software below. Each text is "
        "printed once, after the names of the components that it comes with.\n\n"
    )
    owners: dict[str, list[str]] = {}
    for part in parts:
        page += f"{part.name} {part.version}: {part.licence}\n"
        for text in part.texts:
            owners.setdefault(text, []).append(f"{part.name} {part.version}")
    for names, text in sorted((names, text) for text, names in owners.items()):
        page += f"\n{'-' * 78}\n{', '.join(names)}\n\n{text}"
    return page


def bom(release: Release, parts: list[Component]) -> str:
    """The bill of materials. Source: CycloneDX 1.6, JSON."""

    def component(part: Component):
        entry = {"type": "library", "bom-ref": part.purl, "name": part.name, "purl": part.purl}
        entry |= {"version": part.version, "licenses": [{"expression": part.licence}]}
        hashes = {"hashes": [{"alg": "SHA-256", "content": part.sha256}]} if part.sha256 else {}
        return entry | hashes

    program = {
        "type": "application",
        "bom-ref": f"pkg:generic/bakeoff@{release.version}",
        "name": "bakeoff",
        "version": release.version,
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
    }
    dependencies = {"ref": program["bom-ref"], "dependsOn": [part.purl for part in parts]}
    page = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": release.date("%Y-%m-%dT00:00:00Z"), "component": program},
        "components": [component(part) for part in parts],
        "dependencies": [dependencies],
    }
    return pretty(page) + "\n"


def pretty(value) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)


def newest(changes: str) -> str:
    """The top section of the changes, without its heading."""
    section = changes.partition("\n## ")[2].partition("\n")[2].partition("\n## ")[0].strip()
    ensure(section, "the top section of CHANGELOG.md is empty")
    return section


def release_notes(release: Release) -> str:
    changes = newest((ROOT / "CHANGELOG.md").read_text())
    day = release.date("%Y-%m-%d")
    return (
        f"# bakeoff {release.version}, {day}\n\nHow to install it: docs/install.md.\n\n{changes}\n"
    )


def debian_changelog(release: Release, version: str) -> str:
    """Debian's changelog: one entry, which says where the changes are; its date as in RFC 5322."""
    return (
        f"bakeoff ({version}) stable; urgency=medium\n\n  * Release {release.version}. The changes "
        f"are in /usr/share/doc/bakeoff/CHANGELOG.md.gz.\n\n -- {release.maintainer()}  "
        f"{release.date('%a, %d %b %Y %H:%M:%S +0000')}\n"
    )


def sums(folder: Path):
    """Checksums of everything in a folder, in order of the names."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    (folder / "SHA256SUMS").write_text(run("sha256sum", "--", *names, cwd=folder))
