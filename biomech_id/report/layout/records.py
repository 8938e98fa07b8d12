"""Rows of a table as objects: ``for gap in records(tables.gaps): gap.marker``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biomech_id.session.tables.session_tables import Table


def records(table: Table) -> Iterator[Any]:
    """Yield each row of a DataFrame as a named tuple of its columns.

    The stubs of pandas give every cell the union of all types that a cell can have; what the columns hold is promised by
    `Tables` instead.

    Parameters
    ----------
    table : Table
        A table of the session, as a DataFrame.
    """
    yield from table.itertuples(index=False)
