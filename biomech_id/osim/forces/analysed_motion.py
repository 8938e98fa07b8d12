"""A table of coordinates over time as OpenSim's analyses take it.

As its inverse dynamics tool does, but for accelerations, which are the derivative of a spline through the speeds, and for the rows:
those of the filtered table, its mirrored ends among them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a, an_array, takes
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion, recorded_motion, row_before
from biomech_id.osim.forces.actuators import held_coordinates
from biomech_id.signal.natural_spline import NaturalSpline

#: Times this much apart, s, are one; printed times are rounded to it.
_SAME_S = 1e-9


@takes(model=a(MusculoskeletalModel), time_s=an_array(), columns=a(Mapping))
def analysed_motion(
    model: MusculoskeletalModel,
    time_s: FloatArray,
    columns: Mapping[str, FloatArray],
    *,
    in_degrees: bool,
    cutoff_hz: float = -1.0,
    time_range_s: tuple[float, float] = (-np.inf, np.inf),
    mirrored_rows: bool = False,
) -> RecordedMotion:
    """Filter and differentiate recorded coordinates as OpenSim's analyses do.

    Parameters
    ----------
    model : MusculoskeletalModel
        Whose coordinates they are.
    time_s : FloatArray
        (n,), s, of the recording.
    columns : Mapping[str, FloatArray]
        Recorded values (n,) of each coordinate, by its name; those that are held or follow others may be left out.
    in_degrees : bool
        Whether rotational coordinates are in degrees; coupled ones never are.
    cutoff_hz : float, optional
        Of the low-pass filter, Hz; negative for none.
    time_range_s : tuple[float, float], optional
        From when to when: from the last row at or before its start to the last at or before its end.
    mirrored_rows : bool, optional
        Whether rows before and after the recording, where the filter's padding mirrors it, are given too, as OpenSim does.

    Returns
    -------
    RecordedMotion
        All of the model's coordinates (N, nq), rad and m, with two derivatives.

    Raises
    ------
    MissingInputError
        A coordinate that is not recorded.
    InvalidValueError
        A cut-off at 0 or from half the sampling rate on; times or values that ``recorded_motion`` refuses.
    """
    missing = [name for name in model.coordinate_names if name not in columns and name not in held_coordinates(model)]
    if missing:
        raise MissingInputError(
            f"The motion has no column {missing[0]}, and how that coordinate of {model.name} moves has to be known to balance its "
            "muscles: add the column, or lock the coordinate in the model.",
            value=missing, expected="a column for every free coordinate", where=model.source or model.name,
        )  # fmt: skip
    half = 0.5 * (len(time_s) - 1) / (time_s[-1] - time_s[0]) if len(time_s) > 1 else np.inf
    if cutoff_hz == 0 or cutoff_hz >= half:
        raise InvalidValueError(
            f"A low-pass filter at {cutoff_hz:g} Hz leaves nothing of a motion of {2 * half:.4g} rows a second; "
            "take one between 0 and half of that, 6 Hz for walking, or a negative number for none.",
            value=cutoff_hz, expected=f"above 0 and below {half:.4g} Hz", where="lowpass_cutoff_frequency_for_coordinates",
        )  # fmt: skip
    whole = recorded_motion(model, time_s, columns, in_degrees=in_degrees, cutoff_hz=cutoff_hz)
    second = NaturalSpline(whole.time_s, whole.rate)(whole.time_s, 1)
    first, last = row_before(whole.time_s, time_range_s[0]), row_before(whole.time_s, time_range_s[1])
    if not mirrored_rows:
        own = np.flatnonzero((whole.time_s >= time_s[0] - _SAME_S) & (whole.time_s <= time_s[-1] + _SAME_S))
        first, last = max(first, int(own[0])), min(last, int(own[-1]))
    rows = slice(first, max(first, last) + 1)
    return RecordedMotion(whole.time_s[rows], whole.q[rows], whole.rate[rows], second[rows])
