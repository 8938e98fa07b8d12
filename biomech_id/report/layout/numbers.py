"""How numbers are written on a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

#: Decimals by unit:
#: what a clinic reads, not what a computer holds.
DECIMALS: dict[str, int] = {
    "deg": 1, "N m/kg": 2, "W/kg": 2, "%BW": 1, "N/kg": 2, "m": 3, "m/s": 2, "s": 2, "%": 1, "steps/min": 1, "1/min": 1, "1": 3,
    "mm": 1, "ms": 0, "N": 1, "cycles": 0, "frames": 0, "": 3,
}  # fmt: skip


def written(value: float | None, decimals: int) -> str:
    """A number with fixed decimals and a true minus sign; an en dash where it is missing.

    Parameters
    ----------
    value : float | None
        None and NaN are missing.
    decimals : int
        Decimals that are shown.
    """
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{value:.{decimals}f}"
    # Rounding may leave a minus before nothing but zeros.
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")


def three_digits(value: float | None) -> str:
    """A number with three significant digits, for values whose unit has no fixed decimals; what is nearly nothing says so.

    Parameters
    ----------
    value : float | None
        None and NaN are missing.
    """
    if value is None or not math.isfinite(value):
        return "–"
    if 0 < abs(value) < 0.001:
        return "< 0.001" if value > 0 else "> −0.001"
    return f"{value:.3g}".replace("-", "−")


def mean_of(values: Sequence[float]) -> float:
    """Mean of the known values; NaN where none is known.

    Parameters
    ----------
    values : Sequence[float]
        NaN is missing.
    """
    known = [v for v in values if math.isfinite(v)]
    return float(np.mean(known)) if known else float("nan")


def mean_sd(values: Sequence[float], decimals: int) -> str:
    """``12.3 ± 1.2`` (sample standard deviation), the mean alone for one value, a dash for none.

    Parameters
    ----------
    values : Sequence[float]
        NaN is missing.
    decimals : int
        Decimals that are shown.
    """
    known = np.asarray([v for v in values if math.isfinite(v)], dtype=float)
    if not len(known):
        return "–"
    mean = written(float(known.mean()), decimals)
    return f"{mean} ± {written(float(known.std(ddof=1)), decimals)}" if len(known) > 1 else mean
