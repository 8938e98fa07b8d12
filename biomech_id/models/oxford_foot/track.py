"""Segments of the foot in a recording, and the angles between them.

With s = +1 left, -1 right, and (a, b, c) the Cardan angles y-x-z of one segment in the other's axes (Grood and Suntay 1983,
J Biomech Eng 105:136), an angle is offset + sign * (a, b, c), as `ANGLES` has it. Carson et al. 2001 (J Biomech 34:1299) and
Stebbins et al. 2006 (Gait Posture 23:401) describe the model; the plug-in differs from both in the tibia, the smoothing and the
forefoot's axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles
from biomech_id.conventions import SIDE_SIGN
from biomech_id.models.oxford_foot.calibration import POINTS, FootPoints, Smoothed
from biomech_id.models.oxford_foot.geometry import axes_of, onto_plane
from biomech_id.models.oxford_foot.shank import LegSizes, has_leg, pelvis_of, place_shank
from biomech_id.models.triads import into_lab
from biomech_id.values import dataclass


@dataclass(frozen=True)
class AngleOf:
    """One angle of the foot model.

    Attributes
    ----------
    stored : str
        What the plug-in calls it, without side.
    proximal, distal : str
        Segments between which it is measured.
    from_right_angle : bool
        Whether the first angle is 90 degrees less a.
    first, second : float
        Sign of a; sign of b on the left.
    """

    stored: str
    proximal: str
    distal: str
    from_right_angle: bool
    first: float
    second: float


#: Readable name -> angle.
ANGLES: Mapping[str, AngleOf] = {
    "FemurTibiaAngles": AngleOf("FETBA", "femur", "tibia", False, 1.0, -1.0),
    "TibiaLabAngles": AngleOf("TIBA", "lab", "malleolar tibia", False, 1.0, -1.0),
    "HindfootLabAngles": AngleOf("HFTFL", "lab", "hindfoot", True, -1.0, -1.0),
    "HindfootTibiaAngles": AngleOf("HFTBA", "tibia", "hindfoot", True, -1.0, 1.0),
    "ForefootTibiaAngles": AngleOf("FFTBA", "tibia", "forefoot", True, -1.0, 1.0),
    "ForefootHindfootAngles": AngleOf("FFHFA", "hindfoot", "forefoot", False, -1.0, 1.0),
    "HalluxForefootAngles": AngleOf("HXFFA", "forefoot", "hallux", False, -1.0, 1.0),
}
#: The scalar beside them.
ARCH_INDEX = "ArchHeightIndex"
#: Beside them, in no table: from the first metatarsal's head to the hallux' marker, m (`FootPose.hallux_m`).
HALLUX_LENGTH = "HalluxLength"


@dataclass(frozen=True, eq=False)
class FootPose:
    """One foot in a recording.

    Attributes
    ----------
    R_lab_seg : Mapping[str, FloatArray]
        Segment -> (n, 3, 3), segment to laboratory components.
    point_lab_m : Mapping[str, FloatArray]
        Name -> (n, 3): AJC, HDF0, D1M0, PROXFF and FOF0, metres, laboratory axes.
    angles_deg : Mapping[str, FloatArray]
        Readable name without side -> (n, 3), degrees, continuous over time.
    arch_index : FloatArray | None
        (n,), percent of the foot length; None where that is not known.
    hallux_m : FloatArray | None, optional
        (n,), from the first metatarsal's head to the hallux' marker, metres; None where there is no such marker.
    """

    R_lab_seg: Mapping[str, FloatArray]
    point_lab_m: Mapping[str, FloatArray]
    angles_deg: Mapping[str, FloatArray]
    arch_index: FloatArray | None
    hallux_m: FloatArray | None = None


def place_foot(
    markers: Mapping[str, FloatArray],
    smooth: Smoothed,
    points: FootPoints,
    side: str,
    sizes: LegSizes,
    *,
    along_x: bool = False,
) -> FootPose:
    """Return segments and angles of one foot.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes with Z up.
    smooth : Smoothed
        The foot's markers, smoothed.
    points : FootPoints
        What a static trial teaches of the foot.
    side : str
        Foot that is placed, "L" or "R".
    sizes : LegSizes
        Measurements of the legs; without widths, or markers, of the leg there are no femur and tibia.
    along_x : bool, optional
        Whether the walkway lies along the laboratory's X.

    Returns
    -------
    FootPose
        Angles of the segments that there are.
    """
    at, sign = smooth.path_lab_m, SIDE_SIGN[side]
    axes = {name: smooth.axes(name) for name in {POINTS[point] for point in points.local_m} if name != "TT" or "SHN" in at}
    place = {n: into_lab(*axes[POINTS[n]], local) for n, local in points.local_m.items() if POINTS[n] in axes}
    first, fifth = place["D1M0"], place["D5M0"] if points.floor else at["D5M"]
    sole = (first, fifth, at["P5M"])
    inner, toe = onto_plane(at["P1M"], sole), _toe_of_forefoot(at["TOE"], sole)
    middle = _middle_of_forefoot(inner, at["P5M"], 0.5 * sizes.marker_diameter_m)
    frames = {
        "hindfoot": axes_of(place["HFplantar"] - at["HEE"], place["PCA"] - at["HEE"], "zyx"),
        "forefoot": axes_of(toe - middle, sign * (fifth - first), "zxy"),
    }
    shown = {"HDF0": at["HEE"], "D1M0": first, "PROXFF": middle, "FOF0": toe}
    length = None
    if side + "HLX" in markers:
        hallux = markers[side + "HLX"] - first
        frames["hallux"] = axes_of(hallux, sign * (fifth - first), "zxy")
        length = np.linalg.norm(hallux, axis=-1)
    if "MMA" in place:
        shown["AJC"] = 0.5 * (place["MMA"] + at["ANK"])
        ridge = onto_plane(at["TUB"], (place["MMA"], at["ANK"], at["HFB"]))
        frames["malleolar tibia"] = axes_of(ridge - shown["AJC"], sign * (at["ANK"] - place["MMA"]), "zxy")
    if has_leg(markers, side, sizes):
        shank = place_shank(markers, side, sizes)
        frames |= {"femur": shank.R_lab_femur, "tibia": shank.R_lab_tibia}
        frames["lab"] = _travelling_lab(markers, along_x=along_x)
    angles = {
        name: _angles_deg(angle, frames, sign)
        for name, angle in ANGLES.items() if {angle.proximal, angle.distal} <= frames.keys()
    }  # fmt: skip
    index = None
    if points.foot_length_m is not None:
        arch = onto_plane(place["P1Mlat"], (place["D1Mlat"], fifth, at["P5M"])) - at["P1M"]
        index = 100.0 * np.linalg.norm(arch, axis=-1) / points.foot_length_m
    return FootPose(frames, shown, angles, index, length)


def cardan_of(name: str, angles_deg: FloatArray, side: str) -> FloatArray:
    """Return the Cardan angles of one segment in another's axes from what is written of them.

    Parameters
    ----------
    name : str
        Readable name of the angle.
    angles_deg : FloatArray
        (n, 3), its components, degrees.
    side : str
        Foot that the segments are of, "L" or "R".

    Returns
    -------
    FloatArray
        (n, 3), a, b and c of the sequence y-x-z, degrees.
    """
    angle, sign = ANGLES[name], SIDE_SIGN[side]
    offset = 90.0 if angle.from_right_angle else 0.0
    return (angles_deg - [offset, 0.0, 0.0]) / [angle.first, angle.second * sign, -sign]


def _middle_of_forefoot(inner: FloatArray, outer: FloatArray, radius: float) -> FloatArray:
    """Between the metatarsals' bases, half a marker's radius from the middle towards the inner one."""
    across = outer - inner
    width = np.linalg.norm(across, axis=-1, keepdims=True)
    return np.asarray(inner + across * (width - radius) / (2.0 * width))


def _toe_of_forefoot(toe: FloatArray, sole: Sequence[FloatArray]) -> FloatArray:
    """Where the forefoot's long axis ends: not between the metatarsals' heads, as the papers have it."""
    return onto_plane(toe, sole)


def _travelling_lab(markers: Mapping[str, FloatArray], *, along_x: bool) -> FloatArray:
    """Laboratory axes whose x points along the walkway where the pelvis faces in this frame."""
    axis = 0 if along_x else 1
    facing = pelvis_of(markers)[2][:, axis]
    way = np.where(np.isnan(facing), np.nan, np.where(facing > 0, 1.0, -1.0))
    forward, left, up = (np.zeros((len(way), 3)) for _ in range(3))
    forward[:, axis], left[:, 1 - axis], up[:, 2] = way, way if along_x else -way, 1.0
    return np.stack([forward, left, up], axis=-1)


def _angles_deg(angle: AngleOf, frames: Mapping[str, FloatArray], sign: float) -> FloatArray:
    R_prox_dist = np.swapaxes(frames[angle.proximal], 1, 2) @ frames[angle.distal]
    a, b, c = np.degrees(cardan_angles(R_prox_dist, "yxz")).T
    offset = 90.0 if angle.from_right_angle else 0.0
    raw = np.stack([offset + angle.first * a, angle.second * sign * b, -sign * c], axis=1)
    return _continuous(raw)


def _continuous(angles_deg: FloatArray) -> FloatArray:
    """Without jumps of whole turns, in the frames that have angles."""
    seen = np.isfinite(angles_deg).all(axis=1)
    out = angles_deg.copy()
    out[seen] = np.unwrap(angles_deg[seen], axis=0, period=360.0)
    return out
