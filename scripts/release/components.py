"""The parts of the program that others wrote, with their licences: the list that the SBOM and the
notices are made of.

Crates are those that cargo links or expands for the program, from `cargo metadata`; packages of the
page are those of web/package-lock.json that are not for development. What no manager of packages
knows is added: SQLite, the C library and Rust's own library."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT, ensure, run

# How the names of files with licences and notices begin.
TEXTS = ("licen", "copying", "notice", "unlicense", "copyright")
BLESSING = (
    "The authors of SQLite disclaim copyright to its source code. May you do good and not evil. "
    "May you find forgiveness for yourself and forgive others. May you share freely, never taking "
    "more than you give.\n"
)


@dataclass(order=True)
class Component:
    """One part."""

    name: str
    version: str
    # SPDX expression.
    licence: str
    # Package URL, see the specification `purl-spec`.
    purl: str
    # SHA-256 of its package, where Cargo.lock has it.
    sha256: str
    # Texts that its authors put beside it.
    texts: list[str]


def gather() -> list[Component]:
    """All of them, by name."""
    crates = crates_of_program()
    return sorted([*crates, *packages_of_page(), *libraries(crates)])


def crates_of_program() -> list[Component]:
    words = "metadata --format-version 1 --locked --filter-platform x86_64-unknown-linux-musl"
    metadata = json.loads(run("cargo", *words.split(), cwd=ROOT))
    reached, sums = linked(metadata), checksums((ROOT / "Cargo.lock").read_text())
    found = []
    for package in metadata["packages"]:
        if package["id"] not in reached or package["source"] is None:
            continue
        name, version = package["name"], package["version"]
        texts = texts_in(Path(package["manifest_path"]).parent)
        licence = (package["license"] or "").replace("/", " OR ")
        if not texts and licence == "Apache-2.0":
            texts = [(ROOT / "LICENSE-APACHE").read_text()]
        ensure(texts, f"{name} {version} ({licence}) comes without its licence")
        sha256 = sums.get((name, version), "")
        purl = f"pkg:cargo/{name}@{version}"
        found.append(Component(name, version, licence, purl, sha256, texts))
    return found


def linked(metadata) -> set[str]:
    """What is reached from the program by dependencies for neither tests nor builds."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in metadata["packages"] if package["name"] == "bakeoff"]
    reached = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in reached:
                reached.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return reached


def checksums(lock: str) -> dict[tuple[str, str], str]:
    """Checksums of packages by name and version."""
    packages = tomllib.loads(lock)["package"]
    return {(p["name"], p["version"]): p["checksum"] for p in packages if "checksum" in p}


def packages_of_page() -> list[Component]:
    found = []
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    for path, package in lock["packages"].items():
        if not path.startswith("node_modules/") or package.get("dev"):
            continue
        name, version = path.removeprefix("node_modules/"), package["version"]
        texts = texts_in(ROOT / "web" / path)
        ensure(texts, f"{name} comes without its licence")
        purl = f"pkg:npm/{name}@{version}"
        found.append(Component(name, version, package["license"], purl, "", texts))
    return found


def libraries(crates: list[Component]) -> list[Component]:
    """What is linked beside the crates."""
    sqlite = [crate.version for crate in crates if crate.name == "libsqlite3-sys"]
    ensure(sqlite, "the store is no SQLite")
    rust = run("rustc", "--version").split()[1]
    standard = "The Rust standard library is copyright of The Rust Project contributors.\n\n"
    standard += (ROOT / "LICENSE-APACHE").read_text()
    musl = (ROOT / "packaging/licences/musl").read_text()

    def part(name: str, version: str, licence: str, text: str) -> Component:
        return Component(name, version, licence, f"pkg:generic/{name}@{version}", "", [text])

    return [
        part("sqlite", f"bundled with libsqlite3-sys {sqlite[0]}", "blessing", BLESSING),
        part("musl", "bundled with Zig", "MIT", musl),
        part("rust-std", rust, "MIT OR Apache-2.0", standard),
    ]


def texts_in(folder: Path) -> list[str]:
    """The licences and notices in a folder, in order of their names."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    texts = [path for path in files if path.name.lower().startswith(TEXTS)]
    read = (path.read_bytes().decode(errors="replace").replace("\r\n", "\n") for path in texts)
    return [text.strip() + "\n" for text in read]
