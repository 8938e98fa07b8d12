"""The part of a static trial in which somebody stands stillest: what a model is calibrated on.

Sway is the median over markers of the root mean square distance of a marker from its mean place. A static trial that sways by no
more than `STANDS_M` as a whole is taken as a whole, as the vendor does. Else the stillest second counts, and while that sways more,
one half as long, down to a tenth: standing that briefly costs a quarter of a degree, a step in the mean 3 to 10 at the ankle.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.trial import AnalogChannels, Markers, Rotations, Trial
from biomech_id.values import dataclass, replace

#: Up to this sway somebody stands, up to that one somebody sways on the spot, m; statics have 0.1 to 2.3 mm, walks 178 and more.
STANDS_M, SWAYS_M = 0.003, 0.010
#: Lengths that are tried, s, while the sway is larger.
LENGTHS_S = (1.0, 0.5, 0.25, 0.125, 0.1)
#: Below this length (s) the markers' median speed has to stay below that one as well (m/s): a slow step sways little so briefly.
SHORT_S, SLOW_M_S = 0.5, 0.03
#: A marker counts where it is seen in this share of a window, a window where it has this share of the most markers.
SEEN_SHARE = 0.8


@dataclass(frozen=True)
class StillWindow:
    """Frames of a recording in which somebody stands stillest.

    Attributes
    ----------
    first : int
        First frame, counted from 0.
    stop : int
        The frame behind the last one.
    sway_m : float
        Median over markers of the root mean square distance from their mean places, metres.
    speed_m_s : float
        Median over markers of their mean speed.
    rate_hz : float
        Frames of the recording per second.
    """

    first: int
    stop: int
    sway_m: float
    speed_m_s: float
    rate_hz: float

    @property
    def length_s(self) -> float:
        """How long it lasts."""
        return (self.stop - self.first) / self.rate_hz

    @property
    def stands(self) -> bool:
        """Whether somebody stands still in it."""
        return self.sway_m <= STANDS_M and (self.length_s >= SHORT_S or self.speed_m_s <= SLOW_M_S)


def stillest_window(markers: Markers) -> StillWindow:
    """Return the window that a model is calibrated on: all frames where they are still, else the stillest ones.

    Parameters
    ----------
    markers : Markers
        Of a static trial, laboratory axes.

    Returns
    -------
    StillWindow
        All frames where somebody stands still in them; else the first window that does, else the stillest of the longest length.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.models.still_window import stillest_window
    >>> from biomech_id.trial import Markers
    >>> along_m = np.concatenate([np.zeros(200), np.linspace(0.0, 1.0, 100)])
    >>> stood = stillest_window(Markers(("LASI",), np.stack([along_m, 0 * along_m, 0 * along_m], axis=1)[:, None], 100.0))
    >>> stood.stop <= 200, stood.length_s, stood.stands
    (True, 1.0, True)
    """
    n, rate_hz = markers.n_frames, markers.rate_hz
    position_m = markers.position_m
    placed = position_m - over_seen(np.nanmean, position_m, axis=0)
    seen = np.isfinite(placed).all(axis=2)
    placed = np.where(seen[:, :, None], placed, 0.0)
    sums = tuple(_running(each) for each in (seen.astype(float), (placed**2).sum(axis=2), placed))
    lengths = [n, *(k for k in (max(2, round(s * rate_hz)) for s in LENGTHS_S) if k < n)]
    windows = []
    for length in lengths:
        sway_m = _sway_m(length, *sums)
        first = int(np.nanargmin(sway_m)) if np.isfinite(sway_m).any() else 0
        part = position_m[first : first + length]
        steps_m = np.linalg.norm(np.diff(part, axis=0), axis=2)
        speed_m_s = float(over_seen(np.nanmedian, over_seen(np.nanmean, steps_m, axis=0))) * rate_hz if len(part) > 1 else 0.0
        windows.append(StillWindow(first, first + length, float(sway_m[first]), speed_m_s, rate_hz))
        if windows[-1].stands:
            return windows[-1]
    return windows[1] if len(windows) > 1 else windows[0]


def still_part(trial: Trial) -> tuple[Trial, StillWindow]:
    """Return a static trial's still part, without plates and analog channels where it is not the whole, and where it lies.

    Parameters
    ----------
    trial : Trial
        Somebody stands in it.

    Returns
    -------
    tuple[Trial, StillWindow]
        The trial itself where it is all still, else its frames of the window with markers alone.
    """
    window = stillest_window(trial.markers)
    if window.stop - window.first == trial.n_frames:
        return trial, window
    frames = slice(window.first, window.stop)
    filled = None if trial.markers.filled is None else trial.markers.filled[frames]
    markers = replace(trial.markers, position_m=trial.markers.position_m[frames], filled=filled)
    cut = replace(
        trial, markers=markers, plates=(), wrench_plates=None, analog=AnalogChannels(), rotations=Rotations(),
        first_frame=trial.first_frame + window.first,
        model_outputs={name: values[frames] for name, values in trial.model_outputs.items()},
    )  # fmt: skip
    return cut, window


def _running(values: FloatArray) -> FloatArray:
    return np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])


def _sway_m(length: int, count: FloatArray, squares: FloatArray, places: FloatArray) -> FloatArray:
    """Sway (k,) of every window of some frames from running sums; NaN where it shows too few markers."""
    seen, square, place = (each[length:] - each[:-length] for each in (count, squares, places))
    counts = seen >= SEEN_SHARE * length
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = square / seen - ((place / seen[:, :, None]) ** 2).sum(axis=2)
    distance_m = np.where(counts, np.sqrt(np.maximum(variance, 0.0)), np.nan)
    enough = counts.sum(axis=1)
    sway_m = np.asarray(over_seen(np.nanmedian, distance_m, axis=1))
    return np.where((enough >= SEEN_SHARE * enough.max(initial=0)) & (enough > 0), sway_m, np.nan)
