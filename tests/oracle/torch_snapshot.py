#!/usr/bin/env python3
"""Writes snapshots of an allocator that never was, and what each had from moment to moment by the model that made it:

    python3 tests/oracle/torch_snapshot.py FOLDER SEED…

For each seed it writes SEED.pickle, as torch.cuda.memory._dump_snapshot does, and SEED.json: a list of moments with `since`, in
nanoseconds from the first entry of the history, and for the one device that has memory `allocated`, `reserved`, `alive` (address,
bytes, innermost call or "") and `segments` (address, bytes, bytes allocated, blocks, largest free piece). A model allocator with
two streams makes it: segments that are allocated whole and one that grows and shrinks, blocks that are asked to be freed and are
free later, a history of which only the end is kept."""

import json
import os
import pickle
import random
import sys

MIB = 1 << 20
DEVICE = 1


class Model:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.segments = {}  # address: [bytes, stream, grows]
        self.blocks = {}  # address: [bytes, stream, frames, asked to be freed]
        self.entries, self.states = [], []
        self.time, self.next_address = 1_700_000_000_000_000 + seed, 0x7F00_0000_0000
        self.stacks = [self.stack(place) for place in range(5)]

    @staticmethod
    def stack(place):
        calls = [{"filename": f"/src/train_{place}.py", "name": f"layer_{place}", "line": 10 + place},
                 {"filename": "/src/train.py", "name": "step", "line": 7}, {"filename": "??", "name": "main", "line": 0}]
        return calls[place % 2:]

    def state(self):
        return {"segments": {it: list(of) for it, of in self.segments.items()},
                "blocks": {it: list(of) for it, of in self.blocks.items()}}

    def log(self, action, address, size, stream, frames=None):
        self.time += self.random.choice((0, 1, 3, 250))
        entry = {"action": action, "addr": address, "size": size, "stream": stream, "time_us": self.time}
        if frames is not None:
            entry["frames"] = frames
        self.entries.append(entry)
        self.states.append(self.state())

    def free_places(self, stream):
        for address, (size, own, _) in self.segments.items():
            if own != stream:
                continue
            at = address
            for block in sorted(it for it in self.blocks if address <= it < address + size):
                if block > at:
                    yield at, block - at
                at = block + self.blocks[block][0]
            if at < address + size:
                yield at, address + size - at

    def allocate(self):
        stream, size = self.random.choice((0, 77)), self.random.randrange(1, 40) * 512
        place = next((at for at, room in self.free_places(stream) if room >= size), None)
        if place is None:
            place = self.grow(stream) if self.random.random() < 0.4 else self.reserve(stream)
        frames = self.random.choice(self.stacks)
        self.blocks[place] = [size, stream, frames, False]
        self.log("alloc", place, size, stream, frames)

    def reserve(self, stream):
        address, self.next_address = self.next_address, self.next_address + 4 * MIB
        self.segments[address] = [self.random.choice((64, 128)) * 1024, stream, False]
        self.log("segment_alloc", address, self.segments[address][0], stream, self.stacks[0])
        return address

    def grow(self, stream):
        growing = [it for it, of in self.segments.items() if of[2] and of[1] == stream]
        piece = 64 * 1024
        if not growing:
            address, self.next_address = self.next_address, self.next_address + 64 * MIB
            self.segments[address] = [0, stream, True]
            growing = [address]
        at = growing[0] + self.segments[growing[0]][0]
        self.segments[growing[0]][0] += piece
        self.log("segment_map", at, piece, stream, self.stacks[1])
        return at

    def free(self):
        asked = [it for it, of in self.blocks.items() if of[3]]
        if asked and self.random.random() < 0.6:
            address = self.random.choice(asked)
            size, stream, _, _ = self.blocks.pop(address)
            return self.log("free_completed", address, size, stream, [])
        rest = [it for it, of in self.blocks.items() if not of[3]]
        if rest:
            address = self.random.choice(rest)
            self.blocks[address][3] = True
            self.log("free_requested", address, self.blocks[address][0], self.blocks[address][1], [])

    def trim(self):
        for address, (size, stream, grows) in list(self.segments.items()):
            used = [it for it in self.blocks if address <= it < address + size]
            end = address + size - 64 * 1024
            if grows and size and all(it + self.blocks[it][0] <= end for it in used):
                self.segments[address][0] -= 64 * 1024
                if not self.segments[address][0]:
                    del self.segments[address]
                return self.log("segment_unmap", end, 64 * 1024, stream)
            if not grows and not used:
                del self.segments[address]
                return self.log("segment_free", address, size, stream)

    def run(self, steps):
        for _ in range(steps):
            self.random.choice((self.allocate, self.allocate, self.allocate, self.free, self.free, self.free, self.free, self.trim))()

    def snapshot(self, kept):
        segments = []
        for address, (size, stream, grows) in sorted(self.segments.items()):
            blocks, at = [], address
            for block in sorted(it for it in self.blocks if address <= it < address + size):
                of = self.blocks[block]
                if block > at:
                    blocks.append({"address": at, "size": block - at, "requested_size": 0, "state": "inactive", "frames": []})
                state = "active_pending_free" if of[3] else "active_allocated"
                blocks.append({"address": block, "size": of[0], "requested_size": of[0] - 8, "state": state, "frames": of[2]})
                at = block + of[0]
            if at < address + size:
                blocks.append({"address": at, "size": address + size - at, "requested_size": 0, "state": "inactive", "frames": []})
            segments.append({"device": DEVICE, "address": address, "total_size": size, "stream": stream, "segment_type": "small",
                             "allocated_size": 0, "active_size": 0, "blocks": blocks, "is_expandable": grows,
                             "segment_pool_id": (0, 0)})
        named = [{"device": DEVICE, "name": "step", "stage": "START", "time_us": self.entries[-kept]["time_us"]},
                 {"device": DEVICE, "name": "step", "stage": "END", "time_us": self.time}]
        return {"segments": segments, "device_traces": [[], self.entries[-kept:]], "allocator_settings": {"expandable": True},
                "external_annotations": named}

    def moments(self, kept):
        first = len(self.entries) - kept
        zero = self.entries[first]["time_us"]
        for place in sorted(self.random.sample(range(first, len(self.entries)), min(20, kept))):
            # A moment is over once all of its entries are.
            while place + 1 < len(self.entries) and self.entries[place + 1]["time_us"] == self.entries[place]["time_us"]:
                place += 1
            yield self.moment(place, zero)

    def moment(self, place, zero):
        state = self.states[place]
        alive = []
        for address, (size, _, frames, _) in sorted(state["blocks"].items()):
            is_told = self.allocated_since(address, place, zero) or address in self.blocks and self.blocks[address][2] is frames \
                and not any(it["addr"] == address and it["action"] == "free_completed" for it in self.entries[place + 1:])
            call = frames[0] if is_told else None
            alive.append([address, size, f"{call['name']} ({call['filename']}:{call['line']})" if call else ""])
        segments = []
        for address, (size, _, _) in sorted(state["segments"].items()):
            own = sorted((it, of[0]) for it, of in state["blocks"].items() if address <= it < address + size)
            ends = [address] + [at + length for at, length in own]
            gaps = [start - end for end, start in zip(ends, [at for at, _ in own] + [address + size])]
            segments.append([address, size, sum(it[1] for it in own), len(own), max(gaps)])
        return {"since": (self.entries[place]["time_us"] - zero) * 1000, "allocated": sum(it[1] for it in alive),
                "reserved": sum(it[1] for it in segments), "alive": alive, "segments": segments}

    def allocated_since(self, address, place, zero):
        """Whether the kept history tells of the allocation that is there at an entry."""
        first = len(self.entries) - self.kept
        return any(it["addr"] == address and it["action"] == "alloc" for it in self.entries[first:place + 1])


def main():
    folder = sys.argv[1]
    for seed in map(int, sys.argv[2:]):
        model = Model(seed)
        model.run(400)
        model.kept = kept = [60, 200, len(model.entries)][seed % 3]
        with open(os.path.join(folder, f"{seed}.pickle"), "wb") as file:
            pickle.dump(model.snapshot(kept), file, protocol=2 + seed % 4)
        with open(os.path.join(folder, f"{seed}.json"), "w") as file:
            json.dump(list(model.moments(kept)), file)


main()
