"""Columns of ``trials/<stem>.csv`` above the pelvis: only in tables of trials that show a thorax or a head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import ARM_POINTS, AXES, CENTRE_OF_MASS, MM_PER_M, SIDES, UPPER_BODY_TABLE
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoad, JointLoads
from biomech_id.models.conventional.upper_body.angles import upper_force, upper_moment

_ANGLES = ("head", "thorax", "neck", "spine", "shoulder", "elbow", "wrist")


def upper_columns(motion: BodyMotion, loads: JointLoads | None, mass_kg: float | None) -> dict[str, FloatArray | None]:
    """Return name -> (n_frames,) of every column, None where the trial has none of it; nothing for a body without thorax and head.

    Parameters
    ----------
    motion : BodyMotion
        Poses, angles and joint centres of the tracked body.
    loads : JointLoads | None
        Of wrists, elbows, shoulders, waist and neck.
    mass_kg : float | None
        Body mass that loads are divided by.
    """
    if not {("", "thorax"), ("", "head")} & motion.motions.keys():
        return {}
    filled = {name: column for side in SIDES for name, column in _of_side(motion, loads, side, mass_kg)}
    if motion.whole is not None:
        filled |= _xyz(CENTRE_OF_MASS, MM_PER_M * motion.whole.com_lab_m)
    return {name: filled.get(name) for name in _names()}


def _names() -> tuple[str, ...]:
    points = (f"{side}{point}.{axis}" for side in SIDES for point in ARM_POINTS.values() for axis in AXES)
    signed = (row.column(side) for side in SIDES for row in UPPER_BODY_TABLE)
    return (*signed, *points, *(f"{CENTRE_OF_MASS}.{axis}" for axis in AXES))


def _xyz(name: str, values: FloatArray) -> dict[str, FloatArray]:
    return {f"{name}.{axis}": values[:, i] for i, axis in enumerate(AXES)}


def _of_side(motion: BodyMotion, loads: JointLoads | None, side: str, mass_kg: float | None) -> Iterator[tuple[str, FloatArray]]:
    for name in _ANGLES:
        if (side, name) in motion.joint_angles_rad:
            yield from _xyz(f"{side}{name.title()}Angles", np.degrees(motion.joint_angles_rad[side, name])).items()
    for joint, point in ARM_POINTS.items():
        if (side, joint) in motion.joint_centres_lab_m:
            yield from _xyz(side + point, MM_PER_M * motion.joint_centres_lab_m[side, joint]).items()
    if loads is not None and mass_kg is not None:
        for (of, joint), load in loads.items():
            if of in (side, ""):
                yield from _of_joint(f"{side}{joint.title()}", load, side, mass_kg)


def _of_joint(name: str, load: JointLoad, side: str, mass_kg: float) -> Iterator[tuple[str, FloatArray]]:
    yield from _xyz(f"{name}Moment", upper_moment(load, side) / mass_kg).items()
    yield from _xyz(f"{name}Force", upper_force(load) / mass_kg).items()
    yield f"{name}Power", load.power_rotational_W / mass_kg
