"""What a file with poses says of the segments' masses and of points of the feet.

Theia3D (group THEIA3D) keeps, for each segment, INERTIA_<segment>: its length, then for women and for men the share of body mass,
the centre of mass (x, y, z) and the radii of gyration (x, y, z), metres in the segment's axes; LHEEL_POS and RHEEL_POS are places
in the foot's axes. Our own files (group BIOMECH_ID) keep INERTIA_<segment>: share of body mass, centre of mass, and the tensor for
each kg (xx, yy, zz, xy, xz, yz; m2); POINT_<segment>_<point>: a place in the segment's axes, m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.trial.rotations import SegmentShare

OWN_GROUP, THEIA_GROUP = "BIOMECH_ID", "THEIA3D"
#: Of one segment: length; share, centre, radii of women, and of men. Ours: share, centre, tensor.
_THEIA_NUMBERS, OWN_NUMBERS = 15, 10
_ENDING = "_4X4"
_HEELS = {"L_FOOT": "LHEEL_POS", "R_FOOT": "RHEEL_POS"}
#: A parameter's name in a file has no blanks.
_POINTS = ("heel", "toe")


def read_shares(parameters: Parameters, names: Sequence[str]) -> dict[str, Mapping[str, SegmentShare]]:
    """Return the segments' masses that a file tells: name -> sex ("female", "male", "" for either) -> share.

    Parameters
    ----------
    parameters : Parameters
        Of the file.
    names : Sequence[str]
        Of its poses.
    """
    shares: dict[str, Mapping[str, SegmentShare]] = {}
    for name in names:
        own = parameters.numbers(OWN_GROUP, f"INERTIA_{parameter_name(name)}").ravel()
        theirs = parameters.numbers(THEIA_GROUP, f"INERTIA_{_theia_name(name)}").ravel()
        found: dict[str, SegmentShare] = {}
        if len(own) == OWN_NUMBERS and _plausible(own[0]):
            xx, yy, zz, xy, xz, yz = own[4:]
            found[""] = SegmentShare(float(own[0]), own[1:4], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        elif len(theirs) == _THEIA_NUMBERS and np.isfinite(theirs).all():
            for sex, start in (("female", 1), ("male", 8)):
                share, com, radii = float(theirs[start]), theirs[start + 1 : start + 4], theirs[start + 4 : start + 7]
                if _plausible(share):
                    found[sex] = SegmentShare(share, com.astype(float), np.diag(radii.astype(float) ** 2))
        if found:
            shares[name] = found
    return shares


def read_foot_points(parameters: Parameters, names: Sequence[str]) -> dict[tuple[str, str], FloatArray]:
    """Return the places that a file names on its segments: (name, "heel" or "toe") -> (3,), m, in the segment's axes.

    Parameters
    ----------
    parameters : Parameters
        Of the file.
    names : Sequence[str]
        Of its poses.
    """
    found: dict[tuple[str, str], FloatArray] = {}
    for name in names:
        heel = _HEELS.get(_theia_name(name), "")
        places = {("heel"): (THEIA_GROUP, heel)} if heel else {}
        places |= {p: (OWN_GROUP, f"{p.upper()}_{parameter_name(name)}") for p in _POINTS
                   if parameters.find(OWN_GROUP, f"{p.upper()}_{parameter_name(name)}")}  # fmt: skip
        for point, where in places.items():
            place = parameters.numbers(*where).ravel()
            if len(place) == 3 and np.isfinite(place).all() and np.abs(place).max() < 1.0:
                found[name, point] = place.astype(float)
    return found


def read_cutoff_hz(parameters: Parameters) -> float:
    """Return the cut-off of the low-pass filter that a system says it has applied, Hz; 0 where it says none.

    Parameters
    ----------
    parameters : Parameters
        Of the file.
    """
    cutoff = parameters.number(THEIA_GROUP, "FILT_FREQ")
    applied = parameters.number(THEIA_GROUP, "FILTERED")
    return float(cutoff) if applied and cutoff and np.isfinite(cutoff) and cutoff > 0 else 0.0


def parameter_name(name: str) -> str:
    """Return how a segment is called in a parameter's name.

    Parameters
    ----------
    name : str
        Label of the pose.
    """
    return name.upper().replace(" ", "_")


def _theia_name(name: str) -> str:
    plain = name.upper().removesuffix(_ENDING)
    return "THORAX" if plain == "TORSO" else plain


def _plausible(share: float) -> bool:
    return bool(np.isfinite(share) and 0.0 < share < 1.0)
