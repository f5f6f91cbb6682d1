"""Says what is wrong with a piece of a capture, or with one whose words were replaced, from the files alone.

    python3 tests/oracle/piece.py touching RAW.json[.gz] PIECE.json START END
    python3 tests/oracle/piece.py words PLAIN.json WORDS.json WORDS.pftrace

RAW is a trace of PyTorch's, the others were written by `syncline convert`; START and END are nanoseconds of capture time. Only
Python's own library is used. Exit code 1 and a sentence for everything that is not as it has to be.
"""

import gzip
import json
import re
import sys
from collections import Counter
from decimal import Decimal


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    found = json.loads(data, parse_float=Decimal, strict=False)
    return found["traceEvents"] if isinstance(found, dict) else found


def nanos(value):
    return int((Decimal(str(value)) * 1000).to_integral_value())


def spans(events):
    """Complete events: name, start and length in nanoseconds."""
    return [
        (str(it.get("name")), nanos(it["ts"]), nanos(it.get("dur", 0)))
        for it in events
        if it.get("ph") == "X" and "ts" in it
    ]


def offset(raw, cut):
    """What raw times are more than capture times, by spans that are alone of their name and length in both files."""
    ours, theirs = unique(cut), unique(raw)
    shifts = Counter(theirs[key] - ours[key] for key in ours if key in theirs and key[1] > 0)
    if not shifts:
        sys.exit("no span of the piece is alone of its name and length in the raw file")
    return shifts.most_common(1)[0][0]


def unique(found):
    counts = Counter((name, length) for name, _, length in found)
    return {(n, l): s for n, s, l in found if counts[(n, l)] == 1}


def touching(raw_path, cut_path, start, end):
    start, end = int(start), int(end)
    raw = spans(load(raw_path))
    cut_events = load(cut_path)
    stubs = [it for it in cut_events if it.get("ph") == "X" and it.get("cat") == "stub"]
    kept = spans([it for it in cut_events if it.get("cat") != "stub"])
    shift = offset(raw, kept)
    wanted = Counter()
    for name, at, length in raw:
        at -= shift
        inside = at < end and at + length > start if length else start <= at < end
        if inside:
            wanted[(name, at, length)] += 1
    have = Counter(it for it in kept)
    wrong = []
    for key in sorted(wanted - have)[:5]:
        wrong.append(f"{key} touches the range and is not in the piece")
    raw_names = {it[0] for it in raw}
    for key in sorted(have - wanted)[:5]:
        # What the file has as an instant or as a beginning and an end is no complete event there.
        if key[2] and key[0] in raw_names:
            wrong.append(f"{key} is in the piece and does not touch the range")
    whole = Counter((name, at - shift) for name, at, _ in raw)
    whole.update((name, at - shift + length) for name, at, length in raw)
    for stub in stubs:
        name, at = str(stub["name"]), nanos(stub["ts"])
        if stub.get("dur", 0) != 0:
            wrong.append(f"the stub {name} lasts {stub['dur']}")
        if (name, at) not in whole:
            wrong.append(f"the stub {name} at {at} stands at no end of a span of that name")
    tell(wrong)


# What every file of Syncline's may say: names of APIs, kinds, and words of formats.
ALLOWED = re.compile(
    r"^(cuda|cu|hip|hsa|nccl|rccl|vk)[A-Z_]\w*$|^nccl|^Memcpy|^Memset|^\[CUDA mem|^[\d\s.,:\[\]()x-]*$", re.I
)
# What profilers say of the sort of an event: by PyTorch's own list (torch/csrc/profiler and libkineto's ActivityType).
CATEGORIES = set(
    "cpu_op user_annotation gpu_user_annotation gpu_memcpy gpu_memset kernel cuda_runtime cuda_driver cuda_event cuda_sync "
    "cpu_instant_event python_function overhead mtia_runtime mtia_ccp_events xpu_runtime xpu_driver "
    "privateuse1_runtime privateuse1_driver Trace Operator Runtime Kernel Memcpy Memset nvtx".split()
)
SHORT = 5
# So many words are looked for.
MOST = 300


def words(plain_path, words_path, perfetto_path):
    plain, other = load(plain_path), load(words_path)
    wrong = []
    for phase in ["X", "s", "f", "C", "B"]:
        of = lambda events: [it for it in events if it.get("ph") == phase]
        before, after = of(plain), of(other)
        if len(before) != len(after):
            wrong.append(f"{len(before)} events {phase} became {len(after)}")
            continue
        shape = lambda it: (it.get("ts"), it.get("dur"), it.get("pid"), it.get("tid"), it.get("cat"), it.get("id"))
        changed = [pair for pair in zip(before, after) if shape(pair[0]) != shape(pair[1]) and phase != "C"]
        if changed:
            wrong.append(f"of {len(changed)} events {phase} times or structure changed, such as {changed[0]}")
    pairs = {}
    for before, after in zip(
        [it for it in plain if it.get("ph") == "X"], [it for it in other if it.get("ph") == "X"]
    ):
        if before.get("cat") == after.get("cat"):
            key = before["name"]
            if pairs.setdefault(key, after["name"]) != after["name"]:
                wrong.append(f"{key} became both {pairs[key]} and {after['name']}")
    if len(set(pairs.values())) != len(pairs):
        wrong.append(f"{len(pairs)} names became {len(set(pairs.values()))}")
    secrets = {name for name, new in pairs.items() if not ALLOWED.search(name)}
    for event in plain:
        if event.get("ph") in ("X", "B"):
            for key, value in (event.get("args") or {}).items():
                if isinstance(value, str) and not key.startswith("syncline") and not ALLOWED.search(value):
                    is_sort = key == "category" and value in CATEGORIES
                    if key not in ("dtype", "Collective name") and not is_sort:
                        secrets.add(value)
    own = {"stub", "kernel", "call", "scope", "upload", "download", "host-work", "stream", "Timeline", "float", "enforced"}
    labels = {str(event.get("cat")) for event in plain}
    kept = " ".join(name for name, new in pairs.items() if name == new)
    secrets = {it for it in secrets if len(it) >= SHORT and it not in kept and it not in own and it not in labels}
    # Of thousands each is looked for in all of the bytes: some hundreds, from all over the alphabet, are enough.
    secrets = sorted(it for it in secrets if len(it) > 8)
    secrets = secrets[:: max(1, len(secrets) // MOST)]
    for path in (words_path, perfetto_path):
        with open(path, "rb") as file:
            data = file.read()
        for secret in secrets:
            as_json = json.dumps(secret, ensure_ascii=False)[1:-1]
            found = {form for form in (secret, as_json) if form.encode() in data}
            if found:
                wrong.append(f"{path} still says {secret!r}")
    tell(wrong)


def tell(wrong):
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    {"touching": touching, "words": words}[sys.argv[1]](*sys.argv[2:])
