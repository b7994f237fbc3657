/* A flash drive of known mechanism.
 *
 * Page mapped: host writes go to the pages of open blocks, whatever their address (`streams` open
 * blocks, chosen by the address that continues one). When free blocks run out, the closed block
 * with the fewest valid sectors is copied and erased (greedy). A part of the map is in memory: a
 * request outside of it reads a page of the map, and a changed page that has to go is programmed
 * (DFTL: Gupta et al., ASPLOS 2009). A page that is not full when the host flushes is programmed as
 * it is. With `slc`, pages go to fast cells first and are programmed again when the drive rests, or
 * at once when those are full.
 *
 * Unit mapped (`units`): units are written in order and few are open; a write that does not
 * continue one copies what lies before it, and closing a unit copies the rest (A. Bergmann,
 * "Optimizing Linux with cheap flash drives", LWN 428584, and flashbench).
 *
 * Not in it: wear levelling, errors, parallel chips (a page is what all of them program at once),
 * reads and writes at the same time, collection while the drive rests.
 */
#include "flash.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct counters counted;
static struct design d;
static double cost, programming; /* `programming`: the part in which host pages are programmed */

static double most(double a, double b) { return a > b ? a : b; }

static double least(double a, double b) { return a < b ? a : b; }

static void *array(uint64_t count, size_t each, int byte)
{
    void *made = malloc(count * each);
    if (!made)
        abort();
    return memset(made, byte, count * each);
}

/* ---- fast cells ---- */

static double in_slc;

static void fold(double pages)
{
    double moved = least(pages * d.page, in_slc);
    in_slc -= moved;
    counted.flash_bytes += moved;
    counted.copied_bytes += moved;
}

void model_rest(double idle) { fold(idle / d.program); }

/* ---- pages and blocks ---- */

enum { FREE, OPEN, CLOSED };
struct head { /* where a block that is open continues */
    uint32_t block, next, pending; /* `pending`: sectors of its last page, not yet programmed */
    uint64_t end, seen;            /* the address after the last one; when it was written to */
};
static uint32_t page_sectors, block_sectors, blocks, free_blocks, next_free;
static uint32_t *map, *owner, *valid; /* sector to slot; slot to sector; valid slots of a block */
static uint8_t *state;
static struct head *heads, collected;
static uint64_t now;

static void programmed(bool is_host)
{
    counted.flash_bytes += d.page;
    double takes = is_host && d.slc > 0 ? d.slc_program : d.program;
    cost += takes;
    if (is_host)
        programming += takes;
    if (!is_host || d.slc == 0)
        return;
    in_slc += d.page;
    if (in_slc > d.slc) {
        cost += d.program;
        fold(1);
    }
}

static void pad(struct head *head, bool is_host)
{
    if (head->pending == 0)
        return;
    head->next += page_sectors - head->pending;
    head->pending = 0;
    programmed(is_host);
}

static void touch(uint64_t sector, bool is_change);

static void collect(void);

static void open_block(struct head *head)
{
    if (head->block != NONE)
        state[head->block] = CLOSED;
    while (state[next_free] != FREE)
        next_free = (next_free + 1) % blocks;
    head->block = next_free;
    state[next_free] = OPEN;
    free_blocks--;
    head->next = 0;
}

static void place(uint32_t sector, struct head *head)
{
    bool is_host = head != &collected;
    if (head->block == NONE || head->next == block_sectors) {
        while (is_host && free_blocks < 3)
            collect();
        open_block(head);
    }
    if (map[sector] != NONE) {
        valid[map[sector] / block_sectors]--;
        owner[map[sector]] = NONE;
    }
    map[sector] = head->block * block_sectors + head->next++;
    owner[map[sector]] = sector;
    valid[head->block]++;
    if (++head->pending == page_sectors) {
        head->pending = 0;
        programmed(is_host);
    }
}

static void collect(void)
{
    uint32_t victim = NONE;
    for (uint32_t block = 0; block < blocks; block++)
        if (state[block] == CLOSED && (victim == NONE || valid[block] < valid[victim]))
            victim = block;
    uint32_t last_page = NONE, slot = victim * block_sectors;
    for (uint32_t end = slot + block_sectors; slot < end && valid[victim] > 0; slot++) {
        if (owner[slot] == NONE)
            continue;
        if (slot / page_sectors != last_page)
            cost += d.read;
        last_page = slot / page_sectors;
        counted.copied_bytes += SECTOR;
        touch(owner[slot], true);
        place(owner[slot], &collected);
    }
    state[victim] = FREE;
    free_blocks++;
    cost += d.erase;
    counted.erases++;
}

/* The open block that this write continues, otherwise the one that waited longest. */
static struct head *head_for(uint64_t offset)
{
    struct head *oldest = heads;
    for (struct head *head = heads; head < heads + (int)d.streams; head++) {
        if (head->end == offset)
            return head;
        if (head->seen < oldest->seen)
            oldest = head;
    }
    return oldest;
}

/* ---- the map ---- */

/* A list by last use. */
static uint32_t *newer, *older, newest, oldest, in_memory, fit_in_memory;
static uint8_t *is_loaded, *is_changed;

static void unlink_page(uint32_t page)
{
    *(newer[page] == NONE ? &newest : &older[newer[page]]) = older[page];
    *(older[page] == NONE ? &oldest : &newer[older[page]]) = newer[page];
}

static void touch(uint64_t sector, bool is_change)
{
    uint32_t page = sector / (MAPPED / SECTOR);
    if (d.map == 0)
        return;
    if (is_loaded[page]) {
        unlink_page(page);
    } else {
        cost += d.read;
        counted.map_reads++;
        if (in_memory == fit_in_memory) {
            uint32_t gone = oldest;
            unlink_page(gone);
            is_loaded[gone] = false;
            if (is_changed[gone]) {
                cost += d.map_program;
                counted.flash_bytes += MAP_WRITE;
                counted.map_writes++;
            }
        } else {
            in_memory++;
        }
        is_loaded[page] = true;
        is_changed[page] = false;
    }
    is_changed[page] |= is_change;
    older[page] = newest;
    newer[page] = NONE;
    *(newest == NONE ? &oldest : &newer[newest]) = page;
    newest = page;
}

/* ---- units ---- */

struct unit {
    uint64_t number, position, seen;
};
static struct unit *open_units;

static void copy(double bytes)
{
    cost += bytes / d.page * (d.read + d.program);
    counted.flash_bytes += bytes;
    counted.copied_bytes += bytes;
}

static void write_unit(uint64_t number, uint64_t at, uint64_t size)
{
    struct unit *unit = open_units, *end = open_units + (int)d.units;
    for (struct unit *other = unit; other < end; other++) {
        if (other->number == number) {
            unit = other;
            break;
        }
        if (other->seen < unit->seen)
            unit = other;
    }
    if (unit->number == number && at >= unit->position) {
        copy(at - unit->position);
    } else {
        if (unit->number != UINT64_MAX) {
            copy(d.block - unit->position);
            cost += d.erase;
            counted.erases++;
        }
        copy(at);
    }
    *unit = (struct unit){number, at + size, now};
    /* A part of a page is programmed as a page. */
    double pages = most(1, size / d.page);
    cost += pages * d.program;
    counted.flash_bytes += pages * d.page;
}

/* ---- requests ---- */

double model_read(uint64_t offset, uint64_t size)
{
    cost = d.request + size / d.bus;
    counted.host_read_bytes += size;
    uint32_t last_page = NONE;
    for (uint64_t sector = offset / SECTOR; sector * SECTOR < offset + size; sector++) {
        touch(sector, false);
        uint32_t slot = d.units > 0 ? sector : map[sector];
        if (slot != NONE && slot / page_sectors != last_page) {
            last_page = slot / page_sectors;
            cost += d.read;
        }
    }
    return cost;
}

double model_write(uint64_t offset, uint64_t size)
{
    double transfer = size / d.bus;
    cost = d.request + transfer;
    programming = 0;
    counted.host_written_bytes += size;
    now++;
    if (d.units > 0) {
        for (uint64_t at = offset, end = offset + size, part; at < end; at += part) {
            uint64_t unit = d.block, in = at % unit;
            part = end - at < unit - in ? end - at : unit - in;
            write_unit(at / unit, in, part);
        }
        return cost;
    }
    struct head *head = head_for(offset);
    for (uint64_t sector = offset / SECTOR; sector * SECTOR < offset + size; sector++) {
        bool is_whole = sector * SECTOR >= offset && (sector + 1) * SECTOR <= offset + size;
        if (!is_whole && map[sector] != NONE)
            cost += d.read;
        touch(sector, true);
        place(sector, head);
    }
    head->end = offset + size;
    head->seen = now;
    /* The next page comes over the bus while one is programmed. */
    return cost - least(transfer, programming);
}

double model_flush(void)
{
    cost = d.flush;
    counted.flushes++;
    if (d.units == 0)
        for (struct head *head = heads; head < heads + (int)d.streams; head++)
            pad(head, true);
    return cost;
}

void model_trim(uint64_t offset, uint64_t size)
{
    uint64_t sector = (offset + SECTOR - 1) / SECTOR;
    for (; d.units == 0 && (sector + 1) * SECTOR <= offset + size; sector++) {
        if (map[sector] == NONE)
            continue;
        valid[map[sector] / block_sectors]--;
        owner[map[sector]] = NONE;
        map[sector] = NONE;
    }
}

/* ---- */

/* Written in order once, then at random (xorshift64, always the same) so many times its size. */
static void use(double times)
{
    uint64_t sectors = d.size / SECTOR, random = 88172645463325252ull;
    struct design real = d;
    d.map = d.slc = 0;
    for (uint64_t sector = 0; times > 0 && sector < sectors; sector++)
        place(sector, heads);
    for (uint64_t n = 0; n < times * sectors; n++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        place(random % sectors, heads);
    }
    d = real;
    memset(&counted, 0, sizeof counted);
}

void model_make(struct design design)
{
    d = design;
    uint64_t sectors = d.size / SECTOR;
    page_sectors = d.page / SECTOR;
    block_sectors = d.block / SECTOR;
    /* The spare ones, and those that are open. */
    blocks = sectors * (1 + d.spare / 100) / block_sectors + d.streams + 4;
    free_blocks = blocks;
    map = array(sectors, sizeof *map, 255);
    owner = array((uint64_t)blocks * block_sectors, sizeof *owner, 255);
    valid = array(blocks, sizeof *valid, 0);
    state = array(blocks, 1, FREE);
    heads = array(d.streams, sizeof *heads, 0);
    for (int n = 0; n < d.streams; n++)
        heads[n].block = NONE;
    collected.block = NONE;
    uint32_t map_pages = sectors / (MAPPED / SECTOR) + 1;
    fit_in_memory = most(1, d.map / MAPPED);
    newer = array(map_pages, sizeof *newer, 255);
    older = array(map_pages, sizeof *older, 255);
    is_loaded = array(map_pages, 1, 0);
    is_changed = array(map_pages, 1, 0);
    newest = oldest = NONE;
    open_units = array(most(1, d.units), sizeof *open_units, 255);
    for (int n = 0; n < d.units; n++)
        open_units[n].seen = 0;
    use(d.used);
}
