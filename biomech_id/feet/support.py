"""What force plates say about the floor under the feet: when somebody stood on one, and when on two at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.feet.feet_on_plates import PlateLoad, carried_N, nearest_foot
from biomech_id.feet.landmarks import Landmarks
from biomech_id.movement.feet import FloorSupport as FloorSupport


def floor_support(landmarks: Landmarks, loads: Sequence[PlateLoad]) -> FloorSupport:
    """Return when the plates of a trial carried somebody; never, for a trial without plates.

    Parameters
    ----------
    landmarks : Landmarks
        Pelvis and feet of the trial.
    loads : Sequence[PlateLoad]
        Every load on its plates, at the video rate.

    Returns
    -------
    FloorSupport
        Of all frames of the trial.
    """
    loaded = carried_N(loads, slice(0, landmarks.n_frames)) > 0.0
    double = np.zeros_like(loaded)
    for one, other in _together(loads):
        both = one.loaded & other.loaded
        if one.contact.plate != other.contact.plate and both.any():
            feet = {nearest_foot(landmarks, load, both)[0] for load in (one, other)}
            if feet == set(landmarks.sides) and len(feet) == 2:
                double[one.frames] |= both
    return FloorSupport(loaded, float(np.count_nonzero(double)) / landmarks.rate_hz)


def _together(loads: Sequence[PlateLoad]) -> Iterator[tuple[PlateLoad, PlateLoad]]:
    """Every two loads that act in the same frames, cut to these."""
    in_order = sorted(loads, key=lambda load: load.first)
    for index, one in enumerate(in_order):
        for later in range(index + 1, len(in_order)):
            other = in_order[later]
            if other.first >= one.frames.stop:
                break
            yield one.within(other.frames), other.within(one.frames)
