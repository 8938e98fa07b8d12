"""``uncertainty.csv``: how far joint moments and powers can be off, over every cycle and by source.

An error of one standard deviation changes the moment about a joint by dM, turns the axes it is written in, and changes the
relative angular velocity by domega (see `uncertainty.leg`). `ModelAxes.moment_change` says what that does to the clinical
components; the power changes by ::

    dP = dM . omega + M . domega

The variance from a source is the sum of squares over its independent errors. A rotation that is constant in a segment changes the
components, but neither the angular velocity nor the power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.vectors import dot
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import AXES, ERROR_SOURCES, MOMENT_VARIABLE, POWER_VARIABLE, table_columns
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import leg_at
from biomech_id.gait.cycle import Cycle, KineticsValid
from biomech_id.results.tables.cycle_table import Curves, cut_to_cycle, stack_curves
from biomech_id.results.tables.session_tables import CURVE_POINTS, tidy_table
from biomech_id.uncertainty.propagation import Deviation, deviation
from biomech_id.uncertainty.sources import ErrorSource, Nominal

#: Group of sources -> its sources, of one leg (see `uncertainty.leg.leg_errors`).
Errors = Mapping[str, Sequence[ErrorSource]]
TOTAL = "total"


def joint_variances(loads: JointLoads, side: str, errors: Errors, frames: BoolArray) -> dict[str, dict[str, FloatArray]]:
    """Return group of sources -> joint -> variances (N, 4) of the moment's X, Y, Z, (N m)^2, and of the power, W^2.

    Parameters
    ----------
    loads : JointLoads
        The trial.
    side : str
        The leg.
    errors : Errors
        Groups of sources of that leg.
    frames : BoolArray
        (n,), the N frames that are wanted.
    """
    leg = _Leg(Nominal(leg_at(loads, side, frames)), loads.motion, side, frames)
    variances = {}
    for group, sources in errors.items():
        errors_of_group = deviation(leg.nominal, sources)
        variances[group] = {joint: leg.variances(joint, errors_of_group) for joint in JOINTS}
    return variances


def uncertainty_curves(loads: JointLoads, errors: Mapping[str, Errors], cycles: Sequence[Cycle], *, mass_kg: float) -> Curves:
    """Return standard deviations of every joint moment (N m/kg) and power (W/kg) over every cycle with kinetics.

    ``part`` of each curve is the group of sources.

    Parameters
    ----------
    loads : JointLoads
        The trial.
    errors : Mapping[str, Errors]
        Side -> groups of sources of that leg.
    cycles : Sequence[Cycle]
        Where to cut.
    mass_kg : float
        Body mass that moments and powers are divided by.
    """
    found = []
    for side, of_leg in errors.items():
        mine = [cycle for cycle in cycles if cycle.side == side and cycle.kinetics_valid is not KineticsValid.FALSE]
        frames = _frames_of(mine, loads, side)
        if frames.any():
            sd = _standard_deviations(joint_variances(loads, side, of_leg, frames), frames, mass_kg)
            found += [cut_to_cycle(sd, loads.motion, cycle) for cycle in mine]
    return stack_curves(found)


def uncertainty_table(curves: Curves) -> pd.DataFrame:
    """Return the curves of `uncertainty_curves` as ``uncertainty.csv``: one row a percent, one column a group and the total.

    Parameters
    ----------
    curves : Curves
        Curves of 101 points.
    """
    columns = table_columns("uncertainty")
    if not curves.names:
        return tidy_table("uncertainty")
    parts = tuple(ERROR_SOURCES)
    heads = curves.names[:: len(parts)]
    stacked = curves.values.reshape(len(heads), len(parts), CURVE_POINTS)
    table: dict[str, object] = {}
    for column in (column.name for column in columns):
        if column == "percent":
            table[column] = np.tile(np.arange(CURVE_POINTS), len(heads))
        elif column in parts:
            table[column] = stacked[:, parts.index(column)].ravel()
        elif column == TOTAL:
            table[column] = np.sqrt((stacked**2).sum(axis=1)).ravel()
        else:
            table[column] = np.repeat([getattr(head, column) for head in heads], CURVE_POINTS)
    return pd.DataFrame(table)


def _frames_of(cycles: Sequence[Cycle], loads: JointLoads, side: str) -> BoolArray:
    """Frames (n,) of cycles, one more at either end for interpolation, in which the side's loads are known."""
    motion = loads.motion
    time_s = motion.time_s
    inside = np.zeros(motion.n_frames, dtype=bool)
    for cycle in cycles:
        inside |= (time_s > cycle.start_s - 1.0 / motion.rate_hz) & (time_s < cycle.end_s + 1.0 / motion.rate_hz)
    for joint in JOINTS:
        inside &= loads[side, joint].known
    return inside


def _standard_deviations(
    variances: Mapping[str, Mapping[str, FloatArray]], frames: BoolArray, mass_kg: float
) -> dict[tuple[str, str, str], FloatArray]:
    """(variable, component, group) -> (n,) per body mass; NaN outside the frames."""
    columns = {}
    for joint in JOINTS:
        for i, (variable, component) in enumerate(
            [*((MOMENT_VARIABLE[joint], axis) for axis in AXES), (POWER_VARIABLE[joint], "")]
        ):
            for group, of_group in variances.items():
                column = columns[variable, component, group] = np.full(len(frames), np.nan)
                column[frames] = np.sqrt(of_group[joint][:, i]) / mass_kg
    return columns


@dataclass(frozen=True, eq=False)
class _Leg:
    """One solved leg in chosen frames, and the body it belongs to."""

    nominal: Nominal
    motion: BodyMotion
    side: str
    frames: BoolArray

    def variances(self, joint: str, errors: Deviation) -> FloatArray:
        """Sum of squares (N, 4) over independent errors: the moment's components, and the power."""
        chain, i = self.nominal.chain, JOINTS.index(joint)
        moment, turn, spin = (array[:, :, i] for array in errors)
        omega = chain.omega_lab_rad_s[:, i]
        if joint == "hip":  # the pelvis is the base of the leg: how it is placed is no part of it
            pelvis = self.motion.motions["", "pelvis"]
            R_proximal, omega_proximal = pelvis.frames.R_lab_seg[self.frames], pelvis.omega_lab_rad_s[self.frames]
            turn_proximal, spin_proximal = np.zeros_like(turn), np.zeros_like(spin)
        else:
            R_proximal, omega_proximal = chain.R_lab_seg[:, i + 1], chain.omega_lab_rad_s[:, i + 1]
            turn_proximal, spin_proximal = errors.turn[:, :, i + 1], errors.spin[:, :, i + 1]
        nominal_moment = self.nominal.moment[:, i]
        components = self.motion.model_axes.moment_change(
            joint, self.side, (nominal_moment, R_proximal, chain.R_lab_seg[:, i]), moment, (turn_proximal, turn)
        )
        power = dot(moment, omega - omega_proximal) + dot(nominal_moment, spin - spin_proximal)
        return np.asarray(np.concatenate([(components**2).sum(axis=0), (power**2).sum(axis=0)[:, None]], axis=1))
