#!/usr/bin/env python3
"""Counts what captures in SQLite hold, with Python's own sqlite3 and by rules written down here anew, for the tests to
compare with what Syncline opens:  count.py FOLDER > counts.txt"""

import bisect
import os
import sqlite3
import sys
from collections import Counter, defaultdict

NONE = 0xFFFFFFFF
PREFIX = "CUPTI_ACTIVITY_KIND_"


class File:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path.replace("?", "%3f"), uri=True)
        self.db.row_factory = sqlite3.Row
        self.tables = {row[0] for row in self.db.execute("select name from sqlite_master where type = 'table'")}

    def rows(self, table):
        return [dict(row) for row in self.db.execute('select * from "%s"' % table)] if table in self.tables else []

    def columns(self, table):
        return {row[1] for row in self.db.execute('pragma table_info("%s")' % table)}

    def query(self, sql):
        return list(self.db.execute(sql))


class Submitted:
    """Operations of streams by the order in which the host submitted them."""

    def __init__(self):
        self.orders = defaultdict(list)

    def add(self, stream, order):
        bisect.insort(self.orders[stream], order)

    def any_before(self, stream, order):
        return bisect.bisect_left(self.orders.get(stream, []), order) > 0

    def any_after(self, stream, order):
        known = self.orders.get(stream, [])
        return bisect.bisect_right(known, order) < len(known)

    def last_before(self, stream, order):
        known = self.orders[stream]
        return known[bisect.bisect_left(known, order) - 1]

    def waited_for_by_all(self, streams, order, previous):
        """How many streams had something new that a wait for everything waits for."""
        count = 0
        for stream in streams:
            if self.any_before(stream, order) and (previous is None or self.last_before(stream, order) > previous):
                count += 1
        return count


def nsight(file):
    counts = Counter()
    known = {PREFIX + kind for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "SYNCHRONIZATION", "CUDA_EVENT")}
    for table in file.tables - known - {"NVTX_EVENTS"}:
        columns = file.columns(table)
        if {"start", "end", "globalTid"} <= columns and columns & {"nameId", "textId"}:
            counts["spans"] += sum(row["end"] is not None for row in file.rows(table))
    for row in file.rows("NVTX_EVENTS"):
        kind = row["eventType"]
        counts["spans"] += kind == 34 or (kind not in (33, 39, 75, 76) and row["end"] is not None)
    calls, ends = {}, {}
    strings = {row["id"]: row["value"] for row in file.rows("StringIds")}
    for row in file.rows(PREFIX + "RUNTIME"):
        calls.setdefault((row["globalTid"] >> 24, row["correlationId"]), strings[row["nameId"]])
        ends.setdefault((row["globalTid"] >> 24, row["correlationId"]), row["end"])
    streams, submitted = set(), Submitted()
    for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"):
        for row in file.rows(PREFIX + table):
            process = row["globalPid"] >> 24
            stream = (process, row["contextId"], row["streamId"])
            streams.add((row["deviceId"],) + stream)
            submitted.add(stream, row["correlationId"])
            counts["spans"] += 1
            counts["submission"] += (process, row["correlationId"]) in calls
            # A copy from the device to pageable memory blocks its call; the clocks may be 2 µs apart.
            if table == "MEMCPY" and row["copyKind"] == 2 and row.get("dstKind") == 0:
                end = ends.get((process, row["correlationId"]))
                counts["synchronization"] += end is not None and row["end"] <= end + 2000
    records, by_tie = defaultdict(list), {}
    for row in file.rows(PREFIX + "CUDA_EVENT"):
        process = row["globalPid"] >> 24
        record = (row["correlationId"], (process, row["contextId"], row["streamId"]), bool(row.get("timestamp")))
        bisect.insort(records[process, row["eventId"]], record)
        if row.get("eventSyncId") not in (None, 0, NONE):
            by_tie[process, row["eventSyncId"]] = record
        counts["spans"] += record[2]

    def record_of(process, row):
        tied = by_tie.get((process, row.get("eventSyncId")))
        before = [it for it in records[process, row["eventId"]] if it[0] < row["correlationId"]]
        return tied or (before[-1] if before else None)

    previous = {}
    for row in sorted(file.rows(PREFIX + "SYNCHRONIZATION"), key=lambda it: (it["globalPid"], it["correlationId"])):
        process, order = row["globalPid"] >> 24, row["correlationId"]
        call = calls.get((process, order))
        counts["spans"] += call is None
        on_stream, on_event = row["streamId"] != NONE, row["eventId"] != NONE
        stream = (process, row["contextId"], row["streamId"])
        blocks = call is None or "Synchronize" in call
        record = record_of(process, row) if on_event else None
        if on_stream and on_event:
            if record and record[1] != stream and submitted.any_after(stream, order):
                counts["event"] += record[2] or submitted.any_before(record[1], record[0])
        elif on_event and blocks:
            counts["synchronization"] += bool(record and (record[2] or submitted.any_before(record[1], record[0])))
        elif on_stream and blocks:
            counts["synchronization"] += submitted.any_before(stream, order)
        elif blocks:
            key = (process, row["contextId"])
            own = [it for it in submitted.orders if it[:2] == key]
            counts["synchronization"] += submitted.waited_for_by_all(own, order, previous.get(key))
            previous[key] = order
    counts["streams"] = len(streams)
    return counts


def rocpd(file):
    """By the views that the file itself has; only the names of the tables with no view are looked for."""
    counts = Counter()
    calls = {row["stack_id"]: row["start"] for row in file.query("select stack_id, start from regions") if row[0]}
    address_of = dict(file.query(
        "select r.event_id, a.value from rocpd_arg a join rocpd_region r on r.event_id = a.event_id where a.name = 'stream'"))
    event_of = dict(file.query("select stack_id, event_id from regions"))
    streams, submitted = {}, Submitted()
    for view in ("kernels", "memory_copies"):
        for row in file.query("select * from " + view):
            counts["spans"] += 1
            if row["stack_id"] in calls:
                counts["submission"] += 1
                submitted.add(row["stream_id"], calls[row["stack_id"]])
                streams.setdefault(address_of.get(event_of[row["stack_id"]]), row["stream_id"])
            else:
                streams[("no call", row["stream_id"])] = row["stream_id"]
    previous = None
    for row in file.query("select * from regions order by start"):
        counts["spans"] += 1
        if row["name"] == "hipStreamSynchronize":
            stream = streams.get(address_of.get(row["event_id"]))
            counts["synchronization"] += submitted.any_before(stream, row["start"])
        elif row["name"] == "hipDeviceSynchronize":
            counts["synchronization"] += submitted.waited_for_by_all(list(submitted.orders), row["start"], previous)
            previous = row["start"]
    counts["streams"] = len(set(streams.values()))
    return counts


def changed_without_a_call(file):
    """How often a total of the allocator of tensors changes though no row of calls has that instant."""
    totals = file.query("select r.timestamp t, r.totalAllocated a from MEMORY_RECORD r join STRING_IDS s on s.id = r.component"
                        " where s.value = 'PTA' order by r.rowid")
    totals = [(row["t"], row["a"]) for row in totals]
    called = set()
    for row in file.rows("OP_MEMORY"):
        if row["streamPtr"] is not None:
            called.add(row["allocationTime"])
            # The total falls at the first of both.
            called.add(min(row[it] or row["releaseTime"] for it in ("releaseTime", "activeReleaseTime"))
                       if row["releaseTime"] is not None else None)
    return sum(after[1] != before[1] and after[0] not in called for before, after in zip(totals, totals[1:]))


def ascend(file):
    counts = Counter()
    for table in ("CANN_API", "PYTORCH_API", "MSTX_EVENTS", "STEP_TIME", "TASK", "COMMUNICATION_OP"):
        counts["spans"] += len(file.rows(table))
    # An allocation and a free are an instant each.
    for row in file.rows("OP_MEMORY"):
        counts["spans"] += sum(row[it] is not None for it in ("allocationTime", "releaseTime"))
    counts["spans"] += changed_without_a_call(file)
    counts["streams"] = file.query("select count(distinct deviceId || ':' || streamId) from TASK")[0][0]
    counts["streams"] += len({row["groupName"] for row in file.rows("COMMUNICATION_OP")})
    for table in ("TASK", "COMMUNICATION_OP"):
        join = "select count(*) from %s t join CANN_API c on c.connectionId = t.connectionId" % table
        counts["submission"] += file.query(join)[0][0]
    strings = {row["id"]: row["value"] for row in file.rows("STRING_IDS")}
    calls = {row["connectionId"]: row for row in file.rows("CANN_API")}
    tied = defaultdict(int)
    for row in file.query(
            "select c.connectionId n, count(*) k from PYTORCH_API p join CONNECTION_IDS c on c.id = p.connectionId group by 1"):
        tied[row["n"]] = row["k"]
        counts["flow"] += row["k"] - 1
    tasks = file.rows("TASK")
    counts["flow"] += sum(tied[row["connectionId"]] > 0 for row in tasks)
    of_type = lambda name: [row for row in tasks if strings[row["taskType"]] == name]
    for wait in of_type("EVENT_WAIT"):
        call, found = calls[wait["connectionId"]], False
        for record in of_type("EVENT_RECORD"):
            asked = calls[record["connectionId"]]
            if record["streamId"] == wait["streamId"] or asked["startNs"] >= call["startNs"]:
                continue
            stood = wait["endNs"] - wait["startNs"] > 1000
            near = 0 <= wait["endNs"] - record["startNs"] <= 1000
            earlier = asked["globalTid"] == call["globalTid"] and record["startNs"] <= wait["endNs"]
            found = found or (near if stood else earlier)
        counts["event"] += found
    submitted, previous = Submitted(), None
    for row in tasks:
        if row["connectionId"] in calls:
            submitted.add(row["streamId"], calls[row["connectionId"]]["startNs"])
    for row in file.rows("CANN_API"):
        if strings[row["name"]] == "aclrtSynchronizeDevice":
            counts["synchronization"] += submitted.waited_for_by_all(list(submitted.orders), row["startNs"], previous)
            previous = row["startNs"]
    return counts


def main():
    folder = sys.argv[1]
    kinds = ["spans", "streams", "submission", "event", "synchronization", "flow"]
    print("file " + " ".join(kinds))
    found = []
    for base, _, names in os.walk(folder):
        found += [os.path.join(base, name) for name in names if name.endswith((".sqlite", ".db"))]
    for path in sorted(found):
        file = File(path)
        if "StringIds" in file.tables:
            counts = nsight(file)
        elif "CANN_API" in file.tables:
            counts = ascend(file)
        else:
            counts = rocpd(file)
        print(os.path.relpath(path, folder).replace(os.sep, "/"), *(counts[kind] for kind in kinds))


main()
