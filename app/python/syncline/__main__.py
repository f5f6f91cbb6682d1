"""``python -m syncline`` and the command ``syncline`` of the wheel: the program itself, in this process's place."""

from __future__ import annotations

import os
import sys

from ._program import ProgramMissingError, find_program


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    try:
        program = find_program()
    except ProgramMissingError as error:
        sys.exit(f"syncline: {error}")
    os.execv(program, ["syncline", *sys.argv[1:]])


if __name__ == "__main__":
    main()
