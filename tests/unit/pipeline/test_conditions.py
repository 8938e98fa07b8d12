"""Conditions with static trials of their own in one folder: each is analysed as if it were alone (issue S, case 4)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import biomech_id as bid
from biomech_id.cli.app import app
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.exports.opensim.folder import session_model
from biomech_id.pipeline.folder_verdict import folder_verdict
from biomech_id.readers import read
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.cover import analysis_facts
from biomech_id.report.panels.layer import layers_of
from biomech_id.sample import VirtualSubject
from biomech_id.sample.c3d import write_c3d
from biomech_id.session.session import Session
from biomech_id.statistics.sessions import ComparedCycles

BAREFOOT, SHOD = "barefoot", "in shoes"
TOML = f"""condition = "{BAREFOOT}"
[conditions]
walk02 = "{SHOD}"
[statics]
"{SHOD}" = "static_shoes"
"""


def placed(marker_rad: float) -> VirtualSubject:
    """One placement of the markers: the thigh's are turned."""
    return bid.virtual_subject(variant="violating", wand_offset_rad=marker_rad, knee_width_error_m=0.0, ankle_roll_rad=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Barefoot with one placement of the markers, in shoes with another: the same walk, and a static trial each."""
    made = tmp_path_factory.mktemp("anna")
    # There and back: a walk along the path of another would be left out as its copy.
    for marker_rad, static, walk, direction in ((0.05, "static", "walk01", "+X"), (0.20, "static_shoes", "walk02", "-X")):
        person = placed(marker_rad)
        write_c3d(person.static(static), made / f"{static}.c3d")
        write_c3d(person.walk(walk, direction=direction), made / f"{walk}.c3d")
    (made / "subject.toml").write_text(TOML, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def session(folder: Path) -> Session:
    return bid.analyse(folder, uncertainty=False).computed


def test_each_condition_is_calibrated_on_its_own_static_trial(folder: Path, session: Session, tmp_path: Path) -> None:
    (tmp_path / "subject.toml").write_text("", encoding="utf-8")
    for static, walk in (("static", "walk01"), ("static_shoes", "walk02")):
        files = [folder / f"{name}.c3d" for name in (static, walk)]
        single = bid.analyse(files, subject_file=tmp_path / "subject.toml", uncertainty=False).computed
        pd.testing.assert_frame_equal(session.frames(walk).to_dataframe(), single.frames(walk).to_dataframe())
        assert session.trial(walk).static == static
    knees = [session.frames(walk).to_dataframe()["LKneeAngles.Y"].to_numpy() for walk in ("walk01", "walk02")]
    assert np.nanmax(np.abs(knees[0] - knees[1])) > 5.0  # the placements do differ


def test_the_tables_say_which_static_trial_was_whose(session: Session) -> None:
    tables = session.tables()
    assert [(trial["name"], trial["condition"], trial["static"]) for trial in tables.summary["trials"]] == [
        ("walk01", BAREFOOT, "static"), ("walk02", SHOD, "static_shoes"),
    ]  # fmt: skip
    assert tables.calibration["static_file"] == "static.c3d"
    assert list(tables.calibration["conditions"]) == [SHOD]
    own = tables.calibration["conditions"][SHOD]
    assert own["static_file"] == "static_shoes.c3d"
    assert own["static"] == "static_shoes"
    said = analysis_facts(tables, load_style(), None)
    assert ("Static trial, in shoes", "static_shoes.c3d") in said


def test_conditions_whose_markers_were_placed_anew_carry_the_markers_error(session: Session) -> None:
    layers = layers_of(session.tables())
    first, second = (ComparedCycles(layer.tables, layer.used) for layer in layers)
    assert not first.markers_of(second)
    assert first.markers_of(first)


def test_one_command_one_folder_one_report(folder: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("[output]\nreport = false\nuncertainty = false\n[privacy]\nkeep_conditions = true\n", encoding="utf-8")
    words = ["run", str(folder), "-o", str(tmp_path / "out"), "--recipe", str(recipe), "--warnings-ok", "--code", "P7"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["conditions"] == [BAREFOOT, SHOD]
    drawn = CliRunner().invoke(app, ["report", str(tmp_path / "out"), "--pages", "cover,methods"])
    assert drawn.exit_code == 0, drawn.output


def test_check_says_with_what_it_will_run(folder: Path) -> None:
    trials = [read(path, trust=True) for path in sorted(folder.glob("*.c3d"))]
    verdict = folder_verdict(folder, trials)
    assert verdict.verdict != "lacks"
    assert verdict.static == "static, static_shoes"


@pytest.mark.parametrize(
    ("toml", "error", "says"),
    [
        (TOML.replace('"static_shoes"', '"static_shoe"'), MissingInputError, r"'static_shoe'.*Did you mean 'static_shoes'"),
        (TOML.replace('"in shoes" = "static', '"in shoe" = "static'), OptionError, r"'in shoe'.*Did you mean 'in shoes'"),
        (TOML.replace("[statics]", "[static]"), OptionError, r"static"),
        ("", OptionError, r"Several trials could be the static one"),
    ],
)
def test_a_slip_of_the_pen_is_refused(folder: Path, tmp_path: Path, toml: str, error: type[Exception], says: str) -> None:
    (tmp_path / "subject.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(error, match=says):
        bid.analyse(folder, subject_file=tmp_path / "subject.toml")


def test_every_condition_may_name_its_own(folder: Path, tmp_path: Path, session: Session) -> None:
    every = TOML + f'"{BAREFOOT}" = "static.c3d"\n'
    (tmp_path / "subject.toml").write_text(every, encoding="utf-8")
    found = bid.analyse(folder, subject_file=tmp_path / "subject.toml", uncertainty=False).computed
    assert [trial.static for trial in found.trials] == ["static", "static_shoes"]
    pd.testing.assert_frame_equal(found.frames("walk01").to_dataframe(), session.frames("walk01").to_dataframe())


def test_an_opensim_model_has_one_placement_of_markers(session: Session) -> None:
    with pytest.raises(OptionError, match="one condition at a time"):
        session_model(session)
