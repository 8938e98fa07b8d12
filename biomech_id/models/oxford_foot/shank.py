"""The plug-in's own hip, knee and ankle: near the conventional model's, and not the same.

The middle between the posterior spines comes before the sacral marker; the hip's two angles are 28.4 and 18 degrees; each side has
the mean knee and ankle width of both; and a wand that is turned is placed by a closed form which misses the conventional model's
condition by up to 1.5e-4 rad. ``docs/oxford-foot.md`` has the sizes of these differences. Equations: Davis et al. 1991 (Hum Mov Sci
10:575), with the numbers that the plug-in's own results imply.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross, dot
from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.joint_centres.chord import chord
from biomech_id.models.oxford_foot.geometry import axes_of
from biomech_id.models.triads import into_lab, into_segment, unit
from biomech_id.values import dataclass

#: Of the hip's regression: share of the leg length, a constant (m), and two angles.
HIP_SHARE, HIP_OFFSET_M = 0.115, 0.0153
_TILT_RAD, _SPREAD_RAD = np.radians(18.0), np.radians(28.4)
#: Depth of the hip behind the anterior spine where nobody measured it: share of the leg length, and a constant (m).
_DEPTH_SHARE, _DEPTH_OFFSET_M = 0.1288, 0.04856


@dataclass(frozen=True)
class LegSizes:
    """Measurements of both legs, as the foot model takes them.

    Attributes
    ----------
    leg_length_m, knee_width_m, ankle_width_m : float
        Means of both sides; NaN where nobody measured.
    marker_diameter_m : float
        As the file says it.
    inter_asis_m : float | None
        Between the anterior spines; None takes each frame's own.
    asis_trochanter_m : Mapping[str, float]
        Side -> depth of the hip; a side without one is estimated.
    thigh_rotation_rad, shank_rotation_rad : Mapping[str, float]
        Side -> rotation of the wand, as the file has it; 0 where it has none.
    """

    leg_length_m: float
    knee_width_m: float
    ankle_width_m: float
    marker_diameter_m: float
    inter_asis_m: float | None
    asis_trochanter_m: Mapping[str, float]
    thigh_rotation_rad: Mapping[str, float]
    shank_rotation_rad: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Shank:
    """Femur and tibia of one side.

    Attributes
    ----------
    R_lab_femur, R_lab_tibia : FloatArray
        (n, 3, 3), segment to laboratory components.
    ankle_lab_m : FloatArray
        (n, 3), the ankle's centre.
    """

    R_lab_femur: FloatArray
    R_lab_tibia: FloatArray
    ankle_lab_m: FloatArray


def has_leg(markers: Mapping[str, FloatArray], side: str, sizes: LegSizes) -> bool:
    """Whether femur and tibia of a side can be placed.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3).
    side : str
        Leg that is asked about, "L" or "R".
    sizes : LegSizes
        Measurements, NaN where nobody measured.
    """
    behind = {"LPSI", "RPSI"} <= markers.keys() or "SACR" in markers
    leg = {"LASI", "RASI", *(side + name for name in ("THI", "KNE", "TIB", "ANK"))}
    measured = sizes.leg_length_m + sizes.knee_width_m + sizes.ankle_width_m
    return behind and leg <= markers.keys() and bool(np.isfinite(measured))


def pelvis_of(markers: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the pelvis of the foot model.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes: LASI, RASI, and LPSI and RPSI or SACR.

    Returns
    -------
    R_lab_pelvis : FloatArray
        (n, 3, 3), x forward, y left, z up.
    middle_lab_m : FloatArray
        (n, 3), between the anterior spines.
    forward_lab_m : FloatArray
        (n, 3), to there from behind.
    """
    behind = 0.5 * (markers["LPSI"] + markers["RPSI"]) if {"LPSI", "RPSI"} <= markers.keys() else markers["SACR"]
    middle = 0.5 * (markers["LASI"] + markers["RASI"])
    return axes_of(markers["LASI"] - markers["RASI"], middle - behind, "yzx"), middle, middle - behind


def place_shank(markers: Mapping[str, FloatArray], side: str, sizes: LegSizes) -> Shank:
    """Return femur and tibia of the foot model.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes: those of the pelvis, and the side's THI, KNE, TIB and ANK.
    side : str
        Leg that is placed, "L" or "R".
    sizes : LegSizes
        Measurements.

    Returns
    -------
    Shank
        NaN where a marker is missing.
    """
    thigh, knee_marker, wand, ankle_marker = (markers[side + name] for name in ("THI", "KNE", "TIB", "ANK"))
    sign = SIDE_SIGN[side]
    hip = _hip(markers, side, sizes)
    knee_m, ankle_m = (0.5 * (sizes.marker_diameter_m + width) for width in (sizes.knee_width_m, sizes.ankle_width_m))
    thigh = _turned(hip, knee_marker, thigh, knee_m, side, sizes.thigh_rotation_rad.get(side, 0.0))
    knee = chord(hip, knee_marker, thigh, knee_m)
    wand = _turned(knee, ankle_marker, wand, ankle_m, side, sizes.shank_rotation_rad.get(side, 0.0))
    ankle = chord(knee, ankle_marker, wand, ankle_m)
    femur = axes_of(hip - knee, sign * (thigh - knee), "zxy")
    return Shank(femur, axes_of(knee - ankle, sign * (wand - ankle), "zxy"), ankle)


def _hip(markers: Mapping[str, FloatArray], side: str, sizes: LegSizes) -> FloatArray:
    R_lab_pelvis, middle, _ = pelvis_of(markers)
    length, radius = sizes.leg_length_m, 0.5 * sizes.marker_diameter_m
    reach = HIP_SHARE * length - HIP_OFFSET_M
    depth = sizes.asis_trochanter_m.get(side, 0.0)
    depth = depth + radius if depth else _DEPTH_SHARE * length - _DEPTH_OFFSET_M
    apart = np.linalg.norm(markers["LASI"] - markers["RASI"], axis=-1) if sizes.inter_asis_m is None else sizes.inter_asis_m
    forward = reach * np.cos(_SPREAD_RAD) * np.sin(_TILT_RAD) - depth * np.cos(_TILT_RAD)
    left = SIDE_SIGN[side] * (0.5 * apart - reach * np.sin(_SPREAD_RAD))
    up = -reach * np.cos(_SPREAD_RAD) * np.cos(_TILT_RAD) - depth * np.sin(_TILT_RAD)
    inside = np.stack(np.broadcast_arrays(forward, left, up), axis=-1)
    return into_lab(R_lab_pelvis, middle, inside)


def _turned(
    proximal: FloatArray, marker: FloatArray, wand: FloatArray, distance_m: float, side: str, turn_rad: float
) -> FloatArray:
    """The wand turned about the line from its marker to the proximal centre, by the closed form of the plug-in."""
    if not turn_rad:
        return wand
    R = axes_of(marker - proximal, wand - marker, "zxy")
    inside = into_segment(R, proximal, wand)
    y, z = inside[:, 1], inside[:, 2]
    sine_d = distance_m / np.linalg.norm(proximal - marker, axis=-1)
    sine, cosine = np.sin(turn_rad), np.cos(turn_rad)
    a, b = y**2, 2.0 * cosine * sine * sine_d * y * z
    c = sine**2 * (sine_d**2 * z**2 - (1.0 - sine_d**2) * y**2)
    root = np.sqrt(b**2 - 4.0 * a * c)
    first, second = (np.arcsin((-b + way * root) / (2.0 * a)) for way in (1.0, -1.0))
    angle = SIDE_SIGN[side] * np.where(first * turn_rad > 0, second, first)
    axis, arm = unit(proximal - marker), wand - marker
    across = cross(axis, arm)
    along = dot(axis, arm)[:, None] * axis
    cosine_a, sine_a = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return np.asarray(marker + along + cosine_a * (arm - along) + sine_a * across)
