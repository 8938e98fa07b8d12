"""Head, thorax, arms, centre of mass and their joint loads against what a vendor's software stored, from raw markers.

Taken from the files besides markers and measurements: the head's offset (statics differ from the mean of their own frames), and
which plates count for which foot. Excluded, with the cause as far as it is known: HC036A10, whose stored thorax follows other
markers than the file holds (0.75 mm); head and thorax angles of HC036A23, a turn stored about another laboratory axis (exactly 90
degrees); wrists of HC033A22, stored on another branch (180 degrees).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.dynamics.newton_euler import solve
from biomech_id.models.conventional.model import conventional_model, stored_conventional_model
from biomech_id.models.conventional.pelvis import pelvis_frames
from biomech_id.models.conventional.upper_body.angles import upper_angles_rad
from biomech_id.models.conventional.upper_body.inertia import (
    MASS_FRACTION,
    Trunk,
    old_vendor_coms_lab_m,
    trunk_of,
    upper_coms_lab_m,
)
from biomech_id.models.conventional.upper_body.kinetics import upper_segments, whole_body_chain
from biomech_id.models.conventional.upper_body.placement import UpperBody, arm_measures, place_upper_body
from biomech_id.models.landmarks import with_roles
from biomech_id.models.progression import progression_axes
from biomech_id.models.segment_motion import differentiate
from biomech_id.models.triads import unit
from biomech_id.readers import read_c3d
from biomech_id.trial import Trial
from tests.real.test_vendor_calibrations import stored_attribution

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("shared_dir")]

C3D = Path(__file__).resolve().parents[3] / "shared" / "c3d"
#: mm, degrees of axes, degrees of angles, N/kg, N m/kg, W/kg: rounding of 32-bit floats, with a margin of three or more.
ORIGIN_MM, AXES_DEG, ANGLE_DEG, FORCE, MOMENT, POWER = 0.01, 1e-3, 0.01, 5e-5, 1e-5, 1e-4
#: The old centre of mass has one constant of the head that was never solved, 0.02 mm; the new one is exact.
COM_MM = {"old": 0.05, "new": 1e-3}
OTHER_AXIS, OTHER_MARKERS, OTHER_BRANCH = "HC036A23", "HC036A10", "HC033A22"
STORED = {"thorax": "TRX", "head": "HED", "clavicle": "CL", "humerus": "HU", "radius": "RA", "hand": "HN"}


def walks() -> list[Path]:
    children = [path for path in sorted(C3D.glob("children/*/*.c3d")) if not path.stem.endswith(("01", "02", OTHER_MARKERS))]
    return [*children, *sorted(C3D.glob("norm_subjects/*/*.c3d"))]


WALKS = walks()
each_walk = pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)


@dataclass(frozen=True, eq=False)
class Body:
    """Everything above the hips of one walk."""

    trial: Trial
    motion: BodyMotion
    upper: UpperBody
    trunk: Trunk
    coms_lab_m: Mapping[tuple[str, str], np.ndarray]
    mass_kg: float

    @property
    def old(self) -> bool:
        """Whether the file is of the generation that divides by lengths."""
        return self.trial.name.startswith("HC")


@cache
def body(path: Path, kinetics: str = "vicon") -> Body:
    trial = read_c3d(path, trust=True)
    if "children" in path.parts:
        static = next(p for p in sorted(path.parent.glob("*.c3d")) if p.stem.endswith(("01", "02")))
        model = conventional_model(read_c3d(static, trust=True))
    else:
        model = stored_conventional_model([trial])
    markers, radius = with_roles(trial.markers), model.calibration.marker_radius_m
    upper = place_upper_body(markers, arm_measures(trial.subject, radius), radius, trial.subject.head_offset_rad or 0.0)
    motion = model.track(replace(trial, model_outputs={}), kinetics=kinetics)
    pelvis = pelvis_frames(markers)
    hips = {side: motion.joint_centres_lab_m[side, "hip"] for side in SIDES}
    trunk = trunk_of(upper.frames["", "thorax"], pelvis, hips, markers.on("", "c7"), radius_m=radius, kinetics=kinetics)
    mass_kg = model.subject.mass_kg
    assert mass_kg is not None
    return Body(trial, motion, upper, trunk, upper_coms_lab_m(upper, trunk, pelvis), mass_kg)


def worst(difference: np.ndarray) -> float:
    assert np.isfinite(difference).any()
    return float(np.nanmax(np.abs(difference)))


@each_walk
def test_frames_equal_the_stored_ones(path: Path) -> None:
    it = body(path)
    wrong, compared = [], 0
    for (side, name), frames in it.upper.frames.items():
        label, points = side + STORED[name], it.trial.model_outputs
        if f"{label}O" not in points:
            continue
        compared += 1
        away = worst(frames.origin_lab_m * MM_PER_M - points[f"{label}O"])
        if away > ORIGIN_MM:
            wrong.append(f"{label} {away:.2g} mm")
        # Of the thorax the lateral and the proximal point are stored on the other side of its origin.
        turned = (1.0, -1.0, -1.0) if name == "thorax" else (1.0, 1.0, 1.0)
        for k, end in enumerate("ALP"):
            axis = turned[k] * unit(points[label + end] - points[f"{label}O"])
            degrees = worst(np.rad2deg(np.linalg.norm(axis - frames.R_lab_seg[:, :, k], axis=1)))
            if degrees > AXES_DEG:
                wrong.append(f"{label} {end} {degrees:.2g} deg")
    assert wrong == []
    assert compared >= 9


@each_walk
def test_angles_equal_the_stored_ones(path: Path) -> None:
    it = body(path)
    markers = with_roles(it.trial.markers)
    progression = progression_axes(markers.on("", "c7"), it.upper.frames["", "thorax"].R_lab_seg)
    found = upper_angles_rad(it.upper.frames, pelvis_frames(markers), progression)
    about_lab = {"head", "thorax"} if it.trial.name == OTHER_AXIS else set()
    wrong, compared = [], 0
    for (side, name), angles in found.items():
        stored = it.trial.model_outputs.get(f"{side}{name.capitalize()}Angles")
        if stored is not None and name not in about_lab:
            if (it.trial.name, name) == (OTHER_BRANCH, "wrist"):
                continue
            apart = worst((np.rad2deg(angles) - stored + 180.0) % 360.0 - 180.0)
            compared += 1
            wrong += [f"{side}{name} {apart:.2g} deg"] if apart > ANGLE_DEG else []
    assert wrong == []
    assert compared >= 10


@each_walk
def test_the_vendors_centre_of_mass_is_reproduced(path: Path) -> None:
    it = body(path)
    coms = dict(it.coms_lab_m)
    if it.old:
        coms = old_vendor_coms_lab_m(it.upper, it.trunk, pelvis_frames(with_roles(it.trial.markers)), coms)
        for side in SIDES:
            hip, knee, ankle = (it.motion.joint_centres_lab_m[side, joint] for joint in ("hip", "knee", "ankle"))
            coms[side, "thigh"], coms[side, "shank"] = knee + 0.567e-3 * unit(hip - knee), ankle + 0.567e-3 * unit(knee - ankle)
            coms[side, "foot"] = ankle - 0.5e-3 * it.motion.motions[side, "foot"].frames.R_lab_seg[:, :, 2]
    else:
        coms |= {(side, name): it.motion.motions[side, name].com_lab_m for side in SIDES for name in ("thigh", "shank", "foot")}
    assert sum(MASS_FRACTION[name] for _, name in coms) == pytest.approx(1.0, abs=1e-12)
    total = sum(MASS_FRACTION[name] * com for (_, name), com in coms.items())
    gate = COM_MM["old" if it.old else "new"]
    assert worst(np.linalg.norm(total * MM_PER_M - it.trial.model_outputs["CentreOfMass"], axis=1)) < gate


def solved(it: Body) -> tuple[Chain, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Segment -> force and moment of the proximal on it per body mass, in its own axes."""
    coms = dict(it.coms_lab_m)
    if it.old:
        # In the chain, and there only, the old software forgets where the neck's root is.
        thorax, along = it.upper.frames["", "thorax"], 0.63 * (it.trunk.l5_thorax_m - it.trunk.neck_thorax_m)
        coms["", "thorax"] = thorax.origin_lab_m + thorax.R_lab_seg @ along
    segments = upper_segments(it.upper, it.trunk, coms, it.mass_kg, "vicon")
    chain = whole_body_chain(it.motion, it.upper, pelvis_frames(with_roles(it.trial.markers)), it.trunk, segments, coms)
    ground_is_stored = all(f"{side}GroundReactionForce" in it.trial.model_outputs for side in SIDES)
    contacts = stored_attribution(it.trial, it.mass_kg).contacts if ground_is_stored else None
    external = []
    for side in SIDES if contacts else ():
        known = np.where(contacts[side].known, 0.0, np.nan)[:, None]
        ground = contacts[side].force_lab_N + known, contacts[side].moment_lab_Nm + known
        external.append(External(f"{side} foot", Wrench(*ground, np.zeros(3))))
    loads = solve(chain, external)
    found = {}
    for i, name in enumerate(chain.names):
        wrench, R = loads.wrench(name), chain.R_lab_seg[:, i]
        parts = (np.einsum("nji,nj->ni", R, vector) / it.mass_kg for vector in (wrench.force_N, wrench.moment_Nm))
        found[name] = tuple(parts)
    return chain, found


#: Segment -> joint, segment proximal to it, and the signs of its moment's components (which, factor, mirrored).
JOINTS = {
    "hand": ("Wrist", "radius", ((1, -1, False), (0, -1, True), (2, -1, True))),
    "radius": ("Elbow", "humerus", ((1, -1, False), (0, -1, True), (2, -1, True))),
    "humerus": ("Shoulder", "thorax", ((1, -1, False), (0, -1, True), (2, -1, True))),
    "pelvis": ("Waist", "thorax", ((1, 1, False), (0, 1, True), (2, -1, True))),
    "thorax": ("Neck", "head", ((1, 1, False), (0, 1, True), (2, -1, True))),
}


@each_walk
def test_loads_of_arms_waist_and_neck_equal_the_stored_ones(path: Path) -> None:
    it = body(path)
    if any(name in path.stem for name in ("NP1002", "NP1003")):
        pytest.skip("the stored ground reaction does not follow from the stored analog signals")
    chain, loads = solved(it)
    omega = {name: chain.omega_lab_rad_s[:, i] for i, name in enumerate(chain.names)}
    head = it.upper.frames["", "head"]
    omega["head"] = differentiate(head, head.origin_lab_m, it.motion.rate_hz, kinetics="vicon").omega_lab_rad_s
    wrong, compared = [], set()
    for name in chain.names:
        side, _, segment = name.rpartition(" ")
        if segment not in JOINTS:
            continue
        joint, proximal, signs = JOINTS[segment]
        if not side and "LGroundReactionForce" not in it.trial.model_outputs:
            continue
        R = chain.R_lab_seg[:, chain.names.index(name)]
        force, moment = loads[name]
        above = omega.get(f"{side} {proximal}", omega.get(proximal))
        power = np.einsum("ni,nij,nj->n", omega[name] - above, R, moment)
        for each in (side,) if side else SIDES:
            s = 1.0 if each == "L" else -1.0
            clinical = np.stack([factor * (s if mirrored else 1.0) * moment[:, k] for k, factor, mirrored in signs], axis=1)
            stored = [it.trial.model_outputs[f"{each}{joint}{kind}"] for kind in ("Force", "Moment", "Power")]
            apart = (force - stored[0], clinical - stored[1] / MM_PER_M, power - stored[2][:, 2])
            for kind, difference, gate in zip(("force", "moment", "power"), apart, (FORCE, MOMENT, POWER), strict=True):
                if np.isfinite(difference).any():
                    compared.add((joint, kind))
                    wrong += [f"{each}{joint} {kind} {worst(difference):.2g}"] if worst(difference) > gate else []
    assert wrong == []
    assert {("Wrist", "moment"), ("Elbow", "force"), ("Shoulder", "power")} <= compared


@each_walk
def test_the_textbook_centre_of_mass_is_another_one(path: Path) -> None:
    """Where the masses lie, not where the vendor's software had them: 13 mm from the new one at most, decimetres from the old."""
    it, true = body(path), body(path, "textbook")
    coms = dict(true.coms_lab_m)
    coms |= {(side, name): true.motion.motions[side, name].com_lab_m for side in SIDES for name in ("thigh", "shank", "foot")}
    total = sum(MASS_FRACTION[name] * com for (_, name), com in coms.items())
    apart = np.linalg.norm(total * MM_PER_M - it.trial.model_outputs["CentreOfMass"], axis=1)
    assert 0.5 < float(np.nanmedian(apart)) < (80.0 if it.old else 16.0)
