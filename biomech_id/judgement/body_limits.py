"""What nobody does who walks, runs or jumps, whatever the illness: joints beyond what they can, feet that slide while they stand.

A marker set with left and right exchanged, a laboratory whose vertical is another axis or that is mirrored, and two markers of one
segment in each other's place turn a segment by a quarter or half a turn. And a foot that carries somebody stands: its markers rest
for a fifth of the stance at least, unless they were smoothed beyond what a walk is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.errors import Finding
from biomech_id.judgement.foot_forces import during
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import frames

#: Least and largest angles, degrees. 93 recorded trials, jumps and gymnastics among them, stay inside by 15 degrees and more, but
#: for one run whose foot markers are exchanged. The pelvis may turn about the vertical as it likes: people walk backwards. Whoever
#: lies, or does the splits, is beyond them too.
ANGLE_LIMITS_DEG: Mapping[str, tuple[float, float]] = {
    "PelvisAngles.X": (-60.0, 85.0), "PelvisAngles.Y": (-60.0, 60.0),
    "HipAngles.X": (-60.0, 150.0), "HipAngles.Y": (-75.0, 75.0), "HipAngles.Z": (-95.0, 95.0),
    "KneeAngles.X": (-45.0, 170.0), "KneeAngles.Y": (-70.0, 70.0), "KneeAngles.Z": (-105.0, 105.0),
    "AnkleAngles.X": (-100.0, 80.0), "AnkleAngles.Z": (-110.0, 110.0),
}  # fmt: skip
#: Speed (m/s) that a foot's marker stays below for a fifth of each stance of a straight walk over ground: 0.114, 0.053 and 0.129 at
#: most in 80 trials, and half as much again for laboratories that are not among them.
FOOT_AT_REST_M_S: Mapping[str, float] = {"heel": 0.17, "toe": 0.08, "lateral_malleolus": 0.19}
RESTING_SHARE, FEWEST_FRAMES = 0.2, 8
#: Speeds are taken between frames at most so far apart (s): between nearer ones noise that nobody filtered looks like speed.
SPEED_OVER_S = 0.012


def angle_findings(result: Solved) -> Iterator[Finding]:
    """Yield the angle that is farthest beyond its limits.

    Parameters
    ----------
    result : Solved
        The trial as tracked, with or without loads.
    """
    angles: list[tuple[float, dict[str, object]]] = []
    table = frames(result)
    for name, (least, most) in ANGLE_LIMITS_DEG.items():
        for variable in (f"{side}{name}" for side in SIDES if f"{side}{name}" in table.columns):
            angle_deg = np.asarray(table[variable])
            beyond = np.nan_to_num(np.maximum(angle_deg - most, least - angle_deg), nan=-np.inf)
            at = int(np.argmax(beyond))
            if beyond[at] > 0.0:
                values = {"variable": variable, "value_deg": float(angle_deg[at]), "least_deg": least, "most_deg": most}
                angles.append((float(beyond[at]), values | {"frame": at + result.motion.first_frame}))
    if angles:
        yield Finding("angle-beyond-joint", max(angles, key=lambda row: row[0])[1], result.name)


def sliding_findings(result: Solved) -> Iterator[Finding]:
    """Yield the marker of a standing foot that rests least.

    Parameters
    ----------
    result : Solved
        A straight walk over ground, with its stances.
    """
    markers, time_s, worst, values = result.markers, result.motion.time_s, 1.0, {}
    apart = max(1, int(SPEED_OVER_S * result.motion.rate_hz))
    for stance in result.assignment.stances if result.assignment and markers is not None else ():
        rows = during(stance, time_s)
        if not np.isfinite([stance.start_s, stance.end_s]).all() or rows.stop - rows.start < FEWEST_FRAMES * apart:
            continue
        for role, limit in FOOT_AT_REST_M_S.items():
            name = result.motion.roles.get((stance.side, role))
            if name is None or markers is None or name not in markers.names:
                continue
            path = markers[name][rows][::apart]
            speed = np.linalg.norm(np.gradient(path, axis=0), axis=1) * result.motion.rate_hz / apart
            known = np.sort(speed[np.isfinite(speed)])
            if len(known) >= FEWEST_FRAMES and (rests := float(known[int(RESTING_SHARE * len(known))])) > worst * limit:
                worst = rests / limit
                values = {"marker": name, "speed_m_s": rests, "limit_m_s": limit, "side": stance.side, "start_s": stance.start_s}
    if values:
        yield Finding("foot-slides", values, result.name)
