"""Steps on plates that stand elsewhere than their file says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.plates.place import PlateStep


def as_if_moved(step: PlateStep, elsewhere: Sequence[float]) -> PlateStep:
    """Return a step as it would be told if its plate stood elsewhere than the file says, to first order.

    Parameters
    ----------
    step : PlateStep
        The step as measured, with the plate where the file has it.
    elsewhere : Sequence[float]
        (3,), truth less file: m, m, rad.

    Returns
    -------
    PlateStep
        With pressure and momentum as that plate would have them.
    """
    by = np.asarray(elsewhere, dtype=float)
    curve = step.curve - (step.by_plate @ by).reshape(-1, 2)
    return replace(step, curve=curve, momentum_lab_m=step.momentum_lab_m + by[:2] - step.momentum_by_turn_m * by[2])
