"""Questions to captures: each starts the program, which answers in JSON or, for tables, in Parquet."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Literal, Mapping, Optional, Union, overload

from ._program import Source, arguments_of, ask
from ._tables import Row, is_installed, of_parquet, of_rows, require

if TYPE_CHECKING:
    import pandas
    import pyarrow

Form = Optional[Literal["pandas", "arrow"]]
Answer = Union[List[Row], "pandas.DataFrame", "pyarrow.Table"]


def _lines(
    command: str, source: Source, more: List[str], as_: Form, scope: Mapping[str, Union[str, int, None]]
) -> Any:
    """The answer of a command that prints an object of JSON on each line."""
    require(as_)
    options = [f"--{name}={value}" for name, value in scope.items() if value is not None]
    text = ask([command, "--format=json", *more, *options, *arguments_of(source)])
    return of_rows([json.loads(line) for line in text.splitlines()], as_)


@overload
def explain(
    source: Source, span: Optional[int] = ..., *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: None = ...,
) -> List[Row]: ...
@overload
def explain(
    source: Source, span: Optional[int] = ..., *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: Literal["pandas"],
) -> pandas.DataFrame: ...
@overload
def explain(
    source: Source, span: Optional[int] = ..., *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: Literal["arrow"],
) -> pyarrow.Table: ...
def explain(
    source: Source,
    span: Optional[int] = None,
    *,
    range: Optional[str] = None,
    iteration: Optional[int] = None,
    rank: Optional[int] = None,
    lane: Optional[str] = None,
    as_: Form = None,
) -> Answer:
    """Why operations began, and blocking calls returned, when they did: a row for each, or for the one with the number
    ``span``.

    ``cause`` is what it waited for and how that is known, ``split`` how long for each cause (the parts add up to the wait),
    ``chain`` the way back to the root, ``text`` the sentence. ``range`` is a time such as ``"10ms..12.5ms"``, ``iteration``
    a step, ``rank`` and ``lane`` leave out the others.
    """
    which = ["--all"] if span is None else [f"--span={span}"]
    scope = {"range": range, "iteration": iteration, "rank": rank, "lane": lane}
    return _lines("explain", source, which, as_, scope)


@overload
def idle(
    source: Source, *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: None = ...,
) -> List[Row]: ...
@overload
def idle(
    source: Source, *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: Literal["pandas"],
) -> pandas.DataFrame: ...
@overload
def idle(
    source: Source, *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: Literal["arrow"],
) -> pyarrow.Table: ...
def idle(
    source: Source,
    *,
    range: Optional[str] = None,
    iteration: Optional[int] = None,
    rank: Optional[int] = None,
    lane: Optional[str] = None,
    as_: Form = None,
) -> Answer:
    """Where the time of each stream and host thread went: busy, or idle for a reason.

    ``type`` says what a row is of: ``idle`` (a stream), ``idle-thread``, ``overlap``, ``iteration``, ``straggler`` and so on.
    """
    scope = {"range": range, "iteration": iteration, "rank": rank, "lane": lane}
    return _lines("idle", source, [], as_, scope)


@overload
def critical_path(
    source: Source, *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: None = ...,
) -> List[Row]: ...
@overload
def critical_path(
    source: Source, *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: Literal["pandas"],
) -> pandas.DataFrame: ...
@overload
def critical_path(
    source: Source, *, range: Optional[str] = ..., iteration: Optional[int] = ...,
    rank: Optional[int] = ..., lane: Optional[str] = ..., as_: Literal["arrow"],
) -> pyarrow.Table: ...
def critical_path(
    source: Source,
    *,
    range: Optional[str] = None,
    iteration: Optional[int] = None,
    rank: Optional[int] = None,
    lane: Optional[str] = None,
    as_: Form = None,
) -> Answer:
    """What the time was made of from end to start (rows of type ``path``, in order, which add up to the ``makespan``), and
    how much later each operation could have begun (``slack``)."""
    scope = {"range": range, "iteration": iteration, "rank": rank, "lane": lane}
    return _lines("critical-path", source, [], as_, scope)


@overload
def findings(source: Source, *, as_: None = ...) -> List[Row]: ...
@overload
def findings(source: Source, *, as_: Literal["pandas"]) -> pandas.DataFrame: ...
@overload
def findings(source: Source, *, as_: Literal["arrow"]) -> pyarrow.Table: ...
def findings(source: Source, *, as_: Form = None) -> Answer:
    """What the analyses found, the worst first: ``code``, ``severity``, ``text``, ``lines`` of the workload, ``spans`` that it
    is about, and ``count``, how often."""
    require(as_)
    # A file of which something was dropped has findings all the same, and the exit code 1.
    text = ask(["info", "--format=json", *arguments_of(source)], is_answered=bool)
    return of_rows(json.loads(text)["capture"]["findings"], as_)


@overload
def spans(source: Source, *, max_rows: Optional[int] = ..., as_: None = ...) -> List[Row]: ...
@overload
def spans(source: Source, *, max_rows: Optional[int] = ..., as_: Literal["pandas"]) -> pandas.DataFrame: ...
@overload
def spans(source: Source, *, max_rows: Optional[int] = ..., as_: Literal["arrow"]) -> pyarrow.Table: ...
def spans(source: Source, *, max_rows: Optional[int] = None, as_: Form = None) -> Answer:
    """Operations, calls and ranges, by their numbers: the table ``spans`` of ``syncline guide sql``.

    Beyond ``max_rows``, a million where it is left out, a ``CutOffWarning`` tells that there are more.
    """
    return _query(source, "SELECT * FROM spans ORDER BY id", {}, _limits(max_rows, None, None), as_)


@overload
def dependencies(source: Source, *, max_rows: Optional[int] = ..., as_: None = ...) -> List[Row]: ...
@overload
def dependencies(source: Source, *, max_rows: Optional[int] = ..., as_: Literal["pandas"]) -> pandas.DataFrame: ...
@overload
def dependencies(source: Source, *, max_rows: Optional[int] = ..., as_: Literal["arrow"]) -> pyarrow.Table: ...
def dependencies(source: Source, *, max_rows: Optional[int] = None, as_: Form = None) -> Answer:
    """What had to come before what, by ``cause_id`` and ``effect_id``, which are ids of spans: the table ``dependencies`` of
    ``syncline guide sql``. ``max_rows`` is as for ``spans``."""
    limits = _limits(max_rows, None, None)
    return _query(source, "SELECT * FROM dependencies ORDER BY id", {}, limits, as_)


@overload
def query(
    source: Source, sql: str, *, parameters: Optional[Mapping[str, object]] = ..., max_rows: Optional[int] = ...,
    max_seconds: Optional[int] = ..., max_megabytes: Optional[int] = ..., as_: None = ...,
) -> List[Row]: ...
@overload
def query(
    source: Source, sql: str, *, parameters: Optional[Mapping[str, object]] = ..., max_rows: Optional[int] = ...,
    max_seconds: Optional[int] = ..., max_megabytes: Optional[int] = ..., as_: Literal["pandas"],
) -> pandas.DataFrame: ...
@overload
def query(
    source: Source, sql: str, *, parameters: Optional[Mapping[str, object]] = ..., max_rows: Optional[int] = ...,
    max_seconds: Optional[int] = ..., max_megabytes: Optional[int] = ..., as_: Literal["arrow"],
) -> pyarrow.Table: ...
def query(
    source: Source,
    sql: str,
    *,
    parameters: Optional[Mapping[str, object]] = None,
    max_rows: Optional[int] = None,
    max_seconds: Optional[int] = None,
    max_megabytes: Optional[int] = None,
    as_: Form = None,
) -> Answer:
    """The rows that answer a question in SQL, or the bundled question of that name, such as ``"longest-waits"``.

    ``parameters`` are other values at the head of the question. Where a limit cuts the answer off, the rows until then are
    returned and a ``CutOffWarning`` tells so. A wrong question is a ``SynclineError`` with its place.
    """
    limits = _limits(max_rows, max_seconds, max_megabytes)
    return _query(source, sql, parameters or {}, limits, as_)


def _limits(rows: Optional[int], seconds: Optional[int], megabytes: Optional[int]) -> List[str]:
    limits = {"max-rows": rows, "max-time": seconds, "max-memory": megabytes}
    return [f"--{name}={value}" for name, value in limits.items() if value is not None]


def _query(source: Source, sql: str, parameters: Mapping[str, object], limits: List[str], as_: Form) -> Any:
    require(as_)
    options = [*limits, *(f"--set={name}={value}" for name, value in parameters.items())]
    # A name has no spaces, and any other question may be longer than an argument.
    is_name = bool(sql) and not any(it.isspace() for it in sql)
    options += [f"--question={sql}"] if is_name else ["--file=-"]
    text = "" if is_name else sql
    if as_ is None or not is_installed("pyarrow"):
        answer = ask(["query", "--format=json", *options, *arguments_of(source)], text)
        return of_rows([json.loads(line) for line in answer.splitlines()], as_)
    with tempfile.TemporaryDirectory(prefix="syncline-") as folder:
        path = str(Path(folder) / "rows.parquet")
        ask(["query", "--format=parquet", f"--output={path}", *options, *arguments_of(source)], text)
        return of_parquet(path, as_)
