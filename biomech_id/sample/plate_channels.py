"""Raw force-plate channels: what a plate of each C3D type would have recorded.

The inverse of what a reader does, from the definition of the types in the C3D user guide (FORCE_PLATFORM:TYPE). With plate axes
x = unit(c1 - c2), z = unit(x cross (c1 - c4)) (down), y = z cross x, and force F and moment M about the middle of the surface::

    type 1: F, centre of pressure (p_x, p_y) on the surface, free moment:  M = (p_x, p_y, 0) x F + (0, 0, T)
    type 2: F, M_raw = M - F x o, with o the stored origin (its sign such that o_z < 0): moments about the transducers' origin
    type 3: four corner posts at (+-a, +-b): Fx12, Fx34, Fy14, Fy23, Fz1 ... Fz4
    type 4: as type 2, seen through the inverse of a 6 x 6 calibration matrix
"""

from __future__ import annotations

import numpy as np

from biomech_id.conventions import MM_PER_M
from biomech_id.sample.arrays import FloatArray
from biomech_id.trial import ForcePlate
from biomech_id.values import dataclass

#: Transducer origin of types 2 and 4 as stored (mm): beneath the surface, with the small misalignment real plates have.
ORIGIN_MM = (0.4, -0.7, 38.5)
#: Half distances between the posts of a type 3 plate along x and y, and their depth, mm.
POSTS_MM = (120.0, 200.0, -48.0)
#: Force below which a type 1 plate reports no centre of pressure, N.
LEAST_FORCE_N = 1e-6
_FORCES_AND_MOMENTS = (("Fx", "Fy", "Fz", "Mx", "My", "Mz"), ("N", "N", "N", "Nmm", "Nmm", "Nmm"))
#: C3D type -> labels and units of its channels.
CHANNELS: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {
    1: (("Fx", "Fy", "Fz", "Px", "Py", "Tz"), ("N", "N", "N", "mm", "mm", "Nmm")),
    2: _FORCES_AND_MOMENTS,
    3: (("Fx12", "Fx34", "Fy14", "Fy23", "Fz1", "Fz2", "Fz3", "Fz4"), ("N",) * 8),
    4: _FORCES_AND_MOMENTS,
}


@dataclass(frozen=True, eq=False)
class PlateChannels:
    """Channels of one plate in file units, and its FORCE_PLATFORM entries.

    Attributes
    ----------
    kind : int
        C3D type of the plate, 1 to 4.
    channels : FloatArray
        (k, m), one row a channel, in ``units``.
    labels : tuple[str, ...]
        Names of the k channels.
    units : tuple[str, ...]
        Units of the k channels, as in the file.
    corners_mm : FloatArray
        (4, 3), laboratory axes, in the file's order.
    origin_mm : FloatArray
        (3,), ORIGIN as stored, plate axes.
    calibration : FloatArray
        (6, 6), CAL_MATRIX; identity except for type 4.
    """

    kind: int
    channels: FloatArray
    labels: tuple[str, ...]
    units: tuple[str, ...]
    corners_mm: FloatArray
    origin_mm: FloatArray
    calibration: FloatArray


def plate_channels(plate: ForcePlate) -> PlateChannels:
    """The raw channels that a plate of its type would have recorded for its reaction.

    Parameters
    ----------
    plate : ForcePlate
        The plate with what it measured.

    Returns
    -------
    PlateChannels
        In the units of the file, N, mm and N mm.
    """
    R = channel_axes(plate.corners_m)
    force, moment = plate.force_lab_N @ R, plate.moment_lab_Nm @ R * MM_PER_M
    kind, eye = plate.kind, np.eye(6)
    corners = plate.corners_m * MM_PER_M
    if kind == 1:
        return PlateChannels(1, _type_1(force, moment), *CHANNELS[1], corners, np.zeros(3), eye)
    if kind == 3:
        return PlateChannels(3, _type_3(force, moment), *CHANNELS[3], corners, np.array(POSTS_MM), eye)
    origin = np.array(ORIGIN_MM)
    raw = np.concatenate([force, moment - np.cross(force, -origin)], axis=1)
    if kind == 4:
        calibration = _calibration()
        return PlateChannels(4, np.linalg.solve(calibration, raw.T), *CHANNELS[4], corners, origin, calibration)
    return PlateChannels(2, raw.T, *CHANNELS[2], corners, origin, eye)


def channel_axes(corners_m: FloatArray) -> FloatArray:
    """A plate's axes from its corners.

    Parameters
    ----------
    corners_m : FloatArray
        (4, 3), in the order of the file, laboratory axes.

    Returns
    -------
    FloatArray
        R_lab_plate (3, 3); z points down.
    """
    c1, c2, _, c4 = corners_m
    x = (c1 - c2) / np.linalg.norm(c1 - c2)
    z = np.cross(x, c1 - c4)
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _type_1(force: FloatArray, moment: FloatArray) -> FloatArray:
    fx, fy, fz = force.T
    loaded = np.abs(fz) > LEAST_FORCE_N
    safe = np.where(loaded, fz, 1.0)
    # M_x = p_y F_z and M_y = -p_x F_z on the surface.
    px, py = np.where(loaded, -moment[:, 1] / safe, 0.0), np.where(loaded, moment[:, 0] / safe, 0.0)
    free = moment[:, 2] - (px * fy - py * fx)
    return np.stack([fx, fy, fz, px, py, free])


def _type_3(force: FloatArray, moment: FloatArray) -> FloatArray:
    """Share a wrench among four posts; moments first moved to the posts' own plane."""
    a, b, depth = POSTS_MM
    about_posts = moment - np.cross(force, np.array([0.0, 0.0, depth]))
    (fx, fy, fz), (mx, my, mz) = force.T, about_posts.T
    fx12 = fx / 2 - mz / (4 * b)
    fy14 = fy / 2 + mz / (4 * a)
    quarter, roll, pitch = fz / 4, mx / (4 * b), my / (4 * a)
    posts = [quarter + roll - pitch, quarter + roll + pitch, quarter - roll + pitch, quarter - roll - pitch]
    return np.stack([fx12, fx - fx12, fy14, fy - fy14, *posts])


def _calibration() -> FloatArray:
    """A calibration matrix with gains and crosstalk of a real plate's size; millimetres and newtons."""
    matrix = np.diag([1.46, 1.45, 5.76, 592.0, 591.0, 300.0])
    crosstalk = np.array([
        [0.0, 0.003, -0.002, 0.0, 0.0, 0.0], [-0.002, 0.0, 0.001, 0.0, 0.0, 0.0], [0.004, -0.003, 0.0, 0.0, 0.0, 0.0],
        [0.3, 0.8, -0.5, 0.0, 1.1, -0.4], [-0.6, 0.2, 0.7, -0.9, 0.0, 0.5], [0.1, -0.4, 0.3, 0.6, -0.2, 0.0],
    ])  # fmt: skip
    return np.asarray(matrix + crosstalk)
