"""The numbers behind the quality rules, each measured from one trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.feet.floor import NO_BELTS, Belts
from biomech_id.gait.ground import FloorHeight, beyond_outline_m
from biomech_id.plates.pressure_offset import planted_stances

#: A centre of pressure this far outside the outline still counts as inside: markers sit on a shoe, the outline is a model.
OUTLINE_MARGIN_M = 0.02
#: A stance is judged to this share of it, above this share of body weight: under the toe that leaves, and under a light foot, the
#: moment is divided by too small a force.
JUDGED_TO, JUDGED_FROM_WEIGHT = 0.9, 0.2


def stance_pressures(
    motion: BodyMotion, contacts: Mapping[str, FootContact], *, mass_kg: float, floor_m: FloorHeight = 0.0, belts: Belts = NO_BELTS
) -> Iterator[tuple[str, float, FloatArray]]:
    """How far beyond the foot's outline each stance presses, in its frames to `JUDGED_TO` of it above `JUDGED_FROM_WEIGHT`.

    The outline is that of the foot while it is flat in the same stance, seen from above; a belt carries it along. A stance that
    the recording cuts, of which nobody sees when the foot is flat, is left out.

    Parameters
    ----------
    motion : BodyMotion
        Tracked body with ``foot_outline_lab_m``.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    mass_kg : float
        Body mass, of whose weight `JUDGED_FROM_WEIGHT` is a share.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.

    Yields
    ------
    Iterator[tuple[str, float, FloatArray]]
        Side, middle of the stance (absolute s), and of each judged frame how far beyond the outline, metres, negative inside.
    """
    for side, contact in contacts.items():
        if side not in motion.foot_outline_lab_m:
            continue
        for stance in planted_stances(motion, contact, mass_kg=mass_kg, floor_m=floor_m, belts=belts):
            firm = contact.force_lab_N[stance.start : stance.stop, 2] > JUDGED_FROM_WEIGHT * mass_kg * GRAVITY_M_S2
            place = stance.planted.components(stance.cop_m)[firm & (np.arange(len(firm)) < JUDGED_TO * len(firm))]
            middle_s = float(motion.time_s[(stance.start + stance.stop) // 2])
            yield side, middle_s, beyond_outline_m(place, stance.planted.outline_m)


def inside_percent(beyond_m: Sequence[FloatArray]) -> float:
    """Return the share (%) of centres of pressure within `OUTLINE_MARGIN_M` of the outline, of all stances together; NaN of none.

    Parameters
    ----------
    beyond_m : Sequence[FloatArray]
        Of each stance (n,), how far beyond the outline, metres, negative inside.
    """
    inside = [frame <= OUTLINE_MARGIN_M for frames in beyond_m for frame in frames]
    return 100.0 * float(np.mean(inside)) if inside else float("nan")
