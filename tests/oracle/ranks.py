"""Counts what the eight ranks of a PyTorch run hold, and when each began, straight from the JSON.

    python3 tests/oracle/ranks.py FOLDER > tests/oracle/ranks.json

FOLDER holds kineto/param_dlrm8. Only Python's own library is used.
"""

import gzip
import json
import os
import sys
from collections import Counter

FOLDER = "kineto/param_dlrm8"
GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def count(path):
    with gzip.open(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    work = [it for it in events if it.get("ph") == "X" and it.get("cat") in GPU]
    nccl = [it for it in work if "nccl" in it["name"].lower()]
    return {
        "work": len(work),
        "streams": len({it["tid"] for it in work}),
        "exchanges": Counter(it["name"].split("(")[0].split("_")[1] for it in nccl),
        # Whole microseconds since 1970.
        "first_ns": min(it["ts"] for it in work) * 1000,
    }


if __name__ == "__main__":
    folder = os.path.join(sys.argv[1], FOLDER)
    names = sorted(os.listdir(folder))
    table = {os.path.join(FOLDER, name): count(os.path.join(folder, name)) for name in names}
    print(json.dumps(table, indent=2))
