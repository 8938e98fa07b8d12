"""Types of force plates: how many analog channels each has, and how force and moment follow from them.

C3D user guide, "The FORCE_PLATFORM group": 1 force and centre of pressure, 2 force and moment, 3 eight forces, 4 type 2 after a
calibration matrix. A laboratory adds its own with `register_plate_type`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError
from biomech_id.plugins import Registry
from biomech_id.values import dataclass

#: From channels (n_samples, n_channels), ORIGIN (3,) and calibration matrix (6, 6) to force and moment about the surface centre,
#: each (n_samples, 3), in the plate's axes: x and y along its edges, z down.
PlateWrench = Callable[[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class PlateType:
    """One type of force plate.

    Attributes
    ----------
    number : int
        FORCE_PLATFORM:TYPE in the file, counted from 1.
    n_channels : int
        Analog channels of one plate, in the order of FORCE_PLATFORM:CHANNEL.
    wrench : PlateWrench
        Force and moment from them.
    origin : bool
        Whether ORIGIN is part of the calculation.
    sensor_distances : bool
        Whether the first two numbers of ORIGIN are the sensors' distances, without which no moment is known.
    matrix : bool
        Whether channels are multiplied with CAL_MATRIX, which also brings their unit.
    moment_channels : bool
        Whether the fourth channel is a moment in a unit of its own, ANALOG:UNITS.
    """

    number: int
    n_channels: int
    wrench: PlateWrench
    origin: bool = True
    sensor_distances: bool = False
    matrix: bool = False
    moment_channels: bool = False


def _force_and_cop(channels: FloatArray, origin: FloatArray, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 1: Fx Fy Fz, centre of pressure Px Py, free moment Tz. M = p x F + T."""
    force = channels[:, :3]
    point = np.stack([channels[:, 3], channels[:, 4], np.zeros(len(channels))], axis=1)
    moment = np.cross(point, force)
    moment[:, 2] += channels[:, 5]
    return force, moment


def _force_and_moment(channels: FloatArray, origin: FloatArray, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 2: force and moment about the plate's own origin, which lies below the surface whatever sign was stored."""
    force = channels[:, :3]
    return force, channels[:, 3:6] + np.cross(force, -origin if origin[2] > 0 else origin)


def _eight_forces(channels: FloatArray, origin: FloatArray, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 3: Fx12 Fx34 Fy14 Fy23 Fz1 Fz2 Fz3 Fz4, sensors at (+-a, +-b), a and b being the first two numbers of ORIGIN."""
    a, b = origin[:2]
    x12, x34, y14, y23, z1, z2, z3, z4 = channels.T
    force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=1)
    moment = np.stack([b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (-x12 + x34) + a * (y14 - y23)], axis=1)
    depth = np.array([0.0, 0.0, -abs(origin[2])])
    return force, moment + np.cross(force, depth)


def _with_matrix(channels: FloatArray, origin: FloatArray, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 4: type 2 after multiplication with the calibration matrix."""
    return _force_and_moment(channels @ matrix.T, origin, matrix)


_TYPES: Registry[int, PlateType] = Registry("plate type", {
    kind.number: kind
    for kind in (
        PlateType(1, 6, _force_and_cop, origin=False),
        PlateType(2, 6, _force_and_moment, moment_channels=True),
        PlateType(3, 8, _eight_forces, sensor_distances=True),
        PlateType(4, 6, _with_matrix, matrix=True),
    )
})  # fmt: skip


def register_plate_type(kind: PlateType) -> None:
    """Let the readers understand one more type of plate.

    Parameters
    ----------
    kind : PlateType
        Its number must be free; its function is called for every plate of that type.

    Raises
    ------
    InvalidValueError
        Its number is taken, or no plate can have it.
    """
    if kind.number in _TYPES or kind.number < 1:
        raise InvalidValueError(
            f"Plate type {kind.number} cannot be added: types count from 1, and {known_types()} are known already.",
            value=kind.number, expected="a type that is not known yet, from 1", where="register_plate_type",
        )  # fmt: skip
    _TYPES.add(kind.number, kind)


def plate_type(number: int) -> PlateType | None:
    """Return the type of a number.

    Parameters
    ----------
    number : int
        FORCE_PLATFORM:TYPE as the file stores it.

    Returns
    -------
    PlateType | None
        None where no such type is known.
    """
    return _TYPES.get(number)


def known_types() -> str:
    """Return the known types in words.

    Returns
    -------
    str
        "1 to 4"; "1, 2, 3, 4, 7" where they do not follow on each other.
    """
    numbers = sorted(_TYPES)
    in_a_row = numbers == list(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]} to {numbers[-1]}" if in_a_row else ", ".join(map(str, numbers))
