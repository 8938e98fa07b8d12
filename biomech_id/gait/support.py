"""What force plates say about the floor under the feet: when somebody stood on one, and when on two at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import BoolArray
from biomech_id.gait.contacts import find_contacts
from biomech_id.gait.feet_on_plates import PlateLoad, carried_N, load_at_video_rate, nearest_foot
from biomech_id.gait.landmarks import Landmarks
from biomech_id.trial import Trial


@dataclass(frozen=True, eq=False)
class FloorSupport:
    """When the plates carried somebody.

    Attributes
    ----------
    loaded : BoolArray
        (n,), video frames in which at least one plate carries a load: whoever loads a plate is not in flight.
    double_s : float
        Seconds for which two plates were loaded under different feet: nobody who runs has two feet on the floor.
    """

    loaded: BoolArray
    double_s: float


def floor_support(trial: Trial, landmarks: Landmarks, body_mass_kg: float | None = None) -> FloorSupport:
    """Return when the plates of a trial carried somebody; never, for a trial without plates.

    Parameters
    ----------
    trial : Trial
        The recording.
    landmarks : Landmarks
        Its feet.
    body_mass_kg : float | None, optional
        Kilograms, for the contact threshold (`gait.contacts.find_contacts`).
    """
    loads = [load_at_video_rate(trial, contact) for contact in find_contacts(trial, body_mass_kg)]
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
