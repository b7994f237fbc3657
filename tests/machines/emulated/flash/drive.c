/* An emulated flash drive: the model with content behind it, in the time that it takes.
 *
 *   flash fuse FILE BACKING_FILE NAME=NUMBER...     mount it over a file, by FUSE; needs root
 *   flash trace SIZE NAME=NUMBER...                 lines `w|r|t|f OFFSET SIZE` from stdin
 *
 * On SIGUSR1, and at its end, it prints what the drive counted as a line of JSON.
 */
#define _GNU_SOURCE
#include "flash.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *buffer;
static int content;
static double busy_until, spent;

/* A card of the middle class, four planes of TLC: 72 MB/s in order and some 700 synced random writes
 * a second. Plausible, and not that of a product. */
struct design design = {
    .page = 65536, .block = 4 << 20, .spare = 7, .streams = 1, .read = 90, .program = 900,
    .slc_program = 300, .map_program = 900, .erase = 5000, .request = 100, .flush = 200, .bus = 90,
};

static void set(const char *word)
{
    static const struct { const char *name; size_t at; } names[] = {
#define NUMBER(name) {#name, offsetof(struct design, name)}
        NUMBER(page), NUMBER(block), NUMBER(spare), NUMBER(map), NUMBER(slc), NUMBER(streams),
        NUMBER(units), NUMBER(read), NUMBER(program), NUMBER(slc_program),
        NUMBER(map_program), NUMBER(erase), NUMBER(request), NUMBER(flush), NUMBER(bus), NUMBER(used), NUMBER(trim),
        NUMBER(hurry),
    };
    const char *value = strchr(word, '=');
    for (size_t n = 0; value && n < sizeof names / sizeof *names; n++)
        if (strlen(names[n].name) == (size_t)(value - word) &&
            !strncmp(names[n].name, word, value - word)) {
            *(double *)((char *)&design + names[n].at) = atof(value + 1);
            return;
        }
    errx(2, "not a property of a drive: %s", word);
}

static void report(void)
{
    printf("{\"busy_us\": %.0f", spent);
#define COUNTER(name) printf(", \"" #name "\": %llu", (unsigned long long)counted.name)
    COUNTER(host_written_bytes);
    COUNTER(host_read_bytes);
    COUNTER(flushes);
    COUNTER(flash_bytes);
    COUNTER(copied_bytes);
    COUNTER(map_reads);
    COUNTER(map_writes);
    COUNTER(erases);
    puts("}");
    fflush(stdout);
}

/* A thread, since the drive may be busy. A counter may be one request behind another. */
static void *answer_signals(void *signals)
{
    for (int number; !sigwait(signals, &number);) {
        report();
        if (number == SIGTERM)
            _exit(0);
    }
    return NULL;
}

/* ---- requests: one begins when the one before it has ended ---- */

static void begin(void)
{
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = clock.tv_sec * 1e6 + clock.tv_nsec / 1e3;
    if (now > busy_until) {
        model_rest(now - busy_until);
        busy_until = now;
    }
}

static void spend(double us)
{
    spent += us;
    busy_until += us;
    if (design.hurry > 0)
        return;
    time_t seconds = busy_until / 1e6;
    struct timespec end = {seconds, (busy_until - seconds * 1e6) * 1e3};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

int drive_read(void *into, uint64_t offset, uint32_t size)
{
    begin();
    spend(model_read(offset, size));
    return pread(content, into, size, offset) == size ? 0 : EIO;
}

int drive_write(const void *from, uint64_t offset, uint32_t size)
{
    begin();
    spend(model_write(offset, size));
    return pwrite(content, from, size, offset) == size ? 0 : EIO;
}

int drive_flush(void)
{
    begin();
    spend(model_flush());
    return 0;
}

int drive_trim(uint64_t offset, uint64_t size)
{
    model_trim(offset, size);
    int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(content, how, offset, size) ? errno : 0;
}

static int trace(void)
{
    char kind;
    unsigned long long offset, size;
    while (scanf(" %c %llu %llu", &kind, &offset, &size) == 3) {
        if (kind == 't')
            model_trim(offset, size);
        else
            spent += kind == 'w' ? model_write(offset, size)
                   : kind == 'r' ? model_read(offset, size) : model_flush();
    }
    report();
    return 0;
}

int main(int count, char **words)
{
    bool is_trace = count > 2 && !strcmp(words[1], "trace");
    bool is_fuse = count > 3 && !strcmp(words[1], "fuse");
    if (!is_trace && !is_fuse)
        errx(2, "usage: flash trace SIZE|fuse FILE FILE NAME=NUMBER...");
    for (int n = is_trace ? 3 : 4; n < count; n++)
        set(words[n]);
    struct stat about = {0};
    content = is_trace ? -1 : open(words[3], O_RDWR | O_CLOEXEC);
    if (!is_trace && (content < 0 || fstat(content, &about)))
        err(1, "%s", words[3]);
    design.size = is_trace ? strtoull(words[2], NULL, 10) : (uint64_t)about.st_size;
    buffer = malloc(LONGEST);
    model_make(design);
    if (is_trace)
        return trace();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, answer_signals, &signals);
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    serve_fuse(words[2]);
    report();
}
