"""The image for containers and the job of Kubernetes that uses it."""

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts/release"))

import image
from machines import MACHINES
from papers import Release
from tools import TARGET, Failed, fetch_from_pypi, renew, skip

MANIFEST = ROOT / "packaging/kubernetes/fit.yaml"
# Has the schemas that Kubernetes publishes. The first minor version checked is the oldest one that
# providers still support.
VALIDATOR = "kubernetes-validate==1.37.0"
VERSIONS = ("1.30", "1.34", "1.37")


@dataclass
class Made:
    """An archive, unpacked in memory."""

    files: dict[str, bytes]

    def json(self, digest: str) -> dict:
        return json.loads(self.files[f"blobs/{digest.replace(':', '/')}"])

    def images(self) -> list[dict]:
        [named] = json.loads(self.files["index.json"])["manifests"]
        return self.json(named["digest"])["manifests"]


def made(tmp_path: Path, name: str) -> tuple[bytes, Made]:
    release = Release.__new__(Release)
    release.version, release.epoch_s, release.level = "1.2.3", 1_700_000_000, 0
    release.out = tmp_path / name
    renew(release.out)
    built = []
    for machine in MACHINES:
        binary = release.out / machine.name
        binary.write_bytes(machine.name.encode() * 1000)
        built.append((binary, machine))
    packed = image.oci(release, built, "notices\n").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = archive.getmembers()
        return packed, Made({entry.name: archive.extractfile(entry).read() for entry in members})


def test_every_descriptor_is_of_the_content_that_is_there(tmp_path):
    _, unpacked = made(tmp_path, "a")
    described = []

    def visit(value):
        if isinstance(value, dict):
            if "digest" in value:
                described.append(value["digest"])
                content = unpacked.files[f"blobs/{value['digest'].replace(':', '/')}"]
                assert value["size"] == len(content)
                assert value["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
                if value["mediaType"].endswith("json"):
                    visit(json.loads(content))
            for part in value.values():
                visit(part)
        elif isinstance(value, list):
            for part in value:
                visit(part)

    visit(json.loads(unpacked.files["index.json"]))
    blobs = {name for name in unpacked.files if name.startswith("blobs/")}
    assert blobs == {f"blobs/{digest.replace(':', '/')}" for digest in described}


def test_there_is_one_image_for_each_platform_of_containers(tmp_path):
    _, unpacked = made(tmp_path, "a")
    platforms = {
        tuple(entry["platform"].get(key) for key in ("os", "architecture", "variant"))
        for entry in unpacked.images()
    }
    expected = {("linux", "amd64", None), ("linux", "arm64", None), ("linux", "arm", "v7")}
    assert platforms == expected
    for entry in unpacked.images():
        config = unpacked.json(unpacked.json(entry["digest"])["config"]["digest"])
        assert {key: config.get(key) for key in entry["platform"]} == entry["platform"]


def test_an_image_has_the_program_and_nothing_to_run_beside_it(tmp_path):
    _, unpacked = made(tmp_path, "a")
    for entry in unpacked.images():
        manifest = unpacked.json(entry["digest"])
        [layer] = manifest["layers"]
        packed = unpacked.files[f"blobs/{layer['digest'].replace(':', '/')}"]
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as files:
            started = [file.name for file in files if file.isfile() and file.mode & 0o111]
            assert {file.mtime for file in files} == {1_700_000_000}
            assert files.getmember("tmp").mode == 0o1777
        assert started == ["bakeoff"]
        config = unpacked.json(manifest["config"]["digest"])
        assert config["config"]["Entrypoint"] == ["/bakeoff"]


def test_the_same_program_and_commit_are_the_same_bytes(tmp_path):
    first, second = (made(tmp_path, name)[0] for name in ("a", "in-a-folder-with-a-longer-name"))
    assert first == second


def validate(manifest: Path, version: str) -> subprocess.CompletedProcess:
    folder = TARGET / "toolchain/kubernetes-validate"
    try:
        fetch_from_pypi(folder, [VALIDATOR], 120)
    except Failed as failed:
        skip("Kubernetes manifest", VALIDATOR, str(failed).splitlines()[-1])
        pytest.skip(f"{VALIDATOR} cannot be fetched from PyPI")
    words = ["-m", "kubernetes_validate", "--strict", "--kubernetes-version", version, manifest]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_word_of_the_job(version):
    found = validate(MANIFEST, version)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_word_that_kubernetes_does_not_know_is_found(tmp_path):
    faulty = tmp_path / "fit.yaml"
    faulty.write_text(MANIFEST.read_text().replace("backoffLimit:", "backOffLimit:"))
    assert validate(faulty, VERSIONS[-1]).returncode != 0


def test_the_job_starts_the_image_of_this_version():
    version = next(
        line.split('"')[1]
        for line in (ROOT / "Cargo.toml").read_text().splitlines()
        if line.startswith("version = ")
    )
    assert f"/bakeoff:{version}\n" in MANIFEST.read_text()
