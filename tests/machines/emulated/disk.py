"""A disk of a guest, and the arguments with which QEMU emulates it."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

MIB = 1 << 20

_DRIVERS = {"virtio": "virtio-blk-pci", "sata": "ide-hd", "nvme": "nvme", "usb": "usb-storage"}


@dataclass(frozen=True)
class Disk:
    """A disk of so many bytes on a bus: virtio (vda, vdb, …), sata, nvme, usb (can be pulled out),
    or `card` (a power of two, in a Raspberry Pi's slot).

    `cache` is what the host does with writes: `unsafe` ignores flushes, `writeback` obeys them,
    `none` bypasses the host's memory. `limits` are properties of QEMU's throttle-group.
    """

    name: str
    size_bytes: int
    bus: str = "virtio"
    serial: str | None = None
    read_only: bool = False
    block_bytes: int = 512
    cache: str = "unsafe"
    limits: dict = field(default_factory=dict, hash=False)

    def at_most_iops(self, iops: int) -> "Disk":
        return replace(self, limits={**self.limits, "iops-total": iops})

    def at_most_bytes_per_s(self, rate: int) -> "Disk":
        return replace(self, limits={**self.limits, "bps-total": rate})

    def write_cache(self, bytes_per_s: int, cache_bytes: int) -> "Disk":
        """A write-back cache that ignores flushes: QEMU's bucket leaks at the first rate and holds
        a second of the other one (util/throttle.c)."""
        limits = {"bps-write": bytes_per_s, "bps-write-max": cache_bytes}
        return replace(self, limits={**self.limits, **limits})

    def content(self, folder: Path) -> Path:
        return folder / f"{self.name}.img"

    def arguments(self, path: str) -> list[str]:
        """QEMU's arguments for the disk and its content, the file at `path`."""
        if self.bus == "card":
            return ["-drive", f"if=sd,format=raw,cache=unsafe,file={path.replace(',', ',,')}"]
        node = {
            "driver": "raw",
            "node-name": self.name,
            "read-only": self.read_only,
            "discard": "unmap",
            "cache": {"direct": self.cache == "none", "no-flush": self.cache == "unsafe"},
            "file": {"driver": "file", "filename": path},
        }
        arguments = []
        if self.limits:
            group = f"{self.name}-limits"
            limits = {"qom-type": "throttle-group", "id": group, "limits": self.limits}
            arguments += ["-object", json.dumps(limits)]
            node = {
                "driver": "throttle",
                "node-name": self.name,
                "throttle-group": group,
                "read-only": self.read_only,
                "file": {**node, "node-name": f"{self.name}-file"},
            }
        return arguments + ["-blockdev", json.dumps(node), "-device", json.dumps(self.device())]

    def device(self) -> dict:
        """What the device is and has, as QMP's device_add takes it."""
        device = {
            "driver": _DRIVERS[self.bus],
            "id": f"{self.name}-device",
            "drive": self.name,
            "logical_block_size": self.block_bytes,
            "physical_block_size": self.block_bytes,
        }
        if self.bus == "sata":
            device["bus"] = "ide.0"
        if self.bus == "usb":
            device |= {"bus": "usb.0", "removable": True}
        serial = self.name if self.bus == "nvme" and self.serial is None else self.serial
        return device if serial is None else {**device, "serial": serial}
