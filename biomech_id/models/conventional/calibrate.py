"""Calibration of the conventional gait model on a static trial."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.anatomy import LEG_SEGMENTS, SIDE_WORDS, Part
from biomech_id.dynamics.body import Segment
from biomech_id.errors import Finding, InvalidValueError
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.foot import corrected_foot, uncorrected_foot
from biomech_id.models.conventional.knee_alignment import (
    MEDIAL_ROLES,
    aligned_leg,
    has_device,
    leg_between_markers,
    require_medial_markers,
)
from biomech_id.models.conventional.leg import LegGeometry, LegPose, place_leg
from biomech_id.models.conventional.leg_inertia import TABLE_OF_KINETICS, leg_segments, segments_from_table
from biomech_id.models.conventional.marker_diameter import marker_radius_m
from biomech_id.models.conventional.needs import require, sides_with_markers
from biomech_id.models.conventional.pelvis import DAVIS_HIP, OWN_HIP, hip_centre_pelvis_m, pelvis_frames, posterior_point
from biomech_id.models.conventional.placement import leg_lengths
from biomech_id.models.conventional.static_offsets import FootOffsets, decide_foot_flat, foot_offsets, offsets_apart, stored_offsets
from biomech_id.models.conventional.upper_body.calibration import calibrate_upper_body
from biomech_id.models.foot_outline import floor_under_m, foot_length_m, outline_foot_m, plates_floor_m
from biomech_id.models.joint_centres.hip_regressions import PelvisSize, asis_trochanter_distance_m
from biomech_id.models.landmarks import with_roles
from biomech_id.models.table_inertia import choose_table, foot_end_points
from biomech_id.models.triads import into_segment
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.values import dataclass, replace

#: What the setting says for the model's own inertial parameters.
OWN_TABLE = "auto"
#: A lean of the foot below this is not worth a sentence.
LEAST_LEAN_DEG = 0.1


@dataclass(frozen=True, eq=False)
class CalibratedLeg:
    """One leg in the frames that it is calibrated on.

    Attributes
    ----------
    geometry : LegGeometry
        Constants that turn markers into joint centres.
    pose : LegPose
        Joint centres and axes in those n frames.
    uncorrected : FloatArray
        (n, 3, 3), the foot before its static correction.
    offsets : FootOffsets
        The foot's static correction.
    planted : BoolArray
        (n,), frames in which the sole lies on the floor.
    """

    geometry: LegGeometry
    pose: LegPose
    uncorrected: FloatArray
    offsets: FootOffsets
    planted: BoolArray


@dataclass(frozen=True, eq=False)
class _StaticLeg:
    """One leg of the static trial: its constants, its pose, and the foot's offsets both ways."""

    geometry: LegGeometry
    pose: LegPose
    uncorrected: FloatArray
    flat: FootOffsets
    as_it_stood: FootOffsets

    def with_offsets(self, *, flat: bool) -> CalibratedLeg:
        standing = np.ones(len(self.uncorrected), dtype=bool)
        return CalibratedLeg(self.geometry, self.pose, self.uncorrected, self.flat if flat else self.as_it_stood, standing)


def calibrate(
    static: Trial, subject: Subject, foot_flat: bool | None, inertia: str = OWN_TABLE, *, hip: str = OWN_HIP, with_mass: bool = True
) -> tuple[ConventionalCalibration, tuple[Finding, ...]]:
    """Return what a static trial teaches.

    Parameters
    ----------
    static : Trial
        The subject standing; every frame counts.
    subject : Subject
        Measurements; ``foot_flat`` beats ``subject.foot_flat``, which beats what stored offsets show.
    foot_flat : bool | None
        Whether the feet stood flat; None leaves it to ``subject`` and to stored offsets.
    inertia : str, optional
        An inertial table by name or path, or "auto" for the model's own parameters.
    hip : str, optional
        Method of the hip centres (`pelvis.hip_centre_pelvis_m`).
    with_mass : bool, optional
        Whether the body mass is needed: for joint loads, not for kinematics alone.

    Returns
    -------
    calibration : ConventionalCalibration
        Constants of the legs, offsets of the feet, inertial parameters, upper body.
    findings : tuple[Finding, ...]
        What was assumed on the way, and where files store other offsets.

    Raises
    ------
    MissingInputError
        Markers or measurements are missing; the message names them all.
    InvalidValueError
        The markers are never seen together, or a joint is wider than its leg allows.
    """
    static = replace(static, markers=with_roles(static.markers))
    markers = static.markers
    sides = sides_with_markers(markers, static=True)
    require(markers, subject, sides, static=True, where=static.name, with_mass=with_mass)
    device = any(has_device(markers, side) for side in sides)
    between = bool(subject.medial_markers) and not device
    if between:
        require_medial_markers(markers, sides, static.name)
    radius, findings = marker_radius_m(static, subject)
    size = pelvis_sizes(markers, subject, sides, radius, hip)
    legs = {side: _static_leg(markers, leg_geometry(subject, side, size[side], hip), subject, static.name) for side in sides}
    flat, decided = _foot_flat(legs, subject, foot_flat, static.name)
    placed = {side: leg.with_offsets(flat=flat) for side, leg in legs.items()}
    calibration, chosen = assembled(static, subject, size, placed, inertia)
    shown = tuple(role for role in MEDIAL_ROLES if between and markers.shows(sides[0], role))
    calibration = replace(calibration, foot_flat=flat, knee_device=device, medial=shown, hip=hip)
    apart = offsets_apart({side: _offsets(leg) for side, leg in placed.items()}, subject, static.name)
    upper = calibrate_upper_body(markers, subject, radius)
    # Between medial markers the foot's offsets are learnt about the axes that they are applied about, and nothing leans.
    chosen = (*chosen, *(() if between else leaning(calibration)), *_by_medial_markers(calibration))
    return replace(calibration, upper=upper), (*findings, *decided, *apart, *chosen)


def _by_medial_markers(calibration: ConventionalCalibration) -> tuple[Finding, ...]:
    """Say what medial markers showed: the thigh's rotation and the torsion of each leg."""
    if not calibration.medial:
        return ()
    turned = [
        (side, *(float(np.rad2deg(angle)) for angle in (leg.thigh_rotation_rad, leg.shank_rotation_rad, leg.tibial_torsion_rad)))
        for side, leg in calibration.geometry.items()
    ]
    values = {"joints": "both" if len(calibration.medial) == len(MEDIAL_ROLES) else calibration.medial[0], "legs": turned}
    return (Finding("axes-by-medial-markers", values, calibration.static),)


def _offsets(leg: CalibratedLeg) -> dict[str, float]:
    """Everything about a leg that a static trial teaches and a file may store, under the names of `Subject`, rad."""
    return {
        "static_plantar_flexion_rad": leg.offsets.plantar_flexion_rad,
        "static_rotation_offset_rad": leg.offsets.rotation_rad,
        "thigh_rotation_rad": leg.geometry.thigh_rotation_rad,
        "shank_rotation_rad": leg.geometry.shank_rotation_rad,
        "tibial_torsion_rad": leg.geometry.tibial_torsion_rad,
        "ankle_abduction_rad": leg.geometry.ankle_tilt_rad,
    }


def pelvis_sizes(
    markers: Markers, subject: Subject, sides: tuple[str, ...], radius_m: float, hip: str = OWN_HIP
) -> dict[str, PelvisSize]:
    """Return the lengths that hip centres are computed from.

    Parameters
    ----------
    markers : Markers
        Of the trial to calibrate on, laboratory axes.
    subject : Subject
        Measurements; the distance between the anterior spines may be missing, their markers then give it.
    sides : tuple[str, ...]
        "L", "R" or both.
    radius_m : float
        Radius of a marker, metres.
    hip : str, optional
        Method of the hip centres: Davis' takes the mean length of both legs, the others each leg's own.

    Returns
    -------
    dict[str, PelvisSize]
        Side -> lengths, metres.
    """
    inter_asis = subject.inter_asis_distance_m or float(
        over_seen(np.nanmean, np.linalg.norm(markers.on("L", "asis") - markers.on("R", "asis"), axis=1))
    )
    measured = subject.asis_trochanter_distance_m
    mean_leg_length = float(np.mean([length for length in subject.leg_length_m.values() if length]))
    trochanter = {side: measured.get(side) or asis_trochanter_distance_m(subject.leg_length_m[side]) for side in sides}
    middle = 0.5 * (markers.on("L", "asis") + markers.on("R", "asis"))
    depth = float(over_seen(np.nanmean, np.linalg.norm(middle - posterior_point(markers), axis=1)))
    leg = {side: mean_leg_length if hip in DAVIS_HIP else subject.leg_length_m[side] for side in sides}
    return {side: PelvisSize(inter_asis, depth, leg[side], trochanter[side], radius_m, subject.code) for side in sides}


def assembled(
    trial: Trial, subject: Subject, size: Mapping[str, PelvisSize], legs: Mapping[str, CalibratedLeg], inertia: str
) -> tuple[ConventionalCalibration, tuple[Finding, ...]]:
    """Return the calibration that legs in the frames of a trial give.

    Parameters
    ----------
    trial : Trial
        With the markers' roles.
    subject : Subject
        Measurements; without a mass the segments have none.
    size : Mapping[str, PelvisSize]
        Side -> what its hip centre was computed from.
    legs : Mapping[str, CalibratedLeg]
        Side -> leg in the frames of ``trial``.
    inertia : str
        An inertial table by name or path, or "auto" for the model's own parameters.

    Returns
    -------
    calibration : ConventionalCalibration
        Lengths, inertial parameters and outlines as means over those frames.
    findings : tuple[Finding, ...]
        What was assumed about inertia.
    """
    markers, sides, radius = trial.markers, tuple(legs), next(iter(size.values())).marker_radius_m
    lengths: dict[Part, float] = {}
    for side, leg in legs.items():
        for name, length in leg_lengths(markers, leg.pose, side, radius).items():
            lengths[side, name] = float(over_seen(np.nanmean, length))
    table, chosen = choose_table(inertia, subject, own=TABLE_OF_KINETICS["textbook"])
    mass_kg = subject.mass_kg or 0.0  # without one nothing is computed that has to do with mass
    segments: dict[Part, Segment] = {}
    for side, leg in legs.items():
        if inertia == OWN_TABLE:
            own = leg_segments(mass_kg, {name: lengths[side, name] for name in LEG_SEGMENTS}, "textbook")
            segments |= {(side, name): segment for name, segment in own.items()}
            continue
        for name, scaled in segments_from_table(table, side, mass_kg, _end_points(markers, leg, radius)).items():
            segments[side, name], lengths[side, name] = scaled.segment, scaled.length_m
    calibration = ConventionalCalibration(
        static=trial.name,
        n_frames=int(np.isfinite(np.stack([leg.uncorrected for leg in legs.values()])).all(axis=(0, 2, 3)).sum()),
        sides=sides, table="" if inertia == OWN_TABLE else table.name,
        marker_radius_m=radius, inter_asis_m=next(iter(size.values())).inter_asis_m or np.nan,
        asis_trochanter_m={side: size[side].asis_trochanter_m or np.nan for side in sides},
        geometry={side: leg.geometry for side, leg in legs.items()},
        foot_flat=None, offsets={side: leg.offsets for side, leg in legs.items()}, knee_device=False,
        length_m=lengths, segments=segments,
        outline_foot_m={side: _outline(trial, leg, radius) for side, leg in legs.items()},
        upper=calibrate_upper_body(None, subject, radius),
    )  # fmt: skip
    return calibration, chosen


def leaning(calibration: ConventionalCalibration) -> tuple[Finding, ...]:
    """Say what tibial torsion does to the foot.

    Its offsets are learnt about one axis and applied about another: the uncorrected foot turns about its long axis by phi, tan(phi)
    = tan(torsion) sin(p), and the offset p tips out by as much.

    Parameters
    ----------
    calibration : ConventionalCalibration
        With the legs' torsions and the feet's offsets.

    Returns
    -------
    tuple[Finding, ...]
        One for the foot that leans most; none below 0.1 degrees.
    """
    leans = []
    for side, geometry in calibration.geometry.items():
        torsion, p = abs(geometry.tibial_torsion_rad), abs(calibration.offsets[side].plantar_flexion_rad)
        phi = np.arctan(np.tan(torsion) * np.sin(p))
        lean_deg = float(np.rad2deg(2 * np.arcsin(np.sin(phi / 2) * np.sin(p))))
        leans.append((lean_deg, float(np.rad2deg(torsion)), side))
    lean_deg, torsion_deg, side = max(leans)
    values = {"side": side, "torsion_deg": torsion_deg, "lean_deg": lean_deg}
    return (Finding("torsion-turns-foot", values, calibration.static),) if lean_deg > LEAST_LEAN_DEG else ()


def leg_geometry(subject: Subject, side: str, size: PelvisSize, hip: str = OWN_HIP) -> LegGeometry:
    """Return the constants of one leg as measured and typed in.

    Parameters
    ----------
    subject : Subject
        Measurements; angles that are missing are zero.
    side : str
        Which side, "L" or "R".
    size : PelvisSize
        What the hip centre is computed from.
    hip : str, optional
        Method of the hip centre (`pelvis.hip_centre_pelvis_m`).

    Returns
    -------
    LegGeometry
        Metres and rad.
    """
    return LegGeometry(
        side=side, hip_pelvis_m=hip_centre_pelvis_m(side, size, hip),
        knee_distance_m=subject.knee_width_m[side] / 2 + size.marker_radius_m,
        ankle_distance_m=subject.ankle_width_m[side] / 2 + size.marker_radius_m,
        thigh_rotation_rad=subject.thigh_rotation_rad.get(side, 0.0),
        shank_rotation_rad=subject.shank_rotation_rad.get(side, 0.0),
        tibial_torsion_rad=subject.tibial_torsion_rad.get(side, 0.0),
        ankle_tilt_rad=subject.ankle_abduction_rad.get(side, 0.0),
    )  # fmt: skip


def _static_leg(markers: Markers, geometry: LegGeometry, subject: Subject, where: str) -> _StaticLeg:
    pelvis, side = pelvis_frames(markers), geometry.side
    between = bool(subject.medial_markers) and not has_device(markers, side)
    if has_device(markers, side):
        pose, geometry = aligned_leg(markers, pelvis, geometry)
    elif between:
        pose, geometry = leg_between_markers(markers, pelvis, geometry)
    else:
        pose = place_leg(markers, pelvis, geometry)
    heel, toe = markers.on(side, "heel"), markers.on(side, "toe")
    uncorrected = uncorrected_foot(pose.ankle_lab_m, toe, pose.R_lab_shank if between else pose.R_lab_shank_ankle)
    require_placed(uncorrected, heel, subject, side, where)
    delta = subject.sole_delta_m.get(side, 0.0)
    flat = foot_offsets(side, uncorrected, heel, toe, flat=True, sole_delta_m=delta)
    as_it_stood = foot_offsets(side, uncorrected, heel, toe, flat=False)
    return _StaticLeg(geometry, pose, uncorrected, flat, as_it_stood)


def require_placed(uncorrected: FloatArray, heel_lab_m: FloatArray, subject: Subject, side: str, where: str) -> None:
    """Refuse a trial in which a leg cannot be placed in any frame.

    Parameters
    ----------
    uncorrected : FloatArray
        (n, 3, 3), the foot before its static correction.
    heel_lab_m : FloatArray
        (n, 3), heel marker, laboratory axes.
    subject : Subject
        Measurements, for the message.
    side : str
        Which side, "L" or "R".
    where : str
        Name of the trial, for the message.

    Raises
    ------
    InvalidValueError
        The markers are never seen together, or a joint is wider than its leg allows.
    """
    if not (np.isfinite(uncorrected).all(axis=(1, 2)) & np.isfinite(heel_lab_m).all(axis=1)).any():
        raise InvalidValueError(
            f"No frame of {where} lets the {SIDE_WORDS[side]} leg be placed: its markers are never seen together, or knee "
            "or ankle width exceed what the markers allow.",
            value={"knee_width_m": subject.knee_width_m[side], "ankle_width_m": subject.ankle_width_m[side]},
            expected="at least one frame with every marker", where=where,
        )  # fmt: skip


def _foot_flat(
    legs: Mapping[str, _StaticLeg], subject: Subject, foot_flat: bool | None, where: str
) -> tuple[bool, tuple[Finding, ...]]:
    chosen = subject.foot_flat if foot_flat is None else foot_flat
    if chosen is not None:
        return chosen, ()
    flat, finding = decide_foot_flat(
        {side: leg.flat for side, leg in legs.items()},
        {side: leg.as_it_stood for side, leg in legs.items()},
        {side: stored_offsets(subject, side) for side in legs},
        where,
    )
    return flat, (finding,)


def _end_points(markers: Markers, leg: CalibratedLeg, radius_m: float) -> dict[str, dict[str, FloatArray]]:
    """Segment -> end points of inertial tables, (3,), metres, in its axes: their mean places."""
    side, pose, offsets = leg.geometry.side, leg.pose, leg.offsets
    R_lab_foot = corrected_foot(leg.uncorrected, side, offsets.plantar_flexion_rad, offsets.rotation_rad)
    malleolus, ankle = {"lateral_malleolus": markers.on(side, "lateral_malleolus")}, {"ankle_centre": pose.ankle_lab_m}
    foot = foot_end_points(markers.on(side, "heel"), markers.on(side, "toe"), pose.ankle_lab_m, -R_lab_foot[:, :, 2], radius_m)
    hip, knee = {"hip_centre": pose.hip_lab_m}, {"knee_centre": pose.knee_lab_m}
    points = {
        "thigh": (pose.R_lab_thigh, pose.hip_lab_m, hip | knee),
        "shank": (pose.R_lab_shank, pose.knee_lab_m, knee | ankle | malleolus),
        "foot": (R_lab_foot, pose.ankle_lab_m, ankle | malleolus | foot),
    }
    return {
        name: {point: over_seen(np.nanmean, into_segment(R, origin, path), axis=0) for point, path in paths.items()}
        for name, (R, origin, paths) in points.items()
    }


def _outline(trial: Trial, leg: CalibratedLeg, radius_m: float) -> FloatArray:
    """Outline of one sole in foot axes, on the floor the subject stands on."""
    side, markers, offsets = leg.geometry.side, trial.markers, leg.offsets
    ankle, heel, toe = (path[leg.planted] for path in (leg.pose.ankle_lab_m, markers.on(side, "heel"), markers.on(side, "toe")))
    R_lab_foot = corrected_foot(leg.uncorrected[leg.planted], side, offsets.plantar_flexion_rad, offsets.rotation_rad)
    floor = floor_under_m(ankle, foot_length_m(heel, toe, radius_m), plates_floor_m(trial))
    return outline_foot_m(side, heel, toe, ankle, R_lab_foot, marker_radius_m=radius_m, floor_lab_m=floor)
