"""A report of a capture, inline in a notebook: ``%load_ext syncline``, then ``%syncline train.json`` or ``%syncline prof``."""

from __future__ import annotations

import html
import shlex
import tempfile
from pathlib import Path
from typing import Any, Union

from ._program import Path_, Source, SynclineError, arguments_of, ask
from ._window import Profiler, write_profile

_HEIGHT = 720


class Report:
    """A report, which a notebook shows: what and where, idle time by cause, the critical path, findings, top kernels."""

    def __init__(self, text: str) -> None:
        #: The page, in HTML, which needs nothing beside it.
        self.html = text

    def save(self, path: Path_) -> None:
        """Writes the page to a file that is called ``.html`` or ``.htm``, over nothing but another page."""
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise SynclineError(f"{target} is no name of a page: call it {target.with_suffix('.html').name}")
        if _is_no_page(target):
            raise SynclineError(f"{target} is there and is no page, and writing would destroy it: name another file")
        target.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # A page of its own, so that neither's style reaches the other; it runs nothing.
        page = html.escape(self.html, quote=True)
        return (
            f'<iframe title="Syncline report" sandbox="allow-popups" srcdoc="{page}" '
            f'style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'
        )


def _is_no_page(target: Path) -> bool:
    """Whether something else than a page lies there, such as a capture of that name."""
    if not target.is_file():
        return False
    with target.open("rb") as file:
        head = file.read(64)
    return head != b"" and not head.lstrip().lower().startswith((b"<!doctype html", b"<html"))


def report(what: Union[Profiler, Source]) -> Report:
    """The report of a finished ``torch.profiler.profile``, of a file, of a folder or of several files."""
    with tempfile.TemporaryDirectory(prefix="syncline-") as folder:
        if isinstance(what, Profiler):
            profile = Path(folder) / "torch-profiler.json"
            write_profile(what, profile)
            what = profile
        page = Path(folder) / "report.html"
        try:
            # A page of a file of which something was dropped comes with the exit code 1.
            ask(["report", *arguments_of(what), "-o", str(page)], is_answered=lambda _: page.is_file())
        except SynclineError as error:
            # Without the command, its name is taken for that of a file.
            if "unexpected argument" in str(error):
                raise SynclineError(
                    "this version of the program syncline writes no reports; install one of the same version as this package",
                    error.code,
                ) from None
            raise
        return Report(page.read_text(encoding="utf-8"))


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext syncline`` calls: adds ``%syncline``, which shows the report of what it names."""

    def magic(line: str) -> Report:
        """The report of captures, or of a variable that holds a finished profiler or a path."""
        words = shlex.split(line)
        if not words:
            raise SynclineError("name a capture, or a variable that holds a finished profiler: %syncline train.json")
        if len(words) == 1 and words[0] in shell.user_ns:
            return report(shell.user_ns[words[0]])
        return report(words)

    shell.register_magic_function(magic, "line", "syncline")
