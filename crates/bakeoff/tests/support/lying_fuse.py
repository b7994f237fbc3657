"""A filesystem in user space that keeps everything in its own memory: python3 FILE BACKING AT.

Writes and flushes go through to the backing directory; reads are answered from memory, and no page
cache or device counter of the kernel can show it. Uses fusepy (Debian: python3-fusepy).
"""

import os
import sys

from fusepy import FUSE, Operations


class Lying(Operations):
    def __init__(self, backing):
        self.backing = backing
        self.known = {}

    def path(self, name):
        return self.backing + name

    def getattr(self, name, handle=None):
        found = os.lstat(self.path(name))
        keys = ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime", "st_mtime")
        return {key: getattr(found, key) for key in keys}

    def readdir(self, name, handle):
        return [".", "..", *os.listdir(self.path(name))]

    def mkdir(self, name, mode):
        os.mkdir(self.path(name), mode)

    def rmdir(self, name):
        os.rmdir(self.path(name))

    def chmod(self, name, mode):
        os.chmod(self.path(name), mode)

    def chown(self, name, uid, gid):
        os.chown(self.path(name), uid, gid)

    def unlink(self, name):
        self.known.pop(name, None)
        os.unlink(self.path(name))

    def rename(self, old, new):
        if old in self.known:
            self.known[new] = self.known.pop(old)
        os.rename(self.path(old), self.path(new))

    def create(self, name, mode, info=None):
        self.known[name] = bytearray()
        return os.open(self.path(name), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def open(self, name, flags):
        return os.open(self.path(name), os.O_RDWR)

    def truncate(self, name, length, handle=None):
        data = self.known.setdefault(name, bytearray())
        del data[length:]
        data.extend(bytes(length - len(data)))
        os.truncate(self.path(name), length)

    def write(self, name, data, offset, handle):
        own = self.known.setdefault(name, bytearray())
        own.extend(bytes(max(0, offset + len(data) - len(own))))
        own[offset : offset + len(data)] = data
        return os.pwrite(handle, data, offset)

    def read(self, name, size, offset, handle):
        if name not in self.known:
            return os.pread(handle, size, offset)
        return bytes(self.known[name][offset : offset + size])

    def fsync(self, name, datasync, handle):
        os.fsync(handle)

    def release(self, name, handle):
        os.close(handle)

    def statfs(self, name):
        found = os.statvfs(self.path(name))
        keys = ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree")
        return {key: getattr(found, key) for key in keys}


if __name__ == "__main__":
    FUSE(Lying(sys.argv[1]), sys.argv[2], foreground=False, nothreads=True, big_writes=True)
