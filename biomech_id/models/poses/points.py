"""Points of the body that poses show: what stands in for the markers that a markerless recording does not have.

Heel and forefoot are a file's own where it names them; else they are estimated from the length of the shank (Drillis and Contini
1966, New York University TR 1166.03: shank .246, foot .152, ankle height .039 of stature).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import matvec, matvec_transposed
from biomech_id.anatomy import PELVIS, Part
from biomech_id.conventions import SIDES
from biomech_id.languages import Sentence
from biomech_id.models.foot_outline import METATARSAL_SHARE
from biomech_id.models.poses.pose_set import PoseSet, pose_set_of
from biomech_id.trial import Markers, Trial
from biomech_id.trial.rotations import Rotations

FOOT_PER_SHANK, ANKLE_PER_SHANK = 0.152 / 0.246, 0.039 / 0.246
#: The ankle centre lies at this share of the foot's length from the heel.
ANKLE_ALONG_FOOT = 0.25
#: Two points of the pelvis that show where it faces lie this far to either side (m); they are no spines.
HALF_BREADTH_M = 0.1
_CENTRES = {"thigh": "hip", "shank": "knee", "foot": "ankle"}


def foot_points_m(known: PoseSet, rotations: Rotations, side: str) -> tuple[dict[str, FloatArray], bool]:
    """Return heel and forefoot of a foot.

    Parameters
    ----------
    known : PoseSet
        Table of the recording's system.
    rotations : Rotations
        Poses of a recording.
    side : str
        Which side, "L" or "R".

    Returns
    -------
    points : dict[str, FloatArray]
        "heel" and "toe" -> (3,), metres, in ISB axes of the foot from the ankle centre.
    estimated : bool
        Whether either comes from the shank's length.
    """
    labels = known.labels(rotations.names)
    foot, shank = labels[side, "foot"], labels[side, "shank"]
    R_lab_foot, ankle = rotations.of(foot)
    length = float(over_seen(np.nanmedian, np.linalg.norm(ankle - rotations.of(shank)[1], axis=1)))
    whole, height = FOOT_PER_SHANK * length, ANKLE_PER_SHANK * length
    guessed = {
        "heel": np.array([-ANKLE_ALONG_FOOT * whole, -height, 0.0]),
        "toe": np.array([(METATARSAL_SHARE - ANKLE_ALONG_FOOT) * whole, -height, 0.0]),
    }
    stated = {name: known.R_file_isb.T @ rotations.points_m[foot, name] for name in guessed if (foot, name) in rotations.points_m}
    toes = known.find(rotations.names, known.toes.get(side, ""))
    if toes and "toe" not in stated:
        arm = matvec_transposed(R_lab_foot, rotations.of(toes)[1] - ankle)
        stated["toe"] = known.R_file_isb.T @ over_seen(np.nanmedian, arm, axis=0)
    return guessed | stated, len(stated) < len(guessed)


def pose_points(known: PoseSet, rotations: Rotations) -> tuple[dict[str, FloatArray], dict[Part, str]]:
    """Return the points of the body that poses show.

    Parameters
    ----------
    known : PoseSet
        Table of the recording's system.
    rotations : Rotations
        Poses of a recording.

    Returns
    -------
    paths : dict[str, FloatArray]
        Name -> (n, 3), metres, laboratory axes, at the poses' rate.
    roles : dict[Part, str]
        (side, role) -> name of its point.
    """
    labels = known.labels(rotations.names)
    paths: dict[str, FloatArray] = {}
    roles: dict[Part, str] = {}
    turned, origin = rotations.of(labels[PELVIS])
    for side, sign in (("L", -1.0), ("R", 1.0)):
        roles[side, "asis"] = f"{side} pelvis"
        paths[f"{side} pelvis"] = origin + matvec(turned, sign * HALF_BREADTH_M * known.R_file_isb[:, 2])
    for side in SIDES:
        for segment, joint in _CENTRES.items():
            if (side, segment) in labels:
                paths[f"{side} {joint} centre"] = rotations.of(labels[side, segment])[1]
        if (side, "foot") in labels and (side, "shank") in labels:
            foot, ankle = rotations.of(labels[side, "foot"])
            for name, place in foot_points_m(known, rotations, side)[0].items():
                roles[side, name] = f"{side} {name}"
                paths[f"{side} {name}"] = ankle + matvec(foot, known.R_file_isb @ place)
    return paths, roles


def with_pose_points(trial: Trial) -> Trial:
    """Return a recording whose markers hold the points that its poses show.

    Parameters
    ----------
    trial : Trial
        With or without poses.

    Returns
    -------
    Trial
        At the video rate; as it is where it has no poses that are known.
    """
    known = pose_set_of(trial.rotations)
    if known is None:
        return trial
    ratio = round(trial.rotations.rate_hz / trial.rate_hz)
    paths, roles = pose_points(known, trial.rotations)
    if set(paths) <= set(trial.markers.names):
        return replace(trial, markers=trial.markers.with_roles(roles))
    return trial.after(
        Sentence("points-from-poses", {"system": known.title, "n": len(paths)}),
        markers=_joined(trial.markers, {name: path[::ratio] for name, path in paths.items()}).with_roles(roles),
    )


def posed_alone(trials: Sequence[Trial]) -> bool:
    """Whether every recording shows poses of segments that a system names, and no markers but the points that those show.

    Parameters
    ----------
    trials : Sequence[Trial]
        All recordings of the session.
    """
    for trial in trials:
        known = pose_set_of(trial.rotations)
        if known is None or not set(trial.markers.names) <= set(pose_points(known, trial.rotations)[0]):
            return False
    return True


def _joined(markers: Markers, paths: Mapping[str, FloatArray]) -> Markers:
    new = {name: path for name, path in paths.items() if name not in markers.names}
    position = np.concatenate([markers.position_m, np.stack(list(new.values()), axis=1)], axis=1)
    return Markers((*markers.names, *new), position, markers.rate_hz)
