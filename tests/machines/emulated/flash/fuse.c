/* The drive as a file, for a loop device: FUSE's protocol on /dev/fuse, mounted over a file, which is
 * then all there is of the filesystem (linux/fuse.h; fuse(4)). One request at a time. */
#define _GNU_SOURCE
#include "flash.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGES 256 /* of 4 KiB in a request: 1 MiB */

static int fuse;

static void reply(uint64_t unique, int error, const void *data, size_t size)
{
    struct fuse_out_header head = {sizeof head + (error ? 0 : size), -error, unique};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)data, error ? 0 : size}};
    /* ENOENT: the request was interrupted. */
    if (writev(fuse, parts, 2) < 0 && errno != ENOENT)
        err(1, "/dev/fuse");
}

static void answer(struct fuse_in_header *in, void *body)
{
    struct fuse_write_in *io = body; /* fuse_read_in begins as it does */
    struct fuse_fallocate_in *hole = body;
    struct fuse_init_out init = {
        .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = PAGES * 4096,
        .flags = FUSE_BIG_WRITES | FUSE_MAX_PAGES | FUSE_ASYNC_READ, .max_background = 16,
        .congestion_threshold = 16, .max_write = PAGES * 4096, .max_pages = PAGES};
    struct fuse_attr_out attr = {
        .attr_valid = 1u << 30,
        .attr = {.ino = FUSE_ROOT_ID, .size = design.size, .blocks = design.size / 512,
                 .mode = S_IFREG | 0600, .nlink = 1, .blksize = 4096}};
    struct fuse_open_out opened = {.open_flags = FOPEN_DIRECT_IO};
    struct fuse_write_out written = {.size = io->size};
    uint64_t blocks = design.size / 4096;
    struct fuse_statfs_out space = {.st = {
        .blocks = 2 * blocks, .bfree = blocks, .bavail = blocks,
        .bsize = 4096, .frsize = 4096, .namelen = 255}};
    unsigned error = 0, keeps = FALLOC_FL_KEEP_SIZE;
    switch (in->opcode) {
    case FUSE_INIT:
        return reply(in->unique, 0, &init, sizeof init);
    case FUSE_GETATTR:
    case FUSE_SETATTR:
        return reply(in->unique, 0, &attr, sizeof attr);
    case FUSE_OPEN:
        return reply(in->unique, 0, &opened, sizeof opened);
    case FUSE_STATFS:
        return reply(in->unique, 0, &space, sizeof space);
    case FUSE_READ:
        error = drive_read(buffer, io->offset, io->size);
        return reply(in->unique, error, buffer, io->size);
    case FUSE_WRITE:
        error = drive_write(io + 1, io->offset, io->size);
        return reply(in->unique, error, &written, sizeof written);
    case FUSE_FSYNC:
        return reply(in->unique, drive_flush(), NULL, 0);
    case FUSE_FALLOCATE:
        error = design.trim > 0 && (hole->mode & keeps) == keeps
              ? drive_trim(hole->offset, hole->length) : EOPNOTSUPP;
        return reply(in->unique, error, NULL, 0);
    case FUSE_FLUSH:
    case FUSE_RELEASE:
        return reply(in->unique, 0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return;
    default:
        return reply(in->unique, ENOSYS, NULL, 0);
    }
}

void serve_fuse(const char *path)
{
    static char request[PAGES * 4096 + 8192];
    char options[128];
    fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(options, sizeof options, "fd=%d,rootmode=100000,user_id=0,group_id=0", fuse);
    if (fuse < 0 || mount("flash", path, "fuse", MS_NOSUID | MS_NODEV, options))
        err(1, "mounting over %s", path);
    for (;;) {
        ssize_t size = read(fuse, request, sizeof request);
        if (size < 0 && (errno == ENODEV || errno == ENOENT)) {
            if (errno == ENODEV)
                return; /* unmounted */
            continue;
        }
        if (size < (ssize_t)sizeof(struct fuse_in_header))
            err(1, "/dev/fuse");
        answer((void *)request, request + sizeof(struct fuse_in_header));
    }
}
