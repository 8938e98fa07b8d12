"""Functions, forces and recordings of the user's own in the main job: they act, the manifest names them, `reproduce` refuses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import biomech_id as bid
from biomech_id.cli.app import app
from biomech_id.errors import BiomechError, MissingInputError, OptionError, ShapeError, WrongTypeError
from biomech_id.signal.filters import lowpass

ROOT = Path(__file__).resolve().parents[2]
QUICK: dict[str, Any] = {"report": False, "uncertainty": False, "budget": False}


@pytest.fixture(scope="module")
def trials() -> list[bid.Trial]:
    person = bid.virtual_subject()
    return [person.static().trial, person.walk().trial]


@pytest.fixture(scope="module")
def plain(trials: list[bid.Trial]) -> Any:
    return bid.analyse(trials, **QUICK)


def six_hz(values: np.ndarray, rate_hz: float, cutoff_hz: float) -> np.ndarray:
    return lowpass(values, rate_hz, 6.0)


def strikes(trial: bid.Trial, motion: Any) -> Sequence[bid.Event]:
    return [bid.Event(event.time_s + 0.05, event.side, event.kind) for event in trial.events]


def hip(side: str, size: Any) -> Sequence[float]:
    return [-0.05, -0.08, 0.09 if side == "R" else -0.09]


def test_a_filter_of_ones_own_is_the_one_that_acts(trials: list[bid.Trial], plain: Any) -> None:
    own = bid.analyse(trials, lowpass=six_hz, marker_filter="always", **QUICK)
    named = bid.analyse(trials, cutoff_hz=6.0, marker_filter="always", **QUICK)
    found, expected = (session.trials["walk"].frames["RKneeAngles.X"] for session in (own, named))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert np.nanmax(np.abs(found - plain.trials["walk"].frames["RKneeAngles.X"])) > 0.01
    assert own.manifest["in_memory"]["functions"]["lowpass"].endswith("six_hz")
    assert "six_hz" in own.manifest["recipe"]["filter"]["lowpass"]
    with pytest.raises(OptionError, match="no low-pass filter"):
        bid.analyse(trials, lowpass=own.manifest["recipe"]["filter"]["lowpass"], **QUICK)


def test_prepare_takes_it_too(trials: list[bid.Trial]) -> None:
    model = bid.conventional_model(trials[0])
    own, named = (bid.prepare(trials[1], model, marker_filter="always", **how) for how in ({"lowpass": six_hz}, {"cutoff_hz": 6.0}))
    np.testing.assert_allclose(own.trial.markers.position_m, named.trial.markers.position_m, atol=1e-12)


def test_events_of_ones_own_lead(trials: list[bid.Trial], plain: Any) -> None:
    own = bid.analyse(trials, event_source=strikes, **QUICK)
    found, before = own.trials["walk"].events, plain.trials["walk"].events
    assert set(found["time_s"].round(6)) == {round(event.time_s + 0.05, 6) for event in trials[1].events}
    assert not set(found["time_s"].round(6)) & set(before["time_s"].round(6))


@pytest.mark.parametrize("model", ["six-dof", "conventional"])
def test_a_hip_centre_of_ones_own_is_where_it_says(trials: list[bid.Trial], model: str) -> None:
    own = bid.analyse(trials, model=model, hip_centre=hip, **QUICK)
    assert own.calibration["hip_centre"] == {"L": "own", "R": "own"}
    assert own.manifest["in_memory"]["functions"]["hip_centre"].endswith("hip")
    motion = own.computed.trials[0].motion
    for side in "LR":
        pelvis = motion.motions["", "pelvis"].frames
        gap = motion.joint_centres_lab_m[side, "hip"] - pelvis.origin_lab_m
        forward, _, up = np.einsum("nji,nj->ni", pelvis.R_lab_seg, gap)[0] if model == "conventional" else (-0.05, 0.0, -0.08)
        assert (forward, up) == pytest.approx((-0.05, -0.08), abs=1e-9)
        outward = gap[0] @ (trials[1].markers[f"{side}ASI"] - 0.5 * (trials[1].markers["LASI"] + trials[1].markers["RASI"]))[0]
        assert outward > 0, "on its own side"


def test_a_model_that_has_no_hip_centres_to_choose_says_so(trials: list[bid.Trial]) -> None:
    with pytest.raises(OptionError, match="hip centre of your own"):
        bid.analyse(trials, model="poses", hip_centre=hip, **QUICK)


@pytest.mark.parametrize(
    ("setting", "function", "error"),
    [
        ("lowpass", lambda values, rate_hz, cutoff_hz: values[::2], ShapeError),
        ("event_source", lambda trial, motion: [1.0, 2.0], WrongTypeError),
        ("hip_centre", lambda side, size: [70.0, -60.0, 90.0], ShapeError),
    ],
)
def test_a_function_that_returns_something_else_is_refused(
    trials: list[bid.Trial], setting: str, function: Any, error: type[BiomechError]
) -> None:
    with pytest.raises(BiomechError) as caught:
        bid.analyse(trials, model="six-dof", marker_filter="always", **{setting: function}, **QUICK)
    assert isinstance(caught.value, error | MissingInputError)
    assert "<lambda>" in caught.value.message


def test_reproduce_says_what_it_lacks_and_refuses(tmp_path: Path) -> None:
    session = tmp_path / "anna"
    session.mkdir()
    for name in ("static", "walk02"):
        shutil.copy(ROOT / "data" / f"{name}.c3d", session)
    bid.analyse(session, lowpass=six_hz, marker_filter="always", **QUICK).write(tmp_path / "out")
    done = CliRunner().invoke(app, ["reproduce", str(tmp_path / "out" / "manifest.json"), "--input", str(session)])
    assert done.exit_code == 1
    assert "six_hz" in done.output
    assert "run the script" in " ".join(done.output.split())


def test_trials_in_memory_are_in_the_manifest_and_not_repeatable(plain: Any, trials: list[bid.Trial], tmp_path: Path) -> None:
    written = json.loads((plain.write(tmp_path / "out") / "manifest.json").read_text(encoding="utf-8"))
    assert set(written["in_memory"]["trials"]) == {"static", "walk"}
    assert written["in_memory"] == bid.analyse(trials, **QUICK).manifest["in_memory"]
    done = CliRunner().invoke(app, ["reproduce", str(tmp_path / "out"), "--input", str(tmp_path)])
    assert done.exit_code == 1
    assert "walk" in done.output


def test_a_static_by_name_and_two_trials_of_one_name(trials: list[bid.Trial], plain: Any) -> None:
    for static in ("static", trials[0]):
        again = bid.analyse(trials, static=static, **QUICK)
        np.testing.assert_array_equal(again.trials["walk"].frames["RKneeMoment.X"], plain.trials["walk"].frames["RKneeMoment.X"])
    with pytest.raises(OptionError, match="no trial stand"):
        bid.analyse(trials, static="stand", **QUICK)
    with pytest.raises(OptionError, match="called walk"):
        bid.analyse([*trials, trials[1]], **QUICK)
    with pytest.raises(MissingInputError, match="trials and paths"):
        bid.analyse([trials[0], "walk.c3d"], **QUICK)


def shank_push(n_frames: int) -> bid.External:
    push, none = np.tile([0.0, 0.0, 30.0], (n_frames, 1)), np.zeros((n_frames, 3))
    return bid.External("R shank", bid.Wrench(push, none, np.tile([0.3, 0.1, 0.4], (n_frames, 1))))


def test_a_force_on_the_shank_is_felt_at_the_knee_and_not_at_the_ankle(trials: list[bid.Trial], plain: Any) -> None:
    push = shank_push(trials[1].n_frames)
    pushed = bid.analyse(trials, extra={"walk": push}, **QUICK)
    before, after = (session.trials["walk"].loads for session in (plain, pushed))
    known = before["R", "knee"].known
    change = after["R", "knee"].wrench.force_N - before["R", "knee"].wrench.force_N
    np.testing.assert_allclose(change[known], [[0.0, 0.0, -30.0]] * known.sum(), atol=1e-9)
    arm_m = np.array([0.3, 0.1, 0.4]) - before["R", "knee"].wrench.point_lab_m
    moment = after["R", "knee"].wrench.moment_Nm - before["R", "knee"].wrench.moment_Nm
    np.testing.assert_allclose(moment[known], -np.cross(arm_m, [0.0, 0.0, 30.0])[known], atol=1e-9)
    np.testing.assert_array_equal(after["R", "ankle"].wrench.moment_Nm, before["R", "ankle"].wrench.moment_Nm)
    assert set(pushed.manifest["in_memory"]["extra"]) == {"walk"}


def test_the_same_force_from_a_file_of_the_recipe(trials: list[bid.Trial], tmp_path: Path) -> None:
    head = "trial,segment,time_s,force_x_N,force_y_N,force_z_N,moment_x_Nm,moment_y_Nm,moment_z_Nm,point_x_m,point_y_m,point_z_m"
    rows = [f"walk,R shank,{time_s},0,0,30,0,0,0,0.3,0.1,0.4" for time_s in (-1.0, 100.0)]
    (tmp_path / "push.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    of_file = bid.analyse(trials, extra_forces=str(tmp_path / "push.csv"), **QUICK)
    given = bid.analyse(trials, extra=[shank_push(trials[1].n_frames)], static="static", **QUICK)
    found, expected = (session.trials["walk"].frames["RHipMoment.X"] for session in (of_file, given))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert "push.csv" in str(of_file.manifest["inputs"])
    assert "extra" not in of_file.manifest["in_memory"]


@pytest.mark.parametrize(
    ("extra", "said"),
    [({"walk": "R tibia"}, "does not follow"), ({"wolk": "R shank"}, "Did you mean 'walk'")],
)
def test_a_force_on_nothing_is_refused(trials: list[bid.Trial], extra: dict[str, str], said: str) -> None:
    ((name, segment),) = extra.items()
    push = bid.External(segment, shank_push(trials[1].n_frames).wrench)
    with pytest.raises(BiomechError, match=said):
        bid.analyse(trials, extra={name: push}, **QUICK)
