"""Tables that a laboratory adds to every session's: registered before it is analysed, then written, hashed and read as all others.

>>> lengths = TableRow("steps", "one step", (Column("trial", "text", "stem"), Column("length", "number", "of the step", "m")))
>>> register_table(FurtherTable(lengths, lambda session: [{"trial": trial.name, "length": 0.6} for trial in session.trials]))
>>> list(FURTHER_TABLES)
['steps']
>>> _ = FURTHER_TABLES.pop("steps")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from biomech_id.conventions import TABLES, Column, TableRow
from biomech_id.errors import OptionError
from biomech_id.plugins import Registry
from biomech_id.session.computed import Computed
from biomech_id.values import dataclass

__all__ = ["FURTHER_TABLES", "Column", "FurtherTable", "TableRow", "register_table"]


@dataclass(frozen=True)
class FurtherTable:
    """A tidy table of a session.

    Attributes
    ----------
    table : TableRow
        Its name, what one row is, and its columns: ``<name>.csv`` under OUT.
    rows : Callable[[Computed], Iterable[Mapping[str, object]]]
        Session as computed, with its ``trials`` -> rows, each with a cell for every column.
    """

    table: TableRow
    rows: Callable[[Computed], Iterable[Mapping[str, object]]]


#: Name -> table, in the order of registration.
FURTHER_TABLES: Registry[str, FurtherTable] = Registry("table")


def register_table(further: FurtherTable) -> None:
    """Add a table to every session's.

    Parameters
    ----------
    further : FurtherTable
        Name, columns, and what computes the rows.

    Raises
    ------
    OptionError
        There is a table of that name.
    """
    name = further.table.name
    if name in {table.name for table in TABLES}:
        raise OptionError(f"There is a table {name} already.", value=name, expected="a name of its own", where="register_table")
    FURTHER_TABLES.add(name, further)
