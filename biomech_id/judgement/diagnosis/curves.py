"""Which curves a cause moves, and by how much: the difference between the session with and without it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.of_legs import walking_angles_deg
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.judgement.diagnosis.stances import at_times, find_stances
from biomech_id.models.conventional.leg import place_leg
from biomech_id.models.conventional.pelvis import pelvis_frames

_JOINTS = ("hip", "knee", "ankle")
#: Smaller changes are not told: degrees, N m/kg.
LEAST_DEG, LEAST_NM_KG = 0.5, 0.02


def curves_moved(before: Recorded, after: Recorded) -> dict[str, float]:
    """Return which curves lie elsewhere in one session than in another.

    Parameters
    ----------
    before, after : Recorded
        The same walk, with a cause in it and without.

    Returns
    -------
    dict[str, float]
        "L knee rotation (deg)", "R hip moment of the floor's force (N m/kg)" -> root mean square of the difference over the walk,
        over stances for moments; only what is worth a word.
    """
    moved: dict[str, float] = {}
    pair = [walking_angles_deg(session) for session in (before, after)]
    for name, values in pair[0].items():
        other = pair[1].get(name)
        if other is not None and len(other) == len(values):
            change = _rms(values - other)
            if change >= LEAST_DEG:
                moved[f"{name} (deg)"] = change
    one, two = (_moments(session) for session in (before, after))
    for name in one.keys() & two.keys():
        change = float(np.mean([_rms(a - b) for a, b in zip(one[name], two[name], strict=False) if a.shape == b.shape] or [0.0]))
        if change >= LEAST_NM_KG:
            moved[f"{name} (N m/kg)"] = change
    return dict(sorted(moved.items()))


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(over_seen(np.nanmean, values**2)))


def _moments(session: Recorded) -> dict[str, list[FloatArray]]:
    """Moment of the floor's force about each joint of the leg that stands, (100, 3) a stance, N m/kg: without the limb's own."""
    moments: dict[str, list[FloatArray]] = defaultdict(list)
    if not session.subject.mass_kg or not session.plates:
        return moments
    pelvis, geometry = pelvis_frames(session.markers), session.geometry
    legs = {side: place_leg(session.markers, pelvis, geometry[side]) for side in SIDES}
    for number, stance in find_stances(session):
        at = np.linspace(0, len(stance.time_s) - 1, 100).astype(int)
        force, free = stance.force_N[at], stance.free_moment_Nm[at]
        leg = legs[stance.side]
        for joint, centre in zip(_JOINTS, (leg.hip_lab_m, leg.knee_lab_m, leg.ankle_lab_m), strict=True):
            arm = stance.cop_m[at] - at_times(centre, session.markers.rate_hz, stance.time_s[at])
            moment = cross(arm, force) + free[:, None] * [0.0, 0.0, 1.0]
            moments[f"{stance.side} {joint} moment of plate {number}'s force"].append(moment / session.subject.mass_kg)
    return moments
