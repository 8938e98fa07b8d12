"""`biomech-id run --model FILE.osim` on recordings: a subject's own scaled model, and a generic one scaled to a child."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.conventions import CLINIC_MUSCLES
from biomech_id.models.registry import MODELS_FOLDER

pytestmark = pytest.mark.real
QUICK = "[output]\nreport = false\nbudget = false\nuncertainty = false\n"


def run(folder: Path, words: list[str]) -> tuple[int, str, Path]:
    recipe, out = folder / "recipe.toml", folder / "out"
    recipe.write_text(QUICK, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", *words, "-o", str(out), "--recipe", str(recipe)])
    return result.exit_code, result.stderr, out


def said(out: Path, rule: str) -> dict[str, float]:
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    (finding,) = (found for found in summary["findings"] if found["rule"] == rule)
    return dict(finding["values"])


def quality(out: Path) -> dict[str, float]:
    """Largest value of each rule over the trials."""
    with (out / "quality.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["value"]]
    return {rule: max(float(row["value"]) for row in rows if row["rule"] == rule) for rule in {row["rule"] for row in rows}}


def test_a_scaled_model_is_its_own_subjects(shared_dir: Path, tmp_path: Path) -> None:
    folder = shared_dir / "opensim" / "gait10dof18musc"
    code, stderr, out = run(tmp_path, [str(folder / "ExperimentalData"), "--model", str(folder / "subject01.osim")])
    assert code in (0, 3), stderr
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert summary["model"] == "opensim"
    # Nobody gave a mass: it is the model's, 72.64 kg in the file.
    assert summary["subject"]["mass_kg"] == pytest.approx(72.6, abs=0.1)
    assert said(out, "osim-own")["n"] >= 30
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert "subject01.osim" in " ".join(manifest["inputs"])
    assert str(folder) not in json.dumps(manifest)


def test_under_a_code_the_models_markers_have_the_recordings_new_labels(shared_dir: Path, tmp_path: Path) -> None:
    """It was an unexpected error: the recording's labels were changed, those of the model were not."""
    folder = shared_dir / "opensim" / "gait10dof18musc"
    words = [str(folder / "ExperimentalData"), "--model", str(folder / "subject01.osim"), "--code", "ABC", "--review-page"]
    code, stderr, out = run(tmp_path, words)
    assert code in (0, 3), stderr
    with np.load(next((out / "replay").glob("*.npz"))) as replay:
        assert len(replay["model_marker_labels"]) >= 30
        assert "Sternum" not in set(replay["marker_names"])
    assert "Sternum" not in (out / "review.html").read_text(encoding="utf-8")


def test_a_generic_model_by_its_short_name_is_scaled_to_a_child(
    shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    generic = shared_dir / "opensim_refs" / "gait2392" / "gait2392_thelen2003muscle.osim"
    (models / generic.name).write_bytes(generic.read_bytes())
    monkeypatch.setenv(MODELS_FOLDER, str(models))
    words = [str(shared_dir / "c3d" / "children" / "HC036A"), "--model", "gait2392", "--muscle-forces"]
    code, stderr, out = run(tmp_path, words)
    assert code in (0, 3), stderr
    scaled = said(out, "osim-scaled")
    assert 0.7 < scaled["smallest"] <= scaled["largest"] < 0.85
    assert scaled["residual_mm"] < 5.0
    # What is left at the root stands beside every other number about quality.
    measured = quality(out)
    assert 0.0 < measured["residual-single"] < 12.0
    assert np.isfinite(measured["residual-moment"])
    check_muscles(pd.read_csv(out / "muscles.csv"))
    # From C3D to contact forces in one command: every joint of both legs presses with more than the child's weight in stance.
    peaks = pd.read_csv(out / "joint_contact.csv").groupby(["side", "joint"])["body_weights"].max()
    assert len(peaks) == 6
    assert peaks.between(2.0, 7.0).all()


def check_muscles(table: pd.DataFrame) -> None:
    """What is known of walking: the psoas is longest before foot off, the hamstrings before the strike; all near standing."""
    assert set(table["standing"]) == {"static"}
    walk = table[table["trial"] == "HC036A10"].drop_duplicates(["side", "cycle", "percent", "muscle"])
    for (side, muscle, cycle), curve in walk.groupby(["side", "muscle", "cycle"]):
        length, percent = curve["length_normal"].to_numpy(), curve["percent"].to_numpy()
        assert 0.85 < length.min() < length.max() < 1.2, (side, muscle)
        longest = percent[length.argmax()]
        if muscle == "psoas":
            assert 35 <= longest <= 65, (side, cycle)
        if muscle.endswith("hamstrings"):
            assert longest <= 5 or longest >= 80, (side, cycle)
        assert 0.0005 < curve["length_sd"].median() < 0.02
    assert set(walk["muscle"]) == set(CLINIC_MUSCLES)
    # Moment arms are known from cadavers: hamstrings extend the hip by 50 to 80 mm in adults, this child's thigh is 0.77 of one.
    hip = table[(table["muscle"] == "medial_hamstrings") & table["coordinate"].str.startswith("hip_flexion")]
    assert 0.77 * -80 < hip["moment_arm_mm"].median() < 0.77 * -40


@pytest.mark.parametrize(
    ("session", "model", "words"),
    [
        ("c3d/children/HC036A", "opensim_refs/arm26/arm26.osim", "has no body for the pelvis"),
        ("c3d/norm_subjects/NP1002", "opensim_refs/gait2392/gait2392_thelen2003muscle.osim", "no static trial to scale it to"),
        ("c3d/children/HC036A", "nothing.osim", "There is no file"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(shared_dir: Path, tmp_path: Path, session: str, model: str, words: str) -> None:
    code, stderr, out = run(tmp_path, [str(shared_dir / session), "--model", str(shared_dir / model)])
    assert code == 1
    assert words in stderr.strip().splitlines()[-1]
    assert not out.exists()


@pytest.fixture(scope="module")
def muscular(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The walk of OpenSim's example with its own scaled model, and muscle forces."""
    folder, words = shared_dir / "opensim" / "gait10dof18musc", ["--muscle-forces"]
    words = [str(folder / "ExperimentalData"), "--model", str(folder / "subject01.osim"), *words]
    code, stderr, out = run(tmp_path_factory.mktemp("muscular"), words)
    assert code in (0, 3), stderr
    return out


def test_muscle_forces_of_a_session(muscular: Path) -> None:
    muscles, joints = pd.read_csv(muscular / "muscle_forces.csv"), pd.read_csv(muscular / "joint_contact.csv")
    assert muscles["muscle"].nunique() == 18
    assert set(muscles["muscle"].str[-1].str.upper() == muscles["side"]) == {True}
    assert muscles["activation"].between(0.01 - 1e-9, 1.0).all()
    # 72.64 kg; walking models give 2.5 to 6 body weights, far more than the forces of inverse dynamics.
    peaks = joints.groupby(["side", "joint"])[["body_weights", "intersegmental_N"]].max()
    assert peaks["body_weights"].between(3.0, 5.5).all()
    assert (peaks["body_weights"] * 72.64 * 9.80665 > 3 * peaks["intersegmental_N"]).all()
    np.testing.assert_allclose(joints["force_N"] / joints["body_weights"], 72.6 * 9.80665, rtol=2e-3)
    # Both bands, and the force's parts on the bone below: the knee is pressed downwards.
    for table in (muscles, joints):
        assert (table["least_N"] <= table["force_N"] + 1e-6).all()
        assert (table["most_N"] >= table["force_N"] - 1e-6).all()
        assert (table["sd_N"] >= 0).all()
    assert (joints["least_N"] < 0.99 * joints["force_N"]).mean() > 0.5
    late = joints[(joints["joint"] == "knee") & joints["percent"].between(40, 55)]
    assert (late["proximal_N"] < -0.8 * late["force_N"]).all()
    assert joints["reserve_share"].max() < 0.01
    assert joints["residual_N"].max() < 0.4 * 72.6 * 9.81


def test_forces_of_a_session_say_what_they_are(muscular: Path) -> None:
    manifest = json.loads((muscular / "manifest.json").read_text(encoding="utf-8"))
    assert "--muscle-forces" in manifest["command"]
    assert manifest["recipe"]["muscles"] == {
        "muscle_forces": True, "muscle_exponent": 2.0, "muscle_reserve_Nm": 1.0, "muscle_strength": "mass-length",
        "muscle_knee_cost": 0.0,
    }  # fmt: skip
    assert said(muscular, "muscle-forces") == {}
    summary = json.loads((muscular / "summary.json").read_text(encoding="utf-8"))
    findings = {found["rule"]: found["values"] for found in summary["trials"][0]["findings"]}
    limited = pd.read_csv(muscular / "muscle_forces.csv").groupby("muscle")["at_limit"].any()
    assert findings["muscles-at-limit"]["muscles"] == list(limited.index[limited])
    assert "muscle-reserves" not in findings
