#!/usr/bin/env python3
"""Says what ranges of the host launched, and what called what, by a reading that shares no code with Syncline:

    python3 tests/oracle/host_ranges.py FILE [TREE…]

FILE is a trace of PyTorch's profiler (Kineto), packed or not. It prints one object of JSON; with names of trees only these:

    projections  a list for each range that launched something, in the file's order: name, level, start, duration, start of the
                 first operation, end of the last, busy time, operations, and how many of these only flows lead to
    trees        for each level, and for it from the bottom up ("level-up"), a list for each way of calls: the names, count, total,
                 self, device time, launches, bytes

Times are nanoseconds, those of projections from the first start among them. A range launched the operations whose call began
while it was open, on its thread, by the number that call and operation both bear; and those launched within a span that a flow
leads to from a span that began while it was open. A range lies in the one that began last of those on its thread and level that
hold it whole; of equal ones the file's first is the outer one."""

import bisect
import collections
import decimal
import gzip
import json
import sys

CALLS = {"cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "privateuse1_runtime", "privateuse1_driver"}
WORK = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
OTHER = {"gpu_user_annotation", "cuda_sync"}
LEVELS = ("nvtx", "python", "operators")
Span = collections.namedtuple("Span", "order name level start end")
Call = collections.namedtuple("Call", "order start operations")
Work = collections.namedtuple("Work", "start end bytes")


def nanos(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def level_of(event):
    category, name = event.get("cat", ""), event["name"]
    if category in CALLS or category in WORK or category in OTHER:
        return None
    if category in ("user_annotation", "nvtx", "Trace") or name.startswith("ProfilerStep#"):
        return "nvtx"
    return "python" if category == "python_function" else "operators"


def union(intervals):
    busy, last = 0, None
    for start, end in sorted(intervals):
        if last is None or start > last:
            busy, last = busy + end - start, end
        elif end > last:
            busy, last = busy + end - last, end
    return busy


class Thread:
    def __init__(self):
        self.spans, self.calls, self.around = [], [], []

    def close(self):
        self.spans.sort(key=lambda it: (it.start, -it.end, it.order))
        self.around.sort(key=lambda it: (it[0], -it[1], it[2]))
        self.calls = sorted(it for it in self.calls if it.operations)
        self.calls.sort(key=lambda it: (it.start, it.order))
        self.starts = [it.start for it in self.calls]

    def launched(self, start, end):
        return self.calls[bisect.bisect_left(self.starts, start):bisect.bisect_left(self.starts, end)]

    def at(self, time):
        """The span that a flow is at: the last to begin of those that are open."""
        touching = None
        for start, end, order in reversed(self.around[:bisect.bisect_right(self.around, (time, float("inf"), 0))]):
            if end > time or start == time:
                return start, end
            if end == time and touching is None:
                touching = start, end
        return touching


def read(path):
    opened = gzip.open(path, "rt", errors="replace") if path.endswith(".gz") else open(path, errors="replace")
    with opened as file:
        document = json.load(file, parse_float=str, parse_int=str)
    return document if isinstance(document, list) else document["traceEvents"]


def gather(events):
    threads, works, calls, points = collections.defaultdict(Thread), collections.defaultdict(list), {}, []
    for order, event in enumerate(events):
        phase, row = event.get("ph"), (event.get("pid"), event.get("tid"))
        if phase in ("s", "f"):
            if not event.get("cat", "").startswith(("ac2g", "async")):
                points.append((event["cat"], event["name"], event["id"], phase == "f", row, nanos(event["ts"])))
        if phase != "X":
            continue
        start = nanos(event["ts"])
        end = start + nanos(event.get("dur", 0))
        category, arguments = event.get("cat", ""), event.get("args", {})
        number = arguments.get("correlation")
        if category in WORK:
            works[number].append(Work(start, end, int(arguments.get("bytes", 0))))
            continue
        if category in OTHER:
            continue
        if category in CALLS:
            calls[number] = (row, order, start)
        level = level_of(event)
        if level:
            threads[row].spans.append(Span(order, event["name"], level, start, end))
        threads[row].around.append((start, end, order))
    for number, (row, order, start) in calls.items():
        threads[row].calls.append(Call(order, start, tuple(works.get(number, ()))))
    for thread in threads.values():
        thread.close()
    return threads, links(threads, points)


def links(threads, points):
    """The start of the span that each flow comes from, by thread, and the calls within the span that it leads to."""
    found, before = collections.defaultdict(list), {}
    for category, name, number, is_end, row, time in sorted(points, key=lambda it: (it[:3], it[5], it[3])):
        here = row in threads and threads[row].at(time)
        if not is_end:
            before[(category, name, number)] = (row, here)
            continue
        source = before.get((category, name, number))
        if source and source[1] and here and (source != (row, here)):
            found[source[0]].append((source[1][0], row, here))
    return found


def projections(threads, flows):
    rows = []
    for row, thread in threads.items():
        for span in thread.spans:
            own = {(row, it.order): it for it in thread.launched(span.start, span.end)}
            linked = {}
            for start, target, within in flows.get(row, ()):
                if span.start <= start < span.end:
                    linked.update({(target, it.order): it for it in threads[target].launched(*within)})
            more = {key: it for key, it in linked.items() if key not in own}
            works = [work for it in list(own.values()) + list(more.values()) for work in it.operations]
            if works:
                count = sum(len(it.operations) for it in more.values())
                first, last = min(it.start for it in works), max(it.end for it in works)
                busy = union((it.start, it.end) for it in works)
                times = [span.start, span.end - span.start, first, last, busy, len(works), count]
                rows.append([span.order, span.name, span.level] + times)
    rows.sort()
    zero = rows[0][3] if rows else 0
    return [it[1:3] + [it[3] - zero, it[4], it[5] - zero, it[6] - zero] + it[7:] for it in rows]


def stacks(thread, level):
    """Each span of a level with the one that it lies in, and its own time."""
    own = [it for it in thread.spans if it.level == level]
    parents, open_spans, children = [], [], [[] for _ in own]
    for place, span in enumerate(own):
        open_spans = [it for it in open_spans if own[it].end >= span.start]
        parent = next((it for it in reversed(open_spans) if own[it].end >= span.end), None)
        parents.append(parent)
        if parent is not None:
            children[parent].append((span.start, span.end))
        open_spans.append(place)
    return own, parents, [it.end - it.start - union(below) for it, below in zip(own, children)]


def tree(threads, level, bottom_up):
    nodes = collections.defaultdict(lambda: [0] * 6)
    for thread in threads.values():
        own, parents, own_times = stacks(thread, level)
        for place, span in enumerate(own):
            stack, up = [], place
            while up is not None:
                stack.append(own[up].name)
                up = parents[up]
            calls = thread.launched(span.start, span.end)
            works = [work for it in calls for work in it.operations]
            sums = [span.end - span.start, sum(it.end - it.start for it in works), len(calls), sum(it.bytes for it in works)]
            if not bottom_up:
                add(nodes[tuple(reversed(stack))], own_times[place], sums)
                continue
            outer = list(range(1, len(stack)))
            for length in range(1, len(stack) + 1):
                outer = [it for it in outer if it + length <= len(stack) and stack[it + length - 1] == stack[length - 1]]
                add(nodes[tuple(stack[:length])], own_times[place], [0] * 4 if outer else sums)
    return sorted([list(path)] + counts for path, counts in nodes.items())


def add(node, own, sums):
    total, device, launches, moved = sums
    for place, value in enumerate((1, total, own, device, launches, moved)):
        node[place] += value


def main():
    threads, flows = gather(read(sys.argv[1]))
    found = {"projections": projections(threads, flows), "trees": {}}
    for name in sys.argv[2:] or [level + up for level in LEVELS for up in ("", "-up")]:
        found["trees"][name] = tree(threads, name.removesuffix("-up"), name.endswith("-up"))
    json.dump(found, sys.stdout)


main()
