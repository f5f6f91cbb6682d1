"""Reads trace JSON of any tool: its spans, instants, counters and flows, by rules written down here anew.

Rules: microseconds become the nearest nanosecond; an end closes the innermost open span whose name and category it does
not contradict, and is ignored where none of those that are open is such; a begin without an end lasts to the end of the file; asynchronous halves meet by process, category and number; a flow begins
at its start, and is at the span around its point. An end where nothing is open is an instant."""

import bisect
import collections
import decimal
import gzip
import json
import re

from facts import Facts, Series

STARTS, ENDS = "bBS", "eEF"
LAUNCH_FLOWS = {"ac2g", "async_cpu_to_gpu"}
# RPD and the profiler of Ascend draw what launched what.
DRAWN_LAUNCHES = {"api_op", "HostToDevice"}
API = {"cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime", "cuda_api"}
CENTURY = 3_155_760_000_000_000_000


def read(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    events = events_of(data.decode("utf-8", "replace"))
    return None if events is None else Reading(events).facts()


def events_of(text):
    decoder = json.JSONDecoder(strict=False, parse_float=decimal.Decimal)
    try:
        value = decoder.decode(text.strip().strip("\ufeff"))
    except json.JSONDecodeError:
        return piecewise(text, decoder)
    if isinstance(value, dict):
        value = value.get("traceEvents")
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else None


def piecewise(text, decoder):
    """The events of a list that is cut, or that something stands before which is no JSON."""
    found = re.search(r'"traceEvents"\s*:\s*\[', text)
    at, events = found.end() if found else text.index("[") + 1, []
    while True:
        while at < len(text) and text[at] in " \t\r\n,\0":
            at += 1
        if at >= len(text) or text[at] != "{":
            return events
        try:
            event, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            return events
        events.append(event)


def nanos(value):
    """The nearest nanosecond of a number of microseconds; halves go away from zero."""
    if value is None:
        return 0
    scaled = decimal.Decimal(str(value)).scaleb(3)
    return int(scaled.to_integral_value(rounding=decimal.ROUND_HALF_UP))


def token(value):
    """A number, be it written as one or as a text, or the text."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    return value


def shown(value):
    value = token(value)
    return "" if value is None else str(value).strip()


def text(value):
    return "" if value is None else str(value).rstrip("\0")


def number(event):
    """What asynchronous halves and flows meet by, and whether it holds in one process only."""
    value = event.get("id", event.get("id2", event.get("bind_id")))
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True), "local" in value
    if isinstance(value, str) and value.startswith("0x"):
        return str(int(value, 16)), False
    return str(token(value)), False


def arguments(event):
    args = event.get("args")
    return args if isinstance(args, dict) else {}


class Reading:
    def __init__(self, events):
        self.events = events
        self.out = Facts()
        # What was placed on each row: start, end, place in the list of spans.
        self.placed = collections.defaultdict(list)
        self.points = []
        # Asynchronous spans by the thread that told of their beginning, the instant and the category.
        self.distant = {}

    def row(self, event):
        return shown(event.get("pid")), shown(event.get("tid"))

    def span(self, row, name, start, end, finds=True):
        place = self.out.span(row[0], row[1], text(name), start, end)
        if finds:
            self.placed[row].append((start, max(start, end), place))
        return place

    def memory(self, fields, row, time):
        """What an allocator says that a device has once it allocated or freed."""
        for field, name in (("Total Allocated", "Memory allocated"), ("Total Reserved", "Memory reserved")):
            if field in fields:
                series = self.out.series(row[0], name, fields.get("Device Type"), fields.get("Device Id"))
                series.append((time, float(fields[field])))

    def facts(self):
        halves, distant = collections.defaultdict(list), collections.defaultdict(list)
        calls = set()
        for event in self.events:
            phase, row = event.get("ph"), self.row(event)
            if phase == "X":
                self.complete(event, row, calls)
            elif phase in ("B", "E"):
                halves[row].append(event)
            elif phase in ("b", "e", "n", "S", "F", "T", "p"):
                key, local = number(event)
                distant[row[0], event.get("cat"), key].append(event)
            elif phase in ("i", "I", "R", "P"):
                time = nanos(event.get("ts"))
                self.span(row, event.get("name"), time, time)
                if event.get("name") == "[memory]":
                    self.memory(event.get("args") or {}, row, time)
            elif phase in ("s", "t", "f"):
                self.points.append(Point(event, row, "stf".index(phase)))
            elif phase == "C":
                self.count(event, row)
        left = []
        for row, list_ in halves.items():
            left += [(begin, row, True) for begin in self.pair(list_, row, True)]
        for (process, _, _), list_ in distant.items():
            row = process, ""
            left += [(begin, row, False) for begin in self.pair(list_, row, False)]
        # What never ends is drawn to the last that happens at all.
        times = [it[3] + it[4] for it in self.out.spans] + [point.time for point in self.points]
        times += [time for series in self.out.counters.values() for time, _ in series]
        times += [nanos(event.get("ts")) for lists in (halves, distant) for list_ in lists.values() for event in list_]
        last = max(times, default=0)
        for begin, row, finds in left:
            self.of_half(begin, row, last, finds)
        self.flows(bool(calls))
        return self.out

    def complete(self, event, row, calls):
        start, length = nanos(event.get("ts")), nanos(event.get("dur"))
        length = 0 if length < 0 or length > CENTURY else length
        category, args = event.get("cat"), arguments(event)
        finds = category not in ("gpu_user_annotation", "cuda_profiler_range", "nvtx-kernel", "cuda_sync", "cuda_event")
        if category == "mtia_ccp_events" and "stream" in args:
            row = (row[0], shown(args["stream"]))
        if category in API and isinstance(token(args.get("correlation", args.get("correlationId"))), int):
            calls.add(1)
        if category is None and "hlo_op" in args and isinstance(token(args.get("device_ordinal")), int):
            # An operation of XLA that a thread ran for a device.
            row = (row[0], "device %s" % args["device_ordinal"])
        place = self.span(row, event.get("name"), start, start + length, finds)
        self.bound(event, row, place)

    def bound(self, event, row, place):
        arrives, leaves = event.get("flow_in") is True, event.get("flow_out") is True
        if arrives or leaves:
            point = Point(dict(event, cat="bind_id"), row, 1 if arrives and leaves else 2 if arrives else 0)
            point.place = place
            point.key = "bind_id", "", str(number({"id": event.get("bind_id", event.get("id"))})[0])
            self.points.append(point)

    def of_half(self, event, row, end, finds):
        start = nanos(event.get("ts"))
        place = self.span(row, event.get("name"), start, end, finds)
        if not finds:
            self.distant[self.row(event), start, event.get("cat")] = place
        self.bound(event, row, place)

    def pair(self, halves, row, finds):
        """Joins halves, and gives back the begins that have no end."""
        halves = sorted(halves, key=lambda event: nanos(event.get("ts")))
        stack = []
        for event in halves:
            time = nanos(event.get("ts"))
            if event["ph"] in STARTS:
                stack.append(event)
            elif event["ph"] in ENDS:
                found = [at for at, begin in enumerate(stack) if agree(begin, event)]
                if not found:
                    self.out.stray += 1
                    if not stack:
                        self.span(row, event.get("name"), time, time, finds)
                    continue
                begin = stack.pop(found[-1])
                self.of_half(begin, row, time, finds)
            else:
                self.of_half(event, row, time, finds)
        return stack

    def count(self, event, row):
        key, _ = number(event) if "id" in event or "id2" in event else ("", False)
        for field, value in arguments(event).items():
            try:
                value = float(value)
            except (TypeError, ValueError):
                continue
            if value - value == 0 and not (field == "tts" and event.get("tts") is not None):
                series = self.out.series(row[0], text(event.get("name")), key, field)
                series.append((nanos(event.get("ts")), value))

    def flows(self, correlated):
        flows = collections.defaultdict(list)
        near = {row: Near(sorted(placed, key=lambda it: (it[0], -it[1]))) for row, placed in self.placed.items()}
        for order, point in enumerate(self.points):
            if point.launch and correlated:
                continue
            if point.place is None and point.row in near:
                point.place = near[point.row].find(point)
            if point.place is None:
                point.place = self.distant.get((point.row, point.time, point.key[0]))
            self.out.draws_launches |= point.key[0] in DRAWN_LAUNCHES and not correlated
            flows[point.key].append((point.time, point.what, order, point))
        for points in flows.values():
            before = None
            for *_, point in sorted(points, key=lambda it: it[:3]):
                if point.what != 0 and before is not None:
                    if before.place is not None and point.place is not None and before.place != point.place:
                        self.out.flow(before.place, point.place)
                if point.what == 0 or point.what == 1 and before is not None:
                    before = point


def agree(begin, end):
    """Whether an end can be that of a begin: what both say of name and category is the same."""
    for field in ("name", "cat"):
        if begin.get(field) and end.get(field) and begin[field] != end[field]:
            return False
    return True


class Point:
    """A point of a flow."""

    def __init__(self, event, row, what):
        self.time, self.row, self.what = nanos(event.get("ts")), row, what
        self.launch = event.get("cat") in LAUNCH_FLOWS or (event.get("cat") == "async" and event.get("name") == "launch")
        self.encloses = what != 2 or event.get("bp") == "e"
        self.key = event.get("cat"), event.get("name"), number(event)[0]
        self.place = None


class Near:
    """Spans of a row in order of time, looked at only where they can be around an instant."""

    def __init__(self, spans):
        self.spans = spans
        self.starts = [it[0] for it in spans]
        self.reach, reach = [], None
        for it in spans:
            reach = it[1] if reach is None else max(reach, it[1])
            self.reach.append(reach)

    def find(self, point):
        end = bisect.bisect_right(self.starts, point.time)
        inside = touching = None
        at = end - 1
        while at >= 0 and self.reach[at] >= point.time and inside is None:
            start, stop, place = self.spans[at]
            if stop > point.time or start == point.time:
                inside = (start, place)
            elif touching is None and stop == point.time:
                touching = (start, place)
            at -= 1
        following = (self.spans[end][0], self.spans[end][2]) if end < len(self.spans) else None
        if point.encloses:
            found = inside or touching
        else:
            found = inside if inside and inside[0] == point.time else following or inside
        return found[1] if found else None
