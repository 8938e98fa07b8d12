"""How numbers are written on a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

#: Decimals by unit: what a clinic reads, not what a computer holds.
DECIMALS: dict[str, int] = {
    "deg": 1, "N m/kg": 2, "W/kg": 2, "%BW": 1, "N/kg": 2, "m": 3, "m/s": 2, "s": 2, "%": 1, "steps/min": 1, "1/min": 1, "1": 3,
    "mm": 1, "ms": 0, "N": 1, "cycles": 0, "frames": 0, "": 3,
}  # fmt: skip


def digits(value: float, form: str, mark: str) -> str:
    """A number in a format, with a true minus sign and the decimal mark of the report's language.

    Parameters
    ----------
    value : float
        The number to write, in the unit shown.
    form : str
        As Python's format strings have it: ".1f".
    mark : str
        Decimal mark of the language: `Style.decimal_mark`.

    Examples
    --------
    >>> digits(-1.25, ".1f", ",")
    '−1,2'
    """
    return f"{value:{form}}".replace("-", "−").replace(".", mark)


def written(value: float | None, decimals: int, mark: str) -> str:
    """A number with fixed decimals and a true minus sign; an en dash where it is missing.

    Parameters
    ----------
    value : float | None
        None and NaN are missing.
    decimals : int
        Decimals that are shown.
    mark : str
        Decimal mark of the language: `Style.decimal_mark`.
    """
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{value:.{decimals}f}"
    # Rounding may leave a minus before nothing but zeros.
    return (text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")).replace(".", mark)


def within_a_step(value: float, other: float, decimals: int) -> bool:
    """Whether two numbers as printed differ by one of their last digit at most: less than that may be rounding, and is no flag.

    Parameters
    ----------
    value, other : float
        The numbers; one that is missing differs by nothing.
    decimals : int
        Decimals that are shown.

    Examples
    --------
    >>> within_a_step(0.012, 0.002, 2), within_a_step(0.016, 0.002, 2)
    (True, False)
    """
    return not abs(round(value, decimals) - round(other, decimals)) > 1.5 * 10.0**-decimals


def three_digits(value: float | None, mark: str) -> str:
    """A number with three significant digits, for values whose unit has no fixed decimals; what is nearly nothing says so.

    Parameters
    ----------
    value : float | None
        None and NaN are missing.
    mark : str
        Decimal mark of the language: `Style.decimal_mark`.
    """
    if value is None or not math.isfinite(value):
        return "–"
    if 0 < abs(value) < 0.001:
        return ("< 0.001" if value > 0 else "> −0.001").replace(".", mark)
    return digits(value, ".3g", mark)


def mean_of(values: Sequence[float]) -> float:
    """Mean of the known values; NaN where none is known.

    Parameters
    ----------
    values : Sequence[float]
        Numbers of one unit; NaN is missing.
    """
    known = [v for v in values if math.isfinite(v)]
    return float(np.mean(known)) if known else float("nan")


def mean_sd(values: Sequence[float], decimals: int, mark: str) -> str:
    """``12.3 ± 1.2`` (sample standard deviation), the mean alone for one value, a dash for none.

    Parameters
    ----------
    values : Sequence[float]
        Numbers of one unit; NaN is missing.
    decimals : int
        Decimals that are shown.
    mark : str
        Decimal mark of the language: `Style.decimal_mark`.
    """
    known = np.asarray([v for v in values if math.isfinite(v)], dtype=float)
    if not len(known):
        return "–"
    mean = written(float(known.mean()), decimals, mark)
    return f"{mean} ± {written(float(known.std(ddof=1)), decimals, mark)}" if len(known) > 1 else mean
