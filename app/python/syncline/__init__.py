"""Syncline from Python: why operations of a GPU began when they did, asked of captures and of ``torch.profiler``.

>>> import syncline                                         # doctest: +SKIP
>>> syncline.show(prof)                                     # the window, on a finished torch.profiler.profile
>>> syncline.explain("train.pt.trace.json", span=4711)      # what one operation waited for, and how long for each cause
>>> syncline.query("train.pt.trace.json", "SELECT name, dur FROM spans WHERE kind = 'kernel'", as_="pandas")

Each call starts the program ``syncline``, reads its answer, and leaves nothing behind. Times are whole nanoseconds of
capture time, as on the window's ruler. ``%load_ext syncline`` has ``%syncline`` show a report in a notebook. ``syncline guide python`` has all of it.
"""

from __future__ import annotations

from ._answers import critical_path, dependencies, explain, findings, idle, query, spans
from ._notebook import Report, load_ipython_extension, report
from ._program import (
    CutOffWarning,
    ProgramMissingError,
    SynclineError,
    SynclineWarning,
    find_program,
)
from ._record import Recording, record
from ._window import Window, show

__version__ = "0.1.0"

__all__ = [
    "CutOffWarning",
    "ProgramMissingError",
    "Recording",
    "Report",
    "SynclineError",
    "SynclineWarning",
    "Window",
    "critical_path",
    "dependencies",
    "explain",
    "find_program",
    "findings",
    "idle",
    "load_ipython_extension",
    "query",
    "record",
    "report",
    "show",
    "spans",
]
