"""The six-degree-of-freedom model on real walks that have no static trial, and on a static trial without walks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.gait.assignment import Assignment, assign_plates
from biomech_id.gait.events import find_events
from biomech_id.markersets import draft, parse_markerset
from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.joint_centres.hip_regressions import REGRESSIONS
from biomech_id.models.six_dof.model import SixDofModel, six_dof_model
from biomech_id.models.six_dof.rigid_markers import _computed
from biomech_id.movement.stance import Verdict
from biomech_id.readers import read_c3d
from biomech_id.signal.filters import lowpass
from biomech_id.trial import EventKind, Trial

MASS_KG = 70.0  # as a user would write it in subject.toml; the files do not say
CUTOFF_HZ = 8.0


@dataclass(frozen=True)
class Analysed:
    trial: Trial
    model: SixDofModel
    motion: BodyMotion
    strikes_s: dict[str, list[float]]
    assignment: Assignment
    loads: JointLoads

    def frames(self, start_s: float, end_s: float) -> slice:
        return slice(self.trial.index_of(start_s), self.trial.index_of(end_s))  # half-open

    def cycles(self) -> Iterator[tuple[str, slice]]:
        """Cycles of a leg that is seen at both of its ends (markers leave the cameras' volume at either end of a walk)."""
        for side, times in self.strikes_s.items():
            seen = np.isfinite(np.stack([self.motion.fit_residual_m[side, name] for name in LEG_SEGMENTS])).all(axis=0)
            for start, end in pairwise(times):
                frames = self.frames(start, end)
                if seen[frames.start] and seen[frames.stop]:
                    yield side, frames

    def moments(self, side: str, joint: str, distal: str) -> np.ndarray:
        proximal = self.motion.parent_of(side, joint).frames.R_lab_seg
        axes = self.motion.motions[side, distal].frames.R_lab_seg
        return self.motion.axes.moment(joint, side, self.loads[side, joint].wrench.moment_Nm, proximal, axes) / MASS_KG

    def clean_stances(self) -> list[tuple[str, slice]]:
        return [
            (stance.side, self.frames(stance.start_s, stance.end_s))
            for stance in self.assignment.stances
            if stance.verdict is Verdict.CLEAN
        ]


def analyse(path: Path) -> Analysed:
    raw = read_c3d(path, trust=True)
    smooth = raw.markers.with_positions(lowpass(raw.markers.position_m, raw.rate_hz, CUTOFF_HZ))
    trial = raw.after(f"low-pass {CUTOFF_HZ:g} Hz", markers=smooth)
    model = six_dof_model(None, raw.subject.with_values("subject.toml", mass_kg=MASS_KG), walks=(trial,))
    motion = model.track(trial)
    events = find_events(trial, motion)
    strikes = {side: [e.time_s for e in events if e.side == side and e.kind is EventKind.FOOT_STRIKE] for side in "LR"}
    assignment = assign_plates(trial, motion, events=events, body_mass_kg=MASS_KG)
    return Analysed(trial, model, motion, strikes, assignment, solve_body(motion, assignment))


@pytest.fixture(scope="module", params=["walking2.c3d", "walking5.c3d"])
def walk(request: pytest.FixtureRequest, c3d_dir: Path) -> Analysed:
    return analyse(c3d_dir / "opensim" / request.param)


@pytest.fixture(scope="module")
def bmc(c3d_dir: Path) -> Analysed:
    return analyse(c3d_dir / "walking" / "bmc_gait.c3d")


def test_a_walk_is_calibrated_in_the_window_that_shows_its_points(walk: Analysed) -> None:
    calibration = walk.model.calibration
    assert calibration.markerset.name == "fullbody-2009"
    assert calibration.from_walk
    shown = np.isfinite(walk.trial.markers["RLFC"]).all(axis=1)
    assert calibration.n_frames == shown.sum()
    assert calibration.methods["L", "hip"] == "centre stored in the file"
    for key, residual in walk.motion.fit_residual_m.items():
        assert np.isfinite(residual).sum() > shown.sum(), key  # tracked wherever the clusters are visible


def test_tracked_hip_centres_stay_with_the_stored_ones(walk: Analysed) -> None:
    for side in "LR":
        error = walk.motion.joint_centres_lab_m[side, "hip"] - 1e-3 * walk.trial.model_outputs[f"{side}HJC"]
        error = error[np.isfinite(error).all(axis=1)]
        assert len(error) > 400
        assert np.sqrt((error**2).sum(axis=1).mean()) < 8e-3


def test_every_regression_is_compared_with_the_stored_hip(walk: Analysed) -> None:
    """Tabled in docs/hip-centres.md, not gated: published regressions are centimetres away from these stored centres."""
    for side in "LR":
        candidates = walk.model.calibration.hip_candidates_m[side]
        assert set(candidates) == {"stored", *REGRESSIONS}
        distances = {name: np.linalg.norm(candidates[name] - candidates["stored"]) for name in REGRESSIONS}
        assert all(0.0 < distance < 0.1 for distance in distances.values()), distances


def test_every_complete_cycle_has_angles_and_a_knee_that_bends(walk: Analysed) -> None:
    cycles = list(walk.cycles())
    assert {side for side, _ in cycles} == {"L", "R"}
    for side, frames in cycles:
        for joint in ("pelvis", "hip", "knee", "ankle", "foot_progress"):
            assert np.isfinite(walk.motion.joint_angles_rad[side, joint][frames]).all(), (side, joint)
        knee = np.rad2deg(walk.motion.joint_angles_rad[side, "knee"][frames, 0])
        swing = knee[int(0.6 * len(knee)) :]
        assert 60 < swing.max() < 82


def check_stance(analysed: Analysed, side: str, stance: slice) -> None:
    """A plate stance has joint moments throughout and pushes off: plantarflexor moment and positive ankle power."""
    known = np.stack([np.isfinite(analysed.moments(side, j, d)).all(axis=1)[stance] for j, d in JOINT_SEGMENTS])
    assert known.all()
    ankle = analysed.moments(side, "ankle", "foot")[stance, 0]
    late = slice(int(0.6 * len(ankle)), int(0.95 * len(ankle)))
    assert 1.0 < ankle.max() < 2.2  # N m/kg, plantarflexor
    assert 0.6 < np.argmax(ankle) / len(ankle) < 0.95
    power = analysed.loads[side, "ankle"].power_rotational_W[stance] / MASS_KG
    assert power[late].max() > 1.0  # W/kg, generation at push-off


JOINT_SEGMENTS = (("ankle", "foot"), ("knee", "shank"), ("hip", "thigh"))


def test_the_stance_on_one_plate_has_kinetics(walk: Analysed) -> None:
    stances = walk.clean_stances()
    assert stances
    for side, stance in stances:
        check_stance(walk, side, stance)


def test_a_set_with_labels_cut_to_four_characters(bmc: Analysed) -> None:
    calibration = bmc.model.calibration
    assert calibration.markerset.name == "bmclab-walk"
    assert (calibration.n_frames, calibration.sides) == (194, ("L", "R"))
    for side in "LR":
        assert calibration.methods[side, "knee"].startswith("midpoint")
        knee = calibration.templates[side, "thigh"].points_m["knee_centre"]
        assert 0.3 < np.linalg.norm(knee) < 0.5  # metres: a thigh


def test_one_full_kinetic_cycle_on_the_right_and_a_stance_on_the_left(bmc: Analysed) -> None:
    complete = []
    for side, frames in bmc.cycles():
        known = np.stack([np.isfinite(bmc.moments(side, j, d)).all(axis=1)[frames] for j, d in JOINT_SEGMENTS])
        complete += [side] * bool(known.all())
    assert complete == ["R"]
    assert {side for side, _ in bmc.clean_stances()} == {"L", "R"}
    for side, stance in bmc.clean_stances():
        check_stance(bmc, side, stance)


@pytest.mark.parametrize("recording", ["opensim/walking2.c3d", "walking/bmc_gait.c3d"])
def test_a_drafted_marker_set_calibrates_like_the_shipped_one(c3d_dir: Path, recording: str) -> None:
    trial = read_c3d(c3d_dir / recording, trust=True)
    subject = trial.subject.with_values("subject.toml", mass_kg=MASS_KG)
    labels = [name for name in trial.markers.names if trial.markers.present(name)]
    drafted = parse_markerset(draft(labels, stored=tuple(trial.model_outputs)), "ours")
    shipped, ours = (six_dof_model(None, subject, walks=(trial,), markerset=s).calibration for s in (None, drafted))
    assert ours.markerset.name == "ours"
    assert ours.methods == shipped.methods
    for key, template in shipped.templates.items():
        for name, place in template.points_m.items():
            np.testing.assert_array_equal(ours.templates[key].points_m[name], place, err_msg=f"{key} {name}")


@pytest.fixture(scope="module")
def standing(c3d_dir: Path) -> Trial:
    return read_c3d(c3d_dir / "others" / "FunctionalStatic.c3d", trust=True)


def test_a_static_trial_alone_gives_a_calibration(standing: Trial) -> None:
    model = six_dof_model(standing)
    calibration = model.calibration
    assert calibration.markerset.name == "functional-clusters"
    assert not calibration.from_walk
    assert all("chord" in calibration.methods[side, joint] for side in "LR" for joint in ("knee", "ankle"))
    written = calibration.to_dict()
    assert written["static"] == "FunctionalStatic"
    assert written["sides"]["L"]["segments"]["thigh"]["mass_kg"] == pytest.approx(0.1 * 60.0)
    motion = model.track(standing)
    # Nobody moves: the clusters fit, and clinical angles are those of standing.
    for key, residual in motion.fit_residual_m.items():
        assert np.nanmax(residual) < 2e-3, key
    for side in "LR":
        assert np.abs(np.rad2deg(motion.joint_angles_rad[side, "knee"][:, 0])).max() < 10
        assert np.abs(np.rad2deg(motion.joint_angles_rad[side, "hip"][:, 0])).max() < 10


def test_the_conventional_model_meets_the_stored_centres(standing: Trial) -> None:
    motion = conventional_model(standing).track(standing)
    for side in "LR":
        for joint, label in (("hip", "FEP"), ("knee", "FEO"), ("ankle", "TIO")):
            stored = 1e-3 * standing.model_outputs[side + label]
            assert np.nanmax(np.abs(motion.joint_centres_lab_m[side, joint] - stored)) < 1e-5  # 0.01 mm


#: What markers lie on that the conventional set does not name: Oxford's foot model, La Trobe's pelvis, other laboratories' legs.
LIES_ON = {
    "pelvis": {"P1", "P2", "P3", "P4"},
    "thigh": {"THIB", "THID"},
    "shank": {"HFB", "TUB", "SHN", "TIBF", "TIBD"},
    "foot": {"CPG", "LCA", "STL", "NAV", "P1M", "P5M", "D5M", "D1M0", "PROXFF", "TOE5", ".M1", ".M5"},
}


@pytest.mark.parametrize(
    ("static", "walks", "least"),
    [
        ("children/HC002D/HC002D02", ("children/HC002D/HC002D06", "children/HC002D/HC002D25"), 14),
        ("children/HC032A/HC032A01", ("children/HC032A/HC032A03",), 14),
        ("children/HC036A/HC036A01", ("children/HC036A/HC036A10",), 10),
        ("drop_jump/FAILT01_static02", ("drop_jump/FAILT01_Walk01", "drop_jump/FAILT01_SLDJ01"), 4),
        ("helen_hayes/HHStatic", ("helen_hayes/HHMotion",), 4),
        ("functional/Test_func_anat", ("functional/Test_func_lhip",), 8),
    ],
)
def test_further_markers_follow_the_segment_that_they_lie_on(
    c3d_dir: Path, static: str, walks: tuple[str, ...], least: int
) -> None:
    """None is taken for another segment's, among up to 117 labels of which many are points that software drew; no toe, no spine."""
    recordings = [read_c3d(c3d_dir / f"{name}.c3d", trust=True) for name in (static, *walks)]
    model = six_dof_model(recordings[0], walks=recordings, with_mass=False)
    few = six_dof_model(recordings[0], with_mass=False)
    found = [
        (part, label) for part, labels in model.marker_groups.items() for label in labels if label not in few.marker_groups[part]
    ]
    for (side, segment), label in found:
        assert label.startswith(side)
        assert label.removeprefix(side) in LIES_ON[segment], (label, segment)
    assert len(found) >= least


@pytest.mark.parametrize("person", ["HC030A", "HC032A"])
def test_a_millimetre_of_noise_changes_next_to_nothing_in_the_choice_of_further_markers(c3d_dir: Path, person: str) -> None:
    """One choice for a session, from standing and all its walks; of some thirty markers at most one is in or out with the noise."""
    standing, *walks = (read_c3d(path) for path in sorted((c3d_dir / "children" / person).glob("*.c3d")))
    rng = np.random.default_rng(1)
    drawn = _computed([name for name in walks[0].markers.names if walks[0].markers.present(name)], walks[0].markers)

    def noisier(trial: Trial) -> Trial:
        """What cameras saw with 1 mm more noise; points that software drew stay exact."""
        seen = np.array([name not in drawn for name in trial.markers.names])
        noise_m = rng.normal(0.0, 1e-3, trial.markers.position_m.shape) * seen[:, None]
        return replace(trial, markers=replace(trial.markers, position_m=trial.markers.position_m + noise_m))

    chosen = six_dof_model(standing, walks=walks).marker_groups
    assert sum(map(len, chosen.values())) >= 30
    for _ in range(2):
        again = six_dof_model(noisier(standing), walks=[noisier(walk) for walk in walks]).marker_groups
        flipped = [label for part, labels in chosen.items() for label in set(labels) ^ set(again[part])]
        assert len(flipped) <= 1, flipped
