"""Serves an emulated drive to QEMU by the NBD protocol, on a socket in the filesystem.

One client, one request at a time, simple replies (github.com/NetworkBlockDevice/nbd,
doc/proto.md). A process of its own: `nbd.py SOCKET BACKING_FILE DRIVE`; on SIGTERM it prints what
the drive counted as JSON."""

import json
import os
import signal
import socket
import struct
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated import drives

OPTION_MAGIC, REPLY_MAGIC = 0x49484156454F5054, 0x3E889045565A9
REQUEST_MAGIC, SIMPLE_MAGIC = 0x25609513, 0x67446698
EXPORT_NAME, ABORT, INFO, GO = 1, 2, 6, 7
ACK, INFORMATION, UNSUPPORTED = 1, 3, (1 << 31) | 1
# Has flags, flush, FUA; trim is taken and ignored.
FLAGS = 1 | 1 << 2 | 1 << 3 | 1 << 5
READ, WRITE, DISCONNECT, FLUSH, TRIM = range(5)
FUA = 1


def take(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def negotiate(connection: socket.socket, size: int):
    connection.sendall(b"NBDMAGIC" + struct.pack(">QH", OPTION_MAGIC, 3))
    take(connection, 4)
    while True:
        _, option, length = struct.unpack(">QII", take(connection, 16))
        take(connection, length)

        def reply(kind: int, data: bytes = b""):
            head = struct.pack(">QIII", REPLY_MAGIC, option, kind, len(data))
            connection.sendall(head + data)

        if option == EXPORT_NAME:
            connection.sendall(struct.pack(">QH", size, FLAGS))
            return
        if option in (INFO, GO):
            reply(INFORMATION, struct.pack(">HQH", 0, size, FLAGS))
            reply(ACK)
            if option == GO:
                return
        elif option == ABORT:
            raise EOFError
        else:
            reply(UNSUPPORTED)


def serve(connection: socket.socket, file: int, drive: drives.Drive):
    while True:
        head = take(connection, 28)
        magic, flags, kind, handle, offset, size = struct.unpack(">IHHQQI", head)
        assert magic == REQUEST_MAGIC, f"no request: {magic:x}"
        data = b""
        if kind == READ:
            drive.read(offset, size)
            data = os.pread(file, size, offset)
        elif kind == WRITE:
            os.pwrite(file, take(connection, size), offset)
            drive.write(offset, size)
        elif kind == DISCONNECT:
            return
        if kind == FLUSH or flags & FUA:
            drive.flush()
        connection.sendall(struct.pack(">IIQ", SIMPLE_MAGIC, 0, handle) + data)


def main():
    path, backing, name = sys.argv[1:]
    file = os.open(backing, os.O_RDWR)
    size = os.fstat(file).st_size
    drive = drives.make(name, size)

    def report(*_):
        counted = {key: getattr(drive, key) for key in ("written_bytes", "flash_bytes", "flushes")}
        print(json.dumps(counted), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, report)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(1)
        while True:
            connection, _ = listening.accept()
            try:
                negotiate(connection, size)
                serve(connection, file, drive)
            except (EOFError, ConnectionError):
                pass
            finally:
                connection.close()


if __name__ == "__main__":
    main()
