"""What two visits of an unchanged walk differ by because the markers stand elsewhere: one standard deviation of one session.

``session_error.csv`` was made by placing every marker of a virtual adult and of a child anew, with errors of a trained examiner,
and analysing the same walk again (``benchmarks/studies/session_error.py``): of each variable the larger of both. Angles turn the
more the shorter a leg is; moments and powers per kilogram do not. What the walk itself varies by from day to day is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CYCLE_ROWS
from biomech_id.session.tables.session_tables import CURVE_POINTS

FILE = Path(__file__).with_suffix(".csv")
#: Leg length that the table's angles are of, m.
REFERENCE_LEG_M = 0.924
#: Percents of the cycle that the table holds.
NODES = tuple(range(0, 101, 5))


@dataclass(frozen=True, eq=False)
class SessionError:
    """Error of one session's mean curve by where its markers stand.

    Attributes
    ----------
    sd : FloatArray
        (101,) one standard deviation, in the unit of the sign table.
    limit : float
        How many standard deviations 95 % of such errors stay within over the whole cycle.
    """

    sd: FloatArray
    limit: float


@cache
def session_errors() -> dict[tuple[str, str], SessionError]:
    """Return (variable, component) -> error of a person whose leg is `REFERENCE_LEG_M` long.

    Returns
    -------
    dict[tuple[str, str], SessionError]
        (variable, component) -> standard deviation (101,) of one session, and its limit, in the variable's unit.
    """
    table = pd.read_csv(FILE, keep_default_na=False)
    percent = np.arange(CURVE_POINTS)
    nodes = table[[f"sd_{at}" for at in NODES]].to_numpy(dtype=np.float64)
    return {
        (variable, component): SessionError(np.interp(percent, NODES, sd), float(limit))
        for variable, component, limit, sd in zip(table["variable"], table["component"], table["limit"], nodes, strict=True)
    }


def session_error(variable: str, component: str, *, leg_m: float | None) -> SessionError | None:
    """Return the error of one variable; None where nobody has measured it.

    Parameters
    ----------
    variable, component : str
        Name of the curve, as in ``cycles.csv``.
    leg_m : float | None
        The person's leg length; None where it is not recorded, which takes the table's.

    Returns
    -------
    SessionError | None
        Standard deviation (101,) and limit, in the variable's unit; angles are scaled to this person's leg.

    Examples
    --------
    >>> from biomech_id.statistics.session_error import session_error
    >>> adult, child = (session_error("KneeAngles", "X", leg_m=leg_m) for leg_m in (0.924, 0.6))
    >>> adult and child and (bool(1.5 < adult.sd.mean() < 3.0), round(float((child.sd / adult.sd).mean()), 2))
    (True, 1.54)
    """
    measured = session_errors().get((variable, component))
    if measured is None:
        return None
    turns = CYCLE_ROWS[variable, component].quantity == "angle"
    return SessionError(measured.sd * (REFERENCE_LEG_M / leg_m if turns and leg_m else 1.0), measured.limit)
