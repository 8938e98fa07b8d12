"""Sagittal classes: named with their diagnosis, beyond their limits by the session's error, and with everybody left out once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from test_deviations import PEOPLE, session

from biomech_id.conventions import SIDES
from biomech_id.interpretation.deviations import SagittalClass, deviations_of, judged_sides, sagittal_classes
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import NormSample

DIAGNOSIS = "bilateral spastic CP, GMFCS II"
ANKLE = ("AnkleAngles", "X")
#: Ankle of healthy limbs, degrees; the norm's knees have an SD of some 3, its ankles of some 6.
LEVEL_DEG = 8.0


def with_ankle(person: NormSample, number: int) -> NormSample:
    rng = np.random.default_rng(100 + number)
    ankles = {(side, *ANKLE): np.full(101, LEVEL_DEG + 6.0 * rng.normal()) for side in SIDES}
    return replace(person, sides={**person.sides, **ankles})


NORM = tuple(with_ankle(person, number) for number, person in enumerate(PEOPLE))


def patient(
    knee_deg: float, ankle_deg: float, *, left: tuple[float, float] | None = None, diagnosis: str = DIAGNOSIS, **more: int | bool
) -> Tables:
    """A session of somebody whose knees and ankles are shifted by so much, on the left perhaps by another two numbers."""
    tables = session(**more)
    by = {"L": left or (knee_deg, ankle_deg), "R": (knee_deg, ankle_deg)}

    def shifted(table: pd.DataFrame | None, values: tuple[str, ...]) -> pd.DataFrame | None:
        if table is None:
            return None
        knees = (table["variable"] == "KneeAngles").to_numpy()
        ankles = table[knees].assign(variable="AnkleAngles")
        if "value" in values:
            table, rng = table.copy(), np.random.default_rng(5)
            table.loc[knees, "value"] += table.loc[knees, "side"].map({side: both[0] for side, both in by.items()})
            of_cycle = ankles.groupby(["side", "cycle"])["value"].transform(lambda values: rng.normal(0.0, 0.1))
            ankles["value"] = LEVEL_DEG + ankles["side"].map({side: both[1] for side, both in by.items()}) + of_cycle
        return pd.concat([table, ankles], ignore_index=True)

    uncertainty = shifted(tables.uncertainty, ())
    cycles = shifted(tables.cycles, ("value",))
    assert cycles is not None
    summary = {**tables.summary, "clinic": {"": {"diagnosis": diagnosis}}}
    return replace(tables, cycles=cycles, uncertainty=uncertainty, summary=summary)


def classes(tables: Tables, people: tuple[NormSample, ...] = NORM) -> dict[str, str]:
    found = sagittal_classes(tables, judged_sides(tables, shipped_rules()), people)
    return {each.side: each.named.pattern for each in found if each.named is not None}


def midstance(tables: Tables) -> tuple[SagittalClass, ...]:
    return sagittal_classes(tables, judged_sides(tables, shipped_rules()), NORM)


@pytest.mark.parametrize(("knee_deg", "ankle_deg", "pattern"), [
    (-3.0, -30.0, "RG1"), (25.0, -30.0, "RG2"), (25.0, 0.0, "RG3"), (25.0, 30.0, "RG4"), (-25.0, 0.0, "RGR"),
])  # fmt: skip
def test_each_class_is_named_on_both_sides(knee_deg: float, ankle_deg: float, pattern: str) -> None:
    tables = patient(knee_deg, ankle_deg)
    assert classes(tables) == {"L": pattern, "R": pattern}
    assert {(each.side, each.pattern) for each in deviations_of(tables, NORM) if each.pattern.startswith("RG")} == {
        ("L", pattern), ("R", pattern)
    }  # fmt: skip


def test_distances_are_those_from_the_norm_s_curves() -> None:
    (left, right) = midstance(patient(25.0, -30.0))
    at = slice(20, 46)
    for axis, name in (("knee_sd", "KneeAngles"), ("ankle_sd", "AnkleAngles")):
        limbs = np.stack([person.sides[side, name, "X"] for person in NORM for side in SIDES])
        tables = patient(25.0, -30.0)
        mean = tables.curves("L", name, "X").mean(axis=0)
        own = ((mean - limbs.mean(axis=0)) / limbs.std(axis=0, ddof=1))[at].mean()
        assert getattr(left, axis) == pytest.approx(own)
    assert left.beyond
    assert right.beyond
    assert not any(each.beyond for each in midstance(patient(0.0, 0.0)))


@pytest.mark.parametrize("diagnosis", ["", "spastic hemiplegia", "bilateral dystonic CP", "idiopathic toe walking", "none"])
def test_without_that_diagnosis_none_is_named(diagnosis: str) -> None:
    tables = patient(25.0, 30.0, diagnosis=diagnosis)
    assert classes(tables) == {}
    assert not any(each.pattern.startswith("RG") for each in deviations_of(tables, NORM))
    assert all(each.beyond for each in midstance(tables)), "the distances are printed instead"


def test_few_cycles_and_unknown_errors_name_none() -> None:
    assert classes(patient(25.0, 30.0, cycles=2)) == {}
    assert classes(patient(25.0, 30.0, bands=False)) == {}
    tables = patient(25.0, 30.0)
    cycles = tables.summary["trials"][0]["cycles"]
    two_left = [{**each, "used": each["used"] and (each["side"], each["cycle"] > 2) != ("L", True)} for each in cycles]
    trial = {**tables.summary["trials"][0], "cycles": two_left}
    assert classes(replace(tables, summary={**tables.summary, "trials": [trial]})) == {}, "of the right side neither"


def test_healthy_limbs_have_no_class() -> None:
    """By the boundary of one SD alone many had one."""
    assert classes(patient(0.0, 0.0)) == {}
    assert classes(patient(0.0, -9.0)) == {}, "beyond one SD, within two"


def test_a_side_near_a_limit_has_none_and_the_other_keeps_its_own() -> None:
    """An ankle at the limit of one SD is within error of two classes."""
    rules = shipped_rules()
    at_limit = next(each for each in midstance(patient(25.0, 9.0)) if each.side == "L").ankle_sd
    assert 1.05 < at_limit < 1.4, "beyond the limit, by less than the error"
    assert classes(patient(25.0, 30.0, left=(25.0, 9.0))) == {"R": "RG4"}
    assert classes(patient(25.0, 30.0, left=(25.0, -30.0))) == {"L": "RG2", "R": "RG4"}
    assert all(rules[pattern].is_class for pattern in ("RG2", "RG4"))


def test_one_person_of_the_norm_never_decides() -> None:
    """Somebody far off makes the SD so wide that ankles lie near the norm: without that person they do not."""
    far = replace(NORM[0], sides={**NORM[0].sides, **{(side, *ANKLE): np.full(101, LEVEL_DEG + 60.0) for side in SIDES}})
    people = (far, *NORM[1:])
    tables = patient(25.0, 12.0)
    rest = classes(tables, NORM[1:])
    whole = next(each for each in sagittal_classes(tables, judged_sides(tables, shipped_rules()), people) if each.side == "L")
    assert abs(whole.ankle_sd) < 0.5, "with that person: apparent equinus"
    assert "RG3" not in rest.values()
    assert classes(tables, people) == {}
