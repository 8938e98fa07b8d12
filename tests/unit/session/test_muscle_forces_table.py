"""Muscle and contact forces in tables and on their page: what is written and drawn is what the leg did."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pypdf
import pytest

from biomech_id.dynamics.leg_forces import Banded, LegForces
from biomech_id.osim.forces.leg_forces import implausible
from biomech_id.pipeline.stage.trial import carrying_alone
from biomech_id.report import draw_report
from biomech_id.report.book import page_names
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.muscle_forces import ERROR_HATCH, RANGE_HATCH, mean_forces
from biomech_id.report.panels.layer import layers_of
from biomech_id.report.pdf import pages_of
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.session_tables import Tables

WEIGHT_N = 700.0


def banded(value: np.ndarray) -> Banded:
    return Banded(value, 0.1 * value, 0.9 * value, 1.3 * value)


def with_forces(trial: Solved) -> Solved:
    time_s = trial.motion.time_s[:, None]
    legs = {}
    for side in "LR":
        force = 500.0 + 200.0 * np.sin(4 * time_s + np.arange(2))
        size = WEIGHT_N * (2.0 + np.sin(3 * time_s + np.arange(3)))
        # Loads of the left leg are known in the first second and a half.
        unknown = time_s[:, 0] > time_s[0, 0] + (1.5 if side == "L" else -1.0)
        force[unknown], size[unknown] = np.nan, np.nan
        parts = size[..., None] * [0.6, -0.8, 0.0]
        names = (f"soleus_{side.lower()}", f"tib_ant_{side.lower()}")
        legs[side] = LegForces(
            names, force / 1000, force > 600, banded(force), ("hip", "knee", "ankle"), parts, banded(size), size / 4,
            np.full(size.shape, 0.02), size[:, 0] / 50, WEIGHT_N,
        )  # fmt: skip
    return replace(trial, muscle_forces=legs)


@pytest.fixture
def muscular(session: Session) -> Tables:
    return replace(session, movements=tuple(map(with_forces, session.movements))).tables()


def test_rows_are_the_forces_over_the_cycles(muscular: Tables, session: Session) -> None:
    muscles, joints = muscular.muscle_forces, muscular.joint_contact
    assert muscles is not None
    assert joints is not None
    head = muscles.iloc[0]
    of_cycle = muscular.cycle_list[muscular.cycle_list["trial"] == head["trial"]]
    cycle = of_cycle[(of_cycle["side"] == head["side"]) & (of_cycle["cycle"] == head["cycle"])].iloc[0]
    at_s = cycle["start_s"] + (cycle["end_s"] - cycle["start_s"]) * np.arange(101) / 100.0
    trial = next(each for each in session.movements if each.name == head["trial"])
    seen = at_s <= trial.motion.time_s[0] + 1.5

    def curve(table: Tables, who: str, value: str) -> np.ndarray:
        own = table[(table["trial"] == head["trial"]) & (table["side"] == head["side"]) & (table["cycle"] == head["cycle"])]
        return np.asarray(own[own.iloc[:, 4] == who][value])

    force = curve(muscles, f"soleus_{head['side'].lower()}", "force_N")
    np.testing.assert_allclose(force[seen][:-2], (500.0 + 200.0 * np.sin(4 * at_s))[seen][:-2], atol=0.5)
    assert np.isnan(force[~seen][2:]).all()
    np.testing.assert_allclose(curve(muscles, f"soleus_{head['side'].lower()}", "most_N"), 1.3 * force)
    limits = curve(muscles, f"soleus_{head['side'].lower()}", "at_limit")
    assert 0 < (limits == "true").sum() < len(limits)
    np.testing.assert_array_equal(limits[force > 610.0] == "true", True)
    np.testing.assert_array_equal(limits[force < 590.0] == "true", False)
    size = curve(joints, "knee", "force_N")
    np.testing.assert_allclose(size[seen][:-2], (WEIGHT_N * (2.0 + np.sin(3 * at_s + 1)))[seen][:-2], atol=1.0)
    for name, factor in (("body_weights", 1 / WEIGHT_N), ("proximal_N", -0.8), ("anterior_N", 0.6), ("intersegmental_N", 0.25)):
        np.testing.assert_allclose(curve(joints, "knee", name), factor * size)
    # What nothing is known of has no rows.
    known = joints.groupby(["trial", "side", "cycle"])["force_N"].count()
    assert (known > 0).all()
    assert len(known) < len(muscular.cycle_list)


def test_a_folder_holds_both_tables(muscular: Tables, tmp_path: Path) -> None:
    write_folder(muscular, tmp_path / "out")
    back = read_tables(tmp_path / "out")
    for name in ("muscle_forces", "joint_contact"):
        written, read = getattr(muscular, name), getattr(back, name)
        assert list(written.dtypes.astype(str)) == list(read.dtypes.astype(str))
        np.testing.assert_allclose(read.select_dtypes("float64"), written.select_dtypes("float64"), rtol=1e-8)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "not for treatment decisions. No validation in children"), ("de", "An Kindern nicht geprüft")]
)
def test_the_page_says_what_it_is(muscular: Tables, tmp_path: Path, language: str, words: str) -> None:
    style = load_style(language=language)
    pages = pypdf.PdfReader(draw_report(muscular, tmp_path / "a.pdf", pages=["muscle_forces"], style=style)).pages
    assert len(pages) == 3
    assert all(words in page.extract_text().replace("\n", " ") for page in pages)
    bare = replace(muscular, muscle_forces=None, joint_contact=None)
    (nothing,) = pypdf.PdfReader(draw_report(bare, tmp_path / "b.pdf", pages=["muscle_forces"], style=style)).pages
    assert "--muscle-forces" in nothing.extract_text()


@pytest.mark.parametrize(
    ("language", "chosen", "words"),
    [
        ("en", {"muscle_exponent": 3.0}, "activations to the power 3, mean"),
        ("en", {"muscle_knee_cost": 0.4}, "to the power 2 and 0.4 times the knee's contact force (body weights), mean"),
        ("de", {"muscle_knee_cost": 0.4}, "hoch 2 und der 0,4-fachen Kontaktkraft des Knies (Körpergewichte), Mittel"),
    ],
)
def test_the_page_names_another_effort(
    muscular: Tables, tmp_path: Path, language: str, chosen: dict[str, float], words: str
) -> None:
    manifest = dict(muscular.manifest)
    recipe = dict(manifest["recipe"])
    manifest["recipe"] = recipe | {"muscles": recipe.get("muscles", {}) | chosen}
    changed = replace(muscular, manifest=manifest)
    style = load_style(language=language)
    pages = pypdf.PdfReader(draw_report(changed, tmp_path / "a.pdf", pages=["muscle_forces"], style=style)).pages
    said = [page.extract_text().replace("\n", " ") for page in pages]
    assert [words in each for each in said] == [True, True, False]


def test_both_bands_are_hatched_differently_and_are_those_of_the_table(muscular: Tables) -> None:
    (contact, *_), _, _ = pages_of(muscular, pages=["muscle_forces"])
    bands = {each.get_gid(): each for axes in contact.figure.axes for each in axes.collections if each.get_hatch()}
    assert bands["range|L"].get_hatch() == RANGE_HATCH != ERROR_HATCH == bands["error|L"].get_hatch()
    curves = mean_forces(layers_of(muscular)[0], "joint_contact", "L", "ankle")
    ends = bands["range|L"].get_paths()[0].vertices[:, 1]
    assert ends.max() == pytest.approx(np.nanmax(curves["most_N"]) / WEIGHT_N)


def test_the_page_is_one_of_the_appendix(muscular: Tables) -> None:
    assert "muscle_forces" in page_names()
    standard, _, _ = pages_of(muscular)
    appendix, _, _ = pages_of(muscular, appendix=True)
    assert not [page for page in standard if page.name == "muscle_forces"]
    assert [page for page in appendix if page.name == "muscle_forces"]


def test_forces_beyond_walking_are_named(session: Session) -> None:
    legs = with_forces(session.movements[0]).muscle_forces
    alone = {side: np.zeros(len(leg.activation), dtype=bool) for side, leg in legs.items()}
    assert not list(implausible(legs, alone, "walk"))
    left = legs["L"]
    heavier = {"L": replace(left, contact=banded(left.contact.value * 2.2))}
    named = {finding.values["joint"]: finding for finding in implausible(heavier, alone, "walk")}
    assert set(named) == {"hip", "knee"}
    assert "left hip reaches 6.6 body weights" in named["hip"].message


def test_forces_that_carry_no_body_are_named_where_the_foot_stands_alone(session: Session) -> None:
    legs = {"L": with_forces(session.movements[0]).muscle_forces["L"]}
    left, alone = legs["L"], {"L": np.zeros(len(legs["L"].activation), dtype=bool)}
    alone["L"][10:30] = True
    assert not list(implausible(legs, alone, "walk"))
    knee = left.joints.index("knee")
    value = left.contact.value.copy()
    value[10:30, knee] *= 0.9 * left.weight_N / np.nanmax(value[10:30, knee])
    (light,) = implausible({"L": replace(left, contact=banded(value))}, alone, "walk")
    assert (light.rule, light.values["joint"], light.values["peak"]) == ("contact-too-small", "knee", pytest.approx(0.9))
    assert "left knee is at most 0.90 body weights in single support" in light.message
    # One frame that carries the body is enough, and without single support nothing is held against it.
    value[20, knee] = 1.01 * left.weight_N
    assert not list(implausible({"L": replace(left, contact=banded(value))}, alone, "walk"))
    alone["L"][:] = False
    assert not list(implausible({"L": replace(left, contact=banded(left.contact.value * 0.1))}, alone, "walk"))


@pytest.mark.parametrize(("aid", "seen"), [("none", [2, 3, 4]), ("not stated", [2, 3, 4]), ("crutches", [])])
def test_a_foot_alone_on_the_floor_carries_the_body_unless_an_aid_may(aid: str, seen: list[int]) -> None:
    cycle = SimpleNamespace(side="L", opposite_off_s=0.2, opposite_strike_s=0.4)
    result: Any = SimpleNamespace(aid=aid, cycles=[cycle, SimpleNamespace(side="R", opposite_off_s=0.5, opposite_strike_s=0.7)])
    assert np.flatnonzero(carrying_alone(result, np.arange(10) / 10.0, "L")).tolist() == seen
