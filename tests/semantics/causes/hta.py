#!/usr/bin/env python3
"""Compares what Syncline says of idle time and of critical paths with what HolisticTraceAnalysis said of the same captures.

    hta.py SYNCLINE HTA_TRUTH CAPTURES [--most-bytes N] [--most-operations N]

HTA is another opinion: each difference is listed with the reason why HTA's is questionable, and only one without a reason is
an error. Compared are, for each rank, the time from the first operation to the last and how much of it no stream ran; for each
stream the gaps between its operations, and how much of them the host is said to be the cause of; and the operations that the
critical path runs."""

import collections
import json
import os
import subprocess
import sys

from latest_ending import Kineto, first_start

# HTA rounds every time down to a whole microsecond.
ROUNDING = 1_000

FEWER_STEPS = "HTA leaves out the last ProfilerStep when it reads a file that has steps"
NEGATIVE = "operations of the stream overlap, which HTA counts as negative gaps"
SYNC_ROWS = "cuda_sync rows bear the number of a stream, and HTA counts them as its operations"
HEAVIEST = (
    "blocking calls and dependencies weigh nothing to HTA, so its path is the heaviest and not the latest: it does not cover "
    "the time, and may end before the last operation"
)
NO_SYNC = HEAVIEST + "; without cuda_sync rows no call has a cause and its path stays on the host"
# What the document of causes says of single captures, by capture and what is compared.
REASONS = {
    ("kineto/hta_cp_alexnet.json.gz", "path"): HEAVIEST,
    ("kineto/hta_cp_event_sync_multi_stream.json.gz", "path"): HEAVIEST,
    ("kineto/param_dlrm8", "path"): "HTA looks at each rank by itself, and " + NO_SYNC,
    ("kineto/hta_trace_diff_control.json.gz", "path"): FEWER_STEPS + "; " + NO_SYNC,
    ("kineto/tl_b200_eager.json.gz", "path"): NO_SYNC,
    ("kineto/tl_sglang_qwen3_decode.json.gz", "path"): (
        "nodes of a graph launch lose their launch edge after the first in HTA, and its path jumps over them (its issue 290)"
    ),
    ("kineto/hta_df_index_resolver.json.gz", "path"): FEWER_STEPS + "; " + NO_SYNC,
    ("kineto/tl_xdit_sd35_rank_0.json.gz", "path"): NO_SYNC,
}


class Answers:
    def __init__(self, syncline):
        self.syncline = syncline

    def lines(self, command, files, *more):
        output = subprocess.run(
            [self.syncline, command, *files, *more, "--format", "json"], capture_output=True, text=True, check=True
        )
        return [json.loads(line) for line in output.stdout.splitlines()]


def union(intervals):
    total, end = 0, None
    for start, stop in sorted(intervals):
        if end is None or start > end:
            total, end = total + stop - start, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


class Comparison:
    def __init__(self, capture):
        self.capture, self.agreed, self.differed, self.errors = capture, 0, [], []

    def say(self, what, agrees, ours, theirs, reason):
        if agrees:
            self.agreed += 1
        elif reason:
            self.differed.append(f"{what}: {ours}, HTA says {theirs}: {reason}")
        else:
            self.errors.append(f"{what}: {ours}, HTA says {theirs}, for no reason that is known")


def compare(answers, result, folder, limits):
    capture = result["capture"]
    files = {int(rank): os.path.join(folder, path) for rank, path in result["files"].items()}
    found = Comparison(capture)
    if any(os.path.getsize(path) > limits[0] for path in files.values()):
        return None, f"larger than {limits[0]} bytes"
    raw = {rank: Kineto(path) for rank, path in files.items()}
    if any(it.count() > limits[1] for it in raw.values()):
        return None, f"more than {limits[1]} operations"
    has_steps = len(result["profiler_steps"]) > 0
    whole_steps = has_steps and len(result["profiler_steps"]) > 1
    for rank, path in files.items():
        if raw[rank].count() == 0 or isinstance(result["temporal_breakdown"], dict):
            continue
        sync = any(it.get("cat") == "cuda_sync" for it in raw[rank].rows)
        operations = [it for it in answers.lines("explain", [path], "--all") if it["type"] == "op"]
        breakdown(found, result, rank, operations, len(raw[rank].operations), whole_steps, sync)
        gaps(found, answers, result, rank, path, operations, whole_steps, sync)
    for row in result["critical_path"]:
        if "failed" in row or row["annotation"]:
            continue
        rank = row["rank"]
        critical(found, answers, result, rank, files[rank], raw[rank], row)
    return found, None


def breakdown(found, result, rank, operations, count, has_steps, has_sync):
    row = next(it for it in result["temporal_breakdown"] if it["rank"] == rank)
    intervals = [(it["start_ns"], it["end_ns"]) for it in operations]
    whole = max(it[1] for it in intervals) - min(it[0] for it in intervals)
    idle = whole - union(intervals)
    allowed = ROUNDING * (count + 2)
    reason = FEWER_STEPS if has_steps else SYNC_ROWS if has_sync else None
    for what, ours, theirs, margin in (
        ("time of operations", whole, row["kernel_time(us)"] * 1_000, 2 * ROUNDING),
        ("time without any operation", idle, row["idle_time(us)"] * 1_000, allowed),
    ):
        found.say(f"rank {rank} {what}", abs(ours - theirs) <= margin, ours, theirs, reason)


def gaps(found, answers, result, rank, path, operations, has_steps, has_sync):
    by_stream = {}
    for row in result["idle_time_breakdown"]:
        if row["rank"] == rank:
            by_stream.setdefault(row["stream"], {})[row["idle_category"]] = row["idle_time"] * 1_000
    for stream, theirs in sorted(by_stream.items()):
        own = sorted((it["start_ns"], it["end_ns"]) for it in operations if it.get("stream") == stream)
        if not own:
            found.say(f"rank {rank} stream {stream}", False, "no such stream", "it has operations", None)
        if len(own) < 2:
            continue
        begin, end = own[0][0], max(it[1] for it in own)
        within = f"{begin}ns..{end}ns"
        rows = answers.lines("idle", [path], "--range", within)
        row = next(it for it in rows if it["type"] == "idle" and it.get("stream") == stream)
        keys = ("host_ns", "host_sync_ns", "dependency_ns", "latency_ns", "unknown_ns")
        ours = sum(row[key] for key in keys)
        margin = 2 * ROUNDING * (len(own) + 1)
        overlaps = sum(max(0, a[1] - b[0]) for a, b in zip(own, own[1:]))
        reason = FEWER_STEPS if has_steps else NEGATIVE if overlaps > margin else SYNC_ROWS if has_sync else None
        if any(it["stream"] == stream and it["name"] == "event_wait" for it in operations if "stream" in it):
            reason = reason or "waits that are spans are no work: HTA counts them as busy"
        total = sum(theirs.values())
        found.say(f"rank {rank} stream {stream} gaps", abs(ours - total) <= margin, ours, total, reason)
        # A gap whose launch began after the operation before it ended is the host's as a whole to HTA, whatever came after
        # the launch.
        host = row["host_ns"] + row["host_sync_ns"]
        waited = theirs.get("host_wait", 0)
        most = ours + overlaps
        agrees = host - margin - overlaps <= waited <= most + margin
        found.say(f"rank {rank} stream {stream} gaps of the host", agrees, f"{host} to {most}", waited, reason)


def critical(found, answers, result, rank, path, raw, row):
    segments = [it for it in answers.lines("critical-path", [path]) if it["type"] == "path"]
    ours = {(it["name"], it["stream"], it["from_ns"]) for it in segments if it["what"] == "run" and "stream" in it}
    said = [it for it in answers.lines("explain", [path], "--all") if it["type"] == "op"]
    zero = first_start(raw) - min(it["start_ns"] for it in said)
    # The path may run an operation from the middle on: its start is what HTA says.
    starts = {}
    for it in said:
        starts.setdefault((it["name"], it.get("stream")), []).append((it["start_ns"], it["end_ns"]))

    def start(name, stream, at):
        return next((a for a, b in starts[name, stream] if a <= at < b), at)

    named = {(name, stream, (start(name, stream, at) + zero) // 1_000) for name, stream, at in ours}
    told = [(it[0], it[3], it[1]) for it in row["device_events_on_path"]]
    theirs = {(name, stream, at + shift(told, raw)) for name, stream, at in told}
    near = lambda one, many: any((one[0], one[1], one[2] + off) in many for off in (-1, 0, 1))
    only_ours = sum(not near(it, theirs) for it in named)
    only_theirs = sum(not near(it, named) for it in theirs)
    both = len(named) - only_ours
    length = sum(it["to_ns"] - it["from_ns"] for it in segments)
    text = f"{both} operations on both paths, {only_ours} on ours alone (which covers {length} ns)"
    theirs = f"{only_theirs} on its own alone (its weights cover {row['sum_of_weights'] * 1000} of {row['wall'] * 1000} ns)"
    agrees = only_ours == 0 and only_theirs == 0
    found.say(f"rank {rank} path", agrees, text, theirs, REASONS.get((found.capture, "path")))


def shift(told, raw):
    """HTA counts from the first row that it keeps, which it does not name: what fits most operations."""
    fits = collections.Counter()
    for name, stream, at in told:
        for it in raw.operations:
            if (it.name, it.stream) == (name, stream):
                fits[it.start // 1_000 - at] += 1
    return fits.most_common(1)[0][0] if fits else 0


def main():
    arguments = sys.argv[1:]
    limits = [float("inf"), float("inf")]
    for place, name in enumerate(("--most-bytes", "--most-operations")):
        if name in arguments:
            at = arguments.index(name)
            limits[place] = int(arguments[at + 1])
            del arguments[at : at + 2]
    syncline, truth, folder = arguments
    with open(truth, encoding="utf-8") as file:
        results = json.load(file)["results"]
    answers, agreed, differed, errors = Answers(syncline), 0, 0, 0
    for result in results:
        found, why = compare(answers, result, folder, limits)
        if found is None:
            print(f"skipped {result['capture']}: {why}")
            continue
        print(f"{result['capture']}: {found.agreed} agree, {len(found.differed)} differ, {len(found.errors)} wrong")
        for line in found.differed:
            print("    differs:", line)
        for line in found.errors:
            print("    WRONG:", line)
        agreed, differed, errors = agreed + found.agreed, differed + len(found.differed), errors + len(found.errors)
    print(f"{agreed} answers agree with HTA, {differed} differ for a reason, {errors} without one")
    sys.exit(errors > 0)


if __name__ == "__main__":
    main()
