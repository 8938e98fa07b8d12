"""The first page of a comparison: what its numbers are, what is not compared, how many pages, and the table beside it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pypdf
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from biomech_id.conventions import SIDES
from biomech_id.errors import OptionError
from biomech_id.gait.measures.scores import GAIT_VARIABLES
from biomech_id.interpretation.changes import ChangeDirection
from biomech_id.report import compare_report
from biomech_id.report.comparison.beside import other_differences, treatments_between, trust_of
from biomech_id.report.comparison.facts import comparison_of
from biomech_id.report.comparison.headline import headline_changes
from biomech_id.report.comparison.middle import change_line
from biomech_id.report.comparison.page import what_changed_page
from biomech_id.report.layout.style import load_style
from biomech_id.report.layout.typography import width_mm
from biomech_id.report.panels.layer import layers_of
from biomech_id.report.panels.norm import load_norm
from biomech_id.request.subject_file import clinic_of
from biomech_id.statistics.score_change import score_changes
from biomech_id.statistics.sessions import ComparedCycles

STYLE = load_style()


def compared(first, second, norm=None, style=STYLE):
    (a,), (b,) = ([layer for layer in layers_of(tables) if layer.kind == "straight"][:1] for tables in (first, second))
    return comparison_of(a, b, style, norm)


def with_trials(tables, **more):
    trials = [{**trial, **more} for trial in tables.summary["trials"]]
    return replace(tables, summary={**tables.summary, "trials": trials})


def with_subject(tables, **more):
    return replace(tables, summary={**tables.summary, "subject": {**tables.summary["subject"], **more}})


def test_a_profile_score_changes_beyond_its_band_only(build):
    """Half of what 95 % of 4 000 draws span: of one constant shift it is 1.96 of the two SDs, to first order."""
    tables = build(code="ONE")
    used = layers_of(tables)[0].used
    cycles = ComparedCycles(tables, used)
    normal = {name: np.mean([cycles.curves(side, *name).mean(axis=0) for side in SIDES], axis=0) - 20.0 for name in GAIT_VARIABLES}
    other = ComparedCycles(with_subject(tables, session_date="2030-01-01"), used)
    found = score_changes(cycles, other, normal)
    assert set(found) == {*SIDES, ""}
    for change in found.values():
        assert change.change == 0.0
        assert not change.beyond_error
    sd = {name: cycles.anew_sd("L", *name, ["segment_axes", "pelvis", "knee_centre", "ankle_centre"]) for name in GAIT_VARIABLES}
    if all(each is not None for each in sd.values()):
        first_order = 1.96 * np.sqrt(2.0 * sum(each.mean() ** 2 for each in sd.values())) / len(sd)
        assert found["L"].band == pytest.approx(first_order, rel=0.15)
    same = score_changes(cycles, cycles, normal)
    assert same["L"].band == 0.0
    assert "L" in score_changes(cycles, other, normal, hip_rotation=False)
    del normal["HipAngles", "Z"]
    assert score_changes(cycles, other, normal) == {}


def test_nothing_is_compared_across_other_footwear(build, build_norm):
    barefoot, shod = (with_trials(build(code="ONE", seed=n), footwear=worn) for n, worn in enumerate(("barefoot", "shod")))
    facts = compared(barefoot, shod)
    assert facts.refused == ("footwear",)
    assert facts.changes == ()
    assert all(np.isnan(row.band) for row in headline_changes(facts))
    assert not any(row.changed for row in headline_changes(facts))
    unstated = compared(with_trials(barefoot, footwear="not stated"), shod)
    assert unstated.refused == ()
    assert "footwear not stated in both" in list(other_differences(unstated))


def test_what_else_differs_is_said(build, tmp_path):
    first = with_subject(
        build(code="ONE"), session_date="2025-01-10", mass_kg=30.0, leg_length_m={"L": 0.6, "R": 0.6}, age_years=9.0
    )
    second = with_subject(
        build(code="ONE", seed=1), session_date="2026-01-09", mass_kg=34.0, leg_length_m={"L": 0.65, "R": 0.65}, age_years=10.0
    )
    file = tmp_path / "subject.toml"
    file.write_text(
        '[[clinic.treatment]]\ndate = 2025-03-01\nkind = "botulinum toxin"\nside = "left"\nlevel = "calf"\n'
        '[[clinic.treatment]]\ndate = 2027-01-01\nkind = "later"\n', encoding="utf-8",
    )  # fmt: skip
    second = replace(second, summary={**second.summary, "clinic": clinic_of(file)})
    facts = compared(first, second)
    assert [each["kind"] for each in treatments_between(facts)] == ["botulinum toxin"]
    said = list(other_differences(facts))
    assert said[0] == "treatment: 2025-03-01, botulinum toxin, left, calf"
    assert "12 months between the visits" in said
    assert "mass 30.0 → 34.0 kg" in said
    assert any(line.startswith("grown: leg 0.600 → 0.650 m") for line in said)


def test_two_norms_are_both_named(build):
    notes = [{"source": name, "n": n, "model": "", "kinetics": ""} for name, n in (("lab 2024", 12), ("lab 2026", 30))]
    pair = [build(code="ONE", seed=seed) for seed in (0, 1)]
    pair = [replace(tables, summary={**tables.summary, "norm": note}) for tables, note in zip(pair, notes, strict=True)]
    (said,) = [line for line in other_differences(compared(*pair)) if line.startswith("two norms")]
    assert "lab 2024, n = 12 before, lab 2026, n = 30 after" in said
    named = [{**note, "name": "Children", "version": str(at), "date": "2026-11-28"} for at, note in enumerate(notes, 1)]
    versions = [replace(tables, summary={**tables.summary, "norm": note}) for tables, note in zip(pair, named, strict=True)]
    (said,) = [line for line in other_differences(compared(*versions)) if line.startswith("two norms")]
    assert "Children, 1, 2026-11-28, n = 12 before, Children, 2, 2026-11-28, n = 30 after" in said
    same = [replace(tables, summary={**tables.summary, "norm": notes[0]}) for tables in pair]
    assert not [line for line in other_differences(compared(*same)) if line.startswith("two norms")]


def test_rotations_are_with_limits_where_thigh_markers_carry_the_axis(build):
    pair = [build(code="ONE", seed=seed) for seed in (0, 1)]
    recipe = {"model": {"knee_axis": "markers"}}
    pair = [replace(tables, summary={**tables.summary, "recipe": recipe}) for tables in pair]
    grades = {each.layer: each.grade for each in trust_of(compared(*pair))}
    assert grades["transverse"] in ("warn", "not judged")
    assert grades["norm"] == "not measured"


@pytest.mark.slow
@pytest.mark.parametrize(("sessions", "most"), [(2, 10), (6, 14)])
def test_pages_have_an_end(build, build_norm, tmp_path, sessions, most):
    tables = [build(code="ONE", seed=seed) for seed in range(sessions)]
    path = compare_report(tables, tmp_path / "a.pdf", norm=build_norm())
    pages = pypdf.PdfReader(path).pages
    assert len(pages) <= most
    assert "What changed" in pages[0].extract_text()
    table = pd.read_csv(tmp_path / "a.changes.csv")
    assert list(table)[:4] == ["session", "side", "pattern", "before"]


def test_a_treatment_is_typed(tmp_path):
    file = tmp_path / "subject.toml"
    for text, word in (('side = "left"', "kind"), ('kind = "x"\nside = "up"', "side"), ('kind = "x"\ndate = "soon"', "date"),
                       ('kind = "x"\ndose = 3', "dose")):  # fmt: skip
        file.write_text(f"[[clinic.treatment]]\n{text}\n", encoding="utf-8")
        with pytest.raises(OptionError, match=word):
            clinic_of(file)


@pytest.mark.parametrize("language", ["en", "de"])
def test_its_text_has_seven_points_and_grey_lines_six(build, build_norm, language):
    style, (first, second) = load_style(language=language), (build(code="ONE", seed=seed, scores=True) for seed in (0, 1))
    with mpl.rc_context(style.rc):
        figure = what_changed_page(compared(first, second, load_norm(build_norm(n=24), first), style))
        texts = [text for text in figure.findobj(Text) if text.get_visible() and len(text.get_text().strip("▲▼ ")) > 1]
    grey = {to_rgb(style.colour("quiet"))}
    body = {text.get_text(): text.get_fontsize() for text in texts if to_rgb(text.get_color()) not in grey}
    assert len(body) > 30
    assert {words: size for words, size in body.items() if size < 7.0 and not words.replace("−", "").isdigit()} == {}
    assert min(text.get_fontsize() for text in texts) >= 6.0


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("direction", [ChangeDirection.TOWARDS, ChangeDirection.WITHIN_ERROR])
@pytest.mark.parametrize(("unit", "before", "after"), [("N m/kg", 0.97, 0.79), ("W/kg", -3.13, -1.74), ("deg", 36.0, 21.0)])
def test_a_change_stands_beside_its_numbers_and_not_over_them(language, direction, unit, before, after):
    style, room_mm = load_style(language=language), 68.0
    one = SimpleNamespace(
        side="R",
        before=before,
        after=after,
        change=after - before,
        band=0.37,
        direction=direction,
        second=SimpleNamespace(unit=unit),
    )
    text, change = change_line(one, style, room_mm)
    numbers_mm = width_mm(text, style.size("heading"), weight="bold")
    assert numbers_mm + width_mm(change, style.size("small")) <= room_mm - 1.0
    assert f"± {'0.37' if language == 'en' else '0,37'}" in change or unit == "deg"


def test_muscle_signals_of_no_side_are_not_called_unmeasured(build):
    def signals(tables):
        (one,) = (each for each in trust_of(compared(tables, tables)) if each.layer == "emg")
        return str(one.grade), one.reason

    tables = replace(build(), emg=None, channels=None)
    tables.summary.setdefault("verdicts", {})["emg"] = {side: {"verdict": "not measured", "reasons": []} for side in SIDES}
    assert signals(tables) == ("not measured", "no muscle signals")
    channels = pd.DataFrame({"trial": ["walk"], "label": ["EMG1"], "side": [""], "muscle": [""], "verdict": ["live"]})
    assert signals(replace(tables, channels=channels)) == ("not judged", "no channel names a side")
    for more in ({"side": "L"}, {"verdict": "not_emg"}):
        assert signals(replace(tables, channels=channels.assign(**more))) == ("not measured", "no muscle signals")


def test_examinations_stand_left_before_right_also_in_the_text(build, tmp_path):
    rows = [{"joint": "hip", "test": "flexion", "muscle": "", "position": "", "side": side, "raw": raw, "unit": "deg", "value": 1.0}
            for side, raw in (("R", "150"), ("L", "145"))]  # fmt: skip
    tables = replace(build(), examination=pd.DataFrame(rows))
    figure = what_changed_page(compared(tables, tables))
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert texts.index("145") < texts.index("150")
