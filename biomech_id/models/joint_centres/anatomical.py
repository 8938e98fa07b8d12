"""Joint centres of a calibration trial, and how each was found.

Knee and ankle, in this order: midpoint between the medial and lateral markers; a centre stored in the file; a chord from the
lateral marker when the joint's width is known and the set has a wand marker (Kadaba et al. 1990, J Orthop Res 8:383). With
each centre comes the joint's outward direction, from medial to lateral.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.models.joint_centres.chord import chord
from biomech_id.models.joint_centres.hip_regressions import HIP_CENTRES, REGRESSIONS, PelvisSize, hip_centre_by_regression
from biomech_id.models.landmarks import BodyPoints
from biomech_id.models.triads import into_segment
from biomech_id.trial import Subject
from biomech_id.values import dataclass

#: Where nobody recorded the diameter of the markers.
DEFAULT_MARKER_DIAMETER_M = 0.014
MIDPOINT = "midpoint of the medial and lateral markers"
STORED = "centre stored in the file"
CHORD = "chord construction from the joint's width, Kadaba et al. 1990 (J Orthop Res 8:383)"
#: Landmarks and measurement of a hinge-like joint: lateral, medial, centre, wand, width.
HINGES: Mapping[str, tuple[str, str, str, str, str]] = {
    "knee": ("lateral_epicondyle", "medial_epicondyle", "knee_centre", "thigh_wand", "knee_width_m"),
    "ankle": ("lateral_malleolus", "medial_malleolus", "ankle_centre", "shank_wand", "ankle_width_m"),
}


@dataclass(frozen=True, eq=False)
class Hinge:
    """A knee or an ankle at calibration.

    Attributes
    ----------
    centre_lab_m : FloatArray
        (n, 3), metres, laboratory axes.
    outward_lab : FloatArray
        (n, 3), direction from medial to lateral, any length.
    method : str
        How it was found, in words with the source.
    """

    centre_lab_m: FloatArray
    outward_lab: FloatArray
    method: str


def hinge_needs(joint: str, side: str, landmarks: BodyPoints, subject: Subject) -> str:
    """Return in words what is missing to place a knee or an ankle.

    Parameters
    ----------
    joint : str
        Which joint, "knee" or "ankle".
    side : str
        Which side, "L" or "R".
    landmarks : BodyPoints
        Anatomical points of the recording.
    subject : Subject
        May know the joint's width.

    Returns
    -------
    str
        "" where the joint can be placed.
    """
    lateral, medial, centre, wand, width = HINGES[joint]
    if not landmarks.has(side, lateral):
        return landmarks.words(side, [lateral])
    if landmarks.has(side, medial) or landmarks.has(side, centre):
        return ""
    if not landmarks.has(side, wand):
        return landmarks.words(side, [medial])
    known = getattr(subject, width).get(side)
    return "" if known else f"{landmarks.words(side, [medial])} or the {joint} width"


def place_hinge(
    joint: str, side: str, proximal_lab_m: FloatArray, landmarks: BodyPoints, subject: Subject, marker_radius_m: float
) -> Hinge:
    """Return knee or ankle of one side.

    To be asked only where `hinge_needs` returns "".

    Parameters
    ----------
    joint : str
        Which joint, "knee" or "ankle".
    side : str
        Which side, "L" or "R".
    proximal_lab_m : FloatArray
        (n, 3), joint centre above (hip for the knee, knee for the ankle), for the chord.
    landmarks : BodyPoints
        Anatomical points of the recording.
    subject : Subject
        Must know the joint's width where only a chord places the joint.
    marker_radius_m : float
        Radius of a marker, metres; enters the chord only.

    Returns
    -------
    Hinge
        In n frames; NaN where a marker is unseen.

    Raises
    ------
    MissingInputError
        A point is missing after all.
    """
    lateral_name, medial_name, centre_name, wand_name, width = HINGES[joint]
    lateral = landmarks.need(side, lateral_name)
    medial, centre = landmarks.get(side, medial_name), landmarks.get(side, centre_name)
    if medial is not None:
        return Hinge(0.5 * (lateral + medial), lateral - medial, MIDPOINT)
    if centre is not None:
        return Hinge(centre, lateral - centre, STORED)
    wand = landmarks.need(side, wand_name)
    placed = chord(proximal_lab_m, lateral, wand, getattr(subject, width)[side] / 2 + marker_radius_m)
    return Hinge(placed, lateral - placed, CHORD)


def hip_candidates(
    side: str, R_lab_pelvis: FloatArray, origin_lab_m: FloatArray, landmarks: BodyPoints, size: PelvisSize
) -> dict[str, FloatArray]:
    """Return every hip centre to be had without motion.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    R_lab_pelvis : FloatArray
        (n, 3, 3), maps pelvis components to laboratory components.
    origin_lab_m : FloatArray
        (n, 3), mid-ASIS, laboratory axes.
    landmarks : BodyPoints
        Anatomical points of the recording.
    size : PelvisSize
        Lengths that regressions use.

    Returns
    -------
    dict[str, FloatArray]
        "stored" and names of regressions -> (3,), metres, ISB pelvis axes from mid-ASIS; those that lack a length are left out.
    """
    centres_m: dict[str, FloatArray] = {}
    stored = landmarks.get(side, "hip_centre")
    if stored is not None:
        centres_m["stored"] = over_seen(np.nanmean, into_segment(R_lab_pelvis, origin_lab_m, stored), axis=0)
    for name in REGRESSIONS:
        if not HIP_CENTRES[name].lacks(size):
            centres_m[name] = hip_centre_by_regression(name, side, size)
    return centres_m


def hip_method(name: str) -> str:
    """Return a hip method in words.

    Parameters
    ----------
    name : str
        As in a recipe: "davis", or "stored".

    Returns
    -------
    str
        With its citation.
    """
    return STORED if name == "stored" else f"regression, {HIP_CENTRES[name].words}"


def pelvis_size(side: str, landmarks: BodyPoints, subject: Subject, marker_radius_m: float) -> PelvisSize:
    """Return the lengths that regressions use.

    Leg length, where nobody measured it, is the path from the ASIS over the knee's middle to the malleolus (the medial one where it
    has a marker), so that a bent knee does not shorten it.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    landmarks : BodyPoints
        Anatomical points of the recording.
    subject : Subject
        Recorded lengths come before measured ones.
    marker_radius_m : float
        Radius of a marker, metres; passed on.

    Returns
    -------
    PelvisSize
        Metres, means over frames; None for a length that neither subject nor markers give.
    """
    left, right = landmarks.get("L", "asis"), landmarks.get("R", "asis")
    width = subject.inter_asis_distance_m
    depth = None
    if left is not None and right is not None:
        width = width or _mean_distance(left, right)
        depth = _mean_distance(0.5 * (left + right), landmarks.posterior()) if landmarks.has_posterior() else None
    return PelvisSize(
        inter_asis_m=width, depth_m=depth,
        leg_length_m=subject.leg_length_m.get(side) or _leg_length(side, landmarks),
        asis_trochanter_m=subject.asis_trochanter_distance_m.get(side), marker_radius_m=marker_radius_m, code=subject.code,
    )  # fmt: skip


def _leg_length(side: str, landmarks: BodyPoints) -> float | None:
    asis, malleolus = landmarks.get(side, "asis"), landmarks.get(side, "medial_malleolus", "lateral_malleolus")
    lateral, medial = landmarks.get(side, "lateral_epicondyle"), landmarks.get(side, "medial_epicondyle")
    if asis is None or malleolus is None or lateral is None:
        return None
    knee = lateral if medial is None else 0.5 * (lateral + medial)
    return _mean_distance(asis, knee) + _mean_distance(knee, malleolus)


def _mean_distance(a: FloatArray, b: FloatArray) -> float:
    return float(over_seen(np.nanmean, np.linalg.norm(a - b, axis=1)))
