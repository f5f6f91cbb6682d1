/* Works and rests on three threads in turns, each within a range of NVTX, and writes a plain log of it: a line for each range with
 * the system's number of its thread, its name, the readings of CLOCK_MONOTONIC right after its start and right before its end, and
 * how long the thread had a core between them, as the system counts it. A last line for each thread is called "total" and has what
 * getrusage counts from its first range to its last.
 *
 * Usage: threads LOG */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static FILE *out;

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t used(void) {
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    uint64_t micros = (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000u + micros * 1000u;
}

static void line(const char *name, uint64_t start, uint64_t end, uint64_t ran) {
    fprintf(out, "%ld\t%s\t%lu\t%lu\t%lu\n", syscall(SYS_gettid), name, start, end, ran);
}

static void *turns(void *unused) {
    uint64_t first = 0, last = 0, before = 0;
    for (int turn = 0; turn < 24; ++turn) {
        const char *name = turn % 2 ? "rest" : "work";
        nvtxRangePushA(name);
        uint64_t start = read_clock(CLOCK_MONOTONIC), ran = read_clock(CLOCK_THREAD_CPUTIME_ID);
        if (!first) {
            first = start;
            before = used();
        }
        if (turn % 2)
            usleep(15000);
        else
            while (read_clock(CLOCK_MONOTONIC) - start < 15000000) {
            }
        ran = read_clock(CLOCK_THREAD_CPUTIME_ID) - ran;
        last = read_clock(CLOCK_MONOTONIC);
        nvtxRangePop();
        line(name, start, last, ran);
    }
    line("total", first, last, used() - before);
    return unused;
}

int main(int count, char **words) {
    out = count > 1 ? fopen(words[1], "a") : NULL;
    if (!out) return 2;
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, turns, NULL);
    turns(NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    fclose(out);
    return 0;
}
