"""The cover's lines say where the mass comes from and how still the static trial is, in either language."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from biomech_id.errors import Finding
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.cover import analysis_facts, subject_facts
from biomech_id.results.session.summary import finding_records
from biomech_id.results.tables.session_tables import SessionTables


def summary(*findings: Finding) -> dict[str, Any]:
    return {"subject": {"mass_kg": 59.43}, "static": {"file": "stand.c3d"}, "findings": finding_records(findings)}


@pytest.mark.parametrize(
    ("how", "language", "line"),
    [
        ("steps", "en", "59.4 kg, from periodic steps in walk 2"),
        ("standing", "en", "59.4 kg, from quiet standing in walk 2"),
        ("steps", "de", "59.4 kg, aus periodischen Schritten in walk 2"),
    ],
)
def test_a_mass_that_plates_tell_says_so(how: str, language: str, line: str) -> None:
    style = load_style(language=language)
    measured = Finding("mass-from-plates", {"mass_kg": 59.43, "how": how, "trial": "walk 2"}, "walk 2")
    label = style.label("cover.mass")
    assert dict(subject_facts(summary(measured), style))[label] == line
    assert dict(subject_facts(summary(), style))[label] == "59.4 kg"


@pytest.mark.parametrize(
    ("rule", "values", "line"),
    [
        ("static-sways", {"trial": "stand", "sway_mm": 23.4}, "stand.c3d, not still: markers move by up to 23 mm"),
        ("static-moves", {"trial": "stand", "sway_mm": 310.0}, "stand.c3d, not still: markers move by up to 310 mm"),
        ("static-one-frame", {"trial": "stand", "frame": 7}, "stand.c3d, one frame"),
        ("static-seen", {}, "stand.c3d"),
    ],
)
def test_how_still_the_static_trial_is_stands_beside_its_name(
    rule: str, values: dict[str, object], line: str, session: SessionTables
) -> None:
    style = load_style()
    findings = () if rule == "static-seen" else (Finding(rule, values, "stand"),)
    tables = replace(session, summary={**session.summary, **summary(*findings)})
    assert dict(analysis_facts(tables, style, None))[style.label("cover.static")] == line
