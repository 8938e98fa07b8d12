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
from biomech_id.models.joint_centres.knee_axis_walk import HEALTHY_SLOPE, KneeTurn, beyond_healthy, knee_turn, wand_turn_rad
from biomech_id.models.registry import DEFAULT_MODEL
from biomech_id.movement.grades import Grade
from biomech_id.session.solved import Solved

#: Movements in which a leg swings as in those that the limit comes from.
_LEVEL_WALKING = (TrialKind.STRAIGHT, TrialKind.TREADMILL)


def judge_knee_axes(results: Sequence[Solved]) -> dict[str, dict[str, float]]:
    """Return what the walks of one placement of the markers show of each knee's axis, as ``calibration.json`` says it.

    Parameters
    ----------
    results : Sequence[Solved]
        Analysed and graded; other models than the conventional one, other movements and rejected trials are left out.

    Returns
    -------
    dict[str, dict[str, float]]
        Side -> "knee_varus_slope" of varus on flexion in swing (deg a deg), "knee_varus_correlation", "knee_varus_range_deg",
        "knee_flexion_in_swing_deg", and "thigh_marker_turn_deg": by how much the thigh marker would have to sit turned about the
        thigh, backward positive, to do that alone; without a thigh marker it is left out. A knee that flexes less than 30 degrees
        in swing has no entry.
    """
    walks = [
        result
        for result in results
        if result.motion.model == DEFAULT_MODEL and result.kind in _LEVEL_WALKING and result.verdict is not Grade.REJECT
    ]
    found = {}
    for side in SIDES:
        swinging = [result for result in walks if (side, "knee") in result.motion.joint_angles_rad]
        try:
            turn = knee_turn([result.motion for result in swinging], side) if swinging else None
        except InvalidValueError:
            turn = None  # a knee that hardly bends shows no axis
        if turn is not None:
            found[side] = _written(turn, _marker_deg(turn, swinging))
    return found


def _marker_deg(turn: KneeTurn, walks: Sequence[Solved]) -> float:
    """By how much the thigh marker would have to sit turned, deg, backward positive; NaN where it is not worn."""
    worn = []
    for walk in walks:
        shown = walk.markers
        names = [walk.motion.roles.get((turn.side, role), "") for role in ("thigh_wand", "lateral_epicondyle")]
        if shown is not None and all(name in shown.names for name in names):
            worn.append((walk.motion, *(shown[name] for name in names)))
    if not worn:
        return float("nan")
    motions, wands, knees = zip(*worn, strict=True)
    return float(np.rad2deg(wand_turn_rad(turn.turn_rad, motions, wands, knees, turn.side)))


def _written(turn: KneeTurn, marker_deg: float) -> dict[str, float]:
    said = {
        "knee_varus_slope": turn.slope, "knee_varus_correlation": turn.correlation,
        "knee_varus_range_deg": turn.varus_range_deg, "knee_flexion_in_swing_deg": turn.flexion_deg,
    }  # fmt: skip
    return said | ({"thigh_marker_turn_deg": marker_deg} if np.isfinite(marker_deg) else {})


def knee_axis_findings(judged: Mapping[str, Mapping[str, float]], where: str) -> Iterator[Finding]:
    """Name each knee whose varus follows its flexion in swing as in fewer than one of twenty healthy legs.

    Parameters
    ----------
    judged : Mapping[str, Mapping[str, float]]
        As of `judge_knee_axes`.
    where : str
        The static trial, or what stands in for it.
    """
    for side, said in judged.items():
        slope, correlation = said["knee_varus_slope"], said["knee_varus_correlation"]
        if beyond_healthy(slope, correlation):
            marker_deg = said.get("thigh_marker_turn_deg", 0.0)
            values = {
                "side": side, "slope": slope, "correlation": correlation, "range_deg": said["knee_varus_range_deg"],
                "healthy": HEALTHY_SLOPE, "marker_deg": abs(marker_deg),
                "sits": "nowhere" if not marker_deg else "back" if marker_deg > 0 else "forward",
            }  # fmt: skip
            yield Finding("knee-axis-turned", values, where)


def with_knee_axes(calibration: Mapping[str, Any], judged: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return what ``calibration.json`` says, with what the walks show of each side's knee axis.

    Parameters
    ----------
    calibration : Mapping[str, Any]
        What the model says of itself.
    judged : Mapping[str, Mapping[str, float]]
        As of `judge_knee_axes`.
    """
    if not judged:
        return dict(calibration)
    return {**calibration, "sides": {side: {**of, **judged.get(side, {})} for side, of in calibration["sides"].items()}}
