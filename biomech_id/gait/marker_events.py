"""Foot strikes and foot offs of a walk from heel and toe markers alone, each with its standard deviation.

Steps are looked for where the heel is furthest ahead of the pelvis and the toe furthest behind it: **Zeni** et al. 2008 (Gait
Posture 27:710). Direction comes from the pelvis of every frame, so the walk may go anywhere, turn, or stay on a belt. When within
a step the foot struck or left, four signs say together, whichever part of the foot it lands on (`gait.event_estimates`). One of
them is the **velocity** threshold, after Ghoussayni et al. 2004 (Gait Posture 20:266), who use a fixed one, and Bruening and
Ridge 2014 (Gait Posture 39:472), who show that it has to grow with walking speed. An event that they leave uncertain by more than
`LARGEST_SD_S` is not given. None of them may be used on a run: `marker_events` refuses.

On **stairs** the foot is furthest ahead before it comes down, and is lifted before it goes on; there the consensus is that a foot
strikes when either end of it comes to rest, in all three dimensions, and leaves when neither end rests any longer.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError, OptionError
from biomech_id.feet.landmarks import Landmarks, path_velocity
from biomech_id.feet.travel import Travel
from biomech_id.gait.event_estimates import (
    HALF_STRIDE_S,
    SPEED_SHARE,
    FootPaths,
    completed,
    consensus,
    off_estimates,
    strike_estimates,
    vertex,
)  # fmt: skip
from biomech_id.movement.events import MarkerTiming as MarkerTiming
from biomech_id.signal.runs import runs
from biomech_id.trial import Event, EventKind, EventSource

#: Ways to find events from markers.
METHODS = ("consensus", "zeni", "velocity", "swing", "acceleration")
#: A swing of which less is seen than this shows only its slow end.
LEAST_SWING_S = 0.1
#: A foot whose event is less certain than this is not said to have struck, or left.
LARGEST_SD_S = 0.05
#: Standard deviation of a strike and an off on stairs, from the virtual subject's.
STAIRS_SD_S = {EventKind.FOOT_STRIKE: 0.040, EventKind.FOOT_OFF: 0.010}
#: On stairs a foot that rests for less has not been put down.
LEAST_REST_S = 0.15


def marker_events(landmarks: Landmarks, travel: Travel, *, method: str = "consensus") -> tuple[Event, ...]:
    """Find foot strikes and foot offs of both feet from markers.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    travel : Travel
        How the subject moved: direction, speed, belt.
    method : str, optional
        One of `METHODS`: a single sign, or the consensus of all.

    Returns
    -------
    tuple[Event, ...]
        In order of time, absolute seconds, each with its standard deviation.

    Raises
    ------
    InvalidValueError
        The trial is not a walk.
    OptionError
        No such method.
    """
    if method not in METHODS:
        raise OptionError(
            f"There is no way called {method!r} to find events from markers.",
            value=method, expected=" | ".join(METHODS), where="method",
        )  # fmt: skip
    if not travel.walking:
        raise InvalidValueError(
            f"Events cannot be found from markers here: {travel.reason} The methods are made for one foot on the floor at all "
            "times; mark the events in the file, or use force plates.",
            value=travel.kind.value, expected="a straight, turning or treadmill walk", where="marker events",
        )  # fmt: skip
    events = []
    for side in landmarks.sides:
        if method == "consensus" and travel.kind.on_stairs:
            events += _rest_events(landmarks, side, SPEED_SHARE * travel.speed_m_s)
            continue
        foot = _foot(landmarks, travel, side)
        for kind in (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF):
            for frame, sd_s in _refined(foot, kind, travel.speed_m_s, method):
                time_s = landmarks.first_time_s + frame / landmarks.rate_hz
                events.append(Event(time_s, side, kind, EventSource.MARKER, method=method, sd_ms=1e3 * sd_s))
    return tuple(sorted(events))


def _rest_events(landmarks: Landmarks, side: str, limit_m_s: float) -> list[Event]:
    """Strike and off of every time a foot rests; not where the recording, or what is seen of the foot, begins or ends within it."""
    rate_hz = landmarks.rate_hz
    ends = (landmarks.heel_lab_m[side], landmarks.toe_lab_m[side])
    speed = np.minimum(*(np.linalg.norm(path_velocity(path, rate_hz), axis=1) for path in ends))
    events = []
    with np.errstate(invalid="ignore"):
        rests = [(first, last) for first, last in runs(speed < limit_m_s) if last - first >= LEAST_REST_S * rate_hz]
    for first, last in rests:
        for kind, before in ((EventKind.FOOT_STRIKE, first - 1), (EventKind.FOOT_OFF, last - 1)):
            if before >= 0 and before + 1 < len(speed) and np.isfinite(speed[before : before + 2]).all():
                share = (limit_m_s - speed[before]) / (speed[before + 1] - speed[before])
                time_s = landmarks.first_time_s + (before + share) / rate_hz
                sd_ms = 1e3 * STAIRS_SD_S[kind]
                events.append(Event(float(time_s), side, kind, EventSource.MARKER, method="consensus", sd_ms=sd_ms))
    return events


def _foot(landmarks: Landmarks, travel: Travel, side: str) -> FootPaths:
    heel, toe, pelvis = landmarks.heel_lab_m[side], landmarks.toe_lab_m[side], landmarks.pelvis_lab_m
    rate_hz = landmarks.rate_hz
    forward = _direction(landmarks)

    def along(vector: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("nj,nj->n", vector[:, :2], forward))

    floor = np.concatenate([travel.belt_lab_m_s, [0.0]])
    heel_velocity, toe_velocity = (path_velocity(path, rate_hz) - floor for path in (heel, toe))
    return FootPaths(
        rate_hz=rate_hz, heel_ahead_m=along(heel - pelvis), toe_ahead_m=along(toe - pelvis),
        heel_forward_m_s=along(heel_velocity), toe_forward_m_s=along(toe_velocity),
        heel_speed_m_s=np.linalg.norm(heel_velocity[:, :2], axis=1), toe_speed_m_s=np.linalg.norm(toe_velocity[:, :2], axis=1),
        heel_height_m=heel[:, 2], toe_height_m=toe[:, 2],
    )  # fmt: skip


def _direction(landmarks: Landmarks) -> FloatArray:
    """Horizontal unit vectors (n, 2) out of the pelvis, averaged over half a second to damp its rotation in the stride."""
    half = max(1, round(HALF_STRIDE_S * landmarks.rate_hz))
    facing = landmarks.facing_lab
    seen = np.isfinite(facing).all(axis=1, keepdims=True)
    padded = np.pad(np.where(seen, facing, 0.0), ((half, half), (0, 0)))
    summed = np.cumsum(np.vstack([np.zeros((1, 2)), padded]), axis=0)
    mean = summed[2 * half + 1 :] - summed[: -2 * half - 1]
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    return np.asarray(np.where(length > 0, mean / np.where(length > 0, length, 1.0), np.nan))


def _refined(foot: FootPaths, kind: EventKind, speed_m_s: float, method: str) -> list[tuple[float, float]]:
    """Frame (fractional) and standard deviation (s) of every event by one method; where it sees nothing, Zeni's stands in."""
    strike, rate_hz = kind is EventKind.FOOT_STRIKE, foot.rate_hz
    swinging_m_s = foot.heel_forward_m_s if strike else foot.toe_forward_m_s[::-1]
    last_frame, refined = len(swinging_m_s) - 1, []
    peaks = _peaks(foot.heel_ahead_m if strike else -foot.toe_ahead_m, rate_hz)
    steps = [p for p in peaks if _swings(swinging_m_s, p if strike else last_frame - p, speed_m_s, rate_hz)]
    estimates = strike_estimates if strike else off_estimates
    for signs in completed([estimates(foot, peak, speed_m_s) for peak in steps]):
        if method == "consensus":
            frame, sd_s = consensus(signs, kind, rate_hz)
            refined += [(frame, sd_s)] if sd_s <= LARGEST_SD_S else []
            continue
        sign = signs[method] if np.isfinite(signs[method].frame) else signs["zeni"]
        refined.append((sign.frame, float(np.hypot(sign.lag_s, sign.sd_s))))
    return refined


def _swings(forward_m_s: FloatArray, until: float, speed_m_s: float, rate_hz: float) -> bool:
    """Whether a foot swung within half a stride before a frame: to get ahead of the body it has to be faster than the body.

    That tells a step from the sway of somebody who stands before or after the walk. Where the recording shows less than
    `LEAST_SWING_S` of the swing, its slow end, half of that speed is enough; where it shows nothing of it, the foot is believed.
    """
    before = forward_m_s[max(0, round(until - HALF_STRIDE_S * rate_hz)) : round(until) + 1]
    before = before[np.isfinite(before)]
    limit_m_s = speed_m_s if before.size >= LEAST_SWING_S * rate_hz else SPEED_SHARE * speed_m_s
    return not before.size or bool((before > limit_m_s).any())


def _peaks(values: FloatArray, rate_hz: float) -> list[float]:
    """Frames (fractional) of the maxima that nothing within ``HALF_STRIDE_S`` exceeds, in the upper half of the range."""
    half = max(1, round(HALF_STRIDE_S * rate_hz))
    seen = np.where(np.isfinite(values), values, -np.inf)
    if not np.isfinite(values).any():
        return []
    low, high = np.nanpercentile(values, [5, 95])
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(seen, half, constant_values=-np.inf), 2 * half + 1)
    top = np.flatnonzero((seen == windows.max(axis=1)) & (seen > 0.5 * (low + high)))
    return [vertex(values, int(i)) for i in top if 0 < i < len(values) - 1 and np.isfinite(values[i - 1 : i + 2]).all()]
