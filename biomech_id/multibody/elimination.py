"""In which order a loop's equations determine its dependent coordinates, whatever order they are written in.

The pattern of J2 (equation by coordinate) is matched, each coordinate with an equation of its own, and cut into blocks that
depend on earlier blocks only: strongly connected components of "my equation contains your coordinate". Blocks of one and two are
solved by Cramer's rule, larger ones by elimination. (Maximum matching by augmenting paths; components after Tarjan 1972, SIAM J
Comput 1:146.)
"""

from __future__ import annotations

from biomech_id.algebra.arrays import BoolArray


def matching(pattern: BoolArray) -> list[int | None]:
    """For each column a row of its own that contains it, or None where there is none left.

    Parameters
    ----------
    pattern : BoolArray
        (rows, columns), which row contains which column.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.elimination import matching
    >>> matching(np.array([[True, True], [True, False]]))
    [1, 0]
    """
    column_of: dict[int, int] = {}

    def found(column: int, tried: set[int]) -> bool:
        for row in map(int, pattern[:, column].nonzero()[0]):
            if row not in tried:
                tried.add(row)
                if row not in column_of or found(column_of[row], tried):
                    column_of[row] = column
                    return True
        return False

    for column in range(pattern.shape[1]):
        found(column, set())
    row_of = {column: row for row, column in column_of.items()}
    return [row_of.get(column) for column in range(pattern.shape[1])]


def blocks(pattern: BoolArray) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of each block, those first that the others need.

    Parameters
    ----------
    pattern : BoolArray
        (k, k), which equation contains which coordinate; every coordinate has an equation of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.elimination import blocks
    >>> blocks(np.array([[True, True], [False, True]]))
    [([1], [1]), ([0], [0])]
    """
    row_of = [row for row in matching(pattern) if row is not None]
    needs = [[int(c) for c in pattern[row].nonzero()[0] if c != column] for column, row in enumerate(row_of)]
    order: list[list[int]] = []
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []

    def visit(column: int) -> None:
        number[column] = low[column] = len(number)
        stack.append(column)
        for needed in needs[column]:
            if needed not in number:
                visit(needed)
                low[column] = min(low[column], low[needed])
            elif needed in stack:
                low[column] = min(low[column], number[needed])
        if low[column] == number[column]:
            cut = stack.index(column)
            order.append(sorted(stack[cut:]))
            del stack[cut:]

    for column in range(len(row_of)):
        if column not in number:
            visit(column)
    return [([row_of[c] for c in columns], columns) for columns in order]
