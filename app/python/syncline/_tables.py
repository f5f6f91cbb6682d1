"""Rows as a list of dicts, as a pandas frame or as an Arrow table."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Dict, List, Optional

Row = Dict[str, Any]
"""A row of an answer: a value for each column."""

AS = (None, "pandas", "arrow")


def require(as_: Optional[str]) -> None:
    """Raises ``ValueError`` where rows cannot be had in that form at all, and ``ImportError`` where its package is not
    installed: before the program is asked."""
    if as_ not in AS:
        raise ValueError(f'as_={as_!r} is no form of rows; leave it out for dicts, or write "pandas" or "arrow"')
    if as_ is not None:
        module = "pandas" if as_ == "pandas" else "pyarrow"
        if not is_installed(module):
            raise ImportError(f'as_="{as_}" needs {module}: `pip install {module}`, or leave as_ out for a list of dicts')


def is_installed(module: str) -> bool:
    """Whether a module can be imported."""
    return importlib.util.find_spec(module) is not None


def of_rows(rows: List[Row], as_: Optional[str]) -> Any:
    """Rows in the form that was asked for; what a row has no value for is ``None`` or missing there."""
    if as_ is None:
        return rows
    # Rows of several types have columns of their own.
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    if as_ == "arrow":
        return importlib.import_module("pyarrow").table(columns)
    # A whole number stays one where other rows have none.
    return importlib.import_module("pandas").DataFrame(columns, dtype=object).convert_dtypes()


def of_parquet(path: str, as_: str) -> Any:
    """The rows of a Parquet file, which pyarrow reads."""
    table = importlib.import_module("pyarrow.parquet").read_table(path)
    if as_ == "arrow":
        return table
    pandas, pyarrow = importlib.import_module("pandas"), importlib.import_module("pyarrow")
    whole = {pyarrow.int64(): pandas.Int64Dtype()}
    return table.to_pandas(types_mapper=whole.get)
