"""The ground's action on one foot, in the quantities people plot.

The wrench of the floor about the laboratory's origin, force F and moment M, acts at the centre of pressure p on the floor's plane
z = h with a free moment T about the vertical: M = p x F + (0, 0, T).  Its three components give ::

    p_x = (h F_x - M_y) / F_z,   p_y = (h F_y + M_x) / F_z,   T = M_z - (p_x F_y - p_y F_x).

Dividing by F_z makes p worthless at low force, so it is given only above a share of the body's weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN
from biomech_id.dynamics.body import FootContact
from biomech_id.feet.stance_intervals import frames_between
from biomech_id.gait.verdict import EDGE_TOLERANCE_S
from biomech_id.movement.stance import Stance
from biomech_id.trial import ForcePlate
from biomech_id.values import dataclass

#: Vertical force below which no centre of pressure is given, as a share of body weight: a child's 5 % is 10 N, an adult's 40 N.
PRESSURE_SHARE_OF_WEIGHT = 0.05
#: Horizontal travel of the pelvis (m) below which it shows no direction: on a treadmill, or standing.
LEAST_WALK_M = 0.3
#: Plates whose corners differ in height by less than this are level (laboratories' surveys err by millimetres).
LEVEL_M = 0.02
#: Height of the floor, laboratory Z, metres: one for all, or side -> (n,).
FloorHeight = float | Mapping[str, FloatArray]


def pressure_threshold_N(mass_kg: float) -> float:
    """Vertical force (N) above which a centre of pressure is given, for a body of ``mass_kg``.

    Parameters
    ----------
    mass_kg : float
        Mass of the whole body, kg.

    Returns
    -------
    float
        N.
    """
    return PRESSURE_SHARE_OF_WEIGHT * mass_kg * GRAVITY_M_S2


def centre_of_pressure(
    force_lab_N: FloatArray, moment_lab_Nm: FloatArray, *, least_force_N: float, floor_m: float | FloatArray = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return the centre of pressure and the free moment.

    Parameters
    ----------
    force_lab_N, moment_lab_Nm : FloatArray
        (n, 3), action of the ground on the foot, laboratory axes, moment about the laboratory's origin.
    least_force_N : float
        Vertical force below which both results are NaN.
    floor_m : float | FloatArray, optional
        Height of the floor's plane, laboratory Z; (n,) where it changes.

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


def surfaces_under(
    contacts: Mapping[str, FootContact], stances: Sequence[Stance], plates: Sequence[ForcePlate], time_s: FloatArray
) -> FloorHeight:
    """Return the height of the surface that the centre of pressure of each foot lies on.

    Parameters
    ----------
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    stances : Sequence[Stance]
        Of the trial, with the plates that each is on.
    plates : Sequence[ForcePlate]
        All plates of the trial, by whose names stances call them.
    time_s : FloatArray
        (n,), absolute seconds of its frames.

    Returns
    -------
    FloorHeight
        One height for level plates; else side -> (n,), the surface of the plate that the foot is on, and the plates' median between
        stances.
    """
    if not plates:
        return 0.0
    usual = float(np.median([plate.centre_m[2] for plate in plates]))
    if np.ptp(np.concatenate([plate.corners_m[:, 2] for plate in plates])) < LEVEL_M:
        return usual
    floors = {side: np.full(len(time_s), usual) for side in contacts}
    named = {plate.name: plate for plate in plates}
    for stance in (stance for stance in stances if stance.plates and stance.side in contacts):
        contact, plate = contacts[stance.side], named[stance.plates[0]]
        first_s, last_s = np.nan_to_num(stance.start_s, nan=-np.inf), np.nan_to_num(stance.end_s, nan=np.inf)
        # A load may begin before its stance's strike, and last beyond its off, by the events' own doubt.
        near = frames_between(time_s, float(first_s) - EDGE_TOLERANCE_S, float(last_s) + EDGE_TOLERANCE_S)
        during = near.start + np.flatnonzero(contact.force_lab_N[near, 2] > 0)
        floors[stance.side][during] = _surface_m(plate, contact.force_lab_N[during], contact.moment_lab_Nm[during])
    return floors


def _surface_m(plate: ForcePlate, force_lab_N: FloatArray, moment_lab_Nm: FloatArray) -> FloatArray:
    """Height (k,) of a plate's surface where forces (k, 3) act on it: p = C + n x M_C / (n . F), with n the surface's normal."""
    normal = np.cross(plate.corners_m[0] - plate.corners_m[1], plate.corners_m[0] - plate.corners_m[3])
    about_centre = moment_lab_Nm - np.cross(plate.centre_m, force_lab_N)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(plate.centre_m[2] + np.cross(normal, about_centre)[:, 2] / (force_lab_N @ normal))


def floor_of(floor_m: FloorHeight, side: str) -> float | FloatArray:
    """Return the height of the floor under one foot.

    Parameters
    ----------
    floor_m : FloorHeight
        One height, or side -> (n,).
    side : str
        Foot whose floor is wanted: "L" or "R".

    Returns
    -------
    float | FloatArray
        Metres over the laboratory's origin: one number, or (n,) where it changes from frame to frame.
    """
    return floor_m[side] if isinstance(floor_m, Mapping) else floor_m


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

    Returns
    -------
    FloatArray
        (n, 3), in the vectors' unit: forward, towards the other foot, up.
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
        Foot that is meant: "L" or "R".
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

        Returns
        -------
        FloatArray
            (n, 2), metres: forward from the heel, and towards the other foot.
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
        Foot that is meant: "L" or "R"; says on which side the other foot is.

    Returns
    -------
    FlatFoot | None
        Origin on the floor, direction and outline; None if it is not seen.
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


def beyond_outline_m(point: FloatArray, outline: FloatArray) -> FloatArray:
    """How far points lie beyond a convex outline: beyond that of its edges which they are farthest outside of.

    Parameters
    ----------
    point : FloatArray
        (n, 2), points that are asked about, metres.
    outline : FloatArray
        (k, 2), corners in order around a convex polygon, metres, in the same axes.

    Returns
    -------
    FloatArray
        (n,), metres, negative inside; NaN where the point is NaN.
    """
    edge = np.roll(outline, -1, axis=0) - outline
    outward = np.column_stack([edge[:, 1], -edge[:, 0]])
    outward *= np.sign(np.sum(outline * outward))  # the sign of the polygon's area
    length = np.linalg.norm(edge, axis=1)
    real = length > 0
    return np.asarray(np.einsum("nkj,kj->nk", point[:, None] - outline[real], outward[real] / length[real, None]).max(axis=1))
