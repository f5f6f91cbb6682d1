#!/usr/bin/env python3
"""Packs a program that was built: as a wheel, or as a package of Debian's. The standard library of Python is enough.

Usage: pack.py wheel|deb --program FILE --recorder FILE [--data FOLDER] --out FOLDER
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import contents
import deb
import wheel
from elf import NotElfError

KINDS = {"wheel": wheel.pack, "deb": deb.pack}


def main() -> None:
    """Does what the arguments ask for, and prints where the package is."""
    parser = argparse.ArgumentParser(description="Packs a program that was built.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--program", type=Path, required=True, help="the program syncline")
    parser.add_argument("--recorder", type=Path, required=True, help="the library libcuda_recorder.so of the same build")
    parser.add_argument("--data", type=Path, help="what `syncline data-files` wrote; without it the program is asked")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write into")
    options = parser.parse_args()
    try:
        packed = contents.read(options.program, options.recorder, options.data)
        options.out.mkdir(parents=True, exist_ok=True)
        path = KINDS[options.kind](packed, options.out)
        contents.keep_small(path)
    except (contents.PackError, NotElfError, OSError) as error:
        sys.exit(f"pack.py: {error}")
    print(path)


if __name__ == "__main__":
    main()
