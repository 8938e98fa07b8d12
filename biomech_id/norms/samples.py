"""A norm from what each of its subjects contributes: the table of means and SDs, of everybody or read at one walking speed.

The mean is of people, left and right averaged; the SD is of limbs, for a patient is judged by one side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES, table_columns
from biomech_id.errors import OptionError
from biomech_id.norms.contributors import Rows, contributor_rows, one_table, told_values
from biomech_id.session.tables.means import WALKING
from biomech_id.session.tables.session_tables import CURVE_POINTS
from biomech_id.session.values.norm import PERCENTILES, NormSample, Spread
from biomech_id.session.values.step import begin
from biomech_id.statistics.one_person import whole_curve_sd

#: From this number of subjects on percentiles are given.
PERCENTILE_SUBJECTS = 40
#: What a norm at a speed leaves as it is: speed over speed is a line without spread.
SPEEDS = frozenset({"speed", "speed_dimensionless"})


def norm_from_samples(
    samples: Sequence[NormSample],
    *,
    model: str,
    kinetics: str,
    source: str,
    hip_centre: str = "",
    bandwidth: str = "",
    movement: str = WALKING,
    name: str = "",
    version: str = "",
    date: str = "",
) -> pd.DataFrame:
    """Return the norm of some subjects as a table; where only some of them have a value ``n`` is smaller.

    Parameters
    ----------
    samples : Sequence[NormSample]
        What each subject contributes.
    model, kinetics : str
        Of all of them.
    source : str
        Who made the norm, from what.
    hip_centre, bandwidth : str, optional
        Hip centre method and bandwidth of the plates of all of them; empty where nobody recorded it.
    movement : str, optional
        What their cycles are of, one of `session.tables.means.AVERAGED`.
    name, version, date : str, optional
        By which the norm is known again; the day as ISO writes it.

    Returns
    -------
    pd.DataFrame
        Rows of ``norm.csv``, with its contributors.

    Raises
    ------
    OptionError
        There is no subject.
    """
    if not samples:
        raise OptionError(
            "There is no subject to make a norm from.", value=0, expected="at least one analysed subject", where="norm"
        )
    about = {
        "model": model, "kinetics": kinetics, "source": source, "hip_centre": hip_centre, "bandwidth": bandwidth,
        "movement": movement, "name": name, "version": version, "date": date,
    }  # fmt: skip
    parts = [_rows(each, samples) for each in dict.fromkeys(each for sample in samples for each in sample.values)]
    begin("contributors")
    return _table([*parts, *contributor_rows(samples)], samples, about)


def norm_at_speed(samples: Sequence[NormSample], speed: float, least: int, about: Mapping[str, str]) -> pd.DataFrame:
    """Return the norm of some subjects at one walking speed: of every value a straight line over their speeds, read there.

    ``sd`` is that of the subjects about the line. What fewer than ``least`` subjects have, and speed itself, is a plain mean.

    Parameters
    ----------
    samples : Sequence[NormSample]
        One per subject, of known speed, brought to this speed by `at_speed`.
    speed : float
        Walking speed, dimensionless: v / sqrt(g l).
    least : int
        Number of subjects who make a line.
    about : Mapping[str, str]
        Columns that say how all of them were computed.

    Returns
    -------
    pd.DataFrame
        Rows of ``norm.csv``, without contributors.
    """
    names = dict.fromkeys(name for sample in samples for name in sample.values)
    return _table([_rows(name, samples, speed, least) for name in names], samples, about)


def at_speed(samples: Sequence[NormSample], speed: float, least: int) -> tuple[NormSample, ...]:
    """Return subjects as they would walk at one speed, each moved along the straight line of all of them.

    Parameters
    ----------
    samples : Sequence[NormSample]
        One per subject, of known speed.
    speed : float
        Walking speed, dimensionless: v / sqrt(g l).
    least : int
        Number of subjects who make a line.

    Returns
    -------
    tuple[NormSample, ...]
        In their order; a value that too few have stays as it is.
    """
    slopes: dict[tuple[str, str], FloatArray] = {}
    for name in dict.fromkeys(name for sample in samples for name in sample.values):
        theirs = [sample for sample in samples if name in sample.values]
        if len(theirs) >= least and name[0] not in SPEEDS:
            slopes[name] = _slope(np.array([x.speed for x in theirs]), np.stack([x.values[name] for x in theirs]))

    def moved(sample: NormSample) -> NormSample:
        by = sample.speed - speed
        values = {name: curve - slopes[name] * by if name in slopes else curve for name, curve in sample.values.items()}
        sides = {name: curve - slopes[name[1:]] * by if name[1:] in slopes else curve for name, curve in sample.sides.items()}
        return replace(sample, values=values, sides=sides)

    return tuple(map(moved, samples))


def _slope(speed: FloatArray, values: FloatArray) -> FloatArray:
    """Slopes (points,) of (n, points) over speeds (n,), each over those who have a value there; 0 where these do not differ."""
    known = np.isfinite(values)
    n = np.maximum(known.sum(axis=0), 1)
    across = np.where(known, speed[:, None], 0.0)
    across = np.where(known, across - across.sum(axis=0) / n, 0.0)
    squares = (across**2).sum(axis=0)
    return np.asarray((across * np.where(known, values, 0.0)).sum(axis=0) / np.where(squares > 0, squares, np.inf))


def _table(parts: Sequence[Rows], samples: Sequence[NormSample], about: Mapping[str, str]) -> pd.DataFrame:
    """The rows with what is said of all of them."""
    ages, speeds = [sample.age_years for sample in samples], [sample.speed for sample in samples]
    ranges = {
        "age_min_y": _extreme(np.nanmin, ages), "age_max_y": _extreme(np.nanmax, ages),
        "speed_min": _extreme(np.nanmin, speeds), "speed_max": _extreme(np.nanmax, speeds),
    }  # fmt: skip
    norm = one_table(parts).assign(**ranges, **about)
    fitted = [name for name in ("leverage", "freedom") if name in norm]
    return norm.reindex(columns=[*(column.name for column in table_columns("norm")), *fitted])


def _rows(name: tuple[str, str], samples: Sequence[NormSample], speed: float = float("nan"), least: int = 0) -> Rows:
    """One variable at each percent; at a speed the subjects have been brought to it, which has spent one more degree of freedom."""
    theirs = [sample for sample in samples if name in sample.values]
    stacked = np.stack([sample.values[name] for sample in theirs])
    points = stacked.shape[1]
    known = np.isfinite(stacked)
    n = known.sum(axis=0)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    spread = _spread(theirs, speed) if np.isfinite(speed) and len(theirs) >= least and name[0] not in SPEEDS else None
    spent = 1 if spread is None else 2
    # One subject has no spread; the cell stays empty rather than claiming that nobody differs.
    limbs = _limbs(name, theirs, stacked)
    counted = np.isfinite(limbs)
    squares = np.where(counted, (limbs - mean) ** 2, 0.0).sum(axis=0)
    sd = np.where(n > spent, np.sqrt(squares / np.maximum(counted.sum(axis=0) - spent, 1)), np.nan)
    percent = np.arange(points, dtype=np.float64) if points == CURVE_POINTS else np.full(points, np.nan)
    # Percentiles of a few people are those people.
    ranks = np.nanpercentile(limbs, PERCENTILES, axis=0) if n.min() >= PERCENTILE_SUBJECTS else np.full((3, points), np.nan)
    whole = stacked[known.all(axis=1)]
    contributors = (
        {"contributors": told_values(_everybody(name, samples, points))} if spread is None and not np.isfinite(speed) else {}
    )
    fitted = {} if spread is None else {"leverage": spread.leverage, "freedom": spread.freedom}
    return {
        "variable": name[0], "component": name[1], "percent": percent, "mean": mean, "sd": sd, "n": n,
        "whole_curve_sd": whole_curve_sd(whole, spread=spread) if points == CURVE_POINTS else np.nan,
        **{f"percentile_{rank}": values for rank, values in zip(PERCENTILES, ranks, strict=True)}, **contributors, **fitted,
    }  # fmt: skip


def _limbs(name: tuple[str, str], samples: Sequence[NormSample], people: FloatArray) -> FloatArray:
    """(limbs, points) of one variable; of who does not tell left and right apart the mean of both, as one limb."""
    of_people = [[sample.sides[side, *name] for side in SIDES if (side, *name) in sample.sides] for sample in samples]
    return np.concatenate([np.stack(limbs) if limbs else mean[None] for limbs, mean in zip(of_people, people, strict=True)])


def _everybody(name: tuple[str, str], samples: Sequence[NormSample], points: int) -> FloatArray:
    """(contributors, points), NaN of who has no such value."""
    return np.stack([sample.values.get(name, np.full(points, np.nan)) for sample in samples])


def _spread(samples: Sequence[NormSample], speed: float) -> Spread:
    """How well a straight line over these speeds is known at one of them."""
    speeds = np.array([sample.speed for sample in samples])
    squares = float(((speeds - speeds.mean()) ** 2).sum())
    away = (speed - float(speeds.mean())) ** 2
    return Spread(1.0 / len(speeds) + (away / squares if squares > 0 else 0.0), len(speeds) - 2)


def _extreme(pick: Any, values: Sequence[float]) -> float:
    finite = [value for value in values if np.isfinite(value)]
    return float(pick(finite)) if finite else float("nan")
