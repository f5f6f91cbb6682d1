"""Counts what Perfetto files of other tools hold, straight from the bytes and without a line of the importers.

    python3 tests/oracle/pftrace.py FOLDER > tests/oracle/pftrace.json

FOLDER holds the files named in FILES. Only Python's own library is used.
"""

import json
import os
import sys
from collections import Counter, defaultdict

FILES = [
    "perfetto/rocsys_perfetto-3638851.proto",
    "perfetto/compiled/perfetto_gpu_api_slice.pftrace",
    "perfetto/compiled/perfetto_gpu_compute_kernel.pftrace",
    "perfetto/compiled/perfetto_gpu_compute_launch.pftrace",
    "perfetto/compiled/perfetto_gpu_counter_specs.pftrace",
    "perfetto/compiled/perfetto_gpu_render_stages_flow.pftrace",
    "perfetto/compiled/perfetto_gpu_render_stages_interned_spec.pftrace",
]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """The fields of a message: number to list of values, in order."""
    found, at = defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            length = 8 if wire == 1 else 4
            value, at = data[at : at + length], at + length
        found[tag >> 3].append(value)
    return found


def first(fields, number, default=None):
    return fields[number][0] if fields.get(number) else default


def text(fields, number):
    value = first(fields, number)
    return value.decode("utf-8", "replace") if value is not None else None


def count(path):
    with open(path, "rb") as file:
        data = file.read()
    names, gauges, samples = {}, set(), 0
    default_track, specs = {}, defaultdict(dict)
    slices, stages, stage_lanes = [], [], set()
    for packet in message(data)[1]:
        fields = message(packet)
        writer = first(fields, 10, 0)
        if first(fields, 13, 0) & 1:
            specs[writer] = {}
        if 12 in fields:
            for spec in message(fields[12][0])[24]:
                spec = message(spec)
                specs[writer][first(spec, 1, 0)] = text(spec, 2)
        if 59 in fields:
            defaults = message(message(fields[59][0]).get(11, [b""])[0])
            default_track[writer] = first(defaults, 11)
        if 60 in fields:
            track = message(fields[60][0])
            names[first(track, 1, 0)] = text(track, 2) or ""
        if 11 in fields:
            event = message(fields[11][0])
            track = first(event, 11, default_track.get(writer, ("writer", writer)))
            kind = first(event, 9, 0)
            if kind == 1:
                gpu = message(first(event, 3000, b""))
                slices.append(
                    {
                        "time": first(fields, 8, 0),
                        "track": track,
                        "flows": event[47],
                        "submits": gpu[1],
                        "waits": gpu[2],
                        "name": text(event, 23) or "",
                    }
                )
            elif kind == 4:
                gauges.add(track)
                samples += 1
        if 53 in fields:
            stage = message(fields[53][0])
            queue = first(stage, 13, 0)
            lane = specs[writer].get(queue, "number %d" % queue)
            stages.append({"id": first(stage, 1), "waits": stage[18]})
            stage_lanes.add((first(stage, 11, 0), lane))
        if 52 in fields:
            event = message(fields[52][0])
            gpu = first(event, 3, 0)
            for spec in message(first(event, 1, b""))[1]:
                gauges.add(("gpu", gpu, first(message(spec), 1, 0)))
            samples += len(event[2])
    return tally(names, slices, (stages, stage_lanes), len(gauges), samples)


def tally(names, slices, work, counters, samples):
    stages, stage_lanes = work
    on_gpu = lambda it: names.get(it["track"], "").startswith("GPU ")
    streams = {it["track"] for it in slices if on_gpu(it)}
    ties, last = Counter(), {}
    # A flow is all slices that share its number, in order of time.
    for it in sorted(slices, key=lambda it: it["time"]):
        for flow in it["flows"]:
            if flow in last:
                ties["submission" if on_gpu(it) else "flow"] += 1
            last[flow] = it
    ids = {stage["id"] for stage in stages}
    ties["event"] += sum(wait in ids for stage in stages for wait in stage["waits"])
    ties["submission"] += sum(id in ids for it in slices for id in it["submits"])
    ties["synchronization"] += sum(id in ids for it in slices for id in it["waits"])
    copies = [it for it in slices if on_gpu(it) and "MEMORY_COPY" in it["name"]]
    kernels = sum(map(on_gpu, slices)) - len(copies) + len(stages)
    return {
        "spans": len(slices) + len(stages),
        "streams": len(streams) + len(stage_lanes),
        "kernels": kernels,
        "uploads": sum("HOST_TO_DEVICE" in it["name"] for it in copies),
        "downloads": sum("DEVICE_TO_HOST" in it["name"] for it in copies),
        "counters": counters,
        "samples": samples,
        "dependencies": {kind: number for kind, number in sorted(ties.items()) if number},
    }


if __name__ == "__main__":
    table = {name: count(os.path.join(sys.argv[1], name)) for name in FILES}
    print(json.dumps(table, indent=2))
