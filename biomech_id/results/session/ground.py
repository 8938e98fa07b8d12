"""The ground's action on one foot, in the quantities people plot.

The wrench of the floor about the laboratory's origin, force F and moment M, acts at the centre of pressure p on the floor's plane
z = h with a free moment T about the vertical: M = p x F + (0, 0, T).  Its three components give ::

    p_x = (h F_x - M_y) / F_z,   p_y = (h F_y + M_x) / F_z,   T = M_z - (p_x F_y - p_y F_x).

Dividing by F_z makes p worthless at low force, so it is given only above a share of the body's weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN

#: Vertical force below which no centre of pressure is given, as a share of body weight:
#: a child's 5 % is 10 N, an adult's 40 N.
PRESSURE_SHARE_OF_WEIGHT = 0.05
#: Horizontal travel of the pelvis (m) below which it shows no direction:
#: on a treadmill, or standing.
LEAST_WALK_M = 0.3


def pressure_threshold_N(mass_kg: float) -> float:
    """Vertical force (N) above which a centre of pressure is given, for a body of ``mass_kg``.

    Parameters
    ----------
    mass_kg : float
        Body mass.
    """
    return PRESSURE_SHARE_OF_WEIGHT * mass_kg * GRAVITY_M_S2


def centre_of_pressure(
    force_lab_N: FloatArray, moment_lab_Nm: FloatArray, *, least_force_N: float, floor_m: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return the centre of pressure and the free moment.

    Parameters
    ----------
    force_lab_N, moment_lab_Nm : FloatArray
        (n, 3), action of the ground on the foot, laboratory axes, moment about the laboratory's origin.
    least_force_N : float
        Vertical force below which both results are NaN.
    floor_m : float, optional
        Height of the floor's plane, laboratory Z.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        cop_lab_m (n, 3), laboratory axes, metres; free_moment_Nm (n,), about the upward vertical at that point.
    """
    loaded = force_lab_N[:, 2] > least_force_N
    vertical = np.where(loaded, force_lab_N[:, 2], np.nan)
    x = (floor_m * force_lab_N[:, 0] - moment_lab_Nm[:, 1]) / vertical
    y = (floor_m * force_lab_N[:, 1] + moment_lab_Nm[:, 0]) / vertical
    free = moment_lab_Nm[:, 2] - (x * force_lab_N[:, 1] - y * force_lab_N[:, 0])
    return np.column_stack([x, y, np.where(loaded, floor_m, np.nan)]), free


def walking_direction(path_lab_m: FloatArray) -> FloatArray | None:
    """Return the horizontal direction from the first to the last seen point of a path.

    Parameters
    ----------
    path_lab_m : FloatArray
        (n, 3), for instance the pelvis, metres, laboratory axes; NaN where not seen.

    Returns
    -------
    FloatArray | None
        (3,), unit vector with Z = 0, laboratory axes; None if the path is shorter than `LEAST_WALK_M` or never seen.
    """
    seen = path_lab_m[np.isfinite(path_lab_m).all(axis=1)]
    if len(seen) < 2:
        return None
    travel = seen[-1] - seen[0]
    travel[2] = 0.0
    length = float(np.linalg.norm(travel))
    return None if length < LEAST_WALK_M else np.asarray(travel / length, dtype=np.float64)


def progression_components(vector_lab: FloatArray, forward_lab: FloatArray, side: str) -> FloatArray:
    """Return X forward, Y towards the other foot, Z up (n, 3) of a vector given in laboratory axes.

    Parameters
    ----------
    vector_lab : FloatArray
        (n, 3), laboratory axes.
    forward_lab : FloatArray
        (3,), horizontal unit vector of the walking direction.
    side : str
        "L" or "R"; the other foot is to the right of the left one.
    """
    left_lab = np.array([-forward_lab[1], forward_lab[0], 0.0])
    towards_other = -SIDE_SIGN[side] * left_lab
    return np.column_stack([vector_lab @ forward_lab, vector_lab @ towards_other, vector_lab[:, 2]])


@dataclass(frozen=True, eq=False)
class FlatFoot:
    """The floor as one planted foot sees it: axes fixed to the foot while it is flat.

    Attributes
    ----------
    side : str
        "L" or "R".
    origin_lab_m : FloatArray
        (3,), the rearmost point of the outline, on the foot's long axis.
    forward_lab : FloatArray
        (3,), horizontal unit vector from heel to toe.
    outline_m : FloatArray
        (k, 2), the foot's outline in these axes: X forward, Y towards the other foot, metres.
    """

    side: str
    origin_lab_m: FloatArray
    forward_lab: FloatArray
    outline_m: FloatArray

    def components(self, point_lab_m: FloatArray) -> FloatArray:
        """Return X forward from the heel, Y medially (n, 2), metres, of points (n, 3) in the laboratory.

        Parameters
        ----------
        point_lab_m : FloatArray
            (n, 3), laboratory axes, metres.
        """
        return progression_components(point_lab_m - self.origin_lab_m, self.forward_lab, self.side)[:, :2]


def flat_foot(outline_lab_m: FloatArray, ankle_lab_m: FloatArray, flat: BoolArray, side: str) -> FlatFoot | None:
    """Return the axes of a foot averaged over the frames in which it is flat; None if it is not seen in any of them.

    The long axis is the principal direction of the outline's horizontal spread; it points from the ankle to the outline's centre.

    Parameters
    ----------
    outline_lab_m : FloatArray
        (n, k, 3), outline points, metres, laboratory axes.
    ankle_lab_m : FloatArray
        (n, 3), ankle joint centre, which lies behind the outline's centre.
    flat : BoolArray
        (n,), the frames to average.
    side : str
        "L" or "R".
    """
    seen = flat & np.isfinite(outline_lab_m).all(axis=(1, 2)) & np.isfinite(ankle_lab_m).all(axis=1)
    if not seen.any() or outline_lab_m.shape[1] < 3:
        return None
    outline = outline_lab_m[seen].mean(axis=0)
    centre = outline.mean(axis=0)
    _, _, directions = np.linalg.svd((outline - centre)[:, :2])
    forward = np.array([directions[0, 0], directions[0, 1], 0.0])
    forward *= np.sign(forward @ (centre - ankle_lab_m[seen].mean(axis=0))) or 1.0
    along = (outline - centre) @ forward
    origin = centre + along.min() * forward
    origin[2] = 0.0
    return FlatFoot(side, origin, forward, progression_components(outline - origin, forward, side)[:, :2])


def inside_outline(point: FloatArray, outline: FloatArray, *, margin_m: float) -> BoolArray:
    """Whether points lie inside a convex outline widened by a margin.

    Parameters
    ----------
    point : FloatArray
        (n, 2), metres.
    outline : FloatArray
        (k, 2), corners in order around a convex polygon, metres, in the same axes.
    margin_m : float
        How far outside still counts as inside.

    Returns
    -------
    BoolArray
        (n,), False where the point is NaN.
    """
    edge = np.roll(outline, -1, axis=0) - outline
    turn = np.sign(np.sum(outline[:, 0] * np.roll(outline[:, 1], -1) - outline[:, 1] * np.roll(outline[:, 0], -1)))
    outward = turn * np.column_stack([edge[:, 1], -edge[:, 0]])
    length = np.linalg.norm(outward, axis=1)
    outward = outward[length > 0] / length[length > 0, None]
    corners = outline[length > 0]
    distance = np.einsum("nkj,kj->nk", point[:, None, :] - corners[None, :, :], outward)
    return np.asarray((distance <= margin_m).all(axis=1))
