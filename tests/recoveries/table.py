#!/usr/bin/env python3
"""Loses the device of every bundled workload in many ways, has it replayed, and prints how often that went well.

A run went well if it ended with exit code 0, which says that no expectation was missed, and if the loss came and was
recovered from. A moment that never comes, because the run is shorter, is counted apart, and so are runs in which a share of
time that is expected was not judged, because threads had no processor core. On wgpu, whose streams take turns, overlap is
never judged, which is not counted; with --busy a missed share there is the other program's.

    table.py [--program FILE] [--runs N] [--backends cpu,wgpu] [--workloads a,b] [--kinds destroy,driver] [--busy]
"""

import argparse
import json
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "assets", "workloads")
# Longer than any bundled workload takes in a program that was not optimised.
LIMIT_SECONDS = 120


def workloads():
    """Every bundled workload that neither loses its own device nor is run by several processes, with its text."""
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            text = file.read()
        if not re.search(r"^\s*(lose-device|placement)\b", text, re.MULTILINE):
            yield name.removesuffix(".kdl"), text


def count(rest, values):
    """How many there are of what a line declares: a number, or an expression of parameters. None where it is no array."""
    found = re.search(r'count=(?:"([^"]+)"|(\d+))', rest.split("//")[0])
    if not found:
        return None
    expression = found[1] or found[2]
    assert re.fullmatch(r"[\w\s.+*/()-]+", expression), expression
    return int(eval(expression, {"__builtins__": {}}, values))


def names(text, kind):
    """The names of the streams or pipelines of a workload, each element of an array."""
    values = {it[1]: float(it[2]) for it in re.finditer(r'^param "([^"]+)" ([\d.]+)', text, re.MULTILINE)}
    for line in text.splitlines():
        found = re.match(rf'{kind} "([^"]+)"(.*)', line)
        if not found:
            continue
        number = count(found[2], values)
        if number is None:
            yield found[1]
        else:
            yield from (f"{found[1]}[{place}]" for place in range(number))


def moments(text):
    yield ""
    yield "@2ms"
    for kind in ["stream", "pipeline"]:
        for name in names(text, kind):
            yield f"@{kind}:{name}"


def run(program, name, backend, lose, busy):
    """What one run came to: None where the loss never came, else why it went wrong, which is nothing where it did not, and
    whether something was not judged."""
    command = [program, "run", name, "--backend", backend, "--format", "json"]
    if lose:
        command += ["--lose", lose, "--recover", "replay"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LIMIT_SECONDS, text=True, check=False)
    except subprocess.TimeoutExpired:
        return f"not over after {LIMIT_SECONDS} s", False
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return f"exit {done.returncode}: {done.stderr.strip()[-200:]}", False
    if "panicked" in done.stderr:
        return done.stderr.strip()[-300:], False
    failed = [f"{it['text']}: {it['found']}" for it in report["expectations"] if it["holds"] is False]
    is_open = backend == "cpu" and any(it["holds"] is None for it in report["expectations"])
    # A device that draws with processor cores has them only while nothing else does; order and numbers are its own.
    are_shares = busy and backend == "wgpu" and failed and all(it.startswith("busy") for it in failed)
    if done.returncode != 0 and not are_shares:
        return "; ".join(failed) or report.get("reason") or f"exit {done.returncode}: {done.stderr.strip()[-200:]}", is_open
    if not lose:
        return "", is_open
    # Where a fault ends the process, another one begins again.
    if report.get("earlier_attempts"):
        return "", is_open
    if not report["losses"]:
        return None, is_open
    late = [it for it in report["losses"] if it["recovered_after_ns"] is None and it["operations"]]
    # A loss after the last call and the last operation has nothing to recover.
    return "lost, and not opened anew" if late else "", is_open


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/debug/syncline")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--backends", default="cpu,wgpu")
    parser.add_argument("--workloads", default="")
    parser.add_argument("--kinds", default="destroy,driver")
    parser.add_argument("--busy", action="store_true", help="keep every core busy with another program meanwhile")
    options = parser.parse_args()
    wanted = set(filter(None, options.workloads.split(",")))
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() if options.busy else 0)]
    wrong = {}
    try:
        for backend in options.backends.split(","):
            print(f"{backend:24} {'loss':32} well", flush=True)
            for name, text in workloads():
                if wanted and name not in wanted:
                    continue
                # One that fails without any loss proves nothing of recoveries.
                if reason := run(options.program, name, backend, "", options.busy)[0]:
                    print(f"{name:24} not tried: it fails without a loss ({reason})", flush=True)
                    continue
                for kind in options.kinds.split(","):
                    for moment in moments(text):
                        lose = kind + moment
                        results = [run(options.program, name, backend, lose, options.busy) for _ in range(options.runs)]
                        came = [it for it, _ in results if it is not None]
                        unjudged = sum(is_open for it, is_open in results if it is not None)
                        well = came.count("")
                        note = f", never came in {len(results) - len(came)}" if len(came) < len(results) else ""
                        note += f", a share not judged in {unjudged}" if unjudged else ""
                        mark = "" if well == len(came) else "  WRONG"
                        print(f"{name:24} {lose:32} {well} of {len(came)}{note}{mark}", flush=True)
                        for reason in came:
                            if reason:
                                wrong.setdefault((backend, name, lose), set()).add(reason)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    for (backend, name, lose), reasons in wrong.items():
        for reason in sorted(reasons):
            print(f"{name} on {backend}, {lose}: {reason}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
