"""A wheel: the package of Python, and in it the program."""

from __future__ import annotations

import base64
import hashlib
import time
import zipfile
from pathlib import Path
from typing import Dict, Tuple

import contents
from contents import Contents

_PACKAGE = contents.ROOT / "app/python"
_OLDEST_PYTHON = "3.9"


def pack(packed: Contents, folder: Path) -> Path:
    """Writes the wheel into a folder, and returns where."""
    major, minor = packed.glibc
    tag = f"py3-none-manylinux_{major}_{minor}_{packed.machine}"
    name = f"syncline-{packed.version}"
    files = _files(packed, name, tag)
    record = f"{name}.dist-info/RECORD"
    lines = [f"{place},{_digest(bytes_)},{len(bytes_)}" for place, (bytes_, _) in files.items()]
    files[record] = ("\n".join([*lines, f"{record},,\n"]).encode(), False)
    path = folder / f"{name}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for place, (bytes_, is_program) in files.items():
            entry = zipfile.ZipInfo(place, time.gmtime(contents.moment())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, bytes_)
    return path


def _files(packed: Contents, name: str, tag: str) -> Dict[str, Tuple[bytes, bool]]:
    """Each file by its place, and whether it can be executed."""
    modules = sorted(it for it in (_PACKAGE / "syncline").iterdir() if it.is_file())
    files = {f"syncline/{it.name}": (it.read_bytes(), False) for it in modules}
    files["syncline/program/syncline"] = (packed.program, True)
    files["syncline/program/libcuda_recorder.so"] = (packed.recorder, False)
    for place, bytes_ in packed.data.items():
        files[f"{name}.data/data/share/{place}"] = (bytes_, False)
    info = f"{name}.dist-info"
    for license_ in contents.LICENSES:
        files[f"{info}/licenses/{license_}"] = ((contents.ROOT / license_).read_bytes(), False)
    files[f"{info}/METADATA"] = (_metadata(packed).encode(), False)
    wheel = f"Wheel-Version: 1.0\nGenerator: syncline\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files[f"{info}/WHEEL"] = (wheel.encode(), False)
    files[f"{info}/entry_points.txt"] = (b"[console_scripts]\nsyncline = syncline.__main__:main\n", False)
    return files


def _metadata(packed: Contents) -> str:
    about = (_PACKAGE / "README.md").read_text(encoding="utf-8")
    licenses = "".join(f"License-File: {it}\n" for it in contents.LICENSES)
    return (
        f"Metadata-Version: 2.4\nName: syncline\nVersion: {packed.version}\nSummary: {contents.SUMMARY}\n"
        f"License-Expression: MIT OR Apache-2.0\n{licenses}Requires-Python: >={_OLDEST_PYTHON}\n"
        "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n"
        "Provides-Extra: arrow\nRequires-Dist: pyarrow; extra == 'arrow'\n"
        f"Description-Content-Type: text/markdown\n\n{about}"
    )


def _digest(bytes_: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(bytes_).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
