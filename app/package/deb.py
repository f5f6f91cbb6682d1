"""A package of Debian's."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from pathlib import Path
from typing import Dict, Tuple

import contents
from contents import Contents

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Where Debian has zsh look for what packages bring.
_MOVED = {"zsh/site-functions/": "zsh/vendor-completions/"}


def pack(packed: Contents, folder: Path) -> Path:
    """Writes the package into a folder, and returns where."""
    architecture = _ARCHITECTURES[packed.machine]
    files = _files(packed)
    sums = "".join(f"{hashlib.md5(bytes_).hexdigest()}  {place}\n" for place, (bytes_, _) in files.items())
    control = _control(packed, architecture, sum(len(bytes_) for bytes_, _ in files.values()))
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": _tar({"control": (control.encode(), 0o644), "md5sums": (sums.encode(), 0o644)}),
        "data.tar.xz": _tar(files),
    }
    path = folder / f"syncline_{packed.version}_{architecture}.deb"
    with open(path, "wb") as archive:
        archive.write(b"!<arch>\n")
        for name, bytes_ in members.items():
            head = f"{name:<16}{contents.moment():<12}{0:<6}{0:<6}{'100644':<8}{len(bytes_):<10}`\n"
            archive.write(head.encode() + bytes_ + b"\n" * (len(bytes_) % 2))
    return path


def _files(packed: Contents) -> Dict[str, Tuple[bytes, int]]:
    """Each file by its place, with its mode."""
    files = {
        "usr/bin/syncline": (packed.program, 0o755),
        "usr/lib/syncline/libcuda_recorder.so": (packed.recorder, 0o644),
    }
    for place, bytes_ in packed.data.items():
        for before, after in _MOVED.items():
            place = after + place[len(before) :] if place.startswith(before) else place
        if place.startswith("man/"):
            place, bytes_ = f"{place}.gz", _gzip(bytes_)
        files[f"usr/share/{place}"] = (bytes_, 0o644)
    files["usr/share/doc/syncline/copyright"] = (_copyright().encode(), 0o644)
    # A file called `changelog` would have to be one of Debian's.
    changes = (contents.ROOT / "CHANGELOG.md").read_bytes()
    files["usr/share/doc/syncline/NEWS.gz"] = (_gzip(changes), 0o644)
    return dict(sorted(files.items()))


def _copyright() -> str:
    mit = (contents.ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
    apache = "Apache License, Version 2.0, which lies in /usr/share/common-licenses/Apache-2.0"
    return f"Syncline is licensed under either of these, at your choice:\n\n1. {apache}\n\n2. {mit}"


def _control(packed: Contents, architecture: str, size: int) -> str:
    major, minor = packed.glibc
    needed = sorted(packed.debian_packages)
    needed = [f"libc6 (>= {major}.{minor})" if it == "libc6" else it for it in needed]
    # Whoever asks on a server has no window, and can do without what draws one.
    return (
        f"Package: syncline\nVersion: {packed.version}\nArchitecture: {architecture}\n"
        "Maintainer: The Syncline developers <syncline@invalid.invalid>\n"
        f"Installed-Size: {-(-size // 1024)}\nSection: devel\nPriority: optional\n"
        f"Depends: {', '.join(needed)}\nRecommends: {', '.join(contents.window_packages())}\n"
        f"Suggests: xdg-utils\nDescription: {contents.SUMMARY[2:]}\n"
        " It runs workloads of several streams and opens captures of PyTorch, Nsight\n"
        " Systems, Perfetto, JAX, Ascend and ROCm, draws a lane for each stream and an\n"
        " arrow for every dependency, and says why each operation waited.\n"
    )


def _tar(files: Dict[str, Tuple[bytes, int]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz", format=tarfile.GNU_FORMAT) as archive:
        folders = sorted({str(it) for place in files for it in Path(place).parents})
        for folder in folders:
            archive.addfile(_entry("./" if folder == "." else f"./{folder}/", 0o755, tarfile.DIRTYPE))
        for place, (bytes_, mode) in files.items():
            entry = _entry(f"./{place}", mode, tarfile.REGTYPE)
            entry.size = len(bytes_)
            archive.addfile(entry, io.BytesIO(bytes_))
    return buffer.getvalue()


def _entry(name: str, mode: int, type_: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = type_, mode, contents.moment()
    entry.uname = entry.gname = "root"
    return entry


def _gzip(bytes_: bytes) -> bytes:
    return gzip.compress(bytes_, 9, mtime=0)
