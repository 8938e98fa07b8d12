"""In which order a loop's equations determine its dependent coordinates, whatever order they are written in.

The pattern of J2 (equation by coordinate) is matched, each coordinate with an equation of its own, and cut into blocks that
depend on earlier blocks only: strongly connected components of "my equation contains your coordinate". Blocks of one and two are
solved by Cramer's rule, larger ones by elimination. (Maximum matching by augmenting paths; loops are small, so that what needs
what in the end is found by squaring the pattern.)
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray


def matching(pattern: BoolArray) -> list[int | None]:
    """Give each column a row of its own that contains it.

    Parameters
    ----------
    pattern : BoolArray
        (rows, columns), which row contains which column.

    Returns
    -------
    list[int | None]
        Row of each column; None for a column that has none left.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.elimination import matching
    >>> matching(np.array([[True, True], [True, False]]))
    [1, 0]
    """
    column_of: dict[int, int] = {}

    def assign(column: int, tried: set[int]) -> bool:
        for row in map(int, pattern[:, column].nonzero()[0]):
            if row not in tried:
                tried.add(row)
                if row not in column_of or assign(column_of[row], tried):
                    column_of[row] = column
                    return True
        return False

    for column in range(pattern.shape[1]):
        assign(column, set())
    row_of = {column: row for row, column in column_of.items()}
    return [row_of.get(column) for column in range(pattern.shape[1])]


def blocks(pattern: BoolArray) -> list[tuple[list[int], list[int]]]:
    """Cut equations into blocks that can be solved one after the other.

    Parameters
    ----------
    pattern : BoolArray
        (k, k), which equation contains which coordinate; every coordinate has an equation of its own.

    Returns
    -------
    list[tuple[list[int], list[int]]]
        Rows and columns of each block, those first that the others need.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.elimination import blocks
    >>> blocks(np.array([[True, True], [False, True]]))
    [([1], [1]), ([0], [0])]
    """
    row_of = [row for row in matching(pattern) if row is not None]
    needs = pattern[row_of] | np.eye(len(row_of), dtype=bool)
    for _ in row_of:  # what is needed by what a coordinate needs
        needs = needs @ needs
    together = {tuple(map(int, row.nonzero()[0])) for row in needs & needs.T}
    # A block needs all that its own need, and itself: more than any of them.
    order = sorted(together, key=lambda columns: (needs[columns[0]].sum(), columns))
    return [([row_of[column] for column in columns], list(columns)) for columns in order]
