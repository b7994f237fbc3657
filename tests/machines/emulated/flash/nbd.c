/* The NBD protocol on a socket in the filesystem: one client, one request at a time, simple replies
 * (github.com/NetworkBlockDevice/nbd, doc/proto.md). */
#define _GNU_SOURCE
#include "flash.h"

#include <endian.h>
#include <err.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PACKED __attribute__((packed))
enum { READ, WRITE, DISCONNECT, FLUSH, TRIM, ZEROES = 6 };
enum { EXPORT_NAME = 1, ABORT, INFO = 6, GO };
#define FUA 1

static bool take(int client, void *into, size_t size)
{
    return size == 0 || recv(client, into, size, MSG_WAITALL) == (ssize_t)size;
}

static bool give(int client, const void *from, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(client, from, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        from = (const char *)from + sent;
        size -= sent;
    }
    return true;
}

static bool negotiate(int client)
{
    struct PACKED { uint64_t magic, option; uint16_t flags; } hello = {
        htobe64(0x4e42444d41474943ull), htobe64(0x49484156454F5054ull), htobe16(3)};
    uint32_t client_flags;
    if (!give(client, &hello, sizeof hello) || !take(client, &client_flags, 4))
        return false;
    /* Has flags, flush and FUA; discards and zeroes if it takes them. */
    uint16_t flags = 1 | 1 << 2 | 1 << 3 | (design.trim > 0 ? 1 << 5 | 1 << 6 : 0);
    for (;;) {
        struct PACKED { uint64_t magic; uint32_t option, length; } asked;
        if (!take(client, &asked, sizeof asked) || be32toh(asked.length) > LONGEST ||
            !take(client, buffer, be32toh(asked.length)))
            return false;
        struct PACKED {
            uint64_t magic;
            uint32_t option, kind, length;
            uint16_t type;
            uint64_t size;
            uint16_t flags;
        } reply = {htobe64(0x3E889045565A9ull), asked.option, 0, 0,
                   0, htobe64(design.size), htobe16(flags)};
        uint32_t option = be32toh(asked.option);
        if (option == EXPORT_NAME)
            return give(client, &reply.size, 10);
        if (option == ABORT)
            return false;
        bool is_known = option == INFO || option == GO;
        if (is_known) {
            reply.kind = htobe32(3);
            reply.length = htobe32(12);
            if (!give(client, &reply, sizeof reply))
                return false;
        }
        /* Acknowledged, or not supported. */
        reply.kind = htobe32(is_known ? 1 : 1u << 31 | 1);
        reply.length = 0;
        if (!give(client, &reply, 20))
            return false;
        if (option == GO)
            return true;
    }
}

static void serve(int client)
{
    struct PACKED {
        uint32_t magic;
        uint16_t flags, kind;
        uint64_t handle, offset;
        uint32_t size;
    } request;
    while (take(client, &request, sizeof request)) {
        uint64_t offset = be64toh(request.offset);
        uint32_t size = be32toh(request.size), kind = be16toh(request.kind);
        bool has_data = kind == READ || kind == WRITE;
        if (be32toh(request.magic) != 0x25609513 || (has_data && size > LONGEST) ||
            (kind == WRITE && !take(client, buffer, size)) || kind == DISCONNECT)
            return;
        int error = kind == READ    ? drive_read(buffer, offset, size)
                  : kind == WRITE   ? drive_write(buffer, offset, size)
                  : kind == FLUSH   ? drive_flush()
                                    : drive_trim(offset, size);
        if (!error && be16toh(request.flags) & FUA)
            error = drive_flush();
        struct PACKED { uint32_t magic, error; uint64_t handle; } reply = {
            htobe32(0x67446698), htobe32(error), request.handle};
        if (!give(client, &reply, sizeof reply) ||
            (kind == READ && !error && !give(client, buffer, size)))
            return;
    }
}

void serve_nbd(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening, (void *)&address, sizeof address) || listen(listening, 1))
        err(1, "%s", path);
    for (int client; (client = accept(listening, NULL, NULL)) >= 0; close(client))
        if (negotiate(client))
            serve(client);
}
