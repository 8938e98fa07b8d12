"""The outline of the sole on the floor, and the length of a foot, from heel and toe marker: shared by the body models."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import cross, matvec_transposed
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.trial import Trial

#: The toe marker sits over the second metatarsal head, which lies at about this share of the foot's length from the heel, and a
#: foot is this broad for its length; the heel is two thirds as broad (Drillis & Contini 1966, New York University TR 1166.03:
#: length .152, breadth .055 of stature).
METATARSAL_SHARE = 0.73
BREADTH_PER_LENGTH = 0.055 / 0.152
HEEL_BREADTH_SHARE = 2.0 / 3.0
#: Points around the sole in order: share of the foot's length from the heel, and of half its breadth towards the outer side.
OUTLINE: tuple[tuple[str, float, float], ...] = (
    ("Heel", 0.0, 0.0),
    ("HeelLateral", 0.10, HEEL_BREADTH_SHARE),
    ("BallLateral", 0.62, 1.0),
    ("ToesLateral", 0.87, 0.65),
    ("Toe", 1.0, -0.25),
    ("ToesMedial", 0.92, -0.80),
    ("BallMedial", 0.73, -1.0),
    ("HeelMedial", 0.10, -HEEL_BREADTH_SHARE),
)
OUTLINE_NAMES: tuple[str, ...] = tuple(f"{name}Outline" for name, _, _ in OUTLINE)
#: An ankle centre of a standing person is between these heights above the floor; otherwise the laboratory's zero is not its floor.
ANKLE_HEIGHT_M = (0.02, 0.25)
#: Height of the ankle centre for a foot's length, where the floor is not known (.039 and .152 of stature, Drillis & Contini 1966).
ANKLE_HEIGHT_PER_FOOT_LENGTH = 0.039 / 0.152
UP = np.array([0.0, 0.0, 1.0])


def plates_floor_m(trial: Trial) -> float:
    """Return the height of the force plates.

    Parameters
    ----------
    trial : Trial
        Only its plates are asked.

    Returns
    -------
    float
        Metres, laboratory Z: median over the plates' middles; 0 for a recording without plates.
    """
    return float(np.median([plate.corners_m[:, 2].mean() for plate in trial.plates])) if trial.plates else 0.0


def floor_under_m(ankle_lab_m: FloatArray, foot_m: float, floor_lab_m: float) -> float:
    """Return the height of the floor that a person stands on.

    Parameters
    ----------
    ankle_lab_m : FloatArray
        (n, 3), ankle centre, laboratory axes.
    foot_m : float
        Length of the foot, metres (see `foot_length_m`).
    floor_lab_m : float
        Where the laboratory has its floor; no floor if that puts the ankle where no standing person's is.

    Returns
    -------
    float
        Metres, laboratory Z.
    """
    height = float(over_seen(np.nanmean, ankle_lab_m[:, 2])) - floor_lab_m
    if ANKLE_HEIGHT_M[0] < height < ANKLE_HEIGHT_M[1]:
        return floor_lab_m
    return floor_lab_m + (height - ANKLE_HEIGHT_PER_FOOT_LENGTH * foot_m)


def foot_length_m(heel_lab_m: FloatArray, toe_lab_m: FloatArray, marker_radius_m: float) -> float:
    """Return the length that scales the foot's inertia.

    Parameters
    ----------
    heel_lab_m, toe_lab_m : FloatArray
        (n, 3), paths of the two markers, laboratory axes, metres; NaN where unseen.
    marker_radius_m : float
        Taken off once: the heel ends in front of its marker's centre.

    Returns
    -------
    float
        Metres: mean distance from heel to toe marker less a marker radius.
    """
    return float(over_seen(np.nanmean, np.linalg.norm(toe_lab_m - heel_lab_m, axis=1)) - marker_radius_m)


def outline_lab_m(foot: Frames, sole_m: FloatArray) -> FloatArray:
    """Return the outline of a sole in every frame.

    Parameters
    ----------
    foot : Frames
        Pose of the foot, origin at the ankle centre.
    sole_m : FloatArray
        (k, 3), foot axes from the ankle centre, metres (see `outline_foot_m`).

    Returns
    -------
    FloatArray
        (n, k, 3), metres, laboratory axes.
    """
    return np.asarray(np.einsum("nij,kj->nki", foot.R_lab_seg, sole_m) + foot.origin_lab_m[:, None, :])


def outline_foot_m(
    side: str, heel_lab_m: FloatArray, toe_lab_m: FloatArray, ankle_lab_m: FloatArray, R_lab_foot: FloatArray, *,
    marker_radius_m: float, floor_lab_m: float,
) -> FloatArray:  # fmt: skip
    """Return the outline of the sole, learnt from standing frames.

    Drawn on the floor under heel and toe marker: the skin is a marker radius in front of the heel marker's centre, and the foot
    reaches beyond the toe marker, which sits on the metatarsal head.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    heel_lab_m, toe_lab_m : FloatArray
        (n, 3), paths of the two markers, laboratory axes, metres; NaN where unseen.
    ankle_lab_m : FloatArray
        (n, 3), ankle centre, laboratory axes.
    R_lab_foot : FloatArray
        (n, 3, 3), maps foot components to laboratory components.
    marker_radius_m : float
        Radius of a marker, metres; 0 where heel and toe are points of the skin.
    floor_lab_m : float
        Height of the floor, metres, laboratory Z.

    Returns
    -------
    FloatArray
        (k, 3), metres, foot axes from the ankle centre, in the order of ``OUTLINE_NAMES``; means over the frames that show both
        markers.
    """
    forward = (toe_lab_m - heel_lab_m) * (1.0 - UP)
    distance = np.linalg.norm(forward, axis=1, keepdims=True)
    forward = forward / distance
    outward = SIDE_SIGN[side] * cross(UP, forward)
    length = (distance - marker_radius_m) / METATARSAL_SHARE
    heel = heel_lab_m * (1.0 - UP) + UP * floor_lab_m + marker_radius_m * forward
    points = []
    for _, along, across in OUTLINE:
        point_lab = heel + length * (along * forward + across * BREADTH_PER_LENGTH / 2 * outward)
        points.append(over_seen(np.nanmean, matvec_transposed(R_lab_foot, point_lab - ankle_lab_m), axis=0))
    return np.stack(points)
