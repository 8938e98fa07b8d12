"""Sentences that were false, each with the reason it arose: the same values would print them again."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from biomech_id.conventions import LAYERS_OF_MEANS
from biomech_id.errors import Finding
from biomech_id.judgement.measures import OUTLINE_MARGIN_M
from biomech_id.languages import LANGUAGES, worded
from biomech_id.markersets import propose
from biomech_id.readers.c3d.labels import _VIRTUAL_NAME
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.cover import cycles_in_means

STEPS = {
    "steps": 1, "plate": "plate 1", "x_mm": 0.0, "y_mm": 31.0, "turn_deg": 0.1, "sd_x_mm": 9.0, "sd_y_mm": 8.0, "sd_turn_deg": 0.5,
    "shift_mm": 31.0, "moment_Nm_kg": 0.1, "not_apart": [], "ways": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "one", "two"), [("en", "By 1 step on", "By 2 steps on"), ("de", "Nach 1 Schritt ", "Nach 2 Schritten ")]
)
def test_one_step_is_a_step(language: str, one: str, two: str) -> None:
    """The number stood before a word that was always in the plural."""
    assert worded("plate-elsewhere", STEPS, language).startswith(one)
    assert worded("plate-elsewhere", {**STEPS, "steps": 2}, language).startswith(two)


@pytest.mark.parametrize(
    ("language", "none", "some"),
    [("en", "no cycle is refused for it", "refused cycles are in no mean"),
     ("de", "kein Zyklus ist deshalb verworfen", "verworfene Zyklen stehen in keinem Mittel")],
)  # fmt: skip
def test_what_to_do_about_a_doubted_cycle_says_whether_it_counts(language: str, none: str, some: str) -> None:
    """A cycle with limits stands in the mean, and "Refused cycles are in no mean" was said of it."""
    for refused, words, others in (([], none, some), (["L 2"], some, none), (["L 2", "L 3"], some, none)):
        hint = worded("cycles-doubted", {"cycle": "L 2", "said": "it is off", "refused": refused}, language, part="hint")
        assert words in hint
        assert others not in hint


@pytest.mark.parametrize(
    ("language", "words"), [("en", "nothing to look at in the files"), ("de", "nichts anzusehen in den Dateien")]
)
def test_the_end_of_a_check_says_what_it_counts(language: str, words: str) -> None:
    """Below a list of warnings stood "3 files, 0 of the findings to look at": those of the session were not counted."""
    assert words in worded("check-end", {"files": 3, "noticed": 0}, language)


@pytest.mark.parametrize("language", ["en", "de"])
def test_both_shares_of_pressures_inside_a_foot_say_what_they_allow(language: str) -> None:
    """A page said 39 % inside, the rule of the same name 93 %: one counts to the line drawn, the other 20 mm beyond it."""
    labels = load_style(language=language).labels
    assert labels["rule.cop-inside-foot"].replace("- ", "") in labels["ground.note"]
    assert f"{1000.0 * OUTLINE_MARGIN_M:.0f} mm" in labels["ground.note"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_stance_without_a_strike_begins_with_the_recording(language: str) -> None:
    """A stance that the recording begins in has no time of its strike, and the sentence printed it."""
    values = {
        "side": "L",
        "side_word": "left",
        "side_of": "der linken",
        "start_s": float("nan"),
        "marker": "LTOE",
        "speed_m_s": 0.4,
        "limit_m_s": 0.2,
    }
    for start in (float("nan"), None):  # as found, and as JSON gives it back
        text = worded("foot-slides", {**values, "start_s": start}, language)
        assert "nan" not in text
        assert re.search("recording begins|Aufnahme beginnt", text)
    assert re.search(r"1[.,]25 s", worded("foot-slides", {**values, "start_s": 1.25}, language))


def test_points_that_software_computed_are_no_markers_of_the_file() -> None:
    """Stored outputs were counted as markers: all of a set's stood in the file, beside a sentence that one is lacking."""
    labels = [
        "RASI",
        "LPSI",
        "RPSI",
        "LTHI",
        "LKNE",
        "LTIB",
        "LANK",
        "LHEE",
        "LTOE",
        "RTHI",
        "RKNE",
        "RTIB",
        "RANK",
        "RHEE",
        "RTOE",
    ]
    (best, *_) = propose(labels, stored=["LASI"])
    assert best.markerset.name == "plug-in-gait"
    assert "15 of its 16 required markers are in the file and 1 among the points that other software computed" in best.why
    assert "16 of its 16 required markers are in the file, " in propose([*labels, "LASI"])[0].why


@pytest.mark.parametrize("name", ["CofP1", "CofP2", "Vector1", "Vector2", "LHJC", "CentreOfMass"])
def test_arrows_of_forces_are_points_that_software_computed(name: str) -> None:
    """They jump where a foot lands, and `check` said: delete that frame of that marker."""
    assert _VIRTUAL_NAME.match(name)
    assert not _VIRTUAL_NAME.match("VectorKnee")


@pytest.mark.parametrize(
    ("kinds", "says"),
    [((), "hold no whole stride"), (("turn",), "no cycle is of a straight walk"), (("straight", "straight"), r"\(2\)")],
)
def test_the_cover_says_why_no_cycle_is_in_a_mean_by_what_there_is(kinds: tuple[str, ...], says: str) -> None:
    """Where events ended early, and no cycle was cut, the cover said that none was measured well enough."""
    counts = [f"{layer}{ending}" for layer in LAYERS_OF_MEANS for ending in ("", "_by_rules")]
    cycles = pd.DataFrame({"kind": list(kinds), "side": ["L"] * len(kinds), **{name: [False] * len(kinds) for name in counts}})
    text = cycles_in_means(cycles, load_style())
    assert re.search(says, text)
    assert ("well enough" in text) == ("straight" in kinds)


@pytest.mark.parametrize(("language", "rests"), [("en", "a foot at rest"), ("de", "ein ruhender Fuß")])
def test_a_marker_that_stands_still_may_be_that_of_a_resting_foot(language: str, rests: str) -> None:
    """A toe that rested to the last digit was said to have been unseen, as if a hidden marker were the only reason."""
    values = {"marker": "LTOE", "first": 10, "last": 40, "n": 31}
    assert "last digit" in worded("marker-stands-still", values, "en")
    hint = worded("marker-stands-still", values, language, "hint")
    assert rests in hint
    assert not re.search("was not seen|nicht gesehen", hint)


def test_a_finding_about_one_step_says_so() -> None:
    assert Finding("plate-elsewhere", STEPS).message.startswith("By 1 step on it, plate 1")


def test_german_sentences_have_the_minus_sign_of_the_tables_beside_them() -> None:
    """A sentence had a hyphen where the number in the table beside it had a minus sign; names keep their hyphens."""
    values = {"ratio": -0.49, "least": 0.15, "most": 1.1, "turned": True}
    assert "−0,49" in worded("force-sideways", values, "de")
    assert "-0.49" in worded("force-sideways", values, "en")
    assert "walk-2" in worded("static-one-frame", {"trial": "walk-2", "frame": -3}, "de")


def test_german_is_a_laboratorys_german() -> None:
    """Words that no German gait laboratory says, and what it says in their place."""
    never = {
        r"\bStände": "Standphasen", r"\blebend": "nutzbar", r"\bein Stand\b": "eine Standphase", r"[Vv]ersuch(?!t)": "Messung",
    }  # fmt: skip
    texts = {path.name: path.read_text(encoding="utf-8") for path in LANGUAGES["de"].rglob("*.toml")}
    assert texts
    found = [(name, word) for name, text in texts.items() for word in never if re.search(word, text)]
    assert found == []
