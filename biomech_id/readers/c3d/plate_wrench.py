"""From a plate's raw channels to force and moment about its surface centre, in file axes.

Plate axes follow from the corners c1..c4: x = c1 - c2, z = x cross (c1 - c4), which points down, y = z cross x. With the plate's
ORIGIN o (negated whole where its z is positive, so that o_z < 0) the moment about the surface centre is M + F x o.
Everything here is as stored: no sign is turned, nothing is subtracted.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.plate_setup import PlateSetup
from biomech_id.readers.c3d.plate_types import plate_type

#: Below this vertical force a centre of pressure is noise divided by noise.
COP_THRESHOLD_N = 50.0


def plate_axes(corners: FloatArray) -> FloatArray:
    """Return the rotation from the plate's axes to the file's.

    Parameters
    ----------
    corners : FloatArray
        (4, 3), file axes.

    Returns
    -------
    FloatArray
        R_file_plate, (3, 3): the plate's x, y and z (down) as columns; NaN for a plate without area.
    """
    x = corners[0] - corners[1]
    z = np.cross(x, corners[0] - corners[3])
    y = np.cross(z, x)
    return np.stack([x / np.linalg.norm(x), y / np.linalg.norm(y), z / np.linalg.norm(z)], axis=1)


def stored_wrench(setup: PlateSetup, channels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return force and moment about the surface centre as the file stores them.

    Parameters
    ----------
    setup : PlateSetup
        A plate without a problem.
    channels : FloatArray
        (n_samples, 6 or 8), its analog channels in their physical units.

    Returns
    -------
    force : FloatArray
        (n_samples, 3), file axes, in the channels' unit.
    moment : FloatArray
        (n_samples, 3), file axes, about the surface centre; in the force's unit times POINT:UNITS (types 1 and 3) or in the moment
        channels' unit, to which the lever arm of ORIGIN is added in POINT:UNITS (types 2 and 4).
    """
    kind, matrix = plate_type(setup.kind), np.eye(6) if setup.matrix is None else setup.matrix
    assert kind is not None
    force, moment = kind.wrench(channels, setup.origin, matrix)
    to_file = plate_axes(setup.corners).T
    return force @ to_file, moment @ to_file


def plate_centre_of_pressure(setup: PlateSetup, force: FloatArray, moment: FloatArray) -> FloatArray:
    """Return where the force meets the surface.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    force : FloatArray
        (n_samples, 3), file axes, N.
    moment : FloatArray
        (n_samples, 3), about the surface centre, file axes.

    Returns
    -------
    FloatArray
        (n_samples, 2), from the surface's centre along the plate's x and y, in the moment's unit per newton; NaN below 50 N.
    """
    axes = plate_axes(setup.corners)
    force, moment = force @ axes, moment @ axes
    with np.errstate(divide="ignore", invalid="ignore"):
        cop = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / force[:, 2:]
        cop[~(np.abs(force[:, 2]) > COP_THRESHOLD_N)] = np.nan
    return cop
