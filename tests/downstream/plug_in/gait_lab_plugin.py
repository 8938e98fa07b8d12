"""A laboratory's package: a low-pass filter and an output column."""

import numpy as np

from biomech_id.conventions import SignRow
from biomech_id.session.tables.variables import OutputVariable, register_variable
from biomech_id.signal.filters import LowPass, register_filter


def three_in_a_row(values, rate_hz, cutoff_hz):
    """Weights 1, 2, 1 over neighbours, whatever the cut-off; the first and the last sample stay."""
    smooth = np.array(values, dtype=float)
    smooth[1:-1] = (smooth[:-2] + 2.0 * smooth[1:-1] + smooth[2:]) / 4.0
    return smooth


def ankle_height(trial, side):
    """Height of the ankle's centre above the laboratory's origin, millimetres."""
    return 1000.0 * trial.motion.joint_centres_lab_m[side, "ankle"][:, 2]


HEIGHT = SignRow("AnkleHeight", "", "Ankle height", "Up", "Down", "scalar", "foot", own_unit="mm", scale=(0, 400, 100))
register_filter(LowPass("three in a row", "weights 1, 2, 1, zero lag", three_in_a_row))
register_variable(OutputVariable((HEIGHT,), ankle_height))
