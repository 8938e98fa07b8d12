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
from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.model_errors import DAVIS_ERROR, HIP_ERROR, CentreError
from biomech_id.errors import MissingInputError
from biomech_id.plugins import Registry
from biomech_id.values import dataclass

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
        Radius of the markers, metres; 0 for lengths between bones.
    code : str, optional
        Code of the person, for centres that were measured on each; "" where nobody gave one.
    """

    inter_asis_m: float | None
    depth_m: float | None = None
    leg_length_m: float | None = None
    asis_trochanter_m: float | None = None
    marker_radius_m: float = 0.0
    code: str = ""


#: Pelvis of one side -> its hip centre, (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers.
OwnHip = Callable[[str, PelvisSize], FloatArray]


@dataclass(frozen=True)
class HipCentreWay:
    """One way to a hip centre.

    Attributes
    ----------
    name : str
        What recipes call it, ``hip_centre = "davis"``, and ``calibration.json`` says; "own" for a function of one run.
    words : str
        What it is, with its source.
    centre : OwnHip | None
        (side, size of the pelvis) -> (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers; None for what a
        model takes from motion or from the file.
    error : CentreError, optional
        How far it misses; that of the library's other ways where nobody measured it.
    needs : tuple[str, ...], optional
        Fields of `PelvisSize` without which it has no centre.
    """

    name: str
    words: str
    centre: OwnHip | None
    error: CentreError = HIP_ERROR
    needs: tuple[str, ...] = ()

    def lacks(self, size: PelvisSize) -> list[str]:
        """Return the lengths that are not known.

        Parameters
        ----------
        size : PelvisSize
            The pelvis and the leg.

        Returns
        -------
        list[str]
            Fields of ``size``; empty where there is a centre.
        """
        return [name for name in self.needs if getattr(size, name) is None]


def register_hip_centre(way: HipCentreWay) -> None:
    """Let recipes name one more way to the hip centre.

    Parameters
    ----------
    way : HipCentreWay
        Its name must be free.

    Raises
    ------
    OptionError
        The name is taken.
    """
    HIP_CENTRES.add(way.name, way)


def own_hip_as(name: str, method: OwnHip) -> AbstractContextManager[None]:
    """Let recipes name a hip centre method of somebody's own until the end of the block.

    Parameters
    ----------
    name : str
        What recipes call it.
    method : OwnHip
        (side, size of the pelvis) -> (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers.

    Returns
    -------
    AbstractContextManager[None]
        The name holds inside the block and is free behind it.
    """
    return HIP_CENTRES.within(name, HipCentreWay("own", name, method))


def own_hip(name: str) -> OwnHip | None:
    """Return a hip centre method from outside.

    Parameters
    ----------
    name : str
        As a recipe writes it.

    Returns
    -------
    OwnHip | None
        None where nobody gave or registered one of that name.
    """
    return None if name in LIBRARY_HIPS or name not in HIP_CENTRES else HIP_CENTRES[name].centre


def hip_centre_by_regression(method: str, side: str, size: PelvisSize) -> FloatArray:
    """Return the hip centre by a way that asks for lengths alone.

    Parameters
    ----------
    method : str
        "davis", "bell", "harrington", "hara" or a registered one.
    side : str
        Which side, "L" or "R".
    size : PelvisSize
        The pelvis between marker centres; marker radii are treated as the module says.

    Returns
    -------
    FloatArray
        (3,), metres, in the pelvis' ISB axes from the midpoint of the ASIS markers.

    Raises
    ------
    OptionError
        Another method.
    MissingInputError
        A length the method needs is not known.
    """
    way = HIP_CENTRES.named(method, "hip centre")
    missing = way.lacks(size)
    if missing or way.centre is None:
        raise MissingInputError(
            f"The hip centre after {way.words} needs {' and '.join(missing) or 'motion or a stored centre'}, which neither "
            "the subject nor the markers give.",
            value=missing, expected=" and ".join(way.needs), where=f"{side} hip centre",
        )  # fmt: skip
    return way.centre(side, size)


def asis_trochanter_distance_m(leg_length_m: float) -> float:
    """Return the distance from ASIS to trochanter by regression on leg length.

    Parameters
    ----------
    leg_length_m : float
        From ASIS to the medial malleolus, metres.

    Returns
    -------
    float
        Metres; used where nobody measured it.
    """
    return 0.1288 * leg_length_m - 0.04856


def davis_hip_m(size: PelvisSize, angles_rad: tuple[float, float]) -> FloatArray:
    """Return the right hip centre after Davis.

    Parameters
    ----------
    size : PelvisSize
        The pelvis between marker centres.
    angles_rad : tuple[float, float]
        Theta and beta, `DAVIS_PRINTED_RAD` or ``DAVIS_SOFTWARE_RAD``.

    Returns
    -------
    FloatArray
        (3,), metres, in the pelvis' ISB axes from mid-ASIS; NaN where leg length or pelvic width is unknown.
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


def _of_side(right: Callable[[PelvisSize], FloatArray], *, of_bones: bool = False) -> OwnHip:
    """A regression of the right hip for either side; one of bones in images has the markers' radius taken out first."""

    def centre(side: str, size: PelvisSize) -> FloatArray:
        back = np.array([size.marker_radius_m if of_bones else 0.0, 0.0, 0.0])
        return np.asarray((right(size) - back) * np.array([1.0, 1.0, 1.0 if side == "R" else -1.0]))

    return centre


#: Every way to a hip centre by its name in recipes.
HIP_CENTRES: Registry[str, HipCentreWay] = Registry("way to a hip centre", {
    way.name: way for way in (
        HipCentreWay("davis", "Davis et al. 1991, Hum Mov Sci 10:575", _of_side(_davis), DAVIS_ERROR,
                     ("inter_asis_m", "leg_length_m")),
        HipCentreWay("bell", "Bell et al. 1990, J Biomech 23:617", _of_side(_bell), needs=("inter_asis_m",)),
        HipCentreWay("harrington", "Harrington et al. 2007, J Biomech 40:595", _of_side(_harrington, of_bones=True),
                     needs=("inter_asis_m", "depth_m")),
        HipCentreWay("hara", "Hara et al. 2016, Sci Rep 6:37707", _of_side(_hara, of_bones=True), needs=("leg_length_m",)),
        HipCentreWay("score", "functional, SCoRE", None), HipCentreWay("sphere", "functional, sphere fit", None),
        HipCentreWay("stored", "stored in the file", None),
    )
})  # fmt: skip
LIBRARY_HIPS: tuple[str, ...] = tuple(HIP_CENTRES)
REGRESSIONS: tuple[str, ...] = tuple(name for name in HIP_CENTRES if HIP_CENTRES[name].centre)
