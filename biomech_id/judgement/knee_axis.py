"""How the knees' axes lie, judged by the walks: varus that follows flexion in swing says that the thigh marker sits turned.

What is said is measured against healthy legs (`models.joint_centres.knee_axis_walk.HEALTHY_SLOPE`). Nothing is changed by it: a
recipe with ``knee_axis = "walk"`` takes the axes from the walks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.errors import Finding, InvalidValueError
from biomech_id.feet.movements import TrialKind
from biomech_id.models.joint_centres.knee_axis_walk import HEALTHY_SLOPE, KneeEvidence, KneeTurn, knee_turn, wand_turn_rad
from biomech_id.models.registry import DEFAULT_MODEL
from biomech_id.movement.grades import Grade
from biomech_id.session.solved import Solved

#: Movements in which a leg swings as in those that the limit comes from.
LEVEL_WALKING = (TrialKind.STRAIGHT, TrialKind.TREADMILL)


def judge_knee_axes(results: Sequence[Solved]) -> dict[str, dict[str, Any]]:
    """Return what the walks of one placement of the markers show of each knee's axis, as ``calibration.json`` says it.

    Parameters
    ----------
    results : Sequence[Solved]
        Analysed and graded, by any model; other movements and rejected trials are left out.

    Returns
    -------
    dict[str, dict[str, Any]]
        Side -> "knee_axis_evidence" (a `KneeEvidence`), "knee_varus_slope" of varus on flexion in swing (deg a deg),
        "knee_varus_correlation", "knee_varus_range_deg", "knee_flexion_in_swing_deg", "knee_axis_turn_deg" with its
        "knee_axis_turn_error_deg", "knee_axis_offered" where that turn may be shown as a second result, and of the conventional
        model "thigh_marker_turn_deg": by how much the thigh marker would have to sit turned about the thigh, backward positive, to
        do that alone; without a thigh marker it is left out. A knee that flexes less than 30 degrees in swing has its evidence
        only: the test could not run.
    """
    walks = [result for result in results if result.kind in LEVEL_WALKING and result.verdict is not Grade.REJECT]
    evidence: dict[str, dict[str, Any]] = {}
    for side in SIDES:
        swinging = [result for result in walks if (side, "knee") in result.motion.joint_angles_rad]
        if not swinging:
            continue
        try:
            turn = knee_turn([result.motion for result in swinging], side)
        except InvalidValueError:
            evidence[side] = {"knee_axis_evidence": KneeEvidence.NOT_JUDGED.value}  # a knee that hardly bends shows no axis
        else:
            conventional = all(result.motion.model == DEFAULT_MODEL for result in swinging)
            evidence[side] = _written(turn, _marker_deg(turn, swinging) if conventional else float("nan"))
    return evidence


def _marker_deg(turn: KneeTurn, walks: Sequence[Solved]) -> float:
    """By how much the thigh marker would have to sit turned, deg, backward positive; NaN where it is not worn."""
    seen = []
    for walk in walks:
        shown = walk.markers
        names = [walk.motion.roles.get((turn.side, role), "") for role in ("thigh_wand", "lateral_epicondyle")]
        if shown is not None and all(name in shown.names for name in names):
            seen.append((walk.motion, *(shown[name] for name in names)))
    if not seen:
        return float("nan")
    motions, wands, knees = zip(*seen, strict=True)
    return float(np.rad2deg(wand_turn_rad(turn.turn_rad, motions, wands, knees, turn.side)))


def _written(turn: KneeTurn, marker_deg: float) -> dict[str, Any]:
    judged: dict[str, Any] = {
        "knee_axis_evidence": turn.evidence.value,
        "knee_varus_slope": turn.slope, "knee_varus_correlation": turn.correlation,
        "knee_varus_range_deg": turn.varus_range_deg, "knee_flexion_in_swing_deg": turn.flexion_deg,
        "knee_axis_turn_deg": float(np.rad2deg(turn.turn_rad)), "knee_axis_turn_error_deg": float(np.rad2deg(turn.error_rad)),
        "knee_axis_offered": turn.offered,
    }  # fmt: skip
    return judged | ({"thigh_marker_turn_deg": marker_deg} if np.isfinite(marker_deg) else {})


#: Evidence -> the finding that says it; nothing is said of a knee of which nothing is seen.
_FINDINGS = {
    KneeEvidence.TURNED: "knee-axis-turned", KneeEvidence.WIDE: "knee-varus-wide", KneeEvidence.FOLLOWS: "knee-varus-follows",
}  # fmt: skip


def knee_axis_findings(judged: Mapping[str, Mapping[str, Any]], where: str) -> Iterator[Finding]:
    """Say each knee whose varus in swing is implausible, one sentence a limb, with the other leg's figures beside.

    Parameters
    ----------
    judged : Mapping[str, Mapping[str, Any]]
        Side -> evidence, as of `judge_knee_axes`.
    where : str
        The static trial, or what stands in for it.
    """
    for side, limb in judged.items():
        rule = _FINDINGS.get(KneeEvidence(limb["knee_axis_evidence"]))
        if rule is None:
            continue
        other = judged.get("R" if side == "L" else "L", {})
        marker_deg = limb.get("thigh_marker_turn_deg", 0.0)
        values = {
            "side": side, "slope": limb["knee_varus_slope"], "correlation": limb["knee_varus_correlation"],
            "range_deg": limb["knee_varus_range_deg"], "turn_deg": limb["knee_axis_turn_deg"],
            "error_deg": limb["knee_axis_turn_error_deg"], "offered": limb["knee_axis_offered"],
            "compared": "knee_varus_range_deg" in other, "other_range_deg": other.get("knee_varus_range_deg", 0.0),
            "other_slope": other.get("knee_varus_slope", 0.0), "healthy": HEALTHY_SLOPE, "marker_deg": abs(marker_deg),
            "sits": "nowhere" if not marker_deg else "back" if marker_deg > 0 else "forward",
        }  # fmt: skip
        yield Finding(rule, values, where)


def with_knee_axes(calibration: Mapping[str, Any], judged: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what ``calibration.json`` says, with what the walks show of each side's knee axis.

    Parameters
    ----------
    calibration : Mapping[str, Any]
        What the model says of itself.
    judged : Mapping[str, Mapping[str, Any]]
        Side -> evidence, as of `judge_knee_axes`.
    """
    if not judged or "sides" not in calibration:
        return dict(calibration)
    return {**calibration, "sides": {side: {**of, **judged.get(side, {})} for side, of in calibration["sides"].items()}}
