"""Calibrations as laboratories do them, against what a vendor's software stored: knee devices, medial malleoli, no static.

Everything is computed from raw markers, measurements and plates. What the files do not say is taken from the vendor's outputs, and
so is not proved by them: the markers' diameter (|KNE - FEO|), whether feet were flat, and which plate counts for which foot in
which frame (the stored ground reaction tells, `stored_attribution`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.errors import BiomechError
from biomech_id.models import segment_motion
from biomech_id.models.conventional.model import CONVENTIONAL, ConventionalModel, conventional_model, stored_conventional_model
from biomech_id.models.conventional.stored_calibration import LEARNT
from biomech_id.models.model import CalibrationInput
from biomech_id.movement.stance import Assignment, FootContact
from biomech_id.readers import read_c3d
from biomech_id.request.subject_file import apply_subject_file
from biomech_id.session.tables.frame_table import frame_table
from biomech_id.signal.resample import window_mean
from biomech_id.statistics.parity import ParityRow, parity_rows
from biomech_id.trial import Trial

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("shared_dir")]

#: Largest difference in any frame, side and axis: mm, degrees, N m/kg, W/kg, N/kg.
GATES = {"point": 0.005, "angle": 1e-3, "moment": 1e-5, "power": 5e-5, "force": 5e-5}
OFFSET_RAD = 1e-6
#: The stored ground reaction names a plate where the two agree to this (N/kg): forces are stored in 32 bits.
SAME_FORCE = 2e-4


@dataclass(frozen=True)
class Case:
    """A walk, what it is calibrated on, and which quantities are held to the gates."""

    walk: str
    static: str | None = None
    kinetics: bool = True

    @property
    def name(self) -> str:
        return Path(self.walk).stem + (" with its static" if self.static else "")


KAD = Case("knee_device/kad/PiGKad_Motion.c3d", "knee_device/kad/PiGKad_Calibration.c3d")
MEDIAL = Case("knee_device/kad_medial/PiGKadMed_Motion.c3d", "knee_device/kad_medial/PiGKadMed_Calibration.c3d")
SWAYING = "swaying_static/PiG_Motion4_noFF_noHO.c3d"


def cases() -> list[Case]:
    root = Path(__file__).resolve().parents[3] / "shared" / "c3d"
    norms = [path.relative_to(root).as_posix() for path in sorted((root / "norm_subjects").glob("*/*.c3d"))]
    # The stored forces of these two do not follow from the stored analog signals: kinematics only.
    without = ("NP1002", "NP1003")
    return [
        KAD, MEDIAL, Case(SWAYING), Case(SWAYING, "swaying_static/PiG_Calibration4.c3d"),
        *(Case(path, kinetics=not any(name in path for name in without)) for path in norms),
    ]  # fmt: skip


CASES = cases()
each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@cache
def read(path: Path) -> Trial:
    """A recording; outputs that are stored under a prefix are known by their plain names."""
    trial = read_c3d(path, trust=True)
    plain = {name.replace("Vicon", "", 1): path for name, path in trial.model_outputs.items() if "Vicon" in name}
    return replace(trial, model_outputs={**trial.model_outputs, **plain})


def calibrated(case: Case, c3d: Path, walk: Trial) -> ConventionalModel:
    if case.static is None:
        return stored_conventional_model([walk])
    static = read(c3d / case.static)
    measured = replace(walk.subject, marker_diameter_m=0.014, foot_flat=False)
    learnt = {} if "kad" not in case.static else {name: {} for name in LEARNT}
    return conventional_model(static, replace(measured, **learnt))


def stored_attribution(walk: Trial, mass_kg: float) -> Assignment:
    """Which plates the vendor gave to which foot, frame by frame: those whose mean is the stored ground reaction."""
    means = []
    for plate in walk.plates:
        ratio = round(plate.rate_hz / walk.rate_hz)
        mean = window_mean(np.hstack([plate.force_lab_N, plate.moment_lab_Nm]), walk.n_frames, ratio)
        mean[:, 3:] += np.cross(plate.centre_m, mean[:, :3])
        means.append(mean)
    contacts = {}
    for side in SIDES:
        stored = walk.model_outputs[f"{side}GroundReactionForce"]
        wrench, known = np.zeros((walk.n_frames, 6)), (stored == 0).all(axis=1)
        for n in range(1, 3):
            for plates in itertools.combinations(means, n):
                total = np.sum(plates, axis=0)
                same = (np.abs(total[:, :3] / mass_kg - stored) < SAME_FORCE).all(axis=1) & ~known
                wrench[same], known = total[same], known | same
        contacts[side] = FootContact(side, wrench[:, :3], wrench[:, 3:], known)
    return Assignment((), contacts)


def rows_of(model: ConventionalModel, walk: Trial) -> tuple[ParityRow, ...]:
    hidden = replace(walk, model_outputs={})
    motion = model.track(hidden, kinetics="vicon")
    mass_kg = walk.subject.mass_kg
    assert mass_kg is not None
    assignment = stored_attribution(walk, mass_kg)
    table = frame_table(motion, solve_body(motion, assignment), assignment.contacts, mass_kg=mass_kg)
    return parity_rows(table, walk, straight=True)


def beyond(rows: tuple[ParityRow, ...], kinds: tuple[str, ...]) -> list[str]:
    """What lies beyond the gates; nothing compared counts as beyond."""
    wrong = [
        f"{row.side}{row.variable}.{row.axis}: {row.largest:.2g}"
        for row in rows
        if row.quantity in kinds and not row.largest < GATES[row.quantity] and not _of_another_software(row)
    ]
    compared = {row.quantity for row in rows if row.n_frames}
    return wrong + [f"no {kind} was compared" for kind in kinds if kind not in compared]


def _of_another_software(row: ParityRow) -> bool:
    # This file holds a second set of outputs under the plain names, of which this one has no counterpart with a prefix.
    return row.trial.startswith("PiG_Motion4") and row.variable == "FootProgressAngles"


@each_case
def test_walks_equal_the_stored_outputs(case: Case, c3d_dir: Path) -> None:
    walk = read(c3d_dir / case.walk)
    rows = rows_of(calibrated(case, c3d_dir, walk), walk)
    kinds = ("point", "angle", "moment", "power", "force") if case.kinetics else ("point", "angle")
    assert beyond(rows, kinds) == []
    if case.kinetics:
        assert max(row.n_frames for row in rows if row.quantity == "moment") > 50


@pytest.mark.parametrize("case", [KAD, MEDIAL, CASES[3]], ids=lambda case: case.name)
def test_six_offsets_of_each_leg_are_learnt_from_the_static(case: Case, c3d_dir: Path) -> None:
    walk = read(c3d_dir / case.walk)
    calibration = calibrated(case, c3d_dir, walk).calibration
    for side in SIDES:
        geometry, offsets = calibration.geometry[side], calibration.offsets[side]
        ours = (
            geometry.thigh_rotation_rad, geometry.shank_rotation_rad, geometry.tibial_torsion_rad, geometry.ankle_tilt_rad,
            offsets.plantar_flexion_rad, offsets.rotation_rad,
        )  # fmt: skip
        stored = [getattr(walk.subject, name)[side] for name in LEARNT]
        assert ours == pytest.approx(stored, abs=OFFSET_RAD)
    assert calibration.knee_device is (case is not CASES[3])


@pytest.mark.parametrize("case", [KAD, MEDIAL], ids=lambda case: case.name)
def test_a_static_with_a_device_equals_its_stored_outputs(case: Case, c3d_dir: Path) -> None:
    """Ankle angles with medial markers keep a constant turn of the shank in the file that nobody has explained: 0.02 degrees."""
    static = read(c3d_dir / str(case.static))
    model = calibrated(case, c3d_dir, read(c3d_dir / case.walk))
    motion = model.track(model.reference)
    for side in SIDES:
        for joint, stored in (("hip", "FEP"), ("knee", "FEO"), ("ankle", "TIO")):
            away = motion.joint_centres_lab_m[side, joint] * MM_PER_M - static.model_outputs[side + stored]
            assert np.abs(away).max() < 1e-3
        virtual = model.reference.markers[f"{side}KNE"] * MM_PER_M - static.model_outputs[f"{side}KNE"]
        assert np.abs(virtual).max() < 1e-3
        for joint in ("pelvis", "hip", "knee", "ankle", "foot_progress"):
            words = "".join(part.capitalize() for part in joint.split("_"))
            away = np.rad2deg(motion.joint_angles_rad[side, joint]) - static.model_outputs[f"{side}{words}Angles"]
            assert np.abs(away).max() < (0.02 if (case, joint) == (MEDIAL, "ankle") else 1e-4)


def test_markers_diameter_is_read_off_the_stored_knee_centres_or_asked_for(c3d_dir: Path) -> None:
    walk = read(c3d_dir / CASES[-1].walk)
    model = stored_conventional_model([walk])
    assert model.calibration.marker_radius_m == pytest.approx(0.00475, abs=1e-9)
    assert "marker-diameter-from-outputs" in [finding.rule for finding in model.findings]
    with pytest.raises(BiomechError, match="diameter"):
        stored_conventional_model([replace(walk, model_outputs={})])
    told = replace(walk.subject, marker_diameter_m=0.014)
    contradicted = stored_conventional_model([walk], told)
    assert contradicted.calibration.marker_radius_m == 0.007
    assert [f.values for f in contradicted.findings if f.rule == "marker-diameter-contradicted"] == [
        {"given_mm": pytest.approx(14.0), "implied_mm": pytest.approx(9.5)}
    ]


#: What one parameter's neglect does at least, in degrees of the worst angle (a quarter of what a prototype measured).
ABLATIONS = {
    "thigh_rotation_rad": 1.8, "shank_rotation_rad": 3.0, "tibial_torsion_rad": 5.0,
    "static_plantar_flexion_rad": 3.0, "static_rotation_offset_rad": 0.7,
}  # fmt: skip


@pytest.mark.parametrize("field", ABLATIONS)
def test_each_stored_offset_matters(field: str, c3d_dir: Path) -> None:
    walk = read(c3d_dir / next(case.walk for case in CASES if "NP1006" in case.walk))
    value: Mapping[str, float] = dict.fromkeys(SIDES, 1e-12)
    rows = rows_of(stored_conventional_model([walk], replace(walk.subject, **{field: value})), walk)  # type: ignore[arg-type]
    assert max(row.largest for row in rows if row.quantity == "angle") > ABLATIONS[field]


@pytest.mark.parametrize(
    ("name", "change"),
    [("smoothed_together", lambda path: path), ("STENCIL_S", 0.0134), ("STENCIL_S", 0.0267)],
    ids=["no smoothing spline", "two frames at 150 Hz", "four frames at 150 Hz"],
)
def test_kinetics_notice_another_derivative(name: str, change: object, c3d_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = read(c3d_dir / next(case.walk for case in CASES if "NP1006" in case.walk))
    monkeypatch.setattr(segment_motion, name, change)
    assert beyond(rows_of(stored_conventional_model([walk]), walk), ("moment", "power"))


def test_walks_of_two_placements_are_refused(c3d_dir: Path) -> None:
    first, second = (read(c3d_dir / case.walk) for case in CASES if "NP1010" in case.walk)
    assert stored_conventional_model([first, second]).calibration.stored
    moved = replace(second, subject=second.subject.with_values("test", thigh_rotation_rad={"L": 0.3, "R": 0.0}))
    with pytest.raises(BiomechError, match="two placements"):
        stored_conventional_model([first, moved])
    other_day = [replace(trial, session_date=day) for trial, day in ((first, "2020-01-01"), (second, "2020-01-02"))]
    with pytest.raises(BiomechError, match="2020-01-02"):
        stored_conventional_model(other_day)
    said = other_day[0].subject.with_values("subject.toml", same_placement=True)
    findings = {finding.rule: finding for finding in stored_conventional_model(other_day, said).findings}
    assert findings["placement-said-same"].values["days"] == ("2020-01-01", "2020-01-02")
    with pytest.raises(BiomechError, match="two placements"):  # other offsets are another placement, whatever is said
        stored_conventional_model([first, moved], said)


def test_rotations_and_torsions_typed_into_subject_toml_do_what_stored_ones_do(c3d_dir: Path, tmp_path: Path) -> None:
    """Degrees in the file, the walk's own offsets forgotten: centres and angles are the stored ones, no key is idle."""
    walk = read(c3d_dir / next(case.walk for case in CASES if "NP1006" in case.walk))
    keys = ("thigh_rotation", "shank_rotation", "tibial_torsion")
    typed = {key: getattr(walk.subject, f"{key}_rad") for key in keys}
    forgotten = replace(walk.subject, **{f"{key}_rad": dict.fromkeys(SIDES, 0.0) for key in keys})  # type: ignore[arg-type]
    for left_out in (None, *keys):
        lines = [
            f"{key}_deg = {{ left = {np.rad2deg(legs['L']):.12f}, right = {np.rad2deg(legs['R']):.12f} }}"
            for key, legs in typed.items()
            if key != left_out
        ]
        (tmp_path / "subject.toml").write_text("\n".join(lines), encoding="utf-8")
        told = apply_subject_file(forgotten, tmp_path / "subject.toml")
        wrong = beyond(rows_of(stored_conventional_model([walk], told), walk), ("point", "angle"))
        assert bool(wrong) is (left_out is not None)


@pytest.mark.parametrize("knee_axis", ["walk", "functional"])
def test_stored_offsets_and_knee_axes_of_movements_do_not_go_together(knee_axis: str, c3d_dir: Path) -> None:
    walk = read(c3d_dir / next(case.walk for case in CASES if "NP1006" in case.walk))
    with pytest.raises(BiomechError, match="turns the thighs of a static trial"):
        CONVENTIONAL.calibrate(CalibrationInput([walk], walk.subject, knee_axis=knee_axis, where="NP1006"))
    assert CONVENTIONAL.calibrate(CalibrationInput([walk], walk.subject)).calibration.stored
