"""What every package of Syncline carries: the program, the CUDA recorder's library, and what a desktop and shells read."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Set, Tuple

import elf

ROOT = Path(__file__).resolve().parents[2]
"""The project's folder."""

SUMMARY = "A desktop inspector that shows what GPU streams really do"
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT")

MOST_BYTES = 40_000_000
"""No package is larger."""

# A zip knows no time before 1980.
_OLDEST = 315_532_800

# Libraries that every Linux has, with Debian's packages. Whatever else a window needs is opened by name when it is drawn.
_EVERYWHERE = {
    "libc.so.6": "libc6",
    "libm.so.6": "libc6",
    "libdl.so.2": "libc6",
    "libpthread.so.0": "libc6",
    "librt.so.1": "libc6",
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libgcc_s.so.1": "libgcc-s1",
}


class PackError(Exception):
    """Why there can be no package."""


class Contents(NamedTuple):
    """What is packed."""

    version: str
    machine: str
    glibc: Tuple[int, int]
    debian_packages: Set[str]
    program: bytes
    recorder: bytes
    data: Dict[str, bytes]
    """What lies below a folder such as ``/usr/share``, by its path there."""


def read(program: Path, recorder: Path, data: Path | None) -> Contents:
    """Gathers what is packed; without ``data`` the program itself is asked for that."""
    needs = [elf.needs(program), elf.needs(recorder)]
    if needs[0].machine != needs[1].machine:
        raise PackError(f"{program} and {recorder} are for different processors; build both for one")
    libraries = needs[0].libraries | needs[1].libraries
    foreign = sorted(libraries - set(_EVERYWHERE))
    if foreign:
        raise PackError(f"{program} needs {', '.join(foreign)}, which not every Linux has; build it without")
    return Contents(
        version=_version(),
        machine=needs[0].machine,
        glibc=max(it.glibc for it in needs),
        debian_packages={_EVERYWHERE[it] for it in libraries},
        program=program.read_bytes(),
        recorder=recorder.read_bytes(),
        data=_below(data) if data else _data_of(program),
    )


def _version() -> str:
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^\[workspace\.package\]\s*^version = "(.*)"', text, re.MULTILINE)
    if found is None:
        raise PackError("Cargo.toml does not say the version of the workspace")
    return found[1]


def _data_of(program: Path) -> Dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program.resolve(), "data-files", folder], check=True)
        return _below(Path(folder))


def _below(folder: Path) -> Dict[str, bytes]:
    files = sorted(it for it in folder.rglob("*") if it.is_file())
    if not files:
        raise PackError(f"there is nothing in {folder}; `syncline data-files` writes what belongs there")
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in files}


def window_packages() -> List[str]:
    """Debian's packages that a window needs, as `.ci/install` has them."""
    text = (ROOT / ".ci/install").read_text(encoding="utf-8")
    return re.findall(r"^need (\S+) (?:library|driver)\b", text, re.MULTILINE)


def moment() -> int:
    """The time of all files of a package: the same contents make the same package."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", _OLDEST))


def keep_small(path: Path) -> None:
    """Fails where a package is too large."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise PackError(f"{path} has {size} bytes, more than {MOST_BYTES}; was the program built with --release?")
