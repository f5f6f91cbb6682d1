"""Compares what a program wrote of its own calls of NVTX with what was recorded of them.

    python3 tests/oracle/nvtx.py LOG CAPTURE.json

LOG is what tests/nvtx/ranges.c or ranges.py wrote, CAPTURE.json what `syncline convert` made of the recording. Every range,
mark and sample of the log must be there on its thread with what it says besides, and nothing else. Clocks differ by one
number: each moment lies between the two that the program read around its call. Only Python's own library is used.
"""

import json
import re
import sys
from collections import defaultdict

SORTS = ("range", "mark", "open", "sample")


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def read_log(path):
    rows = defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.rstrip("\n").split("\t")
            sort, process, thread, name, domain = words[:5]
            assert sort in SORTS, line
            row = {
                "sort": sort,
                "times": [int(word) for word in words[5:9]],
                "thread": int(thread),
                "ender": int(words[9]),
                "more": dict(it.split("=", 1) for it in words[10].split(";") if it),
            }
            key = (int(process), name, domain) if sort == "sample" else (int(process), int(thread), name)
            rows[key].append(row)
    return rows


def lanes(events):
    """The process and the thread of each lane, as its name has them."""
    found = {}
    for event in events:
        if event["ph"] != "M" or event["name"] != "thread_name":
            continue
        # Ranges that cross others lie on lanes of their own, which have a number behind the name.
        name = re.sub(r" \(\d+\)$", "", event["args"]["name"])
        words = re.match(r"(\S+) (\d+)(?:: (.*) (\d+))?$", name)
        if words:
            process = int(words[2])
            found[event["pid"], event["tid"]] = (process, int(words[4] or process), words[3])
    return found


def read_capture(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    threads = lanes(events)
    rows = defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            name, value = event["name"], list(event["args"].values())[0]
            words = re.match(r"(.*) \((?:(.*), )?\S+ (\d+)\)$", name)
            rows[int(words[3]), words[1], words[2] or ""].append({"start": nanoseconds(event["ts"]), "value": value})
        elif event["ph"] in ("X", "i") and event["cat"] == "scope":
            process, thread, _ = threads[event["pid"], event["tid"]]
            more = {key: value for key, value in event["args"].items() if not key.startswith("syncline.")}
            start = nanoseconds(event["ts"])
            end = nanoseconds(event["ts"] + event.get("dur", 0))
            rows[process, thread, event["name"]].append({"start": start, "end": end, "more": more})
    return rows, threads


class Clock:
    """What the two clocks can differ by, after all that was compared."""

    def __init__(self):
        self.least, self.most = -(10**30), 10**30

    def narrow(self, first, recorded, last, what):
        self.least = max(self.least, first - recorded)
        self.most = min(self.most, last - recorded)
        assert self.least <= self.most, f"{what}: no difference of clocks fits"


def same(expected, found):
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return float(expected) == float(found)
    return expected == str(found)


def compare(key, row, got, clock):
    what = f"{row['sort']} {key}"
    first, last, end_first, end_last = row["times"]
    clock.narrow(first, got["start"], last, what)
    if row["sort"] == "sample":
        assert same(row["more"]["value"], got["value"]), f"{what}: {got}"
        return
    more = dict(got["more"])
    if row["sort"] == "open":
        assert more.pop("not ended", None), f"{what} has an end: {got}"
    elif row["sort"] == "range":
        clock.narrow(end_first, got["end"], end_last, f"end of {what}")
    else:
        assert got["end"] == got["start"], what
    if row["ender"] not in (0, row["thread"]):
        assert more.pop("ended by thread", None) == row["ender"], f"{what}: {got}"
    assert sorted(more) == sorted(row["more"]), f"{what}: {more} for {row['more']}"
    for name, value in row["more"].items():
        assert same(value, more[name]), f"{what}: {name} is {more[name]!r}, and not {value!r}"


def main(log, capture):
    expected = read_log(log)
    found, threads = read_capture(capture)
    clock, counts = Clock(), defaultdict(int)
    for key in sorted(expected, key=str):
        rows = sorted(expected[key], key=lambda row: row["times"])
        got = sorted(found.pop(key, []), key=lambda row: row["start"])
        assert len(rows) == len(got), f"{key}: {len(got)} recorded of {len(rows)}"
        for row, recorded in zip(rows, got):
            compare(key, row, recorded, clock)
            counts[row["sort"]] += 1
    assert not found, f"recorded and never called: {sorted(found, key=str)[:5]}"
    named = sorted({name for _, _, name in threads.values() if name})
    words = ", ".join(f"{counts[sort]} {sort}" for sort in SORTS if counts[sort])
    print(f"{words}; threads {named}; the clocks differ by {clock.least} to {clock.most} ns")


if __name__ == "__main__":
    main(*sys.argv[1:])
