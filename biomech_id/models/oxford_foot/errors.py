"""How far angles inside the foot can be off: errors of single markers, put through the model as it stood in the static trial.

A marker on the wrong spot is wrong in the static trial and in the walk. Skin moves in the walk alone, about nought in the mean over
the trial; the smoothing takes a part of it away. Each change of one marker along one axis turns a segment by a small vector phi in
its own axes; all of them are computed at once, as frames of one recording, and add up to the covariance C of (phi_d, phi_p) of an
angle's two segments. In the walk the angles (a, b, c) are turns about y of the proximal segment, x between and z of the distal one:
with their axes as columns of E_d in the distal and of E_p in the proximal segment's axes, ::

    d(a, b, c) = E_d^-1 phi_d - E_p^-1 phi_p = J (phi_d, phi_p)

and an angle's variance is the diagonal of J C J'. The hallux alone is measured from one marker to a point that is learnt, and its
length changes (30 mm standing, 24 in a walk of children): its turns grow as it becomes shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M
from biomech_id.models.oxford_foot.calibration import (
    FOREFOOT,
    HINDFOOT,
    SHANK,
    FootPoints,
    Smoothed,
    foot_points,
    mean_of_seen,
    original_heel,
    smoothed_foot,
)
from biomech_id.models.oxford_foot.options import FootOptions
from biomech_id.models.oxford_foot.shank import LegSizes
from biomech_id.models.oxford_foot.track import ANGLES, FootPose, cardan_of, place_foot

#: Sources of error in ``uncertainty.csv`` that these count to.
PLACEMENT, TISSUE = "segment_axes", "soft_tissue"
#: Size of the placement of the foot's own markers, alike along each axis.
OWN_SIZE = "foot_marker_mm"
#: Marker without side -> what its place is called, and what lies under it, both as `uncertainty.sizes` has them.
_LEG: Mapping[str, tuple[str, str]] = {
    "ASI": ("asis", "pelvis"), "PSI": ("psis", "pelvis"), "SACR": ("psis", "pelvis"), "THI": ("wand", "thigh"),
    "KNE": ("epicondyle", "thigh"), "TIB": ("wand", "shank"), "ANK": ("malleolus", "malleolus"), "MMA": ("malleolus", "malleolus"),
    "HFB": ("malleolus", "shank"), "TUB": ("malleolus", "shank"), "SHN": ("", "shank"),
}  # fmt: skip
_OF_HINDFOOT, _OF_FOREFOOT = (*HINDFOOT, "PCA"), (*FOREFOOT, "D1M", "HLX")
_WAYS = ("forward", "up", "side")


def turn_covariances(
    markers: Mapping[str, FloatArray],
    side: str,
    legs: LegSizes,
    options: FootOptions,
    error_sizes: Mapping[str, float],
    *,
    flat: bool,
    floor: bool,
) -> dict[str, dict[str, FloatArray]]:
    """Return how markers that are off turn the segments of one foot, by source of error.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes with Z up, of the static trial, with every marker of the foot.
    side : str
        Foot whose segments are meant, "L" or "R".
    legs : LegSizes
        Measurements of the legs.
    options : FootOptions
        What the laboratory decided of the model.
    error_sizes : Mapping[str, float]
        Name -> standard deviation (see `uncertainty.sizes.error_sizes`).
    flat, floor : bool
        Whether hindfoot and forefoot are taken to have stood on the floor.

    Returns
    -------
    dict[str, dict[str, FloatArray]]
        Readable name of an angle -> source of error -> (6, 6), covariance of the small turns (rad) of the distal and the proximal
        segment, each in its own axes; without an angle that cannot be placed.
    """
    stood = {label: mean_of_seen(path) for label, path in _as_recorded(markers, side).items() if _kind(label, side)}
    ways = _directions(stood[f"{side}TOE"] - stood[f"{side}HEE"])
    placed_m, tissue_m = ({label: _sizes_m(label, side, error_sizes, part) for label in stood} for part in (PLACEMENT, TISSUE))
    anew = _poses_of_placement(_changed(stood, placed_m, ways), side, legs, flat=flat, floor=floor)
    walked = _changed(stood, tissue_m, ways)
    still = {label: path[:1] for label, path in walked.items()}
    points = foot_points(still, _unsmoothed(still, side), side, flat=flat, floor=floor)
    once = {name: local[0] for name, local in points.local_m.items()}
    smooth = smoothed_foot(walked, side, replace(options, heel_passes=1, last_frame=True))
    moving = place_foot(walked, smooth, replace(points, local_m=once, foot_length_m=None), side, legs)
    turns = {PLACEMENT: _turns_rad(anew), TISSUE: _turns_rad(moving)}
    return {
        name: {source: _covariance(of[ANGLES[name].distal], of[ANGLES[name].proximal]) for source, of in turns.items()}
        for name in anew.angles_deg
    }


def angle_sd_deg(
    name: str, angles_deg: FloatArray, side: str, covariances: Mapping[str, FloatArray], longer: FloatArray | float = 1.0
) -> dict[str, FloatArray]:
    """Return how far an angle can be off in each frame.

    Parameters
    ----------
    name : str
        Readable name of the angle.
    angles_deg : FloatArray
        (n, 3), its components as they are written, degrees.
    side : str
        Foot whose angle is meant, "L" or "R".
    covariances : Mapping[str, FloatArray]
        Source of error -> (6, 6), of the turns of its two segments (see `turn_covariances`).
    longer : FloatArray | float, optional
        (n,), length of the distal segment's third axis in the static trial over that in the frame, without unit: where its end is
        off by as much, a shorter one turns more.

    Returns
    -------
    dict[str, FloatArray]
        Source of error -> (n, 3), one standard deviation, degrees; NaN where there is no angle.
    """
    seen = np.isfinite(angles_deg).all(axis=1)
    a, b, c = np.radians(cardan_of(name, angles_deg[seen], side)).T
    sin_a, cos_a, sin_b, cos_b, sin_c, cos_c = np.sin(a), np.cos(a), np.sin(b), np.cos(b), np.sin(c), np.cos(c)
    tan_b, zero, one = sin_b / cos_b, np.zeros_like(a), np.ones_like(a)
    # By turns of the distal and of the proximal segment: (3, 6, n).
    J = np.array([
        [sin_c / cos_b, cos_c / cos_b, zero, -sin_a * tan_b, -one, -cos_a * tan_b],
        [cos_c, -sin_c, zero, -cos_a, zero, sin_a],
        [sin_c * tan_b, cos_c * tan_b, one, -sin_a / cos_b, zero, -cos_a / cos_b],
    ])  # fmt: skip
    J[:, :2] *= np.broadcast_to(longer, len(angles_deg))[seen]
    sds = {}
    for source, covariance in covariances.items():
        sds[source] = np.full(angles_deg.shape, np.nan)
        sds[source][seen] = np.degrees(np.sqrt(((covariance @ J) * J).sum(axis=1))).T
    return sds


def _as_recorded(markers: Mapping[str, FloatArray], side: str) -> dict[str, FloatArray]:
    """Markers of one foot and of the pelvis, the heel as it was recorded."""
    seen = {label: path for label, path in markers.items() if np.isfinite(path).all(axis=1).any()}
    return seen | {f"{side}HEE": original_heel(markers, side)}


def _kind(label: str, side: str) -> str:
    """Of which marker's errors a label has its; empty for one that the foot of this side does not use."""
    if label in ("LASI", "RASI", "LPSI", "RPSI"):
        return label[1:]
    if label == "SACR":
        return label
    name = label[1:]
    return name if label[:1] == side and (name in _LEG or name in _OF_HINDFOOT or name in _OF_FOREFOOT) else ""


def _sizes_m(label: str, side: str, error_sizes: Mapping[str, float], source: str) -> FloatArray:
    """Of one marker, forward, up and to the side, (3,), metres."""
    name = _kind(label, side)
    own = name in _OF_HINDFOOT or name in _OF_FOREFOOT
    place, skin = _LEG.get(name, ("", "heel" if name in _OF_HINDFOOT else "toe"))
    if source == TISSUE:
        names = [f"tissue_{skin}_mm"] * len(_WAYS)
    elif own:
        names = [OWN_SIZE] * len(_WAYS)
    else:
        names = [f"{place}_{way}_mm" if place else "" for way in _WAYS]
    return np.array([error_sizes[each] if each else 0.0 for each in names]) / MM_PER_M


def _directions(toes_lab_m: FloatArray) -> FloatArray:
    """Forward, up and to the side of a foot that stands, as rows (3, 3), laboratory axes."""
    forward = np.array([toes_lab_m[0], toes_lab_m[1], 0.0])
    forward /= np.linalg.norm(forward)
    up = np.array([0.0, 0.0, 1.0])
    return np.stack([forward, up, np.cross(up, forward)])


def _changed(stood: Mapping[str, FloatArray], sizes_m: Mapping[str, FloatArray], ways: FloatArray) -> dict[str, FloatArray]:
    """Markers as they stood, then with every marker forth and back along every way by its size: (1 + 6 n, 3) each."""
    labels = list(stood)
    paths = {label: np.tile(stood[label], (1 + 2 * len(_WAYS) * len(labels), 1)) for label in labels}
    for number, label in enumerate(labels):
        for i, (way, size_m) in enumerate(zip(ways, sizes_m[label], strict=True)):
            first = 1 + 2 * (len(_WAYS) * number + i)
            paths[label][first] += size_m * way
            paths[label][first + 1] -= size_m * way
    return paths


def _unsmoothed(markers: Mapping[str, FloatArray], side: str) -> Smoothed:
    """A marker that is shifted in a whole trial is shifted after the smoothing as well, by as much."""
    groups = [group for group in (SHANK, HINDFOOT, FOREFOOT) if all(side + name in markers for name in group)]
    return Smoothed({name: markers[side + name] for group in groups for name in group}, {})


def _poses_of_placement(markers: Mapping[str, FloatArray], side: str, legs: LegSizes, *, flat: bool, floor: bool) -> FootPose:
    """The static trial with markers on the wrong spot: what it teaches is wrong likewise."""
    smooth = _unsmoothed(markers, side)
    points: FootPoints = foot_points(markers, smooth, side, flat=flat, floor=floor)
    return place_foot(markers, smooth, points, side, legs)


def _turns_rad(pose: FootPose) -> dict[str, FloatArray]:
    """Segment -> (K, 3), its turns by each change in its own axes, rad."""
    turns = {}
    for segment, R_lab_seg in pose.R_lab_seg.items():
        back, forth = R_lab_seg[2::2], R_lab_seg[1::2]
        between = np.swapaxes(back, 1, 2) @ forth
        apart = between - np.swapaxes(between, 1, 2)
        turns[segment] = 0.25 * np.stack([apart[:, 2, 1], apart[:, 0, 2], apart[:, 1, 0]], axis=1)
    return turns


def _covariance(distal_rad: FloatArray, proximal_rad: FloatArray) -> FloatArray:
    both = np.concatenate([distal_rad, proximal_rad], axis=1)
    return np.asarray(both.T @ both)
