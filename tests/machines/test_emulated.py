"""The harness itself, as far as a mistake in it would let a test pass."""

import socket

import pytest
from emulated.disk import MIB, Disk
from emulated.guest import Guest
from emulated.runs import check_events
from test_run import holds


def test_output_may_look_like_the_protocol():
    guest = Guest.__new__(Guest)
    guest._buffer = b""
    guest._port, theirs = socket.socketpair()
    theirs.sendall(b"noise\n@@done 3 10 2\n\n@@done 0 er")
    output = guest.run("true", 5)
    assert (output.code, output.text, output.error) == (3, "\n@@done 0 ", "er")


def test_a_cell_counts_once():
    cell = {"cell_done": {"block": 0, "candidate": 1, "workload": 2}}
    check_events([cell])
    check_events([cell, {"block_superseded": {"block": 0}}, cell])
    with pytest.raises(AssertionError):
        check_events([cell, cell])


def test_a_key_is_found_across_chunks_and_after_empty_ones(tmp_path):
    path, key = tmp_path / "disk", bytes([7, 8, 9, 10])
    for at in (0, (1 << 20) - 2, (1 << 20) + 5, (3 << 20) - 1):
        content = bytearray(4 << 20)
        content[at : at + 4] = key
        path.write_bytes(content)
        assert holds(path, key), f"at {at}"
    path.write_bytes(bytes(4 << 20))
    assert not holds(path, key)


def test_a_stick_has_everything_it_was_given():
    disk = Disk("stick", MIB, "usb", serial='a,b"<x>', read_only=True).at_most_iops(100)
    words = disk.arguments("a,b.img")
    assert words[::2] == ["-object", "-blockdev", "-device"]
    assert '"iops-total": 100' in words[1] and '"filename": "a,b.img"' in words[3]
    assert disk.device()["driver"] == "usb-storage" and disk.device()["serial"] == 'a,b"<x>'
