/* An emulated flash drive: what it is made of, what it counts, and who asks it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define SECTOR 4096ull /* what the map knows: the unit of a page map's entry */
#define MAPPED (1024 * SECTOR) /* what one page of the map covers: 4 KiB of entries of 4 bytes */
#define MAP_WRITE 16384  /* what is programmed to change one: a page of one plane */

/* What a drive is made of. Times are in microseconds, sizes in bytes, 0 is "does not have it". */
struct design {
    uint64_t size;
    double page, block, spare;      /* programmed at once; erased at once; percent beyond `size` */
    double map;                     /* what the part of the map in memory covers; 0: all */
    double slc;                     /* cache of single-level cells */
    double streams;                 /* blocks that host writes go to at the same time */
    double units;                   /* open units of a drive that maps units of `block`, not pages */
    double read, program, slc_program, map_program, erase, request, flush;
    double bus;                     /* bytes a microsecond */
    double used;                    /* times its size it was overwritten before the test */
    double trim;                    /* whether it takes discards */
    double hurry;                   /* counts time and takes none */
};

struct counters {
    uint64_t host_written_bytes, host_read_bytes, flushes;
    uint64_t flash_bytes, copied_bytes, map_reads, map_writes, erases;
};

/* model.c. Each request returns what it takes, in microseconds. */
void model_make(struct design);
double model_read(uint64_t offset, uint64_t size);
double model_write(uint64_t offset, uint64_t size);
double model_flush(void);
void model_trim(uint64_t offset, uint64_t size);
void model_rest(double idle); /* nothing was asked for so long */
extern struct counters counted;

/* drive.c. A request on the content, done when the drive would have done it: 0 or an errno. */
#define LONGEST (32u << 20)
extern struct design design;
extern char *buffer; /* of LONGEST bytes */
int drive_read(void *into, uint64_t offset, uint32_t size);
int drive_write(const void *from, uint64_t offset, uint32_t size);
int drive_flush(void);
int drive_trim(uint64_t offset, uint64_t size);

/* fuse.c. It serves until the process is ended. */
void serve_fuse(const char *path);
