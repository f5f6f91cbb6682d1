#!/usr/bin/env python3
"""Writes files of Perfetto with events of the kernel's scheduler, and says what every thread was, by a machine that shares no
code with Syncline:

    python3 tests/oracle/ftrace.py machine SEED each|compact tracks|bare OUT
    python3 tests/oracle/ftrace.py late each|compact OUT

`machine` draws what a scheduler of three cores does with seven threads, keeps what each thread is meanwhile, and writes only what
ftrace tells of it: switches and wakings, each for itself or packed by column, core by core, in bundles that are in no order of
time over all cores. With tracks one thread has slices, and another is of the same process; bare files have nothing but ftrace
and the list of processes. It prints an object of JSON:

    threads   a list for each thread that has a lane: name, number, and its states: start, length, state, core, waker
    laneless  how many others there are

`late` writes a thread that launches two kernels and is preempted between the two. It prints for the second how long its stream
had nothing to do, and for how long of that the thread had no core. Times are nanoseconds from the first slice, in bare files
from the first event."""

import json
import random
import struct
import sys

BASE = 7_000_000_000
CORES = 3
#        name, number, process
THREADS = [("trainer", 101, 101), ("loader", 102, 101), ("worker", 103, 101), ("noise", 300, 300), ("noise", 301, 300),
           ("kworker/1", 55, 55), ("logger", 400, 400)]
PROCESSES = [(101, 1, "/usr/bin/trainer"), (300, 1, "noise"), (400, 1, "logger")]
KERNEL = [(2, 0, "kthreadd"), (55, 2, "kworker/1")]


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, body):
    body = body.encode() if isinstance(body, str) else body
    return varint(field << 3 | 2) + varint(len(body)) + body


def packed(field, values):
    return message(field, b"".join(varint(value) for value in values)) if values else b""


def packet(body, time=None, writer=1):
    stamp = b"" if time is None else number(8, time)
    return message(1, stamp + number(10, writer) + body)


class Switch:
    def __init__(self, time, core, before, state, after):
        self.time, self.core, self.before, self.state, self.after = time, core, before, state, after

    def each(self):
        body = message(1, NAMES[self.before]) + number(2, self.before) + number(3, 120) + number(4, self.state)
        body += message(5, NAMES[self.after]) + number(6, self.after) + number(7, 120)
        return number(1, self.time) + number(2, self.before) + message(4, body)


class Waking:
    def __init__(self, time, core, thread, running, interrupt):
        self.time, self.core, self.thread, self.running, self.interrupt = time, core, thread, running, interrupt

    def flags(self):
        return 0x10 if self.interrupt else 1

    def each(self):
        body = message(1, NAMES[self.thread]) + number(2, self.thread) + number(3, 120) + number(4, 1) + number(5, self.core)
        return number(1, self.time) + number(2, self.running) + number(5, self.flags()) + message(20, body)


NAMES = {number: name for name, number, _ in THREADS}
NAMES[0] = "swapper"


def differences(times):
    return [time - before for time, before in zip(times, [0] + times)]


def compact(events):
    names, places = [], {}

    def place(thread):
        name = NAMES[thread]
        if name not in places:
            places[name] = len(names)
            names.append(name)
        return places[name]

    switches = [it for it in events if isinstance(it, Switch)]
    wakings = [it for it in events if isinstance(it, Waking)]
    after = [place(it.after) for it in switches]
    woken = [place(it.thread) for it in wakings]
    body = packed(1, differences([it.time for it in switches])) + packed(2, [it.state for it in switches])
    body += packed(3, [it.after for it in switches]) + packed(4, [120] * len(switches))
    body += b"".join(message(5, name) for name in names) + packed(6, after)
    body += packed(7, differences([it.time for it in wakings])) + packed(8, [it.thread for it in wakings])
    body += packed(9, [it.core for it in wakings]) + packed(10, [120] * len(wakings)) + packed(11, woken)
    return body + packed(12, [it.flags() for it in wakings])


def bundles(events, form, draw):
    """The events of each core in bundles, which come in any order over the cores."""
    queues = [[it for it in events if it.core == core] for core in range(CORES)]
    out = b""
    while any(queues):
        core = draw.choice([core for core in range(CORES) if queues[core]])
        count = draw.randint(1, 40)
        some, queues[core] = queues[core][:count], queues[core][count:]
        body = number(1, core)
        if form == "compact":
            body += message(4, compact(some))
        else:
            body += b"".join(message(2, it.each()) for it in some)
        out += packet(message(1, body))
    return out


class Machine:
    """Three cores, and what threads are on them. States are kept as they change, and not read from what is written."""

    def __init__(self, seed, form):
        self.draw = random.Random(seed)
        # Packed wakings do not say which thread had the core: that is known from the first switch there on.
        self.known = set() if form == "compact" else set(range(CORES))
        self.time = BASE
        self.cores = [0] * CORES
        self.now = {}
        self.states = {thread: [] for _, thread, _ in THREADS}
        self.events = []

    def enter(self, thread, state, core=None, waker=None):
        self.leave(thread)
        self.now[thread] = (self.time, state, core, waker)

    def leave(self, thread):
        if thread in self.now:
            start, state, core, waker = self.now.pop(thread)
            self.states[thread].append([start, self.time - start, state, core, waker])

    def those(self, *states):
        return [thread for thread, it in sorted(self.now.items()) if it[1] in states]

    def wake(self):
        asleep = self.those("blocked", "uninterruptible") + [it for _, it, _ in THREADS if it not in self.now]
        if not asleep:
            return
        thread, core = self.draw.choice(asleep), self.draw.randrange(CORES)
        running, interrupt = self.cores[core], self.draw.random() < 0.3
        waker = "interrupt" if interrupt or running == 0 else f"{NAMES[running]} {running}"
        self.events.append(Waking(self.time, core, thread, running, interrupt))
        self.enter(thread, "runnable", None, waker if interrupt or core in self.known else None)

    def wake_again(self):
        """Threads that are ready are woken now and then; nothing comes of it."""
        ready = self.those("running", "runnable")
        if ready:
            core = self.draw.randrange(CORES)
            self.events.append(Waking(self.time, core, self.draw.choice(ready), self.cores[core], False))

    def switch(self):
        core = self.draw.randrange(CORES)
        before, ready = self.cores[core], self.those("runnable")
        after = self.draw.choice(ready) if ready and self.draw.random() < 0.85 else 0
        if before == after:
            return
        bits, state = self.draw.choice([(0, "runnable"), (0x100, "runnable"), (1, "blocked"), (1, "blocked"),
                                        (2, "uninterruptible"), (4, "blocked")])
        self.events.append(Switch(self.time, core, before, bits if before else 0, after))
        self.cores[core] = after
        self.known.add(core)
        if before:
            self.enter(before, state)
        if after:
            self.enter(after, "running", core)

    def run(self, count):
        for _ in range(count):
            self.time += self.draw.randint(1, 90_000)
            self.draw.choice([self.switch, self.switch, self.wake, self.wake, self.wake_again])()
        self.time = self.events[-1].time
        for _, thread, _ in THREADS:
            self.leave(thread)


def process_list(processes, threads):
    body = b""
    for pid, parent, line in processes:
        body += message(1, number(1, pid) + number(2, parent) + message(3, line))
    for name, tid, pid in threads:
        body += message(2, number(1, tid) + message(2, name) + number(3, pid))
    return packet(message(2, body))


def kernel(release):
    return packet(message(45, message(1, message(1, "Linux") + message(3, release))))


def track(uuid, name=None, thread=None, parent=None):
    body = number(1, uuid)
    body += number(5, parent) if parent else b""
    body += message(2, name) if name else b""
    if thread:
        name, tid, pid = thread
        body += message(4, number(1, pid) + number(2, tid) + message(5, name))
    return packet(message(60, body))


def slice_of(uuid, start, end, name, category, flow=None):
    arrow = varint(47 << 3 | 1) + struct.pack("<Q", flow) if flow else b""
    begin = number(9, 1) + number(11, uuid) + message(22, category) + message(23, name) + arrow
    return packet(message(11, begin), start) + packet(message(11, number(9, 2) + number(11, uuid)), end)


def machine(seed, form, tracks, out):
    made = Machine(seed, form)
    made.run(6_000)
    threads = [(name, tid, pid) for name, tid, pid in THREADS]
    file = kernel("6.1.0-18-amd64") + process_list(PROCESSES + KERNEL, threads)
    zero = made.events[0].time
    shown = [it for it in threads if it[2] != 55]
    if tracks == "tracks":
        zero = BASE + 1_000_000
        file += track(11, thread=THREADS[0]) + slice_of(11, zero, zero + 500_000, "step", "app")
        shown = [it for it in threads if it[2] == 101]
    file += bundles(made.events, form, made.draw)
    with open(out, "wb") as target:
        target.write(file)
    told = [
        [name, tid, [[start - zero, length, state, core, waker] for start, length, state, core, waker in made.states[tid]]]
        for name, tid, _ in shown
    ]
    print(json.dumps({"threads": told, "laneless": len(threads) - len(shown)}))


def late(form, out):
    calls = [(BASE, BASE + 20_000), (BASE + 2_100_000, BASE + 2_120_000)]
    kernels = [(BASE + 30_000, BASE + 100_000), (BASE + 2_125_000, BASE + 2_200_000)]
    # It is preempted by another program while its stream has nothing to do.
    gone = (BASE + 150_000, BASE + 1_950_000)
    thread, other, loader = 101, 300, 102
    # Another thread of the program waits for a disk, for a core, and for the first one.
    events = [
        Switch(BASE - 50_000, 0, 0, 0, thread),
        Switch(BASE - 20_000, 1, 0, 0, loader),
        Switch(gone[0], 0, thread, 0x100, other),
        Switch(BASE + 400_000, 1, loader, 2, 0),
        Waking(BASE + 900_000, 2, loader, 0, True),
        Switch(BASE + 1_100_000, 2, 0, 0, loader),
        Switch(BASE + 1_700_000, 2, loader, 1, 0),
        Switch(gone[1], 0, other, 1, thread),
        Waking(BASE + 2_150_000, 0, loader, thread, False),
        Switch(BASE + 2_160_000, 1, 0, 0, loader),
        Switch(BASE + 2_300_000, 0, thread, 1, 0),
        Waking(BASE + 2_350_000, 1, thread, loader, True),
    ]
    file = kernel("6.1.0") + process_list(PROCESSES, THREADS)
    file += track(11, thread=THREADS[0]) + track(12, name="Stream 7")
    for place, (call, ran) in enumerate(zip(calls, kernels), 1):
        file += slice_of(11, *call, "cudaLaunchKernel", "cuda_runtime", place)
        file += slice_of(12, *ran, f"gemm_{place}", "kernel", place)
    file += bundles(events, form, random.Random(1))
    with open(out, "wb") as target:
        target.write(file)
    idle = (kernels[0][1], calls[1][0])
    without = min(gone[1], idle[1]) - max(gone[0], idle[0])
    print(json.dumps({"from": idle[0] - BASE, "to": idle[1] - BASE, "without_core": without}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["machine"]:
        machine(int(sys.argv[2]), *sys.argv[3:6])
    elif sys.argv[1:2] == ["late"]:
        late(*sys.argv[2:4])
    else:
        sys.exit(__doc__)
