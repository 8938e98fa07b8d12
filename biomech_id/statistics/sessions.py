"""One session against another: what changed of a curve or a number, and what two visits differ by without any change.

What each session can be off by stands in its own ``uncertainty.csv`` by source. Two visits share some of it: the same person has
the same bones behind the same regression of the hip centre, the same masses, and skin that moves in the same way (reproducible
within a person, not between persons: Leardini et al. 2005, Gait Posture 21:212); plates that stand where they stood. A difference
holds none of that. What is drawn anew by a visit is where markers are placed and what callipers read (`ANEW`)::

    session_sd^2 = (sum of anew sources' sd^2 of the first + of the second) / 2

Two persons, or hip centres that are measured in each session, share less, and then those sources count as well. A session without
``uncertainty.csv`` is judged by what markers placed anew made of a virtual adult and of a child (``session_error``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import ERROR_SOURCES, NOISE_SOURCES, SIDES
from biomech_id.models.joint_centres.hip_regressions import HIP_CENTRES
from biomech_id.session.bands.band_values import WORK_UNIT
from biomech_id.session.bands.mean_uncertainty import band_rows_of, uncertainty_of_rows
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import fingerprint_of
from biomech_id.session.values.whole_body import WHOLE_BODY_PARAMETERS
from biomech_id.statistics.session_error import session_error
from biomech_id.statistics.two_recordings import CurveChange, ScalarChange, curve_change, scalar_change
from biomech_id.values import dataclass

#: What the place of a marker changes of a step, m: of the places of two heel markers (in the study of session errors).
#: Times come from events, whose errors are new in every cycle and so in its scatter.
PARAMETER_SD = {"step_length": 0.0029, "step_width": 0.0050}


#: How many standard deviations a whole curve of errors stays within, 95 %, where nobody has measured it.
WHOLE_CYCLE_LIMIT = 3.0
#: Sources of errors that every visit draws anew: markers are placed, joints' widths measured. Noise is in the cycles' scatter.
ANEW = frozenset({"knee_centre", "ankle_centre", "segment_axes", "pelvis"})


@dataclass(frozen=True, eq=False)
class ComparedCycles:
    """The cycles of one session, movement and condition that enter means.

    Attributes
    ----------
    tables : Tables
        Tables of the session that the cycles are of.
    cycles : pd.DataFrame
        Rows of its `Tables.cycle_list`.
    """

    tables: Tables
    cycles: pd.DataFrame

    def curves(self, side: str, variable: str, component: str) -> FloatArray:
        """Return the curves (n, 101) of one variable that are whole.

        Parameters
        ----------
        side, variable, component : str
            Name of the curve, as in ``cycles.csv``.

        Returns
        -------
        FloatArray
            (n, 101), in the table's unit, without missing points.
        """
        name = side, variable, component
        if name not in self._known:
            rows = self.tables.curves(*name, cycles=self.cycles)
            self._known[name] = rows[np.isfinite(rows).all(axis=1)]
        return self._known[name]

    @cached_property
    def _known(self) -> dict[tuple[str, str, str], FloatArray]:
        return {}

    def anew_sd(self, side: str, variable: str, component: str, sources: Collection[str]) -> FloatArray | None:
        """Return what the mean curve is off by because of some sources, (101,) one SD; None where nobody asked for the uncertainty.

        Parameters
        ----------
        side, variable, component : str
            Name of the curve, as in ``cycles.csv``.
        sources : Collection[str]
            Sources that count, of `conventions.ERROR_SOURCES`.

        Returns
        -------
        FloatArray | None
            (101,), in the table's unit; None without any of these sources.
        """
        sd_by_source = uncertainty_of_rows(self.tables, self._band_rows.get((side, variable, component), ()))
        known = [sd**2 for source, sd in sd_by_source.items() if source in sources]
        return np.sqrt(np.nan_to_num(np.sum(known, axis=0))) if known else None

    @cached_property
    def _band_rows(self) -> dict[tuple[str, str, str], list[int]]:
        return band_rows_of(self.tables, self.cycles)

    def work_sd(self, side: str, variable: str, name: str) -> float:
        """Return what a joint's work is off by, one SD, J/kg, because of everything: mean of the cycles; NaN where nobody knows.

        Parameters
        ----------
        side, variable, name : str
            Name of the work, as in ``peaks.csv``.

        Returns
        -------
        float
            J/kg; NaN where nobody knows.
        """
        return self._work_sd.get((side, variable, name), float("nan"))

    @cached_property
    def _work_sd(self) -> dict[tuple[str, str, str], float]:
        keys = ["trial", "side", "cycle"]
        rows = self.tables.peaks[self.tables.peaks["unit"] == WORK_UNIT].merge(self.cycles[keys], on=keys)
        if "sd" not in rows:
            return {}
        means = rows.groupby(["side", "variable", "name"])["sd"].mean()
        return {(str(key[0]), str(key[1]), str(key[2])): float(sd) for key, sd in zip(means.index, means, strict=True)}

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
            Cycles that these are compared with.

        Returns
        -------
        bool
            True where one placement of the markers serves both.
        """
        return bool(self.tables.summary == other.tables.summary) and self._statics() == other._statics()

    def _statics(self) -> set[str]:
        trials = set(self.cycles["trial"])
        return {str(trial.get("static", "")) for trial in self.tables.summary.get("trials", ()) if trial["name"] in trials}


def sources_apart(first: ComparedCycles, second: ComparedCycles) -> frozenset[str]:
    """Return the sources of errors that two sessions do not share, of `conventions.ERROR_SOURCES`.

    Parameters
    ----------
    first, second : ComparedCycles
        The two sessions or conditions that are compared.

    Returns
    -------
    frozenset[str]
        Of two persons all but what is drawn anew in every frame; of one person what a visit draws anew, with hip centre and plates
        where the two sessions differ in them.
    """
    summaries = [each.tables.summary for each in (first, second)]
    codes = {str(summary.get("subject", {}).get("code") or "") for summary in summaries}
    if len(codes - {""}) > 1:
        return frozenset(ERROR_SOURCES) - frozenset(NOISE_SOURCES)
    hips = [fingerprint_of(summary).get("hip_centre", "") for summary in summaries]
    # Hip centres that follow from the person's measures err alike in every visit.
    same_hips = hips[0] == hips[1] and getattr(HIP_CENTRES.get(hips[0]), "centre", None)
    plates = [_plates_of(summary) for summary in summaries]
    return ANEW | (frozenset() if same_hips else {"hip_centre"}) | (frozenset() if plates[0] == plates[1] else {"force_plates"})


def _plates_of(summary: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Name of each plate -> its corners, mm."""
    corners_mm = {plate["name"]: plate["corners_mm"] for trial in summary.get("trials", ()) for plate in trial.get("plates", ())}
    return {name: tuple(np.round(np.asarray(corners, dtype=float), 1).ravel().tolist()) for name, corners in corners_mm.items()}


def session_sd(
    first: ComparedCycles, second: ComparedCycles, variable: str, component: str, *, side: str | None = None
) -> tuple[FloatArray, float]:
    """Return what each session's curve is off by that the other's is not, (101,) one SD, and the limit over the whole cycle.

    The SD is 0 within one placement of the markers, and NaN for a variable of which nobody has measured it.

    Parameters
    ----------
    first, second : ComparedCycles
        The two sessions or conditions that are compared.
    variable, component : str
        Name of the curve, as in ``cycles.csv``.
    side : str | None, optional
        "L" or "R"; None takes both sides' mean.

    Returns
    -------
    tuple[FloatArray, float]
        (101,) one standard deviation, and the limit, in the variable's unit; NaN where nobody has measured it.
    """
    error = session_error(variable, component, leg_m=_shorter_leg_m(first, second))
    limit = error.limit if error else WHOLE_CYCLE_LIMIT
    if first.markers_of(second):
        return np.zeros(101), limit
    sources = sources_apart(first, second)
    sides = SIDES if side is None else (side,)
    own = [[each.anew_sd(one, variable, component, sources) for each in (first, second)] for one in sides]
    known = [sd**2 for pair in own if all(sd is not None for sd in pair) for sd in pair if sd is not None]
    if known:
        return np.sqrt(np.mean(known, axis=0)), limit
    return (error.sd, error.limit) if error else (np.full(101, np.nan), float("nan"))


def _shorter_leg_m(first: ComparedCycles, second: ComparedCycles) -> float | None:
    return min((each.leg_m for each in (first, second) if each.leg_m), default=None)


def change_of_curve(first: ComparedCycles, second: ComparedCycles, name: tuple[str, str, str]) -> CurveChange | None:
    """Return what changed of one curve; None where one of the two does not have it.

    Parameters
    ----------
    first, second : ComparedCycles
        The two sessions or conditions that are compared.
    name : tuple[str, str, str]
        Side, variable and component.

    Returns
    -------
    CurveChange | None
        Second less first, (101,), with where it is more than the errors.
    """
    before, after = first.curves(*name), second.curves(*name)
    if not len(before) or not len(after):
        return None
    return curve_change(before, after, *session_sd(first, second, *name[1:], side=name[0]))


def change_of_parameter(
    first: ComparedCycles, second: ComparedCycles, parameter: str, values: Sequence[Sequence[float]]
) -> ScalarChange:
    """Return what changed of a time-distance parameter.

    Parameters
    ----------
    first, second : ComparedCycles
        The two sessions or conditions that are compared.
    parameter : str
        Its name in ``spatiotemporal.csv``: "speed", "step_length".
    values : Sequence[Sequence[float]]
        Of the cycles of the first, and of the second.

    Returns
    -------
    ScalarChange
        Second less first, with what it has to leave behind.
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
        The two sessions or conditions that are compared.
    name : tuple[str, str]
        Variable and component of the curve that it is picked from.
    values : Sequence[Sequence[float]]
        Of the cycles of the first, and of the second.
    percent : float
        Where in the cycle it lies; NaN takes the largest of the cycle.

    Returns
    -------
    ScalarChange
        Second less first, with what it has to leave behind.
    """
    sd, _ = session_sd(first, second, *name)
    at = float(np.max(sd)) if not np.isfinite(percent) else float(sd[int(np.clip(round(percent), 0, 100))])
    before, after = (np.asarray(each, dtype=np.float64) for each in values)
    return scalar_change(before, after, at)


def change_of_work(
    first: ComparedCycles, second: ComparedCycles, name: tuple[str, str, str], values: Sequence[Sequence[float]]
) -> ScalarChange:
    """Return what changed of a joint's work: of its error the two visits have their own the share that they have of the power's.

    Parameters
    ----------
    first, second : ComparedCycles
        The two sessions or conditions that are compared.
    name : tuple[str, str, str]
        Side, variable and name, as in ``peaks.csv``.
    values : Sequence[Sequence[float]]
        Of the cycles of the first, and of the second.

    Returns
    -------
    ScalarChange
        Second less first, J/kg, with what it has to leave behind.
    """
    before, after = (np.asarray(each, dtype=np.float64) for each in values)
    return scalar_change(before, after, _work_apart_sd(first, second, name))


def _work_apart_sd(first: ComparedCycles, second: ComparedCycles, name: tuple[str, str, str]) -> float:
    if first.markers_of(second):
        return 0.0
    side, variable, _ = name
    every = [each.anew_sd(side, variable, "", ERROR_SOURCES) for each in (first, second)]
    power = float(np.mean([float("nan") if sd is None else float(np.mean(sd**2)) for sd in every]))
    apart, _ = session_sd(first, second, variable, "", side=side)
    work = float(np.mean([each.work_sd(*name) ** 2 for each in (first, second)]))
    return float(np.sqrt(work * float(np.mean(apart**2)) / power)) if power > 0.0 else float("nan")
