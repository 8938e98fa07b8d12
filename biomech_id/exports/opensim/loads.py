"""Ground reactions for OpenSim: one row of force, point and free torque for each foot or plate, and the file that assigns them.

The wrench (F, M about the origin) of the ground is written as a force at a point p and the torque T = M - p x F, which is exact for
every p. The centre of pressure is taken where the load carries enough to have one and its nearest value in the same contact below
that, so that the point neither leaps nor runs away; off the ground everything is zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.anatomy import SIDE_WORDS
from biomech_id.errors import InvalidValueError
from biomech_id.exports.opensim.joints import body_name
from biomech_id.osim.document.writing import element, object_set, properties, write_document
from biomech_id.readers.opensim.storage import StorageTable
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class GroundLoad:
    """The ground's action on a foot, or a plate's on whoever stands on it; laboratory axes, n samples.

    Attributes
    ----------
    label : str
        What its columns are called after: "r", "l", or a plate's number.
    force_lab_N : FloatArray
        (n, 3), on the foot, or on whoever stands there.
    moment_lab_Nm : FloatArray
        (n, 3), about the laboratory's origin.
    """

    label: str
    force_lab_N: FloatArray
    moment_lab_Nm: FloatArray

    @property
    def stems(self) -> tuple[str, str, str]:
        """What the names of force, point and torque begin with."""
        return f"ground_force_{self.label}_v", f"ground_force_{self.label}_p", f"ground_torque_{self.label}_"

    def columns(self) -> tuple[str, ...]:
        """Names of the nine columns.

        Returns
        -------
        tuple[str, ...]
            Force, point, torque, x to z each.
        """
        return tuple(stem + axis for stem in self.stems for axis in "xyz")


def ground_table(
    name: str,
    time_s: FloatArray,
    loads: tuple[GroundLoad, ...],
    R_ground_lab: FloatArray,
    *,
    floor_m: float,
    pressure_from_N: float,
) -> StorageTable:
    """Put ground reactions into an OpenSim table.

    Parameters
    ----------
    name : str
        Title of the table.
    time_s : FloatArray
        (n,), times of the loads, s.
    loads : tuple[GroundLoad, ...]
        Of n samples each.
    R_ground_lab : FloatArray
        (3, 3), laboratory components to OpenSim's ground.
    floor_m : float
        Height of the floor in the laboratory.
    pressure_from_N : float
        Vertical force from which a centre of pressure is believed.

    Returns
    -------
    StorageTable
        Nine columns for each load, N, m and N m, ground axes (Y up).

    Raises
    ------
    InvalidValueError
        A force that is not a number; one would make every moment of OpenSim's NaN.
    """
    blocks = []
    for load in loads:
        wrong = ~(np.isfinite(load.force_lab_N).all(axis=1) & np.isfinite(load.moment_lab_Nm).all(axis=1))
        if wrong.any():
            raise InvalidValueError(
                f"The ground reaction {load.label} of {name} is not a number at {time_s[int(np.argmax(wrong))]:.4g} s.",
                value=int(wrong.sum()), expected="finite forces", where=name,
            )  # fmt: skip
        force, moment = load.force_lab_N @ R_ground_lab.T, load.moment_lab_Nm @ R_ground_lab.T
        point = application_point(force, moment, floor_m=floor_m, pressure_from_N=pressure_from_N)
        blocks += [force, point, moment - cross(point, force)]
    columns = tuple(column for load in loads for column in load.columns())
    # Adding zero turns -0 into 0.
    return StorageTable(name, columns, time_s, np.hstack(blocks) + 0.0 if blocks else np.zeros((len(time_s), 0)), False)


def application_point(force_N: FloatArray, moment_Nm: FloatArray, *, floor_m: float, pressure_from_N: float) -> FloatArray:
    """Point at which OpenSim applies a force.

    The centre of pressure, or its nearest value in the same contact. A contact that never carries ``pressure_from_N`` has its force
    at the origin of the floor.

    Parameters
    ----------
    force_N : FloatArray
        (n, 3), on the foot, ground axes (Y up), N.
    moment_Nm : FloatArray
        (n, 3), about the ground's origin, ground axes, N m.
    floor_m : float
        Height of the floor.
    pressure_from_N : float
        Vertical force from which the centre of pressure is taken as measured.

    Returns
    -------
    FloatArray
        (n, 3), ground axes (Y up), m; zero off the ground.
    """
    loaded = (force_N != 0.0).any(axis=1) | (moment_Nm != 0.0).any(axis=1)
    point = np.zeros_like(force_N)
    for first, last in runs(loaded):
        firm = first + np.flatnonzero(force_N[first:last, 1] > pressure_from_N)
        if not firm.size:
            continue
        F, M = force_N[firm], moment_Nm[firm]
        # M = p x F + (0, T, 0) with p_y the floor's height
        pressed = np.column_stack([
            (floor_m * F[:, 0] + M[:, 2]) / F[:, 1], np.full(len(F), floor_m), (floor_m * F[:, 2] - M[:, 0]) / F[:, 1],
        ])  # fmt: skip
        frames = np.arange(first, last)
        nearest = (
            np.abs(frames[:, None] - firm[None, :]).argmin(axis=1)
            if len(firm) < 4000
            else np.searchsorted(firm, frames, "left").clip(0, len(firm) - 1)
        )
        point[first:last] = pressed[nearest]
    return point


def write_external_loads(path: Path, table_file: str, sides: Mapping[str, GroundLoad]) -> Path:
    """Write an ``ExternalLoads`` file that puts each side's load on its foot.

    Parameters
    ----------
    path : Path
        The file; its folder must be there.
    table_file : str
        Name of the ``.mot`` with the loads.
    sides : Mapping[str, GroundLoad]
        Load of each side's foot, by side.

    Returns
    -------
    Path
        ``path``.
    """
    forces = [
        element(
            "ExternalForce",
            *properties(appliesForce=True, applied_to_body=body_name((side, "foot"))),
            *properties(force_expressed_in_body="ground", point_expressed_in_body="ground"),
            *properties(**dict(zip(("force_identifier", "point_identifier", "torque_identifier"), load.stems, strict=True))),
            *properties(data_source_name="Unassigned"),
            name=SIDE_WORDS[side],
        )
        for side, load in sides.items()
    ]
    loads = object_set("ExternalLoads", forces, name="externalloads")
    loads.append(element("datafile", text=table_file))
    return write_document(path, loads)
