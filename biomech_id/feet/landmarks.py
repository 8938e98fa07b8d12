"""Where the pelvis and the feet are: the few points that every gait rule of this room looks at.

They come from the tracked body when there is one, else straight from the markers, whose roles the body's or the recording's marker
set says; where nobody named a set, common names do (``markersets.detect.common_roles``).
They serve to find events, to put feet on plates and to measure steps; joint kinetics never pass through here.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from weakref import WeakKeyDictionary

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.window import refuse_other_window
from biomech_id.errors import MissingInputError
from biomech_id.markersets import common_roles
from biomech_id.movement.feet import Landmarks as Landmarks
from biomech_id.movement.movement import window_of
from biomech_id.signal.gaps import fill_gaps
from biomech_id.trial import Markers, Trial

#: Roles of the marker behind the heel, and of the one on the forefoot, the best first.
HEEL_ROLES = ("heel",)
TOE_ROLES = ("toe", "metatarsal_2", "metatarsal_5", "metatarsal_1")

#: A gap up to this long is bridged for judging where a foot is: by a cubic spline, because on a straight line from a foot that
#: rests to one that swings nothing lands or leaves (95 % of events near such gaps moved by up to 68 ms; with splines by 29 ms).
LONGEST_BRIDGE_S = 0.2

#: Velocities are differences over this time on either side, which smooths the markers' noise.
DIFFERENCE_S = 0.02
#: Foot drawn from heel and toe marker: x from heel to toe and y to the left, in units of their distance. The toe marker lies on the
#: metatarsal heads, at about three quarters of the foot; a foot's breadth is .055/.152 of its length and that of its heel two
#: thirds of it (Drillis & Contini 1966, TR 1166.03, New York University, for the ratio of breadth to length).
_OUTLINE_LEFT = np.array(
    [
        (-0.03, -0.12),
        (-0.03, 0.12),
        (0.35, 0.16),
        (0.85, 0.22),
        (1.15, 0.17),
        (1.30, 0.0),
        (1.20, -0.15),
        (0.95, -0.24),
        (0.35, -0.14),
    ]
)


def find_landmarks(trial: Trial, motion: BodyMotion | None = None) -> Landmarks:
    """Take pelvis and feet from a trial's markers, and the feet's outlines from the tracked body when it has them.

    Parameters
    ----------
    trial : Trial
        The recording, whose markers have their roles.
    motion : BodyMotion | None, optional
        What tracking it gave; its ``foot_outline_lab_m`` is preferred to the outline drawn from two markers, and its heel and toes
        stand in for markers that a marker set does not have.

    Returns
    -------
    Landmarks
        Pelvis, heels, toes and outlines at the video rate, metres, laboratory axes; NaN where they are not seen.

    Raises
    ------
    MissingInputError
        Neither foot has both a heel and a toe.
    InvalidValueError
        The motion is of another recording, or of other frames of it.
    """
    if motion is not None:
        refuse_other_window(window_of(trial), motion.window, "the trial", "the motion", where=trial.name)
        return _landmarks(trial, motion)
    known = _OF_MARKERS.get(trial.markers)
    if known is None:
        known = _OF_MARKERS[trial.markers] = _landmarks(trial, None)
    return known


def _landmarks(trial: Trial, motion: BodyMotion | None) -> Landmarks:
    markers = _with_roles(trial.markers, motion)
    heel, toe = (
        _outline_points(motion, name) | _per_side(markers, *roles) for name, roles in (("Heel", HEEL_ROLES), ("Toe", TOE_ROLES))
    )
    sides = [side for side in SIDES if side in heel and side in toe]
    if not sides:
        raise MissingInputError(
            f"{trial.name} has no foot with both a heel and a toe marker, so its steps cannot be found.",
            value=list(trial.markers.names), expected="markers on heel and forefoot of one side", where=trial.name,
        )  # fmt: skip
    rate_hz = trial.rate_hz
    measured = {side: np.asarray(np.isfinite(heel[side] + toe[side]).all(axis=1)) for side in sides}
    heel = {side: bridge(heel[side], rate_hz) for side in sides}
    toe = {side: bridge(toe[side], rate_hz) for side in sides}
    pelvis, facing = _pelvis(markers, heel, toe)
    outline = {side: _outline(motion, side, _drawn_outline(heel[side], toe[side], side)) for side in sides}
    against = [side for side in sides if _points_back(heel[side], toe[side], facing)]
    if len(against) == 1 < len(sides):
        # Its heel and toe have each other's labels; its tracked frame is no foot's. Were it both, the pelvis would face back.
        outline[against[0]] = _drawn_outline(toe[against[0]], heel[against[0]], against[0])
    return Landmarks(rate_hz, trial.first_time_s, pelvis, facing, heel, toe, outline, measured)


#: What markers alone say of the feet, found once for everybody who asks before a trial is tracked; kept as long as the markers are.
_OF_MARKERS: MutableMapping[Markers, Landmarks] = WeakKeyDictionary()


def bridge(path_m: FloatArray, rate_hz: float, longest_s: float = LONGEST_BRIDGE_S) -> FloatArray:
    """Bridge gaps of at most ``longest_s`` seconds in a path (n, 3) by cubic splines (`signal.gaps`); longer ones stay NaN.

    So do gaps at the ends, and those with fewer than three frames on either side.

    Parameters
    ----------
    path_m : FloatArray
        (n, 3), laboratory axes, metres; missing is NaN.
    rate_hz : float
        Frames of the path per second.
    longest_s : float, optional
        Longest gap that is bridged, seconds.

    Returns
    -------
    FloatArray
        (n, 3), laboratory axes, metres, with short gaps filled; longer ones are NaN.
    """
    filled, _, _ = fill_gaps(path_m[:, None, :], ["path"], longest=round(longest_s * rate_hz))
    return np.asarray(filled[:, 0])


def path_velocity(path_m: FloatArray, rate_hz: float) -> FloatArray:
    """Velocity (n, 3), m/s, of a path (n, 3): differences over ``DIFFERENCE_S`` on either side; NaN within that of the ends.

    Parameters
    ----------
    path_m : FloatArray
        (n, 3), laboratory axes, metres; missing is NaN.
    rate_hz : float
        Frames of the path per second.

    Returns
    -------
    FloatArray
        (n, 3), laboratory axes, m/s; NaN near the ends.
    """
    step = max(1, round(DIFFERENCE_S * rate_hz))
    velocity = np.full_like(path_m, np.nan)
    velocity[step:-step] = (path_m[2 * step :] - path_m[: -2 * step]) * rate_hz / (2 * step)
    return velocity


def horizontal_unit(vector: FloatArray) -> FloatArray:
    """Unit vectors (..., 2) along the horizontal part of vectors (..., 2 or 3); NaN where there is none.

    Parameters
    ----------
    vector : FloatArray
        (..., 2 or 3), laboratory axes, any unit.

    Returns
    -------
    FloatArray
        (..., 2), laboratory X and Y, unit length; NaN where a vector is vertical or missing.
    """
    flat = vector[..., :2]
    length = np.linalg.norm(flat, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit: FloatArray = np.where(length > 1e-9, flat / length, np.nan)
    return unit


def _with_roles(markers: Markers, motion: BodyMotion | None) -> Markers:
    """Roles as the body was tracked with, else as the recording's reader was told, else by common names."""
    roles = (motion.roles if motion is not None else None) or markers.roles
    return markers.with_roles(roles or common_roles(filter(markers.present, markers.names)))


def _per_side(markers: Markers, *roles: str) -> dict[str, FloatArray]:
    """Side -> path of the marker with the first of several roles that the recording shows."""
    best = {side: next((role for role in roles if markers.shows(side, role)), None) for side in SIDES}
    return {side: markers.on(side, role) for side, role in best.items() if role is not None}


def _outline_points(motion: BodyMotion | None, name: str) -> dict[str, FloatArray]:
    """The heel's or the toes' point of each tracked outline, for marker sets that have no marker there."""
    label = f"{name}Outline"
    if motion is None or label not in motion.foot_outline_names:
        return {}
    index = motion.foot_outline_names.index(label)
    return {side: outline_m[:, index] for side, outline_m in motion.foot_outline_lab_m.items()}


def _pelvis(markers: Markers, heel: Mapping[str, FloatArray], toe: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    front, back = _per_side(markers, "asis"), _per_side(markers, "psis")
    rate_hz = markers.rate_hz
    feet = np.mean([0.5 * (heel[side] + toe[side]) for side in heel], axis=0)
    facing = horizontal_unit(np.mean([toe[side] - heel[side] for side in heel], axis=0))
    for pair in (front, back):
        if len(pair) == 2:
            left, right = bridge(pair["L"], rate_hz), bridge(pair["R"], rate_hz)
            across = left - right
            forward = horizontal_unit(np.stack([across[:, 1], -across[:, 0]], axis=1))
            return 0.5 * (left + right), np.where(np.isfinite(forward), forward, facing)
    if markers.shows("", "sacrum"):
        return bridge(markers.on("", "sacrum"), rate_hz), facing
    return feet, facing


def _outline(motion: BodyMotion | None, side: str, drawn_m: FloatArray) -> FloatArray:
    """The tracked outline, unless it misses frames that heel and toe marker see (a foot frame also needs the leg's markers)."""
    tracked_m = None if motion is None else motion.foot_outline_lab_m.get(side)
    if tracked_m is None or np.any(np.isnan(tracked_m).any(axis=(1, 2)) & np.isfinite(drawn_m).all(axis=(1, 2))):
        return drawn_m
    return tracked_m


def _points_back(heel_m: FloatArray, toe_m: FloatArray, facing: FloatArray) -> bool:
    """Whether the heel lies ahead of the toes in most frames, in the direction (n, 2) that the pelvis faces."""
    ahead_m = np.einsum("nj,nj->n", (toe_m - heel_m)[:, :2], facing)
    return bool(np.sum(ahead_m < 0) > np.sum(ahead_m >= 0))


def _drawn_outline(heel_m: FloatArray, toe_m: FloatArray, side: str) -> FloatArray:
    """Outline (n, 9, 3) laid through heel and toe marker, at the height of the line between them."""
    along = toe_m - heel_m
    across = np.stack([-along[:, 1], along[:, 0], np.zeros(len(along))], axis=1)
    shape = _OUTLINE_LEFT * (1.0, SIDE_SIGN[side])
    return np.asarray(heel_m[:, None, :] + shape[None, :, :1] * along[:, None, :] + shape[None, :, 1:] * across[:, None, :])
