"""What the doctor looks for in what other software computed: angles, moments, powers and points that a file stores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import Finding
from biomech_id.trial import Trial

#: A single frame this many times the whole range of its curve away from its neighbours is no movement.
SPIKE_RANGES = 2.0
FEWEST_FRAMES = 20


def inspect_outputs(trial: Trial) -> Iterator[Finding]:
    """Yield what is wrong with stored angles, moments, powers and computed points.

    Parameters
    ----------
    trial : Trial
        The recording as read, with its model outputs.
    """
    if not trial.model_outputs or trial.n_frames < FEWEST_FRAMES:
        return
    spikes = np.argwhere(_spikes(np.stack(list(trial.model_outputs.values()))))
    if len(spikes):
        output, frame, _ = spikes[0]
        first = {"output": list(trial.model_outputs)[output], "trial": trial.name, "frame": int(frame) + 1 + trial.first_frame}
        yield Finding("output-spike", first, trial.name)


def _spikes(values: FloatArray) -> BoolArray:
    """Which of the inner frames of curves (k, n, 3) are spikes, (k, n - 2, 3).

    A spike at frame i is far off, by d, and the curve returns; r is the range of the curve ::

        d = |x[i] - (x[i-1] + x[i+1]) / 2| > SPIKE_RANGES r,  |x[i+1] - x[i-1]| < d / 2
    """
    before, at, after = values[:, :-2], values[:, 1:-1], values[:, 2:]
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(at - 0.5 * (before + after))
        far_off = off > SPIKE_RANGES * _range(values)[:, None]
        returns = np.abs(after - before) < 0.5 * off
    return np.asarray(far_off & returns)


def _range(values: FloatArray) -> FloatArray:
    """Range (k, 3) of curves without their largest and smallest value; NaN for a curve that is short or does not move."""
    # Sorting puts what is missing last.
    ascending = np.sort(np.nan_to_num(values, nan=np.inf), axis=1)
    count = np.isfinite(values).sum(axis=1)
    second_largest = np.take_along_axis(ascending, np.maximum(count - 2, 0)[:, None], axis=1)[:, 0]
    size = second_largest - ascending[:, 1]
    return np.where((count > FEWEST_FRAMES) & (size > 0), size, np.nan)
