"""The window, on a file or on what a profiler has recorded."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import IO, Any, List, Optional, Protocol, Union, runtime_checkable

from ._program import Source, SynclineError, arguments_of, find_program, sentences

_NAME = "torch-profiler.json"

# Waits for the window and then removes the folder, whatever becomes of this Python: a signal to the group ends the program
# alone, and the shell goes on.
_AND_REMOVE = 'trap : INT HUP TERM; "$0" open -- "$1"; code=$?; rm -rf -- "$2"; exit "$code"'

# The window needs longer than this to appear, and the program less to find that it cannot.
_FIRST_SECONDS = 1.0

# What the shell adds to a signal that ended the program, as `close` does.
_BY_SIGNAL = 128


@runtime_checkable
class Profiler(Protocol):
    """A finished profiler, such as ``torch.profiler.profile``."""

    def export_chrome_trace(self, path: str) -> Any:
        """Writes all of it to a file."""


class Window:
    """A window that was opened. It stays open when it is forgotten, and when this Python ends."""

    _open: List[subprocess.Popen[bytes]] = []

    def __init__(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        self._process = process
        self._complaints = complaints
        weakref.finalize(self, complaints.close)
        # Whoever ended is waited for, so that none remains in the system's table.
        Window._open = [it for it in Window._open if it.poll() is None] + [process]

    @property
    def is_open(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def wait(self, timeout: Optional[float] = None) -> None:
        """Returns once it is closed, or raises ``subprocess.TimeoutExpired`` after so many seconds.

        Raises ``SynclineError`` where there could be no window, with the reason.
        """
        code = self._process.wait(timeout)
        self._complaints.seek(0)
        said = sentences(self._complaints.read().decode("utf-8", "replace"))
        if 0 < code < _BY_SIGNAL:
            raise SynclineError(said or f"syncline ended with the exit code {code} and said nothing", code)

    def close(self) -> None:
        """Closes it, and returns once it is gone."""
        if self.is_open:
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()


def show(what: Union[Profiler, Source], *, wait: bool = False) -> Window:
    """Opens the window on a finished ``torch.profiler.profile``, or on a file, a folder or several files.

    What a profiler recorded is written to a temporary file, which is removed when the window is closed. Returns once the
    window is on its way or, where ``wait``, once it was closed. Raises ``SynclineError`` where there can be none, such as
    without a display.
    """
    if isinstance(what, Profiler):
        window = _show_profiler(what)
    elif getattr(what, "is_temporary", False):
        window = _show_copy(arguments_of(what)[0])
    else:
        window = _start([find_program(), "open", "--", *arguments_of(what)])
    try:
        window.wait(None if wait else _FIRST_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    return window


def write_profile(profiler: Profiler, path: Path) -> None:
    """Has a profiler write what it recorded; raises ``SynclineError`` where it cannot."""
    try:
        profiler.export_chrome_trace(str(path))
    except Exception as error:
        raise SynclineError(
            f"the profiler did not write what it recorded: {error}; it has to be finished, so do this behind its `with` block"
        ) from error
    if not path.is_file():
        raise SynclineError(f"the profiler wrote no file where it was told to, {path}; it may have recorded nothing")


def _show_profiler(profiler: Profiler) -> Window:
    program, folder = find_program(), _folder()
    try:
        write_profile(profiler, folder / _NAME)
        return _start_and_remove(program, folder / _NAME)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _show_copy(path: str) -> Window:
    """A window on a file that may be removed at any time: on another name of it."""
    program, folder = find_program(), _folder()
    kept = folder / os.path.basename(path)
    try:
        try:
            os.link(path, kept)
        except OSError:
            shutil.copyfile(path, kept)
        return _start_and_remove(program, kept)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="syncline-"))


def _start_and_remove(program: str, path: Path) -> Window:
    return _start(["/bin/sh", "-c", _AND_REMOVE, program, str(path), str(path.parent)])


def _start(command: List[str]) -> Window:
    complaints = tempfile.TemporaryFile()
    # A group of its own: Ctrl-C in this terminal or kernel is not meant for the window.
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints, start_new_session=True
    )
    return Window(process, complaints)
