"""Programs without branches: arithmetic done once on symbols becomes a list of assignments, and that a function in any language.

A `Tape` hands out each `Scalar`. Sums and products of them with numbers and with each other are folded where nothing is to be done
(x 0, x 1, x + 0, a double sign), and what was computed before is not computed again, so that an algorithm written for numbers,
run on scalars, leaves the shortest list it can without ever expanding an expression. From the one list: Python with ``math``,
NumPy, C, the count of operations.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import numpy as np

from biomech_id.values import astuple, dataclass

#: Cost of one sum, product, quotient, root, sine or cosine, arctangent, assignment: Schappler et al. (2019), table 1.
WEIGHTS = (1, 1, 4, 5, 10, 15, 1)
_FUNCTIONS = ("sin", "cos", "sqrt", "atan2")


@dataclass(frozen=True)
class Operations:
    """How many operations of each kind a program takes; one assignment for each result and each part used more than once.

    Attributes
    ----------
    add : int, optional
        Sums, differences, changes of sign.
    mul : int, optional
        Products, of scalars and of numbers.
    div : int, optional
        Quotients, of scalars and of numbers.
    sqrt : int, optional
        Count of square roots.
    trig : int, optional
        Sines and cosines, each counted.
    atan : int, optional
        Arctangents of two arguments.
    assign : int, optional
        Results, and parts used more than once.
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


_KIND = {
    "+": "add",
    "-": "add",
    "neg": "add",
    "*": "mul",
    "/": "div",
    "sqrt": "sqrt",
    "sin": "trig",
    "cos": "trig",
    "atan2": "atan",
}


class Scalar:
    """A number that is not known yet: one line of a tape."""

    __slots__ = ("arguments", "number", "operation", "tape")

    def __init__(self, tape: Tape, operation: str, arguments: tuple[Any, ...], number: int) -> None:
        """Made by a `Tape`.

        Parameters
        ----------
        tape : Tape
            It stands on.
        operation : str
            What makes it.
        arguments : tuple[Any, ...]
            Scalars and numbers.
        number : int
            Of the line.
        """
        self.tape, self.operation, self.arguments, self.number = tape, operation, arguments, number

    def __add__(self, other: Any) -> Any:
        a: Any = self
        if not isinstance(other, Scalar):
            if self.operation == "+" and not isinstance(self.arguments[1], Scalar):
                a, other = self.arguments[0], self.arguments[1] + other
            return a if other == 0 else self.tape.line("+", a, float(other))
        if other.operation == "neg":
            return self - other.arguments[0]
        if self.operation == "neg":
            return other - self.arguments[0]
        return self.tape.line("+", *sorted((self, other), key=_number))

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, Scalar):
            return self + -other
        if self is other:
            return 0.0
        if other.operation == "neg":
            return self + other.arguments[0]
        if self.operation == "neg":
            return -(self.arguments[0] + other)
        twin = self.tape.known.get(("-", other, self))
        return -twin if twin is not None else self.tape.line("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return -self if other == 0 else self.tape.line("-", float(other), self)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Scalar):
            return self._scaled(float(other))
        signs = (self.operation == "neg") + (other.operation == "neg")
        if signs:
            a, b = (x.arguments[0] if x.operation == "neg" else x for x in (self, other))
            return -(a * b) if signs == 1 else a * b
        return self.tape.line("*", *sorted((self, other), key=_number))

    def _scaled(self, factor: float) -> Any:
        if factor == 0:
            return 0.0
        if factor == 1:
            return self
        if factor < 0:
            return -(self * -factor)
        if self.operation == "neg":
            return -(self.arguments[0] * factor)
        if self.operation == "*" and not isinstance(self.arguments[1], Scalar):
            return self.arguments[0] * (self.arguments[1] * factor)
        return self.tape.line("*", self, factor)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Scalar):
            return self * (1.0 / other)
        if other.operation == "neg":
            return -(self / other.arguments[0])
        return -(self.arguments[0] / other) if self.operation == "neg" else self.tape.line("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        if other == 0:
            return 0.0
        return -(other / self.arguments[0]) if self.operation == "neg" else self.tape.line("/", float(other), self)

    def __neg__(self) -> Any:
        return self.arguments[0] if self.operation == "neg" else self.tape.line("neg", self)

    def sin(self) -> Any:
        """Sine, where NumPy asks for it.

        Returns
        -------
        Any
            `Scalar`.
        """
        return self.tape.sin(self)

    def cos(self) -> Any:
        """Cosine, where NumPy asks for it.

        Returns
        -------
        Any
            `Scalar`.
        """
        return self.tape.cos(self)

    __radd__, __rmul__ = __add__, __mul__


class Tape:
    """Where scalars are written down; it also is the ``m`` of a closed form: sin, cos, sqrt, atan2.

    Examples
    --------
    >>> from biomech_id.multibody.straight_line import Tape
    >>> tape = Tape()
    >>> x = tape.symbol("x")
    >>> program = tape.program({"y": [(x + 1.0) * (1.0 + x) + 0.0 * tape.sin(x)]})
    >>> program.operations.weighted, program.source("python").splitlines()[-1].strip()
    (4, 'return [(v1 * v1)]')
    """

    def __init__(self) -> None:
        self.symbols: list[str] = []
        self.known: dict[Any, Scalar] = {}

    def symbol(self, name: str) -> Scalar:
        """A new input.

        Parameters
        ----------
        name : str
            Name of the input.

        Returns
        -------
        Scalar
            Stands for the input on this tape.
        """
        self.symbols.append(name)
        return self.line("symbol", name)

    def sin(self, x: Any) -> Any:
        """Sine.

        Parameters
        ----------
        x : Any
            Scalar or number, rad.

        Returns
        -------
        Any
            `Scalar` of a scalar, a number of a number.
        """
        if isinstance(x, Scalar) and x.operation == "neg":
            return -self.sin(x.arguments[0])
        return self.line("sin", x) if isinstance(x, Scalar) else _snapped(np.sin(x))

    def cos(self, x: Any) -> Any:
        """Cosine.

        Parameters
        ----------
        x : Any
            Scalar or number, rad.

        Returns
        -------
        Any
            `Scalar` of a scalar, a number of a number.
        """
        if isinstance(x, Scalar) and x.operation == "neg":
            return self.cos(x.arguments[0])
        return self.line("cos", x) if isinstance(x, Scalar) else _snapped(np.cos(x))

    def sqrt(self, x: Any) -> Any:
        """Square root.

        Parameters
        ----------
        x : Any
            Scalar or number, not negative.

        Returns
        -------
        Any
            `Scalar` of a scalar, a number of a number.
        """
        return self.line("sqrt", x) if isinstance(x, Scalar) else float(np.sqrt(x))

    def atan2(self, y: Any, x: Any) -> Any:
        """Angle of the point (x, y).

        Parameters
        ----------
        y, x : Any
            Scalars or numbers, y first.

        Returns
        -------
        Any
            `Scalar`, rad; a number where both arguments are numbers.
        """
        return self.line("atan2", y, x) if isinstance(y, Scalar) or isinstance(x, Scalar) else float(np.arctan2(y, x))

    def line(self, operation: str, *arguments: Any) -> Scalar:
        """Write down an operation, once.

        Parameters
        ----------
        operation : str
            "+", "-", "*", "/", "neg", "sin", "cos", "sqrt", "atan2" or "symbol".
        *arguments : Any
            Scalars and numbers that it takes.

        Returns
        -------
        Scalar
            The same one where the operation has been done before.
        """
        key = (operation, *arguments)
        if key not in self.known:
            self.known[key] = Scalar(self, operation, arguments, len(self.known))
        return self.known[key]

    def program(self, outputs: dict[str, Any]) -> Program:
        """What computes some scalars, and nothing else that stands on the tape.

        Parameters
        ----------
        outputs : dict[str, Any]
            Name -> scalars and numbers, nested in lists as the result shall be.

        Returns
        -------
        Program
            Lines in the order in which they can be computed.
        """
        flat = [np.array(values, dtype=object) for values in outputs.values()]
        wanted = [entry for array in flat for entry in array.ravel()]
        needed: dict[int, Scalar] = {}
        stack = [entry for entry in wanted if isinstance(entry, Scalar)]
        while stack:
            scalar = stack.pop()
            if scalar.number not in needed:
                needed[scalar.number] = scalar
                stack += [a for a in scalar.arguments if isinstance(a, Scalar)]
        lines = tuple(needed[number] for number in sorted(needed) if needed[number].operation != "symbol")
        shapes = {name: array.shape for name, array in zip(outputs, flat, strict=True)}
        return Program(tuple(self.symbols), lines, tuple(wanted), shapes)


@dataclass(frozen=True, eq=False)
class Program:
    """A list of assignments.

    Attributes
    ----------
    inputs : tuple[str, ...]
        Names of the numbers it takes, in order.
    lines : tuple[Scalar, ...]
        In the order in which they can be computed.
    outputs : tuple[Any, ...]
        Scalars and numbers, all results one after the other.
    shapes : dict[str, tuple[int, ...]]
        Name of each result -> its shape.
    """

    inputs: tuple[str, ...]
    lines: tuple[Scalar, ...]
    outputs: tuple[Any, ...]
    shapes: dict[str, tuple[int, ...]]

    @property
    def operations(self) -> Operations:
        """What it costs."""
        counts, uses = Counter(_KIND.get(line.operation, line.operation) for line in self.lines), self._uses()
        results = [entry for entry in self.outputs if isinstance(entry, Scalar) and entry.operation != "symbol"]
        shared = {line.number for line in self.lines if uses[line.number] > 1}
        return Operations(**counts, assign=len(shared) + len({entry.number for entry in results} - shared))

    def _uses(self) -> Counter[int]:
        """How often each line is an argument of another."""
        return Counter(argument.number for line in self.lines for argument in line.arguments if isinstance(argument, Scalar))

    def source(self, language: str) -> str:
        """The list as text.

        Parameters
        ----------
        language : str
            "python" (numbers by ``math``), "numpy" (arrays) or "c".

        Returns
        -------
        str
            A function ``evaluate``; of the inputs to all results in Python, over many states in C.
        """
        return self._c() if language == "c" else self._python()

    def _texts(self) -> tuple[list[tuple[str, str]], list[str]]:
        """Name and right-hand side of each line that is used more than once, in Python's and C's common words; and the results."""
        uses = self._uses() + Counter(entry.number for entry in self.outputs if isinstance(entry, Scalar))
        text: dict[int, str] = {}
        assigned: list[tuple[str, str]] = []
        position = {name: k for k, name in enumerate(self.inputs)}

        def text_of(entry: Any) -> str:
            if not isinstance(entry, Scalar):
                return f"({float(entry)!r})" if entry < 0 else repr(float(entry))
            return f"x{position[entry.arguments[0]]}" if entry.operation == "symbol" else text[entry.number]

        for line in self.lines:
            parts = [text_of(argument) for argument in line.arguments]
            if line.operation in _FUNCTIONS:
                right = f"{line.operation}({', '.join(parts)})"
            else:
                right = f"(-{parts[0]})" if line.operation == "neg" else f"({parts[0]} {line.operation} {parts[1]})"
            if uses[line.number] > 1 or len(right) > 200:
                assigned.append((f"v{line.number}", right))
                right = f"v{line.number}"
            text[line.number] = right
        return assigned, [text_of(entry) for entry in self.outputs]

    def _python(self) -> str:
        assigned, results = self._texts()
        head = ["def evaluate(x):"]
        if self.inputs:
            head.append(f"    {', '.join(f'x{k}' for k in range(len(self.inputs)))}, = x")
        return "\n".join([*head, *(f"    {name} = {right}" for name, right in assigned), f"    return [{', '.join(results)}]", ""])

    def _c(self) -> str:
        assigned, results = self._texts()
        n_in, n_out = len(self.inputs), len(self.outputs)
        lines = ["#include <math.h>", "#ifdef _WIN32", "__declspec(dllexport)", "#endif"]
        lines += ["void evaluate(const double *x, double *y, long long n) {", "  for (long long k = 0; k < n; k++) {"]
        lines += [f"    const double x{k} = x[{k}];" for k in range(n_in)]
        lines += [f"    const double {name} = {right};" for name, right in assigned]
        lines += [f"    y[{k}] = {right};" for k, right in enumerate(results)]
        return "\n".join([*lines, f"    x += {n_in}; y += {n_out};", "  }", "}", ""])

    def split(self, flat: Any) -> dict[str, Any]:
        """Cut results, one after the other, into named arrays.

        Parameters
        ----------
        flat : Any
            (..., k), results one after the other.

        Returns
        -------
        dict[str, Any]
            By name, (..., shape).
        """
        out, start = {}, 0
        for name, shape in self.shapes.items():
            size = prod(shape)
            out[name] = flat[..., start : start + size].reshape(*flat.shape[:-1], *shape)
            start += size
        return out


def _number(scalar: Scalar) -> int:
    return scalar.number


def _snapped(value: Any) -> float:
    nearest = round(float(value))
    return float(nearest) if abs(value - nearest) < 1e-15 else float(value)
