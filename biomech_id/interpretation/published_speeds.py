"""Published means of healthy children at five walking speeds, as rows of ``published_speeds.csv``: orientation, never graded."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def _rows() -> tuple[Mapping[str, str], ...]:
    with Path(__file__).with_name("published_speeds.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def published_means(speed_dimensionless: float) -> Mapping[str, str]:
    """Return the row of the published class that a walking speed lies in.

    Parameters
    ----------
    speed_dimensionless : float
        Walking speed over the square root of g times leg length.

    Returns
    -------
    Mapping[str, str]
        ``pace``, the class; ``knee``, peak flexion, ``hip``, least flexion, ``dorsiflexion``, its peak, and ``tilt``, the pelvis's
        mean, deg; ``power``, the ankle's peak, W/kg; each as it was published. ``most_speed``, up to which the class goes, is empty
        in the fastest one.

    References
    ----------
    Schwartz et al. 2008, J Biomech 41:1639: means of 83 children; the classes end at one and three SDs of the free speed.
    """
    rows = _rows()
    return next((row for row in rows[:-1] if speed_dimensionless <= float(row["most_speed"])), rows[-1])
