"""Thigh rotations of the conventional model from how its knees move, not from where the thigh markers sit.

From the walks themselves: those with which the knees show the least varus. From a functional movement: those that lay the thighs'
lateral axes along the knees' common axis of rotation (SARA, `joint_centres.functional`), seen along the thigh.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np

from biomech_id.conventions import MM_PER_M, SIDE_SIGN
from biomech_id.dynamics.body import BodyMotion, Frames
from biomech_id.errors import Finding, InvalidValueError, option
from biomech_id.models.joint_centres.functional import MOST_RESIDUAL_M, sara
from biomech_id.models.joint_centres.knee_axis_walk import LEAST_FLEXION_DEG, KneeTurn, knee_turn
from biomech_id.trial import Subject, Trial
from biomech_id.values import dataclass, replace

#: Turns smaller than this (rad) are none, and the search for them ends after so many steps at the latest.
RESTS_RAD, STEPS = 1e-3, 8


@dataclass(frozen=True)
class AxisTurn:
    """What a functional movement shows of one knee's axis.

    Attributes
    ----------
    side : str
        Which side, "L" or "R".
    trial : str
        Name of the functional trial.
    turn_rad : float
        Angle from the thigh's lateral axis to the knee's axis about the thigh's length, inward positive.
    flexion_deg : float
        Range of the knee's flexion in it, 1st to 99th percentile.
    residual_m : float
        Root mean square distance between the images of the axis' point in the two segments, metres.
    """

    side: str
    trial: str
    turn_rad: float
    flexion_deg: float
    residual_m: float


class _Turn(Protocol):
    @property
    def turn_rad(self) -> float: ...


TurnT = TypeVar("TurnT", bound=_Turn)


class Tracks(Protocol):
    """A calibrated model, as far as its motion goes."""

    def track(self, trial: Trial) -> BodyMotion:
        """Return the motion of the body in a trial.

        Parameters
        ----------
        trial : Trial
            A recording of the same subject and placement.

        Returns
        -------
        BodyMotion
            Of pelvis and legs at least.
        """


def rotations_from_walks(
    remake: Callable[[Subject], Tracks], subject: Subject, walks: Sequence[Trial], sides: Sequence[str]
) -> tuple[Subject, Mapping[str, KneeTurn]]:
    """Return a subject with the thigh rotations that leave the knees the least varus.

    The knee centre moves with the thigh rotation, so the turn that is left is brought to zero by the secant method.

    Parameters
    ----------
    remake : Callable[[Subject], Tracks]
        Returns the model with other measurements.
    subject : Subject
        The measurements, with the thigh rotations in force.
    walks : Sequence[Trial]
        Walks with one placement of the markers; those in which a knee flexes less than 30 degrees in swing are left out.
    sides : Sequence[str]
        "L", "R" or both.

    Returns
    -------
    subject : Subject
        With the new thigh rotations.
    turns : Mapping[str, KneeTurn]
        Side -> the turn, with the range of varus before and behind it.

    Raises
    ------
    InvalidValueError
        No walk flexes a knee by 30 degrees in swing.
    """
    chosen = _bending(remake(subject), walks, sides)

    def look(model: Tracks) -> dict[str, KneeTurn]:
        motions = [model.track(walk) for walk in chosen]
        return {side: knee_turn(motions, side) for side in sides}

    turned, first, last = _settled(remake, subject, look)
    return turned, {side: replace(first[side], varus_range_then_deg=last[side].varus_range_deg) for side in sides}


def rotations_from_movements(
    remake: Callable[[Subject], Tracks], subject: Subject, movements: Sequence[Trial], sides: Sequence[str]
) -> tuple[Subject, Mapping[str, AxisTurn]]:
    """Return a subject with the thigh rotations that follow the knees' functional axes.

    Parameters
    ----------
    remake : Callable[[Subject], Tracks]
        Returns the model with other measurements.
    subject : Subject
        The measurements, with the thigh rotations in force.
    movements : Sequence[Trial]
        Functional trials with the model's markers; of several the one in which a knee bends most counts for it.
    sides : Sequence[str]
        "L", "R" or both.

    Returns
    -------
    subject : Subject
        With the new thigh rotations.
    turns : Mapping[str, AxisTurn]
        Side -> what the movement shows with them.

    Raises
    ------
    InvalidValueError
        There is none, a knee bends by less than 30 degrees in all of them, or its axis is blurred by more than 12 mm.
    """
    if not movements:
        raise InvalidValueError(
            f"Knee axes of a functional movement need a trial of it with the conventional model's markers: name one with "
            f"{option('functional')}.",
            value=0, expected="at least one functional trial", where="knee_axis",
        )  # fmt: skip
    motions = [remake(subject).track(trial) for trial in movements]
    most = {side: movements[int(np.argmax([_flexion_range_deg(motion, side) for motion in motions]))] for side in sides}

    def look(model: Tracks) -> dict[str, AxisTurn]:
        return {side: axis_turn(model.track(trial), side) for side, trial in most.items()}

    turned, _, last = _settled(remake, subject, look)
    return turned, last


def axis_turn(motion: BodyMotion, side: str) -> AxisTurn:
    """Return how a knee's axis lies to the thigh's lateral axis in a functional movement.

    Parameters
    ----------
    motion : BodyMotion
        The movement, tracked by the conventional model.
    side : str
        Which side, "L" or "R".

    Returns
    -------
    AxisTurn
        rad about the thigh's length, inward positive.

    Raises
    ------
    InvalidValueError
        The knee bends by less than 30 degrees, or the images of its axis scatter by more than 12 mm.
    """
    flexion_deg = _flexion_range_deg(motion, side)
    if not flexion_deg >= LEAST_FLEXION_DEG:
        raise InvalidValueError(
            f"The knee ({side}) bends by {flexion_deg:.0f} degrees in {motion.name}, which does not show its axis.",
            value=flexion_deg, expected=f"at least {LEAST_FLEXION_DEG:g} degrees", where=motion.name,
        )  # fmt: skip
    thigh, shank = (motion.motions[side, name].frames for name in ("thigh", "shank"))
    axis = sara(thigh, Frames(shank.R_lab_seg, motion.joint_centres_lab_m[side, "ankle"]))
    if axis.residual_m > MOST_RESIDUAL_M:
        raise InvalidValueError(
            f"The knee ({side}) turns about no common axis in {motion.name}: its images scatter by "
            f"{MM_PER_M * axis.residual_m:.0f} mm.",
            value=MM_PER_M * axis.residual_m, expected=f"at most {MM_PER_M * MOST_RESIDUAL_M:g} mm", where=motion.name,
        )  # fmt: skip
    x, y, _ = axis.direction_proximal * np.sign(axis.direction_proximal[1])  # y of the thigh points to the left on both sides
    return AxisTurn(side, motion.name, SIDE_SIGN[side] * float(np.arctan2(x, y)), flexion_deg, axis.residual_m)


def _flexion_range_deg(motion: BodyMotion, side: str) -> float:
    flexion = motion.joint_angles_rad[side, "knee"][:, 0]
    flexion = flexion[np.isfinite(flexion)]
    return float(np.rad2deg(np.ptp(np.percentile(flexion, [1, 99])))) if len(flexion) else 0.0


def _settled(
    remake: Callable[[Subject], Tracks], subject: Subject, look: Callable[[Tracks], Mapping[str, TurnT]]
) -> tuple[Subject, Mapping[str, TurnT], Mapping[str, TurnT]]:
    """Turn the thighs until no turn is left; the subject so turned, and what the first and the last look showed."""
    turned = subject
    first = turns = look(remake(subject))
    before: dict[str, tuple[float, float]] = {}
    for _ in range(STEPS - 1):
        if all(abs(turn.turn_rad) < RESTS_RAD for turn in turns.values()):
            break
        rotations = {side: turned.thigh_rotation_rad.get(side, 0.0) for side in turns}
        for side, turn in turns.items():
            now = rotations[side], turn.turn_rad
            was = before.get(side)
            slope = -1.0 if was is None or was[0] == now[0] else (now[1] - was[1]) / (now[0] - was[0])
            before[side], rotations[side] = now, now[0] + (turn.turn_rad if slope == 0 else -turn.turn_rad / slope)
        turned = replace(turned, thigh_rotation_rad={**turned.thigh_rotation_rad, **rotations})
        turns = look(remake(turned))
    return turned, first, turns


def turned_finding(turns: Mapping[str, KneeTurn], before: Subject, after: Subject, where: str) -> Finding:
    """Return the cover's sentence on knee axes from walks.

    Parameters
    ----------
    turns : Mapping[str, KneeTurn]
        Side -> what the walks showed.
    before : Subject
        Measurements before the turn.
    after : Subject
        Measurements with the new thigh rotations.
    where : str
        Name of the static trial.

    Returns
    -------
    Finding
        How far each thigh was turned, and what became of varus.
    """
    rows = [
        (side, _rotated_deg(side, before, after), turn.varus_range_deg, turn.varus_range_then_deg, turn.flexion_deg)
        for side, turn in turns.items()
    ]
    return Finding("knee-axis-from-walk", {"legs": rows}, where)


def functional_finding(turns: Mapping[str, AxisTurn], before: Subject, after: Subject, where: str) -> Finding:
    """Return the cover's sentence on knee axes from a functional movement.

    Parameters
    ----------
    turns : Mapping[str, AxisTurn]
        Side -> what the movement showed.
    before : Subject
        Measurements before the turn.
    after : Subject
        Measurements with the new thigh rotations.
    where : str
        Name of the static trial.

    Returns
    -------
    Finding
        How far each thigh was turned to follow the movement.
    """
    rows = [
        (side, _rotated_deg(side, before, after), turn.trial, turn.flexion_deg, MM_PER_M * turn.residual_m)
        for side, turn in turns.items()
    ]
    return Finding("knee-axis-functional", {"legs": rows}, where)


def _rotated_deg(side: str, before: Subject, after: Subject) -> float:
    return float(np.rad2deg(after.thigh_rotation_rad.get(side, 0.0) - before.thigh_rotation_rad.get(side, 0.0)))


def _bending(model: Tracks, walks: Sequence[Trial], sides: Sequence[str]) -> list[Trial]:
    """The walks in which every knee bends enough; refused with the number where there is none."""
    refusal, bending = None, []
    for walk in walks:
        motion = model.track(walk)
        try:
            for side in sides:
                knee_turn([motion], side)
        except InvalidValueError as error:
            refusal = error
        else:
            bending.append(walk)
    if bending:
        return bending
    if refusal is not None:
        raise refusal
    raise InvalidValueError(
        "There is no walk that shows the knees' axes.", value=0, expected="a walk beside the static trial", where="knee_axis"
    )
