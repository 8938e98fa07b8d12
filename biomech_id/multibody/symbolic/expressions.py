"""From expressions to fast NumPy functions, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import sympy as sp

from biomech_id.algebra.arrays import FloatArray

#: Cost of one sum, product, quotient, root, sine or cosine, arctangent, assignment:
#: Schappler et al. (2019), table 1.
WEIGHTS = (1, 1, 4, 5, 10, 15, 1)


@dataclass(frozen=True)
class Operations:
    """How many operations of each kind a list of expressions takes after common subexpressions are taken out.

    Attributes
    ----------
    add : int, optional
        Number of these.
    mul : int, optional
        Number of these.
    div : int, optional
        Number of these.
    sqrt : int, optional
        Number of these.
    trig : int, optional
        Number of these.
    atan : int, optional
        Number of these.
    assign : int, optional
        Number of these.
    """

    add: int = 0
    mul: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    atan: int = 0
    assign: int = 0

    @property
    def weighted(self) -> int:
        """Sum of the counts times `WEIGHTS`."""
        return sum(weight * count for weight, count in zip(WEIGHTS, astuple(self), strict=True))

    def __add__(self, other: Operations) -> Operations:
        return Operations(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def operations(expressions: Iterable[Any]) -> Operations:
    """Count the operations of expressions, evaluated together: every shared part once, one assignment for each part and result.

    A difference counts as a sum, a change of sign as nothing, a rational number as one constant.

    Parameters
    ----------
    expressions : Iterable[Any]
        Anything of SymPy's.
    """
    wanted = [expression for expression in expressions if not (expression.is_Number or expression.is_Symbol)]
    shared, results = sp.cse(wanted)
    lines = [expression for _, expression in shared] + list(results)
    return sum((_of_tree(line) for line in lines), start=Operations(assign=len(lines)))


def _of_tree(expression: Any) -> Operations:
    if expression.is_Atom:
        return Operations()
    inner = sum((_of_tree(argument) for argument in expression.args), start=Operations())
    if expression.is_Add:
        return inner + Operations(add=len(expression.args) - 1)
    if expression.is_Mul:
        return inner + _of_product(expression)
    if expression.is_Pow:
        return inner + _of_power(expression.exp, alone=True)
    if isinstance(expression, (sp.sin, sp.cos)):
        return inner + Operations(trig=1)
    if isinstance(expression, sp.atan2):
        return inner + Operations(atan=1)
    raise TypeError(f"No cost is known for {expression.func}")


def _of_product(product: Any) -> Operations:
    """Products of the numerator and of the denominator, and one division between them; powers inside are counted by themselves."""
    below = [factor for factor in product.args if factor.is_Pow and factor.exp.is_negative]
    above = [factor for factor in product.args if factor not in below and factor != -1]
    products = max(len(above) - 1, 0) + max(len(below) - 1, 0)
    # Each factor below was counted with a division of its own; together they need one.
    return Operations(mul=products, div=min(len(below), 1) - len(below))


def _of_power(exponent: Any, *, alone: bool) -> Operations:
    if not exponent.is_Rational or exponent.q not in (1, 2):
        raise TypeError(f"No cost is known for an exponent of {exponent}")
    whole = int(abs(exponent.p)) if exponent.q == 1 else int(abs(exponent.p)) // 2 + 1
    return Operations(mul=whole - 1, div=int(exponent.is_negative), sqrt=int(exponent.q == 2))


def compiled(arguments: Sequence[Any], expressions: Any) -> Callable[..., FloatArray]:
    """A NumPy function of ``arguments``, common subexpressions taken out.

    ``expressions`` is a matrix (r, c) or a list (k). Arguments may be numbers or arrays (...,) that broadcast; the result is
    (..., r, c) or (..., k).

    Parameters
    ----------
    arguments : Sequence[Any]
        Symbols, in the order of the call.
    expressions : Any
        Anything of SymPy's.
    """
    matrix = isinstance(expressions, sp.MatrixBase)
    flat = list(expressions)
    evaluate = sp.lambdify(list(arguments), flat, modules="numpy", cse=True)

    def function(*values: Any) -> FloatArray:
        found = np.stack(np.broadcast_arrays(*evaluate(*values), *values)[: len(flat)], axis=-1).astype(np.float64)
        return found.reshape(*found.shape[:-1], *expressions.shape) if matrix else found

    return function
