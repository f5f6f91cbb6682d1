#!/usr/bin/env python3
"""Compares captures with what Syncline makes of them, span by span, by a reading of the raw files that shares no code with it:

    python3 tests/formats/exact/compare.py PROGRAM FOLDER_OR_FILE...
    python3 tests/formats/exact/compare.py --list FOLDER_OR_FILE...

The second prints the files that the first would compare.
PROGRAM is the built `syncline`. Each capture is exported as CSV, and compared with what its bytes say: spans by process,
thread, name, start and length to the nanosecond; arrows that the file itself draws; samples of counters. Where the two
differ, the difference has to stand in differences.txt with its reason, and nothing may stand there that is no difference.
Only Python's own library is needed."""

import collections
import csv
import os
import re
import subprocess
import sys
import tempfile

import raw_json
import raw_perfetto
import raw_tables
import raw_xplane

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = 3


def raw(path):
    """The reader of a file, by its ending."""
    name = path[:-3] if path.endswith(".gz") else path
    if name.endswith(".xplane.pb"):
        return raw_xplane.read
    if name.endswith((".pftrace", ".proto")):
        return raw_perfetto.read
    if name.endswith(("_results.json",)):
        return raw_tables.rocprofv3
    if name.endswith(".json"):
        return raw_json.read
    if name.endswith((".sqlite", ".db")):
        return raw_tables.database
    return None


class Export:
    """What Syncline says of a file."""

    def __init__(self, program, path):
        with tempfile.TemporaryDirectory() as folder:
            csv.field_size_limit(1 << 30)
            tables = []
            for ending in ("csv", "dependencies.csv", "counters.csv"):
                target = os.path.join(folder, "out." + ending)
                done = subprocess.run([program, "convert", path, target], capture_output=True, text=True)
                if done.returncode != 0:
                    raise ValueError(done.stderr.strip() or done.stdout.strip())
                with open(target, newline="") as file:
                    tables.append(list(csv.DictReader(file)))
        self.rows, self.ties, self.samples = tables
        self.by_id = {row["id"]: row for row in self.rows}

    def spans(self):
        return [self.span(row) for row in self.rows]

    def span(self, row):
        return row["process"], row["thread"], row["name"], int(row["start_ns"]), int(row["duration_ns"])

    def flows(self, draws_launches):
        """Arrows of the file's own: those of work that a number ties to its launch are not drawn by it."""
        found = []
        kinds = {"flow", "submission"} if draws_launches else {"flow"}
        for tie in self.ties:
            if tie["kind"] in kinds and tie["cause"] in self.by_id and tie["effect"] in self.by_id:
                found.append((self.span(self.by_id[tie["cause"]]), self.span(self.by_id[tie["effect"]])))
        return found

    def all_ties(self):
        ends = [(self.by_id.get(tie["cause"]), self.by_id.get(tie["effect"])) for tie in self.ties]
        return [(self.span(a), self.span(b)) for a, b in ends if a and b]

    def counters(self):
        found = collections.defaultdict(list)
        for row in self.samples:
            found[row["counter"], row["name"]].append((int(row["time_ns"]), float(row["value"])))
        return found


def moved(span, by):
    return span[:3] + (span[3] + by,) + span[4:]


def missing(expected, found):
    """What is expected and not there, and what is there and not expected; with a few of each."""
    expected, found = collections.Counter(expected), collections.Counter(found)
    less, more = expected - found, found - expected
    return sum(less.values()), sum(more.values()), list(less)[:SHOWN], list(more)[:SHOWN]


def without(facts, span):
    """A span without what a file does not say of it."""
    span = list(span)
    for place, field in enumerate(("process", "thread", "name")):
        if field in facts.unknown:
            span[place] = ""
    return tuple(span)


def compare(facts, export):
    """Each sort of fact with how many are missing and how many too many, and some of both."""
    found, expected = export.spans(), facts.spans
    # Zero is the earliest span, in any file.
    shift = -facts.zero()
    wrong = {}
    if found and "zero" in facts.unknown:
        shift += min(it[3] for it in found)
    elif found:
        first = min(it[3] for it in found)
        if first != 0:
            wrong["zero"] = (abs(first), 0, [first], [])
            shift += first
    expected = [moved(it, shift) for it in expected]
    trim = lambda it: without(facts, it)
    wrong["spans"] = spans(facts, [trim(it) for it in expected], [trim(it) for it in found])
    pairs = [(trim(expected[a]), trim(expected[b])) for a, b in facts.flows]
    drawn = export.all_ties() if facts.all_ties else export.flows(facts.draws_launches)
    if "flows" not in facts.unknown:
        wrong["flows"] = missing(pairs, [(trim(a), trim(b)) for a, b in drawn])
    lanes = lambda spans: {it[:2] for it in map(trim, spans)}
    if "more" not in facts.unknown:
        wrong["lanes"] = missing(lanes(expected), lanes(found))
    if "counters" not in facts.unknown:
        wrong["counters"] = counters(facts, export, shift)
    return {sort: it for sort, it in wrong.items() if it[0] or it[1]}


def spans(facts, expected, found):
    """Spans by all that is known of each; those without a name in the file are looked for last, by the rest."""
    named = [it for it in expected if it[2] is not None]
    less, more, some, others = missing(named, found)
    if "unnamed" in facts.unknown:
        rest = collections.Counter(found) - collections.Counter(named)
        rest = [it[:2] + (None,) + it[3:] for it in rest.elements()]
        less_too, more, some_too, others = missing([it for it in expected if it[2] is None], rest)
        less, some = less + less_too, some + some_too
    return less, 0 if "more" in facts.unknown else more, some, others


def counters(facts, export, shift):
    """Series with the same samples, under a name that holds the name in the file."""
    rest = collections.defaultdict(list)
    for (_, name), samples in export.counters().items():
        rest[tuple(sorted(samples))].append(name)
    less = []
    for key, samples in facts.counters.items():
        moved_samples = tuple(sorted((time + shift, value) for time, value in samples))
        names = rest.get(moved_samples, [])
        fits = next((it for it in names if key[1].strip() in it), None)
        if fits is None:
            less.append(key)
        else:
            names.remove(fits)
    more = [name for names in rest.values() for name in names]
    return len(less), len(more), less[:SHOWN], more[:SHOWN]


def known():
    """The differences that are known: file without its folder, sort, how many are missing, how many too many, and why."""
    table = {}
    with open(os.path.join(HERE, "differences.txt")) as file:
        for line in file:
            line = line.strip()
            if line and not line.startswith("#"):
                file_, sort, less, more, _reason = line.split(None, 4)
                table[file_, sort] = (int(less), int(more))
    return table


def captures(given):
    for path in given:
        if os.path.isfile(path):
            yield os.path.basename(path), path
        for base, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                whole = os.path.join(base, name)
                yield os.path.relpath(whole, path).replace(os.sep, "/"), whole


def compared(given):
    """Prints each file of which there is a reading of its own."""
    for name, path in captures(given):
        reader = raw(path)
        facts = reader(path) if reader else None
        if facts is not None:
            print(name)
    return 0


def main(program, *given):
    if program == "--list":
        return compared(given)
    wrong, count, table, met = 0, 0, known(), set()
    for name, path in captures(given):
        reader = raw(path)
        facts = reader(path) if reader else None
        if facts is None:
            continue
        count += 1
        try:
            differences = compare(facts, Export(program, path))
        except ValueError as error:
            print("%s: %s" % (name, error))
            wrong += 1
            continue
        file = os.path.basename(name)
        for sort, (less, more, some, others) in differences.items():
            met.add((file, sort))
            if table.get((file, sort)) == (less, more):
                continue
            wrong += 1
            print("%s: %s: %d missing, %d too many" % (name, sort, less, more))
            for it in some:
                print("    missing:  %s" % (it,))
            for it in others:
                print("    too many: %s" % (it,))
        for (known_file, sort), _ in table.items():
            if known_file == file and (file, sort) not in met:
                wrong += 1
                print("%s: %s: the difference that differences.txt lists is none" % (name, sort))
    print("%d captures compared, %d differences without a reason" % (count, wrong))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
