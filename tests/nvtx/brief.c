/* Threads that live for one range each, one after the other, for so many milliseconds; then it ends at once. How many there
 * were goes into a log.
 *
 *     brief LOG MILLISECONDS
 */

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *brief(void *unused) {
    nvtxRangePushA("brief");
    nvtxRangePop();
    return unused;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    long long end = now() + atoll(words[2]) * 1000000;
    int threads = 0;
    while (now() < end) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, brief, NULL)) return 3;
        pthread_join(thread, NULL);
        threads++;
    }
    FILE *log = fopen(words[1], "w");
    if (!log) return 4;
    fprintf(log, "%d\n", threads);
    return fclose(log) ? 5 : 0;
}
