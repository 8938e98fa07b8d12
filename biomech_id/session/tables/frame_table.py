"""``trials/<stem>.csv``: one row per video frame, with the names every gait laboratory knows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import (
    ANGLE_VARIABLE,
    AT_THE_END,
    AXES,
    CENTRE_VARIABLE,
    FORCE_VARIABLE,
    KINETICS_VALID,
    MM_PER_M,
    MOMENT_VARIABLE,
    POINT_VARIABLES,
    POWER_VARIABLE,
    RESIDUAL_SUFFIX,
    SIDES,
    frame_columns,
)
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import MissingInputError, near_miss
from biomech_id.gait.ground import FloorHeight, centre_of_pressure, floor_of, pressure_threshold_N
from biomech_id.session.tables.clinical import clinical_force, clinical_moment
from biomech_id.session.tables.session_tables import LateTable
from biomech_id.values import dataclass


@compact_repr
@dataclass(frozen=True, eq=False)
class FrameTable:
    """All outputs of one trial at the video rate.

    Attributes
    ----------
    columns : tuple[str, ...]
        Names without ``frame`` and ``time``: ``LPelvisAngles.X`` ...
    values : FloatArray
        (n_frames, n_columns) in the units of the sign table (deg, N m/kg, N/kg, W/kg, mm); NaN = missing.
    first_frame : int
        The recording's own number of the first row, counted from 1.
    rate_hz : float
        Video frames per second.
    """

    columns: tuple[str, ...]
    values: FloatArray
    first_frame: int
    rate_hz: float

    def __post_init__(self) -> None:
        shape = (None, len(self.columns))
        object.__setattr__(self, "values", readonly(self.values, shape, name="values", where="FrameTable"))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.columns)}

    def __contains__(self, column: str) -> bool:
        return column in self._place

    def __getitem__(self, column: str) -> FloatArray:
        """Return one column, (n_frames,).

        Raises
        ------
        MissingInputError
            There is no such column.
        """
        if column not in self._place:
            near = near_miss(column, self.columns)
            raise MissingInputError(
                f"There is no column {column}.{near}",
                value=column,
                expected="a name such as LHipAngles.X",
                where="frame table",
            )
        return np.asarray(self.values[:, self._place[column]])

    @property
    def frame(self) -> FloatArray:
        """Frame numbers of the recording, (n_frames,), counted from 1."""
        return self.first_frame + np.arange(len(self.values), dtype=np.float64)

    @property
    def time_s(self) -> FloatArray:
        """Absolute time of each frame, (n_frames,), seconds:
        frame 1 is at 0.
        """
        return (self.frame - 1.0) / self.rate_hz

    def to_dataframe(self, some: slice = slice(None)) -> pd.DataFrame:
        """Return the table as written to ``trials/<stem>.csv``: ``frame``, ``time``, then the columns.

        Parameters
        ----------
        some : slice, optional
            Which of the frames; all of them unless given.
        """
        head = pd.DataFrame({"frame": self.frame[some].astype(np.int64), "time": self.time_s[some]})
        return pd.concat([head, pd.DataFrame(self.values[some], columns=list(self.columns))], axis=1)

    def late(self) -> LateTable:
        """Return the same table, before its rows are made."""
        return LateTable(len(self.values), 1, 2 + len(self.columns), self.to_dataframe)


def frame_table(
    motion: BodyMotion,
    loads: JointLoads | None,
    contacts: Mapping[str, FootContact],
    *,
    mass_kg: float | None,
    floor_m: FloorHeight = 0.0,
    further: Mapping[str, FloatArray | None] | None = None,
) -> FrameTable:
    """Return every output of one trial at the video rate.

    Every column exists whatever the trial holds, so that tables of different trials stack; what is not known is NaN. Kinetics
    are NaN in every frame of a stance without an accepted plate, and present in swing.

    Parameters
    ----------
    motion : BodyMotion
        Poses, angles and joint centres of the tracked body.
    loads : JointLoads | None
        Its joint loads, or None for kinematics only.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot; a side that is absent has no ground reaction.
    mass_kg : float | None
        Body mass that forces, moments and powers are divided by; None for kinematics only.
    floor_m : FloorHeight, optional
        Height of the floor on which the centre of pressure lies, laboratory Z.
    further : Mapping[str, FloatArray | None] | None, optional
        Columns that a laboratory adds, (n_frames,) each or None; they come last.
    """
    columns = (*_columns(motion), *(further or {}))
    filled = {_residual_column(segment): MM_PER_M * residual for segment, residual in motion.fit_residual_m.items()}
    for side in SIDES:
        _put_angles(filled, motion, side)
        _put_points(filled, motion, side)
        if mass_kg is not None:
            if loads is not None:
                _put_loads(filled, motion, loads, side, mass_kg)
                _put_validity(filled, motion, loads, side)
            if side in contacts:
                _put_ground(filled, contacts[side], mass_kg, floor_of(floor_m, side))
    filled |= {name: column for name, column in (further or {}).items() if column is not None}
    # Column by column, in memory too: what is in the table is let go before the rest has its place.
    values = np.empty((motion.n_frames, len(columns)), order="F")
    for number, name in enumerate(columns):
        values[:, number] = filled.pop(name, np.nan)
    values.flags.writeable = False  # else the table would copy it
    return FrameTable(columns, values, motion.first_frame, motion.rate_hz)


def _columns(motion: BodyMotion) -> tuple[str, ...]:
    signed = [name for name, _ in frame_columns()]
    points = (*POINT_VARIABLES, *motion.foot_outline_names)
    residuals = map(_residual_column, motion.fit_residual_m)
    return (
        *signed,
        *(f"{side}{point}.{axis}" for side in SIDES for point in points for axis in AXES),
        *residuals,
        *(f"{side}{KINETICS_VALID}" for side in SIDES),
    )


def _residual_column(segment: tuple[str, str]) -> str:
    side, name = segment
    return f"{side}{name.title()}{RESIDUAL_SUFFIX}"


def _put(filled: dict[str, FloatArray], name: str, xyz: FloatArray) -> None:
    for axis, values in zip(AXES, xyz.T, strict=True):
        filled[f"{name}.{axis}"] = values


def _put_angles(filled: dict[str, FloatArray], motion: BodyMotion, side: str) -> None:
    for joint, variable in ANGLE_VARIABLE.items():
        if (side, joint) in motion.joint_angles_rad:
            _put(filled, f"{side}{variable}", np.degrees(motion.joint_angles_rad[side, joint]))


def _put_points(filled: dict[str, FloatArray], motion: BodyMotion, side: str) -> None:
    for joint, variable in CENTRE_VARIABLE.items():
        if (side, joint) in motion.joint_centres_lab_m:
            _put(filled, f"{side}{variable}", MM_PER_M * motion.joint_centres_lab_m[side, joint])
    if side in motion.foot_outline_lab_m:
        for number, point in enumerate(motion.foot_outline_names):
            _put(filled, f"{side}{point}", MM_PER_M * motion.foot_outline_lab_m[side][:, number])


def _put_loads(filled: dict[str, FloatArray], motion: BodyMotion, loads: JointLoads, side: str, mass_kg: float) -> None:
    for joint in JOINTS:
        if (side, joint) not in loads:
            continue
        # Loads are NaN where the contact is not known, and so is what follows from them.
        load = loads[side, joint]
        _put(filled, f"{side}{MOMENT_VARIABLE[joint]}", clinical_moment(load.wrench.moment_Nm, motion, side, joint) / mass_kg)
        _put(filled, f"{side}{FORCE_VARIABLE[joint]}", clinical_force(load.wrench.force_N, motion, side, joint) / mass_kg)
        filled[f"{side}{POWER_VARIABLE[joint]}"] = load.power_rotational_W / mass_kg
        filled[f"{side}{POWER_VARIABLE[joint]}Translational"] = load.power_translational_W / mass_kg


def _put_validity(filled: dict[str, FloatArray], motion: BodyMotion, loads: JointLoads, side: str) -> None:
    known = [loads[side, joint].known for joint in JOINTS if (side, joint) in loads]
    if known:
        moved = np.isfinite(motion.motions[side, "foot"].com_acceleration_lab_m_s2).all(axis=1)
        filled[f"{side}{KINETICS_VALID}"] = np.all(known, axis=0) * np.where(moved, 1.0, AT_THE_END)


def _put_ground(filled: dict[str, FloatArray], contact: FootContact, mass_kg: float, floor_m: float | FloatArray) -> None:
    known = np.where(contact.known, 1.0, np.nan)[:, None]
    _put(filled, f"{contact.side}GroundReactionForce", known * contact.force_lab_N / mass_kg)
    _put(filled, f"{contact.side}GroundReactionMoment", known * contact.moment_lab_Nm / mass_kg)
    least = pressure_threshold_N(mass_kg)
    cop_lab_m, _ = centre_of_pressure(contact.force_lab_N, contact.moment_lab_Nm, least_force_N=least, floor_m=floor_m)
    _put(filled, f"{contact.side}CentreOfPressure", known * MM_PER_M * cop_lab_m)
