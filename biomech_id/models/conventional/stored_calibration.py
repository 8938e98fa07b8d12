"""Calibration without a static trial: on the offsets that other software stored in the walks themselves.

Clinical software learns six angles of each leg from a static trial and writes them into every file of the session: the rotations of
thigh and shank wand, the tibial torsion, the tilt of the ankle's axis, and the foot's two static offsets. With the measurements
beside them they place the model in those walks exactly as that software did. They belong to one placement of the markers: the walks
of a session must agree in them, and be of one day unless the laboratory says that no marker was placed anew. Lengths and the
outline of the sole, which nothing stores, are the means over the first walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import BoolArray
from biomech_id.conventions import SIDES
from biomech_id.errors import Cure, Finding, MissingInputError, OptionError
from biomech_id.models.conventional.calibrate import (
    OWN_TABLE,
    CalibratedLeg,
    assembled,
    leaning,
    leg_geometry,
    pelvis_sizes,
    require_placed,
)
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.foot import uncorrected_foot
from biomech_id.models.conventional.leg import LegGeometry, place_leg
from biomech_id.models.conventional.marker_diameter import marker_radius_m
from biomech_id.models.conventional.needs import require, sides_with_markers
from biomech_id.models.conventional.pelvis import OWN_HIP, pelvis_frames
from biomech_id.models.conventional.static_offsets import stored_offsets
from biomech_id.models.landmarks import with_roles
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.trial import Markers, Subject, Trial

#: The angles of one leg that software learns from a static trial: fields of `Subject`.
LEARNT: tuple[str, ...] = (
    "thigh_rotation_rad", "shank_rotation_rad", "tibial_torsion_rad", "ankle_abduction_rad",
    "static_plantar_flexion_rad", "static_rotation_offset_rad",
)  # fmt: skip
#: Offsets of two walks nearer than this are the same number, stored in 32 bits.
SAME_RAD = 1e-6
#: Heel and toe marker slower than this belong to a foot whose sole lies on the floor.
PLANTED_M_S = 0.15


def stored_legs(subject: Subject) -> tuple[str, ...]:
    """Return the sides for which software stored what a static trial teaches.

    Parameters
    ----------
    subject : Subject
        Measurements and angles as a file has them.

    Returns
    -------
    tuple[str, ...]
        "L", "R", both or none.
    """
    known = (side for side in SIDES if all(side in getattr(subject, field) for field in LEARNT))
    return tuple(side for side in known if stored_offsets(subject, side) is not None)


def calibrate_stored(
    walks: Sequence[Trial], subject: Subject, inertia: str = OWN_TABLE, *, hip: str = OWN_HIP, with_mass: bool = True
) -> tuple[ConventionalCalibration, tuple[Finding, ...]]:
    """Return the calibration that walks bring along.

    Parameters
    ----------
    walks : Sequence[Trial]
        Of one session, with the model's markers; the first gives segment lengths and outlines.
    subject : Subject
        Measurements; they beat the files'.
    inertia : str, optional
        An inertial table by name or path, or "auto" for the model's own parameters.
    hip : str, optional
        Method of the hip centres (`pelvis.hip_centre_pelvis_m`).
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    calibration : ConventionalCalibration
        Its offsets are the stored ones, its lengths and outlines means over the first walk.
    findings : tuple[Finding, ...]
        What was assumed on the way.

    Raises
    ------
    MissingInputError
        Markers, measurements or the markers' diameter are missing.
    OptionError
        The walks are of two days, or store different offsets.
    InvalidValueError
        A leg cannot be placed in any frame.
    """
    said_same = _require_one_placement(walks, same=bool(subject.same_placement))
    walk = replace(walks[0], markers=with_roles(walks[0].markers))
    markers = walk.markers
    sides = tuple(side for side in sides_with_markers(markers, static=False) if side in stored_legs(subject))
    require(markers, subject, sides, static=False, where=walk.name, with_mass=with_mass)
    radius, noticed = marker_radius_m(walk, subject)
    if any(finding.rule == "marker-diameter-assumed" for finding in noticed):
        raise MissingInputError(
            f"{walk.name} stores the offsets of its static trial and not the diameter of the markers, which moves every joint "
            "centre; give it in subject.toml (marker_diameter_mm).",
            value=None, expected="a marker diameter", where=walk.name,
        ).cured_by(Cure("diameter", keys=("marker_diameter_mm",)))  # fmt: skip
    size = pelvis_sizes(markers, subject, sides, radius, hip)
    legs = {side: _leg(walk, subject, leg_geometry(subject, side, size[side], hip)) for side in sides}
    calibration, chosen = assembled(walk, subject, size, legs, inertia)
    placed = Finding("offsets-as-stored", {"walks": ", ".join(trial.name for trial in walks)}, walk.name)
    return replace(calibration, stored=True, hip=hip), (placed, *said_same, *noticed, *chosen, *leaning(calibration))


def standing_frame(trial: Trial, names: Sequence[str]) -> Trial:
    """Return the frame of a walk in which the leg is stretched under the body.

    Parameters
    ----------
    trial : Trial
        The walk, with the markers' roles.
    names : Sequence[str]
        Markers that must be seen.

    Returns
    -------
    Trial
        One frame: where the pelvis is highest of all with every marker seen.
    """
    markers = trial.markers
    seen = np.isfinite(markers.position_m[:, [markers.names.index(name) for name in names]]).all(axis=(1, 2))
    height = np.where(seen, pelvis_frames(markers).origin_lab_m[:, 2], -np.inf)
    at = int(np.argmax(height))
    only = replace(markers, position_m=markers.position_m[at : at + 1], filled=None)
    return Trial(trial.name, only, path=trial.path, subject=trial.subject)


def _require_one_placement(walks: Sequence[Trial], *, same: bool) -> tuple[Finding, ...]:
    """Refuse walks that cannot have been recorded with one placement of the markers; ``same`` says that days do not matter.

    Raises
    ------
    OptionError
        Two days, or offsets that differ.
    """
    first = walks[0]
    for walk in walks[1:]:
        if not same and first.session_date and walk.session_date and walk.session_date != first.session_date:
            raise OptionError(
                f"{walk.name} was recorded on {walk.session_date} and {first.name} on {first.session_date}: without a static trial "
                "the offsets stored in the files calibrate the model, and they belong to one placement of the markers. Analyse "
                "the days apart, or say same_placement = true in subject.toml if no marker was placed anew.",
                value=walk.session_date, expected=first.session_date, where=walk.name,
            ).cured_by(Cure("placement", keys=("same_placement",)))  # fmt: skip
        for field in LEARNT:
            ours, theirs = getattr(first.subject, field), getattr(walk.subject, field)
            apart = {side: abs(ours[side] - theirs.get(side, np.inf)) for side in ours}
            if any(not value < SAME_RAD for value in apart.values()):
                raise OptionError(
                    f"{walk.name} stores another {field} than {first.name}: without a static trial the stored offsets calibrate "
                    "the model, and these belong to two placements of the markers. Analyse the files apart.",
                    value=dict(theirs), expected=str(dict(ours)), where=walk.name,
                )  # fmt: skip
    days = sorted({walk.session_date for walk in walks if walk.session_date})
    return (Finding("placement-said-same", {"days": days}, first.name),) if len(days) > 1 else ()


def _leg(walk: Trial, subject: Subject, geometry: LegGeometry) -> CalibratedLeg:
    side, markers, offsets = geometry.side, walk.markers, stored_offsets(subject, geometry.side)
    pose = place_leg(markers, pelvis_frames(markers), geometry)
    uncorrected = uncorrected_foot(pose.ankle_lab_m, markers.on(side, "toe"), pose.R_lab_shank)
    require_placed(uncorrected, markers.on(side, "heel"), subject, side, walk.name)
    if offsets is None:
        raise MissingInputError(
            f"{walk.name} stores no offsets of the {side} foot.", value=None, expected="offsets", where=walk.name
        )
    return CalibratedLeg(geometry, pose, uncorrected, offsets, planted_frames(markers, side, walk.rate_hz))


def planted_frames(markers: Markers, side: str, rate_hz: float) -> BoolArray:
    """Return the frames in which heel and toe marker hardly move; every frame of a foot that never rests.

    Parameters
    ----------
    markers : Markers
        Of a walk, with their roles; laboratory axes.
    side : str
        Which foot, "L" or "R".
    rate_hz : float
        Frames per second.

    Returns
    -------
    BoolArray
        (n,).
    """
    velocities = (quintic_derivatives(markers.on(side, role), rate_hz, (1,))[0] for role in ("heel", "toe"))
    speeds = [np.linalg.norm(velocity, axis=1) for velocity in velocities]
    slow = np.nan_to_num(np.maximum(*speeds), nan=np.inf) < PLANTED_M_S
    return slow if slow.any() else np.ones(len(slow), dtype=bool)
