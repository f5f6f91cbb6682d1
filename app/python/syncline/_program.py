"""The program behind the package: where it lies, how it is asked, and what becomes of its complaints."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import warnings
from pathlib import Path
from typing import Callable, List, Optional, Sequence, Union

Path_ = Union[str, "os.PathLike[str]"]
"""A file or a folder, as the system names it."""
Source = Union[Path_, Sequence[Path_]]
"""What is asked about: a capture, a folder of captures, or several captures that are the ranks of one."""

VARIABLE = "SYNCLINE"
"""Names the program where another one than that of the wheel is wanted."""

_NAME = "syncline"
_COMPLAINT = "syncline: "

# What the program's exit codes mean: `syncline --help` lists them.
_FINE, _FAILED, _CUT, _STOPPED = 0, 1, 3, 130


class SynclineError(RuntimeError):
    """What was asked for cannot be done; the text is the program's own sentence on what is wrong and what to do.

    ``code`` is the program's exit code, ``None`` where it was not started.
    """

    def __init__(self, text: str, code: Optional[int] = None) -> None:
        super().__init__(text)
        self.code = code


class ProgramMissingError(SynclineError):
    """The program ``syncline`` is nowhere; the text says where it was looked for and how to get it."""


class SynclineWarning(UserWarning):
    """There is an answer, and something to know about it, such as that a part of the file could not be read."""


class CutOffWarning(SynclineWarning):
    """A limit of time, memory or rows cut the answer off: the rows that were returned are not all there are."""


def find_program() -> str:
    """The path of the program: what the variable ``SYNCLINE`` names, else that of this wheel, else the one beside this
    Python's programs, else the first on ``PATH``.

    Raises ``ProgramMissingError`` where it is in none of these places.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if _is_program(Path(named)):
            return named
        raise ProgramMissingError(
            f"the variable {VARIABLE} names {named}, which is no program; unset it, or let it name the program syncline"
        )
    places = [Path(__file__).parent / "program", Path(sysconfig.get_path("scripts") or ".")]
    places += [Path(it) for it in os.get_exec_path() if it]
    for place in places:
        found = place / _NAME
        if _is_program(found) and not _leads_here(found):
            return str(found)
    raise ProgramMissingError(
        "the program syncline is not in this package, not beside this Python and not on PATH; install the wheel that "
        "carries it (`make wheel` in the project's folder, then `pip install target/package/syncline-*.whl`), or build it by "
        f"`cargo install --path app` there, or let the variable {VARIABLE} name it"
    )


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _leads_here(path: Path) -> bool:
    """Whether a program is a script of Python, such as the wheel's own, which would look for the program in turn."""
    with open(path, "rb") as file:
        head = file.read(256)
    # A path that is too long or has spaces stands in the second line, behind a shell.
    return head.startswith(b"#!") and b"python" in b"\n".join(head.splitlines()[:2])


def arguments_of(source: Source) -> List[str]:
    """A source as arguments, none of which the program takes for an option or for standard input."""
    if source is None or isinstance(source, (int, float, bytes)):
        raise TypeError(f"a capture is a path or several of them, not {type(source).__name__}; name a file or a folder")
    several = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    if not several:
        raise ValueError("there is no capture to ask about; name one, or a folder of them")
    return [_argument(os.fspath(it)) for it in several]


def _argument(path: str) -> str:
    return os.path.join(".", path) if path.startswith("-") else path


def ask(
    arguments: Sequence[str], text: str = "", *, is_answered: Optional[Callable[[str], bool]] = None
) -> str:
    """What the program answers to these arguments, with a text on its standard input.

    Of a command whose exit code 1 may come with an answer all the same, ``is_answered`` says of what it printed whether it did.
    Raises ``SynclineError`` with the program's sentence
    where there is no answer, and warns of whatever it says besides an answer.
    """
    completed = subprocess.run(
        [find_program(), *arguments],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    code = completed.returncode
    said = sentences(completed.stderr)
    if code == _STOPPED:
        raise KeyboardInterrupt
    is_partial = code == _FAILED and is_answered is not None and is_answered(completed.stdout)
    if code not in (_FINE, _CUT) and not is_partial:
        raise SynclineError(said or f"syncline ended with the exit code {code} and said nothing", code)
    if is_partial:
        said = said or "a part of what the file holds is not in the answer: `syncline info` says which"
    if said:
        # The frames between: this one, that of the question, and the public function.
        warnings.warn(said, CutOffWarning if code == _CUT else SynclineWarning, stacklevel=4)
    return completed.stdout


def sentences(complaints: str) -> str:
    """What the program complained of, without its name before each line."""
    lines = complaints.strip().splitlines()
    return "\n".join(it[len(_COMPLAINT) :] if it.startswith(_COMPLAINT) else it for it in lines)
