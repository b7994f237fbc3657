"""What the kernel's dm-log-writes recorded of a disk, to make the disk as it was at any point.

The target logs a write once a flush that began after it has returned: the log up to a point is the
least that has survived a power cut there. Source:
Documentation/admin-guide/device-mapper/log-writes.rst and drivers/md/dm-log-writes.c."""

import struct
from pathlib import Path

MAGIC, VERSION = 0x006A_7366_7773_6872, 1
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
HEAD = struct.Struct("<4Q")


class Entry:
    """One entry, in bytes; `mark` is the text of a mark."""

    def __init__(self, offset, size, flags, data_at, mark):
        self.offset, self.size, self.flags = offset, size, flags
        self.data_at, self.mark = data_at, mark
        # Everything before such an entry has reached the disk: a point at which to look.
        self.is_point = bool(flags & (FLUSH | FUA)) or mark is not None


class Log:
    """A log on a disk whose content is the file at `path`: its entries in the order in which they
    reached the disk."""

    def __init__(self, path: Path):
        self._file = path.open("rb")
        magic, version, count, sector = HEAD.unpack(self._at(0, HEAD.size))
        sector &= 0xFFFF_FFFF
        assert (magic, version) == (MAGIC, VERSION), f"no log of dm-log-writes: {magic:x}"
        self.entries, at = [], sector
        for _ in range(count):
            start, sectors, flags, data = HEAD.unpack(self._at(at, HEAD.size))
            mark = None
            if flags & MARK:
                mark = self._at(at + HEAD.size, min(data, sector)).rstrip(b"\0").decode()
            entry = Entry(start * sector, sectors * sector, flags, at + sector, mark)
            self.entries.append(entry)
            at = entry.data_at + (0 if flags & DISCARD else entry.size)

    def _at(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count)

    def replay(self, entry: Entry, disk):
        """Does an entry to a disk, an open file. A disk may keep what was discarded."""
        if entry.size and not entry.flags & DISCARD:
            disk.seek(entry.offset)
            disk.write(self._at(entry.data_at, entry.size))
