"""Reads XSpaces (`.xplane.pb`) byte by byte: spans of every line, links, submissions and rendezvous.

Rules: a name is the short one of the event's metadata where there is one, else the long one; picoseconds become the nearest
nanosecond, starts and ends alike; a StartRegion and the next StopRegion of its line are one span, as in XProf; an operation
of XLA on a thread of the host is on a lane of its device, which `device_ordinal` names; everything else is on its line,
whose number is the thread's. Links are of equal type and number, but for 0 of the thread pool; work of devices is tied to
the call with its correlation_id, or to the execution of its run on its device; threads that come to one rendezvous wait
for the last, and so do the operations that they came for."""

import collections
import gzip
import struct

from facts import Facts
from raw_perfetto import Message

REGION = "ThreadpoolListener::"
DERIVED = {
    "Steps", "XLA Modules", "XLA Ops", "Async XLA Ops", "XLA TraceMe", "TensorFlow Ops", "TensorFlow Name Scope",
    "Framework Ops", "Framework Name Scope", "Source code", "Source", "Launch Stats", "Sparse Core Steps",
    "Sparse Core Modules", "Sparse Core Ops",
}


def read(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return Reading(Message(data)).facts()


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def nanos(picos):
    return (picos + 500) // 1000


class Plane:
    def __init__(self, data):
        self.message = Message(data)
        self.name = self.message.text(2) or ""
        self.stat_names = {number: it.text(2) or "" for number, it in self.table(5)}
        self.names = {number: it.text(4) or it.text(2) or "" for number, it in self.table(4)}
        self.common = {number: [self.stat(Message(s)) for s in it.list(5)] for number, it in self.table(4)}
        self.stats = dict(self.stat(Message(s)) for s in self.message.list(6))
        self.lines = [Message(it) for it in self.message.list(3)]

    def table(self, field):
        for entry in map(Message, self.message.list(field)):
            yield entry.get(1, 0), Message(entry.get(2, b""))

    def stat(self, stat):
        name = self.stat_names.get(stat.get(1, 0))
        for field in (2, 3, 4, 5, 6, 7):
            if field in stat:
                value = stat.get(field)
                if field == 2:
                    value = struct.unpack("<d", value)[0]
                elif field == 4:
                    value = signed(value)
                elif field == 5:
                    value = value.decode("utf-8", "replace")
                elif field == 7:
                    value = self.stat_names.get(value, "?")
                return name, value
        return name, None


class Reading:
    def __init__(self, space):
        self.out = Facts()
        self.planes = [Plane(it) for it in space.list(1)]
        found = [p.stats["process_id"] for p in self.planes if "process_id" in p.stats]
        self.process = str(found[0]) if found else ""
        self.producers, self.consumers = {}, []
        self.calls, self.runs, self.work, self.operations = {}, {}, [], []
        self.meetings = collections.defaultdict(list)

    def facts(self):
        for at, plane in enumerate(self.planes):
            for line in plane.lines:
                self.line(at, plane, line)
        self.ties()
        self.out.all_ties = True
        return self.out

    def line(self, at, plane, line):
        thread, start = signed(line.get(1, 0)), signed(line.get(3, 0))
        is_device, region, open_, rounds = plane.name.startswith("/device:"), None, [], collections.Counter()
        name_of_line = (line.text(11) or line.text(2) or "").strip()
        has_streams = any((it.text(11) or it.text(2) or "").startswith("Stream") for it in plane.lines)
        for data in line.list(4):
            event = Message(data)
            if 5 in event:
                continue
            number = event.get(1, 0)
            name = plane.names.get(number, "event %d" % number)
            begin, length = signed(event.get(2, 0)), signed(event.get(3, 0))
            begin, end = start + nanos(begin), start + nanos(begin + length)
            stats = dict(plane.common.get(number, ()))
            stats.update(plane.stat(Message(it)) for it in event.list(4))
            if name == REGION + "StopRegion" and region is not None:
                old = self.out.spans[region]
                self.out.spans[region] = (old[0], old[1], REGION + "Region", old[3], begin - old[3])
                region = None
                continue
            on_device = not is_device and "hlo_op" in stats and "device_ordinal" in stats
            lane = "device %d" % stats["device_ordinal"] if on_device else str(thread)
            span = self.out.span(self.process, lane, name, begin, end)
            if name == REGION + "StartRegion":
                region = span
            self.links(stats, span)
            if is_device:
                if not (has_streams and name_of_line in DERIVED) and stats.get("correlation_id"):
                    self.work.append((stats["correlation_id"], span))
            elif on_device:
                open_.append((begin, end, span))
                if "run_id" in stats:
                    self.operations.append(((stats["run_id"], stats["device_ordinal"]), span))
            else:
                if stats.get("correlation_id"):
                    self.calls.setdefault(stats["correlation_id"], span)
                if stats.get("_ct") == 5 and "global_device_id" in stats:
                    self.runs.setdefault((stats["_c"], stats["global_device_id"]), span)
                if name == "Rendezvous" and "num_threads" in stats:
                    key = stats["name"]
                    around = [it for it in open_ if it[0] <= begin and end <= it[1]]
                    operation = around[-1][2] if around else None
                    self.meetings[key, rounds[key]].append((stats["id"], span, operation))
                    rounds[key] += 1

    def links(self, stats, span):
        bits = lambda value: value & ((1 << 64) - 1)
        if "_p" in stats:
            self.producers[stats.get("_pt", 0), bits(stats["_p"])] = span
        if "_c" in stats and (stats.get("_ct"), stats["_c"]) != (15, 0):
            self.consumers.append(((stats.get("_ct", 0), bits(stats["_c"])), span))

    def ties(self):
        for key, span in self.consumers:
            if key in self.producers:
                self.out.flow(self.producers[key], span)
        for number, span in self.work:
            if number in self.calls:
                self.out.flow(self.calls[number], span)
        for run, span in self.operations:
            if run in self.runs:
                self.out.flow(self.runs[run], span)
        met = set()
        for (key, _), threads in sorted(self.meetings.items(), key=lambda it: it[0]):
            _, last, for_last = max(threads)
            operations = (key, tuple(sorted(it[2] for it in threads)))
            for _, span, operation in threads:
                if span != last:
                    self.out.flow(last, span)
                    if operations not in met:
                        self.out.flow(for_last, operation)
            met.add(operations)
