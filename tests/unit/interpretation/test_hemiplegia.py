"""Types of gait in hemiplegia: of each row a sum that fits, and those that miss it by one pattern, side or cycle."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_deviations import PEOPLE, session

from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import PatternDeviation
from biomech_id.interpretation.hemiplegia import hemiplegia_type, hemiplegia_types
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.report.first.facts import SessionFacts
from biomech_id.report.first.patterns import openings
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.session.tables.session_tables import Tables

TYPES = hemiplegia_types()
FAMILY = sorted({pattern for groups in TYPES.values() for _, patterns in groups for pattern in patterns})


def judged(said: set[str], *, side: str = "R", cycles: int = 5) -> list[PatternDeviation]:
    """Every pattern of the family on both sides: on one those that are said, the rest not met."""
    row = PatternDeviation("", "L", "", False, 1.0, "deg", 0.0, 1.0, 8, 1.0, 0, cycles, (), False, 1.0, 3.0, False)
    rows = [replace(row, side=each, pattern=pattern) for each in SIDES for pattern in FAMILY]
    return [replace(each, met=True, marked=True) if each.side == side and each.pattern in said else each for each in rows]


def needed(name: str) -> set[str]:
    """One pattern of each group that a type needs."""
    return {min(patterns) for one, patterns in TYPES[name] if one}


def test_every_pattern_is_a_tested_rule() -> None:
    assert list(TYPES) == ["I", "II", "III", "IV"]
    assert all(shipped_rules()[pattern].tested for pattern in FAMILY)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("side", SIDES)
def test_each_row_has_a_positive_and_misses(name: str, side: str) -> None:
    said = needed(name)
    found = hemiplegia_type(judged(said, side=side))
    assert found is not None
    assert found[:2] == (side, name)
    assert {each.pattern for each in found[2]} == said
    for pattern in said:
        less = hemiplegia_type(judged(said - {pattern}, side=side))
        assert less is None or less[1] != name
        unsaid = [replace(each, marked=each.marked and each.pattern != pattern) for each in judged(said, side=side)]
        less = hemiplegia_type(unsaid)
        assert less is None or less[1] != name, "met, and not said"
    for pattern in {pattern for one, patterns in TYPES[name] if not one for pattern in patterns}:
        more = [replace(each, met=each.met or (each.side, each.pattern) == (side, pattern)) for each in judged(said, side=side)]
        assert hemiplegia_type(more) is None, "met is enough to keep it away"


@pytest.mark.parametrize("pattern", FAMILY)
def test_none_where_the_other_side_has_one_or_has_few_cycles(pattern: str) -> None:
    rows = judged(needed("IV"))
    both = [replace(each, met=each.met or (each.side, each.pattern) == ("L", pattern)) for each in rows]
    assert hemiplegia_type(both) is None
    few = [replace(each, cycles=2) if (each.side, each.pattern) == ("L", pattern) else each for each in rows]
    assert hemiplegia_type(few) is None
    assert hemiplegia_type(each for each in rows if each.side == "R") is None, "the other side has no cycle at all"
    assert hemiplegia_type(judged(set())) is None


@pytest.mark.parametrize(("diagnosis", "language", "said"), [
    ("right spastic hemiplegia", "en", "Right: type II of gait in hemiplegia (Winters 1987): plantarflexed midstance (AEQ); "),
    ("Spastische Hemiparese rechts", "de", "Rechts: Gangtyp II bei Hemiplegie (Winters 1987): zu viel Plantarflexion (AEQ); "),
    ("Hemiparese", "en", "Right: type II"), ("rechtsseitige spastische Hemiparese", "en", "Right: type II"),
    ("left spastic hemiplegia", "en", ""), ("Hemiparese (links)", "de", ""), ("spastic diplegia", "en", ""), ("", "en", ""),
])  # fmt: skip
def test_page_1_names_it_with_that_diagnosis_alone(diagnosis: str, language: str, said: str) -> None:
    assert bool(said_of(diagnosis, language, session())) == bool(said)
    assert said_of(diagnosis, language, session()).startswith(said)


def said_of(diagnosis: str, language: str, tables: Tables) -> str:
    tables = replace(tables, summary={**tables.summary, "clinic": {"": {"diagnosis": diagnosis}}})
    norm = Norm({}, {}, {"n": len(PEOPLE)}, people=PEOPLE)
    facts = SessionFacts(Layer(tables, "straight", "barefoot"), load_style(language=language), norm)
    vars(facts)["judged"] = tuple(judged({"AEQ"}))
    vars(facts).update(_tested={}, artefacts={})
    return "".join(text for text, _ in openings(facts) if "Winters" in text)
