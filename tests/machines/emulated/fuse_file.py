"""An emulated drive as a file `disk.img` on a FUSE mount, for a loop device of this machine:
`fuse_file.py MOUNT BACKING_FILE DRIVE`. Needs root and mfusepy of PyPI."""

import errno
import os
import stat
import sys
import threading
from pathlib import Path

import mfusepy

sys.path.insert(0, str(Path(__file__).parents[1]))

from emulated import drives


class File(mfusepy.Operations):
    use_ns = True

    def __init__(self, backing: str, name: str):
        self.file = os.open(backing, os.O_RDWR)
        self.size = os.fstat(self.file).st_size
        self.drive = drives.make(name, self.size)
        self.queue = threading.Lock()

    def getattr(self, path, fh=None):
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2}
        if path != "/disk.img":
            raise mfusepy.FuseOSError(errno.ENOENT)
        blocks = self.size // 512
        mode = stat.S_IFREG | 0o600
        return {"st_mode": mode, "st_nlink": 1, "st_size": self.size, "st_blocks": blocks}

    def readdir(self, path, fh):
        return [".", "..", "disk.img"]

    def open(self, path, flags):
        return 1

    def read(self, path, size, offset, fh):
        with self.queue:
            self.drive.read(offset, size)
        return os.pread(self.file, size, offset)

    def write(self, path, data, offset, fh):
        os.pwrite(self.file, data, offset)
        with self.queue:
            self.drive.write(offset, len(data))
        return len(data)

    def fsync(self, path, datasync, fh):
        with self.queue:
            self.drive.flush()
        return 0

    def statfs(self, path):
        return {"f_bsize": 4096, "f_blocks": self.size // 2048, "f_bavail": self.size // 4096}


if __name__ == "__main__":
    mount, backing, name = sys.argv[1:]
    options = {"direct_io": True, "allow_other": True, "max_write": 131072, "big_writes": True}
    mfusepy.FUSE(File(backing, name), mount, foreground=True, **options)
