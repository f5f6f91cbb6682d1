"""Calls NVTX by Python's package in every way that it has, and writes a plain log of it as ranges.c does.

    python3 tests/nvtx/ranges.py LOG

With NumPy it also gives payloads of several values, and counters.
"""

import os
import sys
import threading
import time

import nvtx

try:
    import numpy
except ImportError:
    numpy = None

LOG = open(sys.argv[1], "a", buffering=1, encoding="utf-8")
LOCK = threading.Lock()


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def line(sort, thread, name, domain, times, ender, more):
    words = ";".join(f"{key}={value}" for key, value in more.items())
    with LOCK:
        LOG.write("\t".join(map(str, [sort, os.getpid(), thread, name, domain, *times, ender, words])) + "\n")


def timed(call, *words, **named):
    first = now()
    answer = call(*words, **named)
    return answer, first, now()


def whole(name, domain, more, begin, end):
    """A range from a call to another on one thread."""
    thread = threading.get_native_id()
    answer, *start = timed(begin)
    time.sleep(0.0002)
    _, *stop = timed(end, answer) if answer is not None else timed(end)
    line("range", thread, name, domain or "", start + stop, thread, more)


def mark(name, domain, more, call):
    thread = threading.get_native_id()
    _, *times = timed(call)
    line("mark", thread, name, domain or "", times + times, thread, more)


COLOR = {"color": "#3366cc"}
BLUE = 0xFF3366CC


def work(number):
    for step in range(20):
        with_domain = {"domain": "loader"}
        whole(f"step {step}", None, {**COLOR, "payload": step},
              lambda: nvtx.push_range(f"step {step}", color=BLUE, payload=step), nvtx.pop_range)
        whole("load", "loader", {**with_domain, **COLOR, "category": "files", "payload": 0.5},
              lambda: nvtx.push_range("load", color=BLUE, domain="loader", category="files", payload=0.5),
              lambda: nvtx.pop_range(domain="loader"))
        whole("fetch", "loader", {**with_domain, **COLOR},
              lambda: nvtx.start_range("fetch", color=BLUE, domain="loader"), nvtx.end_range)
        mark("checkpoint", "loader", {**with_domain, **COLOR, "payload": number},
             lambda: nvtx.mark("checkpoint", color=BLUE, domain="loader", payload=number))


def annotated():
    @nvtx.annotate(color=BLUE)
    def decorated():
        time.sleep(0.0002)

    thread = threading.get_native_id()
    for _ in range(10):
        first = now()
        decorated()
        last = now()
        # The range lies within: both moments are between these.
        line("range", thread, "decorated", "", [first, last, first, last], thread, COLOR)


def handed():
    """A range that another thread ends."""
    begun, *start = timed(nvtx.start_range, "handed over", color=BLUE)
    own = threading.get_native_id()

    def end():
        _, *stop = timed(nvtx.end_range, begun)
        line("range", own, "handed over", "", start + stop, threading.get_native_id(), COLOR)

    other = threading.Thread(target=end)
    other.start()
    other.join()


def with_numpy():
    values = numpy.array([1, 2, 3], dtype=numpy.int32)
    mark("several", None, {**COLOR, "size": 3, "data": "[1, 2, 3]"}, lambda: nvtx.mark("several", color=BLUE, payload=values))
    row = numpy.array((7, 0.25), dtype=[("rows", numpy.uint16), ("share", numpy.float64)])
    mark("structured", None, {**COLOR, "rows": 7, "share": 0.25}, lambda: nvtx.mark("structured", color=BLUE, payload=row))


if __name__ == "__main__":
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    annotated()
    handed()
    if numpy is not None:
        with_numpy()
