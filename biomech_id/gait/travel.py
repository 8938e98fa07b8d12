"""What kind of trial this is: standing, straight walking, a turn, a treadmill, a run, or something else.

Read from the path of the pelvis and from the feet, never from file names:

* **static**: nothing moves;
* **treadmill**: the grounded foot travels through the laboratory at the belt's velocity while the pelvis stays;
* **run**: there are times at which no foot rests on the floor, or the speed is beyond walking (Froude number v^2/(g l), Alexander
  1989, Physiol Rev 69:1199: people change to a run near 0.5 and nobody walks above 1);
* **turn**: the pelvis path or the pelvis itself changes direction;
* **straight**: what is left and goes somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, readonly
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import MissingInputError
from biomech_id.gait.landmarks import Landmarks, find_landmarks, horizontal_unit, path_velocity
from biomech_id.sentences import Sentence
from biomech_id.signal.runs import runs
from biomech_id.trial import Trial

#: A trial in which neither pelvis nor feet move further than this is a static one (quiet standing sways by centimetres).
STATIC_RANGE_M = 0.10
#: Net change of direction that makes a walk a turn. Pelvic rotation within a stride stays well below it.
TURN_RAD = np.deg2rad(35.0)
#: A belt slower than this is a foot that slips.
LEAST_BELT_M_S = 0.15
#: A walk takes the pelvis at least this far from where it began, relative to the floor under the feet.
LEAST_TRAVEL_M = 0.5
#: Feet that move less than this horizontally do not step.
LEAST_STEP_M = 0.2
#: Slower than this is shifting about, not walking.
SLOWEST_WALK_M_S = 0.15
#: Part of the trial in which the pelvis is slower than this share of its fast speed (90th percentile) is standing, starting or
#: stopping. Within a stride the pelvis' speed changes by some 15 %, within a turn by a third.
STANDING_SHARE = 0.5
#: Flight:
#: for this long both ends of both feet move faster than this share of the speed relative to the floor. In walking some end
#: always rests: the largest share seen in walks is 0.19, the least in runs 0.30.
FLIGHT_SHARE = 0.25
FLIGHT_S = 0.03
#: Slower than this a flight is a hop.
SLOWEST_RUN_M_S = 0.5
#: Above this Froude number nobody walks by choice.
LARGEST_WALKING_FROUDE = 0.8
#: Part of its way that a walk goes in the direction the pelvis faces:
#: 93 % at least in recorded walks, turns included.
LEAST_AHEAD = 0.5


class TrialKind(StrEnum):
    """Kind of a trial; only straight ones enter means, scores and norms."""

    STRAIGHT = "straight"
    TURN = "turn"
    TREADMILL = "treadmill"
    RUN = "run"
    STATIC = "static"
    OTHER = "other"


@dataclass(frozen=True, eq=False)
class Travel:
    """How the subject moved through the laboratory.

    Attributes
    ----------
    kind : TrialKind
        What it is.
    reason : Sentence
        Why it is that.
    speed_m_s : float
        Mean speed, while walking, relative to the floor (or belt) under the feet; NaN when the pelvis is never seen.
    direction_lab : FloatArray
        (2,), horizontal unit vector of travel relative to that floor; NaN when there is none.
    belt_lab_m_s : FloatArray
        (2,), horizontal velocity of the belt; zeros over ground.
    turn_rad : float
        Change of direction, counter-clockwise seen from above.
    flight_share : float
        Share of the frames in which no foot rests on the floor.
    """

    kind: TrialKind
    reason: Sentence
    speed_m_s: float
    direction_lab: FloatArray
    belt_lab_m_s: FloatArray
    turn_rad: float
    flight_share: float

    def __post_init__(self) -> None:
        for name in ("direction_lab", "belt_lab_m_s"):
            object.__setattr__(self, name, readonly(getattr(self, name), (2,), name=name, where="Travel"))

    @property
    def walking(self) -> bool:
        """Whether methods made for walking may be used."""
        return self.kind in (TrialKind.STRAIGHT, TrialKind.TURN, TrialKind.TREADMILL)


def classify(trial: Trial, motion: BodyMotion | None = None) -> TrialKind:
    """Return the kind of a trial (see `describe_travel` for the reason); ``TrialKind.OTHER`` when its feet are not seen.

    Parameters
    ----------
    trial : Trial
        The recording.
    motion : BodyMotion | None, optional
        The trial, tracked; None takes the markers alone.
    """
    try:
        landmarks = find_landmarks(trial, motion)
    except MissingInputError:
        return TrialKind.OTHER
    return describe_travel(landmarks).kind


def describe_travel(landmarks: Landmarks) -> Travel:
    """Say how the subject moved and what kind of trial that makes it.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    """
    pelvis = landmarks.pelvis_lab_m
    seen = np.isfinite(pelvis).all(axis=1)
    if not seen.any():
        nothing = np.full(2, np.nan)
        return Travel(TrialKind.OTHER, Sentence("pelvis-unseen"), float("nan"), nothing, np.zeros(2), 0.0, 0.0)
    moved = max(_extent(path) for path in [pelvis, *landmarks.heel_lab_m.values(), *landmarks.toe_lab_m.values()])
    if moved < STATIC_RANGE_M:
        still = Sentence("stands-still", {"range_mm": moved * 1e3})
        return Travel(TrialKind.STATIC, still, 0.0, np.full(2, np.nan), np.zeros(2), 0.0, 0.0)
    step_m = max(_extent(path[:, :2]) for path in landmarks.heel_lab_m.values())
    if step_m < LEAST_STEP_M:
        on_the_spot = Sentence("on-the-spot", {"range_mm": step_m * 1e3})
        return Travel(TrialKind.OTHER, on_the_spot, 0.0, np.full(2, np.nan), np.zeros(2), 0.0, 0.0)
    belt = belt_velocity(landmarks)
    velocity = _mean_velocity(pelvis, landmarks.rate_hz) - belt
    speed = _path_speed(pelvis, landmarks.rate_hz, belt)
    way_m = _largest_distance(pelvis[:, :2] - belt * (landmarks.time_s - landmarks.first_time_s)[:, None])
    turn = 0.0 if belt.any() else turning_angle(landmarks)
    flight = float(in_flight(landmarks, speed, belt).mean())
    height = float(np.nanmedian(pelvis[:, 2])) - min(float(np.nanmin(path[:, 2])) for path in landmarks.heel_lab_m.values())
    kind, reason = _judge(speed, way_m, belt, turn, flight, height)
    ahead = _share_ahead(landmarks, belt)
    if kind is not TrialKind.OTHER and ahead < LEAST_AHEAD:
        kind, reason = TrialKind.OTHER, Sentence("not-ahead", {"percent": 100 * ahead})
    return Travel(kind, reason, speed, horizontal_unit(velocity), belt, turn, flight)


def _judge(speed: float, way_m: float, belt: FloatArray, turn: float, flight: float, height_m: float) -> tuple[TrialKind, Sentence]:
    if way_m < LEAST_TRAVEL_M or speed < SLOWEST_WALK_M_S:
        return TrialKind.OTHER, Sentence("goes-nowhere", {"way_m": way_m, "speed_m_s": speed})
    froude = speed**2 / (GRAVITY_M_S2 * max(height_m, 0.1))
    if froude > LARGEST_WALKING_FROUDE:
        return TrialKind.RUN, Sentence("beyond-walking", {"speed_m_s": speed, "froude": froude})
    if flight > 0 and speed > SLOWEST_RUN_M_S:
        return TrialKind.RUN, Sentence("in-flight", {"percent": 100 * flight})
    if belt.any():
        return TrialKind.TREADMILL, Sentence("on-a-belt", {"belt_m_s": float(np.linalg.norm(belt))})
    if abs(turn) > TURN_RAD:
        return TrialKind.TURN, Sentence("turns", {"turn_deg": abs(float(np.rad2deg(turn)))})
    return TrialKind.STRAIGHT, Sentence("walks-straight", {"way_m": way_m, "speed_m_s": speed})


def belt_velocity(landmarks: Landmarks) -> FloatArray:
    """Horizontal velocity (2,), m/s, of the floor under the feet: zeros over ground.

    The foot on the floor moves as the floor does. Of each foot and frame the slower-moving end (heel or toe, by its vertical
    speed) counts when it is within 15 mm of its lowest height; the median of their velocities is the belt's. While the pelvis
    travels as far as a walk over ground does, there is no belt.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    """
    pelvis = landmarks.pelvis_lab_m
    if float(np.linalg.norm(_mean_velocity(pelvis, landmarks.rate_hz))) > 0.4:
        return np.zeros(2)
    low = []
    for path in [*landmarks.heel_lab_m.values(), *landmarks.toe_lab_m.values()]:
        velocity = np.gradient(path, axis=0) * landmarks.rate_hz
        with np.errstate(invalid="ignore"):
            grounded = (path[:, 2] < np.nanpercentile(path[:, 2], 2) + 0.015) & (np.abs(velocity[:, 2]) < 0.15)
        low.append(velocity[grounded, :2])
    samples = np.concatenate(low)
    belt = np.median(samples, axis=0) if len(samples) else np.zeros(2)
    return belt if np.linalg.norm(belt) > LEAST_BELT_M_S else np.zeros(2)


def turning_angle(landmarks: Landmarks) -> float:
    """Change of direction, rad, counter-clockwise seen from above: of the pelvis path or of its facing, whichever turns more.

    Each is averaged over the first and the last quarter of the trial, so that rotation within a stride cancels.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    """
    pelvis, facing = landmarks.pelvis_lab_m[:, :2], landmarks.facing_lab
    frames = np.flatnonzero(np.isfinite(pelvis).all(axis=1) & np.isfinite(facing).all(axis=1))
    if frames.size < 8:
        return 0.0
    quarter = frames.size // 4
    first, last = frames[:quarter], frames[-quarter:]
    of_path = _angle_between(pelvis[first[-1]] - pelvis[first[0]], pelvis[last[-1]] - pelvis[last[0]], least=0.05)
    of_pelvis = _angle_between(facing[first].mean(axis=0), facing[last].mean(axis=0), least=0.1)
    return of_path if abs(of_path) > abs(of_pelvis) else of_pelvis


def in_flight(landmarks: Landmarks, speed_m_s: float, belt_lab_m_s: FloatArray) -> BoolArray:
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
    """
    moving = np.ones(landmarks.n_frames, dtype=np.bool_)
    if len(landmarks.sides) < 2:
        return ~moving
    for measured in landmarks.measured.values():
        moving &= measured
    for path in [*landmarks.heel_lab_m.values(), *landmarks.toe_lab_m.values()]:
        velocity = path_velocity(path, landmarks.rate_hz)[:, :2] - belt_lab_m_s
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
