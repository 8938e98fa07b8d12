"""From a plate's raw channels to force and moment about its surface centre, in file axes.

Plate axes follow from the corners c1..c4: x = c1 - c2, z = x cross (c1 - c4), which points down, y = z cross x. With the plate's
ORIGIN o (negated whole where its z is positive, so that o_z < 0) the moment about the surface centre is M + F x o.
Everything here is as stored: no sign is turned, nothing is subtracted.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.plate_setup import PlateSetup

#: Below this vertical force a centre of pressure is noise divided by noise.
COP_THRESHOLD_N = 50.0


def plate_axes(corners: FloatArray) -> FloatArray:
    """Return R_file_plate, (3, 3): the plate's x, y and z (down) as columns."""
    x = corners[0] - corners[1]
    z = np.cross(x, corners[0] - corners[3])
    y = np.cross(z, x)
    return np.stack([x / np.linalg.norm(x), y / np.linalg.norm(y), z / np.linalg.norm(z)], axis=1)


def stored_wrench(setup: PlateSetup, channels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return force and moment about the surface centre, each (n_samples, 3), file axes, as the file stores them.

    Parameters
    ----------
    setup : a plate without a problem.
    channels : (n_samples, 6 or 8), its analog channels in their physical units.

    Returns
    -------
    force in the channels' unit; moment in that unit times POINT:UNITS (types 1 and 3) or in the moment channels' unit, to
    which the lever arm of ORIGIN is added in POINT:UNITS (types 2 and 4).
    """
    force, moment = _OF_KIND[setup.kind](setup, channels)
    to_file = plate_axes(setup.corners).T
    return force @ to_file, moment @ to_file


def centre_of_pressure(setup: PlateSetup, force: FloatArray, moment: FloatArray) -> FloatArray:
    """Return where the force meets the surface, (n_samples, 2), from its centre along the plate's x and y; NaN below 50 N."""
    axes = plate_axes(setup.corners)
    force, moment = force @ axes, moment @ axes
    with np.errstate(divide="ignore", invalid="ignore"):
        cop = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / force[:, 2:]
        cop[~(np.abs(force[:, 2]) > COP_THRESHOLD_N)] = np.nan
    return cop


def _force_and_cop(setup: PlateSetup, channels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 1: Fx Fy Fz, centre of pressure Px Py, free moment Tz. M = p x F + T."""
    force = channels[:, :3]
    point = np.stack([channels[:, 3], channels[:, 4], np.zeros(len(channels))], axis=1)
    moment = np.cross(point, force)
    moment[:, 2] += channels[:, 5]
    return force, moment


def _force_and_moment(setup: PlateSetup, channels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 2: force and moment about the plate's own origin."""
    force = channels[:, :3]
    return force, channels[:, 3:6] + np.cross(force, _below_surface(setup.origin))


def _eight_forces(setup: PlateSetup, channels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 3: Fx12 Fx34 Fy14 Fy23 Fz1 Fz2 Fz3 Fz4, sensors at (+-a, +-b), a and b being the first two numbers of ORIGIN."""
    a, b = setup.origin[:2]
    x12, x34, y14, y23, z1, z2, z3, z4 = channels.T
    force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=1)
    moment = np.stack([b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (-x12 + x34) + a * (y14 - y23)], axis=1)
    depth = np.array([0.0, 0.0, -abs(setup.origin[2])])
    return force, moment + np.cross(force, depth)


def _with_matrix(setup: PlateSetup, channels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 4: type 2 after multiplication with the calibration matrix."""
    assert setup.matrix is not None
    return _force_and_moment(setup, channels @ setup.matrix.T)


def _below_surface(origin: FloatArray) -> FloatArray:
    """ORIGIN as it should have been stored: from the surface to the sensors' origin, negative z."""
    return -origin if origin[2] > 0 else origin


_OF_KIND = {1: _force_and_cop, 2: _force_and_moment, 3: _eight_forces, 4: _with_matrix}
