"""Lines to paste, written from what docs/format.md says of them and without the program, so that a
test can forge any and the page is checked as well."""

import base64
import hashlib
import math
import zlib

METRICS = {"seqread": 1, "seqwrite": 1, "randread": 2, "randwrite": 2}
# Of the four workloads as quick measures them: those of fixtures/pasted/quick.md.
DEFINITIONS = {
    "randwrite": bytes.fromhex("5d071f14"),
    "seqread": bytes.fromhex("13e32de3"),
    "randread": bytes.fromhex("602c2f00"),
    "seqwrite": bytes.fromhex("e23b5ebe"),
}


def number(value: int) -> bytes:
    out = b""
    while value >= 128:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def text(value: str) -> bytes:
    return number(len(value.encode())) + value.encode()


def level(mean: float, error: float, blocks: int) -> bytes:
    score = round(math.log(mean) * 10_000)
    zigzag = score * 2 if score >= 0 else -score * 2 - 1
    return (
        number(blocks) + number(zigzag) + (number(math.ceil(error * 10_000)) if blocks > 1 else b"")
    )


def line(
    figures: dict[str, float],
    *,
    run="12345678",
    day=20_780,
    version="0.1.0",
    board="Raspberry Pi 4 Model B Rev 1.4",
    model="SD32G",
    medium="sd",
    link="sd-ddr50",
    blocks=12,
    error=0.02,
    forbidden=(),
    prefix="bakeoff1:",
) -> str:
    """A run of one directory on one drive."""
    fields = number(int(run, 16)) + number(day) + number(60)
    fields += text(version) + text("quick") + text(board) + text("6.6.31+rpt-rpi-v8")
    fields += number(1) + text("mmc") + text(model) + number(32_000)
    fields += number(1) + text("ext4 dir") + text("ext4") + number(0) + number(1)
    fields += number(len(figures))
    for name, mean in figures.items():
        definition = DEFINITIONS.get(name, bytes(4))
        fields += text(name) + number(METRICS.get(name, 1)) + definition + number(1 << 20)
        fields += number(0) + number(0) + number(int(name in forbidden))
        fields += level(mean, error, blocks)
    fields += number(0)
    if medium is not None:
        fields += text(medium) + text(link)
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(fields) + packer.flush()
    body = base64.urlsafe_b64encode(hashlib.sha256(packed).digest()[:4] + packed)
    body = body.decode().rstrip("=")
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return f"{prefix}{digits[len(body) >> 6]}{digits[len(body) & 63]}{body}"
