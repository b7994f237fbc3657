"""The image for containers: an OCI archive with an image for each machine, of the static program
and its licences alone. Source: OCI Image Format Specification 1.1 (image-layout, image-index,
manifest, config, layer).

What is packed depends on nothing but the program and the date of the commit."""

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path

from machines import Machine
from papers import Release
from tools import ROOT

KIND = "application/vnd.oci.image"
# Folders: one to mount what is measured on, and one for what a store needs.
FOLDERS = {"data": 0o755, "tmp": 0o1777}


def oci(release: Release, built: list[tuple[Path, Machine]], notices: str) -> Path:
    """Podman, Docker, skopeo and containerd choose by platform from the index that is named. A
    layout with the images side by side would be ambiguous to them."""
    blobs: dict[str, bytes] = {}

    def put(kind: str, content: bytes) -> dict:
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def put_json(kind: str, value: dict) -> dict:
        return put(f"{KIND}.{kind}+json", packed_json(value))

    def image(binary: Path, machine: Machine) -> dict:
        layer = tar(release.epoch_s, contents(binary, notices))
        packed = io.BytesIO()
        with gzip.GzipFile("", "wb", max(release.level, 1), packed, mtime=0) as file:
            file.write(layer)
        made = config(release, machine, hashlib.sha256(layer).hexdigest())
        manifest = {
            "schemaVersion": 2,
            "mediaType": f"{KIND}.manifest.v1+json",
            "config": put_json("config.v1", made),
            "layers": [put(f"{KIND}.layer.v1.tar+gzip", packed.getvalue())],
        }
        return put_json("manifest.v1", manifest) | {"platform": platform(machine)}

    def index(entries: list[dict]) -> dict:
        kind = f"{KIND}.index.v1+json"
        return {"schemaVersion": 2, "mediaType": kind, "manifests": entries}

    images = [image(binary, machine) for binary, machine in built if machine.oci]
    named = put_json("index.v1", index(images) | {"annotations": labels(release)})
    named["annotations"] = {"org.opencontainers.image.ref.name": f"bakeoff:{release.version}"}
    layout = {f"blobs/sha256/{digest}": (content, 0o644) for digest, content in blobs.items()}
    layout["index.json"] = packed_json(index([named])), 0o644
    layout["oci-layout"] = packed_json({"imageLayoutVersion": "1.0.0"}), 0o644
    file = release.out / f"bakeoff-{release.version}-oci.tar"
    file.write_bytes(tar(release.epoch_s, layout))
    return file


def contents(binary: Path, notices: str) -> dict[str, tuple[bytes | None, int]]:
    """Content and mode by path; a folder has no content."""
    files: dict[str, tuple[bytes | None, int]] = {"bakeoff": (binary.read_bytes(), 0o755)}
    files |= {name: (None, mode) for name, mode in FOLDERS.items()}
    files["licences"] = None, 0o755
    files["licences/THIRD-PARTY.txt"] = notices.encode(), 0o644
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"licences/{name}"] = (ROOT / name).read_bytes(), 0o644
    return files


def config(release: Release, machine: Machine, layer_sha256: str) -> dict:
    """How a container starts. It is root like on a host, unless whoever starts it says otherwise;
    the store is where anyone may write."""
    date = release.date("%Y-%m-%dT%H:%M:%SZ")
    start = {"Entrypoint": ["/bakeoff"], "WorkingDir": "/data", "Labels": labels(release)}
    start["Env"] = ["PATH=/", "XDG_DATA_HOME=/tmp"]
    history = {"created": date, "created_by": "make release"}
    layers = {"type": "layers", "diff_ids": [f"sha256:{layer_sha256}"]}
    parts = {"config": start, "created": date, "history": [history], "rootfs": layers}
    return parts | platform(machine)


def platform(machine: Machine) -> dict[str, str]:
    architecture, _, variant = machine.oci.partition("/")
    return {"os": "linux", "architecture": architecture} | ({"variant": variant} if variant else {})


def labels(release: Release) -> dict[str, str]:
    words = {"title": "bakeoff", "version": release.version, "licenses": "MIT OR Apache-2.0"}
    return {f"org.opencontainers.image.{name}": word for name, word in words.items()}


def packed_json(value: dict) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def tar(epoch_s: int, files: dict[str, tuple[bytes | None, int]]) -> bytes:
    """The files in order of their names, each of root and of the date of the commit."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.mtime, entry.mode = epoch_s, mode
            entry.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            entry.size = len(content or b"")
            archive.addfile(entry, io.BytesIO(content or b""))
    return packed.getvalue()
