"""A body model of another laboratory runs the whole main job without an edit of the library.

The toy has the conventional model's body in segment axes of its own: X to the right, Y anterior, Z proximal. Its rules say so, and
therefore every table must hold the conventional model's numbers; wherever the library took somebody else's axes, they would not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import Part
from biomech_id.conventions import FOOT_PITCH
from biomech_id.dynamics.body import BodyMotion, Frames, Motion, Segment
from biomech_id.dynamics.joint_axes import AngleRule, ComponentRule, ModelAxes, Rules
from biomech_id.dynamics.model_errors import HipCentreMethod, ModelErrors
from biomech_id.errors import Finding, MissingInputError, OptionError
from biomech_id.models import registry
from biomech_id.models.conventional.model import CONVENTIONAL, ConventionalModel
from biomech_id.models.model import BodyModel, CalibrationInput
from biomech_id.models.registry import body_model, model_names, register
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.pipeline.opensim import hand_over
from biomech_id.pipeline.run import run_job
from biomech_id.plugins import Registry
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.session import Session
from biomech_id.session.tables.clinical import clinical_moment, moment_axes_of
from biomech_id.trial import Subject, Trial
from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "biomech_id"
#: Columns: the toy's axes (X right, Y anterior, Z proximal) in conventional axes (x anterior, y left, z proximal).
T = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def turned(rules: Rules) -> Rules:
    """The same components from numbers in the toy's axes: x is the toy's Y, y is minus its X."""
    where = {0: (1, 1.0), 1: (0, -1.0), 2: (2, 1.0)}
    x, y, z = (ComponentRule(where[which][0], factor * where[which][1], mirrored) for which, factor, mirrored in rules)
    return x, y, z


def about_turned(rule: AngleRule) -> AngleRule:
    """Ry(a) Rx(b) Rz(c) is Rx(-a) Ry(b) Rz(c) about the toy's axes."""
    flipped = tuple(ComponentRule(k, -factor if k == 0 else factor, mirrored) for k, factor, mirrored in rule.components)
    return rule._replace(sequence="xyz", components=flipped)  # type: ignore[arg-type]


def toy_axes() -> ModelAxes:
    ours = CONVENTIONAL.axes
    return ModelAxes(
        moment_axes=ours.moment_axes,
        angles={name: about_turned(rule) for name, rule in ours.angles.items()},
        moments={joint: turned(rules) for joint, rules in ours.moments.items()},
        forces={joint: turned(rules) for joint, rules in ours.forces.items()},
        R_seg_isb={segment: T.T @ R for segment, R in ours.R_seg_isb.items()},
        segment_axes="X to the right, Y anterior, Z proximal",
    )


@dataclass(frozen=True, eq=False)
class ToyCalibration:
    scale: float

    def to_dict(self) -> dict[str, Any]:
        return {"scale": self.scale, "sides": {}}


@dataclass(frozen=True, eq=False)
class ToyModel:
    """What `CalibratedModel` asks for, and nothing of ours inherited."""

    inner: ConventionalModel
    axes: ModelAxes | None
    calibration: ToyCalibration = ToyCalibration(1.0)

    @property
    def subject(self) -> Subject:
        return self.inner.subject

    @property
    def findings(self) -> tuple[Finding, ...]:
        return ()

    @property
    def static(self) -> Trial | None:
        return self.inner.static

    @property
    def marker_names(self) -> tuple[str, ...]:
        return self.inner.marker_names

    @property
    def marker_groups(self) -> Mapping[Part, tuple[str, ...]]:
        return self.inner.marker_groups

    @property
    def errors(self) -> ModelErrors:
        return ModelErrors(dict.fromkeys("LR", HipCentreMethod.DAVIS))

    def named(self, trial: Trial) -> Trial:
        return trial

    def track(self, trial: Trial, *, kinetics: str = "textbook") -> BodyMotion:
        theirs = self.inner.track(trial, kinetics=kinetics)
        motions = {part: in_toy_axes(motion) for part, motion in theirs.motions.items()}
        segments = {
            part: Segment(s.name, s.mass_kg, s.com_m @ T, T.T @ s.inertia_kgm2 @ T, "toy") for part, s in theirs.segments.items()
        }
        R = {part: motion.frames.R_lab_seg for part, motion in motions.items()}
        angles = {} if self.axes is None else toy_angles(self.axes, R, theirs.progression_R_lab)
        return replace(
            theirs, motions=motions, segments=segments, joint_angles_rad=angles, model="toy", axes=self.axes,
        )  # fmt: skip


def in_toy_axes(motion: Motion) -> Motion:
    return replace(motion, frames=Frames(motion.frames.R_lab_seg @ T, motion.frames.origin_lab_m))


def toy_angles(axes: ModelAxes, R: Mapping[Part, FloatArray], progression_R_lab: FloatArray) -> dict[Part, FloatArray]:
    standing = axes.standing(progression_R_lab)
    angles: dict[Part, FloatArray] = {}
    for side in "LR":
        around = {
            "pelvis": (standing, R["", "pelvis"]),
            "hip": (np.swapaxes(R["", "pelvis"], 1, 2), R[side, "thigh"]),
            "knee": (np.swapaxes(R[side, "thigh"], 1, 2), R[side, "shank"]),
            "ankle": (np.swapaxes(R[side, "shank"], 1, 2), R[side, "foot"]),
            "foot_progress": (standing, R[side, "foot"]),
        }
        angles |= {(side, name): axes.angle(name, side, *pair) for name, pair in around.items()}
    return angles


def toy(name: str, axes: ModelAxes | None = None) -> BodyModel:
    def calibrate(given: CalibrationInput) -> ToyModel:
        inner = CONVENTIONAL.calibrate(given)
        assert isinstance(inner, ConventionalModel)
        return ToyModel(inner, axes)

    return BodyModel(
        name=name, title="Toy", kinetics=("textbook",), axes=toy_axes(), roles=("heel",),
        calibrate=calibrate, wears_markers=CONVENTIONAL.wears_markers,
    )  # fmt: skip


@pytest.fixture(scope="module")
def registered() -> Iterator[BodyModel]:
    before = dict(registry._MODELS)
    yield register(toy("toy", toy_axes()))
    registry._MODELS.clear()
    registry._MODELS.update(before)


def job(model: str) -> Job:
    only = [path.name for path in (ROOT / "data").glob("*.c3d") if path.stem not in ("static", "walk01")]
    return Job((ROOT / "data",), recipe=Recipe(model=model), exclude=tuple(only))


@pytest.fixture(scope="module")
def sessions(registered: BodyModel) -> tuple[Session, Session]:
    return analyse_job(job("toy")), analyse_job(job(CONVENTIONAL.name))


def test_a_recipe_takes_the_registered_names(registered: BodyModel) -> None:
    assert model_names() == ("conventional", "six-dof", "poses", "toy")
    assert Recipe(model="toy").model == "toy"
    with pytest.raises(OptionError, match="one of auto, conventional, six-dof, poses, toy"):
        Recipe(model="toys")
    with pytest.raises(OptionError, match="vicon kinetics are those of the conventional model; the toy model has textbook"):
        Recipe(model="toy", kinetics="vicon")
    with pytest.raises(OptionError, match=r"no body model 'toys'.*Did you mean 'toy'"):
        body_model("toys")


def test_the_same_body_in_other_segment_axes_gives_the_same_tables(sessions: tuple[Session, Session]) -> None:
    found, expected = (session.frames("walk01") for session in sessions)
    # Pitch from the floor is of models that say that their static trial stood flat; this one does not.
    pitch = {FOOT_PITCH.column(side) for side in "LR"}
    kept = [k for k, name in enumerate(expected.columns) if name not in pitch]
    assert set(expected.columns) - set(found.columns) == pitch
    assert list(found.columns) == [expected.columns[k] for k in kept]
    values = expected.values[:, kept]
    scale = np.nanmax(np.abs(values), axis=0, initial=1.0)
    np.testing.assert_array_equal(np.isnan(found.values), np.isnan(values))
    assert np.nanmax(np.abs(found.values - values) / scale) < 1e-9
    for name in ("cycles", "budget", "peaks"):
        ours, theirs = (getattr(session.tables(), name) for session in sessions)
        if "variable" in theirs:
            theirs = theirs[theirs["variable"] != FOOT_PITCH.variable]
        assert len(ours) == len(theirs) > 0
        # Sagittal work, which peaks are found by, is computed along other axes too.
        np.testing.assert_allclose(ours["value"], theirs["value"], rtol=1e-6, atol=1e-6)


def test_the_main_job_and_its_report_run(registered: BodyModel, tmp_path: Path) -> None:
    outcome = run_job(job("toy"), tmp_path / "out")
    assert outcome.n_trials == 1
    assert (tmp_path / "out" / "report.pdf").stat().st_size > 50_000
    tables = read_tables(tmp_path / "out")
    assert (tables.summary["model"], tables.summary["axes"]) == ("toy", "distal-segment")
    assert tables.calibration["scale"] == 1.0
    assert set(tables.uncertainty["variable"]) >= {"HipMoment", "KneeMoment", "AnkleMoment"}


def test_opensim_gets_the_same_motion(registered: BodyModel, tmp_path: Path) -> None:
    def written(model: str) -> str:
        hand_over(job(model), tmp_path / model)
        return (tmp_path / model / "walk01_joint_angles.mot").read_text(encoding="utf-8")

    found, expected = (np.array([line.split() for line in written(m).split("endheader")[1].strip().split("\n")[1:]], float)
                       for m in ("toy", CONVENTIONAL.name))  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_model_without_axes_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="The body model lost has no axes"):
        replace(toy("lost"), axes=None)  # type: ignore[arg-type]
    monkeypatch.setattr(registry, "_MODELS", Registry("body model", {**registry._MODELS, "forgetful": toy("forgetful", None)}))
    with pytest.raises(MissingInputError, match="does not say in which axes"):
        run_job(job("forgetful"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_motion_without_axes_takes_nobodys(sessions: tuple[Session, Session]) -> None:
    motion = sessions[1].trial("walk01").motion
    for model in ("conventional", "unheard-of", ""):
        with pytest.raises(MissingInputError, match="does not say in which axes"):
            clinical_moment(np.zeros((motion.n_frames, 3)), replace(motion, model=model, axes=None), "L", "knee")


def test_folders_of_the_first_version_name_their_axes_by_their_model() -> None:
    assert moment_axes_of({"model": "six-dof"}) == "joint-coordinate-system"
    assert moment_axes_of({"model": "conventional"}) == moment_axes_of({}) == "distal-segment"
    assert moment_axes_of({"model": "never heard of", "axes": "joint-coordinate-system"}) == "joint-coordinate-system"
    with pytest.raises(OptionError, match="never heard of"):
        moment_axes_of({"model": "never heard of"})


#: Where a body model may be spelt out: at home, and in the marker sets that serve it.
MAY_NAME_A_MODEL = ("models/", "markersets/")


def named_models(source: str) -> list[int]:
    """Lines on which a body model's name stands as a value."""
    constants = (node for node in ast.walk(parsed(source)) if isinstance(node, ast.Constant))
    return [node.lineno for node in constants if node.value in ("six-dof", "conventional")]


def test_no_other_room_knows_a_body_model_by_its_name() -> None:
    known = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if not path.relative_to(PACKAGE).as_posix().startswith(MAY_NAME_A_MODEL)
        for line in named_models(path.read_text(encoding="utf-8"))
    }
    assert known == set()
    assert named_models('if motion.model == "six-dof":\n    pass') == [1]


UPPER_BODY = (
    "from biomech_id.models.conventional.upper_body.", "from biomech_id.models.conventional.axes import CONVENTIONAL_AXES"
)  # fmt: skip


def test_what_models_share_belongs_to_none_of_them() -> None:
    """But for trunk and arms: they have one convention, that of the conventional model, over whatever legs a model tracks."""
    shared = [path for path in (PACKAGE / "models").rglob("*.py") if "conventional" not in path.parts]
    assert len(shared) > 15
    for path in shared:
        lines = path.read_text(encoding="utf-8").splitlines()
        borrowed = [line for line in lines if "models.conventional." in line and not line.startswith(UPPER_BODY)]
        assert not borrowed or path.name == "registry.py", (path, borrowed)


def test_bid_analyse_takes_the_model_by_name(registered: BodyModel) -> None:
    session = bid.analyse(ROOT / "data", model="toy", exclude=job("toy").exclude, report=False, uncertainty=False).computed
    assert session.model == "toy"
