"""Parity with stored outputs: what is compared, what is left out and why, and that a difference shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.conventions import frame_columns
from biomech_id.statistics.parity import ParityRow, offset_parity, parity_rows, parity_table, said, stored_output
from biomech_id.trial import Markers, Subject, Trial

N = 40
STANCE = slice(10, 25)


@pytest.fixture
def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    names = [name for name, _ in frame_columns()] + [f"{s}{p}.{a}" for s in "LR" for p in ("HJC", "KJC", "AJC") for a in "XYZ"]
    table = {name: rng.normal(size=N) for name in names}
    for side in "LR":
        for axis in "XYZ":
            table[f"{side}GroundReactionForce.{axis}"] = np.where(np.isin(np.arange(N), np.r_[STANCE]), 5.0, 0.0)
    return table


def xyz(columns: dict[str, np.ndarray], name: str) -> np.ndarray:
    return np.column_stack([columns[f"{name}.{axis}"] for axis in "XYZ"])


def stored_like(columns: dict[str, np.ndarray], suffix: str = "") -> Trial:
    """A trial whose file stores exactly our numbers, in the vendor's units."""
    outputs: dict[str, np.ndarray] = {}
    for side in "LR":
        for ours, theirs in (("HJC", "FEP"), ("KJC", "FEO"), ("AJC", "TIO")):
            outputs[side + theirs] = xyz(columns, side + ours)
        for name in ("PelvisAngles", "HipAngles", "KneeAngles", "AnkleAngles", "FootProgressAngles"):
            outputs[side + name + suffix] = xyz(columns, side + name)
        for joint in ("Hip", "Knee", "Ankle"):
            outputs[f"{side}{joint}Moment"] = 1e3 * xyz(columns, f"{side}{joint}Moment")
            outputs[f"{side}{joint}Force"] = xyz(columns, f"{side}{joint}Force")
            outputs[f"{side}{joint}Power"] = np.column_stack([np.zeros((N, 2)), columns[f"{side}{joint}Power"]])
        outputs[f"{side}GroundReactionForce"] = xyz(columns, f"{side}GroundReactionForce")
    return Trial("walk", Markers(("A",), np.zeros((N, 1, 3)), 100.0), first_frame=101, model_outputs=outputs)


def row_of(rows: tuple[ParityRow, ...], name: str, axis: str = "X", side: str = "L") -> ParityRow:
    (row,) = [r for r in rows if (r.side, r.variable, r.axis) == (side, name, axis)]
    return row


@pytest.mark.parametrize("suffix", ["", "V", "_PiG"])
def test_equal_numbers_are_equal_whatever_suffix_the_laboratory_uses(columns: dict[str, np.ndarray], suffix: str) -> None:
    rows = parity_rows(columns, stored_like(columns, suffix), straight=True)
    assert len(rows) == 2 * (3 * 3 + 5 * 3 + 3 * 3 + 3 * 3 + 3 + 3)
    assert all(row.equal for row in rows)
    # Newton millimetres become newton metres: rounding of one multiplication.
    assert max(row.largest for row in rows) < 1e-15
    assert row_of(rows, "KneeAngles").n_frames == N
    assert row_of(rows, "KneeAngles").correlation == pytest.approx(1.0)


def test_a_difference_shows_with_its_size_and_frame(columns: dict[str, np.ndarray]) -> None:
    trial = stored_like(columns)
    columns["LKneeMoment.Y"] = columns["LKneeMoment.Y"] + np.where(np.arange(N) == 12, 0.5, 0.0)
    row = row_of(parity_rows(columns, trial, straight=True), "KneeMoment", "Y")
    assert (row.equal, row.worst_frame, row.unit) == (False, 113, "N m/kg")
    assert row.largest == pytest.approx(0.5)
    assert row.rmse == pytest.approx(0.5 / np.sqrt(row.n_frames))
    assert row_of(parity_rows(columns, trial, straight=True), "KneeMoment", "X").equal is True


def test_kinetics_are_compared_in_stored_stance_and_our_swing_only(columns: dict[str, np.ndarray]) -> None:
    trial = stored_like(columns)
    for axis in "XYZ":  # a stance that the vendor computed without its plate: we hold force, the file none
        columns[f"LGroundReactionForce.{axis}"][30:36] = 6.0
    garbage = np.array(trial.model_outputs["LHipMoment"])
    garbage[30:36] = 9e3
    trial = replace(trial, model_outputs={**trial.model_outputs, "LHipMoment": garbage})
    row = row_of(parity_rows(columns, trial, straight=True), "HipMoment")
    assert row.equal is True
    assert row.left_out == {"ground_not_stored": 6, "not_stored": 0, "not_computed": 0}
    assert row.n_frames == N - 6


def test_missing_values_and_stored_zeros_are_left_out(columns: dict[str, np.ndarray]) -> None:
    trial = stored_like(columns)
    angles = np.array(trial.model_outputs["RHipAngles"])
    angles[:3] = np.nan
    angles[3:5] = 0.0
    columns["RHipAngles.X"][30:32] = np.nan
    rows = parity_rows(columns, replace(trial, model_outputs={**trial.model_outputs, "RHipAngles": angles}), straight=True)
    row = row_of(rows, "HipAngles", side="R")
    assert said(row.left_out) == "5 not stored; 2 not computed"
    assert row.n_frames == N - 7


def test_foot_progress_is_compared_modulo_a_turn_and_on_straight_walks_only(columns: dict[str, np.ndarray]) -> None:
    trial = stored_like(columns)
    turned = {**trial.model_outputs, "LFootProgressAngles": trial.model_outputs["LFootProgressAngles"] - 720.0}
    trial = replace(trial, model_outputs=turned)
    assert row_of(parity_rows(columns, trial, straight=True), "FootProgressAngles").largest < 1e-9
    row = row_of(parity_rows(columns, trial, straight=False), "FootProgressAngles")
    assert (row.n_frames, row.equal, said(row.left_out)) == (0, None, f"{N} on a turning walk")


def test_a_file_without_kinetics_or_outputs_yields_what_it_has(columns: dict[str, np.ndarray]) -> None:
    trial = stored_like(columns)
    angles_only = {name: values for name, values in trial.model_outputs.items() if name.endswith("Angles")}
    rows = parity_rows(columns, replace(trial, model_outputs=angles_only), straight=True)
    assert {row.quantity for row in rows} == {"angle"}
    assert parity_rows(columns, replace(trial, model_outputs={}), straight=True) == ()


def test_an_ambiguous_suffix_is_not_guessed() -> None:
    outputs = {"LHipAnglesA": np.zeros((2, 3)), "LHipAnglesB": np.ones((2, 3))}
    assert stored_output(outputs, "LHipAngles") is None
    assert stored_output(outputs, "LHipAnglesB") is outputs["LHipAnglesB"]


def test_offsets_are_compared_in_degrees() -> None:
    subject = Subject(static_plantar_flexion_rad={"L": 0.2, "R": 0.1}, static_rotation_offset_rad={"L": 0.05, "R": 0.0})
    static = Trial("static", Markers(("A",), np.zeros((1, 1, 3)), 100.0), subject=subject)
    ours = {
        "L": {"static_plantar_flexion_deg": float(np.rad2deg(0.2)), "static_rotation_offset_deg": float(np.rad2deg(0.06))},
        "R": {"static_plantar_flexion_deg": float(np.rad2deg(0.1)), "static_rotation_offset_deg": 0.0},
    }
    rows = {(r.side, r.variable): r for r in offset_parity(ours, static)}
    assert set(rows) == {("L", "StaticPlantFlex"), ("L", "StaticRotOff"), ("R", "StaticPlantFlex")}  # zero is "not stored"
    assert rows["L", "StaticRotOff"].largest == pytest.approx(np.rad2deg(0.01))
    assert (rows["L", "StaticRotOff"].equal, rows["L", "StaticPlantFlex"].equal) == (False, True)


def test_the_table_has_a_line_per_row(columns: dict[str, np.ndarray]) -> None:
    rows = parity_rows(columns, stored_like(columns), straight=False)
    table = parity_table(rows)
    assert len(table) == len(rows)
    assert list(table.columns)[:8] == ["trial", "side", "variable", "axis", "unit", "rmse", "largest", "correlation"]
    assert table.loc[table["variable"] == "FootProgressAngles", "left_out"].unique().tolist() == [f"{N} on a turning walk"]
    assert list(parity_table(()).columns) == list(table.columns)
