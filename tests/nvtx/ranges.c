/* Calls NVTX in every way that Syncline records, and writes a plain log of it: what was called on which thread, between
 * which two readings of CLOCK_MONOTONIC.
 *
 * Usage: ranges LOG, or one of: ranges LOG after-exec, a process that began as another program; ranges LOG steps, ten ranges
 * of 20 ms one after the other; ranges LOG bench, which writes how many nanoseconds a million ranges took. With NEWEST it uses the extensions of the newest header, with VERSION_2
 * the library of version 2.
 *
 * A line of the log has fields between tabs: range, process, thread, name, domain, first and last moment of its start, first
 * and last of its end, the thread that ended it (0: nobody), and what it says besides. Of a mark both moments are the same.
 * Of a sample, the name is that of the counter, and its value is what it says besides. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#ifdef VERSION_2
#include <nvToolsExt.h>
#else
#include <nvtx3/nvToolsExt.h>
#endif
#ifdef NEWEST
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#endif

static FILE *out;
static nvtxDomainHandle_t io;
static nvtxStringHandle_t registered;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int thread_number(void) { return (int)syscall(SYS_gettid); }

typedef struct {
    const char *name, *domain, *more;
    uint64_t first, last;
    int thread;
} begun;

static void line(const char *sort, const begun *it, uint64_t first, uint64_t last, int ender, const char *more) {
    flockfile(out);
    fprintf(out, "%s\t%d\t%d\t%s\t%s\t%lu\t%lu\t%lu\t%lu\t%d\t%s%s\n", sort, getpid(), it->thread, it->name, it->domain,
            it->first, it->last, first, last, ender, it->more, more);
    fflush(out);
    funlockfile(out);
}

#define BEGIN(it, name_, domain_, more_, call)                                                                               \
    begun it = {name_, domain_, more_, now(), 0, thread_number()};                                                           \
    call;                                                                                                                    \
    it.last = now()
#define END(it, call)                                                                                                        \
    do {                                                                                                                     \
        uint64_t first = now();                                                                                              \
        call;                                                                                                                \
        line("range", &it, first, now(), thread_number(), "");                                                               \
    } while (0)
#define MARK(name, domain, more, call)                                                                                       \
    do {                                                                                                                     \
        BEGIN(marked, name, domain, more, call);                                                                               \
        line("mark", &marked, marked.first, marked.last, marked.thread, "");                                                               \
    } while (0)

static nvtxEventAttributes_t attributes(const char *text) {
    nvtxEventAttributes_t it;
    memset(&it, 0, sizeof it);
    it.version = NVTX_VERSION;
    it.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    it.messageType = NVTX_MESSAGE_TYPE_ASCII;
    it.message.ascii = text;
    return it;
}

static void attributed(void) {
    nvtxEventAttributes_t it = attributes("coloured");
    it.colorType = NVTX_COLOR_ARGB;
    it.color = 0xFF3366CC;
    it.category = 7;
    MARK("coloured", "", "color=#3366cc;category=loading", nvtxMarkEx(&it));
    it.color = 0x803366CC;
    it.category = 8;
    MARK("coloured", "io", "color=#803366cc;category=8;domain=io", nvtxDomainMarkEx(io, &it));
    it = attributes("payload");
    it.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    it.payload.llValue = -5;
    MARK("payload", "", "payload=-5", nvtxMarkEx(&it));
    it.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    it.payload.ullValue = 1ull << 40;
    MARK("payload", "", "payload=1099511627776", nvtxMarkEx(&it));
    it.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    it.payload.dValue = 0.25;
    MARK("payload", "", "payload=0.25", nvtxMarkEx(&it));
    it.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    it.payload.ullValue = 0;
    it.payload.iValue = -6;
    MARK("payload", "", "payload=-6", nvtxMarkEx(&it));
    it.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
    it.payload.uiValue = 6;
    MARK("payload", "", "payload=6", nvtxMarkEx(&it));
    it.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
    it.payload.fValue = 0.5f;
    MARK("payload", "", "payload=0.5", nvtxMarkEx(&it));
    it = attributes(NULL);
    it.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    it.message.registered = registered;
    BEGIN(push, "registered name", "io", "domain=io", nvtxDomainRangePushEx(io, &it));
    END(push, nvtxDomainRangePop(io));
}

/* What a program should not do. */
static void odd(void) {
    static char endless[10001], cut[4097];
    memset(endless, 'x', sizeof endless - 1);
    memset(cut, 'x', sizeof cut - 1);
    MARK(cut, "", "", nvtxMarkA(endless));
    MARK("range", "", "", nvtxMarkA(NULL));
    MARK("wide h\xC3\xA9", "", "", nvtxMarkW(L"wide h\u00e9"));
    MARK("broken \xEF\xBF\xBD", "", "", nvtxMarkA("broken \xFF"));
    nvtxEventAttributes_t it = attributes("never seen");
    it.size = 0;
    MARK("range", "", "", nvtxMarkEx(&it));
    it.size = 16;
    it.category = 9;
    MARK("range", "", "category=9", nvtxMarkEx(&it));
    MARK("range", "", "", nvtxMarkEx(NULL));
    it = attributes(NULL);
    it.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    it.message.registered = (nvtxStringHandle_t)(uintptr_t)777777;
    MARK("range", "", "", nvtxMarkEx(&it));
    nvtxRangePop();
    nvtxRangeEnd(999999999);
}

static nvtxRangeId_t handed;
static begun handed_range;

static void *work(void *argument) {
    char name[32];
    snprintf(name, sizeof name, "worker %s", (const char *)argument);
#ifdef VERSION_2
    nvtxNameOsThread((uint32_t)thread_number(), name);
#else
    nvtxNameOsThreadA((uint32_t)thread_number(), name);
#endif
    for (int i = 0; i < 50; ++i) {
        BEGIN(outer, "outer", "", "", nvtxRangePushA("outer"));
        nvtxEventAttributes_t it = attributes("crossing");
        BEGIN(crossing, "crossing", "io", "domain=io", nvtxDomainRangePushEx(io, &it));
        BEGIN(inner, "inner", "", "", nvtxRangePushA("inner"));
        BEGIN(inmost, "inmost", "", "", nvtxRangePushW(L"inmost"));
        END(inmost, nvtxRangePop());
        END(inner, nvtxRangePop());
        END(outer, nvtxRangePop());
        END(crossing, nvtxDomainRangePop(io));
    }
    if (argument && !strcmp(argument, "A")) {
        BEGIN(it, "handed over", "", "", handed = nvtxRangeStartA("handed over"));
        handed_range = it;
    }
    BEGIN(left, "left open", "", "", nvtxRangePushA("left open"));
    uint64_t at = now();
    line("open", &left, at, at, 0, "");
    return NULL;
}

static begun late;

/* Runs after what the recorder has run at the exit, since it is registered before. */
static void at_exit(void) {
    if (late.name) END(late, nvtxRangePop());
}

#ifdef NEWEST
typedef struct {
    uint8_t small;
    int32_t rows[3];
    double share;
    const char *label;
    uint32_t way;
} batch;

static void extended(void) {
    nvtxPayloadEnum_t names[] = {{"forward", 1, 1}, {"backward", 2, 1}};
    nvtxPayloadEnumAttr_t enumeration = {0};
    enumeration.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
    enumeration.entries = names;
    enumeration.numEntries = 2;
    enumeration.sizeOfEnum = 4;
    uint64_t way = nvtxPayloadEnumRegister(io, &enumeration);
    nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "small"},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "rows", NULL, 3},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "share"},
        {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "label"},
        {0, way, "way"},
    };
    nvtxPayloadSchemaAttr_t schema = {0};
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 5;
    schema.payloadStaticSize = sizeof(batch);
    uint64_t number = nvtxPayloadSchemaRegister(io, &schema);
    batch it = {9, {1, -2, 3}, 0.125, "first half", 3};
    nvtxPayloadData_t data = {number, sizeof it, &it};
    nvtxEventAttributes_t plain = attributes("batch");
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(plain, &data, 1);
    MARK("batch", "io", "domain=io;small=9;rows=[1, -2, 3];share=0.125;label=first half;way=forward | backward",
         nvtxDomainMarkEx(io, &plain));
    const char *text = "told by a payload";
    nvtxPayloadSchemaEntry_t message[] = {
        {NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "m"}};
    schema.entries = message;
    schema.numEntries = 1;
    schema.payloadStaticSize = sizeof text;
    uint64_t named = nvtxPayloadSchemaRegister(io, &schema);
    nvtxPayloadData_t told = {named, sizeof text, &text};
    int32_t count = 12;
    nvtxPayloadData_t ended = {NVTX_PAYLOAD_ENTRY_TYPE_INT32, sizeof count, &count};
    BEGIN(range, text, "io", "domain=io;payload=12", nvtxRangePushPayload(io, &told, 1));
    END(range, nvtxRangePopPayload(io, &ended, 1));
    nvtxPayloadData_t unknown = {1 << 25, sizeof it, &it};
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(plain, &unknown, 1);
    MARK("batch", "io", "domain=io", nvtxDomainMarkEx(io, &plain));
}

static void sampled(void) {
    nvtxSemanticsCounter_t unit = {{sizeof unit, NVTX_SEMANTIC_ID_COUNTERS_V1, NVTX_COUNTER_SEMANTIC_VERSION, NULL}};
    unit.unit = "rows";
    nvtxCounterAttr_t counter = {sizeof counter, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "queue", NULL, NVTX_SCOPE_NONE, &unit.header, 0};
    uint64_t queue = nvtxCounterRegister(io, &counter);
    char value[32];
    for (int i = 0; i < 10; ++i) {
        snprintf(value, sizeof value, "value=%d", i * i - 3);
        BEGIN(it, "queue", "io", value, nvtxCounterSampleInt64(io, queue, i * i - 3));
        line("sample", &it, it.first, it.last, it.thread, "");
    }
    nvtxPayloadSchemaEntry_t entries[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "used"}, {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "share"}};
    nvtxPayloadSchemaAttr_t schema = {0};
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 2;
    nvtxCounterAttr_t group = {sizeof group, nvtxPayloadSchemaRegister(io, &schema), "pool", NULL, NVTX_SCOPE_NONE, NULL, 0};
    uint64_t pool = nvtxCounterRegister(io, &group);
    struct { uint32_t used; double share; } both = {40, 0.75};
    BEGIN(it, "pool: used", "io", "value=40", nvtxCounterSample(io, pool, &both, sizeof both));
    line("sample", &it, it.first, it.last, it.thread, "");
    it.name = "pool: share";
    it.more = "value=0.75";
    line("sample", &it, it.first, it.last, it.thread, "");
    nvtxCounterSampleInt64(io, 12345, 1);
}
#endif

int main(int count, char **words) {
    out = fopen(words[1], "a");
    if (!out) return 2;
    if (count == 3 && !strcmp(words[2], "bench")) {
        uint64_t began = now();
        for (int i = 0; i < 1000000; ++i) {
            nvtxRangePushA("forward pass");
            nvtxRangePop();
        }
        fprintf(out, "%lu\n", now() - began);
        return 0;
    }
    if (count == 3 && !strcmp(words[2], "steps")) {
        for (int i = 0; i < 10; ++i) {
            BEGIN(step, "step", "", "", nvtxRangePushA("step"));
            BEGIN(part, "part", "", "", nvtxRangePushA("part"));
            MARK("mark", "", "", nvtxMarkA("mark"));
            usleep(20000);
            END(part, nvtxRangePop());
            END(step, nvtxRangePop());
        }
        return 0;
    }
    atexit(at_exit);
    io = nvtxDomainCreateA("io");
    registered = nvtxDomainRegisterStringA(io, "registered name");
    nvtxNameCategoryA(7, "loading");
    if (count > 2) {
        BEGIN(it, "after exec", "", "", nvtxRangePushA("after exec"));
        END(it, nvtxRangePop());
        return 0;
    }
    attributed();
    odd();
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, "A");
    pthread_create(&threads[1], NULL, work, "B");
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    END(handed_range, nvtxRangeEnd(handed));
#ifdef NEWEST
    extended();
    sampled();
#endif
    BEGIN(before, "around the fork", "", "", nvtxRangePushA("around the fork"));
    pid_t child = fork();
    if (child == 0) {
        nvtxEventAttributes_t it = attributes(NULL);
        it.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        it.message.registered = registered;
        BEGIN(range, "registered name", "io", "domain=io", nvtxDomainRangePushEx(io, &it));
        END(range, nvtxDomainRangePop(io));
        exit(0);
    }
    waitpid(child, NULL, 0);
    END(before, nvtxRangePop());
    child = fork();
    if (child == 0) {
        execl(words[0], words[0], words[1], "after-exec", NULL);
        _exit(9);
    }
    waitpid(child, NULL, 0);
    BEGIN(never, "never ended", "", "", nvtxRangeStartA("never ended"));
    uint64_t at = now();
    line("open", &never, at, at, 0, "");
    BEGIN(it, "ended at exit", "", "", nvtxRangePushA("ended at exit"));
    late = it;
    return 0;
}
