"""What a body model states of its own errors: the method of its hip centres, and what follows a joint centre that is off.

A model that finds each joint centre from the one before it carries an error on; `biomech_id.uncertainty` follows it through the
equations of motion. These values are where the two meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.anatomy import JOINTS
from biomech_id.values import dataclass, field

#: Points that carry the markers' noise: the foot's tip, and the proximal joint centre of each segment.
NOISY_POINTS: tuple[str, ...] = ("tip", *JOINTS)


@dataclass(frozen=True)
class CentreError:
    """How far a way to a joint centre misses it.

    Attributes
    ----------
    sd_mm : float
        Standard deviation about its mean error along each axis, millimetres.
    why : str
        The measurement or paper behind the number.
    size : str, optional
        Name under which a recipe's ``error_sizes`` change it; "" where they do not.
    has_shift : bool, optional
        Whether the mean error is known and told as a shift.
    """

    sd_mm: float
    why: str
    size: str = ""
    has_shift: bool = False


DAVIS_ERROR = CentreError(
    7.5, "25.0 ± 6.7 mm from the centre in CT of 67 adults, over three axes (Mantovani et al. 2016, Gait Posture 44:48): "
    "its mean is a shift, and told as one", "hip_centre_davis_mm", has_shift=True,
)  # fmt: skip
#: Of every other way of the library's, and of a way that says nothing of its error.
HIP_ERROR = CentreError(
    8.0, "Harrington's regression 12.3 ± 5.9 mm in the same study; functional 13.4 mm (Hicks and Richards 2005, "
    "Gait Posture 22:138); over three axes", "hip_centre_mm",
)  # fmt: skip


class HipCentreMethod(StrEnum):
    """How the library itself finds a hip centre."""

    DAVIS = "davis"
    BELL = "bell"
    HARRINGTON = "harrington"
    HARA = "hara"
    FUNCTIONAL = "functional"
    STORED = "stored"
    OWN = "own"


@dataclass(frozen=True, eq=False)
class ErrorCoupling:
    """What a model does to the distal joint and the axes of a segment whose proximal joint centre is off.

    Attributes
    ----------
    shift : FloatArray
        (3, 3), shift of the distal joint centre per shift of the proximal one, both in segment axes.
    turn_rad_m : FloatArray
        (3,), by how much the axes turn about the segment's length (from distal to proximal) per metre along each of them.
    """

    shift: FloatArray
    turn_rad_m: FloatArray


#: Vectors of a `LegResponse`: turns of foot, shank, thigh and pelvis; shifts of ankle, knee and hip centre; shifts of the centres
#: of mass of foot, shank and thigh. For each the segment (0 foot, 1 shank, 2 thigh, 3 pelvis) in whose axes it is written.
CARRIERS: tuple[int, ...] = (0, 1, 2, 3, 1, 2, 3, 0, 1, 2)


@dataclass(frozen=True)
class MovedMarker:
    """A marker that is off along one axis of its segment.

    Attributes
    ----------
    name : str
        The marker's name in the marker set.
    role : str
        What it lies on, "heel"; empty for one of a cluster.
    segment : str
        Name of the segment that it moves with.
    axis : int
        0, 1 or 2: along which of the segment's axes it is off.
    """

    name: str
    role: str
    segment: str
    axis: int


@dataclass(frozen=True, eq=False)
class LegResponse:
    """What markers that are off do to the poses of a leg and of the pelvis, ten vectors each (see `CARRIERS`).

    Attributes
    ----------
    moved : tuple[MovedMarker, ...]
        The q displacements, one marker along one axis each.
    frames : IntArray
        (K,), rows of the trial that were looked at.
    walking : FloatArray
        (q, K, 10, 3), rad or m per metre by which the marker is off in the walk alone. Rows beyond ``moved`` are by one standard
        deviation of what the fit of the model is not sure of.
    carried : FloatArray
        (q, 10, 3), the same of what the static trial carries into the walk.
    widths : Mapping[str, FloatArray]
        "knee", "ankle" -> (10, 3), the same per metre of the joint's width.
    """

    moved: tuple[MovedMarker, ...]
    frames: IntArray
    walking: FloatArray
    carried: FloatArray
    widths: Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class BodyResponse:
    """What markers that are off do to the angles above the pelvis and to the centre of mass, in K frames.

    Attributes
    ----------
    moved : tuple[MovedMarker, ...]
        The P displacements; markers of both legs, or of both arms, are moved together. Of "trunk", "head" and "arm" the segment
        says what their sizes are called by.
    frames : IntArray
        (K,), rows of the trial that were looked at.
    walking, placed : Mapping[str, FloatArray]
        Side -> (P, K, 19), its angles in the order of the sign table, rad per metre by which the marker is off in the walk alone,
        and in static trial and walk.
    com : FloatArray
        (P, K, 3), metres per metre, laboratory axes; zero without a whole body.
    """

    moved: tuple[MovedMarker, ...]
    frames: IntArray
    walking: Mapping[str, FloatArray]
    placed: Mapping[str, FloatArray]
    com: FloatArray


class MovableBody(Protocol):
    """A trial whose markers answer to being moved."""

    def around(self, first: int, last: int) -> BodyResponse | None:
        """Return what every marker does in the frames from one row to another; None where too few of them show all markers.

        Parameters
        ----------
        first, last : int
            Rows of the trial.
        """


@dataclass(frozen=True, eq=False)
class ModelErrors:
    """How the errors of a calibrated body model hang together.

    Attributes
    ----------
    hip_centre : Mapping[str, str], optional
        Side -> how its hip centre was found: a `HipCentreMethod`, or the name of a registered way.
    couplings : Mapping[tuple[str, str], ErrorCoupling], optional
        (side, segment) -> how far a misplaced proximal joint centre takes the distal one along.
    point_noise : Mapping[str, FloatArray], optional
        Side -> (12, 12), covariance of `NOISY_POINTS` per variance of a marker coordinate; three components a point, in the axes of
        the foot (tip, ankle), shank (knee) and thigh (hip). A side not named: each point is as noisy as a marker.
    hip_errors : Mapping[str, CentreError], optional
        Side -> how far its hip centre is off. A side not named has the error of the library's method in ``hip_centre``.
    """

    hip_centre: Mapping[str, str] = field(default_factory=dict)
    couplings: Mapping[tuple[str, str], ErrorCoupling] = field(default_factory=dict)
    point_noise: Mapping[str, FloatArray] = field(default_factory=dict)
    hip_errors: Mapping[str, CentreError] = field(default_factory=dict)

    def hip_error(self, side: str) -> CentreError:
        """Return how far the hip centre of a side can be off.

        Parameters
        ----------
        side : str
            Side of the hip: "L" or "R".

        Returns
        -------
        CentreError
            As the model says it, else of the library's own method.
        """
        davis = self.hip_centre.get(side) == HipCentreMethod.DAVIS
        return self.hip_errors.get(side, DAVIS_ERROR if davis else HIP_ERROR)
