"""When a system's tree runs as generated code, and that code's results in place of the plain ones.

The plain way through NumPy needs no preparation and costs as much for one state as for some thirty. `TreeCode` counts what each
quantity has been asked for, and generates when the plain way has cost as much as generating does: numbers of states decide, never
a clock. C takes over by the same rule, where a compiler is. What generated code leaves open is asked of the plain way: states
with numbers missing, mass matrices that may be singular, bases that move, functions it cannot follow, other numbers than float64.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from functools import lru_cache
from io import BytesIO
from math import inf
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import Motion
from biomech_id.multibody.generated import GeneratedCode, generate, native
from biomech_id.multibody.traced_system import tree_program
from biomech_id.values import dataclass

#: States whose plain computation costs as much as what a call costs by itself.
CALL_STATES = 32
#: States, calls included, after which a quantity is generated, and those and more for each line after which it is compiled.
GENERATED_FROM, COMPILED_FROM, COMPILED_PER_LINE = 1_000, 6_000, 6
#: Speeds up to which trees are generated: the code of a mass matrix grows with the square of their number.
MOST_SPEEDS = 40
#: Lines up to which code is compiled: the compiler's time grows faster than they do.
MOST_LINES = 15_000
#: Accelerations are taken of generated code where this is exceeded by the product of the pivots of M over its diagonal, divided by
#: the sums of the diagonal and of its inverse. The smallest eigenvalue of M scaled to a diagonal of 1 is no smaller than a third.
INERTIA_BOUND = 1e-12
#: Packages whose classes and functions do not change while a program runs.
_LASTING = frozenset({"biomech_id", "numpy", "builtins", "copyreg"})
#: Numbers up to which Python's sum is faster than NumPy.
_FEW = 100


@dataclass
class TreeCode:
    """One method of a system: how much more it has to be asked for, and its code.

    Attributes
    ----------
    left : float, optional
        States, and `CALL_STATES` for each call, until it is generated; then until what is generated is compiled.
    code : GeneratedCode | None, optional
        None until it is generated, and where it cannot be.
    """

    left: float = GENERATED_FROM
    code: GeneratedCode | None = None

    def advance(self, system: Any, asked: str) -> None:
        """Generate, or compile what is generated.

        Parameters
        ----------
        system : Any
            A `System`; its tree is taken.
        asked : str
            Name of the method.
        """
        self.left = inf
        if self.code is not None:
            code = native(self.code.program)
            self.code = self.code if isinstance(code, str) else code
        elif 0 < len(system.speeds) <= MOST_SPEEDS:
            try:
                program = tree_program(system, asked)
            except (TypeError, ValueError, AttributeError, ZeroDivisionError):  # a function without a formula, a joint without mass
                return
            self.code = generate(program, "python")
            if len(program.lines) <= MOST_LINES:
                self.left = COMPILED_FROM + COMPILED_PER_LINE * len(program.lines)


class _Lasting(pickle.Pickler):
    """Writes what stays what it is; somebody's own function, wherever it stands, may become another one under the same name."""

    def reducer_override(self, part: Any) -> Any:
        kind = part if isinstance(part, type | FunctionType) else type(part)
        if kind.__module__.partition(".")[0] not in _LASTING:
            raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not the library's own")
        return NotImplemented


def _quantities(system: Any) -> defaultdict[str, TreeCode]:
    content = BytesIO()
    try:
        _Lasting(content).dump((system.bodies, system.gravity_lab_m_s2, system.springs))
    except (pickle.PicklingError, AttributeError, TypeError):
        return defaultdict(lambda: TreeCode(inf))
    return _with_content(content.getvalue())


@lru_cache(maxsize=64)
def _with_content(_content: bytes) -> defaultdict[str, TreeCode]:
    """Methods of all equal systems."""
    return defaultdict(TreeCode)


#: Of each system that is in use; not on it, as copies and pickles cannot hold what is compiled.
_of_systems: WeakKeyDictionary[Any, defaultdict[str, TreeCode]] = WeakKeyDictionary()


def generated_results(system: Any, asked: str, base: Motion | None, *state: FloatArray) -> dict[str, FloatArray] | None:
    """Compute a quantity by generated code, where that is worth it.

    Parameters
    ----------
    system : Any
        A `System`; its tree is taken.
    asked : str
        "inverse", "forward", "terms" or "kinematics".
    base : Motion | None
        What the roots hang on; where it moves, the plain way is to be taken.
    *state : FloatArray
        q (N, nq), u and a or tau (N, n).

    Returns
    -------
    dict[str, FloatArray] | None
        As `biomech_id.multibody.traced_system.tree_program` names them, N states each; None where the plain way is to be taken.
    """
    if system not in _of_systems:
        _of_systems[system] = _quantities(system)
    quantity = _of_systems[system][asked]
    quantity.left -= CALL_STATES + len(state[0])
    if quantity.left <= 0:
        quantity.advance(system, asked)
    code = quantity.code
    x = np.concatenate(state, axis=1)
    if code is None or base is not None or x.dtype != np.float64:
        return None
    y = code(x[0])[None] if len(x) == 1 else code(x)
    results: dict[str, FloatArray] = code.program.split(y)
    sure = asked != "forward" or (results["bound"] > INERTIA_BOUND).all()
    return results if sure and nothing_missing(x) and nothing_missing(y) else None


def nothing_missing(values: FloatArray) -> bool:
    """Look for what is no number, quickly in one state too.

    Parameters
    ----------
    values : FloatArray
        Real or complex numbers, of any shape.

    Returns
    -------
    bool
        Whether none is missing or infinite.
    """
    total = sum(values.ravel().tolist()) if values.size < _FEW else inf
    return total - total == 0 or bool(np.isfinite(values).all())
