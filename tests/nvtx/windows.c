/* Calls NVTX until a file is there, and writes a plain log of it: a line for each range with its name and the readings of
 * CLOCK_MONOTONIC right before its start and right after its end.
 *
 * Usage: windows LOG STOP [fast|chosen]. Steps are called "step 0", "step 1" and so on, last about 3 ms, and have a mark each, which is
 * called "mark 0" and so on. "outer" is pushed around all of them, "whole" is started before them and ended after, and "aside" is
 * pushed by a thread that calls nothing else meanwhile. With "fast" steps are not logged and follow each other without a pause. With "chosen" that thread pushes
 * "chosen" for 60 ms after 700 ms, and logs as "within chosen" the readings right after its start and right before its end. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static FILE *out;
static const char *stop;
static int chooses;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void line(const char *name, uint64_t start, uint64_t end) {
    flockfile(out);
    fprintf(out, "%s\t%lu\t%lu\n", name, start, end);
    fflush(out);
    funlockfile(out);
}

static void *aside(void *unused) {
    uint64_t start = now();
    nvtxRangePushA("aside");
    if (chooses) {
        usleep(700000);
        uint64_t before = now();
        nvtxRangePushA("chosen");
        uint64_t pushed = now();
        usleep(60000);
        uint64_t pops = now();
        nvtxRangePop();
        line("chosen", before, now());
        line("within chosen", pushed, pops);
    }
    while (access(stop, F_OK)) usleep(1000);
    nvtxRangePop();
    line("aside", start, now());
    return unused;
}

int main(int count, char **words) {
    int fast = count > 3 && !strcmp(words[3], "fast");
    chooses = count > 3 && !strcmp(words[3], "chosen");
    out = fopen(words[1], "a");
    stop = words[2];
    if (!out) return 2;
    uint64_t start = now();
    nvtxRangePushA("outer");
    nvtxRangeId_t whole = nvtxRangeStartA("whole");
    pthread_t thread;
    pthread_create(&thread, NULL, aside, NULL);
    char step[32], mark[32];
    for (long i = 0; fast ? i % 1000 || access(stop, F_OK) : access(stop, F_OK); ++i) {
        snprintf(step, sizeof step, "step %ld", i);
        uint64_t began = now();
        nvtxRangePushA(step);
        if (!fast) {
            snprintf(mark, sizeof mark, "mark %ld", i);
            uint64_t marked = now();
            nvtxMarkA(mark);
            line(mark, marked, now());
            usleep(3000);
        }
        nvtxRangePop();
        if (!fast) line(step, began, now());
    }
    pthread_join(thread, NULL);
    nvtxRangeEnd(whole);
    line("whole", start, now());
    nvtxRangePop();
    line("outer", start, now());
    return 0;
}
