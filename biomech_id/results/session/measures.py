"""The numbers behind the quality rules, each measured from one trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.gait.floor import NO_BELTS, Belts, carried_back
from biomech_id.results.session.ground import (
    FloorHeight,
    centre_of_pressure,
    flat_foot,
    floor_of,
    inside_outline,
    pressure_threshold_N,
)
from biomech_id.signal.runs import runs
from biomech_id.trial import ForcePlate

#: A centre of pressure this far outside the outline still counts as inside:
#: markers sit on a shoe, the outline is a model.
OUTLINE_MARGIN_M = 0.02


def plate_baseline_N(plates: Iterable[ForcePlate]) -> float:
    """Return the largest force (N) that was removed from any plate as its baseline; NaN without plates.

    Parameters
    ----------
    plates : Iterable[ForcePlate]
        Plates of the trial.
    """
    sizes = [float(np.linalg.norm(plate.baseline_N)) for plate in plates if plate.baseline_N is not None]
    return max(sizes, default=float("nan"))


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
        if side not in motion.foot_outline_lab_m:
            continue
        cop_lab_m, _ = centre_of_pressure(
            contact.force_lab_N,
            contact.moment_lab_Nm,
            least_force_N=pressure_threshold_N(mass_kg),
            floor_m=floor_of(floor_m, side),
        )
        inside += _inside_in_frames(motion, side, cop_lab_m, contact.known, belts)
    return 100.0 * float(np.mean(inside)) if inside else float("nan")


def _inside_in_frames(motion: BodyMotion, side: str, cop_lab_m: FloatArray, known: BoolArray, belts: Belts) -> list[bool]:
    """Judge each loaded frame against the outline of that foot while it is flat: the outline of its own stance."""
    at_rest = (motion.foot_outline_lab_m[side], motion.joint_centres_lab_m[side, "ankle"], cop_lab_m)
    outline, ankle, cop_lab_m = (carried_back(points, motion.time_s, belts, side) for points in at_rest)
    loaded = known & np.isfinite(cop_lab_m[:, 0])
    inside: list[bool] = []
    for start, stop in runs(loaded):
        if not known[max(start - 1, 0) : stop + 1].all() or start == 0 or stop == len(loaded):
            continue
        flat = np.zeros(len(loaded), dtype=bool)
        length = stop - start
        flat[start + length // 5 : start + max(length // 2, length // 5 + 1)] = True
        planted = flat_foot(outline, ankle, flat, side)
        if planted is not None:
            points = planted.components(cop_lab_m[start:stop])
            inside += inside_outline(points, planted.outline_m, margin_m=OUTLINE_MARGIN_M).tolist()
    return inside
