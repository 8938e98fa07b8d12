"""`biomech-id run --model six-dof` as a laboratory types it, on folders without a static trial and on a static trial alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from sessions import Sessions

import biomech_id as bid

RECORDINGS = ("opensim/walking2.c3d", "opensim/walking5.c3d")
WITH_WARNINGS = 3


def valid_kinetics(cycles: pd.DataFrame) -> dict[tuple[str, str], set[str]]:
    """(trial, side) -> which kinds of kinetics its cycles have."""
    kinds = cycles.astype({"kinetics_valid": str}).groupby(["trial", "side"]).kinetics_valid
    return {key: {value.lower() for value in values.unique()} for key, values in kinds}


def complete(cycles: pd.DataFrame, variable: str, component: str) -> pd.DataFrame:
    """A row for every cycle whose curve is known at all 101 percents."""
    curves = cycles[(cycles.variable == variable) & (cycles.component == component)]
    wide = curves.pivot_table(index=["trial", "side", "cycle"], columns="percent", values="value")
    return wide.reindex(columns=range(101)).dropna()


def test_walks_calibrated_from_themselves(sessions: Sessions) -> None:
    walks = sessions["opensim"]
    out = walks.out
    assert walks.exit_code == WITH_WARNINGS
    assert "No trial serves this model as a static one: it was calibrated on the frames of walking5" in walks.said["stderr"]
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


def test_tracked_hips_stay_with_the_stored_ones(sessions: Sessions, c3d_dir: Path) -> None:
    out = sessions["opensim"].out
    for recording in RECORDINGS:
        trial = bid.read_c3d(c3d_dir / recording)
        table = pd.read_csv(out / "trials" / f"{trial.name}.csv")
        for side in "LR":
            off = table[[f"{side}HJC.{axis}" for axis in "XYZ"]].to_numpy() - trial.model_outputs[f"{side}HJC"]
            seen = np.isfinite(off).all(axis=1)
            assert seen.sum() > 400
            assert np.sqrt((off[seen] ** 2).sum(axis=1).mean()) < 8.0  # mm


def test_joints_that_move_have_translational_power(sessions: Sessions) -> None:
    """Segments are tracked apart, so their ends part by millimetres: the term is there where the rotational one is, and small."""
    table = pd.read_csv(sessions["opensim"].out / "trials" / "walking5.csv")
    for joint in ("Hip", "Knee", "Ankle"):
        rotational, translational = table[f"R{joint}Power"], table[f"R{joint}PowerTranslational"]
        assert (rotational.notna() == translational.notna()).all()
        assert 0.05 < translational.abs().max() < 3.0, joint  # W/kg


def test_labels_of_four_characters(sessions: Sessions) -> None:
    walk = sessions["walking"]
    out = walk.out
    assert walk.exit_code == WITH_WARNINGS
    kinds = valid_kinetics(pd.read_csv(out / "cycles.csv"))
    assert "true" in kinds["bmc_gait", "R"]
    assert "true" not in kinds["bmc_gait", "L"]
    assert "stance_only" in kinds["bmc_gait", "L"]
    assert json.loads((out / "calibration.json").read_text(encoding="utf-8"))["marker_set"] == "bmclab-walk"


def test_a_static_trial_alone(sessions: Sessions) -> None:
    standing = sessions["standing"]
    assert standing.exit_code == WITH_WARNINGS
    nothing_else = "FunctionalStatic.c3d is the only trial: the model is calibrated, and there is nothing to analyse."
    assert nothing_else in standing.said["stderr"]
    calibration = json.loads((standing.out / "calibration.json").read_text(encoding="utf-8"))
    assert calibration["sides"]["L"]["segments"]["thigh"]["mass_kg"] > 0
