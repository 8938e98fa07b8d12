"""Commissioning: a warning counts once a session and goes to whoever its row names; repeated sessions give the own error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

from biomech_id.judgement import commissioning
from biomech_id.judgement.commissioning import Commissioned, questions_of, repeated_sessions
from biomech_id.report.commission import _question_pages
from biomech_id.report.layout.style import load_style
from biomech_id.statistics.session_error import LEAST_PEOPLE, own_errors, session_error
from biomech_id.uncertainty.sizes import error_sizes

CURVES = [("KneeAngles", "X"), ("HipAngles", "Z"), ("KneeMoment", "X")]


def found(rule: str, severity: str = "warning") -> dict[str, Any]:
    return {"rule": rule, "severity": severity, "values": {}}


def test_warnings_count_sessions_and_not_trials() -> None:
    def session(*rules: str) -> Any:
        trials = [{"findings": [found(rule) for rule in rules]} for _ in range(3)]
        return SimpleNamespace(summary={"findings": [found("foot-flat-as-stored", "info")], "trials": trials})

    asked = questions_of({
        "a": session("plate-baseline-large"), "b": session("plate-baseline-large", "labels-missing"),
        "c": session("bandwidth-mixed", "norm-own-only"), "d": session("norm-own-only"),
    })  # fmt: skip
    assert [(each.answers, each.rule, each.sessions) for each in asked] == [
        ("technician", "labels-missing", ("b",)),
        ("physicist", "plate-baseline-large", ("a", "b")),
        ("clinician", "norm-own-only", ("c", "d")),
        ("clinician", "bandwidth-mixed", ("c",)),
    ]


def measured(people: int, times: float, leg_m: float = 0.8) -> Any:
    """Two sessions of each person, apart by so many times what is assumed."""
    rng = np.random.default_rng(1)
    made = []
    for _ in range(people):
        sessions: list[tuple[dict[Any, Any], float]] = [({}, leg_m), ({}, leg_m)]
        for variable, axis in CURVES:
            error = session_error(variable, axis, leg_m=leg_m)
            assert error is not None
            for side in "LR":
                for means, _leg in sessions:
                    means[side, variable, axis] = 10.0 + times * error.sd * rng.standard_normal()
        made.append(sessions)
    return made


def test_own_error_is_recovered_and_scales_the_sizes_of_placed_markers() -> None:
    own = own_errors(measured(400, 1.7))
    assert own is not None
    assert own.factor == pytest.approx(1.7, rel=0.05)
    assert {row[:2] for row in own.rows} == set(CURVES)
    usual, changed = error_sizes(), error_sizes(own.error_sizes)
    apart = {name: changed[name] / usual[name] for name in usual if changed[name] != usual[name]}
    assert "asis_up_mm" in apart
    assert not {"plate_place_mm", "thigh_mass_percent", "marker_noise_mm"} & set(apart)
    assert np.allclose(list(apart.values()), own.factor, rtol=0.05)


def test_few_people_tell_no_laboratorys_error() -> None:
    assert own_errors(measured(LEAST_PEOPLE - 1, 1.0)) is None
    assert own_errors(measured(LEAST_PEOPLE, 1.0)) is not None
    assert own_errors([[({}, None), ({}, None)]] * LEAST_PEOPLE) is None


def test_who_has_no_curves_is_not_counted_and_unknown_curves_count_nowhere() -> None:
    empty: Any = [({}, None), ({}, None)]
    assert own_errors([*measured(1, 1.0), *[empty] * LEAST_PEOPLE]) is None
    people = measured(LEAST_PEOPLE, 1.0)
    plain = own_errors(people)
    unknown: Any = [({("L", "KneeAngles", "X"): np.full(101, np.nan), ("L", "HipAngles", "Z"): np.full(101, 1.0)}, 0.8)] * 2
    beside = own_errors([*people, unknown])
    assert plain is not None
    assert beside is not None
    assert np.isfinite(beside.factor)
    assert {row[0]: row[2] for row in beside.rows}["KneeAngles"] == {row[0]: row[2] for row in plain.rows}["KneeAngles"]
    # What is known of half a cycle is held against what is assumed of that half.
    first = np.arange(101) < 50
    half = own_errors(
        [
            [({key: np.where(first, curve, np.nan) for key, curve in means.items()}, leg_m) for means, leg_m in each]
            for each in people
        ]
    )
    assert half is not None
    assert half.factor == pytest.approx(plain.factor, rel=0.2)


def test_each_examiner_counts_once_in_the_condition_that_both_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of each examiner's sessions; a further one, and one with another condition first, change nothing."""
    pairs = measured(LEAST_PEOPLE, 1.0)
    curves: dict[int, dict[str, Any]] = {}

    def session(code: int, examiner: str, of: dict[str, Any]) -> Any:
        made = SimpleNamespace(summary={"subject": {"code": str(code)}, "clinic": {"": {"examiner": examiner}}, "trials": []})
        curves[id(made)] = of
        return made

    monkeypatch.setattr(commissioning, "mean_curves", lambda tables: curves[id(tables)])
    plain, more = {}, {}
    for code, ((first, _), (second, _)) in enumerate(pairs):
        plain |= {f"{code}a": session(code, "anna", {"barefoot": first}), f"{code}b": session(code, "ben", {"barefoot": second})}
        other = {key: curve + 30.0 for key, curve in first.items()}
        more |= {
            f"{code}a": session(code, "anna", {"orthosis": other, "barefoot": first}),
            f"{code}b": session(code, "ben", {"barefoot": second}), f"{code}c": session(code, "ben", {"barefoot": other}),
        }  # fmt: skip
    one, two = repeated_sessions(plain), repeated_sessions(more)
    assert one is not None
    assert two is not None
    assert two.factor == one.factor
    assert (two.people, two.sessions) == (LEAST_PEOPLE, 2 * LEAST_PEOPLE)


def test_a_hundred_silent_sessions_are_all_on_a_page() -> None:
    every = tuple(f"s{n}" for n in range(100))
    found = Commissioned(every, every, {}, {}, None, (), None)
    style = load_style()
    pages = list(_question_pages(found, style))
    assert len(pages) > 1
    for page in pages:
        assert all(text.get_window_extent().y0 > 0 for text in page.figure.findobj(Text) if text.get_text())
    words = [text.get_text() for page in pages for text in page.figure.findobj(Text)]
    assert {f"s{n}" for n in range(100)} <= set(words)


def test_sessions_of_one_examiner_are_not_repeated() -> None:
    def session(code: str, examiner: str) -> Any:
        return SimpleNamespace(summary={"subject": {"code": code}, "clinic": {"": {"examiner": examiner}}, "trials": []})

    assert repeated_sessions({str(n): session("A", "anna") for n in range(2 * LEAST_PEOPLE)}) is None
