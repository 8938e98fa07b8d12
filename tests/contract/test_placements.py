"""Markers stuck on anew within a session (``[[placement]]``): two calibrations, and never one mean unless somebody says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import ezc3d
import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.session.session import Session
from biomech_id.session.tables.means import mean_curves

DATA = Path(__file__).resolve().parents[2] / "data"
#: How far the markers of the right thigh and shank come to lie elsewhere, mm.
MOVED_MM = 25.0
MARKERS = ("RTHI", "RTIB")
SAID = 'since = "walk02"\nmarkers = ["RTHI", "RTIB"]\nstatic = "standing_again.c3d"\n'


def stuck_on_anew(source: Path, target: Path) -> None:
    """A recording in which they do."""
    c3d = ezc3d.c3d(str(source))
    labels = c3d["parameters"]["POINT"]["LABELS"]["value"]
    c3d["data"]["points"][0, [labels.index(name) for name in MARKERS]] += MOVED_MM
    c3d.write(str(target))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("placements") / "anna"
    home.mkdir()
    shutil.copy(DATA / "static.c3d", home)
    shutil.copy(DATA / "walk01.c3d", home)
    stuck_on_anew(DATA / "walk02.c3d", home / "walk02.c3d")
    stuck_on_anew(DATA / "static.c3d", home / "standing_again.c3d")
    return home


def analysed(folder: Path, review: str, **options: str) -> Session:
    (folder / "review.toml").write_text("schema = 2\n[[placement]]\n" + review, encoding="utf-8")
    return bid.analyse(folder, static="static", uncertainty=False, budget=False, report=False, **options)


@pytest.fixture(scope="module")
def apart(folder: Path) -> Session:
    return analysed(folder, SAID + 'author = "AB"\n')


def test_each_placement_has_its_calibration_and_its_means(folder: Path, apart: Session) -> None:
    assert {trial.name: (trial.static, trial.condition) for trial in apart.movements} == {
        "walk01": ("static", ""), "walk02": ("standing_again", "(2)"),
    }  # fmt: skip
    (folder / "review.toml").unlink()
    # As if the other placement had never been recorded.
    for static, walk in (("static", "walk01"), ("standing_again", "walk02")):
        files = [folder / f"{name}.c3d" for name in (static, walk)]
        alone = bid.analyse(files, static=static, uncertainty=False, budget=False, report=False)
        for joint in ("hip", "knee", "ankle"):
            ours, theirs = (session.trial(walk).motion.joint_angles_rad["R", joint] for session in (apart, alone))
            np.testing.assert_array_equal(ours, theirs)
    assert {*mean_curves(apart.tables())} == {"", "(2)"}
    (said,) = (finding for finding in apart.session_findings if finding.rule == "placed-anew")
    assert "From walk02 on RTHI, RTIB are stuck on anew, says AB: standing_again calibrates" in said.message
    assert [each["decision"] for each in apart.summary["review"]["decisions"]] == ["placement"]


def test_one_mean_of_both_where_somebody_says_so(folder: Path) -> None:
    session = analysed(folder, SAID + "one_mean = true\n")
    assert {trial.static for trial in session.movements} == {"static", "standing_again"}
    assert {*mean_curves(session.tables())} == {""}


def test_under_a_code_the_names_are_those_of_the_results(folder: Path) -> None:
    session = analysed(folder, SAID, code="P7")
    assert sorted(trial.condition for trial in session.movements) == ["", "(2)"]
    (said,) = (finding for finding in session.session_findings if finding.rule == "placed-anew")
    assert not {"walk02", "standing_again"} & set(said.message.replace(":", " ").split())


@pytest.mark.parametrize(
    ("review", "says"),
    [(SAID.replace("walk02", "walk09"), "walk09"), (SAID.replace("standing_again.c3d", "standing_then"), "standing_then")],
)
def test_what_is_not_there_is_refused(folder: Path, review: str, says: str) -> None:
    with pytest.raises((OptionError, bid.BiomechError), match=says):
        analysed(folder, review)
