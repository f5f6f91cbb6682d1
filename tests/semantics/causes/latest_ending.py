#!/usr/bin/env python3
"""Finds in captures themselves which of its causes each operation that waited for an event came after, and compares that
with what `syncline explain --all` names.

    latest_ending.py SYNCLINE [--most-bytes N] [--most-operations N] FOLDER|FILE ...

It shares no code with Syncline and asks it for no arrows. What it reads, and by which rules:

- Kineto with `cuda_sync` rows: a `Stream Wait Event` names the stream and the cudaEventRecord call that it is for. What a
  record captured is the last operation before it on its stream and whatever that stream had waited for since. Candidates
  of an operation are those operations, the one before it on its stream and the start of the call that launched it; one
  that ended more than 2 us after the operation began is none, but for the one before it. The latest end is the cause.
- Kineto with wait calls alone: no stream and no event is named, so only what is impossible is found: a cause that is on
  the same stream, that was launched after the wait, or that ended before another cause that is certain.
- Waits that are spans (`event_wait` of MTIA, EVENT_WAIT of Ascend): the wait is blocked until the end of the record that
  its sequence number names, or of a record on another stream that ended within 1 us of it.
- Operations of Ascend, whose launches are not in the file: of a stream, the one that began earlier and ended last before
  it. One that ended within 2 us after may be named instead.
- Nsight Systems SQLite and Ascend's database: the same from their tables.
"""

import bisect
import collections
import decimal
import gzip
import json
import os
import sqlite3
import subprocess
import sys

TOLERANCE, CEILING, NEAR = 2_000, 100_000, 1_000
GPU = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events"}
API = {"cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime"}
Operation = collections.namedtuple("Operation", "name process stream start end launched row")
Cause = collections.namedtuple("Cause", "kind name stream start at")


class Skip(Exception):
    """Why a file holds nothing to compare."""


def nanos(value):
    return int(decimal.Decimal(str(value)).scaleb(3).to_integral_value(rounding=decimal.ROUND_HALF_UP))


def whole(value):
    """A number of a stream or a call; nothing for those that stand for none."""
    try:
        value = int(value)
    except (TypeError, ValueError):
        return None
    return value if 0 <= value != 0xFFFF_FFFF else None


class Streams:
    """The operations of each stream in the order of submission, and what waits and records do between them."""

    def __init__(self, operations):
        self.lists, self.submitted = collections.defaultdict(list), {}
        for operation in operations:
            self.lists[operation.process, operation.stream].append(operation)
        for stream, found in self.lists.items():
            found.sort(key=lambda it: (it.start, it.launched or -1))
            launched = sorted((it for it in found if it.launched is not None), key=lambda it: (it.launched, it.start))
            goes_back = any(a.start > b.start + TOLERANCE for a, b in zip(launched, launched[1:]))
            if not goes_back:
                rest = [it for it in found if it.launched is None]
                found[:] = sorted(launched + rest, key=lambda it: it.start) if rest else launched
            # An operation whose launch is not in the file came before it, or right after the one before it.
            times = []
            for operation in found:
                last = times[-1] if times else float("-inf")
                times.append(last if operation.launched is None else max(operation.launched, last))
            self.submitted[stream] = times

    def before(self, stream, instant):
        """The place of the last operation that was submitted to a stream before an instant."""
        return bisect.bisect_left(self.submitted.get(stream, []), instant) - 1

    def branches(self, stream, place):
        """The operations of one launch that overlap: nothing tells what orders them."""
        found = self.lists[stream]
        launch = found[place].launched
        if launch is None:
            return False
        low = high = place
        while low > 0 and found[low - 1].launched == launch:
            low -= 1
        while high + 1 < len(found) and found[high + 1].launched == launch:
            high += 1
        latest = None
        for operation in found[low : high + 1]:
            if latest is not None and latest > operation.start + TOLERANCE:
                return True
            latest = operation.end if latest is None else max(latest, operation.end)
        return False


def binding(operation, before, events):
    """The candidate that was complete last, and all of them."""
    found = []
    if before is not None:
        found.append((0, "stream", before, before.end))
    if operation.launched is not None:
        found.append((1, "launch", None, operation.launched))
    for event in events:
        found.append((2, "event", event, event.end))
    kept = [it for it in found if it[1] == "stream" or it[3] <= operation.start + TOLERANCE]
    if not kept:
        return None
    at = lambda it: min(it[3], operation.start)
    began = lambda it: it[2].start if it[2] else it[3]
    kept.sort(key=lambda it: (-at(it), it[0], began(it), it[2].stream if it[2] else -1))
    _, kind, by, _ = kept[0]
    instant = at(kept[0])
    kind = "unknown " + kind if operation.start - instant > CEILING else kind
    return Cause(kind, by and by.name, by and by.stream, by.start if by else instant, instant)


class Kineto:
    def __init__(self, path):
        data = open(path, "rb").read()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        try:
            value = json.loads(data.decode("utf-8", "replace"), parse_float=decimal.Decimal, strict=False)
        except json.JSONDecodeError:
            raise Skip("no whole JSON") from None
        value = value.get("traceEvents") if isinstance(value, dict) else value
        if not isinstance(value, list):
            raise Skip("no list of events")
        self.rows = [it for it in value if isinstance(it, dict) and it.get("ph") == "X" and "ts" in it]
        self.calls, self.waits, self.wait_calls, self.record_calls = {}, [], [], []
        gpu = []
        for row in self.rows:
            args = row.get("args") if isinstance(row.get("args"), dict) else {}
            cat, name = row.get("cat"), str(row.get("name"))
            number = args.get("correlation")
            start = nanos(row["ts"])
            owner = args.get("rank", 0)
            if cat in API:
                call = (start, (row.get("pid"), row.get("tid")), name, start + nanos(row.get("dur", 0)))
                if number is not None:
                    self.calls.setdefault((owner, int(number)), call)
                if "StreamWaitEvent" in name:
                    self.wait_calls.append(call)
                elif "EventRecord" in name:
                    self.record_calls.append(call)
            elif cat in GPU and args.get("stream") is not None:
                gpu.append((row, args, owner, start))
            elif cat == "cuda_sync" and name == "Stream Wait Event":
                self.waits.append((row, args, owner, start))
        self.operations = []
        for row, args, owner, start in gpu:
            call = self.calls.get((owner, int(args["correlation"]))) if args.get("correlation") is not None else None
            process = (owner, args.get("device", row.get("pid")))
            end = start + nanos(row.get("dur", 0))
            launched = call[0] if call else None
            self.operations.append(Operation(str(row["name"]), process, whole(args["stream"]), start, end, launched, row))
        self.streams = Streams(self.operations)

    def count(self):
        return len(self.operations)

    def compare(self, said):
        if any(it.row.get("cat") == "mtia_ccp_events" for it in self.operations):
            return self.spans(said)
        if self.waits:
            return self.named(said)
        if self.wait_calls:
            return self.calls_alone(said)
        raise Skip("no stream waits for an event")

    def named(self, said):
        """Every operation after waits that name their records."""
        deals = []
        for row, args, owner, start in self.waits:
            record = self.calls.get((owner, int(args.get("wait_on_cuda_event_record_corr_id", -1))))
            on, source = whole(args.get("stream")), whole(args.get("wait_on_stream"))
            if record is None or on is None or source is None:
                continue
            call = self.calls.get((owner, int(args.get("correlation", -1))))
            process = (owner, args.get("device", row.get("pid")))
            called = call[0] if call else start
            deals.append((record[0], 0, (process, source), None))
            deals.append((called, 1, (process, on), ((process, source), record[0])))
        deals.sort(key=lambda it: (it[0], it[1], str(it[2])))
        waiting = collections.defaultdict(lambda: (None, {}))
        recorded, held = {}, collections.defaultdict(dict)

        def since(stream, instant):
            place = self.streams.before(stream, instant)
            if waiting[stream][0] != place:
                waiting[stream] = (place, {})
            return place, waiting[stream][1]

        for instant, sort, stream, wait in deals:
            place, captured = since(stream, instant)
            if sort == 0:
                frontier = dict(captured)
                if place >= 0:
                    frontier[stream] = place
                recorded[stream, instant] = frontier
                continue
            for source, at in recorded[wait].items():
                captured[source] = max(captured.get(source, -1), at)
            if place + 1 < len(self.streams.lists.get(stream, [])):
                for source, at in captured.items():
                    if source != stream:
                        held[stream, place + 1].setdefault((source, at))
        for (stream, place), causes in held.items():
            operation = self.streams.lists[stream][place]
            branch = self.streams.branches(stream, place)
            before = None if place == 0 or branch else self.streams.lists[stream][place - 1]
            events = [self.streams.lists[source][at] for source, at in causes]
            said.expect(operation, binding(operation, before, events))

    def calls_alone(self, said):
        """Waits of which the file has the calls alone: nothing impossible is named."""
        starts = sorted(it[0] for it in self.wait_calls)
        by_key = collections.defaultdict(list)
        for operation in self.operations:
            by_key[operation.name, operation.stream, operation.start].append(operation)
        for stream, found in self.streams.lists.items():
            for place, operation in enumerate(found):
                told = said.find(operation)
                if told is None or said.kind(told) != "event":
                    continue
                at = said.start(told["cause"])
                causes = by_key.get((told["cause"]["name"], told["cause"].get("stream"), at), [])
                causes = [it for it in causes if it.process == operation.process]
                own = [operation.launched or 0] + ([found[place - 1].end] if place else [])
                def possible(cause):
                    waits = bisect.bisect_left(starts, operation.launched or 0)
                    return (
                        cause.stream != operation.stream
                        and cause.launched is not None
                        and waits > bisect.bisect_left(starts, cause.launched)
                        and max(own) <= cause.end <= operation.start + TOLERANCE
                    )
                said.note(operation, any(map(possible, causes)), told, "an event that is possible")

    def spans(self, said):
        """Waits that are spans: blocked until the record of their number."""
        records = {}
        for operation in self.operations:
            if operation.name == "event_record":
                records[operation.stream, operation.row["args"].get("seq_num")] = operation
        for operation in self.operations:
            if operation.name != "event_wait":
                continue
            args = operation.row["args"]
            record = records.get((whole(args.get("wait_on_stream")), args.get("seq_num")))
            if record is not None:
                said.expect_blocked(operation, record)
        if not said.compared:
            raise Skip("no wait names a record that is in it")


class AscendJson(Kineto):
    def __init__(self, path):
        super().__init__(path)
        self.operations = []
        for row in self.rows:
            args = row.get("args") if isinstance(row.get("args"), dict) else {}
            stream = args.get("Physic Stream Id", args.get("Stream Id"))
            # Marks of the profiler are no operations.
            if stream is None or "Task Type" not in args or row["name"].startswith("PROFILING_"):
                continue
            start = nanos(row["ts"])
            end = start + nanos(row.get("dur", 0))
            self.operations.append(Operation(str(row["name"]), row["pid"], whole(stream), start, end, None, row))

    def compare(self, said):
        named = lambda name: [it for it in self.operations if it.name == name]
        ended_together(said, named("EVENT_WAIT"), named("EVENT_RECORD"))
        ended_last(said, self.operations)


def ended_last(said, operations):
    """Operations that no call is known for: behind whatever of their stream ended last before they began. On a stream on which
    none overlap by more than clocks are rounded by, the one before may go on for so long."""
    streams = collections.defaultdict(list)
    for operation in operations:
        streams[operation.process, operation.stream].append(operation)
    for found in streams.values():
        found.sort(key=lambda it: (it.start, it.end))
        latest, slack = float("-inf"), TOLERANCE
        for operation in found:
            within = operation.start < operation.end < latest
            if within or latest > operation.start + TOLERANCE:
                slack = 0
            latest = max(latest, operation.end)
        ends, by_start = [], collections.defaultdict(list)
        for operation in found:
            by_start[operation.start].append(operation)
            told = said.find(operation)
            if told is not None and said.kind(told) in ("stream", "unknown stream"):
                cause = told["cause"].get("last_known", told["cause"])
                ended = bisect.bisect_right(ends, operation.start)
                latest = ends[ended - 1] if ended else float("-inf")
                causes = [it.end for it in by_start[said.start(cause)]]
                right = any(latest <= it <= operation.start + slack for it in causes)
                said.note(operation, right, told, f"the operation that ended at {latest}")
            bisect.insort(ends, operation.end)


def ended_together(said, waits, records):
    """Waits that no number ties: until a record on another stream that ended with them."""
    for wait in waits:
        near = [it for it in records if it.stream != wait.stream and abs(it.end - wait.end) <= NEAR]
        if near:
            said.expect_blocked(wait, min(near, key=lambda it: (abs(it.end - wait.end), it.end, it.start)))
    if not said.compared:
        raise Skip("no wait ends with a record on another stream")


def rows(database, query, *values):
    try:
        return database.execute(query, values).fetchall()
    except sqlite3.OperationalError:
        return []


class Tables:
    """Nsight Systems' tables, and those of Ascend's profiler."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)

    def count(self):
        tables = ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "TASK"]
        return sum(it[0] for table in tables for it in rows(self.database, f"SELECT count(*) FROM {table}"))

    def compare(self, said):
        if rows(self.database, "SELECT 1 FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_RUNTIME'"):
            return self.nsight(said)
        if rows(self.database, "SELECT 1 FROM sqlite_master WHERE name = 'CANN_API'"):
            return self.ascend(said)
        raise Skip("it has no table of waits")

    def nsight(self, said):
        database = self.database
        waits = rows(
            database,
            "SELECT streamId, correlationId, eventId, globalPid FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION WHERE syncType = 2",
        )
        records = rows(database, "SELECT streamId, correlationId, eventId, globalPid FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT")
        if not waits:
            raise Skip("no stream waits for an event")
        if not records:
            raise Skip("the file has waits and no record of any event")
        calls = {(row[1], row[2] >> 24): row[0] for row in rows(
            database, "SELECT start, correlationId, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME"
        )}
        call = lambda number, process: calls.get((number, process >> 24))
        operations = []
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            for start, end, stream, number, process, device in rows(
                database,
                f"SELECT start, end, streamId, correlationId, globalPid, deviceId FROM CUPTI_ACTIVITY_KIND_{table}",
            ):
                operations.append(Operation(None, (process, device), stream, start, end, call(number, process), None))
        self.streams = Streams(operations)
        by_event = collections.defaultdict(list)
        for stream, number, event, process in records:
            at = call(number, process)
            if at is not None:
                by_event[process, event].append((at, stream))
        of_process = collections.defaultdict(set)
        for process, device in {it.process for it in operations}:
            of_process[process].add((process, device))
        held = collections.defaultdict(set)
        for stream, number, event, process in waits:
            at = call(number, process)
            before = [it for it in by_event[process, event] if at is not None and it[0] < at]
            if not before:
                continue
            recorded, source = max(before)
            for owner in of_process[process]:
                cause = self.streams.before((owner, source), recorded)
                place = self.streams.before((owner, stream), at) + 1
                if source != stream and cause >= 0 and place < len(self.streams.lists.get((owner, stream), [])):
                    held[(owner, stream), place].add(((owner, source), cause))
        for (stream, place), causes in held.items():
            operation = self.streams.lists[stream][place]
            before = self.streams.lists[stream][place - 1] if place else None
            events = [self.streams.lists[source][at] for source, at in causes]
            said.expect(operation, binding(operation, before, events))
        if not held:
            raise Skip("every wait is for a record of its own stream")

    def ascend(self, said):
        tasks = rows(
            self.database,
            "SELECT s.value, t.startNs, t.endNs, t.streamId, t.deviceId FROM TASK t JOIN STRING_IDS s ON s.id = t.taskType",
        )
        made = [Operation(name, device, stream, start, end, None, None) for name, start, end, stream, device in tasks]
        named = lambda name: [it for it in made if it.name == name]
        ended_together(said, named("EVENT_WAIT"), named("EVENT_RECORD"))
        ended_last(said, made)


class Said:
    """What Syncline says of a file."""

    def __init__(self, syncline, path, operations_start):
        command = [syncline, "explain", path, "--all", "--format", "json"]
        output = subprocess.run(command, capture_output=True, text=True)
        if output.returncode:
            raise Skip("Syncline does not open it: " + output.stderr.strip()[:120])
        self.lines = collections.defaultdict(list)
        told = [json.loads(line) for line in output.stdout.splitlines()]
        told = [it for it in told if it["type"] == "op"]
        self.zero = None
        if told and operations_start is not None:
            self.zero = operations_start - min(it["start_ns"] for it in told)
        for line in told:
            self.lines[line.get("stream"), line["start_ns"] + (self.zero or 0)].append(line)
        self.compared, self.wrong = 0, []

    def start(self, cause):
        return cause["start_ns"] + self.zero

    def find(self, operation):
        found = self.lines.get((operation.stream, operation.start), [])
        same = [it for it in found if it["end_ns"] + self.zero == operation.end]
        named = [it for it in same if operation.name is None or it["name"] == operation.name]
        found = named or same
        return found[0] if found else None

    def kind(self, told):
        cause = told["cause"]
        if cause["kind"] == "unknown":
            return "unknown " + cause.get("last_known", {}).get("kind", "")
        return cause["kind"]

    def note(self, operation, right, told, wanted):
        self.compared += 1
        if not right:
            self.wrong.append(f"{operation.name} at {operation.start} on {operation.stream}: {told and told['cause']}, not {wanted}")

    def expect(self, operation, wanted):
        told = self.find(operation)
        if told is None:
            return self.note(operation, False, None, wanted)
        cause = told["cause"].get("last_known", told["cause"])
        right = wanted is not None and self.kind(told) == wanted.kind and self.start(cause) == wanted.start
        if right and wanted.stream is not None:
            right = cause.get("stream") == wanted.stream
        self.note(operation, right, told, wanted)

    def expect_blocked(self, wait, record):
        """A wait is blocked until its record ended, as far as that was after it began."""
        told = self.find(wait)
        held = [it for it in (told or {}).get("inside", []) if it["what"] == "blocked"]
        until = min(record.end, wait.end)
        if record.end > wait.end + TOLERANCE or until <= wait.start:
            return self.note(wait, told is not None and not held, told, "not blocked")
        right = len(held) == 1 and held[0]["to_ns"] + self.zero == until and held[0].get("stream") == record.stream
        self.note(wait, right, told and {"cause": held}, f"blocked until {until} by stream {record.stream}")


def reading(path):
    with open(path, "rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3"):
        return Tables(path)
    if path.endswith("trace_view.json"):
        return AscendJson(path)
    if head[:2] == b"\x1f\x8b":
        with gzip.open(path) as file:
            head = file.read(16)
    if head.lstrip()[:1] not in (b"{", b"["):
        raise Skip("no JSON and no SQLite")
    return Kineto(path)


def first_start(read):
    if isinstance(read, Tables):
        tables = [f"CUPTI_ACTIVITY_KIND_{it}" for it in ("KERNEL", "MEMCPY", "MEMSET")]
        found = [rows(read.database, f"SELECT min(start) FROM {it}") for it in tables]
        work = "SELECT min(startNs) FROM TASK JOIN STRING_IDS ON id = taskType WHERE value NOT LIKE 'PROFILING_%'"
        found += [rows(read.database, work)]
        return min((it[0][0] for it in found if it and it[0][0] is not None), default=None)
    return min((it.start for it in read.operations), default=None)


def main():
    arguments = sys.argv[1:]

    def option(name):
        if name not in arguments:
            return float("inf")
        at = arguments.index(name)
        value = int(arguments[at + 1])
        del arguments[at : at + 2]
        return value

    most_bytes, most_operations = option("--most-bytes"), option("--most-operations")
    syncline, places = arguments[0], arguments[1:]
    files = []
    for place in places:
        if os.path.isdir(place):
            for folder, _, names in os.walk(place):
                files += [os.path.join(folder, name) for name in names if not name.endswith((".md", ".textproto", ".truth.json"))]
        else:
            files.append(place)
    compared = wrong = with_events = 0
    for path in sorted(files):
        try:
            if os.path.getsize(path) > most_bytes:
                raise Skip(f"larger than {most_bytes} bytes")
            read = reading(path)
            if read.count() > most_operations:
                raise Skip(f"more than {most_operations} operations")
            if not isinstance(read, Tables) and not read.operations:
                raise Skip("no operation of a stream")
            if not isinstance(read, (Tables, AscendJson)) and not read.waits and not read.wait_calls and not any(
                it.name == "event_wait" for it in read.operations
            ):
                raise Skip("no stream waits for an event")
            said = Said(syncline, path, first_start(read))
            read.compare(said)
        except Skip as reason:
            print(f"skipped {path}: {reason}")
            continue
        with_events += 1
        compared += said.compared
        wrong += len(said.wrong)
        print(f"{path}: {said.compared} compared, {len(said.wrong)} wrong")
        for line in said.wrong[:20]:
            print("   ", line)
    print(f"{compared} operations of {with_events} captures compared, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
