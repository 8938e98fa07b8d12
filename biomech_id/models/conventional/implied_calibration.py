"""What a recording's stored joint centres and axes imply: the offsets and the marker diameter that they were computed with.

Clinical software stores the axes of thigh and shank as points: origin O, and tips of its axes, A ahead, L to the left and P above.
With z = unit(P - O), x = unit(A - O) and y = z x x, the place of a marker in them tells what calibrated them::

    thigh rotation  -atan2(p_x, s p_y)      of the thigh marker p in the thigh
    torsion          s atan2(s a_x, s a_y)  of the ankle marker a in the stored shank
    shank rotation  -atan2(p_x, s p_y)      of the shank marker p in the stored shank turned back by that torsion
    diameter         2 (|marker - centre| - width / 2)  at the knee and at the ankle

A clinician may tune a thigh rotation in the walks after the static trial: only so can it be seen which one made the stored curves.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import matvec_transposed
from biomech_id.conventions import MM_PER_M, SIDE_SIGN, SIDES
from biomech_id.models.landmarks import with_roles
from biomech_id.models.triads import unit
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.values import asdict, dataclass

#: Values that vary more than this over a trial, between 5th and 95th percentile, were not computed from these markers, deg or mm.
STEADY_WALK = 0.01
#: In a static trial with a device or medial markers the stored mean is right: its frames vary by up to this.
STEADY_STATIC = 0.3
#: Diameters of knee and ankle agree to this, mm; else a width was changed after processing.
SAME_DIAMETER_MM = 0.1
#: Offsets of two trials further apart than this are two, deg: stored in degrees of two decimals they agree to far less.
OTHER_OFFSET_DEG = 0.5


@dataclass(frozen=True)
class ImpliedLeg:
    """What one leg's stored outputs imply; NaN where they do not tell.

    Attributes
    ----------
    thigh_rotation_deg : float
        Of the thigh marker, degrees, as files store it.
    shank_rotation_deg : float
        Of the shank marker.
    tibial_torsion_deg : float
        Between the axes of knee and ankle.
    knee_diameter_mm : float
        Marker diameter by the knee's centre and width.
    ankle_diameter_mm : float
        Marker diameter by the ankle's.
    """

    thigh_rotation_deg: float
    shank_rotation_deg: float
    tibial_torsion_deg: float
    knee_diameter_mm: float
    ankle_diameter_mm: float

    def to_dict(self) -> dict[str, float]:
        """Return what ``calibration.json`` says: values that the outputs tell, by name."""
        return {name: value for name, value in asdict(self).items() if np.isfinite(value)}

    @property
    def diameter_mm(self) -> float:
        """Marker diameter where knee and ankle agree on it, else NaN: a width was changed after processing."""
        same = abs(self.knee_diameter_mm - self.ankle_diameter_mm) <= SAME_DIAMETER_MM
        return 0.5 * (self.knee_diameter_mm + self.ankle_diameter_mm) if same else float("nan")


def implied_calibration(trial: Trial, *, static: bool = False) -> dict[str, ImpliedLeg]:
    """Return what a trial's stored outputs say of each leg's calibration.

    Parameters
    ----------
    trial : Trial
        With its markers as recorded and its stored points, millimetres; the widths are its own subject's.
    static : bool, optional
        Whether somebody stands in it.

    Returns
    -------
    dict[str, ImpliedLeg]
        Side -> what is implied; a leg without stored axes of thigh and shank has no entry.
    """
    markers, outputs, subject = with_roles(trial.markers), trial.model_outputs, trial.subject
    steady = STEADY_STATIC if static else STEADY_WALK
    legs = {}
    for side in SIDES:
        axes = {part: _axes(outputs, f"{side}{part}") for part in ("FE", "TI")}
        thigh, shank = axes["FE"], axes["TI"]
        if thigh is not None and shank is not None:
            legs[side] = _leg(markers, subject, side, (thigh, shank), steady)
    return legs


def other_thigh_rotations(
    static: Mapping[str, ImpliedLeg], trials: Mapping[str, Mapping[str, ImpliedLeg]]
) -> list[tuple[str, float, float, list[str]]]:
    """Return the legs whose walks carry another thigh rotation than their static trial.

    Parameters
    ----------
    static : Mapping[str, ImpliedLeg]
        Side -> of the static trial.
    trials : Mapping[str, Mapping[str, ImpliedLeg]]
        Walk -> side -> of that walk.

    Returns
    -------
    list[tuple[str, float, float, list[str]]]
        Side, thigh rotation of the static trial and mean of those walks, deg, and the walks' names.
    """
    turned = []
    for side, stood in static.items():
        own = {name: legs[side].thigh_rotation_deg for name, legs in trials.items() if side in legs}
        apart = {name: deg for name, deg in own.items() if abs(deg - stood.thigh_rotation_deg) > OTHER_OFFSET_DEG}
        if apart:
            turned.append((side, stood.thigh_rotation_deg, float(np.mean(list(apart.values()))), list(apart)))
    return turned


def _axes(outputs: Mapping[str, FloatArray], part: str) -> tuple[FloatArray, FloatArray] | None:
    """Origin (n, 3), mm, and axes (n, 3, 3) of a stored segment."""
    points = [outputs.get(f"{part}{tip}") for tip in "OAP"]
    if any(point is None for point in points):
        return None
    origin, ahead, above = (np.asarray(point, dtype=float) for point in points)
    z, x = unit(above - origin), unit(ahead - origin)
    return origin, np.stack([x, np.cross(z, x), z], axis=-1)


def _leg(
    markers: Markers, subject: Subject, side: str, axes: tuple[tuple[FloatArray, FloatArray], ...], steady: float
) -> ImpliedLeg:
    (knee_mm, R_thigh), (ankle_mm, R_shank) = axes
    sign = SIDE_SIGN[side]

    def seen(role: str, origin_mm: FloatArray, axes_lab: FloatArray) -> FloatArray:
        """A marker (n, 3) in a stored segment, mm; NaN where it is not worn."""
        if not markers.shows(side, role):
            return np.full(origin_mm.shape, np.nan)
        return matvec_transposed(axes_lab, MM_PER_M * markers.on(side, role) - origin_mm)

    wand, ankle = seen("thigh_wand", knee_mm, R_thigh), seen("lateral_malleolus", ankle_mm, R_shank)
    knee, tibia = seen("lateral_epicondyle", knee_mm, R_thigh), seen("shank_wand", ankle_mm, R_shank)
    torsion_deg = _steady(np.rad2deg(sign * np.arctan2(sign * ankle[:, 0], sign * ankle[:, 1])), steady)
    turn = -sign * np.deg2rad(torsion_deg)
    x = np.cos(turn) * tibia[:, 0] + np.sin(turn) * tibia[:, 1]
    y = -np.sin(turn) * tibia[:, 0] + np.cos(turn) * tibia[:, 1]
    widths_mm = [MM_PER_M * of.get(side, np.nan) for of in (subject.knee_width_m, subject.ankle_width_m)]
    return ImpliedLeg(
        _steady(-np.rad2deg(np.arctan2(wand[:, 0], sign * wand[:, 1])), steady),
        _steady(-np.rad2deg(np.arctan2(x, sign * y)), steady),
        torsion_deg,
        *(2 * _steady(np.linalg.norm(p, axis=1), steady) - width for p, width in zip((knee, ankle), widths_mm, strict=True)),
    )


def _steady(values: FloatArray, steady: float) -> float:
    """Median of what hardly changes (in a static trial the mean, which is what the software takes), else NaN."""
    known = values[np.isfinite(values)]
    if not len(known) or np.ptp(np.percentile(known, [5, 95])) > steady:
        return float("nan")
    return float(np.mean(known) if steady == STEADY_STATIC else np.median(known))
