#!/usr/bin/env python3
"""questions.py FOLDER: answers every bundled question from what `syncline` exports, in plain Python.

FOLDER holds spans.csv, dependencies.csv and counters.csv (the three exports), idle.jsonl, path.jsonl and explain.jsonl (what the
commands idle, critical-path and explain --all print as JSON) and info.json. Prints one JSON object: for each question its rows, in
order. It knows nothing of the tables, of SQL or of the engine: what is summed, joined and sorted here is done by hand."""
import csv, json, os, sys
from collections import defaultdict

csv.field_size_limit(1 << 30)
FOLDER = sys.argv[1]
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
FINISHED = {"done": "completed"}
DEVICE = ("kernel", "copy", "upload", "download", "fill", "collective")
WAITS = ("event-wait", "hold", "synchronize", "stall", "join")
MOVING = ("upload", "download", "copy", "fill", "allocate", "free")
SIZES = ("bytes", "Bytes", "size", "Size", "size_bytes", "size(Byte)")


def plain(text):
    """A field as it was before it was kept from being a formula."""
    bare = text.lstrip("'")
    return text[1:] if text.startswith("'") and bare.startswith(FORMULA) else text


def table(name):
    path = os.path.join(FOLDER, name)
    with open(path, newline="", encoding="utf-8") as file:
        return [{k: plain(v) for k, v in row.items()} for row in csv.DictReader(file)]


def lines(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


with open(os.path.join(FOLDER, "info.json"), encoding="utf-8") as file:
    INFO = json.load(file)["capture"]
IDLE = lines("idle.jsonl")
PATH = [it for it in lines("path.jsonl") if it["type"] == "path"]
EXPLAIN = lines("explain.jsonl")
RUN = INFO["name"] or "capture"
RANK = max([it["rank"] for it in IDLE if it.get("rank") is not None] + [0])


class Span:
    def __init__(self, row):
        self.id, self.name, self.kind = int(row["id"]), row["name"], row["kind"]
        self.state = FINISHED.get(row["state"], row["state"])
        self.group, self.device, self.role, self.lane = row["group"], row["device"], row["role"], row["lane"]
        self.key = (row["group"], row["device"], row["process"], row["thread"], row["lane"], row["role"])
        self.depth, self.enqueued, self.ts, self.end = (int(row[k]) for k in ("depth", "enqueued_ns", "start_ns", "end_ns"))
        self.dur = self.end - self.ts
        self.fields = json.loads(row["arguments"]) if row["arguments"] else {}
        self.launch = self.step = self.bytes = self.number = None


SPANS = [Span(row) for row in table("spans.csv")]
SPANS.sort(key=lambda s: s.id)
BY_ID = {s.id: s for s in SPANS}
TIES = table("dependencies.csv")
for tie in TIES:
    if tie["kind"] == "submission":
        effect = BY_ID.get(int(tie["effect"]))
        if effect is not None and effect.launch is None:
            effect.launch = int(tie["cause"])
STEPS = [it for it in IDLE if it["type"] == "iteration"]
for s in SPANS:
    at = s.ts
    if s.launch is not None and STEPS and STEPS[0]["by"] in ("ranges", "frame marks") and s.launch in BY_ID:
        at = BY_ID[s.launch].ts
    for it in STEPS:
        if it["from_ns"] <= at < it["to_ns"]:
            s.step = it["number"]
    if s.kind in MOVING:
        sizes = [v for k, v in s.fields.items() if k in SIZES and isinstance(v, (int, float))]
        s.bytes = int(sizes[0]) if sizes else None

# Parts of collective operations: of that kind, tied to others, or called so by a library, on a stream.
tied = {int(t[e]) for t in TIES if t["kind"] == "collective" for e in ("cause", "effect")}
ELEMENT = {"byte": 1, "char": 1, "bool": 1, "half": 2, "bfloat16": 2, "short": 2, "float": 4, "int": 4, "double": 8, "long": 8}


def is_library(name):
    low = name.lower()
    bare = "".join(c for c in low if c.isascii() and c.isalnum())
    what = ("allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce", "gather", "scatter", "send", "recv")
    return low.startswith(("nccl", "rccl", "hcom_", "hccl")) and any(w in bare for w in what)


PARTS = [s for s in SPANS if s.state != "running"
         and (s.id in tied or s.kind == "collective" or (s.group == "streams" and is_library(s.name)))]
PARTS.sort(key=lambda s: (s.ts, s.id))
counted = defaultdict(int)
for s in PARTS:
    names = ("Process Group Name", "Process Group Description", "groupName", "group_name", "comm")
    found = [s.fields[k] for k in names if k in s.fields]
    s.grp = (str(found[0]) or None) if found else None
    if not tied:
        s.number = counted[s.grp]
        counted[s.grp] += 1
    if "In msg nelems" in s.fields and str(s.fields.get("dtype", "")).lower() in ELEMENT:
        s.bytes = s.fields["In msg nelems"] * ELEMENT[s.fields["dtype"].lower()]
    else:
        sizes = [v for k, v in s.fields.items() if k in SIZES and isinstance(v, (int, float))]
        s.bytes = int(sizes[0]) if sizes else s.bytes

KERNELS = [s for s in SPANS if s.kind == "kernel"]


def grouped(items, key):
    found = defaultdict(list)
    for it in items:
        found[key(it)].append(it)
    return found


def none_first(value):
    return (value is not None, value if value is not None else 0)


def nearest(values, percent):
    """The smallest value that so many of a hundred do not exceed."""
    values = sorted(values)
    for place, value in enumerate(values, 1):
        if place * 100 >= len(values) * percent:
            return value


def through(a, b):
    return None if not b else a / b


def top_kernels():
    rows = [[n, len(g), sum(s.dur for s in g), min(s.dur for s in g), max(s.dur for s in g)] for n, g in grouped(KERNELS, lambda s: s.name).items()]
    whole = sum(r[2] for r in rows)
    rows = [r + [through(r[2] * 1e2, whole)] for r in rows]
    return sorted(rows, key=lambda r: (-r[2], r[0]))[:20]


def kernel_spread():
    rows = []
    for n, g in grouped(KERNELS, lambda s: s.name).items():
        d = [s.dur for s in g]
        if len(d) >= 10:
            rows.append([n, len(d), nearest(d, 50), nearest(d, 90), max(d)])
    return sorted(rows, key=lambda r: (-r[4], r[0]))[:40]


def kernel_outliers():
    rows = []
    for n, g in grouped(KERNELS, lambda s: s.name).items():
        median = nearest([s.dur for s in g], 50)
        rows += [[RUN, RANK, s.id, n, s.ts, s.dur, median] for s in g if s.dur > median * 3]
    return sorted(rows, key=lambda r: (-r[5], r[2]))[:50]


def busy_by_stream():
    on = [s for s in SPANS if s.group == "streams"]
    rows = [[RUN, RANK, None, k[0][4], k[1], len(g), sum(s.dur for s in g), max(s.dur for s in g)]
            for k, g in grouped(on, lambda s: (s.key, s.kind)).items()]
    return sorted(rows, key=lambda r: (-r[6], r[3], r[4]))


def union(intervals):
    merged = []
    for a, b in sorted(intervals):
        if b <= a:
            continue
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return merged


def busy_union():
    on = [s for s in SPANS if s.kind in DEVICE]
    if not on:
        return []
    busy = sum(b - a for a, b in union((s.ts, s.end) for s in on))
    extent = max(s.end for s in on) - min(s.ts for s in on)
    return [[RUN, RANK, busy, extent, through(busy * 1e2, extent)]]


def first_and_last():
    rows = []
    for key, g in grouped(SPANS, lambda s: s.key).items():
        first, last = min(s.ts for s in g), max(s.ts for s in g)
        rows.append([RUN, RANK, None, key[4], min(s.name for s in g if s.ts == first), first,
                     max(s.name for s in g if s.ts == last), max(s.end for s in g), len(g)])
    return sorted(rows, key=lambda r: json.dumps(r))


def idle_by_reason():
    """Sums alone: how many gaps there are and the longest are not in the sums of the command."""
    rows = defaultdict(int)
    names = {span.lane for span in SPANS}

    def name(label):
        """A lane's name without the device that the command adds where several have a lane of that name."""
        return max((it for it in names if label == it or label.startswith(it + " · ")), key=len, default=label)

    for it in IDLE:
        if it["type"] == "idle":
            for reason in ("host", "host_sync", "dependency", "latency", "unknown", "after"):
                if it[reason + "_ns"]:
                    rows[(it["lane"], reason)] += it[reason + "_ns"]
    return sorted([[RUN, RANK, None, name(lane), reason, None, ns, None] for (lane, reason), ns in rows.items()], key=lambda r: (-r[6], r[3], r[4]))


def longest_gaps():
    """When each stream ran nothing, from the first call or operation to the last: what lies between the unions of what it ran."""
    timed = [s for s in SPANS if s.kind != "scope" and s.group in ("host", "streams")]
    if not timed:
        return []
    begin, end = min(s.ts for s in timed), max(s.end for s in timed)
    rows = []
    ran = [s for s in SPANS if s.group == "streams" and s.role != "queue" and s.kind != "scope" and s.state != "running"]
    for key, g in grouped(ran, lambda s: s.key).items():
        over = begin
        for s in sorted((s for s in g if s.kind not in WAITS + ("callback",) and s.end > s.ts), key=lambda s: s.ts):
            if s.ts > over:
                rows.append([key[4], over, s.ts])
            over = max(over, s.end)
        if end > over:
            rows.append([key[4], over, end])
    return sorted(rows)


def submitted(s):
    """When an operation was submitted, as far as the capture tells: the time that it has itself, else its call's."""
    if s.enqueued < s.ts:
        return s.enqueued
    return BY_ID[s.launch].ts if s.launch in BY_ID else None


def launch_latency():
    ns = [s.ts - submitted(s) for s in KERNELS if submitted(s) is not None]
    return [[RUN, RANK, len(ns), nearest(ns, 50), nearest(ns, 90), nearest(ns, 99), max(ns)]] if ns else []


def longest_launch_latency():
    rows = [[RUN, RANK, s.id, s.name, s.lane, s.ts, s.ts - submitted(s), BY_ID[s.launch].name, s.launch]
            for s in KERNELS if s.launch in BY_ID]
    return sorted(rows, key=lambda r: (-r[6], r[2]))[:50]


def queue_depth():
    changes = defaultdict(int)
    for s in SPANS:
        if s.launch in BY_ID:
            changes[submitted(s)] += 1
            changes[s.end] -= 1
    times = sorted(changes)
    if not times:
        return []
    depth, area, empty, most = 0, 0, 0, None
    for at, then in zip(times, times[1:] + [None]):
        depth += changes[at]
        most = depth if most is None else max(most, depth)
        if then is not None:
            area += depth * (then - at)
            empty += then - at if depth == 0 else 0
    return [[RUN, RANK, through(area * 1e0, times[-1] - times[0]), most, empty]]


def parts_of_waits():
    for it in EXPLAIN:
        if it["type"] not in ("op", "call"):
            continue
        for part in it.get("split", []) + it.get("inside", []):
            kind = part.get("kind") if part["what"] == "blocked" else part["what"]
            if part["what"] in ("blocked", "latency", "unknown"):
                yield it, kind, part


def longest_waits():
    rows = []
    for it, kind, part in parts_of_waits():
        ns = part["to_ns"] - part["from_ns"]
        if ns >= 100000:
            rows.append([RUN, RANK, kind, ns, part["from_ns"], it["span"], it["name"], part.get("name"), part.get("span")])
    return sorted(rows, key=lambda r: (-r[3], r[5], r[4]))[:50]


def waits_by_cause():
    found = defaultdict(list)
    for _, kind, part in parts_of_waits():
        found[kind].append(part["to_ns"] - part["from_ns"])
    rows = [[RUN, RANK, kind, len(ns), sum(ns), max(ns)] for kind, ns in found.items()]
    return sorted(rows, key=lambda r: (-r[4], r[2]))


def host_blocked():
    on = [s for s in SPANS if s.kind == "synchronize"]
    rows = [[RUN, RANK, None, k[0][4], k[1], len(g), sum(s.dur for s in g), max(s.dur for s in g)]
            for k, g in grouped(on, lambda s: (s.key, s.name)).items()]
    return sorted(rows, key=lambda r: (-r[6], r[3], r[4]))


def host_calls():
    rows = []
    for n, g in grouped([s for s in SPANS if s.kind == "call"], lambda s: s.name).items():
        d = [s.dur for s in g]
        rows.append([n, len(d), sum(d), sum(d) * 1e0 / len(d), max(d)])
    return sorted(rows, key=lambda r: (-r[2], r[0]))[:40]


def critical_path():
    found = defaultdict(list)
    for it in PATH:
        found[it["what"]].append(it["to_ns"] - it["from_ns"])
    whole = sum(sum(ns) for ns in found.values())
    rows = [[RUN, RANK, what, len(ns), sum(ns), through(sum(ns) * 1e2, whole)] for what, ns in found.items()]
    return sorted(rows, key=lambda r: (-r[4], r[2]))


def critical_path_kernels():
    found = defaultdict(list)
    for it in PATH:
        if it["what"] == "run":
            s = BY_ID[it["span"]]
            found[(s.name, s.kind)].append(it["to_ns"] - it["from_ns"])
    rows = [[RUN, RANK, k[0], k[1], len(ns), sum(ns), max(ns)] for k, ns in found.items()]
    return sorted(rows, key=lambda r: (-r[5], r[2], r[3]))[:40]


def step_time():
    d = [it["to_ns"] - it["from_ns"] for it in STEPS]
    return [[RUN, RANK, len(d), min(d), sum(d) * 1e0 / len(d), max(d)]] if d else []


def slowest_steps():
    rows = [[RUN, RANK, it["number"], it["name"], it["from_ns"], it["to_ns"] - it["from_ns"], 0] for it in STEPS]
    return sorted(rows, key=lambda r: (-r[5], r[2]))[:20]


def between_steps():
    ns = [b["from_ns"] - a["to_ns"] for a, b in zip(STEPS, STEPS[1:])]
    return [[RUN, RANK, len(ns), sum(ns) if ns else None, max(ns) if ns else None]] if STEPS else []


def step_contents():
    on = [s for s in SPANS if s.step is not None and s.launch is not None]
    rows = []
    for kind, g in grouped(on, lambda s: s.kind).items():
        total = sum(s.dur for s in g)
        rows.append([RUN, RANK, kind, len(g), total, total * 1e0 / len({s.step for s in g})])
    return sorted(rows, key=lambda r: (-r[4], r[2]))


def overlap():
    works = [s for s in SPANS if s.group == "streams" and s.role != "queue" and s.kind not in WAITS + ("callback", "scope")
             and s.state not in ("cancelled", "running")]
    busy = {key: union((s.ts, s.end) for s in g) for key, g in grouped(works, lambda s: s.key).items()}
    sums = {key: sum(b - a for a, b in parts) for key, parts in busy.items()}
    rows = []
    for one in busy:
        for other in busy:
            if one == other or one[1] != other[1]:
                continue
            both = sum(max(0, min(b, d) - max(a, c)) for a, b in busy[one] for c, d in busy[other] if a < d and c < b)
            if both:
                rows.append([RUN, RANK, one[4], other[4], both, through(both * 1e2, sums[one])])
    return sorted(rows, key=lambda r: (-r[4], r[2], r[3]))


def followers():
    found = defaultdict(list)
    for g in grouped(KERNELS, lambda s: s.key).values():
        g.sort(key=lambda s: (s.ts, s.id))
        for a, b in zip(g, g[1:]):
            found[(a.name, b.name)].append(b.ts - a.end)
    rows = [[k[0], k[1], len(ns), sum(ns)] for k, ns in found.items()]
    return sorted(rows, key=lambda r: (-r[2], -r[3], r[0], r[1]))[:40]


def copies():
    on = [s for s in SPANS if s.kind in ("upload", "download", "copy", "fill") and s.bytes is not None]
    rows = []
    for kind, g in grouped(on, lambda s: s.kind).items():
        moved, total = sum(s.bytes for s in g), sum(s.dur for s in g)
        rows.append([RUN, RANK, kind, len(g), moved, total, through(moved * 1e0, total)])
    return sorted(rows, key=lambda r: (-r[4], r[2]))


def copy_sizes():
    on = [s for s in SPANS if s.kind in ("upload", "download", "copy") and s.bytes is not None]
    rows = []
    for (kind, size), g in grouped(on, lambda s: (s.kind, s.bytes)).items():
        total = sum(s.dur for s in g)
        rows.append([kind, size, len(g), total, total * 1e0 / len(g), through(size * len(g) * 1e0, total)])
    return sorted(rows, key=lambda r: (-r[3], r[0], r[1]))[:50]


def samples():
    found = defaultdict(list)
    for row in table("counters.csv"):
        found[(row["name"], row["unit"])].append((int(row["time_ns"]), float(row["value"])))
    return found


def memory_peak():
    rows = []
    for (name, unit), all_of in samples().items():
        if "byte" in unit.lower() or "memory" in name.lower() or "bytes" in name.lower():
            most = max(v for _, v in all_of)
            at = min(t for t, v in all_of if v == most)
            steps = [it["number"] for it in STEPS if it["from_ns"] <= at < it["to_ns"]]
            rows.append([RUN, RANK, name, unit, most, at, max(steps) if steps else None])
    return sorted(rows, key=lambda r: (r[2], r[3]))


def counter_summary():
    rows = [[RUN, RANK, n, u, len(all_of), min(v for _, v in all_of), max(v for _, v in all_of)] for (n, u), all_of in samples().items()]
    return sorted(rows, key=lambda r: (r[2], r[3]))


def collective_time():
    rows = []
    for (name, size), g in grouped(PARTS, lambda s: (s.name, s.bytes)).items():
        d = [s.dur for s in g]
        rate = None if size is None else through(size * len(g) * 1e0, sum(d))
        rows.append([name, size, len(d), sum(d), min(d), max(d), rate])
    return sorted(rows, key=lambda r: (-r[3], r[0], none_first(r[1])))


def stragglers():
    """A rank that is alone keeps no other waiting."""
    return []


def failed_operations():
    rows = [[RUN, RANK, s.id, s.name, s.kind, s.lane, s.state, s.ts, s.dur] for s in SPANS if s.state != "completed"]
    return sorted(rows, key=lambda r: (r[7], r[2]))[:100]


def findings_by_severity():
    rows = []
    for place, it in enumerate(INFO["findings"]):
        first = BY_ID.get(it["spans"][0]) if it["spans"] else None
        ends = [first.id, first.ts, first.dur] if first else [None, None, None]
        rows.append([RUN, RANK, place, it["code"], it["severity"], it["text"]] + ends)
    return rows


def dependency_kinds():
    found = defaultdict(list)
    for t in TIES:
        cause, effect = BY_ID.get(int(t["cause"])), BY_ID.get(int(t["effect"]))
        if cause and effect:
            found[(t["kind"], t["basis"])].append(effect.ts - cause.ts)
    rows = [[k[0], k[1], len(ns), min(ns), max(ns)] for k, ns in found.items()]
    return sorted(rows, key=lambda r: (-r[2], r[0], r[1]))


ANSWERS = [top_kernels, kernel_spread, kernel_outliers, busy_by_stream, busy_union, first_and_last, idle_by_reason, longest_gaps,
           launch_latency, longest_launch_latency, queue_depth, longest_waits, waits_by_cause, host_blocked, host_calls,
           critical_path, critical_path_kernels, step_time, slowest_steps, between_steps, step_contents, overlap, followers,
           copies, copy_sizes, memory_peak, counter_summary, collective_time, stragglers, failed_operations,
           findings_by_severity, dependency_kinds]
print(json.dumps({it.__name__.replace("_", "-"): it() for it in ANSWERS}))
