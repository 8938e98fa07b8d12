"""Where the feet are with respect to the force plates, frame by frame: pure geometry.

Distances to a plate's edge are seen from above and positive inside it; heights are counted from each plate's own surface.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.feet.contacts import PlateContact, centre_of_pressure_m, surface_normal
from biomech_id.feet.landmarks import Landmarks, horizontal_unit
from biomech_id.movement.feet import PlateLoad as PlateLoad
from biomech_id.signal.resample import window_mean
from biomech_id.trial import ForcePlate, Trial


def load_at_video_rate(trial: Trial, contact: PlateContact) -> PlateLoad:
    """Bring one contact to the video rate (plain mean over one frame: good enough to see where a foot is).

    Parameters
    ----------
    trial : Trial
        The recording that the contact is of.
    contact : PlateContact
        When the plate was loaded.

    Returns
    -------
    PlateLoad
        Vertical force (k,), N, and centre of pressure (k, 3), laboratory axes, metres, in the contact's own video frames.
    """
    plate = trial.plates[contact.plate]
    ratio = round(plate.rate_hz / trial.rate_hz)
    # A frame's mean reaches less than a frame beyond it: only these see the contact, however long the recording.
    first = max(0, contact.first // ratio - 1)
    end = max(first, min(trial.n_frames, contact.last // ratio + 2))
    begin, inside = first * ratio, slice(contact.first, contact.last)
    samples = np.zeros((contact.last - begin, 6))
    samples[contact.first - begin :] = np.hstack([plate.force_lab_N[inside], plate.moment_lab_Nm[inside]])
    mean = window_mean(samples, end - first, ratio)
    loaded = mean[:, 2] > contact.threshold_N
    vertical, cop = np.zeros(end - first), np.full((end - first, 3), np.nan)
    vertical[loaded] = mean[loaded, 2]
    cop[loaded] = centre_of_pressure_m(plate, mean[loaded, :3], mean[loaded, 3:])
    return PlateLoad(contact, vertical, cop, first)


def carried_N(loads: Sequence[PlateLoad], frames: slice) -> FloatArray:
    """Vertical force (k,) of several loads together in some frames of a recording, N; zero where there is none.

    Parameters
    ----------
    loads : Sequence[PlateLoad]
        What plates carried; those outside the frames count as nothing.
    frames : slice
        From the first one to the one behind the last.

    Returns
    -------
    FloatArray
        (k,), one for each frame, N.
    """
    total_N = np.zeros(frames.stop - frames.start)
    for load in loads:
        part = load.within(frames)
        if len(part.vertical_N):
            total_N[part.first - frames.start :][: len(part.vertical_N)] += part.vertical_N
    return total_N


def depth_inside(plate: ForcePlate, points_m: FloatArray) -> FloatArray:
    """Distance (...,) from points (..., 3) to the nearest edge of the plate seen from above, metres; positive inside.

    NaN of a plate that stands upright, which nobody stands on.

    Parameters
    ----------
    plate : ForcePlate
        The plate whose edges are meant.
    points_m : FloatArray
        (..., 3), laboratory axes, metres.

    Returns
    -------
    FloatArray
        (...,), metres, positive inside the plate, negative beside it.
    """
    corners = plate.corners_m[:, :2]
    edges = np.roll(corners, -1, axis=0) - corners
    turning = np.sign(np.sum(corners[:, 0] * np.roll(corners[:, 1], -1) - corners[:, 1] * np.roll(corners[:, 0], -1)))
    with np.errstate(invalid="ignore"):
        inward = turning * np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1, keepdims=True)
    # From the plate's middle, so that a plate far from the laboratory's origin loses no digits.
    middle = corners.mean(axis=0)
    to_edges = np.einsum("kj,kj->k", corners - middle, inward)
    return np.asarray(((points_m[..., :2] - middle) @ inward.T - to_edges).min(axis=-1))


def height_above(plate: ForcePlate, points_m: FloatArray) -> FloatArray:
    """Height (...,) of points (..., 3) above a plate's surface, continued beyond its edges, along its normal, metres.

    Parameters
    ----------
    plate : ForcePlate
        The plate whose surface and normal are meant.
    points_m : FloatArray
        (..., 3), laboratory axes, metres.

    Returns
    -------
    FloatArray
        (...,), metres along the surface's normal, positive above.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.feet.feet_on_plates import height_above
    >>> from biomech_id.trial import ForcePlate
    >>> corners = np.array([[0.5, 0.5, 0.2], [0.0, 0.5, 0.2], [0.0, 0.0, 0.2], [0.5, 0.0, 0.2]])
    >>> tread = ForcePlate("tread", 2, corners, np.zeros((4, 3)), np.zeros((4, 3)), 1000.0)
    >>> height_above(tread, np.array([[0.1, 0.2, 0.42]])).round(3)
    array([0.22])
    """
    return np.asarray((points_m - plate.centre_m) @ surface_normal(plate))


def distance_to_foot(landmarks: Landmarks, side: str, point_m: FloatArray, frames: slice = slice(None)) -> FloatArray:
    """Horizontal distance (n,) from points (n, 3) to the line between the heel and the toe marker of one foot, metres.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    side : str
        Foot that is meant: "L" or "R".
    point_m : FloatArray
        (n, 3), laboratory axes, metres.
    frames : slice, optional
        Where these points lie in the recording; of every frame unless given.

    Returns
    -------
    FloatArray
        (n,), metres, never negative; NaN where a marker or the point is missing.
    """
    known = np.isfinite(point_m[:, :2]).all(axis=1)
    heel, toe = landmarks.heel_lab_m[side][frames][known, :2], landmarks.toe_lab_m[side][frames][known, :2]
    along, offset = toe - heel, point_m[known, :2] - heel
    length2 = np.einsum("nj,nj->n", along, along)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.clip(np.einsum("nj,nj->n", offset, along) / length2, 0.0, 1.0)
    distance_m = np.full(len(point_m), np.nan)
    distance_m[known] = np.linalg.norm(offset - share[:, None] * along, axis=1)
    return distance_m


def distance_beside_foot(landmarks: Landmarks, side: str, point_m: FloatArray, frames: slice = slice(None)) -> FloatArray:
    """Horizontal distance (n,) from points (n, 3) to the line through heel and toe marker of one foot, however far ahead, metres.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    side : str
        Foot that is meant: "L" or "R".
    point_m : FloatArray
        (n, 3), laboratory axes, metres.
    frames : slice, optional
        Where these points lie in the recording; of every frame unless given.

    Returns
    -------
    FloatArray
        (n,), metres, never negative; NaN where a marker or the point is missing.
    """
    heel, toe = landmarks.heel_lab_m[side][frames], landmarks.toe_lab_m[side][frames]
    along, offset = horizontal_unit(toe - heel), (point_m - heel)[:, :2]
    return np.asarray(np.abs(along[:, 0] * offset[:, 1] - along[:, 1] * offset[:, 0]))


def nearest_foot(landmarks: Landmarks, load: PlateLoad, frames: BoolArray) -> tuple[str, float]:
    """Side of the foot that lies nearest to the load in the given ones (k,) of its frames, and its distance, metres.

    Distances are averaged with the vertical force as weight, so that the wild centres of pressure of a light load do not count.
    Returns ("", nan) when no foot is seen there.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    load : PlateLoad
        What one plate carried.
    frames : BoolArray
        (k,), True for those that count.

    Returns
    -------
    tuple[str, float]
        Side, "" where neither foot is seen, and distance, metres.
    """
    best, least = "", float("nan")
    for side in landmarks.sides:
        distance = distance_to_foot(landmarks, side, load.cop_lab_m, load.frames)
        use = frames & load.loaded & np.isfinite(distance)
        if use.any():
            mean = float(np.average(distance[use], weights=load.vertical_N[use]))
            if not mean >= least:
                best, least = side, mean
    return best, least
