"""What the static trial teaches about the foot, and whether the foot stood flat in it.

In every static frame the sole's axis, from toe to heel marker, is seen in the uncorrected foot U (see `models.conventional.foot`)::

    v = unit(U' (heel - toe)),     p = atan2(-v_x, v_z),     q = asin(s v_y),

and the offsets are the means of p and q over all frames. "Foot flat" first puts the heel marker at the height of the toe marker
(plus the sole delta, by which a shoe lifts the heel above the toes), because a foot that stands flat has a level sole whatever
heights the markers were stuck at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.vectors import matvec_transposed
from biomech_id.conventions import SIDE_SIGN
from biomech_id.errors import Finding
from biomech_id.models.triads import unit
from biomech_id.trial import Subject
from biomech_id.values import dataclass

#: Stored offsets nearer than this to one way of computing them and not to the other show which way the laboratory used.
#: The two ways differ by 5 to 10 degrees; rounding and another marker diameter by less than half a degree.
STORED_OFFSET_TOLERANCE_RAD = np.deg2rad(0.5)


@dataclass(frozen=True)
class FootOffsets:
    """Static offsets of one foot, rad: plantar flexion p and rotation q of the sole's axis in the uncorrected foot.

    Attributes
    ----------
    plantar_flexion_rad : float
        Plantar flexion p of the sole's axis in U.
    rotation_rad : float
        Rotation q of the sole's axis in U.
    """

    plantar_flexion_rad: float
    rotation_rad: float

    def distance(self, other: FootOffsets) -> float:
        """Return how far two offsets are apart.

        Parameters
        ----------
        other : FootOffsets
            Offsets of the same foot.

        Returns
        -------
        float
            rad: the larger of the two absolute differences.
        """
        return max(abs(self.plantar_flexion_rad - other.plantar_flexion_rad), abs(self.rotation_rad - other.rotation_rad))


def foot_offsets(
    side: str, uncorrected: FloatArray, heel_lab_m: FloatArray, toe_lab_m: FloatArray, *, flat: bool, sole_delta_m: float = 0.0
) -> FootOffsets:
    """Return the mean over the frames of `offsets_by_frame`.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    uncorrected : FloatArray
        U (n, 3, 3), maps components of the uncorrected foot to laboratory components.
    heel_lab_m, toe_lab_m : FloatArray
        (n, 3), path of the marker, metres, laboratory axes.
    flat : bool
        Whether the heel marker is taken to be as high as the toe marker.
    sole_delta_m : float, optional
        Thickness of the shoe sole at the heel less that at the toe, metres; counts with ``flat``.

    Returns
    -------
    FootOffsets
        rad.
    """
    each = offsets_by_frame(side, uncorrected, heel_lab_m, toe_lab_m, flat=flat, sole_delta_m=sole_delta_m)
    plantar_flexion, rotation = (float(over_seen(np.nanmean, angle)) for angle in each)
    return FootOffsets(plantar_flexion, rotation)


def offsets_by_frame(
    side: str, uncorrected: FloatArray, heel_lab_m: FloatArray, toe_lab_m: FloatArray, *, flat: bool, sole_delta_m: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return the static offsets of one foot in every frame.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    uncorrected : FloatArray
        U (n, 3, 3), maps components of the uncorrected foot to laboratory components.
    heel_lab_m, toe_lab_m : FloatArray
        (n, 3), marker, laboratory axes, metres.
    flat : bool
        Whether the heel marker is taken to be as high as the toe marker.
    sole_delta_m : float, optional
        Thickness of the shoe sole at the heel less that at the toe, metres; counts with ``flat``.

    Returns
    -------
    p : FloatArray
        (n,), rad, plantar flexion of the sole's axis in U; NaN where a marker is unseen.
    q : FloatArray
        (n,), rad, its rotation.
    """
    heel = np.array(heel_lab_m)
    if flat:
        heel[:, 2] = toe_lab_m[:, 2] + sole_delta_m
    v = unit(matvec_transposed(uncorrected, heel - toe_lab_m))
    return np.arctan2(-v[:, 0], v[:, 2]), np.arcsin(SIDE_SIGN[side] * v[:, 1])


def stored_offsets(subject: Subject, side: str) -> FootOffsets | None:
    """Return the offsets that the file stores for one foot.

    Parameters
    ----------
    subject : Subject
        As the file has it.
    side : str
        Which side, "L" or "R".

    Returns
    -------
    FootOffsets | None
        None where either is missing or both are zero.
    """
    p, q = subject.static_plantar_flexion_rad.get(side), subject.static_rotation_offset_rad.get(side)
    return None if p is None or q is None or (p == 0.0 and q == 0.0) else FootOffsets(p, q)


def decide_foot_flat(
    flat: Mapping[str, FootOffsets], as_it_stood: Mapping[str, FootOffsets], stored: Mapping[str, FootOffsets | None], where: str
) -> tuple[bool, Finding]:
    """Decide whether the laboratory computed its offsets with the foot flat, from what its files store.

    Stored values are compared, never used: the offsets themselves are always computed from the markers. Without stored values, or
    with values that fit neither way (another static trial's, another marker diameter), the foot is taken as flat.

    Parameters
    ----------
    flat : Mapping[str, FootOffsets]
        Side -> offsets with the foot taken to be flat.
    as_it_stood : Mapping[str, FootOffsets]
        Side -> offsets with the markers as they were.
    stored : Mapping[str, FootOffsets | None]
        Side -> offsets of the file; None where it has none.
    where : str
        The file or trial concerned, for the error message.

    Returns
    -------
    flat : bool
        Whether the foot is set flat.
    finding : Finding
        Whether that is assumed or as stored.
    """
    known = {side: offsets for side, offsets in stored.items() if offsets is not None and side in flat}
    if not known:
        return True, Finding("foot-flat-assumed", {}, where)
    to_flat = max(offsets.distance(flat[side]) for side, offsets in known.items())
    to_stood = max(offsets.distance(as_it_stood[side]) for side, offsets in known.items())
    apart_deg = float(np.rad2deg(min(to_flat, to_stood)))
    if min(to_flat, to_stood) > STORED_OFFSET_TOLERANCE_RAD:
        return True, Finding("foot-flat-assumed", {}, where)
    is_flat = to_flat <= to_stood
    return is_flat, Finding("foot-flat-as-stored", {"flat": is_flat, "apart_deg": apart_deg, "equal": apart_deg < 0.01}, where)


def offsets_apart(ours: Mapping[str, Mapping[str, float]], subject: Subject, where: str) -> Iterator[Finding]:
    """Name every offset of a calibration that is not the one which the file stores.

    A check on both, of every calibration.

    Parameters
    ----------
    ours : Mapping[str, Mapping[str, float]]
        Side -> field of `Subject` -> offset of this calibration, rad.
    subject : Subject
        With the offsets that the file stores; zero is how a vendor writes "none".
    where : str
        The static trial, for the finding.

    Yields
    ------
    Finding
        One finding with all of them; nothing where they agree.
    """
    apart: list[tuple[str, str, float, float, float]] = []
    for side, fields in ours.items():
        for field, ours_rad in fields.items():
            stored_rad = getattr(subject, field).get(side)
            if stored_rad and abs(ours_rad - stored_rad) > STORED_OFFSET_TOLERANCE_RAD:
                ours_deg, stored_deg = float(np.rad2deg(ours_rad)), float(np.rad2deg(stored_rad))
                name = field.removesuffix("_rad").replace("_", " ")
                apart.append((side, name, ours_deg, stored_deg, abs(ours_deg - stored_deg)))
    if apart:
        largest_deg = max(row[-1] for row in apart)
        yield Finding("static-offsets-differ", {"offsets": apart, "apart_deg": largest_deg}, where)
