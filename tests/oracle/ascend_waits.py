#!/usr/bin/env python3
"""Says which record each EVENT_WAIT of a file of Ascend's profilers is for, by a reading that shares no code with Syncline:

    python3 tests/oracle/ascend_waits.py FILE

FILE is a trace_view.json or an ascend_pytorch_profiler_N.db. A line a wait: its stream, its start in nanoseconds after the
first wait, and the stream and the start of its record, or a dash.

No file names the event of a wait. One that held its stream back longer than a microsecond ended because a record on another
stream was reached: the one nearest to its end, at most a microsecond away. One that passed at once is for what its own thread
had recorded last on another stream."""

import collections
import decimal
import json
import sqlite3
import sys

NEAR = STOOD = 1000
Task = collections.namedtuple("Task", "name stream start end call")
Call = collections.namedtuple("Call", "thread order")


def from_json(path):
    nanos = lambda it: int(decimal.Decimal(str(it)) * 1000)
    with open(path) as file:
        events = json.load(file)
    events = events if isinstance(events, list) else events["traceEvents"]
    calls = {}
    for it in events:
        arguments = it.get("args", {})
        if it.get("ph") == "X" and "Thread Id" in arguments and "connection_id" in arguments:
            call = Call(it["tid"], nanos(it["ts"]))
            known = calls.setdefault(arguments["connection_id"], call)
            if call.order < known.order:
                calls[arguments["connection_id"]] = call
    for it in events:
        if it.get("name") in ("EVENT_RECORD", "EVENT_WAIT"):
            start = nanos(it["ts"])
            call = calls.get(it["args"]["connection_id"])
            yield Task(it["name"], it["tid"], start, start + nanos(it.get("dur", 0)), call)


def from_database(path):
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    names = dict(database.execute("select id, value from STRING_IDS"))
    calls = {}
    for connection, thread, start in database.execute("select connectionId, globalTid, startNs from CANN_API"):
        known = calls.get(connection)
        if known is None or start < known.order:
            calls[connection] = Call(thread, start)
    question = "select taskType, streamId, startNs, endNs, connectionId from TASK"
    for kind, stream, start, end, connection in database.execute(question):
        if names.get(kind) in ("EVENT_RECORD", "EVENT_WAIT"):
            yield Task(names[kind], stream, start, end, calls.get(connection))


def record_of(wait, records):
    others = [it for it in records if it.stream != wait.stream]
    if wait.end - wait.start > STOOD:
        near = [it for it in others if abs(it.end - wait.end) <= NEAR]
        return min(near, key=lambda it: abs(it.end - wait.end), default=None)
    if wait.call is None:
        return None
    own = [it for it in others if it.call and it.call.thread == wait.call.thread and it.call.order < wait.call.order]
    own = [it for it in own if it.start <= wait.end]
    return max(own, key=lambda it: it.call.order, default=None)


def main(path):
    tasks = list(from_json(path) if path.endswith(".json") else from_database(path))
    waits = sorted((it for it in tasks if it.name == "EVENT_WAIT"), key=lambda it: it.start)
    records = [it for it in tasks if it.name == "EVENT_RECORD"]
    zero = waits[0].start
    for wait in waits:
        record = record_of(wait, records)
        found = "%s %d" % (record.stream, record.start - zero) if record else "-"
        print(wait.stream, wait.start - zero, found)


if __name__ == "__main__":
    main(sys.argv[1])
