"""``cycles.csv`` and ``budget.csv``: every variable over 0 to 100 % of every cycle.

A cycle's curve is cut from the frame table at the times of its events, not at rounded frames, and interpolated to 101 points.
Kinetics exist only where the foot's contact is known: not at all for a cycle without an accepted plate, and from 0 % to foot off
for a stance whose next strike lies outside the trial (``stance_only``; percent by the mean cycle time of that side).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

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
from biomech_id.feet.floor import NO_BELTS, Belts, carried_back, walking_direction_on
from biomech_id.gait.ground import (
    FlatFoot,
    FloorHeight,
    centre_of_pressure,
    flat_foot,
    floor_of,
    pressure_threshold_N,
    progression_components,
    walking_direction,
)
from biomech_id.gait.normalise import normalise
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.movement.stance import FLAT_SHARE
from biomech_id.session.tables.clinical import clinical_moment, sagittal_power
from biomech_id.session.tables.frame_table import FrameTable
from biomech_id.session.tables.session_tables import CURVE_POINTS, block_table
from biomech_id.values import dataclass

_PERCENT = np.arange(CURVE_POINTS)


@dataclass(frozen=True)
class CurveName:
    """What one curve shows; ``part`` only in the moment budget.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        Foot whose cycle it is: "L" or "R".
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
        (n_curves, 101), from 0 to 100 % of the cycle; NaN where missing.
    """

    names: tuple[CurveName, ...]
    values: FloatArray

    def to_dataframe(self, table: str, some: slice = slice(None)) -> pd.DataFrame:
        """Return the tidy table ``"cycles"`` or ``"budget"``: 101 successive rows a curve.

        Parameters
        ----------
        table : str
            Name of the table.
        some : slice, optional
            Which of the curves; all of them unless given.
        """
        names = self.names[some]
        numbers: dict[str, FloatArray | IntArray] = {
            "percent": np.tile(_PERCENT, len(names)), "value": self.values[some].flatten(),
        }  # fmt: skip
        return block_table(table, [vars(name) for name in names], CURVE_POINTS, numbers)

    def by_cycle(self) -> dict[tuple[str, int], Curves]:
        """Return side and number of a cycle -> its curves, which stand together."""
        ends = [i for i, (one, other) in enumerate(pairwise(self.names), 1) if (one.side, one.cycle) != (other.side, other.cycle)]
        spans = pairwise((0, *ends, len(self.names))) if self.names else ()
        return {
            (self.names[first].side, self.names[first].cycle): Curves(self.names[first:last], self.values[first:last])
            for first, last in spans
        }

    def block(self) -> tuple[list[dict[str, Any]], dict[str, FloatArray]]:
        """Return what each curve's rows have in common, and column -> (101 n_curves,), as `LaidRows.lay` takes them."""
        return [vars(name) for name in self.names], {"value": self.values.ravel()}


def stack_curves(parts: Iterable[Curves]) -> Curves:
    """Return the curves of several trials as one value, in the order given.

    Parameters
    ----------
    parts : Iterable[Curves]
        Curves of each trial.
    """
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
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
) -> Iterator[Curves]:
    """Yield every variable of `conventions.cycle_rows` over one cycle of a trial after the other.

    Parameters
    ----------
    table : FrameTable
        The trial: its frame table, tracked body and the ground's wrench on each foot.
    motion : BodyMotion
        The trial: its frame table, tracked body and the ground's wrench on each foot.
    contacts : Mapping[str, FootContact]
        The trial: its frame table, tracked body and the ground's wrench on each foot.
    cycles : Sequence[Cycle]
        Cycles to cut the trial into, of both sides.
    mass_kg : float | None
        Body mass that the ground's action is divided by; None for kinematics only.
    turning : bool, optional
        The walking direction is taken from each cycle's own path rather than from the whole trial's.
    floor_m : FloorHeight, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.

    Yields
    ------
    Curves
        One for each of ``cycles``, in their order; empty where a cycle shows nothing.
    """
    sides = dict.fromkeys(cycle.side for cycle in cycles)
    body = {side: _body_values(table, side) for side in sides}
    ground: dict[str, _Ground] = {}
    if mass_kg is not None:
        of_floor = {side: floor_of(floor_m, side) for side in sides if side in contacts}
        ground = {side: _ground(contacts[side], motion, mass_kg, floor, belts=belts) for side, floor in of_floor.items()}
    of_trial = trial_direction(motion, belts) if ground else None
    for cycle in cycles:
        # Cycles of an hour on a belt are cut from their own frames, not from all.
        rows = frames_around(motion, cycle)
        values = {name: column[rows] for name, column in body[cycle.side].items()}
        if of_trial is not None and cycle.side in ground:
            forward = cycle_direction(motion, cycle) if turning else of_trial
            values |= ground[cycle.side].values(rows, forward, planted_foot(motion, cycle, belts))
        yield cut_to_cycle(values, motion, cycle, rows=rows)


def budget_curves(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> Iterator[Curves]:
    """Yield the parts of every joint moment, N m/kg, over one cycle with kinetics after the other.

    Parameters
    ----------
    motion : BodyMotion
        The trial; each part is a wrench about the joint centre in laboratory axes.
    loads : JointLoads
        The trial; each part is a wrench about the joint centre in laboratory axes.
    cycles : Sequence[Cycle]
        Cycles to cut the trial into, of both sides.
    mass_kg : float
        Body mass that moments are divided by.

    Yields
    ------
    Curves
        Of each cycle with kinetics, in their order; empty for loads without a budget.
    """

    def of_side(side: str) -> dict[tuple[str, str, str], FloatArray]:
        values: dict[tuple[str, str, str], FloatArray] = {}
        for joint in JOINTS:
            load = loads.get((side, joint))
            if load is None or load.budget is None:
                continue
            # Gravity and inertia are known in every frame, but parts without their total would add up to something else.
            known = np.where(load.known, 1.0, np.nan)[:, None] / mass_kg
            for part in BUDGET_PARTS:
                xyz = known * clinical_moment(load.budget[part].moment_Nm, motion, side, joint)
                values |= {(MOMENT_VARIABLE[joint], axis, part): xyz[:, i] for i, axis in enumerate(AXES)}
        return values

    return _cut_by_side(of_side, motion, cycles)


def sagittal_curves(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> Curves:
    """Return the power of each joint's sagittal moment alone, W/kg, over every cycle with kinetics; component "sagittal".

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    loads : JointLoads
        Joint loads of the whole trial.
    cycles : Sequence[Cycle]
        Cycles to cut the trial into, of both sides.
    mass_kg : float
        Body mass that powers are divided by.
    """

    def of_side(side: str) -> dict[tuple[str, str, str], FloatArray]:
        joint_loads = {joint: loads[side, joint] for joint in JOINTS if (side, joint) in loads}
        return {
            (POWER_VARIABLE[joint], "sagittal", ""): np.where(load.known, sagittal_power(load, motion) / mass_kg, np.nan)
            for joint, load in joint_loads.items()
        }

    return stack_curves(_cut_by_side(of_side, motion, cycles))


def leg_load_curves(motion: BodyMotion, loads: JointLoads, cycles: Sequence[Cycle], *, mass_kg: float) -> Curves:
    """Return the sagittal moment, N m/kg, the power, W/kg, and that of the sagittal moment alone of each leg joint.

    Over every cycle with kinetics, as `cycle_curves` and `sagittal_curves` do.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    loads : JointLoads
        Joint loads of the whole trial.
    cycles : Sequence[Cycle]
        Cycles to cut the trial into, of both sides.
    mass_kg : float
        Body mass that moments and powers are divided by.
    """

    def of_side(side: str) -> dict[tuple[str, str, str], FloatArray]:
        values: dict[tuple[str, str, str], FloatArray] = {}
        for joint in JOINTS:
            if (load := loads.get((side, joint))) is not None:
                moment_Nm = clinical_moment(load.wrench.moment_Nm, motion, side, joint)
                values[MOMENT_VARIABLE[joint], "X", ""] = moment_Nm[:, 0] / mass_kg
                values[POWER_VARIABLE[joint], "", ""] = load.power_rotational_W / mass_kg
                values[POWER_VARIABLE[joint], "sagittal", ""] = np.where(load.known, sagittal_power(load, motion) / mass_kg, np.nan)
        return values

    return stack_curves(_cut_by_side(of_side, motion, cycles))


def _cut_by_side(
    of_side: Callable[[str], Mapping[tuple[str, str, str], FloatArray]], motion: BodyMotion, cycles: Sequence[Cycle]
) -> Iterator[Curves]:
    """What is kinetic of each side, worked out while its cycles pass by, cut to one after the other that has kinetics."""
    cycles = [cycle for cycle in cycles if cycle.kinetics_valid is not KineticsValid.FALSE]
    for side, of_one in groupby(cycles, key=lambda cycle: cycle.side):
        values = of_side(side)
        yield from (cut_to_cycle(values, motion, cycle) for cycle in of_one)


def trial_direction(motion: BodyMotion, belts: Belts = NO_BELTS) -> FloatArray:
    """Horizontal unit vector (3,), laboratory axes, of the walk over the whole trial: `walked_direction`; on the spot, as it faces.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
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
        Poses of the tracked body in the whole trial.
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
        Poses of the tracked body in the whole trial.
    cycle : Cycle
        The cycle whose frames are taken.
    """
    inside = _between(motion, cycle.start_s, cycle.end_s)
    direction = walking_direction(motion.motions["", "pelvis"].frames.origin_lab_m[inside])
    return trial_direction(motion) if direction is None else direction


def planted_foot(motion: BodyMotion, cycle: Cycle, belts: Belts = NO_BELTS) -> FlatFoot | None:
    """Axes of a cycle's foot while it is flat on the floor, or None without an outline or a foot off.

    On a belt they travel with it (`feet.floor.Belt.carried_back`).

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    cycle : Cycle
        The cycle whose side and stance are meant.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    side = cycle.side
    if side not in motion.foot_outline_lab_m or not np.isfinite(cycle.foot_off_s):
        return None
    stance_s, time_s = cycle.foot_off_s - cycle.start_s, motion.time_s
    first = np.searchsorted(time_s, cycle.start_s + FLAT_SHARE[0] * stance_s)
    flat = slice(first, np.searchsorted(time_s, cycle.start_s + FLAT_SHARE[1] * stance_s, side="right"))
    at_rest = (motion.foot_outline_lab_m[side], motion.joint_centres_lab_m[side, "ankle"])
    outline, ankle = (carried_back(points[flat], time_s[flat], belts, side) for points in at_rest)
    return flat_foot(outline, ankle, np.ones(len(ankle), dtype=np.bool_), side)


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
        (n,), deg, between -180 and 180 or beyond.
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
        (m, 101), deg, each without jumps.
    """
    seen = np.isfinite(angles_deg)
    mean = np.where(seen, angles_deg, 0.0).sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    return np.asarray(angles_deg - 360.0 * np.round(mean / 360.0)[:, None])


@dataclass(frozen=True, eq=False)
class _Ground:
    """The ground's action on one foot over a trial, per body mass, NaN where it is not known.

    ``force_N_kg`` (n, 3) in laboratory axes, ``free_moment_Nm_kg`` (n,), and ``pressure_m`` (n, 3), the centre of pressure in axes
    that travel with the floor under the foot.
    """

    side: str
    force_N_kg: FloatArray
    free_moment_Nm_kg: FloatArray
    pressure_m: FloatArray

    def values(self, rows: slice, forward_lab: FloatArray, planted: FlatFoot | None) -> dict[tuple[str, str, str], FloatArray]:
        """Curves of some frames, in axes along a walking direction and, for a foot that stands flat, in its own."""
        force = progression_components(self.force_N_kg[rows], forward_lab, self.side)
        values = {("GroundReactionForce", axis, ""): force[:, i] for i, axis in enumerate(AXES)}
        values["FreeMoment", "Z", ""] = self.free_moment_Nm_kg[rows]
        if planted is not None:
            cop_foot_mm = MM_PER_M * planted.components(self.pressure_m[rows])
            values |= {("FootCentreOfPressure", axis, ""): cop_foot_mm[:, i] for i, axis in enumerate(AXES[:2])}
        return values


def _ground(contact: FootContact, motion: BodyMotion, mass_kg: float, floor_m: float | FloatArray, *, belts: Belts) -> _Ground:
    known, least = np.where(contact.known, 1.0, np.nan), pressure_threshold_N(mass_kg)
    cop_lab_m, free_Nm = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=least, floor_m=floor_m)
    return _Ground(
        contact.side,
        known[:, None] * contact.force_lab_N / mass_kg,
        # Turning the left foot's toes inward is a clockwise turn seen from above, the right foot's an anticlockwise one.
        known * -SIDE_SIGN[contact.side] * free_Nm / mass_kg,
        known[:, None] * carried_back(cop_lab_m, motion.time_s, belts, contact.side),
    )


def frames_around(motion: BodyMotion, cycle: Cycle) -> slice:
    """Frames from which a cycle is interpolated: its own, and two on either side.

    Parameters
    ----------
    motion : BodyMotion
        The trial, for its rate and its ends.
    cycle : Cycle
        The cycle that is to be interpolated.
    """
    start, end = ((time_s * motion.rate_hz - (motion.first_frame - 1)) for time_s in (cycle.start_s, cycle.end_s))
    first = min(max(0, int(start) - 2), motion.n_frames - 1)
    return slice(first, max(first + 1, min(motion.n_frames, int(end) + 4)))


def cut_to_cycle(
    values: Mapping[tuple[str, str, str], FloatArray], motion: BodyMotion, cycle: Cycle, *, rows: slice | None = None
) -> Curves:
    """Return all variables of one trial cut to one cycle; curves without any value are left out.

    Parameters
    ----------
    values : Mapping[tuple[str, str, str], FloatArray]
        (variable, component, part) -> (n,), one value per video frame, in the unit the table shows.
    motion : BodyMotion
        The trial, for its clock.
    cycle : Cycle
        Where to cut; kinetics only where it has them.
    rows : slice | None, optional
        Frames that ``values`` hold, `frames_around` the cycle at least; None for all of the trial's.
    """
    if not values:
        return Curves((), np.empty((0, CURVE_POINTS)))
    first_time_s = (motion.first_frame - 1) / motion.rate_hz
    around = frames_around(motion, cycle) if rows is None else slice(None)
    first_row = around.start if rows is None else rows.start
    matrix = np.column_stack([column[around] for column in values.values()])
    place = {"points": CURVE_POINTS, "first_row": first_row}
    curves = normalise(matrix, motion.rate_hz, first_time_s, cycle.start_s, cycle.end_s, **place).T.copy()
    signs = [CYCLE_ROWS.get((variable, component)) for variable, component, _ in values]
    kinetic = np.array([row is None or row.kinetic for row in signs])
    angle = np.array([row is not None and row.quantity == "angle" for row in signs])
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
