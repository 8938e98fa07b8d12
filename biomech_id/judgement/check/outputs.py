"""What the doctor looks for in the vendor's stored outputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

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
    names = list(trial.model_outputs)
    values = np.stack([trial.model_outputs[name] for name in names])
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(values[:, 1:-1] - 0.5 * (values[:, :-2] + values[:, 2:]))
        bridge = np.abs(values[:, 2:] - values[:, :-2])
        # Sorting puts NaN last; the second largest and smallest leave a single spike out of the range.
        ordered = np.sort(np.nan_to_num(values, nan=np.inf), axis=1)
        count = np.isfinite(values).sum(axis=1)
        top = np.take_along_axis(ordered, np.maximum(count - 2, 0)[:, None], axis=1)[:, 0]
        spread = top - ordered[:, 1]
        spike = (
            (off > SPIKE_RANGES * spread[:, None]) & (bridge < 0.5 * off) & (count > FEWEST_FRAMES)[:, None] & (spread > 0)[:, None]
        )
    spikes = np.argwhere(spike)
    if len(spikes):
        which, frame, _ = spikes[0]
        place = {"output": names[which], "trial": trial.name, "frame": int(frame) + 1 + trial.first_frame}
        yield Finding("output-spike", place, trial.name)
