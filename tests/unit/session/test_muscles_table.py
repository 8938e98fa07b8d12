"""Lengths of muscles in tables and on their page: what is written and drawn is what the body did."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pypdf
import pytest

from biomech_id.conventions import CLINIC_MUSCLES, muscle_variable
from biomech_id.dynamics.muscle_motion import MuscleMotion
from biomech_id.report import draw_report
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.layer import ROWS, layers_of
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.session_tables import Tables

MUSCLES = tuple((side, word) for side in "LR" for word in CLINIC_MUSCLES)
TITLES = [("en", ("Muscle lengths", "Psoas length")), ("de", ("Muskellängen", "Psoas, Länge"))]
STANDING_M = np.linspace(0.2, 0.4, len(MUSCLES))


def with_muscles(trial: Solved) -> Solved:
    """Every muscle swings about its length in standing by 5 %, one in a phase of its own."""
    time_s = trial.motion.time_s[:, None]
    phase = np.arange(len(MUSCLES))
    length = STANDING_M * (1.0 + 0.05 * np.sin(5 * time_s + phase))
    velocity = STANDING_M * 0.25 * np.cos(5 * time_s + phase)
    arms = np.stack([np.full(length.shape, 0.03), np.zeros(length.shape)], axis=2)
    moved = MuscleMotion(
        MUSCLES, tuple(f"{word}_{side.lower()}" for side, word in MUSCLES), length, velocity, np.full(length.shape, 0.002),
        STANDING_M, "static", ("hip_flexion", "knee_angle"), arms,
    )  # fmt: skip
    return replace(trial, motion=replace(trial.motion, muscles=moved))


@pytest.fixture
def muscular(session: Session) -> Tables:
    return replace(session, movements=tuple(map(with_muscles, session.movements))).tables()


def test_curves_and_the_table_are_the_lengths_over_those_in_standing(muscular: Tables, session: Session) -> None:
    table = muscular.muscles
    assert table is not None
    assert set(table["coordinate"]) == {"hip_flexion"}
    assert set(table["muscle"]) == set(CLINIC_MUSCLES)
    cycle = muscular.cycle_list.iloc[0]
    mine = table[(table["trial"] == cycle["trial"]) & (table["side"] == cycle["side"]) & (table["cycle"] == cycle["cycle"])]
    soleus = mine[mine["muscle"] == "soleus"]
    k = MUSCLES.index((cycle["side"], "soleus"))
    at_s = cycle["start_s"] + (cycle["end_s"] - cycle["start_s"]) * np.arange(101) / 100.0
    np.testing.assert_allclose(soleus["length_normal"], 1.0 + 0.05 * np.sin(5 * at_s + k), atol=1e-4)
    np.testing.assert_allclose(soleus["velocity"], 0.25 * np.cos(5 * at_s + k), atol=1e-3)
    np.testing.assert_allclose(soleus["standing_mm"], 1000.0 * STANDING_M[k])
    np.testing.assert_allclose(soleus["length_sd"], 0.002 / STANDING_M[k])
    np.testing.assert_allclose(soleus["moment_arm_mm"], 30.0)
    curve = muscular.curves(cycle["side"], "SoleusLength", "", cycles=muscular.cycle_list.iloc[:1])[0]
    np.testing.assert_allclose(curve, soleus["length_normal"])
    assert session.tables().muscles is None
    assert not session.tables().cycles["variable"].str.contains("Soleus").any()


def test_the_table_comes_back_from_its_folder(muscular: Tables, tmp_path: Path) -> None:
    write_folder(muscular, tmp_path / "out")
    back = read_tables(tmp_path / "out").muscles
    assert back is not None
    assert muscular.muscles is not None
    assert list(back.columns) == list(muscular.muscles.columns)
    np.testing.assert_allclose(back["length_normal"], muscular.muscles["length_normal"], rtol=1e-8)


def test_bars_are_the_band_of_the_table(muscular: Tables) -> None:
    layer, style = layers_of(muscular)[0], load_style()
    sd = layer.uncertainty("L", ROWS[muscle_variable("psoas", "Length"), ""], style)["total"]
    np.testing.assert_allclose(sd, 0.002 / STANDING_M[0])
    assert not layer.uncertainty("L", ROWS[muscle_variable("psoas", "Velocity"), ""], style)


@pytest.mark.parametrize(("language", "words"), TITLES)
def test_the_page_is_in_the_report_where_there_are_muscles(
    muscular: Tables, tmp_path: Path, language: str, words: tuple[str, str]
) -> None:
    style = load_style(language=language)
    (page,) = pypdf.PdfReader(draw_report(muscular, tmp_path / "a.pdf", pages=["muscles"], style=style)).pages
    assert all(word in page.extract_text() for word in words)
    bare = replace(muscular, muscles=None, cycles=muscular.cycles[muscular.cycles["component"] == "X"])
    nothing = pypdf.PdfReader(draw_report(bare, tmp_path / "b.pdf", pages=["muscles"], style=style))
    assert ("not in the tables" if language == "en" else "nicht in den Tabellen") in nothing.pages[0].extract_text()
