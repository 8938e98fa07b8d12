"""The cover's lines say where the mass comes from and how still the static trial is, in either language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import Finding
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.cover import analysis_facts, pace, subject_facts, trial_rows
from biomech_id.session.tables.session_tables import Tables, finding_records


def summary(*findings: Finding) -> dict[str, Any]:
    return {"subject": {"mass_kg": 59.43}, "static": {"file": "stand.c3d"}, "findings": finding_records(findings)}


@pytest.mark.parametrize(
    ("how", "language", "line"),
    [
        ("steps", "en", "59.4 kg, from periodic steps in walk 2"),
        ("standing", "en", "59.4 kg, from quiet standing in walk 2"),
        ("steps", "de", "59,4 kg, aus periodischen Schritten in walk 2"),
    ],
)
def test_a_mass_that_plates_tell_says_so(how: str, language: str, line: str) -> None:
    style = load_style(language=language)
    measured = Finding("mass-from-plates", {"mass_kg": 59.43, "how": how, "trial": "walk 2"}, "walk 2")
    label = style.label("cover.mass")
    assert dict(subject_facts(summary(measured), style))[label] == line
    assert dict(subject_facts(summary(), style))[label] == f"59{style.decimal_mark}4 kg"


@pytest.mark.parametrize(
    ("rule", "values", "line"),
    [
        ("static-sways", {"trial": "stand", "sway_mm": 23.4}, "stand.c3d, not still: markers sway by 23 mm"),
        ("static-moves", {"trial": "stand", "sway_mm": 310.0}, "stand.c3d, not still: markers sway by 310 mm"),
        ("static-one-frame", {"trial": "stand", "frame": 7}, "stand.c3d, one frame"),
        ("static-seen", {}, "stand.c3d"),
    ],
)
def test_how_still_the_static_trial_is_stands_beside_its_name(
    rule: str, values: dict[str, object], line: str, session: Tables
) -> None:
    style = load_style()
    findings = () if rule == "static-seen" else (Finding(rule, values, "stand"),)
    tables = replace(session, summary={**session.summary, **summary(*findings)})
    assert dict(analysis_facts(tables, style, None))[style.label("cover.static")] == line


def test_straight_walks_are_listed_before_other_trials_and_the_refused_before_all(build: Callable[..., Tables]) -> None:
    tables = build(turn=True)
    trials = [tables.summary["trials"][1] | {"verdict": "reject"}, tables.summary["trials"][0]]
    tables = replace(tables, summary={**tables.summary, "trials": trials, "failed": [{"file": "lost.c3d", "error": "empty"}]})
    assert [row[0] for row in trial_rows(tables, load_style())] == ["lost.c3d", "walk1.c3d", "turn1.c3d"]


def test_the_cover_tells_speed_and_cadence_of_the_cycles_in_the_means(build: Callable[..., Tables]) -> None:
    """Three cycles a side walk at 1.32 and 1.08 m/s (see conftest); the turn's are in no mean."""
    tables = build(turn=True)
    speed = [1.2 * factor + 0.01 * cycle for factor in (1.1, 0.9) for cycle in (1, 2, 3)]
    said = f"{np.mean(speed):.2f} ± {np.std(speed, ddof=1):.2f} m/s; – steps/min (barefoot)"
    assert list(pace(tables, load_style())) == [("Speed, cadence", said)]
    assert list(pace(replace(tables, spatiotemporal=tables.spatiotemporal.iloc[:0]), load_style())) == []
