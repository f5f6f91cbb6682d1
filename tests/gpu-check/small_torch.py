"""Two streams, an event between them, and copies: what a capture of PyTorch has to show. With a file's name it profiles
itself to it."""

import sys

import torch


def work():
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    ready = torch.cuda.Event()
    host = torch.ones(1 << 20).pin_memory()
    for _ in range(20):
        with torch.cuda.stream(first):
            x = host.to("cuda", non_blocking=True)
            y = x * 2
            ready.record(first)
        second.wait_event(ready)
        with torch.cuda.stream(second):
            y.record_stream(second)
            z = (y + 1).sum()
        second.synchronize()
    print("sum", z.item())


if len(sys.argv) > 1:
    from torch.profiler import ProfilerActivity, profile
    from torch._C._profiler import _ExperimentalConfig

    work()
    options = _ExperimentalConfig(enable_cuda_sync_events=True)
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities, experimental_config=options) as found:
        work()
    found.export_chrome_trace(sys.argv[1])
else:
    work()
