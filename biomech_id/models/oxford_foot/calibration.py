"""What a static trial teaches of one foot: points that the walk's own markers do not show, in axes of markers that it does.

Technical axes, in static trial and walk alike, of smoothed markers (``docs/oxford-foot.md``): TT of the shank at the ankle marker,
TH of the hindfoot at the heel, TF of the forefoot at the first metatarsal's base, TL of its lateral side at the fifth's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M
from biomech_id.models.oxford_foot.geometry import axes_of, onto_plane, smoothed_group, smoothed_hindfoot
from biomech_id.models.oxford_foot.options import FootOptions
from biomech_id.models.triads import into_segment
from biomech_id.values import dataclass, replace

#: Groups of four markers that are smoothed together, in this order.
SHANK, HINDFOOT, FOREFOOT = ("ANK", "HFB", "TUB", "SHN"), ("HEE", "LCA", "STL", "CPG"), ("P1M", "D5M", "TOE", "P5M")
#: Markers of the static trial alone.
STATIC_ONLY = ("MMA", "PCA", "D1M")
#: The heel as an earlier run of the plug-in stored it.
STORED_HEEL = "HE1"
#: A processed static trial whose heel is as near as this (m) to the middle of the stored heel and PCA holds another heel.
_MOVED_HEEL_M = 1e-4

#: A point of the foot -> the technical axes that it is known in.
POINTS: Mapping[str, str] = {
    "MMA": "TT", "HFplantar": "TH", "PCA": "TH", "D1M0": "TF", "D5M0": "TF", "D1Mlat": "TL", "P1Mlat": "TL",
}  # fmt: skip
TechnicalAxes = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class FootPoints:
    """What is known of one foot beyond the markers of a walk.

    Attributes
    ----------
    local_m : Mapping[str, FloatArray]
        Name out of `POINTS` -> (3,) or, in the static trial itself, (n, 3); metres, its technical axes. Without an ankle's medial
        marker there is no MMA, and without it no angle of the shank in the laboratory.
    floor : bool
        Whether the metatarsal heads stood on the floor, which the fifth one's place depends on.
    foot_length_m : FloatArray | float | None
        By which the arch height is divided; None where nobody knows it.
    """

    local_m: Mapping[str, FloatArray]
    floor: bool
    foot_length_m: FloatArray | float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as ``calibration.json`` holds it, in millimetres."""
        return {f"{name}_mm": [float(v) for v in MM_PER_M * local] for name, local in self.local_m.items()}


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Markers of one foot after the smoothing, without side.

    Attributes
    ----------
    path_lab_m : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes.
    misfit_m : Mapping[str, float]
        Label -> root mean square distance from its rigid copy.
    """

    path_lab_m: Mapping[str, FloatArray]
    misfit_m: Mapping[str, float]

    def axes(self, name: str) -> TechnicalAxes:
        """Return technical axes.

        Parameters
        ----------
        name : str
            "TT", "TH", "TF" or "TL".

        Returns
        -------
        R_lab_axes : FloatArray
            (n, 3, 3).
        origin_lab_m : FloatArray
            (n, 3).
        """
        at = self.path_lab_m
        if name == "TT":
            towards = at["HFB"] - at["ANK"], at["SHN"] - 0.5 * (at["ANK"] + at["HFB"])
        elif name == "TH":
            towards = at["HEE"] - 0.5 * (at["STL"] + at["LCA"]), at["STL"] - at["LCA"]
        elif name == "TF":
            towards = at["P1M"] - at["D5M"], at["TOE"] - at["P5M"]
        else:
            towards = at["D5M"] - at["P5M"], at["TOE"] - at["D5M"]
        return axes_of(*towards, "xyz"), at[{"TT": "ANK", "TH": "HEE", "TF": "P1M", "TL": "P5M"}[name]]


def smoothed_foot(markers: Mapping[str, FloatArray], side: str, options: FootOptions, *, static: bool = False) -> Smoothed:
    """Return the markers of one foot, smoothed group by group.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes, with every marker of the hindfoot and forefoot; without one of the shank's
        group that group is left out.
    side : str
        Foot whose markers are taken, "L" or "R".
    options : FootOptions
        Passes of the heel, and whether the last frame counts.
    static : bool, optional
        Whether it is a static trial, whose heel a later version of the plug-in may have moved.
    """
    last = options.last_frame
    paths: dict[str, FloatArray] = {}
    hindfoot = [markers[side + name] for name in HINDFOOT]
    hindfoot[0] = heel = original_heel(markers, side) if static else hindfoot[0]
    stored = markers.get(side + STORED_HEEL) if not options.heel_passes else None
    paths |= zip(
        HINDFOOT,
        smoothed_hindfoot(hindfoot, passes=max(options.heel_passes, 1), heel_stored_lab_m=stored, last_frame=last),
        strict=True,
    )
    for group in (SHANK, FOREFOOT):
        if all(side + name in markers for name in group):
            paths |= zip(group, smoothed_group([markers[side + name] for name in group], last_frame=last), strict=True)
    raw = {name: markers[side + name] for name in paths} | {"HEE": heel}
    return Smoothed(paths, {name: _misfit_m(raw[name], path) for name, path in paths.items()})


def original_heel(markers: Mapping[str, FloatArray], side: str) -> FloatArray:
    """Return the heel of a static trial as it was recorded.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres.
    side : str
        Foot whose heel is meant, "L" or "R".

    Returns
    -------
    FloatArray
        (n, 3): the stored one where the file's heel lies in the middle between it and the marker above.
    """
    heel, stored, upper = (markers.get(side + name) for name in ("HEE", STORED_HEEL, "PCA"))
    assert heel is not None
    if stored is None or upper is None:
        return heel
    off_m = np.linalg.norm(heel - 0.5 * (stored + upper), axis=-1)
    return stored if bool((off_m < _MOVED_HEEL_M).any()) and not bool((off_m >= _MOVED_HEEL_M).any()) else heel


def learnt_points(
    markers: Mapping[str, FloatArray], side: str, options: FootOptions, *, flat: bool, floor: bool
) -> tuple[FootPoints, Smoothed]:
    """Return what a static trial shows of one foot, frame by frame.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes with Z up, of a static trial.
    side : str
        Foot that is calibrated, "L" or "R".
    options : FootOptions
        How markers are smoothed.
    flat : bool
        Whether the sole of the hindfoot was level.
    floor : bool
        Whether the metatarsal heads were as low as the fifth metatarsal's base.

    Returns
    -------
    points : FootPoints
        Of every frame, (n, 3); its foot length is the frame's own.
    smooth : Smoothed
        The markers.
    """
    smooth = smoothed_foot(markers, side, options, static=True)
    return foot_points(markers, smooth, side, flat=flat, floor=floor), smooth


def foot_points(markers: Mapping[str, FloatArray], smooth: Smoothed, side: str, *, flat: bool, floor: bool) -> FootPoints:
    """Return what markers of standing show of one foot, given its smoothed ones.

    Parameters
    ----------
    markers : Mapping[str, FloatArray]
        Label -> (n, 3), metres, laboratory axes with Z up, of a static trial.
    smooth : Smoothed
        The foot's markers, smoothed.
    side : str
        Foot that is calibrated, "L" or "R".
    flat, floor : bool
        Whether the sole of the hindfoot was level, and whether the metatarsal heads stood on the floor.

    Returns
    -------
    FootPoints
        Of every frame, (n, 3); its foot length is the frame's own.
    """
    at, upper = smooth.path_lab_m, markers[side + "PCA"]
    plantar = onto_plane(at["P5M"], (at["HEE"], upper, 0.5 * (at["STL"] + at["LCA"])))
    first, fifth = markers[side + "D1M"], at["D5M"]
    if flat:
        plantar = _at_height(plantar, at["HEE"])
    if floor:
        first, fifth = _at_height(first, at["P5M"]), _at_height(fifth, at["P5M"])
    points = {"HFplantar": plantar, "PCA": upper, "D1M0": first, "D5M0": fifth, "D1Mlat": first, "P1Mlat": at["P1M"]}
    if "SHN" in at and side + "MMA" in markers:
        points["MMA"] = markers[side + "MMA"]
    axes = {name: smooth.axes(name) for name in {POINTS[point] for point in points}}
    local = {name: into_segment(*axes[POINTS[name]], point) for name, point in points.items()}
    length = np.linalg.norm(original_heel(markers, side) - at["TOE"], axis=-1)
    return FootPoints(local, floor, length)


def means_of(points: FootPoints) -> FootPoints:
    """Return the means over a static trial.

    Parameters
    ----------
    points : FootPoints
        Positions in every frame of the static trial.

    Returns
    -------
    FootPoints
        (3,) each, over the frames that have the point.
    """
    length = points.foot_length_m
    mean = None if length is None else float(mean_of_seen(np.reshape(length, (-1, 1)))[0])
    return replace(points, local_m={name: mean_of_seen(local) for name, local in points.local_m.items()}, foot_length_m=mean)


def mean_of_seen(rows: FloatArray) -> FloatArray:
    """Return the mean over frames that have every number.

    Parameters
    ----------
    rows : FloatArray
        (n, k), NaN where something is missing.

    Returns
    -------
    FloatArray
        (k,), NaN without such a frame.
    """
    seen = rows[np.isfinite(rows).all(axis=1)]
    return seen.mean(axis=0) if len(seen) else np.full(rows.shape[1], np.nan)


def stored_points(stored: Mapping[str, float], side: str, *, floor: bool) -> FootPoints | None:
    """Return what the plug-in stored of one foot.

    Parameters
    ----------
    stored : Mapping[str, float]
        Name -> number of the file's PROCESSING group: ``%LHFplantarX`` in millimetres.
    side : str
        Foot whose parameters are read, "L" or "R".
    floor : bool
        Whether the metatarsal heads were put on the floor.

    Returns
    -------
    FootPoints | None
        (3,) each; None unless the file has all of them.
    """
    local = {}
    for name in POINTS:
        numbers = [stored.get(f"%{side}{name}{axis}") for axis in "XYZ"]
        if any(number is None for number in numbers):
            if name != "MMA":
                return None
            continue
        local[name] = np.array(numbers, dtype=float) / MM_PER_M
    length = stored.get(f"{side}FootLength")
    return FootPoints(local, floor, length / MM_PER_M if length else None)


def apart_m(one: FootPoints, other: FootPoints) -> dict[str, float]:
    """Return how far two calibrations of one foot are apart.

    Parameters
    ----------
    one, other : FootPoints
        Means.

    Returns
    -------
    dict[str, float]
        Name of a point that both have -> distance, metres.
    """
    both = one.local_m.keys() & other.local_m.keys()
    return {name: float(np.linalg.norm(one.local_m[name] - other.local_m[name])) for name in POINTS if name in both}


def _at_height(point_lab_m: FloatArray, other_lab_m: FloatArray) -> FloatArray:
    return np.concatenate([point_lab_m[:, :2], other_lab_m[:, 2:]], axis=1)


def _misfit_m(path_lab_m: FloatArray, smooth_lab_m: FloatArray) -> float:
    off = 2.0 * np.linalg.norm(smooth_lab_m - path_lab_m, axis=-1)
    seen = np.isfinite(off)
    return float(np.sqrt(np.mean(off[seen] ** 2))) if seen.any() else float("nan")
