"""Hip centres from the pelvis' size or the leg's length: four published regressions.

All give the hip centre from the midpoint between the anterior superior iliac spines (ASIS) in the pelvis' ISB axes, X anterior,
Y up, Z to the right; sigma = +1 for the right hip, -1 for the left. Lengths in metres here, in millimetres in most of the papers:
w = distance between the ASIS, d = pelvic depth (from mid-ASIS to the midpoint of the posterior spines), l = leg length,
t = horizontal distance from ASIS to greater trochanter, r = radius of the markers.

::

    Davis et al. 1991 (Hum Mov Sci 10:575)       C = 0.115 l - 15.3 mm, theta = 28.4 deg, beta = 18 deg
        X = C cos(theta) sin(beta) - (t + r) cos(beta)
        Y = -C cos(theta) cos(beta) - (t + r) sin(beta)
        Z = sigma (w / 2 - C sin(theta)),             t = 0.1288 l - 48.56 mm where nobody measured it
    Bell et al. 1990 (J Biomech 23:617)          X = -0.19 w,   Y = -0.30 w,   Z = sigma 0.36 w
    Harrington et al. 2007 (J Biomech 40:595)    X = -0.24 d - 9.9 mm,   Y = -0.30 w - 10.9 mm,   Z = sigma (0.33 w + 7.3 mm)
    Hara et al. 2016 (Sci Rep 6:37707)           X = 11 mm - 0.063 l,    Y = -9 mm - 0.078 l,     Z = sigma (8 mm + 0.086 l)

Marker radius: Davis' equation contains it. Harrington and Hara measured bones in images, so the markers' radius is taken out
first: mid-ASIS moves back by r and d shrinks by 2 r. Bell's percentages are of the distance between palpated points: it stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import MissingInputError, OptionError

CITATIONS: dict[str, str] = {
    "davis": "Davis et al. 1991, Hum Mov Sci 10:575",
    "bell": "Bell et al. 1990, J Biomech 23:617",
    "harrington": "Harrington et al. 2007, J Biomech 40:595",
    "hara": "Hara et al. 2016, Sci Rep 6:37707",
}
REGRESSIONS: tuple[str, ...] = tuple(CITATIONS)
#: What each regression needs, as names of `PelvisSize` fields.
NEEDS: dict[str, tuple[str, ...]] = {
    "davis": ("inter_asis_m", "leg_length_m"),
    "bell": ("inter_asis_m",),
    "harrington": ("inter_asis_m", "depth_m"),
    "hara": ("leg_length_m",),
}
#: Regressions from bones in images:
#: the markers' radius is removed before they are applied.
REMOVES_MARKER_RADIUS: frozenset[str] = frozenset({"harrington", "hara"})
#: Davis' angles theta and beta. The paper prints 28.4 and 18 degrees, which the regression by that name uses. Conventional-model
#: software has them rounded to half a radian and .314 rad (28.65 and 17.99 degrees), and whoever wants its hip centre, .4 mm away,
#: must do likewise.
DAVIS_PRINTED_RAD = (math.radians(28.4), math.radians(18.0))
DAVIS_SOFTWARE_RAD = (0.5, 0.314)


@dataclass(frozen=True)
class PelvisSize:
    """Lengths that regressions use, as measured between marker centres; metres, None where unknown.

    Attributes
    ----------
    inter_asis_m : float | None
        Distance between the anterior spines.
    depth_m : float | None, optional
        Distance from their midpoint to that of the posterior spines (or to the sacral marker).
    leg_length_m : float | None, optional
        From ASIS to medial malleolus, of this leg.
    asis_trochanter_m : float | None, optional
        Horizontal distance from ASIS to greater trochanter; by regression on leg length when None.
    marker_radius_m : float, optional
        Radius of the markers.
    """

    inter_asis_m: float | None
    depth_m: float | None = None
    leg_length_m: float | None = None
    asis_trochanter_m: float | None = None
    marker_radius_m: float = 0.0


#: Pelvis of one side -> its hip centre, (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers.
OwnHip = Callable[[str, PelvisSize], FloatArray]
_OWN: dict[str, OwnHip] = {}


@contextmanager
def own_hip_as(name: str, method: OwnHip) -> Iterator[None]:
    """Let recipes name a hip centre method of somebody's own until the end of the block.

    Parameters
    ----------
    name : str
        What recipes call it.
    method : OwnHip
        (side, size of the pelvis) -> (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers.
    """
    _OWN[name] = method
    try:
        yield
    finally:
        _OWN.pop(name, None)


def own_hip(name: str) -> OwnHip | None:
    """Return somebody's own hip centre method, None where nobody named one so.

    Parameters
    ----------
    name : str
        As in a recipe.
    """
    return _OWN.get(name)


def hip_centre_by_regression(method: str, side: str, size: PelvisSize) -> FloatArray:
    """Return the hip centre, (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers.

    Parameters
    ----------
    method : str
        "davis", "bell", "harrington" or "hara".
    side : str
        "L" or "R".
    size : PelvisSize
        The pelvis between marker centres; marker radii are treated as the module says.

    Raises
    ------
    OptionError
        Another method.
    MissingInputError
        A length the method needs is not known.
    """
    if method not in REGRESSIONS:
        raise OptionError(
            f"There is no hip regression named {method}.", value=method, expected=" | ".join(REGRESSIONS), where="hip centre"
        )
    missing = [name for name in NEEDS[method] if getattr(size, name) is None]
    if missing:
        raise MissingInputError(
            f"The hip centre after {CITATIONS[method]} needs {' and '.join(missing)}, which neither "
            "the subject nor the markers give.",
            value=missing, expected=" and ".join(NEEDS[method]), where=f"{side} hip centre",
        )  # fmt: skip
    right: FloatArray = {"davis": _davis, "bell": _bell, "harrington": _harrington, "hara": _hara}[method](size)
    if method in REMOVES_MARKER_RADIUS:
        right = right - np.array([size.marker_radius_m, 0.0, 0.0])
    return np.asarray(right * np.array([1.0, 1.0, 1.0 if side == "R" else -1.0]))


def asis_trochanter_distance_m(leg_length_m: float) -> float:
    """Return the distance from ASIS to trochanter, metres, by regression on leg length (used where nobody measured it).

    Parameters
    ----------
    leg_length_m : float
        From ASIS to the medial malleolus.
    """
    return 0.1288 * leg_length_m - 0.04856


def davis_hip_m(size: PelvisSize, angles_rad: tuple[float, float]) -> FloatArray:
    """Return the right hip centre, (3,), metres, after Davis in the pelvis' ISB axes from mid-ASIS.

    Parameters
    ----------
    size : PelvisSize
        The pelvis between marker centres.
    angles_rad : tuple[float, float]
        Theta and beta, `DAVIS_PRINTED_RAD` or ``DAVIS_SOFTWARE_RAD``.
    """
    theta, beta = angles_rad
    length = size.leg_length_m or math.nan
    trochanter = asis_trochanter_distance_m(length) if size.asis_trochanter_m is None else size.asis_trochanter_m
    c, t = 0.115 * length - 0.0153, trochanter + size.marker_radius_m
    return np.array([
        c * math.cos(theta) * math.sin(beta) - t * math.cos(beta),
        -c * math.cos(theta) * math.cos(beta) - t * math.sin(beta),
        (size.inter_asis_m or math.nan) / 2 - c * math.sin(theta),
    ])  # fmt: skip


def _davis(size: PelvisSize) -> FloatArray:
    return davis_hip_m(size, DAVIS_PRINTED_RAD)


def _bell(size: PelvisSize) -> FloatArray:
    return (size.inter_asis_m or math.nan) * np.array([-0.19, -0.30, 0.36])


def _harrington(size: PelvisSize) -> FloatArray:
    width, depth = size.inter_asis_m or math.nan, (size.depth_m or math.nan) - 2 * size.marker_radius_m
    return np.array([-0.24 * depth - 0.0099, -0.30 * width - 0.0109, 0.33 * width + 0.0073])


def _hara(size: PelvisSize) -> FloatArray:
    length = size.leg_length_m or math.nan
    return np.array([0.011 - 0.063 * length, -0.009 - 0.078 * length, 0.008 + 0.086 * length])
