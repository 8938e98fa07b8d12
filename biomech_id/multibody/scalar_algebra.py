"""Vectors and matrices of scalars and numbers, as lists: nothing is computed that can be folded away (see `straight_line`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Vector = list[Any]
Matrix = list[list[Any]]


def solved_by_ldl(M: Matrix, b: Vector) -> tuple[Vector, Vector]:
    """Solve by M = L D L^T, without a root and without a pivot, which a mass matrix does not need.

    Parameters
    ----------
    M : Matrix
        Symmetric and positive definite, as rows.
    b : Vector
        Right-hand side, one entry a row.

    Returns
    -------
    tuple[Vector, Vector]
        M^-1 b and the pivots D, each as long as ``b``.
    """
    n = len(b)
    L: Matrix = [[0.0] * n for _ in range(n)]
    D, inverse = [0.0] * n, [0.0] * n
    for j in range(n):
        D[j] = M[j][j] - sum((L[j][k] * L[j][k] * D[k] for k in range(j)), start=0.0)
        inverse[j] = 1.0 / D[j]
        for i in range(j + 1, n):
            L[i][j] = (M[i][j] - sum((L[i][k] * (L[j][k] * D[k]) for k in range(j)), start=0.0)) * inverse[j]
    y: Vector = []
    for i in range(n):
        y.append(b[i] - sum((L[i][k] * y[k] for k in range(i)), start=0.0))
    x = [value * d for value, d in zip(y, inverse, strict=True)]
    for i in reversed(range(n)):
        x[i] = x[i] - sum((L[k][i] * x[k] for k in range(i + 1, n)), start=0.0)
    return x, D


def dot_product(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Scalar product.

    Parameters
    ----------
    a, b : Sequence[Any]
        Factors, as long as each other.

    Returns
    -------
    Any
        Sum of products; 0.0 of nothing.
    """
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def cross_product(a: Vector, b: Vector) -> Vector:
    """Cross product.

    Parameters
    ----------
    a, b : Vector
        Factors of three components.

    Returns
    -------
    Vector
        Three components of a x b.
    """
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(first: Vector, *others: Vector) -> Vector:
    """Sum.

    Parameters
    ----------
    first : Vector
        First of the summands.
    *others : Vector
        Further summands, as long.

    Returns
    -------
    Vector
        As long as the summands.
    """
    for other in others:
        first = [x + y for x, y in zip(first, other, strict=True)]
    return first


def minus(a: Vector, b: Vector) -> Vector:
    """Difference.

    Parameters
    ----------
    a, b : Vector
        Of which b is taken off.

    Returns
    -------
    Vector
        The difference a - b.
    """
    return [x - y for x, y in zip(a, b, strict=True)]


def scaled(a: Vector, factor: Any) -> Vector:
    """Multiple.

    Parameters
    ----------
    a : Vector
        Vector that is scaled.
    factor : Any
        Number that multiplies every entry.

    Returns
    -------
    Vector
        As long as ``a``.
    """
    return [x * factor for x in a]


def applied(R: Matrix, v: Vector) -> Vector:
    """Matrix times vector.

    Parameters
    ----------
    R : Matrix
        Matrix as a list of rows.
    v : Vector
        Vector as long as a row.

    Returns
    -------
    Vector
        The product R v.
    """
    return [dot_product(row, v) for row in R]


def applied_back(R: Matrix, v: Vector) -> Vector:
    """Transposed matrix times vector.

    Parameters
    ----------
    R : Matrix
        Matrix as a list of rows.
    v : Vector
        Vector as long as a column.

    Returns
    -------
    Vector
        The product R^T v.
    """
    return [dot_product(column, v) for column in zip(*R, strict=True)]


def product(A: Matrix, B: Matrix) -> Matrix:
    """Matrix product.

    Parameters
    ----------
    A, B : Matrix
        Factors, as lists of rows.

    Returns
    -------
    Matrix
        The product A B, as rows.
    """
    return [[dot_product(row, column) for column in zip(*B, strict=True)] for row in A]


def summed(*parts: Matrix) -> Matrix:
    """Sum of matrices.

    Parameters
    ----------
    *parts : Matrix
        Matrices of one size.

    Returns
    -------
    Matrix
        As rows.
    """
    return [plus(*rows) for rows in zip(*parts, strict=True)]


def column_difference(a: dict[int, Vector], b: dict[int, Vector]) -> dict[int, Vector]:
    """Difference of columns.

    Parameters
    ----------
    a, b : dict[int, Vector]
        Columns by number; those that are not there are zero.

    Returns
    -------
    dict[int, Vector]
        Columns a - b by number, of all that either has.
    """
    zero = [0.0, 0.0, 0.0]
    return {k: minus(a.get(k, zero), b.get(k, zero)) for k in dict.fromkeys([*a, *b])}


def shifted_tensor(m: float, h: Vector, p: Vector) -> Matrix:
    """What moving the reference by p adds to a tensor.

    Parameters
    ----------
    m : float
        Mass of the body.
    h : Vector
        First moment of the body, mass times centre of mass.
    p : Vector
        How far the reference is moved.

    Returns
    -------
    Matrix
        Three rows of three, symmetric.
    """
    through = [[x * (hy + m * y) + hx * y for y, hy in zip(p, h, strict=True)] for x, hx in zip(p, h, strict=True)]
    trace = through[0][0] + through[1][1] + through[2][2]
    return [[(trace if i == j else 0.0) - through[i][j] for j in range(3)] for i in range(3)]


def rotated_tensor(R: Matrix, inertia: Matrix) -> Matrix:
    """Express a tensor in other axes, R I R^T.

    Parameters
    ----------
    R : Matrix
        Rotation as a list of rows.
    inertia : Matrix
        Symmetric tensor, as rows.

    Returns
    -------
    Matrix
        Three rows of three, symmetric.
    """
    half = product(R, inertia)
    out = [[dot_product(half[i], R[j]) if j >= i else 0.0 for j in range(3)] for i in range(3)]
    return [[out[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]
