"""When one foot strikes or leaves, as several signs of it say, and what they say together.

Four signs of every event, each with its mean lag behind the force and its scatter. Lags and scatters are those of some 90 strikes
and 100 offs of a dozen laboratories and of the virtual subject's patients taken together (``benchmarks/studies/gait_events.md``);
no laboratory has numbers of its own.

* **zeni**: strike where the heel is furthest ahead of the pelvis, off where the toe is furthest behind.
* **velocity**: strike where the heel falls below, off where the toe passes half of the walking speed.
* **swing**: scaled by the foot's own swing, whatever the speed of walking. A strike is where the forward speed of the end that
  stops first, drawn on from a third and a sixth of the swing's peak, is zero; an off is where the toe reaches a quarter of that
  peak.
* **acceleration**: of a strike the largest upward acceleration of the end that is down first, of an off the toe's largest forward
  acceleration. A hard landing shows the strike to some 4 ms, a soft one hardly, so this scatter follows the size of the peak, and
  the noise of the same foot at rest.

Together they are a mean weighted by their scatters, in which one that lies far from the others counts less (Huber's weights); its
standard deviation grows with their disagreement, and never falls below what all signs share (how feet, shoes and filters differ).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.trial import EventKind
from biomech_id.values import dataclass

#: Half of the shortest stride looked for: an extremum is the largest value within this time on either side.
HALF_STRIDE_S = 0.25
#: Longest swing looked for before a strike and after an off, and how far from Zeni's extremum an event may lie.
LONGEST_SWING_S, REACH_S = 0.4, 0.25
#: Share of walking speed at which heel and toe count as stopped, or as moving.
SPEED_SHARE = 0.5
#: Shares of the swing's peak speed: a strike is drawn on from the first two, an off is where the third is reached.
STOPPING_SHARES, LEAVING_SHARE = (1 / 3, 1 / 6), 1 / 4
#: Velocities below this share of the swing's peak are a foot at rest.
RESTING_SHARE = 0.1
#: Accelerations are second differences over this time.
ACCELERATION_S = 0.02
#: Where an acceleration is looked for, relative to the swing's sign of a strike and of an off.
IMPACT_WINDOW_S, PUSH_WINDOW_S = (-0.015, 0.07), (-0.05, 0.10)
#: Mean lag behind the force and scatter, seconds.
LAG_S: Mapping[tuple[EventKind, str], tuple[float, float]] = {
    (EventKind.FOOT_STRIKE, "zeni"): (-0.046, 0.0125),
    (EventKind.FOOT_STRIKE, "velocity"): (-0.022, 0.010),
    (EventKind.FOOT_STRIKE, "swing"): (0.0005, 0.007),
    (EventKind.FOOT_STRIKE, "acceleration"): (0.0, 0.003),
    (EventKind.FOOT_OFF, "zeni"): (0.0042, 0.015),
    (EventKind.FOOT_OFF, "velocity"): (-0.0178, 0.013),
    (EventKind.FOOT_OFF, "swing"): (-0.0008, 0.009),
    (EventKind.FOOT_OFF, "acceleration"): (0.0242, 0.011),
}
#: Further scatter of an impact: seconds times m/s2 of its peak, and times the ratio of noise to peak.
SOFT_LANDING_S_M_S2, NOISE_S = 0.070, 0.030
#: What all signs of an event share, seconds.
SHARED_S = {EventKind.FOOT_STRIKE: 0.002, EventKind.FOOT_OFF: 0.005}
#: From this many scatters on a sign counts less the further it lies off; rounds of weighting.
FAR, ROUNDS = 2.0, 3


@dataclass(frozen=True)
class Estimate:
    """What one sign says of one event.

    Attributes
    ----------
    frame : float
        As seen, fractional; NaN where the sign is not there.
    lag_s : float
        How much later than the force it usually is.
    sd_s : float
        Standard deviation of that delay from event to event, s.
    """

    frame: float
    lag_s: float
    sd_s: float


@dataclass(frozen=True, eq=False)
class FootPaths:
    """Signals of one foot, all (n,), relative to the floor under it.

    Attributes
    ----------
    rate_hz : float
        Frames of the paths per second.
    heel_ahead_m : FloatArray
        Of the pelvis, along the direction of walking.
    toe_ahead_m : FloatArray
        Of the pelvis, along the direction of walking.
    heel_forward_m_s : FloatArray
        Along the direction of walking.
    toe_forward_m_s : FloatArray
        Along the direction of walking.
    heel_speed_m_s : FloatArray
        Horizontal, in whatever direction.
    toe_speed_m_s : FloatArray
        Horizontal, in whatever direction.
    heel_height_m : FloatArray
        Of the heel marker over the floor.
    toe_height_m : FloatArray
        Of the toe marker over the floor.
    """

    rate_hz: float
    heel_ahead_m: FloatArray
    toe_ahead_m: FloatArray
    heel_forward_m_s: FloatArray
    toe_forward_m_s: FloatArray
    heel_speed_m_s: FloatArray
    toe_speed_m_s: FloatArray
    heel_height_m: FloatArray
    toe_height_m: FloatArray

    @cached_property
    def slower_m_s(self) -> FloatArray:
        """Speed (n,) of the end that is slower."""
        return np.asarray(np.fmin(self.heel_speed_m_s, self.toe_speed_m_s))

    @cached_property
    def toe_quickens(self) -> FloatArray:
        """Change of the toe's speed (n,), m/s a frame."""
        return np.asarray(np.gradient(self.toe_speed_m_s))

    @cached_property
    def heel_up(self) -> tuple[FloatArray, float]:
        """Upward acceleration of the heel (n,), m/s2, and its noise while the foot rests."""
        return self._up(self.heel_height_m)

    @cached_property
    def toe_up(self) -> tuple[FloatArray, float]:
        """Upward acceleration of the toe (n,), m/s2, and its noise while the foot rests."""
        return self._up(self.toe_height_m)

    def _up(self, height_m: FloatArray) -> tuple[FloatArray, float]:
        up_m_s2 = second_difference(height_m, self.rate_hz)
        return up_m_s2, _noise(up_m_s2, self, self.heel_top_m_s)

    @cached_property
    def heel_top_m_s(self) -> float:
        """Median of the heel's largest speeds in its swings."""
        return swing_peak(self.heel_speed_m_s, self.rate_hz)

    @cached_property
    def toe_top_m_s(self) -> float:
        """Median of the toe's largest speeds in its swings."""
        return swing_peak(self.toe_speed_m_s, self.rate_hz)


def strike_estimates(foot: FootPaths, peak: float, speed_m_s: float) -> Mapping[str, Estimate]:
    """Return what every sign says of one strike.

    Parameters
    ----------
    foot : FootPaths
        Signals of the foot that strikes.
    peak : float
        Frame of Zeni's extremum.
    speed_m_s : float
        Of walking, relative to the floor.

    Returns
    -------
    Mapping[str, Estimate]
        Name of the sign -> frame, delay and scatter; NaN frames where a sign is not there.
    """
    rate_hz, at = foot.rate_hz, round(peak)
    last = at + round(REACH_S * rate_hz)
    slower, top_m_s = foot.slower_m_s, foot.heel_top_m_s
    first = _largest(foot.heel_speed_m_s, at - round(LONGEST_SWING_S * rate_hz), at + 1)
    high, low = (falls_below(slower, share * top_m_s, first, last) for share in STOPPING_SHARES)
    velocity = falls_below(foot.heel_forward_m_s, SPEED_SHARE * speed_m_s, max(0, at - round(0.05 * rate_hz)), last)
    up_m_s2, noise_m_s2 = foot.heel_up if _heel_lands(foot, at) else foot.toe_up
    about = low if np.isfinite(low) else peak
    impact = highest_vertex(up_m_s2, *(round(about + side * rate_hz) for side in IMPACT_WINDOW_S))
    size_m_s2 = up_m_s2[round(impact)] if np.isfinite(impact) else np.nan
    lag_s, least_s = LAG_S[EventKind.FOOT_STRIKE, "acceleration"]
    soft_s = float(np.sqrt(SOFT_LANDING_S_M_S2**2 + (NOISE_S * noise_m_s2) ** 2)) / size_m_s2 if size_m_s2 > 0 else np.inf
    frames = {"zeni": peak, "velocity": velocity, "swing": 2 * low - high}
    estimates = {name: Estimate(frame, *LAG_S[EventKind.FOOT_STRIKE, name]) for name, frame in frames.items()}
    seen = impact if np.isfinite(soft_s) else float("nan")
    return estimates | {"acceleration": Estimate(seen, lag_s, float(np.hypot(least_s, soft_s)))}


def off_estimates(foot: FootPaths, peak: float, speed_m_s: float) -> Mapping[str, Estimate]:
    """Return what every sign says of one off.

    Parameters
    ----------
    foot : FootPaths
        Signals of the foot that leaves.
    peak : float
        Frame of Zeni's extremum.
    speed_m_s : float
        Of walking, relative to the floor.

    Returns
    -------
    Mapping[str, Estimate]
        Name of the sign -> frame, delay and scatter; NaN frames where a sign is not there.
    """
    rate_hz, at = foot.rate_hz, round(peak)
    first = max(0, at - round(REACH_S * rate_hz))
    last = _largest(foot.toe_speed_m_s, at, at + round(LONGEST_SWING_S * rate_hz)) + 1
    top_m_s = foot.toe_top_m_s
    swing = rises_above(foot.toe_speed_m_s, LEAVING_SHARE * top_m_s, first, last)
    velocity = rises_above(foot.toe_forward_m_s, SPEED_SHARE * speed_m_s, first, last)
    about = swing if np.isfinite(swing) else peak
    push = highest_vertex(foot.toe_quickens, *(round(about + side * rate_hz) for side in PUSH_WINDOW_S))
    frames = {"zeni": peak, "velocity": velocity, "swing": swing, "acceleration": push}
    return {name: Estimate(frame, *LAG_S[EventKind.FOOT_OFF, name]) for name, frame in frames.items()}


def completed(steps: Sequence[Mapping[str, Estimate]]) -> list[Mapping[str, Estimate]]:
    """Return the signs of all steps of one foot; one that a step does not show comes as long after Zeni's as in the others.

    Without that a step at the trial's end, of which fewer signs are seen, would be placed otherwise than the same foot's others.

    Parameters
    ----------
    steps : Sequence[Mapping[str, Estimate]]
        Of every step, by sign.

    Returns
    -------
    list[Mapping[str, Estimate]]
        One for each step, in the order given, without NaN frames where any step shows that sign.
    """
    usual: dict[str, tuple[float, float]] = {}
    for name in {name for signs in steps for name, sign in signs.items() if not np.isfinite(sign.frame)}:
        shown = [s for s in steps if np.isfinite(s[name].frame)]
        if shown:
            later = float(np.median([s[name].frame - s["zeni"].frame for s in shown]))
            usual[name] = later, float(np.median([s[name].sd_s for s in shown]))
    whole: list[Mapping[str, Estimate]] = []
    for signs in steps:
        complete = dict(signs)
        for name, sign in signs.items():
            if name in usual and not np.isfinite(sign.frame):
                complete[name] = Estimate(signs["zeni"].frame + usual[name][0], sign.lag_s, usual[name][1])
        whole.append(complete)
    return whole


def consensus(estimates: Mapping[str, Estimate], kind: EventKind, rate_hz: float) -> tuple[float, float]:
    """Return the frame (fractional) that all signs agree on, and its standard deviation in seconds.

    Parameters
    ----------
    estimates : Mapping[str, Estimate]
        Name of the sign -> what it says of this event.
    kind : EventKind
        Foot strike or foot off; what the signs of each are off by together enters the standard deviation.
    rate_hz : float
        Frames of the recording per second.

    Returns
    -------
    tuple[float, float]
        Frame, fractional, and standard deviation, s.

    Examples
    --------
    >>> from biomech_id.gait.event_estimates import Estimate, consensus
    >>> from biomech_id.trial import EventKind
    >>> signs = {"zeni": Estimate(50.0, 0.0, 0.01), "swing": Estimate(52.0, 0.0, 0.01)}
    >>> consensus(signs, EventKind.FOOT_STRIKE, 100.0)[0]
    51.0
    """
    seen = [e for e in estimates.values() if np.isfinite(e.frame)]
    frames = np.array([e.frame - e.lag_s * rate_hz for e in seen])
    scatter = np.array([e.sd_s * rate_hz for e in seen])
    weights = scatter**-2.0
    for _ in range(ROUNDS):
        mean = np.average(frames, weights=weights)
        weights = scatter**-2.0 * np.minimum(1.0, FAR / np.maximum(np.abs(frames - mean) / scatter, 1e-9))
    mean = float(np.average(frames, weights=weights))
    disagreement = float((((frames - mean) / scatter) ** 2).sum()) / max(len(seen) - 1, 1)
    own_s = float(np.sqrt(max(1.0, disagreement) / (scatter**-2.0).sum())) / rate_hz
    return mean, float(np.sqrt(own_s**2 + SHARED_S[kind] ** 2 + 1.0 / (12.0 * rate_hz**2)))


def swing_peak(speed_m_s: FloatArray, rate_hz: float) -> float:
    """Return the median, m/s, of the largest speeds of a foot's swings.

    Parameters
    ----------
    speed_m_s : FloatArray
        (n,), of a marker of the foot.
    rate_hz : float
        Frames of the path per second.

    Returns
    -------
    float
        m/s.
    """
    half = max(1, round(HALF_STRIDE_S * rate_hz))
    seen = np.where(np.isfinite(speed_m_s), speed_m_s, -np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(seen, half, constant_values=-np.inf), 2 * half + 1)
    return float(np.median(seen[(seen == windows.max(axis=1)) & (seen > 0.5 * seen.max())]))


def second_difference(values: FloatArray, rate_hz: float) -> FloatArray:
    """Return the second derivative (n,) of values (n,) by differences over `ACCELERATION_S`; NaN within that of the ends.

    Parameters
    ----------
    values : FloatArray
        (n,), evenly sampled, in any unit.
    rate_hz : float
        Samples of the values per second.

    Returns
    -------
    FloatArray
        (n,), the values' unit per second squared; NaN near the ends.
    """
    step = max(1, round(ACCELERATION_S * rate_hz))
    bent = np.full(len(values), np.nan)
    if len(values) > 2 * step:
        bent[step:-step] = (values[2 * step :] - 2.0 * values[step:-step] + values[: -2 * step]) * (rate_hz / step) ** 2
    return bent


def falls_below(values: FloatArray, limit: float, first: int, last: int) -> float:
    """Return the frame (fractional) at which values first fall below a limit within [first, last); NaN if they do not.

    Parameters
    ----------
    values : FloatArray
        (n,), one for each frame, in any unit.
    limit : float
        In the same unit.
    first : int
        First frame looked at.
    last : int
        Frame behind the last one.

    Returns
    -------
    float
        Frame, interpolated between the two around the limit; NaN without one.
    """
    window = values[first : min(last, len(values))]
    with np.errstate(invalid="ignore"):
        crossing = np.flatnonzero((window[:-1] >= limit) & (window[1:] < limit))
    if not crossing.size:
        return float("nan")
    i = int(crossing[0])
    return first + i + float((window[i] - limit) / (window[i] - window[i + 1]))


def rises_above(values: FloatArray, limit: float, first: int, last: int) -> float:
    """Return the frame (fractional) at which values last rise above a limit within [first, last); NaN if they do not.

    Parameters
    ----------
    values : FloatArray
        (n,), one for each frame, in any unit.
    limit : float
        In the same unit.
    first : int
        First frame looked at.
    last : int
        Frame behind the last one.

    Returns
    -------
    float
        Frame, interpolated between the two around the limit; NaN without one.
    """
    last = min(last, len(values))
    return last - 1 - falls_below(values[first:last][::-1], limit, 0, last - first)


def highest_vertex(values: FloatArray, first: int, last: int) -> float:
    """Return the frame (fractional) of the largest local maximum within [first, last]; NaN if there is none.

    Parameters
    ----------
    values : FloatArray
        (n,), one for each frame, in any unit.
    first : int
        First frame looked at.
    last : int
        Last frame looked at.

    Returns
    -------
    float
        Frame, of the parabola through the maximum and its neighbours; NaN without one.
    """
    index = np.arange(max(first, 1), min(last + 1, len(values) - 1))
    with np.errstate(invalid="ignore"):
        local = index[(values[index] > values[index - 1]) & (values[index] >= values[index + 1])]
    return vertex(values, int(local[np.argmax(values[local])])) if local.size else float("nan")


def vertex(values: FloatArray, i: int) -> float:
    """Return the frame (fractional) of the top of the parabola through a maximum and its neighbours.

    Parameters
    ----------
    values : FloatArray
        (n,), one for each frame, in any unit.
    i : int
        Frame of the maximum.

    Returns
    -------
    float
        Frame; the maximum itself where its neighbours are level with it.
    """
    a, b, c = values[i - 1], values[i], values[i + 1]
    curvature = a - 2.0 * b + c
    return float(i) if curvature == 0.0 else i + float(0.5 * (a - c) / curvature)


def _largest(values: FloatArray, first: int, last: int) -> int:
    """Frame of the largest value within [first, last)."""
    first = max(0, first)
    window = values[first : max(last, first + 1)]
    return first + (int(np.nanargmax(window)) if np.isfinite(window).any() else 0)


def _heel_lands(foot: FootPaths, at: int) -> bool:
    """Whether around a frame the heel is nearer than the toe to where each will stand: the end that touches the floor first."""
    soon = slice(max(0, at - round(0.05 * foot.rate_hz)), at + round(0.3 * foot.rate_hz))
    now = min(at + round(0.02 * foot.rate_hz), len(foot.heel_height_m) - 1)
    above = []
    for height_m in (foot.heel_height_m, foot.toe_height_m):
        seen = height_m[soon][np.isfinite(height_m[soon])]
        above.append(float(height_m[now] - seen.min()) if seen.size else np.nan)
    return not above[0] > above[1]


def _noise(bent_m_s2: FloatArray, foot: FootPaths, top_m_s: float) -> float:
    """Standard deviation (robust), m/s2, of an acceleration while the foot rests; 0 for one that is never seen at rest."""
    with np.errstate(invalid="ignore"):
        rests = np.fmax(foot.heel_speed_m_s, foot.toe_speed_m_s) < RESTING_SHARE * top_m_s
    still = bent_m_s2[rests & np.isfinite(bent_m_s2)]
    return 1.4826 * float(np.median(np.abs(still - np.median(still)))) if still.size else 0.0
