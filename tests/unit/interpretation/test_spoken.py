"""What pages that draw nothing say of a session: the rows of ``deviations.csv``, in the first page's words."""

from __future__ import annotations

from typing import Any

import pytest
from test_classes import NORM, patient
from test_deviations import PEOPLE, session

from biomech_id.languages import LANGUAGES
from biomech_id.report.first.spoken import spoken
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.norm import Norm
from biomech_id.session.output.statistics_rows import with_deviations
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import NormSample

STYLES = {language: load_style(language=language) for language in LANGUAGES}


def said_of(tables: Tables, people: tuple[NormSample, ...] = PEOPLE) -> dict[str, Any]:
    """What is said of a session of one condition."""
    (walks,) = spoken(tables, Norm({}, {}, {"n": len(people)}, people=people), STYLES)
    return walks


def test_the_rows_are_those_of_the_table_and_each_sentence_has_its_numbers() -> None:
    tables = session(knee_deg=32.0)
    walks, written = said_of(tables), with_deviations(tables, PEOPLE).deviations
    assert written is not None
    assert walks["rows"] == written.to_dict("records")
    assert walks["condition"] == "barefoot"
    for language, mark in (("en", "."), ("de", ",")):
        sentences = walks["words"][language]["rows"]
        assert len(sentences) == len(walks["rows"]) > 2
        for row, sentence in zip(walks["rows"], sentences, strict=True):
            said = sentence["said"]
            assert said.startswith(f"{row['value']:.0f}°: ")
            assert said.endswith(f" {row['size']:.1f}".replace(".", mark) + f" · {row['pattern']}")
            assert f"±{row['band']:.0f}°" in said
            assert f"{row['cycles_shown']} " in said
            assert f"{row['norm_mean']:.0f} ± {row['norm_sd']:.0f}°" in said
    (crouch,) = (number for number, row in enumerate(walks["rows"]) if row["pattern"] == "CRS")
    assert "(crouch)" in walks["words"]["en"]["rows"][crouch]["said"]
    assert "(Kauergang)" in walks["words"]["de"]["rows"][crouch]["said"]


def test_each_sentence_has_its_warnings_and_the_tests_that_ran_or_could_not() -> None:
    words = said_of(session(knee_deg=32.0))["words"]
    (crouch,) = (each for each in words["en"]["rows"] if each["said"].endswith("CRS"))
    assert crouch == {**crouch, "warns": [], "quiet": "no warning from: knee axis; could not be tested: knee in static"}
    turned = said_of(session(knee_deg=32.0, knee_varus_slope=0.5, knee_varus_correlation=0.95, knee_varus_range_deg=12.0))
    (crouch,) = (each for each in turned["words"]["de"]["rows"] if each["said"].endswith("CRS"))
    assert crouch["warns"] == ["▲ die Knieachse kann verdreht sein"]


def test_sides_of_few_cycles_what_could_not_be_said_and_trust() -> None:
    few = said_of(session(knee_deg=32.0, cycles=2))["words"]
    assert few["en"]["openings"][:2] == ["Left: 2 cycles: not judged.", "Right: 2 cycles: not judged."]
    assert few["de"]["openings"][0] == "Links: 2 Zyklen: nicht beurteilt."
    words = said_of(session(hip_deg=12.0))["words"]
    assert words["en"]["unsayable"].startswith("Below, off the norm: external hip rotation ")
    assert "(HT1)" in words["de"]["unsayable"]
    assert "Angles, transverse: with limits – knee axis from thigh markers alone" in " ".join(words["en"]["trust"])
    assert len(words["de"]["trust"]) == len(words["en"]["trust"]) == 7


@pytest.mark.parametrize(("diagnosis", "opening"), [
    ("bilateral spastic CP, GMFCS II", "Sagittal class: crouch gait, both sides."),
    ("spastic hemiplegia", None),
])  # fmt: skip
def test_the_sagittal_class_stands_where_one_may_be_named(diagnosis: str, opening: str | None) -> None:
    tables = patient(25.0, 30.0, diagnosis=diagnosis)
    walks, written = said_of(tables, NORM), with_deviations(tables, NORM).deviations
    assert written is not None
    assert walks["rows"] == written.to_dict("records")
    assert ("RG4" in {row["pattern"] for row in walks["rows"]}) == (opening is not None)
    openings = walks["words"]["en"]["openings"]
    assert openings[0].startswith(opening or "Midstance, SDs above the norm:")
    assert any(text.startswith("Midstance, SDs above the norm:") for text in openings)


def test_without_a_norm_it_says_why_nothing_is_said() -> None:
    (walks,) = spoken(session(), None, STYLES)
    assert walks["rows"] == []
    assert "without a norm of limbs" in walks["words"]["en"]["openings"][0]


def test_walks_are_not_held_against_a_norm_of_runs() -> None:
    tables = session(knee_deg=32.0)
    runs = Norm({}, {}, {"n": len(PEOPLE), "movement": "running"}, people=PEOPLE)
    (walks,) = spoken(tables, runs, STYLES)
    assert walks["rows"] == []
