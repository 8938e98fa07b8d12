"""What two visits of an unchanged walk differ by because the markers stand elsewhere: one standard deviation of one session.

``session_error.csv`` was made by placing every marker of a virtual adult and of a child anew, with errors of a trained examiner,
and analysing the same walk again (``benchmarks/studies/session_error.py``): of each variable the larger of both. Angles turn the
more the shorter a leg is; moments and powers per kilogram do not. What the walk itself varies by from day to day is not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CYCLE_ROWS, SIDES
from biomech_id.session.tables.means import MeanCurves
from biomech_id.session.tables.session_tables import CURVE_POINTS
from biomech_id.uncertainty.sizes import ERROR_SIZES
from biomech_id.values import dataclass

FILE = Path(__file__).with_suffix(".csv")
#: Leg length that the table's angles are of, m.
REFERENCE_LEG_M = 0.924
#: Fewer people who were measured twice tell no laboratory's error.
LEAST_PEOPLE = 5
#: Ends of the names of errors that a marker's place has.
_PLACED = ("_forward_mm", "_up_mm", "_side_mm")
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


@dataclass(frozen=True)
class OwnErrors:
    """What a laboratory's own repeated sessions differ by, beside what is assumed where nobody measured it.

    Attributes
    ----------
    people, sessions : int
        How many they are of.
    rows : tuple[tuple[str, str, float, float], ...]
        Variable, component, and of one session the standard deviation found and the one assumed: root mean squares over the cycle,
        in the variable's unit.
    """

    people: int
    sessions: int
    rows: tuple[tuple[str, str, float, float], ...]

    @property
    def factor(self) -> float:
        """How much larger than assumed the laboratory's error is, over all angles: a ratio of root mean squares."""
        ratios = [own / assumed for variable, axis, own, assumed in self.rows if CYCLE_ROWS[variable, axis].quantity == "angle"]
        return float(np.sqrt(np.mean(np.square(ratios)))) if ratios else float("nan")

    @property
    def error_sizes(self) -> tuple[str, ...]:
        """Sizes of the errors of placed markers, as a recipe's ``error_sizes`` has them: those assumed, each times the factor."""
        placed = (row for row in ERROR_SIZES if row.name.endswith(_PLACED) and row.value)
        return tuple(f"{row.name} = {self.factor * row.value:.2g}" for row in placed)


def own_errors(people: Sequence[Sequence[tuple[MeanCurves, float | None]]]) -> OwnErrors | None:
    """Return what the sessions of unchanged people differ by: standard deviation of one session's mean curve.

    Parameters
    ----------
    people : Sequence[Sequence[tuple[MeanCurves, float | None]]]
        Of each person the sessions: mean curves (101,) by side, variable and component, and the leg's length in metres.

    Returns
    -------
    OwnErrors | None
        Variances pooled over people and sides; None for fewer than `LEAST_PEOPLE` who have an angle in two sessions.
    """
    people = [[session for session in sessions if _has_angles(session[0])] for sessions in people]
    people = [sessions for sessions in people if len(sessions) > 1]
    if len(people) < LEAST_PEOPLE:
        return None
    rows = []
    for variable, component in session_errors():
        pooled = []
        for sessions in people:
            for side in SIDES:
                curves = [means[side, variable, component] for means, _ in sessions if (side, variable, component) in means]
                assumed = session_error(variable, component, leg_m=sessions[0][1])
                if len(curves) > 1 and assumed:
                    variance = np.var(curves, axis=0, ddof=1)
                    known = np.isfinite(variance)
                    if known.any():
                        pooled.append((len(curves) - 1, variance[known].mean(), np.mean(assumed.sd[known] ** 2)))
        if pooled:
            freedom, own, usual = np.array(pooled).T
            own_sd, usual_sd = (float(np.sqrt(np.average(each, weights=freedom))) for each in (own, usual))
            rows.append((variable, component, own_sd, usual_sd))
    errors = OwnErrors(len(people), sum(map(len, people)), tuple(rows))
    return errors if np.isfinite(errors.factor) else None


def _has_angles(means: MeanCurves) -> bool:
    angles = [curve for (_, *of), curve in means.items() if CYCLE_ROWS[of[0], of[1]].quantity == "angle"]
    return any(np.isfinite(curve).any() for curve in angles)
