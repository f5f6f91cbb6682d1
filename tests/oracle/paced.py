#!/usr/bin/env python3
"""Checks a run of a paced device from its capture alone, in the JSON that Syncline converts it to.

    paced.py CAPTURE.json [COPY COMPUTE PARTS]

By the events' own fields: no more operations at once than an engine can run, every length by the law within the lateness
that is reported, worked and held making up the whole, and waits for engines that end where another operation of that engine
did. With three more arguments, the overlap of the copies of stream COPY with the kernels of stream COMPUTE against
(PARTS - 1) / PARTS. Prints one object with what was counted, and exits 1 with the reasons where something is wrong.
"""

import json
import sys

COPY_IN, COPY_OUT = "copy-in engine", "copy-out engine"
# Between the end of an operation and the next on its engine, by one clock that is read twice.
SLACK = 1


def number(value):
    return int(value) if value is not None else 0


def law_of(document):
    """The law, as the record of the device says it."""
    found = []

    def look(node):
        if isinstance(node, dict):
            law = node.get("paced")
            if isinstance(law, dict) and "bytes_per_second" in law:
                found.append(law)
            for inner in node.values():
                look(inner)
        elif isinstance(node, list):
            for inner in node:
                look(inner)
        elif isinstance(node, str) and '"paced"' in node:
            look(json.loads(node))

    look(document)
    if not found:
        sys.exit("the capture names no paced device")
    return found[0]


def operations(document):
    """What ran on an engine: name, engine, thread, start, length, fields; times in nanoseconds."""
    for event in document["traceEvents"]:
        fields = event.get("args", {})
        if event.get("ph") != "X" or "engine" not in fields or "worked (ns)" not in fields:
            continue
        start = round(event["ts"] * 1000)
        yield {
            "name": event["name"],
            "thread": (event["pid"], event["tid"]),
            "engine": fields["engine"],
            "start": start,
            "end": start + round(event["dur"] * 1000),
            "bytes": number(fields.get("bytes")),
            "micros": fields.get("micros"),
            "waited": number(fields.get("waited for its engine (ns)")),
            "worked": number(fields["worked (ns)"]),
            "held": number(fields["held by the pace (ns)"]),
            "late": number(fields["late (ns)"]),
        }


def by_law(law, ran):
    """What the law gives an operation, where its fields say enough."""
    if ran["bytes"]:
        return ran["bytes"] / law["bytes_per_second"] * 1e9 * law["stretch"]
    if ran["micros"] is not None:
        return ran["micros"] * 1000 * law["stretch"]
    return None


def most_at_once(intervals):
    edges = sorted((time, step) for ran in intervals for time, step in ((ran["start"], 1), (ran["end"], -1)))
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def shared(first, second):
    """For how long both have something that runs; neither overlaps itself."""
    return sum(
        max(0, min(one["end"], other["end"]) - max(one["start"], other["start"])) for one in first for other in second
    )


def stream(document, name):
    for event in document["traceEvents"]:
        if event.get("ph") == "M" and event["name"] == "thread_name" and event["args"]["name"].split(" (")[0] == name:
            yield (event["pid"], event["tid"])


def main(path, rest):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    law, wrong = law_of(document), []
    ran = list(operations(document))
    by_engine = {}
    for it in ran:
        by_engine.setdefault(it["engine"], []).append(it)
    for engine, all_of in by_engine.items():
        most = most_at_once(all_of)
        if most > 1:
            wrong.append(f"{most} operations at once on {engine}")
    slots = [engine for engine in by_engine if engine.startswith("compute slot ")]
    if len(slots) > law["slots"]:
        wrong.append(f"{len(slots)} compute slots, and the law has {law['slots']}")
    if unknown := set(by_engine) - set(slots) - {COPY_IN, COPY_OUT}:
        wrong.append(f"unknown engines {unknown}")
    looked = 0
    for it in ran:
        length = it["end"] - it["start"]
        if it["worked"] + it["held"] != length:
            wrong.append(f"{it['name']}: worked {it['worked']} and held {it['held']} are not {length}")
        given = by_law(law, it)
        if given is not None:
            looked += 1
            if abs(length - it["late"] - given) > 2:
                wrong.append(f"{it['name']}: {length} ns, late by {it['late']}, and the law gives {given}")
        if it["waited"]:
            others = by_engine.values() if it["engine"].startswith("compute") else [by_engine[it["engine"]]]
            freed = [o["end"] for group in others for o in group if o is not it and o["end"] <= it["start"] + SLACK]
            if not any(it["start"] - it["waited"] - SLACK <= end for end in freed):
                wrong.append(f"{it['name']} waited {it['waited']} for {it['engine']}, which nothing had")
    told = {"operations": len(ran), "by the law": looked, "engines": sorted(by_engine)}
    if rest:
        copy, compute, parts = rest[0], rest[1], int(rest[2])
        copies = [it for it in ran if it["thread"] in stream(document, copy) and it["engine"] == COPY_IN]
        kernels = [it for it in ran if it["thread"] in stream(document, compute) and it["engine"] in slots]
        kernels = [it for it in kernels if not it["bytes"]]
        least = min(sum(it["end"] - it["start"] for it in group) for group in (copies, kernels))
        told["overlap"] = shared(copies, kernels) / max(least, 1)
        told["ideal"] = (parts - 1) / parts
        if abs(told["overlap"] - told["ideal"]) > 0.1:
            wrong.append(f"overlap {told['overlap']:.3f} is not near {told['ideal']:.3f}")
    print(json.dumps(told))
    if wrong:
        sys.exit("\n".join(wrong[:20]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
