"""``cycles.csv`` and ``budget.csv``: every variable over 0 to 100 % of every cycle.

A cycle's curve is cut from the frame table at the times of its events, not at rounded frames, and interpolated to 101 points.
Kinetics exist only where the foot's contact is known: not at all for a cycle without an accepted plate, and from 0 % to foot off
for a stance whose next strike lies outside the trial (``stance_only``; percent by the mean cycle time of that side).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import (
    AXES,
    BUDGET_PARTS,
    CYCLE_ROWS,
    MM_PER_M,
    MOMENT_VARIABLE,
    POWER_VARIABLE,
    SIDE_SIGN,
    cycle_rows,
)
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.loads import JointLoads
from biomech_id.gait.cycle import Cycle, KineticsValid
from biomech_id.gait.floor import NO_BELTS, Belts, carried_back, walking_direction_on
from biomech_id.gait.normalise import normalise
from biomech_id.gait.stance import FLAT_SHARE
from biomech_id.results.session.clinical import clinical_moment, sagittal_power
from biomech_id.results.session.ground import (
    FlatFoot,
    FloorHeight,
    centre_of_pressure,
    flat_foot,
    floor_of,
    pressure_threshold_N,
    progression_components,
    walking_direction,
)
from biomech_id.results.tables.frame_table import FrameTable
from biomech_id.results.tables.session_tables import CURVE_POINTS, block_table

_PERCENT = np.arange(CURVE_POINTS)


@dataclass(frozen=True)
class CurveName:
    """What one curve shows; ``part`` only in the moment budget.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        "L" or "R".
    cycle : int
        Number of the cycle, from 1.
    kinetics_valid : str
        "true", "false" or "stance_only".
    variable : str
        Its name without the side: "KneeMoment".
    component : str
        "X", "Y", "Z"; "" for a scalar.
    part : str, optional
        Part of the moment budget; "" for the whole.
    """

    trial: str
    side: str
    cycle: int
    kinetics_valid: str
    variable: str
    component: str
    part: str = ""


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves of 101 points with their names: ``values`` is (n_curves, 101).

    Attributes
    ----------
    names : tuple[CurveName, ...]
        One for each curve.
    values : FloatArray
        (n_curves, 101).
    """

    names: tuple[CurveName, ...]
    values: FloatArray

    def to_dataframe(self, table: str) -> pd.DataFrame:
        """Return the tidy table ``"cycles"`` or ``"budget"``: 101 successive rows a curve.

        Parameters
        ----------
        table : str
            Name of the table.
        """
        numbers: dict[str, FloatArray | IntArray] = {
            "percent": np.tile(_PERCENT, len(self.names)), "value": self.values.ravel(),
        }  # fmt: skip
        return block_table(table, [vars(name) for name in self.names], CURVE_POINTS, numbers)


def stack_curves(parts: Iterable[Curves]) -> Curves:
    """Return the curves of several trials as one value, in the order given.

    Parameters
    ----------
    parts : Iterable[Curves]
        Curves of each trial.
    """
    parts = list(parts)
    values = [part.values for part in parts if len(part.names)]
    return Curves(
        tuple(name for part in parts for name in part.names), np.concatenate(values) if values else np.empty((0, CURVE_POINTS))
    )


def cycle_curves(
    table: FrameTable,
    motion: BodyMotion,
    contacts: Mapping[str, FootContact],
    cycles: Sequence[Cycle],
    *,
    mass_kg: float | None,
    turning: bool = False,
    floor_m: FloorHeight = 0.0,
    belts: Belts = NO_BELTS,
) -> Curves:
    """Return every variable of `conventions.cycle_rows` over every cycle of one trial.

    Parameters
    ----------
    table : FrameTable
        The trial: its frame table, tracked body and the ground's wrench on each foot.
    motion : BodyMotion
        The trial: its frame table, tracked body and the ground's wrench on each foot.
    contacts : Mapping[str, FootContact]
        The trial: its frame table, tracked body and the ground's wrench on each foot.
    cycles : Sequence[Cycle]
        Where to cut.
    mass_kg : float | None
        Body mass that the ground's action is divided by; None for kinematics only.
    turning : bool, optional
        The walking direction is taken from each cycle's own path rather than from the whole trial's.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    found = []
    for cycle in cycles:
        values = _body_values(table, cycle.side)
        if mass_kg is not None and cycle.side in contacts:
            floor = floor_of(floor_m, cycle.side)
            forward = cycle_direction(motion, cycle) if turning else trial_direction(motion, belts)
            values |= _ground_values(contacts[cycle.side], forward, mass_kg, floor)
            planted = planted_foot(motion, cycle, belts)
            if planted is not None:
                values |= _pressure_in_foot(contacts[cycle.side], planted, motion, mass_kg, floor, belts=belts)
        found.append(cut_to_cycle(values, motion, cycle))
    return stack_curves(found)


def budget_curves(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> Curves:
    """Return the parts of every joint moment, N m/kg, over every cycle with kinetics; nothing for loads without a budget.

    Parameters
    ----------
    motion : BodyMotion
        The trial; each part is a wrench about the joint centre in laboratory axes.
    loads : JointLoads
        The trial; each part is a wrench about the joint centre in laboratory axes.
    cycles : Sequence[Cycle]
        Where to cut.
    mass_kg : float
        Body mass that moments are divided by.
    """
    found = []
    for cycle in cycles:
        values: dict[tuple[str, str, str], FloatArray] = {}
        for joint in JOINTS:
            load = loads.get((cycle.side, joint))
            if load is None or load.budget is None:
                continue
            # Gravity and inertia are known in every frame, but parts without their total would add up to something else.
            known = np.where(load.known, 1.0, np.nan)[:, None] / mass_kg
            for part in BUDGET_PARTS:
                xyz = known * clinical_moment(load.budget[part].moment_Nm, motion, cycle.side, joint)
                values |= {(MOMENT_VARIABLE[joint], axis, part): xyz[:, i] for i, axis in enumerate(AXES)}
        found.append(cut_to_cycle(values, motion, cycle))
    return stack_curves(found)


def sagittal_curves(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> Curves:
    """Return the power of each joint's sagittal moment alone, W/kg, over every cycle with kinetics; component "sagittal".

    Parameters
    ----------
    motion : BodyMotion
        The trial.
    loads : JointLoads
        The trial.
    cycles : Sequence[Cycle]
        Where to cut.
    mass_kg : float
        Body mass that powers are divided by.
    """
    found = []
    for cycle in cycles:
        mine = {joint: loads[cycle.side, joint] for joint in JOINTS if (cycle.side, joint) in loads}
        powers = {
            (POWER_VARIABLE[joint], "sagittal", ""): np.where(load.known, sagittal_power(load, motion) / mass_kg, np.nan)
            for joint, load in mine.items()
        }
        found.append(cut_to_cycle(powers, motion, cycle))
    return stack_curves(found)


def leg_load_curves(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> Curves:
    """Return the sagittal moment, N m/kg, and the power, W/kg, of each leg joint over every cycle, as `cycle_curves` does.

    Parameters
    ----------
    motion : BodyMotion
        The trial.
    loads : JointLoads
        The trial.
    cycles : Sequence[Cycle]
        Where to cut.
    mass_kg : float
        Body mass that moments and powers are divided by.
    """
    found = []
    for cycle in cycles:
        values: dict[tuple[str, str, str], FloatArray] = {}
        for joint in JOINTS:
            if (load := loads.get((cycle.side, joint))) is not None:
                moment_Nm = clinical_moment(load.wrench.moment_Nm, motion, cycle.side, joint)
                values[MOMENT_VARIABLE[joint], "X", ""] = moment_Nm[:, 0] / mass_kg
                values[POWER_VARIABLE[joint], "", ""] = load.power_rotational_W / mass_kg
        found.append(cut_to_cycle(values, motion, cycle))
    return stack_curves(found)


def trial_direction(motion: BodyMotion, belts: Belts = NO_BELTS) -> FloatArray:
    """Horizontal unit vector (3,), laboratory axes, of the walk over the whole trial: `walked_direction`; on the spot, as it faces.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    direction = walked_direction(motion, belts)
    return motion.progression_R_lab[0] if direction is None else direction


def walked_direction(motion: BodyMotion, belts: Belts = NO_BELTS) -> FloatArray | None:
    """Horizontal unit vector (3,), laboratory axes: along the pelvis' path, or against the belts'; None on the spot.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    against = walking_direction_on(belts)
    return walking_direction(motion.motions["", "pelvis"].frames.origin_lab_m) if against is None else against


def cycle_direction(motion: BodyMotion, cycle: Cycle) -> FloatArray:
    """Horizontal unit vector (3,), laboratory axes, along the pelvis' path during one cycle; the trial's if that is too short.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    cycle : Cycle
        The cycle.
    """
    inside = _between(motion, cycle.start_s, cycle.end_s)
    direction = walking_direction(motion.motions["", "pelvis"].frames.origin_lab_m[inside])
    return trial_direction(motion) if direction is None else direction


def planted_foot(motion: BodyMotion, cycle: Cycle, belts: Belts = NO_BELTS) -> FlatFoot | None:
    """Axes of a cycle's foot while it is flat on the floor, or None without an outline or a foot off.

    On a belt they travel with it (`gait.floor.Belt.carried_back`).

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    cycle : Cycle
        The cycle.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    side = cycle.side
    if side not in motion.foot_outline_lab_m or not np.isfinite(cycle.foot_off_s):
        return None
    stance_s = cycle.foot_off_s - cycle.start_s
    flat = _between(motion, cycle.start_s + FLAT_SHARE[0] * stance_s, cycle.start_s + FLAT_SHARE[1] * stance_s)
    at_rest = (motion.foot_outline_lab_m[side], motion.joint_centres_lab_m[side, "ankle"])
    outline, ankle = (carried_back(points, motion.time_s, belts, side) for points in at_rest)
    return flat_foot(outline, ankle, flat, side)


def _between(motion: BodyMotion, start_s: float, end_s: float) -> BoolArray:
    return (motion.time_s >= start_s) & (motion.time_s <= end_s)


def _body_values(table: FrameTable, side: str) -> dict[tuple[str, str, str], FloatArray]:
    rows = [(row, row.column(side)) for row in cycle_rows() if row.joint != "ground"]
    return {
        (row.variable, row.component, ""): unwrapped(table[column]) if row.quantity == "angle" else table[column]
        for row, column in rows
        if column in table
    }


def unwrapped(angle_deg: FloatArray) -> FloatArray:
    """Return an angle (n,), deg, without jumps of 360 deg, so that it can be interpolated; NaN stays where it is.

    The foot progression angles of somebody who turns around jump from 180 to -180 deg.

    Parameters
    ----------
    angle_deg : FloatArray
        (n,), deg.
    """
    seen = np.isfinite(angle_deg)
    path_deg = angle_deg[seen]
    if not (np.abs(np.diff(path_deg)) >= 180.0).any():
        return angle_deg
    smooth = angle_deg.copy()
    smooth[seen] = np.unwrap(path_deg, period=360.0)
    return smooth


def nearest_turn(angles_deg: FloatArray) -> FloatArray:
    """Return curves (m, 101), deg, each shifted by whole turns so that its mean lies within 180 deg of zero.

    Parameters
    ----------
    angles_deg : FloatArray
        (m, 101), deg.
    """
    seen = np.isfinite(angles_deg)
    mean = np.where(seen, angles_deg, 0.0).sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    return np.asarray(angles_deg - 360.0 * np.round(mean / 360.0)[:, None])


def _ground_values(
    contact: FootContact, forward_lab: FloatArray, mass_kg: float, floor_m: float | FloatArray
) -> dict[tuple[str, str, str], FloatArray]:
    known = np.where(contact.known, 1.0, np.nan)
    force = known[:, None] * progression_components(contact.force_lab_N, forward_lab, contact.side) / mass_kg
    values = {("GroundReactionForce", axis, ""): force[:, i] for i, axis in enumerate(AXES)}
    least = pressure_threshold_N(mass_kg)
    _, free_Nm = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=least, floor_m=floor_m)
    # Turning the left foot's toes inward is a clockwise turn seen from above, the right foot's an anticlockwise one.
    values["FreeMoment", "Z", ""] = known * -SIDE_SIGN[contact.side] * free_Nm / mass_kg
    return values


def _pressure_in_foot(
    contact: FootContact, planted: FlatFoot, motion: BodyMotion, mass_kg: float, floor_m: float | FloatArray, *, belts: Belts
) -> dict[tuple[str, str, str], FloatArray]:
    known = np.where(contact.known, 1.0, np.nan)
    least = pressure_threshold_N(mass_kg)
    cop_lab_m, _ = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=least, floor_m=floor_m)
    at_rest = carried_back(cop_lab_m, motion.time_s, belts, contact.side)
    cop_foot_mm = known[:, None] * MM_PER_M * planted.components(at_rest)
    return {("FootCentreOfPressure", axis, ""): cop_foot_mm[:, i] for i, axis in enumerate(AXES[:2])}


def cut_to_cycle(values: Mapping[tuple[str, str, str], FloatArray], motion: BodyMotion, cycle: Cycle) -> Curves:
    """Return all variables of one trial cut to one cycle; curves without any value are left out.

    Parameters
    ----------
    values : Mapping[tuple[str, str, str], FloatArray]
        (variable, component, part) -> (n,), one value per video frame, in the unit the table shows.
    motion : BodyMotion
        The trial, for its clock.
    cycle : Cycle
        Where to cut; kinetics only where it has them.
    """
    if not values:
        return Curves((), np.empty((0, CURVE_POINTS)))
    first_time_s = (motion.first_frame - 1) / motion.rate_hz
    matrix = np.column_stack(list(values.values()))
    curves = normalise(matrix, motion.rate_hz, first_time_s, cycle.start_s, cycle.end_s, points=CURVE_POINTS).T.copy()
    rows = [CYCLE_ROWS.get((variable, component)) for variable, component, _ in values]
    kinetic = np.array([row is None or row.kinetic for row in rows])
    angle = np.array([row is not None and row.quantity == "angle" for row in rows])
    if cycle.kinetics_valid is KineticsValid.FALSE:
        curves[kinetic] = np.nan
    elif cycle.kinetics_valid is KineticsValid.STANCE_ONLY:
        stance = cycle.start_s + _PERCENT / 100.0 * cycle.duration_s <= cycle.foot_off_s
        curves[np.ix_(kinetic, ~stance)] = np.nan
        curves[~kinetic] = np.nan
    curves[angle] = nearest_turn(curves[angle])
    kept = np.asarray(np.isfinite(curves).any(axis=1))
    valid = str(cycle.kinetics_valid)
    names = [
        CurveName(cycle.trial, cycle.side, cycle.number, valid, variable, component, part) for variable, component, part in values
    ]
    return Curves(tuple(name for name, keep in zip(names, kept, strict=True) if keep), curves[kept])
