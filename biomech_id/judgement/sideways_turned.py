"""One cause said once: sideways forces of the wrong sign on every plate make up to five kinds of symptoms.

Where braking and weight are right, every foot alone pushes the body to the wrong side, and from left to right feet the force turns
the other way, the sign of the plates' sideways force is turned: by the channel, or by corners that are stored mirrored.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.errors import Finding
from biomech_id.judgement.foot_forces import hips_progression, middle_of_hips, sideways_impulses
from biomech_id.session.solved import Solved
from biomech_id.trial import ForcePlate

#: Stances whose impulse has the wrong sign, at least; with the sign turned each has to fit.
FEWEST_TURNED = 2
#: How well one axis of a plate lies across the walk (cosine).
ACROSS = 0.9
#: What else speaks against a plate's horizontal force: then its sign is not the one cause.
_OTHER = frozenset({"force-slope", "force-points-elsewhere", "force-beside-body"})
_SYMPTOMS = frozenset({"force-sideways", "impulse-sideways"})
_OF_MOMENT = frozenset({"free-moment-turned", "free-moment-large"})


def sideways_turned(
    result: Solved, findings: Sequence[Finding], ratio: tuple[float, float], least_gain_m_s: float
) -> tuple[Finding, frozenset[str]] | None:
    """Return the one cause behind a trial's sideways symptoms, and the rules that it replaces; None where it is not that one.

    Parameters
    ----------
    result : Solved
        A solved trial with its plates and stances.
    findings : Sequence[Finding]
        What its plates are suspected of.
    ratio : tuple[float, float]
        Usual sideways impulse over what the hips gain, least and most.
    least_gain_m_s : float
        Hips that gain less tell nothing.
    """
    rules = {finding.rule for finding in findings}
    turned = any(finding.rule == "force-sideways" and finding.values["turned"] for finding in findings)
    judged = [(stance, -pushed / gained) for stance, pushed, gained in sideways_impulses(result) if gained >= least_gain_m_s]
    fits = all(ratio[0] <= share <= ratio[1] for _, share in judged)
    if rules & _OTHER or not turned or not fits or len(judged) < FEWEST_TURNED:
        return None
    names = {stance.plates[0] for stance, _ in judged}
    axes = [(number, _axis_across(result, plate)) for number, plate in enumerate(result.plates, 1) if plate.name in names]
    moment = "free-moment-turned" in rules
    part = "force and moment" if moment else "force"
    plates = [(number, axis, part) for number, axis in axes if axis]
    if len(plates) < len(names):
        return None
    values = {"plates": plates, "stances": len(judged), "moment": moment}
    return Finding("plates-sideways-turned", values, result.name), _SYMPTOMS | (_OF_MOMENT if moment else frozenset())


def _axis_across(result: Solved, plate: ForcePlate) -> str:
    """The plate's own axis across the walk, "x" or "y"; "" where it lies askew."""
    hips = middle_of_hips(result)
    if hips is None:
        return ""
    across = hips_progression(result, hips[np.isfinite(hips).all(axis=1)])[1]
    corners = plate.corners_m[:, :2]
    for axis, along in (("x", corners[0] - corners[1]), ("y", corners[0] - corners[3])):
        if abs(along @ across) > ACROSS * float(np.linalg.norm(along)):
            return axis
    return ""
