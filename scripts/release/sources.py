"""The sources of a release: one archive of the clone with the bundle of the report in it, so that
cargo builds it without Node; the crates as `cargo package` makes them; the Ansible collection."""

import hashlib
import json
import shutil
from pathlib import Path

from papers import Release, pretty
from tools import ROOT, TARGET, copy, ensure, renew, run

# What `make web` makes and a source package contains.
BUNDLE = ("report.js", "report.css")


def archive(release: Release) -> Path:
    """What git tracks, and the bundle."""
    name = f"bakeoff-{release.version}"
    folder = release.work / name
    for path in run("git", "ls-files", "--cached", cwd=ROOT).splitlines():
        copy(ROOT / path, folder / path)
    for part in BUNDLE:
        copy(ROOT / "web/dist" / part, folder / "web/dist" / part)
    return release.tar_xz(name, packed_as=f"{name}-source")


def crates(release: Release) -> list[Path]:
    """The crates of the program, from the unpacked archive, so that nothing else can get in."""
    sources, built = release.work / f"bakeoff-{release.version}", release.work / "package"
    web = sources / "crates/bakeoff/web"
    for part in BUNDLE:
        copy(sources / "web/dist" / part, web / part)
    words = "package --quiet --workspace --exclude xtask --exclude bakeoff-truth".split()
    # `make test-install` builds them; here that would take as long as all the rest.
    words += ["--no-verify", "--allow-dirty", "--target-dir", built]
    run("cargo", *words, cwd=sources)
    shutil.rmtree(web)
    made = sorted((built / "package").glob(f"*-{release.version}.crate"))
    ensure(len(made) == 8, f"cargo package made {len(made)} crates of 8")
    return [Path(shutil.copy(crate, release.out)) for crate in made]


def collection(release: Release) -> Path:
    """The Ansible collection, in the file that `ansible-galaxy collection install` takes.
    ansible-galaxy builds it, with the time of day and in the order of the filesystem. Packed again
    in order and with the date of the commit, it is the same bytes each time."""
    run(ROOT / "scripts/ansible.sh")
    built, files = release.work / "collection", release.work / "collection-files"
    renew(built)
    renew(files)
    galaxy(release, "build", "--output-path", built, ROOT / "packaging/ansible")
    [made] = built.iterdir()
    run("tar", "-xzf", made, "-C", files)
    sort(files)
    names = [path.name for path in files.iterdir()]
    compressor = f"gzip -{max(release.level, 1)}n"
    file = release.tar(compressor, release.out / made.name, files, names)
    # ansible-galaxy compares every file with the checksums that the collection has inside.
    installed = release.work / "collection-installed"
    renew(installed)
    galaxy(release, "install", "--offline", "--collections-path", installed, file)
    module = installed / "ansible_collections/bakeoff/bakeoff/plugins/modules/run.py"
    ensure(module.exists(), f"{file} has no module")
    return file


def galaxy(release: Release, *words):
    """ansible-galaxy with none of this machine's settings."""
    # It reads no file without an ending, and so not /dev/null.
    none, packages = release.work / "ansible.cfg", TARGET / "fleet/packages"
    none.touch()
    env = {"PYTHONPATH": packages, "HOME": release.work, "ANSIBLE_CONFIG": none, "NO_COLOR": "1"}
    env = {name: str(value) for name, value in env.items()} | {"LC_ALL": "C.UTF-8"}
    run(packages / "bin/ansible-galaxy", "collection", *words, env=env)


def sort(files: Path):
    """Sorts the list of files in it, whose checksum the manifest has."""
    listed, manifest = files / "FILES.json", files / "MANIFEST.json"
    entries = json.loads(listed.read_text())
    entries["files"].sort(key=lambda entry: entry["name"])
    listed.write_text(pretty(entries))
    facts = json.loads(manifest.read_text())
    noted = facts.setdefault("file_manifest_file", {})
    noted["chksum_sha256"] = hashlib.sha256(listed.read_bytes()).hexdigest()
    manifest.write_text(pretty(facts))
