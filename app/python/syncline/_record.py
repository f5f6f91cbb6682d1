"""A block of a program, recorded from within."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Iterator, Optional

from ._program import Path_, SynclineError
from ._window import write_profile

# What `syncline record` sets for the program that it starts.
_INJECTION = "CUDA_INJECTION64_PATH"

_FROM_OUTSIDE = (
    "`syncline record -o run.pftrace -- python3 script.py` records any program from outside, with all that it starts"
)


class Recording:
    """What a block recorded: a path wherever one is asked for, once the block has ended."""

    def __init__(self, path: Optional[Path_]) -> None:
        #: Whether the file is removed with this object, or when this Python ends.
        self.is_temporary = path is None
        if path is None:
            folder = tempfile.mkdtemp(prefix="syncline-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            path = os.path.join(folder, "torch-profiler.json")
        #: The file.
        self.path = Path(path)
        #: The profiler that records, for whatever else it can do.
        self.profiler: Any = None

    def __fspath__(self) -> str:
        return os.fspath(self.path)


@contextlib.contextmanager
def record(path: Optional[Path_] = None, **options: Any) -> Iterator[Recording]:
    """Records what PyTorch does in a ``with`` block, on the host and on the device.

    Within a process nothing but PyTorch's own profiler can begin and end recording, so that is what records; ``options`` are
    those of ``torch.profiler.profile``. Without ``path`` the file is temporary and lives as long as what this returns:

    >>> with syncline.record() as run:          # doctest: +SKIP
    ...     model(batch)
    >>> syncline.show(run); syncline.idle(run)  # doctest: +SKIP

    Raises ``SynclineError`` where there is no PyTorch, and where `syncline record` records this program already: the device
    serves one of the two. A block that raises is recorded until then, and what it raised goes on.
    """
    torch_profiler = _torch_profiler()
    recording = Recording(path)
    recording.profiler = torch_profiler.profile(**options)
    try:
        with recording.profiler:
            yield recording
    finally:
        write_profile(recording.profiler, recording.path)


def _torch_profiler() -> Any:
    if os.environ.get(_INJECTION):
        raise SynclineError(
            f"this program is recorded from outside already ({_INJECTION} is set), and the device serves one that records at "
            "a time: leave syncline.record() out, or start the program without `syncline record`"
        )
    if importlib.util.find_spec("torch") is None:
        raise SynclineError(
            "a block can be recorded by PyTorch's profiler alone, and PyTorch is not installed for this Python; "
            + _FROM_OUTSIDE
        )
    return importlib.import_module("torch.profiler")
