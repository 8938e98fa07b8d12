"""OpenSim's example walk as the input of our inverse dynamics, beside the moments OpenSim stored for it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sessions import Sessions

from biomech_id.exports.opensim.folder import session_model
from biomech_id.exports.opensim.motion import model_motion
from biomech_id.readers.opensim.storage import StorageTable, even_rate_hz, read_storage

PIPELINE = Path(__file__).resolve().parents[2] / "pipelines" / "opensim"
MASS_KG = 72.6  # sum of the bodies of subject01.osim


@pytest.fixture(scope="module")
def example(shared_dir: Path) -> Path:
    return shared_dir / "opensim" / "gait10dof18musc"


@pytest.fixture(scope="module")
def ours(sessions: Sessions) -> StorageTable:
    session = sessions["gait10"].result
    (trial,) = session.trials
    assert trial.loads is not None
    return model_motion(session_model(session, knee="extension"), trial.motion, trial.loads).joint_forces()


def compare_recipe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare", PIPELINE / "compare_with_stored.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_recipe_draws_them_side_by_side(
    example: Path, ours: StorageTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (stored,) = example.rglob("subject01_walk_ID.sto")
    figure = tmp_path / "moments.png"
    monkeypatch.chdir(PIPELINE)  # where the recipe's marker set lies
    words = [example / "ExperimentalData", stored, "-o", figure, "--recipe", "gait10-recipe.toml", "--mass", MASS_KG]
    monkeypatch.setattr(sys, "argv", ["compare_with_stored.py", *map(str, words)])
    compare_recipe().main()
    lines = capsys.readouterr().out.splitlines()
    apart_Nm, _, correlation = compare_recipe().distance_Nm(ours, read_storage(stored), "knee_angle_r_moment")
    (knee,) = (line for line in lines if line.startswith("knee_angle_r_moment"))
    assert knee.startswith(f"knee_angle_r_moment: {apart_Nm:.1f} N m of ")
    assert knee.endswith(f"r = {correlation:.3f}")
    assert len(lines) == 6
    assert figure.stat().st_size > 20_000


@pytest.mark.parametrize(
    # Bounds: the ankle moment hardly depends on a model (lever arm of the same force about nearly the same point: 3 % of its
    # range). Knee and hip centres of the two models lie 1 to 3 cm apart, which at 800 N is 8 to 24 N m.
    ("joint", "bound_Nm", "least_correlation"),
    [("ankle_angle", 4.0, 0.99), ("knee_angle", 24.0, 0.8), ("hip_flexion", 24.0, 0.8)],
)
def test_flexion_moments_are_those_opensim_stored(
    example: Path, ours: StorageTable, joint: str, bound_Nm: float, least_correlation: float
) -> None:
    (path,) = example.rglob("subject01_walk_ID.sto")
    stored = read_storage(path)
    for side in "rl":
        column = f"{joint}_{side}_moment"
        assert np.isfinite(ours[column]).sum() > 60  # a cycle at 60 Hz
        apart_Nm, _, correlation = compare_recipe().distance_Nm(ours, stored, column)
        assert apart_Nm < bound_Nm, column
        assert correlation > least_correlation, column


def test_its_kinematics_and_moments_can_be_read(example: Path) -> None:
    kinematics, moments = (read_storage(next(example.rglob(name))) for name in ("subject01_walk_IK.mot", "subject01_walk_ID.sto"))
    assert kinematics.in_degrees
    assert not moments.in_degrees
    assert np.nanmin(kinematics["knee_angle_r"]) < -50.0  # degrees: extension is positive in this model
    assert even_rate_hz(kinematics.time_s, "IK") == even_rate_hz(moments.time_s, "ID") == 60.0
