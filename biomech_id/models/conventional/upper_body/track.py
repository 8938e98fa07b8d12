"""Head, thorax and arms laid over a tracked pelvis and legs: motions, joint centres, angles, masses, and the whole body's centre.

Any body model that tracks pelvis and legs can wear it, by the roles that its marker set gives to markers. What lacks markers or
measurements is left out, and `BodyMotion.lacks` says what is missing; the whole body's centre of mass needs every part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import BODY_PARTS, LEG_SEGMENTS, PELVIS, Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, Frames, Motion, Segment, WholeBody
from biomech_id.errors import Finding
from biomech_id.models.conventional.upper_body.angles import upper_angles_rad
from biomech_id.models.conventional.upper_body.calibration import UpperCalibration
from biomech_id.models.conventional.upper_body.inertia import (
    MASS_FRACTION,
    Trunk,
    VendorMass,
    neck_lab_m,
    trunk_of,
    upper_coms_lab_m,
    upper_segments,
    vendor_com_lab_m,
    vendor_thorax_com_lab_m,
)
from biomech_id.models.conventional.upper_body.placement import ARM_ROLES, HEAD_ROLES, THORAX_ROLES, UpperBody, place_upper_body
from biomech_id.models.progression import progression_axes
from biomech_id.models.segment_motion import differentiate_together, path_rates
from biomech_id.models.triads import into_lab
from biomech_id.trial import Markers, Trial
from biomech_id.values import dataclass, replace

THORAX: Part = ("", "thorax")
HEAD: Part = ("", "head")
#: Software from this version on stores the newer generation of centres of mass.
NEWER_FROM = (2, 5)
#: Masses of the legs this close to the own table's are the same.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class _Masses:
    """What has a mass above the legs: its inertial parameters and the path of its centre, (n, 3), laboratory axes."""

    trunk: Trunk
    segments: Mapping[Part, Segment]
    com_lab_m: Mapping[Part, FloatArray]


def with_upper_body(
    legs: BodyMotion, pelvis: Frames, trial: Trial, markers: Markers, calibration: UpperCalibration, mass_kg: float | None
) -> BodyMotion:
    """Return a tracked body with everything above its pelvis that the markers show.

    Parameters
    ----------
    legs : BodyMotion
        Pelvis and legs, tracked.
    pelvis : Frames
        The pelvis in the conventional model's axes: x anterior, y to the left, z up.
    trial : Trial
        The recording, for its rate and its software.
    markers : Markers
        Its markers with roles, laboratory axes.
    calibration : UpperCalibration
        Measurements of the arms, offset of the head.
    mass_kg : float | None
        Body mass; without it nothing has a mass.

    Returns
    -------
    BodyMotion
        The same legs; whatever above them lacks markers or measurements is named in ``lacks``.
    """
    kinetics = legs.kinetics
    upper = place_upper_body(markers, calibration.arms, calibration.radius_m, calibration.head_offset_in(kinetics))
    lacks = _lacks(markers, calibration, upper, legs)
    if not upper.frames:
        return replace(legs, lacks=lacks)
    masses = _masses(legs, pelvis, markers, upper, calibration, mass_kg)
    if masses is not None and kinetics == "vicon" and vendor_mass(trial.software) is VendorMass.BEFORE_2_5:
        # In the chain, and there only, this software forgets where the neck's root is.
        forgotten = vendor_thorax_com_lab_m(upper, masses.trunk)
        masses = replace(masses, com_lab_m={**masses.com_lab_m, THORAX: forgotten})
    motions = _motions(upper, masses, trial.rate_hz, kinetics)
    pelvis_mass = None if masses is None else _following(legs, pelvis, masses, trial.rate_hz)
    centres = {part: centre for part, centre in upper.centres_lab_m.items() if part[1] != "hand"}
    if masses is not None:
        centres |= {("", "waist"): masses.trunk.l5_lab_m, ("", "neck"): neck_lab_m(upper, masses.trunk)}
    body = replace(
        legs,
        motions={**legs.motions, **motions},
        segments={**legs.segments, **({} if masses is None else masses.segments)},
        joint_centres_lab_m={**legs.joint_centres_lab_m, **centres},
        joint_angles_rad={**legs.joint_angles_rad, **_angles(upper, pelvis, markers, legs)},
        pelvis_mass=pelvis_mass,
        lacks=lacks,
    )
    return body if masses is None or pelvis_mass is None else replace(body, whole=_whole(body, pelvis, trial, upper, masses))


def upper_body_findings(motion: BodyMotion, markers: Markers, where: str) -> tuple[Finding, ...]:
    """Name each part above the pelvis that has markers and could not be placed.

    Parameters
    ----------
    motion : BodyMotion
        The body that `with_upper_body` returned.
    markers : Markers
        Of the recording, with roles.
    where : str
        Name of the recording.

    Returns
    -------
    tuple[Finding, ...]
        One for each part, with what it lacks; none for a recording without markers there.
    """
    shown = [markers.shows("", role) for role in THORAX_ROLES if role != "c7"]
    shown += [markers.shows(side, role) for side in SIDES for role in (*HEAD_ROLES, *ARM_ROLES)]
    if not any(shown):
        return ()
    parts = {"trunk": THORAX, "head": HEAD, "left arm": ("L", "hand"), "right arm": ("R", "hand")}
    return tuple(
        Finding("upper-body-not-placed", {"part": name, "lacks": list(motion.lacks[part])}, where)
        for name, part in parts.items()
        if part in motion.lacks
    )


def vendor_mass(software: str) -> VendorMass:
    """Return which generation of centres of mass a version of the vendor's software stores.

    Parameters
    ----------
    software : str
        Name and version, as the recording says: "Vicon Nexus 2.2.3.84509h".

    Returns
    -------
    VendorMass
        The newer one for a version that nobody knows.

    Examples
    --------
    >>> from biomech_id.models.conventional.upper_body.track import vendor_mass
    >>> vendor_mass("Vicon Nexus 2.2.3.84509h").value, vendor_mass("Vicon Nexus 2.12").value
    ('2.2.3', '2.5')
    """
    version = re.search(r"(\d+)\.(\d+)", software)
    old = version is not None and (int(version[1]), int(version[2])) < NEWER_FROM
    return VendorMass.BEFORE_2_5 if old else VendorMass.FROM_2_5


def _lacks(markers: Markers, calibration: UpperCalibration, upper: UpperBody, legs: BodyMotion) -> dict[Part, tuple[str, ...]]:
    """Part that is not placed -> labels of markers and names of measurements that it lacks."""
    thorax = [markers.label("", role) for role in THORAX_ROLES if not markers.shows("", role)]
    head = [markers.label(side, role) for side in SIDES for role in HEAD_ROLES if not markers.shows(side, role)]
    lacks: dict[Part, tuple[str, ...]] = {}
    if THORAX not in upper.frames:
        lacks[THORAX] = tuple(thorax)
    if HEAD not in upper.frames:
        lacks[HEAD] = tuple(head)
    for side in SIDES:
        arm = [markers.label(side, role) for role in ARM_ROLES if not markers.shows(side, role)]
        lacking = (*arm, *calibration.lacks.get(side, ()), *thorax)
        lacks |= {(side, name): lacking for name in ("humerus", "radius", "hand") if (side, name) not in upper.frames}
        missing = [part for name in LEG_SEGMENTS if (part := (side, name)) not in legs.motions]
        lacks |= dict.fromkeys(missing, ("its markers",))
    return {part: lacks[part] for part in BODY_PARTS if part in lacks}


def _masses(
    legs: BodyMotion, pelvis: Frames, markers: Markers, upper: UpperBody, calibration: UpperCalibration, mass_kg: float | None
) -> _Masses | None:
    hips = {side: legs.joint_centres_lab_m[side, "hip"] for side in SIDES if (side, "hip") in legs.joint_centres_lab_m}
    if THORAX not in upper.frames or len(hips) < len(SIDES) or not mass_kg:
        return None
    trunk = trunk_of(
        upper.frames[THORAX], pelvis, hips, markers.on("", "c7"), radius_m=calibration.radius_m, kinetics=legs.kinetics
    )
    coms = upper_coms_lab_m(upper, trunk, pelvis)
    own_kg = mass_kg if legs.kinetics == "vicon" else mass_kg * _share_left(legs, mass_kg)
    segments = upper_segments(upper, trunk, coms, pelvis=pelvis, body_mass_kg=own_kg, kinetics=legs.kinetics)
    if legs.kinetics == "textbook":
        # Rigid segments: each mass stays where it is on average.
        frames = {**upper.frames, PELVIS: pelvis}
        coms = {part: into_lab(frames[part].R_lab_seg, frames[part].origin_lab_m, segments[part].com_m) for part in coms}
    return _Masses(trunk, segments, coms)


def _share_left(legs: BodyMotion, mass_kg: float) -> float:
    """What a table of the legs leaves for the rest, over what the own one leaves: the body weighs what it weighs."""
    masses = [legs.segments[side, name].mass_kg for side in SIDES for name in LEG_SEGMENTS if (side, name) in legs.segments]
    above = sum(MASS_FRACTION[name] for _, name in BODY_PARTS if name not in LEG_SEGMENTS)
    left = (1.0 - sum(masses) / mass_kg) / above
    return 1.0 if len(masses) < 2 * len(LEG_SEGMENTS) or abs(left - 1.0) < _SAME else left


def _motions(upper: UpperBody, masses: _Masses | None, rate_hz: float, kinetics: str) -> dict[Part, Motion]:
    """Motions of everything but the clavicles, which have no mass and no angle."""
    frames = {part: each for part, each in upper.frames.items() if part[1] != "clavicle"}
    segments = {} if masses is None else {part: masses.segments[part] for part in frames if part in masses.segments}
    origins = {part: each.origin_lab_m for part, each in frames.items()}
    coms = origins if masses is None else origins | {part: masses.com_lab_m[part] for part in segments}
    return differentiate_together(frames, coms, rate_hz, kinetics, segments)


def _following(legs: BodyMotion, pelvis: Frames, masses: _Masses, rate_hz: float) -> Motion:
    """The pelvis, following its centre of mass."""
    com = masses.com_lab_m[PELVIS]
    velocity, acceleration = path_rates(com, rate_hz, legs.kinetics)
    return replace(
        legs.motions[PELVIS], frames=pelvis, com_lab_m=com, com_velocity_lab_m_s=velocity, com_acceleration_lab_m_s2=acceleration,
        segment=masses.segments[PELVIS],
    )  # fmt: skip


def _angles(upper: UpperBody, pelvis: Frames, markers: Markers, legs: BodyMotion) -> dict[Part, FloatArray]:
    if THORAX not in upper.frames:
        return upper_angles_rad(upper.frames, pelvis, legs.progression_R_lab)
    forward = progression_axes(markers.on("", "c7"), upper.frames[THORAX].R_lab_seg)
    return upper_angles_rad(upper.frames, pelvis, forward)


def _whole(body: BodyMotion, pelvis: Frames, trial: Trial, upper: UpperBody, masses: _Masses) -> WholeBody | None:
    motions = {part: motion for part in BODY_PARTS if (motion := _mass_of(body, part)) is not None}
    if len(motions) < len(BODY_PARTS):
        return None
    segments = {part: body.segments[part] for part in BODY_PARTS}
    if body.kinetics == "vicon":
        com = vendor_com_lab_m(vendor_mass(trial.software), upper, masses.trunk, pelvis, body)
        return WholeBody(segments, motions, com, *path_rates(com, trial.rate_hz, "textbook"), vendor=True)
    total = sum(segment.mass_kg for segment in segments.values())
    paths = ("com_lab_m", "com_velocity_lab_m_s", "com_acceleration_lab_m_s2")
    mean = (sum(segments[part].mass_kg / total * getattr(motions[part], name) for part in BODY_PARTS) for name in paths)
    return WholeBody(segments, motions, *mean)


def _mass_of(body: BodyMotion, part: Part) -> Motion | None:
    return body.pelvis_mass if part == PELVIS else body.motions.get(part) if part in body.segments else None
