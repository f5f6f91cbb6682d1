"""What a program for Linux needs of the system: its processor, its libraries, and how new a C library."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Iterator, List, NamedTuple, Set, Tuple

MACHINES = {62: "x86_64", 183: "aarch64"}
"""Processors by their numbers in ELF, as tags of wheels name them."""

_DYNAMIC, _VERSIONS_NEEDED = 6, 0x6FFFFFFE
_NEEDED = 1


class NotElfError(ValueError):
    """A file is no program or library of 64 bits for Linux."""


class Needs(NamedTuple):
    """What a program or library needs."""

    machine: str
    libraries: Set[str]
    glibc: Tuple[int, int]


class _Section(NamedTuple):
    type: int
    offset: int
    size: int
    link: int


def needs(path: Path) -> Needs:
    """Reads what a file needs; raises ``NotElfError`` with a sentence where it is none that can be packed."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise NotElfError(f"{path} is no program of 64 bits for Linux; give the one that cargo built")
    machine = MACHINES.get(struct.unpack_from("<H", data, 18)[0])
    if machine is None:
        raise NotElfError(f"{path} is for a processor that is not packed for; build it for one of {', '.join(MACHINES.values())}")
    sections = _sections(data)
    return Needs(machine, set(_libraries(data, sections)), max(_glibc_versions(data, sections), default=(2, 17)))


def _sections(data: bytes) -> List[_Section]:
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    heads = (struct.unpack_from("<IIQQQQI", data, start + at * size) for at in range(count))
    return [_Section(head[1], head[4], head[5], head[6]) for head in heads]


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("ascii")


def _libraries(data: bytes, sections: List[_Section]) -> Iterator[str]:
    for section in (it for it in sections if it.type == _DYNAMIC):
        texts = sections[section.link].offset
        for tag, value in struct.iter_unpack("<QQ", data[section.offset : section.offset + section.size]):
            if tag == _NEEDED:
                yield _text(data, texts + value)


def _glibc_versions(data: bytes, sections: List[_Section]) -> Iterator[Tuple[int, int]]:
    for section in (it for it in sections if it.type == _VERSIONS_NEEDED):
        texts, at, is_last = sections[section.link].offset, section.offset, False
        while not is_last:
            _, count, _, first, following = struct.unpack_from("<HHIII", data, at)
            version = at + first
            for _ in range(count):
                _, _, _, name, step = struct.unpack_from("<IHHII", data, version)
                found = _text(data, texts + name)
                if found.startswith("GLIBC_2."):
                    yield 2, int(found.split(".")[1])
                version += step
            is_last, at = following == 0, at + following
