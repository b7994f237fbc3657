"""Every file of a release, in target/release-files; publishes nothing.

For each ARCH an archive, a Debian package and a wheel; then the image for containers, the sources,
the Ansible collection, the SBOM, the release notes and SHA256SUMS. Each binary is built once
(`dist`) and goes unchanged into its files. What is made depends on the commit alone: same commit
and compilers, same bytes."""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import components
import dist
import features
import image
import packages
import papers
import sources
from tools import ROOT, TARGET, ensure, run, show, start

FILES = "release-files"


def build(names, is_test: bool):
    if not is_test:
        features.check()
    built = dist.build_all(names, is_test)
    release = papers.Release("release-test" if is_test else FILES, 0 if is_test else 9)
    packages.manual()
    parts = components.gather()
    notices = papers.notices(parts)
    for binary, machine in built:
        for pack in (packages.archive, packages.deb, packages.wheel):
            say(lambda: [pack(release, machine, binary, notices)])
    if any(machine.oci for _, machine in built):
        say(lambda: [image.oci(release, built, notices)])
    say(lambda: [sources.archive(release)])
    say(lambda: sources.crates(release))
    say(lambda: [sources.collection(release)])
    (release.out / f"bakeoff-{release.version}.cdx.json").write_text(papers.bom(release, parts))
    (release.out / "RELEASE-NOTES.md").write_text(papers.release_notes(release))
    papers.sums(release.out)


def say(make):
    started = time.monotonic()
    for file in make():
        took_s = time.monotonic() - started
        print(f"{file.name:<96} {file.stat().st_size:>9} bytes {took_s:>4.0f} s", flush=True)


def again(names):
    """Builds the commit that is checked out in a folder with a longer name, and compares every file
    with those that are there. Source: reproducible-builds.org."""
    changed = run("git", "status", "--porcelain", "--untracked-files=no", cwd=ROOT)
    ensure(not changed, f"commit these first: the clone has only commits\n{changed}")
    first = sums(TARGET)
    prefix = "bakeoff-in-another-folder-with-a-longer-name-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir="/var/tmp") as folder:
        clone = Path(folder) / "clone"
        target = clone / "target"
        run("git", "clone", "--quiet", "--shared", ROOT, clone)
        # What was fetched from elsewhere is the same: compilers, and the packages of the charts.
        target.mkdir()
        run("cp", "-a", "--link", TARGET / "toolchain", target / "toolchain")
        script = clone / "scripts/release/release.py"
        show("python3", script, *names, cwd=clone, env={"CARGO_TARGET_DIR": str(target)})
        second = sums(target)
        both = [name for name in second if name in first]
        different = [name for name in both if first[name] != second[name]]
        for name in different:
            print(f"DIFFERS: {name}", flush=True)
            sides = (TARGET / FILES / name, target / FILES / name)
            try:
                subprocess.run(["diffoscope", "--max-report-size", "4000", *sides])
            except OSError:
                print("(diffoscope says where; Debian: diffoscope)")
    print(
        f"{len(both)} files have been built twice, {len(first) + len(second) - 2 * len(both)} once"
    )
    ensure(both and not different, "not every file has the same bytes")


def sums(target: Path) -> dict[str, str]:
    """Checksums by name."""
    path = target / FILES / "SHA256SUMS"
    ensure(path.exists(), f"no {path}: run `make release` first")
    lines = (line.split("  ", 1) for line in path.read_text().splitlines())
    return {name: checksum for checksum, name in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--test", action="store_true", help="quick binaries, in target/release-test")
    kind.add_argument("--again", action="store_true", help="build the commit again, and compare")
    parser.add_argument("names", nargs="*", metavar="ARCH", help="machines (default: all)")
    words = parser.parse_args()
    again(words.names) if words.again else build(words.names, words.test)


if __name__ == "__main__":
    start(main)
