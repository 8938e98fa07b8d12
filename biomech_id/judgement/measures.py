"""The numbers behind the quality rules, each measured from one trial."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.feet.floor import NO_BELTS, Belts
from biomech_id.gait.ground import FloorHeight, inside_outline
from biomech_id.plates.pressure_offset import planted_stances

#: A centre of pressure this far outside the outline still counts as inside:
#: markers sit on a shoe, the outline is a model.
OUTLINE_MARGIN_M = 0.02


def pressure_inside_percent(
    motion: BodyMotion, contacts: Mapping[str, FootContact], *, mass_kg: float, floor_m: FloorHeight = 0.0, belts: Belts = NO_BELTS
) -> float:
    """Return the share (%) of loaded frames whose centre of pressure lies within `OUTLINE_MARGIN_M` of the foot's outline.

    The outline is that of the foot while it is flat in the same stance, seen from above; a belt carries it along. A stance that
    the recording cuts, of which nobody sees when the foot is flat, is left out. NaN if no foot is loaded or no outline known.

    Parameters
    ----------
    motion : BodyMotion
        Tracked body with ``foot_outline_lab_m``.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    mass_kg : float
        Body mass: only frames above a share of its weight are loaded.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    inside: list[bool] = []
    for side, contact in contacts.items():
        if side in motion.foot_outline_lab_m:
            for stance in planted_stances(motion, contact, mass_kg=mass_kg, floor_m=floor_m, belts=belts):
                place = stance.planted.components(stance.cop_m)
                inside += inside_outline(place, stance.planted.outline_m, margin_m=OUTLINE_MARGIN_M).tolist()
    return 100.0 * float(np.mean(inside)) if inside else float("nan")
