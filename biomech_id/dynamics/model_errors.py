"""What a body model tells of its own errors: how its hip centres were found, and what follows a joint centre that is off.

A model that finds each joint centre from the one before it carries an error on; `biomech_id.uncertainty` follows it through the
equations of motion. These values are where the two meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS

#: Points that carry the markers' noise:
#: the foot's tip, and the proximal joint centre of each segment.
NOISY_POINTS: tuple[str, ...] = ("tip", *JOINTS)


class HipCentreMethod(StrEnum):
    """How a hip centre was found; each method misses by its own distance."""

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


@dataclass(frozen=True, eq=False)
class ModelErrors:
    """How the errors of a calibrated body model hang together.

    Attributes
    ----------
    hip_centre : Mapping[str, HipCentreMethod], optional
        How each hip centre was found, by side.
    couplings : Mapping[tuple[str, str], ErrorCoupling], optional
        (side, segment) -> how far a misplaced proximal joint centre takes the distal one along.
    point_noise : Mapping[str, FloatArray], optional
        Side -> (12, 12), covariance of `NOISY_POINTS` per variance of a marker coordinate; three components a point, in the axes of
        the foot (tip, ankle), shank (knee) and thigh (hip). A side not named: each point is as noisy as a marker.
    """

    hip_centre: Mapping[str, HipCentreMethod] = field(default_factory=dict)
    couplings: Mapping[tuple[str, str], ErrorCoupling] = field(default_factory=dict)
    point_noise: Mapping[str, FloatArray] = field(default_factory=dict)
