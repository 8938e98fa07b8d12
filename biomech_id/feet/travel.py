"""How somebody moved through the laboratory: speed, direction, turn, belt, flight; what that is called, `feet.movements` says.

Read from the path of the pelvis, from the feet and from the plates, never from file names.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.feet.landmarks import Landmarks, horizontal_unit, path_velocity
from biomech_id.feet.levels import Levels, find_levels
from biomech_id.feet.movements import STATIC_RANGE_M, Evidence, TrialKind, name_movement
from biomech_id.feet.support import FloorSupport
from biomech_id.languages import Sentence
from biomech_id.movement.feet import Travel as Travel
from biomech_id.signal.runs import runs

#: A belt slower than this is a foot that slips.
LEAST_BELT_M_S = 0.15
#: Feet that stand at speeds this far apart, as a share of the faster, stand on two belts.
CLEAR_SPLIT = 0.1
#: Part of the trial in which the pelvis is slower than this share of its fast speed (90th percentile) is standing, starting or
#: stopping. Within a stride the pelvis' speed changes by some 15 %, within a turn by a third.
STANDING_SHARE = 0.5
#: Flight: for this long both ends of both feet move faster than this share of the speed relative to the floor. In walking some end
#: always rests: the largest share seen in walks is 0.19, the least in runs 0.30.
FLIGHT_SHARE = 0.25
FLIGHT_S = 0.03
#: Lower than this above the ground is no pelvis of somebody who steps: the feet stand in for one that is not seen.
LEAST_HIP_HEIGHT_M = 0.25
#: The pelvis falls freely where it accelerates downwards by more than this share of gravity, seen over this time to either side.
FREE_FALL, FALL_STEP_S = 0.66, 0.04
#: Who sits keeps the pelvis so long (s) within this of its lowest (m).
LEAST_SIT_S, SITS_WITHIN_M = 0.3, 0.02
#: A recording that begins within the rise has the pelvis lowest in its first so many seconds.
BEGINS_RISING_S = 0.1
#: Who stands has the pelvis within this share of its dip of its usual height.
STANDING_AGAIN = 0.25


def describe_travel(
    landmarks: Landmarks, support: FloorSupport | None = None, *, floor_lab_m_s: FloatArray | None = None
) -> Travel:
    """Say how the subject moved and what kind of trial that makes it.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    support : FloorSupport | None, optional
        What its plates say (`feet.support.floor_support`); None for a recording without plates.
    floor_lab_m_s : FloatArray | None, optional
        (2,), horizontal velocity of the floor under the feet, laboratory axes; None reads it from the feet (`belt_velocity`).

    Returns
    -------
    Travel
        Kind of the trial and why, speed (m/s), direction and belt in laboratory axes, turn (rad).
    """
    pelvis = landmarks.pelvis_lab_m
    seen = np.isfinite(pelvis).all(axis=1)
    if not seen.any():
        nothing = np.full(2, np.nan)
        return Travel(TrialKind.NOT_JUDGED, Sentence("pelvis-unseen"), float("nan"), nothing, np.zeros(2), 0.0, 0.0)
    moved_m = max(_extent(path) for path in [pelvis, *landmarks.heel_lab_m.values(), *landmarks.toe_lab_m.values()])
    if moved_m < STATIC_RANGE_M:
        kind, reason = name_movement(Evidence(moved_m=moved_m))
        return Travel(kind, reason, 0.0, np.full(2, np.nan), np.zeros(2), 0.0, 0.0)
    belt = belt_velocity(landmarks) if floor_lab_m_s is None else floor_lab_m_s
    evidence = _evidence(landmarks, support, belt, moved_m)
    kind, reason = name_movement(evidence, landmarks)
    direction = horizontal_unit(_mean_velocity(pelvis, landmarks.rate_hz) - belt)
    return Travel(kind, reason, evidence.speed_m_s, direction, belt, evidence.turn_rad, evidence.flight, evidence.levels)


def _evidence(landmarks: Landmarks, support: FloorSupport | None, belt: FloatArray, moved_m: float) -> Evidence:
    """Measure what movements are told by."""
    pelvis, rate_hz = landmarks.pelvis_lab_m, landmarks.rate_hz
    feet = [*landmarks.heel_lab_m.values(), *landmarks.toe_lab_m.values()]
    lift_m = max(_extent(path) for path in feet)
    step_m = max(_extent(path[:, :2]) for path in landmarks.heel_lab_m.values())
    speed = _path_speed(pelvis, rate_hz, belt)
    way_m = _largest_distance(pelvis[:, :2] - belt * (landmarks.time_s - landmarks.first_time_s)[:, None])
    ground_m = min(float(np.nanmin(path[:, 2])) for path in landmarks.heel_lab_m.values())
    height_m = float(over_seen(np.nanmedian, pelvis[:, 2])) - ground_m
    pelvis_seen = height_m > LEAST_HIP_HEIGHT_M
    loaded = np.zeros(landmarks.n_frames, dtype=np.bool_) if support is None else support.loaded
    flying = in_flight(landmarks, speed, belt, loaded)
    moving = _moving(landmarks, speed, belt)
    dip, back = _dip(pelvis - np.array([0.0, 0.0, ground_m]))
    below, behind, rested = _seat(pelvis - np.array([0.0, 0.0, ground_m]), landmarks.rate_hz)
    return Evidence(
        moved_m=moved_m,
        step_m=step_m,
        foot_lift_m=lift_m,
        speed_m_s=speed,
        way_m=way_m,
        froude=speed**2 / (GRAVITY_M_S2 * height_m) if pelvis_seen else 0.0,
        ahead=_share_ahead(landmarks, belt),
        turn_rad=0.0 if belt.any() else turning_angle(landmarks, pelvis_seen=pelvis_seen),
        belt_m_s=float(np.linalg.norm(belt)),
        flight=float(np.count_nonzero(flying & moving)) / max(int(np.count_nonzero(moving)), 1),
        n_flights=len(list(runs(flying & moving))),
        double_support_s=0.0 if support is None else support.double_s,
        fall_s=longest_fall_s(pelvis[:, 2], rate_hz, loaded),
        dip=dip,
        dip_back=back,
        seat_below=below,
        seat_behind=behind,
        rested=rested,
        levels=Levels() if belt.any() else find_levels(landmarks, speed, moving),
    )


def longest_fall_s(height_m: FloatArray, rate_hz: float, loaded: BoolArray) -> float:
    """Longest time, seconds, for which the pelvis falls freely and no plate is loaded.

    Parameters
    ----------
    height_m : FloatArray
        (n,), of the pelvis.
    rate_hz : float
        Frames of both arrays per second.
    loaded : BoolArray
        (n,), frames in which a plate carries somebody.

    Returns
    -------
    float
        Seconds; 0 without one.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.feet.travel import longest_fall_s
    >>> t = np.arange(100) / 100.0
    >>> falling = np.where(t > 0.3, -4.9 * (t - 0.3) ** 2, 0.0)
    >>> longest_fall_s(falling[:60], 100.0, np.zeros(60, dtype=bool)) > 0.2
    True
    """
    step = max(1, round(FALL_STEP_S * rate_hz))
    falling = np.zeros(len(height_m), dtype=np.bool_)
    if len(height_m) > 2 * step:
        bend = height_m[2 * step :] - 2.0 * height_m[step:-step] + height_m[: -2 * step]
        with np.errstate(invalid="ignore"):
            falling[step:-step] = bend * (rate_hz / step) ** 2 < -FREE_FALL * GRAVITY_M_S2
    return max((last - first for first, last in runs(falling & ~loaded)), default=0) / rate_hz


def _dip(pelvis_m: FloatArray) -> tuple[float, float]:
    """How far the pelvis (n, 3), above the ground, goes down between two times at its usual height, and how far sideways then."""
    seen = pelvis_m[np.isfinite(pelvis_m).all(axis=1)]
    usual, lowest = float(np.percentile(seen[:, 2], 90)), int(np.argmin(seen[:, 2]))
    dip_m = usual - float(seen[lowest, 2])
    up = seen[:, 2] > usual - STANDING_AGAIN * dip_m
    if not up[:lowest].any() or not up[lowest:].any() or usual <= 0:
        return 0.0, 0.0
    standing = np.median(seen[up, :2], axis=0)
    return dip_m / usual, float(np.linalg.norm(seen[lowest, :2] - standing)) / usual


def _seat(pelvis_m: FloatArray, rate_hz: float) -> tuple[float, float, bool]:
    """How far below and beside its usual place the pelvis (n, 3), above the ground, rested before it came up; 0 where it did not.

    In shares of its usual height, and whether it rested there: a recording may begin while it comes up.
    """
    seen = pelvis_m[np.isfinite(pelvis_m).all(axis=1)]
    usual, lowest = float(np.percentile(seen[:, 2], 90)), float(seen[:, 2].min())
    low = seen[:, 2] < lowest + SITS_WITHIN_M
    rests = [(first, last) for first, last in runs(low) if last - first >= LEAST_SIT_S * rate_hz]
    up = seen[:, 2] > usual - STANDING_AGAIN * (usual - lowest)
    rested = bool(rests)
    if not rests and int(np.argmin(seen[:, 2])) <= BEGINS_RISING_S * rate_hz:
        rests = [(0, max(1, round(BEGINS_RISING_S * rate_hz)))]
    if not rests or not up[rests[0][1] :].any() or usual <= 0:
        return 0.0, 0.0, rested
    sat, standing = np.median(seen[slice(*rests[0]), :2], axis=0), np.median(seen[up, :2], axis=0)
    return (usual - lowest) / usual, float(np.linalg.norm(sat - standing)) / usual, rested


def _moving(landmarks: Landmarks, speed_m_s: float, belt_lab_m_s: FloatArray) -> BoolArray:
    """Frames (n,) in which the pelvis goes on; standing before or after a movement is no part of it."""
    velocity = path_velocity(landmarks.pelvis_lab_m, landmarks.rate_hz)[:, :2] - belt_lab_m_s
    with np.errstate(invalid="ignore"):
        return np.asarray(np.linalg.norm(velocity, axis=1) > STANDING_SHARE * speed_m_s)


def belt_velocity(landmarks: Landmarks) -> FloatArray:
    """Horizontal velocity (2,), m/s, of the floor under the feet: zeros over ground.

    The foot on the floor moves as the floor does. Of each foot and frame the slower-moving end (heel or toe, by its vertical
    speed) counts when it is within 15 mm of its lowest height; the median of their velocities is the belt's. While the pelvis
    travels as far as a walk over ground does, there is no belt.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.

    Returns
    -------
    FloatArray
        (2,), laboratory X and Y, m/s.
    """
    pelvis = landmarks.pelvis_lab_m
    if float(np.linalg.norm(_mean_velocity(pelvis, landmarks.rate_hz))) > 0.4:
        return np.zeros(2)
    per_foot = list(_foot_velocities(landmarks).values())
    samples = np.concatenate(per_foot)
    belt = np.median(samples, axis=0) if len(samples) else np.zeros(2)
    if np.linalg.norm(belt) <= LEAST_BELT_M_S:
        return np.zeros(2)
    split = _split_floors(landmarks)
    return np.asarray(np.mean(list(split.values()), axis=0)) if split else belt


def _foot_velocities(landmarks: Landmarks) -> dict[str, FloatArray]:
    """Side -> horizontal velocities (m, 2), m/s, of that foot's ends while they are low and rise no more."""
    velocities_m_s: dict[str, FloatArray] = {}
    for side in landmarks.sides:
        low = []
        for path in (landmarks.heel_lab_m[side], landmarks.toe_lab_m[side]):
            velocity = np.gradient(path, axis=0) * landmarks.rate_hz
            with np.errstate(invalid="ignore"):
                grounded = (path[:, 2] < np.nanpercentile(path[:, 2], 2) + 0.015) & (np.abs(velocity[:, 2]) < 0.15)
            low.append(velocity[grounded, :2])
        velocities_m_s[side] = np.concatenate(low)
    return velocities_m_s


def _split_floors(landmarks: Landmarks) -> dict[str, FloatArray]:
    """Side -> velocity (2,), m/s, of two belts of clearly different speeds; empty on one."""
    floors = {side: np.median(samples, axis=0) for side, samples in _foot_velocities(landmarks).items() if len(samples)}
    speeds = [float(np.linalg.norm(floor)) for floor in floors.values()]
    apart = len(speeds) == 2 and abs(speeds[0] - speeds[1]) > CLEAR_SPLIT * max(speeds)
    return floors if apart else {}


def turning_angle(landmarks: Landmarks, *, pelvis_seen: bool = True) -> float:
    """Change of direction, rad, counter-clockwise seen from above: of the pelvis path or of its facing, whichever turns more.

    Where only the feet are seen both have to turn: a leg that swings out turns the feet without turning the body.

    Each is averaged over the first and the last quarter of the trial, so that rotation within a stride cancels.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    pelvis_seen : bool, optional
        Whether the pelvis is seen, and not the feet in its stead.

    Returns
    -------
    float
        Radians, counter-clockwise seen from above positive.
    """
    pelvis, facing = landmarks.pelvis_lab_m[:, :2], landmarks.facing_lab
    frames = np.flatnonzero(np.isfinite(pelvis).all(axis=1) & np.isfinite(facing).all(axis=1))
    if frames.size < 8:
        return 0.0
    quarter = frames.size // 4
    first, last = frames[:quarter], frames[-quarter:]
    of_path = _angle_between(pelvis[first[-1]] - pelvis[first[0]], pelvis[last[-1]] - pelvis[last[0]], least=0.05)
    of_pelvis = _angle_between(facing[first].mean(axis=0), facing[last].mean(axis=0), least=0.1)
    less, more = sorted((of_path, of_pelvis), key=abs)
    return more if pelvis_seen else less


def in_flight(landmarks: Landmarks, speed_m_s: float, belt_lab_m_s: FloatArray, loaded: BoolArray | None = None) -> BoolArray:
    """Frames (n,) in which no foot rests on the floor, for longer than an instant.

    Heights would not tell: a running foot leaves and meets the floor as low as a walking one. Speeds relative to the floor do: heel
    and toe of both feet move on at more than ``FLIGHT_SHARE`` of the speed of travel. What was bridged shows no flight.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    speed_m_s : float
        Of travel, relative to the floor.
    belt_lab_m_s : FloatArray
        (2,), horizontal velocity of the belt, laboratory axes; zeros over ground.
    loaded : BoolArray | None, optional
        (n,), frames in which a plate carries somebody, who is then not in flight.

    Returns
    -------
    BoolArray
        (n,), true where no foot rests.
    """
    moving = np.ones(landmarks.n_frames, dtype=np.bool_)
    if len(landmarks.sides) < 2:
        return ~moving
    if loaded is not None:
        moving &= ~loaded
    for measured in landmarks.measured.values():
        moving &= measured
    split = _split_floors(landmarks) if belt_lab_m_s.any() else {}
    for side in landmarks.sides:
        for path in (landmarks.heel_lab_m[side], landmarks.toe_lab_m[side]):
            velocity = path_velocity(path, landmarks.rate_hz)[:, :2] - split.get(side, belt_lab_m_s)
            with np.errstate(invalid="ignore"):
                moving &= np.linalg.norm(velocity, axis=1) > FLIGHT_SHARE * speed_m_s
    long_enough = np.zeros_like(moving)
    for first, last in runs(moving):
        if last - first >= FLIGHT_S * landmarks.rate_hz:
            long_enough[first:last] = True
    return long_enough


def _extent(path_m: FloatArray) -> float:
    """Largest range of a path over its axes."""
    seen = path_m[np.isfinite(path_m).all(axis=1)]
    return float(np.ptp(seen, axis=0).max()) if len(seen) else 0.0


def _largest_distance(path_m: FloatArray) -> float:
    """Largest distance of a path (n, 2) from where it is first seen, metres."""
    seen = path_m[np.isfinite(path_m).all(axis=1)]
    return float(np.linalg.norm(seen - seen[0], axis=1).max())


def _mean_velocity(path_m: FloatArray, rate_hz: float) -> FloatArray:
    frames = np.flatnonzero(np.isfinite(path_m).all(axis=1))
    a, b = frames[0], frames[-1]
    return np.asarray((path_m[b, :2] - path_m[a, :2]) * rate_hz / max(b - a, 1))


def _path_speed(path_m: FloatArray, rate_hz: float, belt_m_s: FloatArray) -> float:
    """Mean speed along the path where it is seen and goes somewhere: standing before or after a walk is no part of its speed.

    Chords of a fifth of a second, so that sway and noise do not lengthen the path; those slower than half of the fast ones are left
    out.
    """
    step = max(1, round(0.2 * rate_hz))
    speeds = np.linalg.norm((path_m[step:, :2] - path_m[:-step, :2]) * rate_hz / step - belt_m_s, axis=1)
    seen = speeds[np.isfinite(speeds)]
    return float(seen[seen >= STANDING_SHARE * np.percentile(seen, 90)].mean()) if seen.size else 0.0


def _share_ahead(landmarks: Landmarks, belt_lab_m_s: FloatArray) -> float:
    """Part of the pelvis' way over the floor that goes where it faces: 1 forwards, 0 sideways, -1 backwards."""
    velocity = path_velocity(landmarks.pelvis_lab_m, landmarks.rate_hz)[:, :2] - belt_lab_m_s
    ahead = np.einsum("nj,nj->n", velocity, landmarks.facing_lab)
    seen = np.isfinite(ahead)
    way = float(np.linalg.norm(velocity[seen], axis=1).sum())
    return float(ahead[seen].sum()) / way if way > 0 else 1.0


def _angle_between(a: FloatArray, b: FloatArray, *, least: float) -> float:
    if min(np.linalg.norm(a), np.linalg.norm(b)) < least:
        return 0.0
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
