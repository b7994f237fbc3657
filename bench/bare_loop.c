/* The least a program can do: one pread or pwrite after the other, the clock once in 1024.
 * usage: bare_loop r|w FILE BLOCK_BYTES SIZE_BYTES SECONDS; prints I/Os and nanoseconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    long call = argv[1][0] == 'w' ? SYS_pwrite64 : SYS_pread64;
    size_t block = strtoull(argv[3], 0, 10);
    uint64_t size = strtoull(argv[4], 0, 10) / block * block;
    uint64_t limit = strtoull(argv[5], 0, 10) * 1000000000ull;
    int fd = open(argv[2], O_RDWR);
    void *memory = aligned_alloc(4096, 1 << 20);
    if (fd < 0 || !memory || block > 1 << 20)
        return 1;
    uint64_t start = now_ns(), ios = 0, at = 0, took;
    do {
        for (int i = 0; i < 1024; i++) {
            if (syscall(call, fd, memory, block, at) != (long)block)
                return 1;
            at = at + block == size ? 0 : at + block;
        }
        ios += 1024;
        took = now_ns() - start;
    } while (took < limit);
    printf("%llu %llu\n", (unsigned long long)ios, (unsigned long long)took);
    return 0;
}
