"""Reads Perfetto's protobuf files of any tool, byte by byte: spans, instants, counters and flows.

Rules: texts that are no UTF-8 are read with replacement characters; clocks are converted as their snapshots say, and
those that count from the timestamp before count on over whatever a packet holds; counters that are told as differences
are summed in the order of the file; an end closes the innermost open slice of its track, and one that never ends lasts
to the end of the file; an event without a type is what its legacy phase says, and on the thread of its writer where it
names no track. A legacy arrow leads from its last start or step of the same category, name and number; its points are at
the shortest slice around them, but for ends that bind to the next one."""

import collections
import gzip
import struct
import zlib

from facts import Facts

OWN_CLOCKS, REALTIME, BOOTTIME = 64, 1, 6


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


class Message:
    """The fields of a message by number, in order."""

    def __init__(self, data):
        self.all, at = collections.defaultdict(list), 0
        while at < len(data):
            tag, at = varint(data, at)
            wire = tag & 7
            if wire == 0:
                value, at = varint(data, at)
            elif wire == 2:
                length, at = varint(data, at)
                if at + length > len(data):
                    raise ValueError("cut")
                value, at = data[at : at + length], at + length
            elif wire in (1, 5):
                length = 8 if wire == 1 else 4
                value, at = data[at : at + length], at + length
            else:
                raise ValueError("no message")
            self.all[tag >> 3].append(value)

    def __contains__(self, field):
        return field in self.all

    def get(self, field, default=None):
        # Of a field that is written twice the last counts.
        return self.all[field][-1] if field in self.all else default

    def list(self, field):
        return self.all.get(field, [])

    def text(self, field):
        value = self.get(field)
        return None if value is None else value.decode("utf-8", "replace")

    def message(self, field):
        return Message(self.get(field)) if field in self.all else None

    def signed(self, field):
        value = self.get(field)
        return value - (1 << 64) if value is not None and value >= 1 << 63 else value


def packets(data):
    at = 0
    while at < len(data):
        try:
            tag, at = varint(data, at)
            length, at = varint(data, at)
        except IndexError:
            return
        if tag != 10 or at + length > len(data):
            return
        bytes_, at = data[at : at + length], at + length
        try:
            packet = Message(bytes_)
        except (ValueError, IndexError):
            continue
        if 50 in packet:
            yield from packets(zlib.decompress(packet.get(50)))
        else:
            yield packet


def numbers(message, field):
    """The numbers of a field that holds several, written one by one or together."""
    found = []
    for it in message.list(field):
        at = 0
        while isinstance(it, bytes) and at < len(it):
            number, at = varint(it, at)
            found.append(number)
        if not isinstance(it, bytes):
            found.append(it)
    return found


def read(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return Reading().all(packets(data))


class Writer:
    """What a writer says once and leaves out afterwards."""

    def __init__(self):
        self.tables = collections.defaultdict(dict)
        self.clock = self.track = None
        self.extra = [], []
        # As often as sums of counters begin anew.
        self.begun = 0

    def take(self, packet):
        if packet.get(13, 0) & 1 or packet.get(41, 0):
            begun = self.begun + 1
            self.__init__()
            self.begun = begun
        if 59 in packet:
            defaults = packet.message(59)
            self.clock = defaults.get(58)
            events = defaults.message(11) if 11 in defaults else Message(b"")
            self.track = events.get(11)
            self.extra = numbers(events, 31), numbers(events, 45)
            self.begun += 1
        if 12 in packet:
            interned = packet.message(12)
            for field in (1, 2, 3, 20, 23, 24, 1000):
                for entry in interned.list(field):
                    entry = Message(entry)
                    self.tables[field][entry.get(1, 0)] = entry


class Reading:
    def __init__(self):
        self.out = Facts()
        self.out.all_ties = True
        self.writers = collections.defaultdict(Writer)
        self.clocks, self.tracks, self.primary = {}, {}, None
        # The track of the thread that each writer writes on.
        self.threads = {}
        self.items = []
        self.gauges = {}
        self.numbered = {}
        self.points = []

    def all(self, packets):
        for packet in packets:
            self.packet(packet)
        self.add_up()
        self.items.sort(key=lambda it: it[0])
        self.replay()
        return self.out

    def packet(self, packet):
        number = packet.get(10, 0)
        writer = self.writers[number]
        writer.take(packet)
        if 6 in packet:
            self.snapshot(number, packet.message(6))
            return
        time = None
        if 8 in packet:
            clock = packet.get(58) or writer.clock or BOOTTIME
            time = self.time(number, clock, packet.get(8))
        if 60 in packet:
            track = packet.message(60)
            self.describe(track.get(1, 0), track)
            if 4 in track and 1 in track.message(4) and 2 in track.message(4):
                self.threads[number] = track.get(1, 0)
        elif 43 in packet or 44 in packet:
            # The process and the thread of a writer in the form that came before tracks.
            known = self.tracks.setdefault(("writer", number), {})
            known.update({name: packet.message(field) for name, field in (("process", 43), ("thread", 44)) if field in packet})
            if "thread" in known:
                self.threads[number] = ("writer", number)
        elif 11 in packet:
            self.event(number, writer, time, packet.message(11))
        elif 53 in packet:
            self.stage(writer, time or 0, packet.message(53))
        elif 52 in packet:
            self.gpu_counters(time or 0, packet.message(52))
        elif 65 in packet:
            self.vulkan(time or 0, packet.message(65))

    def snapshot(self, number, snapshot):
        readings = [Message(it) for it in snapshot.list(1)]
        by_id = {it.get(1, 0): it.get(2, 0) for it in readings}
        if self.primary is None:
            self.primary = snapshot.get(2)
        counts = self.primary or BOOTTIME
        nanos = by_id.get(counts)
        for clock, reading in by_id.items():
            if nanos is None and clock < OWN_CLOCKS and (0, clock) in self.clocks:
                known, at, tick, _ = self.clocks[0, clock]
                nanos = at + (reading - known) * tick
        if nanos is None:
            nanos = by_id.get(BOOTTIME, readings[0].get(2, 0) if readings else 0)
        for it in readings:
            clock = it.get(1, 0)
            key = (number if clock >= OWN_CLOCKS else 0, clock)
            last = it.get(2, 0) if it.get(3, 0) else None
            self.clocks[key] = [it.get(2, 0), nanos, max(it.get(4, 1), 1), last]

    def time(self, number, clock, timestamp):
        if clock == (self.primary or BOOTTIME):
            return timestamp
        known = self.clocks.get((number if clock >= OWN_CLOCKS else 0, clock))
        if known is None:
            return timestamp
        reading, nanos, tick, last = known
        if last is not None:
            timestamp = known[3] = last + timestamp
        return nanos + (timestamp - reading) * tick

    def describe(self, uuid, track):
        known = self.tracks.setdefault(uuid, {})
        for name, value in (("parent", track.get(5)), ("name", track.text(2) or track.text(10))):
            if value is not None:
                known[name] = value
        for name, field in (("process", 3), ("thread", 4), ("counter", 8)):
            if field in track:
                known[name] = track.message(field)

    def place(self, uuid):
        """The process and the thread of a track: its own, or those of what it is under."""
        for _ in range(8):
            track = self.tracks.get(uuid)
            if track is None:
                break
            if "thread" in track:
                return str(track["thread"].get(1, "")), str(track["thread"].get(2, ""))
            if "process" in track:
                return str(track["process"].get(1, "")), ""
            uuid = track.get("parent")
        return "", ""

    def event(self, number, writer, time, event):
        if time is None:
            time = (event.signed(16) or 0) * 1000
        uuid = event.get(11, writer.track)
        track = uuid if uuid is not None else ("writer", number)
        legacy = event.message(6)
        if not uuid and (11 not in event or not event.get(9, 0)):
            # An event of no track is on the thread that it names, or else on that of its writer.
            track = self.threads.get(number, track)
            if legacy and 18 in legacy and 19 in legacy:
                track = ("thread", str(legacy.get(18)), str(legacy.get(19)))
        self.extra_counters(number, writer, time, event)
        name = event.text(23)
        if name is None and 10 in event:
            entry = writer.tables[2].get(event.get(10))
            name = entry.text(2) if entry else None
        kind = event.get(9, 0)
        phase = chr(legacy.get(2, 0)) if legacy and kind != 4 and legacy.get(2, 0) else None
        kind = 0 if phase else kind
        categories = tuple(self.categories(writer, event))
        if legacy and name is None and 1 in legacy:
            entry = writer.tables[2].get(legacy.get(1))
            name = entry.text(2) if entry else None
        if phase and phase in "stf":
            number = next(((field, legacy.get(field)) for field in (6, 10, 11) if field in legacy), None)
            if number and number[0] == 10:
                number += (self.place(track)[0],)
            if number:
                binds_next = phase == "f" and not legacy.get(12, 0)
                self.points.append((time, track, (categories, name, number[1:]), phase, binds_next, None))
            return
        if phase and phase in "benSTpF":
            track = self.asynchronous(writer, event, legacy, phase, name, track)
        flows = [("flow", struct.unpack("<Q", it)[0], ends) for field, ends in ((47, False), (48, True)) for it in event.list(field)]
        flows += [("flow", it, ends) for field, ends in ((36, False), (42, True)) for it in event.list(field)]
        gpu = event.message(3000)
        points = ([], []) if gpu is None else (gpu.list(1), gpu.list(2))
        slice_ = {"name": name or "?", "categories": categories, "flows": flows, "submits": points[0], "waits": points[1]}
        if kind == 1 or phase in ("B", "b", "S"):
            what = ("begin", slice_)
        elif kind == 2 or phase in ("E", "e", "F"):
            what = ("end", slice_)
        elif kind == 3 or phase in ("i", "I", "R", "P", "n", "T", "p"):
            what = ("whole", slice_, time)
        elif phase == "X":
            what = ("whole", slice_, time + (legacy.signed(3) or 0) * 1000)
        elif kind == 4:
            value = struct.unpack("<d", event.get(44))[0] if 44 in event else event.signed(30) or 0
            what = ("count", float(value), (number, writer.begun))
        elif phase == "C":
            identity = legacy.get(10, legacy.get(6, legacy.get(11)))
            for annotation in event.list(4):
                annotation = Message(annotation)
                value = next((annotation.get(it) for it in (3, 4) if it in annotation), None)
                if 4 in annotation:
                    value = annotation.signed(4)
                if 5 in annotation:
                    value = struct.unpack("<d", annotation.get(5))[0]
                if value is not None:
                    # Writers number the names of fields each for itself.
                    entry = writer.tables[3].get(annotation.get(1))
                    field = annotation.text(10) or (entry.text(2) if entry else None)
                    key = ("legacy", track, name, identity, field)
                    self.items.append((time, key, ("count", float(value))))
            return
        else:
            return
        if legacy and legacy.get(13, 0) and 8 in legacy and what[0] != "end":
            phase = "-fst"[legacy.get(13)]
            self.points.append((time, track, ("bound", legacy.get(8)), phase, False, slice_))
        self.items.append((time, track, what))

    def extra_counters(self, number, writer, time, event):
        """Values of other counters that the event carries along, each of the track at its place."""
        signed = lambda it: float(it - (1 << 64) if it >= 1 << 63 else it)
        whole = [signed(it) for it in numbers(event, 12)]
        real = [it[0] for data in event.list(46) for it in struct.iter_unpack("<d", data)]
        for values, field, default in ((whole, 31, writer.extra[0]), (real, 45, writer.extra[1])):
            for track, value in zip(numbers(event, field) or default, values):
                self.items.append((time, track, ("count", value, (number, writer.begun))))

    def categories(self, writer, event):
        for iid in event.list(3):
            entry = writer.tables[1].get(iid)
            yield entry.text(2) if entry else ""
        yield from (it.decode("utf-8", "replace") for it in event.list(22))

    def asynchronous(self, writer, event, legacy, phase, name, track):
        """The track of an asynchronous operation, which the trace processor finds by number and scope."""
        known = not isinstance(track, tuple) or track in self.tracks
        process = self.place(track)[0] if known else track[1] if track[0] == "thread" else ""
        category = tuple(self.categories(writer, event))
        if 7 in legacy:
            scope = (category, legacy.text(7))
        else:
            scope = name if phase in "STpF" else category
        if 6 in legacy or 11 in legacy:
            number = ("everywhere", legacy.get(6, legacy.get(11)))
        elif 10 in legacy:
            number = (process or track, legacy.get(10))
        else:
            return track
        return self.numbered.setdefault((scope, number), ("async", process, scope, number))

    def stage(self, writer, time, event):
        if 13 not in event and 7 not in event and 2 not in event:
            return
        kernel = writer.tables[1000].get(event.get(19))
        stage = writer.tables[24].get(event.get(14))
        given = event.text(17)
        if given is None and 20 in event:
            entry = writer.tables[2].get(event.get(20))
            given = entry.text(2) if entry else None
        of_kernel = kernel and (kernel.text(3) or kernel.text(2))
        name = given or of_kernel or (stage.text(2) if stage else None) or "?"
        slice_ = {"name": name, "flows": [], "submits": [], "waits": [], "event": event.get(1), "after": event.list(18)}
        self.items.append((time, ("queue",), ("whole", slice_, time + event.get(2, 0))))

    def gpu_counters(self, time, event):
        gpu = event.get(3, 0)
        for counter in event.list(2):
            counter = Message(counter)
            value = struct.unpack("<d", counter.get(3))[0] if 3 in counter else counter.signed(2) or 0
            self.items.append((time, ("gauge", gpu, counter.get(1, 0)), ("count", float(value))))

    def vulkan(self, time, event):
        if 2 in event:
            submit = event.message(2)
            slice_ = {"name": "vkQueueSubmit", "flows": [], "submits": [], "waits": []}
            track = ("thread", str(submit.get(2, "")), str(submit.get(3, "")))
            self.items.append((time, track, ("whole", slice_, time + submit.get(1, 0))))

    def replay(self):
        stacks, last = collections.defaultdict(list), {}
        events = {}
        wanted = []

        def keep(track, time, end, slice_, place=None):
            if isinstance(track, tuple) and track not in self.tracks:
                at = track[1:3] if track[0] == "thread" else (track[1], "") if track[0] == "async" else ("", "")
            else:
                at = self.place(track)
            if place is None:
                place = self.out.span(at[0], at[1], slice_["name"], time, end)
            else:
                self.out.spans[place] = (at[0], at[1], slice_["name"], time, max(0, end - time))
            keep.places[place] = (track, time, end, slice_)
            if slice_.get("event") is not None:
                events[slice_["event"]] = place
            wanted.extend((place, it, "after") for it in slice_.get("after", []))
            wanted.extend((place, it, "submits") for it in slice_["submits"])
            wanted.extend((place, it, "waits") for it in slice_["waits"])
            return place

        keep.places = {}

        def arrows(flows, place):
            for kind, number, ends in flows:
                if number in last and last[number] != place:
                    self.out.flow(last[number], place)
                last[number] = place
                if ends:
                    del last[number]

        # A slice has its place from its beginning on, for the arrows.
        for time, track, what in self.items:
            if what[0] == "begin":
                self.out.spans.append(None)
                place = len(self.out.spans) - 1
                stacks[track].append((time, what[1], place))
                arrows(what[1]["flows"], place)
            elif what[0] == "end":
                given = what[1]["name"] if what[1]["name"] != "?" else None
                of = what[1]["categories"]
                fits = [at for at, it in enumerate(stacks[track]) if (given is None or it[1]["name"] in (given, "?"))
                        and (not of or it[1].get("categories") == of)]
                if not fits:
                    self.out.stray += 1
                    continue
                begun, slice_, place = stacks[track].pop(fits[-1])
                keep(track, begun, time, slice_, place)
                arrows(what[1]["flows"], place)
            elif what[0] == "whole":
                place = keep(track, time, what[2], what[1])
                arrows(what[1]["flows"], place)
            else:
                self.sample(track, time, *what[1:])
        self.out.open = sum(map(len, stacks.values()))
        left = [(track, *it) for track, stack in stacks.items() for it in stack]
        last = max([it[3] + it[4] for it in self.out.spans if it] + [it[1] for it in left], default=0)
        last = max([time for series in self.out.counters.values() for time, _ in series] + [last])
        for track, begun, slice_, place in left:
            keep(track, begun, last, slice_, place)
        self.old_arrows(keep.places)
        for place, number, way in wanted:
            if number in events:
                ends = (place, events[number]) if way == "submits" else (events[number], place)
                self.out.flow(*ends)

    def old_arrows(self, places):
        """Arrows whose points stand apart from slices, or whose slices say which way they lead."""
        on = collections.defaultdict(list)
        for place, (track, start, end, slice_) in places.items():
            on[track].append((start, end, place, slice_))
        found = collections.defaultdict(list)
        for order, (time, track, key, phase, binds_next, at) in enumerate(self.points):
            around = [it for it in on[track] if it[0] <= time <= it[1]]
            later = [it for it in on[track] if it[0] >= time]
            if at is not None:
                place = next(it[2] for it in on[track] if it[3] is at)
            elif binds_next and later:
                place = min(later)[2]
            elif around:
                # The innermost: what goes on, begun last; what ends at the point only where nothing goes on.
                place = max(around, key=lambda it: (it[1] > time or it[0] == time, it[0], -it[1]))[2]
            else:
                place = None
            found[key].append((time, "stf".index(phase), order, place))
        for points in found.values():
            last = None
            for _, step, _, place in sorted(points):
                if step and last is not None and place is not None and place != last:
                    self.out.flow(last, place)
                if step == 0 or step == 1 and last is not None:
                    last = place

    def counter(self, track):
        return None if isinstance(track, tuple) else self.tracks.get(track, {}).get("counter")

    def add_up(self):
        """Of differences the sum, of which each writer has its own, until its state is cleared or its defaults replaced. They
        add up in the order of the file, whatever their times are."""
        for place, (time, track, what) in enumerate(self.items):
            counter = self.counter(track) if what[0] == "count" else None
            if counter is not None:
                value, writer = what[1] * max(counter.get(4, 1), 1), what[2]
                if counter.get(5, 0):
                    self.gauges[track, writer] = value = self.gauges.get((track, writer), 0.0) + value
                self.items[place] = (time, track, ("count", value))

    def sample(self, track, time, value, *_):
        name = self.tracks.get(track, {}).get("name", "") if self.counter(track) is not None else ""
        if isinstance(track, tuple) and track[0] == "legacy":
            name = track[2] or ""
        self.out.series("", name, track, "").append((time, value))
