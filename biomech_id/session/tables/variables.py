"""Variables that a laboratory adds: computed for every trial, then treated as the library's own.

Registered before a session is analysed, a variable has columns in ``trials/<stem>.csv`` (behind the library's), curves in
``cycles.csv``, extrema in ``peaks.csv``, means, norms, comparisons, and panels on any page that asks for it.
"""

from __future__ import annotations

from collections.abc import Callable

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CYCLE_ROWS, SIDES, SIGN_TABLE, SignRow
from biomech_id.errors import OptionError
from biomech_id.plugins import Registry
from biomech_id.session.solved import Solved
from biomech_id.values import dataclass


@dataclass(frozen=True)
class OutputVariable:
    """One variable of both sides.

    Attributes
    ----------
    rows : tuple[SignRow, ...]
        One for each component, all of one variable name: title, words for both ends, quantity, unit.
    compute : Callable[[Solved, str], FloatArray | None]
        Trial and side -> (n_frames,) for one row, (n_frames, k) for k rows, in the unit of the rows; NaN is missing, None is
        missing throughout.
    """

    rows: tuple[SignRow, ...]
    compute: Callable[[Solved, str], FloatArray | None]


#: Name -> variable, in the order of registration.
ADDED_VARIABLES: Registry[str, OutputVariable] = Registry("variable")


def register_variable(variable: OutputVariable) -> None:
    """Add a variable to every session's outputs.

    Parameters
    ----------
    variable : OutputVariable
        Its rows of the sign table, and what computes it.

    Raises
    ------
    OptionError
        No rows, rows of different names, or a name that is taken.
    """
    names = sorted({row.variable for row in variable.rows})
    taken = {row.variable for row in (*SIGN_TABLE, *CYCLE_ROWS.values())}
    if len(names) != 1 or taken & set(names):
        raise OptionError(
            f"There is a variable {' or '.join(taken & set(names))} already." if taken & set(names)
            else f"The rows of a variable share one name; these have {', '.join(names) or 'none'}.",
            value=names, expected="rows of one variable, under a name of its own", where="register_variable",
        )  # fmt: skip
    ADDED_VARIABLES.add(names[0], variable)
    CYCLE_ROWS.update({(row.variable, row.component): row for row in variable.rows})


def added_columns(trial: Solved) -> dict[str, FloatArray | None]:
    """Return column name -> (n_frames,) of every added variable, None where a trial has none of it.

    Parameters
    ----------
    trial : Solved
        The trial as it was solved.
    """
    by_column: dict[str, FloatArray | None] = {}
    for variable in ADDED_VARIABLES.values():
        for side in SIDES:
            values = variable.compute(trial, side)
            columns = None if values is None else values.reshape(len(values), len(variable.rows))
            for number, row in enumerate(variable.rows):
                by_column[row.column(side)] = None if columns is None else columns[:, number]
    return by_column
