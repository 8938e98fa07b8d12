from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.conventions import (
    BUDGET_PARTS,
    FOOT_PITCH,
    FOOT_TABLE,
    MUSCLE_TABLE,
    SIDE_SIGN,
    UPPER_BODY_TABLE,
    cycle_rows,
    rows_of,
    table_columns,
)
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames
from biomech_id.feet.movements import TrialKind
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.session import trial_tables
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.cycle_table import Curves, cycle_direction, stack_curves, trial_direction
from biomech_id.session.tables.session_tables import Tables

PERCENT = np.arange(101)


@pytest.fixture(scope="module")
def tables(session: Session) -> Tables:
    return session.tables()


def at_percent(trial: Solved, cycle: Cycle, column: str) -> np.ndarray:
    """The column interpolated by NumPy at the cycle's percents: a second way to every curve."""
    frames = trial_tables.frames(trial)
    time_s = cycle.start_s + PERCENT / 100.0 * (cycle.end_s - cycle.start_s)
    return np.interp(time_s, frames.time_s, frames[column], left=np.nan, right=np.nan)


def test_a_curve_is_the_frame_table_at_event_times(tables: Tables, trial: Solved, cycles: tuple[Cycle, ...]) -> None:
    checked = 0
    for number, cycle in enumerate(cycles[:2]):
        for row in cycle_rows():
            if (
                row.joint == "ground"
                or row in (*UPPER_BODY_TABLE, *MUSCLE_TABLE, *FOOT_TABLE, FOOT_PITCH)
                or (row.quantity != "angle" and number == 1)
            ):
                continue
            curve = tables.curves("L", row.variable, row.component)[number]
            np.testing.assert_allclose(curve, at_percent(trial, cycle, row.column("L")), atol=1e-9, err_msg=row.variable)
            checked += 1
    assert checked == 15 + 39


def test_every_curve_is_101_successive_rows(tables: Tables) -> None:
    cycles = tables.cycles
    assert list(cycles.columns) == [column.name for column in table_columns("cycles")]
    assert len(cycles) % 101 == 0
    np.testing.assert_array_equal(cycles["percent"].to_numpy().reshape(-1, 101), np.tile(PERCENT, (len(cycles) // 101, 1)))
    heads = cycles.drop(columns=["percent", "value"])
    assert (heads.groupby(list(heads.columns)).size() == 101).all()


def test_kinetics_only_where_valid(tables: Tables, cycles: tuple[Cycle, ...]) -> None:
    whole, none, stance_only = cycles
    kinds = {
        (side, cycle): {rows_of(v)[0].quantity if rows_of(v) else "ground" for v in group["variable"].unique()}
        for (side, cycle), group in tables.cycles.groupby(["side", "cycle"])
    }
    assert {"angle", "moment", "force", "power", "ground force"} <= kinds["L", whole.number]
    assert kinds["L", none.number] == {"angle"}
    assert "angle" not in kinds["R", stance_only.number]
    moment = tables.curves("R", "KneeMoment", "X")[0]
    off = 100.0 * (stance_only.foot_off_s - stance_only.start_s) / (stance_only.end_s - stance_only.start_s)
    assert np.isfinite(moment[: int(off)]).all()
    assert np.isnan(moment[int(off) + 1 :]).all()
    valid = tables.cycles.groupby(["side", "cycle"])["kinetics_valid"].unique().map(list).to_dict()
    assert valid == {("L", 1): ["true"], ("L", 2): ["false"], ("R", 1): ["stance_only"]}


def test_ground_reaction_turns_with_the_walker_and_mirrors(tables: Tables, trial: Solved) -> None:
    heading = np.radians(30.0)  # the fixture walks there
    for side, number in (("L", 0), ("R", 0)):
        cycle = next(c for c in trial.cycles if c.side == side)
        fx, fy, fz = (at_percent(trial, cycle, f"{side}GroundReactionForce.{axis}") for axis in "XYZ")
        expected = {
            "X": np.cos(heading) * fx + np.sin(heading) * fy,
            "Y": -SIDE_SIGN[side] * (-np.sin(heading) * fx + np.cos(heading) * fy),
            "Z": fz,
        }
        for axis, values in expected.items():
            curve = tables.curves(side, "GroundReactionForce", axis)[number]
            known = np.isfinite(curve)
            assert known.sum() > 15
            np.testing.assert_allclose(curve[known], values[known], atol=1e-9)


def test_pressure_on_the_foot_and_free_moment(tables: Tables) -> None:
    """The fixture presses at (0.65, 0.3) m with a free moment of 4 N m on a foot whose heel is behind (0.6, 0.3) m."""
    along, across = (tables.curves("L", "FootCentreOfPressure", axis)[0] for axis in "XY")
    known = np.isfinite(along)
    assert 40 < known.sum() < 80
    offset = np.array([0.05, 0.0])
    forward = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
    # mm; the outline is slightly skew, so its long axis and the walking direction differ by less than a degree.
    np.testing.assert_allclose(along[known], 50.0 + 1000.0 * offset @ forward, atol=0.5)
    np.testing.assert_allclose(across[known], 1000.0 * offset @ [forward[1], -forward[0]], atol=2.0)
    free = tables.curves("L", "FreeMoment", "Z")[0]
    # An anticlockwise moment of the floor on the left foot turns its toes outward, to the left: negative.
    np.testing.assert_allclose(free[known], -4.0 / 64.0, rtol=1e-9)
    right = tables.curves("R", "FreeMoment", "Z")[0]
    np.testing.assert_allclose(right[np.isfinite(right)], 4.0 / 64.0, rtol=1e-9)


def test_parts_of_the_budget_add_up_to_the_moment(tables: Tables) -> None:
    keys = ["trial", "side", "cycle", "variable", "component", "percent"]
    assert sorted(tables.budget["part"].unique()) == sorted(BUDGET_PARTS)
    totals = tables.budget.groupby(keys)["value"].sum(min_count=len(BUDGET_PARTS))
    moments = tables.cycles[tables.cycles["variable"].isin(["HipMoment", "KneeMoment", "AnkleMoment"])].set_index(keys)["value"]
    both = totals.to_frame("parts").join(moments.to_frame("moment"), how="outer").dropna(how="all")
    assert len(both) > 9 * 101
    np.testing.assert_allclose(both["parts"], both["moment"], atol=1e-10)  # N m/kg


def test_no_part_of_a_budget_without_its_total(trial: Solved, contacts: dict[str, FootContact]) -> None:
    cycle = replace(trial.cycles[2], kinetics_valid=KineticsValid.TRUE, end_s=1.9)
    budget = trial_tables.trial_budget(replace(trial, cycles=(cycle,)))
    time_s = cycle.start_s + PERCENT / 100.0 * (cycle.end_s - cycle.start_s)
    last_known_s = (40 + np.flatnonzero(contacts["R"].known)[-1]) / 100.0
    assert len(budget.names) == 9 * len(BUDGET_PARTS)
    assert np.isnan(budget.values[:, time_s > last_known_s]).all()
    assert np.isfinite(budget.values[:, (time_s > 1.11) & (time_s < last_known_s)]).all()


def test_a_turn_takes_each_cycles_own_direction(body: BodyMotion, cycles: tuple[Cycle, ...]) -> None:
    time_s = np.arange(body.n_frames) / body.rate_hz
    angle = np.clip((time_s - 0.8) / 0.2, 0.0, 1.0) * np.pi / 2
    path = np.cumsum(np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1) * 1.2 / body.rate_hz, axis=0)
    pelvis = body.motions["", "pelvis"]
    turned = replace(pelvis, frames=Frames(pelvis.frames.R_lab_seg, path))
    turning = replace(body, motions={**body.motions, ("", "pelvis"): turned})
    before, after = replace(cycles[0], start_s=0.4, end_s=1.19), replace(cycles[0], start_s=1.41, end_s=1.99)
    np.testing.assert_allclose(cycle_direction(turning, before), [1.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(cycle_direction(turning, after), [0.0, 1.0, 0.0], atol=1e-9)
    # On the spot there is no path: the way the subject faces counts.
    still = replace(pelvis, frames=Frames(pelvis.frames.R_lab_seg, np.zeros_like(path)))
    facing = replace(body, motions={**body.motions, ("", "pelvis"): still}, progression_R_lab=np.diag([-1.0, -1.0, 1.0]))
    np.testing.assert_array_equal(trial_direction(facing), [-1.0, 0.0, 0.0])


def test_turns_use_their_own_direction_in_the_table(trial: Solved, body: BodyMotion) -> None:
    side_step = np.where(np.arange(body.n_frames)[:, None] < 110, [0.02, 0.0, 0.0], [0.0, 0.02, 0.0]).cumsum(axis=0)
    pelvis = body.motions["", "pelvis"]
    motion = replace(
        body, motions={**body.motions, ("", "pelvis"): replace(pelvis, frames=Frames(pelvis.frames.R_lab_seg, side_step))}
    )
    found = {}
    for kind in (TrialKind.STRAIGHT, TrialKind.TURN):
        tables = trial_tables.curves(replace(trial, motion=motion, kind=kind))
        place = [(n.side, n.variable, n.component) for n in tables.names].index(("L", "GroundReactionForce", "X"))
        found[kind] = tables.values[place]
    lab_x = at_percent(trial, trial.cycles[0], "LGroundReactionForce.X")
    np.testing.assert_allclose(found[TrialKind.TURN], lab_x, atol=1e-9)
    assert np.nanmax(np.abs(found[TrialKind.STRAIGHT] - lab_x)) > 0.1


def test_no_cycles_make_an_empty_table_with_its_columns() -> None:
    empty = stack_curves([]).to_dataframe("budget")
    assert list(empty.columns) == [column.name for column in table_columns("budget")]
    assert len(empty) == 0


def test_kinematics_only_has_angles_only(trial: Solved) -> None:
    bare = replace(trial, loads=None, assignment=None, mass_kg=None)
    assert {rows_of(name.variable)[0].quantity for name in trial_tables.curves(bare).names} == {"angle"}
    assert trial_tables.trial_budget(bare).names == ()
    angles = {row.variable for row in cycle_rows() if row.quantity == "angle"}
    assert {row["variable"] for row in trial_tables.peaks(bare)} <= angles


def test_curves_of_chosen_cycles(tables: Tables) -> None:
    used = tables.cycle_list[tables.cycle_list["cycle"] == 2]
    assert tables.curves("L", "HipAngles", "X").shape == (2, 101)
    np.testing.assert_array_equal(tables.curves("L", "HipAngles", "X", cycles=used), tables.curves("L", "HipAngles", "X")[1:])
    assert tables.curves("L", "HipMoment", "X", cycles=used).shape == (0, 101)
    assert tables.curves("L", "NoSuchThing").shape == (0, 101)


def test_unknown_contact_hides_ground_curves_too(trial: Solved, contacts: dict[str, FootContact]) -> None:
    hidden = replace(contacts["L"], known=np.zeros(len(contacts["L"].known), dtype=bool))
    assert trial.assignment is not None
    blind = replace(trial, assignment=replace(trial.assignment, contacts={"L": hidden}))
    cycle = replace(trial.cycles[0], kinetics_valid=KineticsValid.TRUE)
    curves: Curves = trial_tables.curves(replace(blind, cycles=(cycle,), loads=None))
    assert {rows_of(name.variable)[0].quantity for name in curves.names} == {"angle"}


def test_angles_are_not_interpolated_across_a_full_turn(trial: Solved, body: BodyMotion) -> None:
    """Foot progression of somebody who turns around jumps from 180 to -180 deg between two frames."""
    turning_deg = np.linspace(100.0, 300.0, body.n_frames)
    wrapped = (turning_deg + 180.0) % 360.0 - 180.0
    angles = {key: values.copy() for key, values in body.joint_angles_rad.items()}
    angles["L", "foot_progress"][:, 2] = np.radians(wrapped)
    angles["L", "foot_progress"][5:8, 2] = np.nan
    tables = trial_tables.curves(replace(trial, motion=replace(body, joint_angles_rad=angles), cycles=trial.cycles[:1]))
    place = [(n.variable, n.component) for n in tables.names].index(("FootProgressAngles", "Z"))
    curve = tables.values[place]
    assert np.abs(np.diff(curve)).max() < 2.0  # deg: the turn is steady, 200 deg over the trial
    np.testing.assert_allclose(np.cos(np.radians(curve)), np.cos(np.radians(at_percent_of(turning_deg, trial, 0))), atol=1e-3)
    assert -180.0 <= curve.mean() <= 180.0


def at_percent_of(values: np.ndarray, trial: Solved, number: int) -> np.ndarray:
    cycle = trial.cycles[number]
    return np.interp(cycle.start_s + PERCENT / 100.0 * (cycle.end_s - cycle.start_s), trial_tables.frames(trial).time_s, values)
