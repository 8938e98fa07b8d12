"""Functions in OpenSim's documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import comb
from xml.etree.ElementTree import Element

import numpy as np

from biomech_id.errors import FileRefusedError
from biomech_id.multibody.functions import (
    ConstantFunction,
    MultivariatePolynomial,
    ScaledFunction,
    SineFunction,
    natural_function,
    piecewise_linear,
    simm_spline,
)
from biomech_id.multibody.joints import AxisFunction, PolynomialFunction
from biomech_id.readers.opensim.document import element_number, element_numbers

#: Polynomials of several coordinates of this order and above are refused.
HIGHEST_ORDER = 12
#: Half the orders of cubic and quintic splines, as OpenSim counts.
_HALF_ORDERS = (2, 3)


def function_in(holder: Element | None, of: str, where: str) -> AxisFunction:
    """Return the function that an element holds.

    Parameters
    ----------
    holder : Element | None
        What holds it as its only function.
    of : str
        Whose function it is, for messages.
    where : str
        The document's file, named in messages.

    Returns
    -------
    AxisFunction
        Value, slope and curvature of one coordinate, in the units of the document (rad, m).

    Raises
    ------
    FileRefusedError
        None there, or a kind that is not supported; the message names the object.
    """
    candidates = [child for child in holder if child.tag in _KINDS] if holder is not None else []
    if not candidates:
        kinds = [child.tag for child in holder] if holder is not None else []
        reason = f"is a {kinds[0]}, which is not supported" if kinds else "is missing"
        raise FileRefusedError(f"The function of {of} {reason}.", value=kinds, expected=", ".join(sorted(_KINDS)), where=where)
    return _KINDS[candidates[0].tag](candidates[0], of, where)


def function_of_several(holder: Element | None, count: int, of: str, where: str) -> MultivariatePolynomial:
    """Return the function of several coordinates that an element holds.

    Parameters
    ----------
    holder : Element | None
        What holds it as its only function.
    count : int
        How many coordinates it takes.
    of : str
        Whose function it is, for messages.
    where : str
        The document's file, named in messages.

    Returns
    -------
    MultivariatePolynomial
        Linear functions and constants too are one.

    Raises
    ------
    FileRefusedError
        None there, a kind that is not supported, or another number of coefficients; the message names the object.
    """
    element = next(iter(holder if holder is not None else ()), None)
    kind = "" if element is None else element.tag
    if element is not None and kind == "MultiplierFunction":
        inner = function_of_several(element.find("function"), count, of, where)
        return replace(inner, coefficients=element_number(element, "scale", 1.0, where) * inner.coefficients)
    coefficients = np.zeros(0)
    if element is not None and kind in ("Constant", "LinearFunction", "MultivariatePolynomialFunction"):
        coefficients = element_numbers(element, "value" if kind == "Constant" else "coefficients", None, where)
    order = {"Constant": 0, "LinearFunction": 1}.get(kind, -1)
    if element is not None and kind == "MultivariatePolynomialFunction":
        order = next((n for n in range(HIGHEST_ORDER) if n == element_number(element, "order", 0, where)), -1)
    if order < 0 or len(coefficients) != comb(order + count, count):
        raise FileRefusedError(
            f"The function of {of} is none of {count} coordinates that is supported: {kind}, {len(coefficients)} coefficients.",
            value=kind, expected=f"Constant, LinearFunction, MultivariatePolynomialFunction of {count} coordinates", where=where,
        )  # fmt: skip
    if kind == "LinearFunction":
        return MultivariatePolynomial(coefficients, np.vstack([np.eye(count, dtype=int), np.zeros((1, count), dtype=int)]))
    return MultivariatePolynomial(coefficients, np.array(list(_powers(order, count))))


def _powers(order: int, count: int) -> Iterator[tuple[int, ...]]:
    """Powers of so many coordinates up to an order together, those of the last one rising first."""
    for first in range(order + 1) if count else ():
        yield from ((first, *others) for others in _powers(order - first, count - 1))
    if not count:
        yield ()


def _linear(element: Element, of: str, where: str) -> AxisFunction:
    slope, offset = element_numbers(element, "coefficients", 2, where)
    return PolynomialFunction((float(offset), float(slope)))


def _polynomial(element: Element, of: str, where: str) -> AxisFunction:
    return PolynomialFunction(tuple(float(c) for c in element_numbers(element, "coefficients", None, where)[::-1]) or (0.0,))


def _through(make: Callable[[np.ndarray, np.ndarray], AxisFunction]) -> Callable[[Element, str, str], AxisFunction]:
    def read(element: Element, of: str, where: str) -> AxisFunction:
        x, y = (element_numbers(element, tag, None, where) for tag in "xy")
        if len(x) != len(y) or len(x) < 2 or not (np.diff(x) > 0).all():
            raise FileRefusedError(
                f"The {element.tag} of {of} has {len(x)} x and {len(y)} y, or x that do not rise.",
                value=x.tolist(), expected="at least two rising x, and as many y", where=where,
            )  # fmt: skip
        return make(x, y)

    return read


def _multiplier(element: Element, of: str, where: str) -> AxisFunction:
    return ScaledFunction(element_number(element, "scale", 1.0, where), function_in(element.find("function"), of, where))


def _constant(element: Element, of: str, where: str) -> AxisFunction:
    return ConstantFunction(element_number(element, "value", 0.0, where))


def _sine(element: Element, of: str, where: str) -> AxisFunction:
    amplitude, omega, phase, offset = (
        element_number(element, tag, default, where)
        for tag, default in (("amplitude", 1.0), ("omega", 1.0), ("phase", 0.0), ("offset", 0.0))
    )
    return SineFunction(amplitude, phase, offset, omega)


def _gcv(element: Element, of: str, where: str) -> AxisFunction:
    half = element_number(element, "half_order", 3, where)
    if half not in _HALF_ORDERS or element_number(element, "error_variance", 0.0, where) != 0:
        raise FileRefusedError(
            f"The GCVSpline of {of} is not supported.",
            value=half, expected="half_order 2 or 3, error_variance 0", where=where,
        )  # fmt: skip
    return _through(lambda x, y: natural_function(x, y, int(2 * half - 1)))(element, of, where)


_KINDS: dict[str, Callable[[Element, str, str], AxisFunction]] = {
    "Constant": _constant,
    "LinearFunction": _linear,
    "PolynomialFunction": _polynomial,
    "SimmSpline": _through(simm_spline),
    "NaturalCubicSpline": _through(simm_spline),
    "natCubicSpline": _through(simm_spline),
    "PiecewiseLinearFunction": _through(piecewise_linear),
    "MultiplierFunction": _multiplier,
    "Sine": _sine,
    "GCVSpline": _gcv,
}
