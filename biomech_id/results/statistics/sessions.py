"""One session against another: what changed of a curve or a number, and what two visits differ by without any change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.gait.scores import GAIT_VARIABLES
from biomech_id.results.session.whole_body import WHOLE_BODY_PARAMETERS
from biomech_id.results.statistics.session_error import session_error
from biomech_id.results.statistics.two_recordings import CurveChange, ScalarChange, curve_change, scalar_change
from biomech_id.results.tables.session_tables import SessionTables

#: What the place of a marker changes of a step, m: of the places of two heel markers (in the study of session errors).
#: Times come from events, whose errors are new in every cycle and so in its scatter.
PARAMETER_SD = {"step_length": 0.0029, "step_width": 0.0050}


@dataclass(frozen=True, eq=False)
class ComparedCycles:
    """The cycles of one session, movement and condition that enter means.

    Attributes
    ----------
    tables : SessionTables
        The session.
    cycles : pd.DataFrame
        Rows of its `SessionTables.cycle_list`.
    """

    tables: SessionTables
    cycles: pd.DataFrame

    def curves(self, side: str, variable: str, component: str) -> FloatArray:
        """Return the curves (n, 101) of one variable that are whole.

        Parameters
        ----------
        side, variable, component : str
            As in ``cycles.csv``.
        """
        name = side, variable, component
        if name not in self._known:
            found = self.tables.curves(*name, cycles=self.cycles)
            self._known[name] = found[np.isfinite(found).all(axis=1)]
        return self._known[name]

    @cached_property
    def _known(self) -> dict[tuple[str, str, str], FloatArray]:
        return {}

    @property
    def leg_m(self) -> float | None:
        """Mean leg length; None where it is not recorded."""
        known = [length for length in (self.tables.summary.get("subject", {}).get("leg_length_m") or {}).values() if length]
        return float(np.mean(known)) if known else None

    def markers_of(self, other: ComparedCycles) -> bool:
        """Whether both have the same markers on the same spots: two conditions of one session with one static trial.

        Parameters
        ----------
        other : ComparedCycles
            Another one.
        """
        return bool(self.tables.summary == other.tables.summary) and self._statics() == other._statics()

    def _statics(self) -> set[str]:
        mine = set(self.cycles["trial"])
        return {str(trial.get("static", "")) for trial in self.tables.summary.get("trials", ()) if trial["name"] in mine}


def session_sd(first: ComparedCycles, second: ComparedCycles, variable: str, component: str) -> tuple[FloatArray, float]:
    """Return what each session's curve is off by because of its markers, (101,) one SD, and the limit over the whole cycle.

    The SD is 0 within one placement of the markers, and NaN for a variable of which nobody has measured it.

    Parameters
    ----------
    first, second : ComparedCycles
        The two.
    variable, component : str
        As in ``cycles.csv``.
    """
    error = session_error(variable, component, leg_m=_shorter_leg_m(first, second))
    if first.markers_of(second):
        return np.zeros(101), error.limit if error else 3.0
    return (error.sd, error.limit) if error else (np.full(101, np.nan), float("nan"))


def _shorter_leg_m(first: ComparedCycles, second: ComparedCycles) -> float | None:
    return min((each.leg_m for each in (first, second) if each.leg_m), default=None)


def change_of_curve(first: ComparedCycles, second: ComparedCycles, name: tuple[str, str, str]) -> CurveChange | None:
    """Return what changed of one curve; None where one of the two does not have it.

    Parameters
    ----------
    first, second : ComparedCycles
        The two.
    name : tuple[str, str, str]
        Side, variable and component.
    """
    before, after = first.curves(*name), second.curves(*name)
    if not len(before) or not len(after):
        return None
    return curve_change(before, after, *session_sd(first, second, *name[1:]))


def change_of_parameter(
    first: ComparedCycles, second: ComparedCycles, parameter: str, values: Sequence[Sequence[float]]
) -> ScalarChange:
    """Return what changed of a time-distance parameter.

    Parameters
    ----------
    first, second : ComparedCycles
        The two.
    parameter : str
        Its name.
    values : Sequence[Sequence[float]]
        Of the cycles of the first, and of the second.
    """
    before, after = (np.asarray(each, dtype=np.float64) for each in values)
    return scalar_change(before, after, 0.0 if first.markers_of(second) else _placed_sd(first, second, parameter))


def _placed_sd(first: ComparedCycles, second: ComparedCycles, parameter: str) -> float:
    """What the place of the markers changes of a parameter, one SD in its unit; NaN where nobody has measured it."""
    if parameter.startswith(WHOLE_BODY_PARAMETERS):
        return float("nan")
    length = parameter.removesuffix("_dimensionless")
    sd_m = PARAMETER_SD.get(length, 0.0)
    # Of a parameter without dimension it is a share of the leg, as the parameter is.
    return sd_m if length == parameter or not sd_m else sd_m / (_shorter_leg_m(first, second) or float("nan"))


def change_of_peak(
    first: ComparedCycles, second: ComparedCycles, name: tuple[str, str], values: Sequence[Sequence[float]], percent: float
) -> ScalarChange:
    """Return what changed of a value picked from a curve: its error is the curve's there.

    Parameters
    ----------
    first, second : ComparedCycles
        The two.
    name : tuple[str, str]
        Variable and component.
    values : Sequence[Sequence[float]]
        Of the cycles of the first, and of the second.
    percent : float
        Where in the cycle it lies; NaN takes the largest of the cycle.
    """
    sd, _ = session_sd(first, second, *name)
    at = float(np.max(sd)) if not np.isfinite(percent) else float(sd[int(np.clip(round(percent), 0, 100))])
    before, after = (np.asarray(each, dtype=np.float64) for each in values)
    return scalar_change(before, after, at)


def score_sd(first: ComparedCycles, second: ComparedCycles, scores: dict[tuple[str, str], float]) -> float:
    """Return what the difference of two overall gait profile scores is off by because of the markers, one SD, deg; first order.

    The distance of a curve from the norm is taken to move with the curve as a whole, the variables without each other.

    Parameters
    ----------
    first, second : ComparedCycles
        The two.
    scores : dict[tuple[str, str], float]
        Gait variable scores by variable and component, mean of both sides and sessions, deg.
    """
    known = [name for name in GAIT_VARIABLES if name in scores]
    size = sum(scores[name] ** 2 for name in known)
    if not size:
        return float("nan")
    squares = [(scores[name] * float(session_sd(first, second, *name)[0].mean())) ** 2 for name in known]
    # Over the root of the mean of squares: d GPS = sum(GVS dGVS) / (n GPS).
    return float(np.sqrt(2.0 * sum(squares)) / (len(known) * np.sqrt(size / len(known))))
