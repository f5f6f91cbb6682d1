#!/usr/bin/env python3
"""Says what allocators had at twenty moments, by a reading that shares no code with Syncline:

    python3 tests/oracle/memory.py FILE

FILE is a trace of PyTorch's profiler (Kineto), packed or not; a run of Syncline in the Chrome format; or a database of Ascend's
profiler (`.db`). It prints a list of JSON with an object for each moment: `since`, in nanoseconds from the first event of an
allocator, and `pools`, which gives for each device the bytes allocated and, by operator, how many blocks were alive and with how
many bytes. An operator is the one that began last of those that are open on the thread when it asks."""

import bisect
import collections
import decimal
import gzip
import json
import sqlite3
import sys

TYPES = {0: "CPU", 1: "CUDA"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
RANGES = {"user_annotation", "nvtx", "Trace", "python_function"}
# When, its place in the file, the device, the bytes, which block, the total after it, who asked.
Event = collections.namedtuple("Event", "at order device bytes block total operator")


def nanos(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def document(path):
    opened = gzip.open(path, "rt", errors="replace") if path.endswith(".gz") else open(path, errors="replace")
    with opened as file:
        found = json.load(file, parse_float=decimal.Decimal)
    return found if isinstance(found, list) else found["traceEvents"]


def kineto(events):
    operators = collections.defaultdict(list)
    for event in events:
        category, name = event.get("cat", ""), str(event.get("name"))
        if event.get("ph") != "X" or category in CALLS | RANGES or name.startswith("ProfilerStep#"):
            continue
        start = nanos(event["ts"])
        operators[(event["pid"], event["tid"])].append((start, start + nanos(event.get("dur", 0)), name))
    for all_of_thread in operators.values():
        all_of_thread.sort(key=lambda it: (it[0], -it[1]))
    for order, event in enumerate(events):
        if event.get("name") != "[memory]":
            continue
        at, of = nanos(event["ts"]), event["args"]
        number = "" if of["Device Id"] < 0 else f" {of['Device Id']}"
        of_thread = operators[(event["pid"], event["tid"])]
        before = bisect.bisect_right(of_thread, (at, float("inf"), ""))
        before_it = (of_thread[place] for place in range(before - 1, -1, -1))
        around = (name for start, end, name in before_it if at < end)
        yield Event(at, order, TYPES[of["Device Type"]] + number, of["Bytes"], of.get("Addr"),
                    of.get("Total Allocated"), next(around, ""))


def own_run(events):
    for order, event in enumerate(events):
        if event.get("cat") not in ("allocate", "free") or event.get("ph") != "X":
            continue
        is_free, of = event["cat"] == "free", event["args"]
        at = nanos(event["ts"]) + (0 if is_free else nanos(event.get("dur", 0)))
        yield Event(at, order, "", (-1 if is_free else 1) * abs(of["Bytes"]), of["Block"], None, event["name"])


def ascend(path):
    database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    texts = dict(database.execute("SELECT id, value FROM STRING_IDS"))
    rows = database.execute("SELECT name, size, allocationTime, releaseTime, activeReleaseTime, allocationTotalAllocated,"
                            " releaseTotalAllocated, streamPtr FROM OP_MEMORY ORDER BY rowid")
    called = set()
    for order, (name, size, start, released, inactive, total, total_after, stream) in enumerate(rows):
        allocator = "GE" if stream is None else "PTA"
        if allocator == "GE" and total_after is not None:
            # The table of this allocator's own calls (NPU_OP_MEM) shows it: what a release has as the total is that before it.
            total_after -= size
        # The table of totals (MEMORY_RECORD) is less by it from the first of both times on.
        end = min((it for it in (released, inactive) if it is not None), default=None)
        for at, bytes_, left in ((start, size, total), (end, -size, total_after)):
            if at is not None:
                called.add((allocator, at))
                yield Event(at, order, allocator, bytes_, order, left, texts[name])
    # What was allocated before and is freed stands in the table of totals alone.
    rows = database.execute("SELECT timestamp, totalAllocated FROM MEMORY_RECORD, STRING_IDS WHERE component = id"
                            " AND value = 'PTA' ORDER BY MEMORY_RECORD.rowid")
    last = None
    for order, (at, total) in enumerate(rows):
        if last is not None and total != last and ("PTA", at) not in called:
            yield Event(at, order, "PTA", total - last, None, total, None)
        last = total


def pools_at(events, moment):
    pools = {}
    for event in events:
        pool = pools.setdefault(event.device, {"before": None, "now": None, "sum": 0, "alive": {}, "gone": set()})
        if pool["before"] is None:
            pool["before"] = 0 if event.total is None else event.total - event.bytes
        if event.bytes < 0 and event.block is not None and event.at > moment:
            # Freed later, and never seen to be allocated: it was there all the time.
            if event.block not in pool["alive"] and event.block not in pool["gone"]:
                pool["alive"][event.block] = (None, -event.bytes)
        pool["gone"] |= {event.block} if event.at > moment else set()
        if event.at > moment:
            continue
        pool["sum"] += event.bytes
        pool["now"] = pool["sum"] if event.total is None else event.total
        if event.bytes < 0:
            pool["alive"].pop(event.block, None)
        elif event.block is not None:
            pool["alive"][event.block] = (event.operator, event.bytes)
    shown = {}
    for device, pool in pools.items():
        groups = collections.defaultdict(lambda: [0, 0])
        for operator, size in pool["alive"].values():
            groups["before" if operator is None else operator][0] += 1
            groups["before" if operator is None else operator][1] += size
        allocated = pool["before"] if pool["now"] is None else pool["now"]
        shown[device] = {"allocated": allocated, "alive": dict(groups)}
    return shown


def main():
    path = sys.argv[1]
    if path.endswith(".db"):
        events = list(ascend(path))
    else:
        read = document(path)
        is_kineto = any(it.get("name") == "[memory]" for it in read)
        events = list(kineto(read) if is_kineto else own_run(read))
    events.sort(key=lambda it: (it.at, it.order))
    first, last = events[0].at, events[-1].at
    # At events, and between them; the last one after all.
    places = [events[len(events) * step // 10].at for step in range(10)]
    between = [first + (last - first) * step // 9 + 1 for step in range(10)]
    found = [{"since": at - first, "pools": pools_at(events, at)} for at in sorted(places + between)]
    json.dump(found, sys.stdout)


main()
