#!/usr/bin/env python3
"""Counts what trace JSON files hold, for tests/formats/chrome/counts.tsv: python3 tests/traces/count.py FOLDER > tests/formats/chrome/counts.tsv

It shares no code with the importers and needs only Python's own library. Every rule it counts by is written here again,
from the formats' descriptions: a file's events; its spans (complete events, begins with or without an end, ends without
a begin, asynchronous pairs, instants); the streams that work ran on; launches with the work that bears their number,
or that a flow of RPD or of Ascend's profiler leads to; waits of streams that name the record they waited for; other flows
that the file draws itself."""
import bisect
import collections
import decimal
import gzip
import json
import os
import re
import sys

GPU = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset", "cuda"}
API = {"cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime", "cuda_api"}
LAUNCH_FLOWS = {"ac2g", "async_cpu_to_gpu"}
CLOCKS = 1_000_000
DRAWN_LAUNCHES = {"api_op", "HostToDevice"}
LAUNCHES = ("Launch", "Memcpy", "Memset", "runFunction", "memcpy")
OTHERS = ("StreamWaitEvent", "StreamWaitNotify", "waitOnEvent", "EventRecord", "RecordEvent", "recordEvent",
          "Synchronize", "synchronizeStream")


def events_of(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    text = data.decode("utf-8", "replace")
    read = lambda text: json.loads(text, strict=False, parse_float=decimal.Decimal)
    try:
        value = read(text)
    except json.JSONDecodeError:
        try:
            value = read(text.rstrip().rstrip(",") + "]")
        except json.JSONDecodeError:
            # Broken by the tool that wrote it; tests/formats/exact has a reading of such.
            return None
    if isinstance(value, dict):
        if "traceEvents" not in value:
            return None
        value = value["traceEvents"]
    return [event for event in value if isinstance(event, dict)] if isinstance(value, list) else None


def nanos(value):
    return int(decimal.Decimal(str(value)) * 1000) if value is not None else 0


def token(value):
    """A number, be it a number or a text, or the text."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value):
        return int(value)
    return value


def row(event):
    return token(event.get("pid")), token(event.get("tid"))


def whole(value):
    value = token(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def correlation(event):
    args = event.get("args") or {}
    if not isinstance(args, dict):
        return None
    for key, value in args.items():
        if key in ("correlation", "correlationId"):
            return whole(value)
    return None


def pairs(halves, found):
    """Spans of begins and ends; `found` takes each (event, start, end) and the return value is how many there are."""
    stack, count = [], 0
    halves = sorted(halves, key=lambda event: nanos(event.get("ts")))
    last = nanos(halves[-1].get("ts")) if halves else 0
    for event in halves:
        time, name = nanos(event.get("ts")), event.get("name", "")
        if event["ph"] in "bBS":
            stack.append(event)
        elif event["ph"] in "eEF":
            same = [place for place, open_ in enumerate(stack) if not name or open_.get("name", "") == name]
            if stack and not same:
                # Of no span that is open there: it ends nothing.
                continue
            begin = stack.pop(same[-1]) if same else event
            found(begin, nanos(begin.get("ts")), time)
            count += 1
        else:
            found(event, time, time)
            count += 1
    for event in stack:
        found(event, nanos(event.get("ts")), last)
        count += 1
    return count


class File:
    def __init__(self, events):
        self.events = events
        self.names, self.threads = {}, {}
        self.spans, self.placed, self.flows = 0, collections.defaultdict(list), []
        for event in events:
            if event.get("ph") == "M" and isinstance(event.get("args"), dict):
                if event.get("name") == "process_name":
                    self.names[token(event.get("pid"))] = event["args"].get("name", "").strip()
                if event.get("name") == "thread_name":
                    self.threads[row(event)] = event["args"].get("name", "").strip()

    def is_stream(self, at):
        """Whether a row is a stream by the names of its process and thread."""
        process, thread = str(self.names.get(at[0], "")), str(self.threads.get(at, ""))
        if process.startswith("/device:"):
            return thread.startswith("Stream #")
        if process in ("HCCL", "Communication"):
            return thread.startswith("Plane")
        return process in ("Ascend Hardware", "NPU") or re.fullmatch(r"GPU\s*[0-9]+", process) is not None

    def count(self):
        halves, distant = collections.defaultdict(list), collections.defaultdict(list)
        streams, work, calls = set(), [], {}
        self.waits, self.mtia_records, self.mtia_waits = [], {}, []
        for order, event in enumerate(self.events):
            phase, category, args = event.get("ph"), event.get("cat"), event.get("args")
            args = args if isinstance(args, dict) else {}
            at, time = row(event), nanos(event.get("ts"))
            if phase == "X":
                self.spans += 1
                end = time + nanos(event.get("dur"))
                if category in GPU:
                    streams.add(at)
                    work.append((at, correlation(event), time, end, order))
                elif category == "mtia_ccp_events":
                    stream = (at[0], whole(args.get("stream")))
                    streams.add(stream)
                    work.append((stream, correlation(event), time, end, order))
                    self.mtia(event, args, stream)
                elif category == "cuda_sync":
                    self.waits.append((event, args, at[0]))
                elif category in API:
                    number = correlation(event)
                    launch = self.is_launch(event["name"])
                    if number is not None and number >= 0 and (number not in calls or launch and not calls[number][1]):
                        calls[number] = (time, launch)
                elif category not in ("gpu_user_annotation", "cuda_profiler_range", "nvtx-kernel", "cuda_event"):
                    if category not in ("user_annotation", "nvtx") and self.is_stream(at):
                        streams.add(at)
                if category not in ("gpu_user_annotation", "cuda_profiler_range", "nvtx-kernel", "cuda_sync", "cuda_event"):
                    place = (at[0], whole(args.get("stream"))) if category == "mtia_ccp_events" else at
                    self.placed[place].append((time, end, order))
                self.bound(event, at, order)
            elif phase in ("B", "E"):
                halves[at].append(event)
            elif phase in ("b", "e", "n", "S", "F", "T", "p"):
                number = event.get("id", event.get("id2"))
                number = number if not isinstance(number, dict) else json.dumps(number)
                distant[at[0], category, number].append(event)
            elif phase in ("i", "I", "R", "P"):
                self.spans += 1
                self.placed[at].append((time, time, order))
            elif phase in ("s", "t", "f"):
                self.flows.append((event, at))
        place = {id(event): order for order, event in enumerate(self.events)}
        for at, list_ in halves.items():
            keep = lambda event, start, end: self.placed[at].append((start, end, place[id(event)]))
            self.spans += pairs(list_, keep)
            for event in list_:
                if event["ph"] == "B":
                    self.bound(event, at, place[id(event)])
        for list_ in distant.values():
            self.spans += pairs(list_, lambda *_: None)
        launched = [it for it in work if it[1] in calls]
        flows, drawn = self.told_flows(bool(calls))
        return [
            len(self.events),
            self.spans,
            len(streams),
            len(launched) + drawn,
            self.told_waits(work, calls),
            flows,
        ]

    @staticmethod
    def is_launch(name):
        first = min((name.find(it), -len(it)) for it in OTHERS if it in name) if any(it in name for it in OTHERS) else None
        return first is None and any(it in name for it in LAUNCHES)

    def mtia(self, event, args, stream):
        if event["name"] == "event_record":
            self.mtia_records[stream + (whole(args.get("seq_num")),)] = event
        if event["name"] == "event_wait":
            self.mtia_waits.append((stream[0], whole(args.get("wait_on_stream")), whole(args.get("seq_num"))))

    def told_waits(self, work, calls):
        """Waits of streams whose record the file names, with work before the record and after the wait."""
        count = sum(wait in self.mtia_records for wait in self.mtia_waits)
        by_stream = collections.defaultdict(list)
        for at, number, start, _, _ in work:
            by_stream[at].append(calls[number][0] if number in calls else start)
        for event, args, process in self.waits:
            if event["name"] != "Stream Wait Event":
                continue
            on, source, record = args.get("stream"), args.get("wait_on_stream"), args.get("wait_on_cuda_event_record_corr_id")
            if None in (on, source, record) or min(on, source) < 0 or 0xFFFFFFFF in (on, source) or on == source:
                continue
            if record <= 0 or record not in calls:
                continue
            number = args.get("correlation")
            called = calls[number][0] if number in calls else nanos(event["ts"])
            before = any(time < calls[record][0] for time in by_stream.get((process, source), []))
            after = any(time > called for time in by_stream.get((process, on), []))
            count += before and after
        return count

    def bound(self, event, at, order):
        """The points of flows that a span itself is."""
        arrives, leaves = event.get("flow_in") is True, event.get("flow_out") is True
        if arrives or leaves:
            what = 1 if arrives and leaves else 2 if arrives else 0
            self.flows.append(({"cat": "bind", "id": event.get("bind_id"), "ts": event.get("ts"), "what": what, "at": order}, at))

    def told_flows(self, correlated):
        """Links between the points of each flow, in order of time, of which both ends are at a span; and how many of them go
        from a call to the work that it launched."""
        rows = {at for _, at in self.flows}
        near = {at: Near(sorted(self.placed[at], key=lambda it: (it[0], -it[1]))) for at in rows}
        flows = collections.defaultdict(list)
        for order, (event, at) in enumerate(self.flows):
            launch = event.get("cat") in LAUNCH_FLOWS or (event.get("cat") == "async" and event.get("name") == "launch")
            if launch and correlated:
                continue
            what = event["what"] if "what" in event else "stf".index(event["ph"])
            flows[event.get("cat"), str(token(event.get("id")))].append((nanos(event.get("ts")), what, order, event, at))
        count = {False: 0, True: 0}
        for (category, _), points in flows.items():
            before = None
            points.sort(key=lambda it: it[:3])
            if [it[1] for it in points] == [2, 0] and points[0][4] != points[1][4] and points[1][0] - points[0][0] <= CLOCKS:
                # From the host's clock to the device's.
                points.reverse()
            for _, what, _, event, at in points:
                span = event["at"] if "at" in event else near[at].find(event)
                if what == 0:
                    before = (span,)
                    continue
                # A step or an end without a start leads from nowhere.
                if before is None:
                    continue
                count[category in DRAWN_LAUNCHES] += before[0] is not None and span is not None
                if what == 1:
                    before = (span,)
        return count[False], count[True]


class Near:
    """Spans of a row in order of time, looked at only where they can be around an instant."""

    def __init__(self, spans):
        self.spans = spans
        self.starts = [it[0] for it in spans]
        self.reach, reach = [], None
        for it in spans:
            reach = it[1] if reach is None else max(reach, it[1])
            self.reach.append(reach)

    def find(self, event):
        time = nanos(event.get("ts"))
        end = bisect.bisect_right(self.starts, time)
        inside = touching = None
        place = end - 1
        while place >= 0 and self.reach[place] >= time:
            start, stop, order = self.spans[place]
            if inside is None and (stop > time or start == time):
                inside = (start, order)
            if touching is None and stop == time:
                touching = (start, order)
            if inside is not None:
                break
            place -= 1
        following = (self.spans[end][0], self.spans[end][2]) if end < len(self.spans) else None
        if event["ph"] != "f" or event.get("bp") == "e":
            found = inside or touching
        else:
            found = inside if inside and inside[0] == time else following or inside
        return found[1] if found else None


def main(folder):
    print("# file\tevents\tspans\tstreams\tlaunches\ttold waits\tflows")
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(where, name)
            if not name.endswith((".json", ".json.gz")):
                continue
            # Of these every span, arrow and sample is compared: see tests/formats/exact.
            if os.path.relpath(path, folder).startswith("fresh"):
                continue
            events = events_of(path)
            if events is None:
                continue
            counts = File(events).count()
            print("\t".join([os.path.relpath(path, folder)] + [str(it) for it in counts]), flush=True)


main(sys.argv[1])
