"""Knee axes from the walks themselves: the thigh rotations with which the conventional model's knees show the least varus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import Finding, InvalidValueError
from biomech_id.models.joint_centres.knee_axis_walk import KneeTurn, knee_turn
from biomech_id.trial import Subject, Trial

#: Turns smaller than this (rad) are none, and the search for them ends after so many steps at the latest.
RESTS_RAD, STEPS = 1e-3, 8


class Tracks(Protocol):
    """A calibrated model, as far as its motion goes."""

    def track(self, trial: Trial) -> BodyMotion:
        """Return the motion of the body in a trial.

        Parameters
        ----------
        trial : Trial
            The recording.
        """


def rotations_from_walks(
    remake: Callable[[Subject], Tracks], subject: Subject, walks: Sequence[Trial], sides: Sequence[str]
) -> tuple[Subject, Mapping[str, KneeTurn]]:
    """Return a subject with the thigh rotations that leave the knees the least varus, and what they were turned by.

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

    Raises
    ------
    InvalidValueError
        No walk flexes a knee by 30 degrees in swing.
    """
    chosen = _bending(remake(subject), walks, sides)
    first: dict[str, KneeTurn] = {}
    rotations = {side: subject.thigh_rotation_rad.get(side, 0.0) for side in sides}
    before: dict[str, tuple[float, float]] = {}
    for _ in range(STEPS):
        turned = replace(subject, thigh_rotation_rad={**subject.thigh_rotation_rad, **rotations})
        motions = [remake(turned).track(walk) for walk in chosen]
        turns = {side: knee_turn(motions, side) for side in sides}
        first = first or turns
        if all(abs(turn.turn_rad) < RESTS_RAD for turn in turns.values()):
            break
        for side, turn in turns.items():
            now = rotations[side], turn.turn_rad
            was = before.get(side)
            slope = -1.0 if was is None or was[0] == now[0] else (now[1] - was[1]) / (now[0] - was[0])
            before[side], rotations[side] = now, now[0] + (turn.turn_rad if slope == 0 else -turn.turn_rad / slope)
    told = {side: replace(first[side], varus_range_then_deg=turns[side].varus_range_deg) for side in sides}
    return turned, told


def turned_finding(turns: Mapping[str, KneeTurn], before: Subject, after: Subject, where: str) -> Finding:
    """Return the sentence that stands on the cover: how far each thigh was turned, and what became of varus.

    Parameters
    ----------
    turns : Mapping[str, KneeTurn]
        Side -> what the walks showed.
    before, after : Subject
        The measurements before and with the thigh rotations.
    where : str
        The static trial.
    """
    rotated_rad = {side: after.thigh_rotation_rad[side] - before.thigh_rotation_rad.get(side, 0.0) for side in turns}
    rows = [
        (side, float(np.rad2deg(rotated_rad[side])), turn.varus_range_deg, turn.varus_range_then_deg, turn.flexion_deg)
        for side, turn in turns.items()
    ]
    return Finding("knee-axis-from-walk", {"legs": rows}, where)


def _bending(model: Tracks, walks: Sequence[Trial], sides: Sequence[str]) -> list[Trial]:
    """The walks in which every knee bends enough; refused with the number where there is none."""
    refusal, found = None, []
    for walk in walks:
        motion = model.track(walk)
        try:
            for side in sides:
                knee_turn([motion], side)
        except InvalidValueError as error:
            refusal = error
        else:
            found.append(walk)
    if found:
        return found
    if refusal is not None:
        raise refusal
    raise InvalidValueError(
        "There is no walk that shows the knees' axes.", value=0, expected="a walk beside the static trial", where="knee_axis"
    )
