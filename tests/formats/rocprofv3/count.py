#!/usr/bin/env python3
"""Counts what results of rocprofv3 hold, with Python's own json and by rules written down here anew, for the tests to
compare with what Syncline opens:  count.py FOLDER > counts.txt"""

import gzip
import json
import os
import sys

WORK = ("kernel_dispatch", "memory_copy")


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        if b"rocprofiler-sdk-tool" not in file.read(65536):
            return None
    with opened(path, "rb") as file:
        return json.load(file)["rocprofiler-sdk-tool"]


def count(processes):
    spans, kernels, launches = 0, 0, 0
    streams, counters, devices = set(), set(), set()
    for number, process in enumerate(processes):
        gpus = {agent["id"]["handle"] for agent in process["agents"] if agent["type"] == 2}
        calls = set()
        for name, rows in process["buffer_records"].items():
            if name.endswith("_api") and name != "marker_api":
                calls |= {row["correlation_id"]["internal"] for row in rows}
        for name, rows in process["buffer_records"].items():
            spans += sum("start_timestamp" in row for row in rows)
            if name not in WORK:
                continue
            for row in rows:
                kernels += name == "kernel_dispatch"
                launches += row["correlation_id"]["internal"] in calls
                if "dispatch_info" in row:
                    device = row["dispatch_info"]["agent_id"]["handle"]
                else:
                    ends = [row[end]["handle"] for end in ("dst_agent_id", "src_agent_id")]
                    device = next(end for end in ends if end in gpus)
                devices.add((number, device))
                streams.add((number, device, row["stream_id"]["handle"]))
        for collection in process["callback_records"]["counter_collection"]:
            counters |= {(number, it["counter_id"]["handle"]) for it in collection["records"]}
    return spans, len(streams), kernels, launches, len(counters), len(devices)


def main():
    folder = sys.argv[1]
    print("file spans streams kernels launches counters devices")
    found = []
    for base, _, names in os.walk(folder):
        found += [os.path.join(base, name) for name in names if name.endswith((".json", ".json.gz"))]
    for path in sorted(found):
        processes = read(path)
        if processes:
            print(os.path.relpath(path, folder).replace(os.sep, "/"), *count(processes))


main()
