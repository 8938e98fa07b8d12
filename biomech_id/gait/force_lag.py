"""How much later the clock of a second file of forces runs than the markers': from heels that come down and forces that rise.

First the cross-correlation of feet and forces. Each load of a plate has a place, its centre of pressure, and a time; a foot is low
where its heel and toe markers are. The lag is where low feet near the loads' places and the loads cover one another best. A lag
that another one, further than `OTHER_LAG_S` away, explains nearly as well is not known: on a treadmill all steps are alike.

Then the instants. Every load that begins inside the recording is the strike of a foot; the markers know that strike with its own
standard deviation (`gait.marker_events`), which half a stance cannot tell from the next. The lag is the mean of strike less rise,
weighted by their variances; strikes that disagree by more than they are uncertain make it uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import BiomechError
from biomech_id.feet.contacts import centre_of_pressure_m
from biomech_id.feet.landmarks import Landmarks, find_landmarks
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.marker_events import marker_events
from biomech_id.signal.runs import runs
from biomech_id.trial import EventKind, ForcePlate, Trial
from biomech_id.values import dataclass

#: A load begins and ends here (N), and lasts at least so long (s).
RISEN_N, LEAST_LOAD_S = 20.0, 0.1
#: A foot is low within this of where it is lowest (m), and near a load within this of its centre of pressure (m).
LOW_M, NEAR_M = 0.03, 0.15
#: Steps of the search (s); another lag so far away is another one (s), and must cover loads this much worse.
STEP_S, OTHER_LAG_S, WORSE = 0.01, 0.25, 0.1
#: No further than this (s) are two recordings of one walk apart; so many loads are looked at for the correlation.
FURTHEST_S, MOST_LOADS = 5.0, 12
#: Feet and loads must cover one another at least so well.
LEAST_COVER = 0.6
#: Standard deviation of a force's rise (s); strikes further than this from the correlation's lag are another step's (s).
RISE_SD_S, SAME_STEP_S = 0.005, 0.12
#: A lag this uncertain is none (s): at a strike, 15 ms are a good part of the rise to body weight.
LARGEST_LAG_SD_S = 0.015


@dataclass(frozen=True)
class ForceLag:
    """How much later an instant is on the markers' clock than on the forces'.

    Attributes
    ----------
    lag_s : float
        Seconds to add to the forces' times; NaN where it cannot be told.
    sd_s : float
        Its standard deviation; NaN where it cannot be told.
    n : int
        Strikes that tell it.
    cover : float
        How well feet and loads cover one another there, up to 1.
    other_s : float
        The next best lag, NaN without any.
    why : str
        Why it is not certain: "unloaded", "feet" (none is seen), "ambiguous", "elsewhere" (no foot is low where the forces act),
        "strikes" (none is known), "spread" (they disagree); empty where it is certain.
    """

    lag_s: float = float("nan")
    sd_s: float = float("nan")
    n: int = 0
    cover: float = float("nan")
    other_s: float = float("nan")
    why: str = ""

    @property
    def certain(self) -> bool:
        """Whether forces may be moved by it."""
        return not self.why


@dataclass(frozen=True, eq=False)
class _Load:
    """One load: on the forces' clock from ``start_s`` to ``end_s``, at a place; whether its beginning was recorded."""

    start_s: float
    end_s: float
    begins: bool
    time_s: FloatArray
    cop_lab_m: FloatArray


def find_force_lag(trial: Trial, plates: Sequence[ForcePlate]) -> ForceLag:
    """Return the lag of plates that another file holds.

    Parameters
    ----------
    trial : Trial
        Markers, laboratory axes with Z up.
    plates : Sequence[ForcePlate]
        In the same laboratory axes, on their own clock.

    Returns
    -------
    ForceLag
        Lag and its standard deviation, s; with the reason where it cannot be told.
    """
    loads = [load for plate in plates for load in _loads(plate)]
    if not loads:
        return ForceLag(why="unloaded")
    try:
        landmarks = find_landmarks(trial)
    except BiomechError:
        return ForceLag(why="feet")
    lags, cover = _covered(landmarks, loads)
    if not len(lags) or not np.isfinite(cover).any():
        return ForceLag(why="elsewhere")
    top, peak = float(np.nanmax(cover)), float(lags[np.nanargmax(cover)])
    best = float(np.mean(lags[(cover >= top - 0.005) & (np.abs(lags - peak) < 0.5 * OTHER_LAG_S)]))
    far = np.abs(lags - best) > OTHER_LAG_S
    other = int(np.nanargmax(np.where(far, cover, -np.inf))) if far.any() else None
    estimate = ForceLag(best, cover=top, other_s=float("nan") if other is None else float(lags[other]))
    if top < LEAST_COVER:
        return _but(estimate, "elsewhere")
    if other is not None and cover[other] > top - WORSE:
        return _but(estimate, "ambiguous")
    return _by_strikes(landmarks, loads, estimate)


def _but(estimate: ForceLag, why: str) -> ForceLag:
    return ForceLag(estimate.lag_s, estimate.sd_s, estimate.n, estimate.cover, estimate.other_s, why)


def _loads(plate: ForcePlate) -> list[_Load]:
    up = plate.force_lab_N[:, 2]
    time = plate.first_time_s + np.arange(len(up)) / plate.rate_hz
    loads = []
    for start, end in runs(np.asarray(up > RISEN_N)):
        if (end - start) / plate.rate_hz < LEAST_LOAD_S:
            continue
        step = max(1, (end - start) // 40)
        at = np.arange(start, end, step)
        cop = centre_of_pressure_m(plate, plate.force_lab_N[at], plate.moment_lab_Nm[at])
        loads.append(_Load(float(time[start]), float(time[end - 1]), start > 0, time[at], cop[:, :2]))
    return loads


def _low(landmarks: Landmarks, side: str) -> BoolArray:
    """Frames (n,) in which heel or toe marker is about as low as it ever is."""
    low = np.zeros(landmarks.n_frames, dtype=bool)
    for path in (landmarks.heel_lab_m[side], landmarks.toe_lab_m[side]):
        height = path[:, 2]
        if np.isfinite(height).any():
            low |= height < np.nanpercentile(height, 2.0) + LOW_M
    return low


def _near(landmarks: Landmarks, side: str, frames: np.ndarray, points_m: FloatArray) -> BoolArray:
    """Whether points (k, 2) lie near the line from heel to toe in those frames (k,)."""
    heel, toe = (path[side][frames, :2] for path in (landmarks.heel_lab_m, landmarks.toe_lab_m))
    along = toe - heel
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.clip(((points_m - heel) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.3)
        apart = np.linalg.norm(heel + share[:, None] * along - points_m, axis=1)
    return np.asarray(apart < NEAR_M)


def _covered(landmarks: Landmarks, loads: Sequence[_Load]) -> tuple[FloatArray, FloatArray]:
    """Lags (k,), and how well loads and low feet near their places cover one another at each: intersection over union."""
    time = landmarks.time_s
    loads = loads[:: -(-len(loads) // MOST_LOADS)]
    first = max(-FURTHEST_S, time[0] - max(load.end_s for load in loads))
    last = min(FURTHEST_S, time[-1] - min(load.start_s for load in loads))
    lags = np.arange(np.ceil(first / STEP_S), np.floor(last / STEP_S) + 1) * STEP_S
    low = {side: _low(landmarks, side) for side in landmarks.sides}
    cover = np.full(len(lags), np.nan)
    n_all = sum(len(load.time_s) for load in loads)
    for k, lag in enumerate(lags):
        together, seen, either = 0.0, 0, 0.0
        for load in loads:
            frames = np.rint((load.time_s + lag - time[0]) * landmarks.rate_hz).astype(int)
            inside = (frames >= 0) & (frames < len(time))
            if not inside.any():
                continue
            under = {
                side: (low[side][frames[inside]] & _near(landmarks, side, frames[inside], load.cop_lab_m[inside])).sum()
                for side in low
            }
            side = max(under, key=lambda name: under[name])
            together += float(under[side])
            seen += int(inside.sum())
            either += int(inside.sum()) + _beyond(landmarks, low[side], side, load, lag)
        if seen >= 0.5 * n_all:
            cover[k] = together / either
    return lags, cover


def _beyond(landmarks: Landmarks, low: BoolArray, side: str, load: _Load, lag: float) -> float:
    """How long, in the load's samples, that foot is low at the load's place before it begins and after it ends."""
    time = landmarks.time_s
    length = max(load.end_s - load.start_s, 1e-9)
    per_s = len(load.time_s) / length
    extra = 0.0
    for edge, place, sign in ((load.start_s, load.cop_lab_m[0], -1), (load.end_s, load.cop_lab_m[-1], 1)):
        if sign < 0 and not load.begins:
            continue
        at = edge + lag + sign * np.arange(1, 31) / landmarks.rate_hz
        frames = np.rint((at - time[0]) * landmarks.rate_hz).astype(int)
        frames = frames[(frames >= 0) & (frames < len(time))]
        if len(frames):
            there = low[frames] & _near(landmarks, side, frames, np.repeat(place[None], len(frames), axis=0))
            still = int(np.argmin(there)) if not there.all() else len(there)
            extra += still / landmarks.rate_hz * per_s
    return extra


def _by_strikes(landmarks: Landmarks, loads: Sequence[_Load], estimate: ForceLag) -> ForceLag:
    """The correlation's lag made exact by the strikes that the markers know."""
    try:
        events = marker_events(landmarks, describe_travel(landmarks))
    except BiomechError:
        return _but(estimate, "strikes")
    lags, sds = [], []
    for load in loads:
        strikes = [event for event in events if event.kind is EventKind.FOOT_STRIKE and load.begins]
        near = [event for event in strikes if abs(event.time_s - load.start_s - estimate.lag_s) < SAME_STEP_S]
        landing = [event for event in near if _lands_on(landmarks, load, event.side, event.time_s)]
        if len(landing) == 1:
            lags.append(landing[0].time_s - load.start_s)
            sds.append(float(np.hypot(RISE_SD_S, 1e-3 * (landing[0].sd_ms or 1e3 * LARGEST_LAG_SD_S))))
    if not lags:
        return _but(estimate, "strikes")
    weight = 1.0 / np.array(sds) ** 2
    lag = float(weight @ np.array(lags) / weight.sum())
    off = (np.array(lags) - lag) / np.array(sds)
    # Strikes that scatter more than they should make the lag as much less certain.
    sd = float(np.sqrt(1.0 / weight.sum() * max(1.0, float(off @ off) / max(1, len(lags) - 1))))
    exact = ForceLag(lag, sd, len(lags), estimate.cover, estimate.other_s)
    return exact if sd <= LARGEST_LAG_SD_S else _but(exact, "spread")


def _lands_on(landmarks: Landmarks, load: _Load, side: str, time_s: float) -> bool:
    """Whether a foot is near the place of a load just after its strike."""
    frame = np.array([min(landmarks.n_frames - 1, max(0, round((time_s - landmarks.first_time_s) * landmarks.rate_hz) + 3))])
    return bool(_near(landmarks, side, frame, load.cop_lab_m[min(3, len(load.cop_lab_m) - 1)][None])[0])
