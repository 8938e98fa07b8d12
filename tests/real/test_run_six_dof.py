"""`biomech-id run --model six-dof` as a laboratory types it, on folders without a static trial and on a static trial alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import biomech_id as bid
from biomech_id.cli.app import app

RECIPE = "[output]\nreport = false\nbudget = false\n"
RECORDINGS = {
    "walks": ("opensim/walking2.c3d", "opensim/walking5.c3d"),
    "short-labels": ("walking/bmc_gait.c3d",),
    "standing": ("others/FunctionalStatic.c3d",),
}
WITH_WARNINGS = 3
Ran = tuple[int, str, Path]


@pytest.fixture(scope="module")
def run(c3d_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    done: dict[str, Ran] = {}

    def analyse(name: str) -> Ran:
        if name not in done:
            folder = tmp_path_factory.mktemp(name)
            for recording in RECORDINGS[name]:
                shutil.copy(c3d_dir / recording, folder)
            (folder / "subject.toml").write_text("mass_kg = 70.0\n", encoding="utf-8")
            (folder / "quick.toml").write_text(RECIPE, encoding="utf-8")
            out = folder.parent / f"{folder.name}-out"
            words = ["run", str(folder), "-o", str(out), "--model", "six-dof", "--recipe", str(folder / "quick.toml")]
            result = CliRunner().invoke(app, words)
            done[name] = result.exit_code, result.output, out
        return done[name]

    return analyse


def valid_kinetics(cycles: pd.DataFrame) -> dict[tuple[str, str], set[str]]:
    """(trial, side) -> which kinds of kinetics its cycles have."""
    kinds = cycles.astype({"kinetics_valid": str}).groupby(["trial", "side"]).kinetics_valid
    return {key: {value.lower() for value in values.unique()} for key, values in kinds}


def complete(cycles: pd.DataFrame, variable: str, component: str) -> pd.DataFrame:
    """A row for every cycle whose curve is known at all 101 percents."""
    curves = cycles[(cycles.variable == variable) & (cycles.component == component)]
    wide = curves.pivot_table(index=["trial", "side", "cycle"], columns="percent", values="value")
    return wide.reindex(columns=range(101)).dropna()


def test_walks_calibrated_from_themselves(run: Callable[[str], Ran]) -> None:
    code, said, out = run("walks")
    assert code == WITH_WARNINGS
    assert "There is no static trial: the model was calibrated on the frames of walking5" in said
    cycles = pd.read_csv(out / "cycles.csv")
    knees = complete(cycles, "KneeAngles", "X")
    for trial in ("walking2", "walking5"):
        assert set(knees.loc[trial].index.get_level_values("side")) == {"L", "R"}
    peaks = knees[range(60, 101)].max(axis=1)
    assert ((peaks > 60) & (peaks < 82)).all()  # degrees, swing
    for variable in ("HipAngles", "AnkleAngles", "PelvisAngles", "FootProgressAngles"):
        assert len(complete(cycles, variable, "X")) >= len(knees), variable
    # The plate stance whose cycle is cut has the kinetics of its stance, the one whose cycle is whole has all.
    kinds = valid_kinetics(cycles)
    assert "stance_only" in kinds["walking2", "R"]
    assert "true" in kinds["walking5", "R"]
    power = cycles[(cycles.variable == "AnklePower") & cycles.value.notna()].groupby(["trial", "side", "cycle"]).value.max()
    assert len(power) == 2
    assert (power > 1.0).all()  # W/kg at push-off


def test_tracked_hips_stay_with_the_stored_ones(run: Callable[[str], Ran], c3d_dir: Path) -> None:
    _, _, out = run("walks")
    for recording in RECORDINGS["walks"]:
        trial = bid.read_c3d(c3d_dir / recording)
        table = pd.read_csv(out / "trials" / f"{trial.name}.csv")
        for side in "LR":
            off = table[[f"{side}HJC.{axis}" for axis in "XYZ"]].to_numpy() - trial.model_outputs[f"{side}HJC"]
            seen = np.isfinite(off).all(axis=1)
            assert seen.sum() > 400
            assert np.sqrt((off[seen] ** 2).sum(axis=1).mean()) < 8.0  # mm


def test_joints_that_move_have_translational_power(run: Callable[[str], Ran]) -> None:
    """Segments are tracked apart, so their ends part by millimetres: the term is there where the rotational one is, and small."""
    _, _, out = run("walks")
    table = pd.read_csv(out / "trials" / "walking5.csv")
    for joint in ("Hip", "Knee", "Ankle"):
        rotational, translational = table[f"R{joint}Power"], table[f"R{joint}PowerTranslational"]
        assert (rotational.notna() == translational.notna()).all()
        assert 0.05 < translational.abs().max() < 3.0, joint  # W/kg


def test_labels_of_four_characters(run: Callable[[str], Ran]) -> None:
    code, _, out = run("short-labels")
    assert code == WITH_WARNINGS
    kinds = valid_kinetics(pd.read_csv(out / "cycles.csv"))
    assert "true" in kinds["bmc_gait", "R"]
    assert "true" not in kinds["bmc_gait", "L"]
    assert "stance_only" in kinds["bmc_gait", "L"]
    assert json.loads((out / "calibration.json").read_text(encoding="utf-8"))["marker_set"] == "bmclab-walk"


def test_a_static_trial_alone(run: Callable[[str], Ran]) -> None:
    code, said, out = run("standing")
    assert code == WITH_WARNINGS
    assert "FunctionalStatic.c3d is the only trial: the model is calibrated, and there is nothing to analyse." in said
    calibration = json.loads((out / "calibration.json").read_text(encoding="utf-8"))
    assert calibration["sides"]["L"]["segments"]["thigh"]["mass_kg"] > 0
