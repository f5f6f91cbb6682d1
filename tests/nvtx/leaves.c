/* A thread that calls ranges and ends; then the process ends without main's return. How many there were goes into a log before.
 *
 *     leaves LOG thread|quick
 */

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *call(void *unused) {
    for (int turn = 0; turn < 500; turn++) {
        nvtxRangePushA("turn");
        nvtxRangePop();
    }
    return unused;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    pthread_t thread;
    if (pthread_create(&thread, NULL, call, NULL)) return 3;
    pthread_join(thread, NULL);
    call(NULL);
    FILE *log = fopen(words[1], "w");
    if (!log) return 4;
    fprintf(log, "%d\n", 1000);
    if (fclose(log)) return 5;
    if (!strcmp(words[2], "quick")) quick_exit(0);
    pthread_exit(NULL);
}
