/* Names what CUDA has, in a program that uses the driver that is named in SYNCLINE_TEST_CUDA_STAND_IN.
 *
 * cuda.h is not needed but for four types, which NVTX's header wants to be called as there. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <nvtx3/nvToolsExtCuda.h>

#define FIND(name, ...)                                                                                                      \
    int (*name)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(driver, #name);                                                   \
    if (!name) return 3
#define DO(call)                                                                                                             \
    if (call) return 4

int main(void) {
    void *driver = dlopen(getenv("SYNCLINE_TEST_CUDA_STAND_IN"), RTLD_NOW);
    if (!driver) return 2;
    FIND(cuInit, unsigned);
    FIND(cuCtxCreate_v2, CUcontext *, unsigned, CUdevice);
    FIND(cuStreamCreateWithPriority, CUstream *, unsigned, int);
    FIND(cuEventCreate, CUevent *, unsigned);
    FIND(cuMemAlloc_v2, uint64_t *, size_t);
    FIND(cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, CUstream);
    FIND(cuStreamSynchronize, CUstream);
    CUcontext context;
    CUstream streams[2];
    CUevent event;
    uint64_t memory;
    static char bytes[4096];
    DO(cuInit(0));
    DO(cuCtxCreate_v2(&context, 0, 0));
    for (int i = 0; i < 2; ++i) DO(cuStreamCreateWithPriority(&streams[i], 1, 0));
    DO(cuEventCreate(&event, 2));
    DO(cuMemAlloc_v2(&memory, sizeof bytes));
    nvtxNameCuDeviceA(0, "the first");
    nvtxNameCuStreamA(streams[0], "copies");
    nvtxNameCuEventA(event, "half way");
    nvtxResourceAttributes_t resource = {NVTX_VERSION, NVTX_RESOURCE_ATTRIB_STRUCT_SIZE, NVTX_RESOURCE_TYPE_CUDA_STREAM};
    resource.identifier.pValue = streams[1];
    resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
    resource.message.ascii = "results";
    nvtxDomainResourceCreate(NULL, &resource);
    nvtxRangePushA("upload all");
    for (int i = 0; i < 2; ++i) {
        DO(cuMemcpyHtoDAsync_v2(memory, bytes, sizeof bytes, streams[i]));
        DO(cuStreamSynchronize(streams[i]));
    }
    nvtxRangePop();
    return 0;
}
