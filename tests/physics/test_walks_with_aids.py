"""Virtual crutches, walker, orthosis: what is said of loads says with what they were walked, and nobody is weighed with an aid."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import biomech_id as bid
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.judgement.plausibility import OF_WEIGHT
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.sample import write_c3d
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import write_norm

pytestmark = pytest.mark.slow
QUICK: dict[str, bool] = {"report": False, "uncertainty": False, "budget": False}
#: What takes the feet to bear the whole body: rules of plausibility, of the body's residual, and of steps and standing.
WEIGHS = OF_WEIGHT | {
    "residual-weight",
    "residual-sign",
    "residual-clock",
    "residual-size",
    "mass-unlike-steps",
    "mass-unlike-weight",
    "stance-light",
}
LOADS = ("Moment", "Power", "Force", "GroundReaction")
#: What is walked with, plates -> what subject.toml says of it, and the test of ``deviations.csv`` that warns.
WALKS = {
    ("crutches", "two"): ('aid = "crutches"', "aid"), ("walker", "two"): ('aid = "walker"', "aid"),
    ("walker", "steps"): ('condition = "with a rollator"', "aid"),
    ("toe walker", "steps"): ('footwear = "orthosis left"', "footwear"),
    ("crouch", "steps"): ('condition = "AFO right"', "footwear"),
}  # fmt: skip


@cache
def healthy() -> tuple[Tables, ...]:
    """Four healthy people, two of them children, at their own speeds."""
    people = (
        bid.virtual_subject(body=body, speed_m_s=speed)
        for body, speed in (("adult", 1.2), ("adult", 1.4), ("child", 1.0), ("child", 1.2))
    )
    return tuple(
        replace(tables, summary={**tables.summary, "subject": {**tables.summary["subject"], "code": f"N{number}"}})
        for number, person in enumerate(people)
        for tables in [bid.analyse([person.static().trial, person.walk(plates="steps").trial], **QUICK).tables()]
    )


@pytest.fixture(scope="module")
def norm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("norm") / "norm.csv"
    write_norm(norm_from_sessions(healthy(), source="virtual", mix=("bandwidth",)), path)
    return path


def walked(folder: Path, pattern: str, plates: str, said: str) -> Path:
    """A session whose mass is typed a quarter too large, so that whatever weighs would say so."""
    person = bid.virtual_subject(pattern=pattern, plates=plates, upper_body=True)
    write_c3d(person.static(plates="none"), folder / "stance.c3d")
    write_c3d(person.walk(), folder / "moving.c3d")
    (folder / "subject.toml").write_text(f"mass_kg = 90.0\n{said}\n", encoding="utf-8")
    return folder


def rules_of(summary: dict[str, Any]) -> set[str]:
    """Rules of everything that was noticed, of the session and of its trials."""
    return {finding["rule"] for of in (summary, *summary["trials"]) for finding in of["findings"]}


@pytest.mark.parametrize(("walk", "said"), list(WALKS.items()), ids=[" ".join(walk) for walk in WALKS])
def test_loads_are_said_with_what_was_walked_with(tmp_path: Path, norm: Path, walk: tuple[str, str], said: tuple[str, str]) -> None:
    result = bid.analyse(walked(tmp_path, *walk, said[0]), norm=norm, **QUICK)
    rules = shipped_rules()
    of_loads = [
        row for row in result.tables().deviations.to_dict("records")
        for rule in [rules[row["pattern"]]]
        if any(word in q.variable for q in (*rule.criterion.quantities, rule.shown.quantity) for word in LOADS)
    ]  # fmt: skip
    assert of_loads
    assert {row["pattern"] for row in of_loads if said[1] not in row["artefact"].split(";")} == set()
    found = rules_of(result.summary)
    if said[1] == "aid":
        assert "walked-with-aid" in found
        assert found & WEIGHS == set()
        assert not any(rule.startswith("residual-") for rule in result.quality["rule"])


@pytest.mark.parametrize(("pattern", "plates"), [("crutches", "two"), ("walker", "steps")])
def test_undeclared_the_same_walks_are_weighed(tmp_path: Path, pattern: str, plates: str) -> None:
    result = bid.analyse(walked(tmp_path, pattern, plates, ""), **QUICK)
    found = rules_of(result.summary)
    assert found & WEIGHS
    assert "walked-with-aid" not in found


@pytest.mark.parametrize(("said", "given"), [('aid = "walker"', False), ("", True)])
def test_who_leans_on_an_aid_that_no_plate_sees_has_no_margin_of_stability(tmp_path: Path, said: str, given: bool) -> None:
    result = bid.analyse(walked(tmp_path, "walker", "none", said), **QUICK)
    assert any(name.startswith("margin_of_stability") for name in result.spatiotemporal["parameter"]) is given
