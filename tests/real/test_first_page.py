"""Page 1 of a recorded session with a seeded crouch: every number is read back and recomputed, every sentence has its row."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pypdf
import pytest
from sessions import Sessions

from biomech_id.interpretation.rules import shipped_rules
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.report import draw_report
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.norm import with_norm
from biomech_id.session.tables.session_tables import Tables

pytestmark = pytest.mark.real
PERSON, SEEDED_DEG = "norm_subjects/NP1002", 35.0
#: Rule behind each sentence: "error ±6° (95 %) · L 7 of 7 cycles · size 5.0 · CRS".
RULE = re.compile(r"· (?:size|Größe) [\d.,]+ · (\w+)")


@pytest.fixture(scope="module")
def norm(sessions: Sessions) -> pd.DataFrame:
    names = [name for name in sessions if name.startswith(("children/", "norm_subjects/")) and name != PERSON]
    model = sessions[PERSON].tables.summary["fingerprint"]["model"]
    people = [each.tables for name in names if (each := sessions[name]).ran]
    people = [tables for tables in people if tables.summary["fingerprint"]["model"] == model]
    return norm_from_sessions(people, source="children and adolescents", mix=("hip_centre", "bandwidth"))


@pytest.fixture(scope="module")
def crouched(sessions: Sessions) -> Tables:
    """Both knees bent by 35 degrees more all the time, at the speed of the norm."""
    tables = sessions[PERSON].tables
    cycles = tables.cycles.copy()
    knee = (cycles["variable"] == "KneeAngles") & (cycles["component"] == "X")
    cycles.loc[knee, "value"] += SEEDED_DEG
    return replace(tables, cycles=cycles)


@pytest.fixture(scope="module", params=["en", "de"])
def page(request: Any, crouched: Tables, norm: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Tables]:
    """Language, text of page 1, and the tables with scores and deviations."""
    path = tmp_path_factory.mktemp("page") / "first.pdf"
    draw_report(crouched, path, norm=norm, pages=["first"], style=load_style(language=request.param))
    text = " ".join(pypdf.PdfReader(path).pages[0].extract_text().split())
    return request.param, text, with_norm(norm, crouched)[0]


def written(value: float, decimals: int, language: str) -> str:
    said = f"{value:.{decimals}f}".replace("-", "−")
    return said.replace(".", ",") if language == "de" else said


def test_every_sentence_has_its_row_and_every_row_its_sentence(page: tuple[str, str, Tables]) -> None:
    language, text, tables = page
    marked = tables.deviations[tables.deviations["marked"].astype(str).str.lower() == "true"]
    alone = marked[marked["covered_by"].isna() | (marked["covered_by"] == "")]
    assert "CRS" in set(alone["pattern"])
    assert set(RULE.findall(text)) <= set(alone["pattern"])
    assert set(alone["pattern"]) <= set(RULE.findall(text)) | set(re.findall(r"\((\w+)\)", text))
    rules = shipped_rules()
    for row in alone[alone["pattern"].isin(RULE.findall(text))].itertuples():
        decimals = 0 if row.unit in ("deg", "%") else 2
        assert written(row.value, decimals, language) in text, row
        assert f"{written(row.norm_mean, decimals, language)} ± {written(row.norm_sd, decimals, language)}" in text, row
        assert rules[row.pattern].short[language] in text, row
        assert re.search(rf"{row.cycles_shown} (of|von) {row.cycles}\b", text), row


def test_the_crouch_is_the_knee_s_least_flexion_in_single_support(page: tuple[str, str, Tables]) -> None:
    language, text, tables = page
    used = tables.cycle_list[tables.cycle_list["used"].astype(bool) & (tables.cycle_list["kind"] == "straight")]
    for side in "LR":
        own = used[used["side"] == side]
        curves = tables.curves(side, "KneeAngles", "X", cycles=own)
        start, end = own["opposite_off_percent"].mean(), own["opposite_strike_percent"].mean()
        least = np.nanmean(curves, axis=0)[int(np.ceil(start)) : int(np.floor(end)) + 1].min()
        row = tables.deviations.query("pattern == 'CRS' and side == @side").iloc[0]
        assert row["value"] == pytest.approx(least, abs=0.6)
        assert f"{side} {written(row['value'], 0, language)}°" in text


def test_scores_are_those_of_the_table(page: tuple[str, str, Tables]) -> None:
    """A profile score is the root mean square of its side's nine variables."""
    language, text, tables = page
    for side in "LR":
        own = tables.scores[tables.scores["side"] == side]
        variables, (whole,) = own.loc[own["score"] == "GVS", "value"], own.loc[own["score"] == "GPS", "value"]
        assert whole == pytest.approx(np.sqrt(np.mean(variables**2)), abs=0.01)
        assert written(whole, 1, language) in text, side


def test_a_german_page_holds_no_english_sentence(page: tuple[str, str, Tables]) -> None:
    language, text, _ = page
    english, german = (load_style(language=name).labels for name in ("en", "de"))
    keys = [key for key in english if key.startswith(("first.", "artefact.", "warns.")) and english[key] != german[key]]
    plain = [english[key] for key in keys if "{" not in english[key] and len(english[key]) > 8]
    assert plain
    strange = [words for words in plain if words in text]
    assert (strange == []) == (language == "de"), strange
