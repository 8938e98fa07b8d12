"""Foot strikes and foot offs of a walk from heel and toe markers alone.

Three published ideas, each made for walking, each with its own bias:

* **Zeni** et al. 2008 (Gait Posture 27:710): strike where the heel is furthest ahead of the pelvis, off where the toe is furthest
  behind. Direction comes from the pelvis of every frame, so the walk may go anywhere, turn, or stay on a belt.
* **O'Connor** et al. 2007 (Gait Posture 25:469): strike at the dip of the foot centre's vertical velocity while the forefoot comes
  down, off at its peak while the heel has risen.
* **velocity** threshold, after Ghoussayni et al. 2004 (Gait Posture 20:266), who use a fixed one, and Bruening and Ridge 2014
  (Gait Posture 39:472), who show that it has to grow with walking speed: strike when the heel, off when the toe passes a share
  of walking speed along the direction of walking.

Zeni's extrema are the only events that are looked for; the other two refine them within a short window. The **consensus** is, for a
strike, the later of the two refinements: a foot has landed once it has stopped going forward and coming down. For an off it is the
median of the three. None of them may be used on a run: `marker_events` refuses.

On **stairs** the foot is furthest ahead before it comes down, and is lifted before it goes on; there the consensus is that a foot
strikes when either end of it comes to rest, in all three dimensions, and leaves when neither end rests any longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError, OptionError
from biomech_id.gait.landmarks import Landmarks, path_velocity
from biomech_id.gait.travel import Travel
from biomech_id.signal.runs import runs
from biomech_id.trial import Event, EventKind, EventSource

#: Ways to find events from markers.
METHODS = ("consensus", "zeni", "oconnor", "velocity")
#: Half of the shortest stride looked for:
#: an extremum is the largest value within this time on either side.
HALF_STRIDE_S = 0.25
#: A swing of which less is seen than this shows only its slow end.
LEAST_SWING_S = 0.1
#: Where the other methods look, relative to Zeni's extremum (before, after).
STRIKE_WINDOW_S = (0.05, 0.15)
OFF_WINDOW_S = (0.10, 0.06)
#: Share of walking speed at which heel and toe count as stopped, or as moving.
SPEED_SHARE = 0.5
#: On stairs a foot that rests for less has not been put down.
LEAST_REST_S = 0.15


@dataclass(frozen=True)
class MarkerTiming:
    """How much later than marker events the forces put them; learnt from plates, added to marker events.

    Attributes
    ----------
    delay_s : Mapping[tuple[str, EventKind], float], optional
        (side, kind) -> seconds to add; what is not there is left as it is.
    """

    delay_s: Mapping[tuple[str, EventKind], float] = field(default_factory=dict)

    def corrected(self, event: Event) -> Event:
        """Return the event at the time the plates would put it; it says by how much it was shifted.

        Parameters
        ----------
        event : Event
            The event.
        """
        delay_s = self.delay_s.get((event.side, event.kind))
        if delay_s is None:
            return event
        return replace(event, time_s=event.time_s + delay_s, shifted_ms=delay_s * 1e3)


@dataclass(frozen=True, eq=False)
class _Foot:
    """Signals of one foot along the direction of walking, all (n,)."""

    heel_ahead_m: FloatArray
    toe_ahead_m: FloatArray
    heel_forward_m_s: FloatArray
    toe_forward_m_s: FloatArray
    centre_up_m_s: FloatArray


def marker_events(landmarks: Landmarks, travel: Travel, *, method: str = "consensus") -> tuple[Event, ...]:
    """Find foot strikes and foot offs of both feet from markers.

    Parameters
    ----------
    landmarks : Landmarks
        Of the trial.
    travel : Travel
        Of the trial.
    method : str, optional
        One of `METHODS`.

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
            f"Events cannot be found from markers here: {travel.reason} The methods are made for walking; "
            "mark the events in the file, or use force plates.",
            value=travel.kind.value, expected="a straight, turning or treadmill walk", where="marker events",
        )  # fmt: skip
    events = []
    for side in landmarks.sides:
        if method == "consensus" and travel.kind.on_stairs:
            events += _rest_events(landmarks, side, SPEED_SHARE * travel.speed_m_s)
            continue
        foot = _foot(landmarks, travel, side)
        for kind in (EventKind.FOOT_STRIKE, EventKind.FOOT_OFF):
            frames = _refined(foot, kind, travel.speed_m_s, landmarks.rate_hz)[method]
            times = landmarks.first_time_s + frames / landmarks.rate_hz
            events += [Event(float(t), side, kind, EventSource.MARKER, method=method) for t in times]
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
                events.append(Event(float(time_s), side, kind, EventSource.MARKER, method="consensus"))
    return events


def _foot(landmarks: Landmarks, travel: Travel, side: str) -> _Foot:
    heel, toe, pelvis = landmarks.heel_lab_m[side], landmarks.toe_lab_m[side], landmarks.pelvis_lab_m
    rate_hz = landmarks.rate_hz
    forward = _direction(landmarks)

    def along(vector: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("nj,nj->n", vector[:, :2], forward))

    heel_velocity, toe_velocity = path_velocity(heel, rate_hz), path_velocity(toe, rate_hz)
    floor = np.concatenate([travel.belt_lab_m_s, [0.0]])
    return _Foot(
        heel_ahead_m=along(heel - pelvis),
        toe_ahead_m=along(toe - pelvis),
        heel_forward_m_s=along(heel_velocity - floor),
        toe_forward_m_s=along(toe_velocity - floor),
        centre_up_m_s=0.5 * (heel_velocity + toe_velocity)[:, 2],
    )


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


def _refined(foot: _Foot, kind: EventKind, speed_m_s: float, rate_hz: float) -> Mapping[str, FloatArray]:
    """Frame numbers (fractional) of every event by every method; where a refinement finds nothing, Zeni's stands in."""
    strike = kind is EventKind.FOOT_STRIKE
    swinging_m_s = foot.heel_forward_m_s if strike else foot.toe_forward_m_s[::-1]
    peaks = _peaks(foot.heel_ahead_m if strike else -foot.toe_ahead_m, rate_hz)
    last_frame = len(swinging_m_s) - 1
    zeni = [p for p in peaks if _swings(swinging_m_s, p if strike else last_frame - p, speed_m_s, rate_hz)]
    before, after = STRIKE_WINDOW_S if strike else OFF_WINDOW_S
    limit = SPEED_SHARE * speed_m_s
    found: dict[str, list[float]] = {"zeni": [], "oconnor": [], "velocity": [], "consensus": []}
    for peak in zeni:
        first, last = max(0, int(peak - before * rate_hz)), int(peak + after * rate_hz) + 1
        if strike:
            # The dip comes after the heel has landed: the foot centre falls faster before, in late swing.
            oconnor = _extremum(-foot.centre_up_m_s, int(peak), last)
            velocity = _falls_below(foot.heel_forward_m_s, limit, first, last)
        else:
            oconnor = _extremum(foot.centre_up_m_s, first, last)
            velocity = _falls_below(-foot.toe_forward_m_s, -limit, first, last)
        three = [peak, oconnor if np.isfinite(oconnor) else peak, velocity if np.isfinite(velocity) else peak]
        consensus = max(three[1:]) if strike else float(np.median(three))
        for name, value in zip(found, [*three, consensus], strict=True):
            found[name].append(value)
    return {name: np.array(values) for name, values in found.items()}


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
    return [_vertex(values, int(i)) for i in top if 0 < i < len(values) - 1 and np.isfinite(values[i - 1 : i + 2]).all()]


def _extremum(values: FloatArray, first: int, last: int) -> float:
    """Frame (fractional) of the first local maximum of ``values`` within [first, last); NaN if there is none."""
    inside = values[max(first, 1) : min(last, len(values) - 1)]
    index = np.arange(max(first, 1), max(first, 1) + len(inside))
    with np.errstate(invalid="ignore"):
        local = index[(inside > values[index - 1]) & (inside >= values[index + 1])]
    return _vertex(values, int(local[np.argmax(values[local])])) if local.size else float("nan")


def _vertex(values: FloatArray, i: int) -> float:
    """Frame (fractional) of the top of the parabola through a maximum and its neighbours."""
    a, b, c = values[i - 1], values[i], values[i + 1]
    curvature = a - 2.0 * b + c
    return float(i) if curvature == 0.0 else i + float(0.5 * (a - c) / curvature)


def _falls_below(values: FloatArray, limit: float, first: int, last: int) -> float:
    """Frame (fractional) at which ``values`` first falls below ``limit`` within [first, last); NaN if it does not."""
    window = values[first : min(last, len(values))]
    with np.errstate(invalid="ignore"):
        crossing = np.flatnonzero((window[:-1] >= limit) & (window[1:] < limit))
    if not crossing.size:
        return float("nan")
    i = int(crossing[0])
    return first + i + float((window[i] - limit) / (window[i] - window[i + 1]))
