"""SciPy's LAPACK without the rest of ``scipy.linalg``, which takes as long to import as NumPy twice over."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError

_COMPILED, _WHOLE = "scipy.linalg._flapack", "scipy.linalg.lapack"


@cache
def lapack() -> Any:
    """Load LAPACK's routines under the names of ``scipy.linalg.lapack``.

    Returns
    -------
    Any
        The compiled module alone; ``scipy.linalg.lapack`` where SciPy keeps it elsewhere, or has loaded it already.
    """
    package = find_spec("scipy.linalg")
    spec = PathFinder.find_spec(_COMPILED, package.submodule_search_locations) if package else None
    if _WHOLE in sys.modules or spec is None or spec.loader is None:
        return import_module(_WHOLE)
    compiled = module_from_spec(spec)
    spec.loader.exec_module(compiled)
    # SciPy's own import, if it comes later, takes this one.
    return sys.modules.setdefault(_COMPILED, compiled)


def solve_banded(below: int, band: FloatArray, right: FloatArray) -> FloatArray:
    """Solve a banded system for all right-hand sides at once.

    Parameters
    ----------
    below : int
        Diagonals below the main one; those above are the other rows of ``band``.
    band : FloatArray
        (below + 1 + above, n), element (i, j) of the matrix in row ``above + i - j`` and column j.
    right : FloatArray
        (n, k).

    Returns
    -------
    FloatArray
        (n, k).

    Raises
    ------
    InvalidValueError
        The matrix is singular.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.lapack import solve_banded
    >>> solve_banded(1, np.array([[2.0, 2.0], [1.0, 0.0]]), np.array([[2.0], [5.0]])).ravel().tolist()
    [1.0, 2.0]
    """
    # Partial pivoting fills as many diagonals again as lie below.
    room = np.concatenate([np.zeros((below, band.shape[1])), band])
    *_, solution, info = lapack().dgbsv(below, len(band) - 1 - below, room, right, overwrite_ab=True)
    if info:
        raise InvalidValueError(
            "A banded system of equations is singular.", value=info, expected="independent equations", where=f"equation {info}"
        )
    return np.asarray(solution)
