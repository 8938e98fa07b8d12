"""Deviations of a session: found where they were put, sized and marked by the row's numbers, never said where they cannot be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import ERROR_SOURCES, SIDES, TABLES
from biomech_id.interpretation.artefacts import ArtefactTests
from biomech_id.interpretation.deviations import (
    BAND_SDS,
    LimbNorm,
    PatternDeviation,
    could_not_have_been_said,
    covered,
    deviation_rows,
    deviations_of,
    judge_patterns,
    small_norm_factor,
)
from biomech_id.interpretation.measuring import LimbCurves, TermNorm
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.session.output.statistics_rows import with_deviations
from biomech_id.session.tables.session_tables import Tables, tidy_table
from biomech_id.session.values.norm import NormSample

PERCENT = np.arange(101.0)
EVENTS = {"foot_off": 60.0, "opposite_foot_off": 10.0, "opposite_foot_contact": 50.0}
NUMBERS = {"speed_dimensionless": 0.45, "step_length": 0.6, "single_support": 40.0, **EVENTS}
UNITS = {"speed_dimensionless": "1", "step_length": "m"}
KNEE = 5.0 + 12.0 * np.exp(-(((PERCENT - 13) / 8) ** 2)) + 55.0 * np.exp(-(((PERCENT - 72) / 12) ** 2))
CURVES = {("KneeAngles", "X"): KNEE, ("HipAngles", "Z"): 3.0 + 0.0 * PERCENT, ("AnkleMoment", "X"): 0.1 + PERCENT / 100}


def person(number: int) -> NormSample:
    rng = np.random.default_rng(number)
    sides = {}
    for side in SIDES:
        for name, curve in CURVES.items():
            sides[side, *name] = curve + (0.1 if name[0] == "AnkleMoment" else 3.0) * rng.normal()
        for name, value in NUMBERS.items():
            sides[side, name, ""] = np.array([value * (1.0 + 0.02 * rng.normal())])
    return NormSample({}, 12.0, 0.45, sides=sides)


PEOPLE = tuple(map(person, range(8)))


def session(
    *, knee_deg: float = 0.0, hip_deg: float = 0.0, cycles: int = 4, bands: bool = True, kinetics: int = 4, **judged: float
) -> Tables:
    """A session of one walk whose left leg differs from healthy ones by so much."""
    listed: list[dict[str, Any]] = []
    curves, numbers, errors = [], [], []
    rng = np.random.default_rng(1)
    for side in SIDES:
        for cycle in range(1, cycles + 1):
            key = {"trial": "walk", "side": side, "cycle": cycle}
            listed.append({
                "side": side, "cycle": cycle, "used": True, "kinetics_valid": "true", "foot_off_percent": 60.0,
                "opposite_off_percent": 10.0, "opposite_strike_percent": 50.0, "reason": "", "start_s": 0.0, "end_s": 1.0,
                "foot_off_s": 0.6, "opposite_off_s": 0.1, "opposite_strike_s": 0.5,
            })  # fmt: skip
            for name, curve in CURVES.items():
                if name[0] == "AnkleMoment" and cycle > kinetics:
                    continue
                shift = {("KneeAngles", "X"): knee_deg, ("HipAngles", "Z"): hip_deg}.get(name, 0.0) if side == "L" else 0.0
                head = {**key, "kinetics_valid": "true", "variable": name[0], "component": name[1]}
                curves.append(pd.DataFrame({**head, "percent": PERCENT.astype(int), "value": curve + shift + rng.normal(0.0, 0.1)}))
                sds = dict.fromkeys(ERROR_SOURCES, 0.0) | {"segment_axes": 1.5, "soft_tissue": 1.0}
                errors.append(pd.DataFrame({**head, "percent": PERCENT.astype(int), **sds, "total": np.hypot(1.5, 1.0)}))
            numbers += [{**key, "parameter": n, "value": v, "unit": UNITS.get(n, "%"), "sd": np.nan} for n, v in NUMBERS.items()]
    trial = {
        "name": "walk",
        "kind": "straight",
        "condition": "barefoot",
        "cycles": listed,
        "kinetics": True,
        "events": [],
        "findings": [],
    }
    sides = {
        side: {"knee_varus_slope": 0.1, "knee_varus_correlation": 0.9, "knee_varus_range_deg": 9.0, **judged} for side in SIDES
    }
    empty = {name: tidy_table(name) for name in ("budget", "peaks", "scores", "stances", "gaps", "quality")}
    return Tables(
        frames={}, cycles=pd.concat(curves, ignore_index=True), spatiotemporal=pd.DataFrame(numbers),
        calibration={"foot_flat": True, "sides": sides}, uncertainty=pd.concat(errors, ignore_index=True) if bands else None,
        summary={"model": "conventional", "trials": [trial], "subject": {"age_years": 12.0}}, **empty,
    )  # fmt: skip


def of(found: tuple[PatternDeviation, ...], pattern: str, side: str = "L") -> PatternDeviation:
    return next(each for each in found if (each.pattern, each.side) == (pattern, side))


def recomputed(row: dict[str, Any]) -> tuple[float, bool]:
    """Size and mark from the row's own numbers, as its description says."""
    rule = shipped_rules()[row["pattern"]]
    spread = np.hypot(small_norm_factor(row["norm_n"]) * row["norm_sd"], row["band"] / BAND_SDS)
    size = abs(row["value"] - row["norm_mean"]) / spread
    beyond = abs(row["value"] - row["norm_mean"]) > row["band"]
    turned = "knee-axis" in row["artefact"].split(";") and rule.plane not in ("sagittal", "-")
    return size, bool(beyond and size >= 2.5 and row["cycles"] >= 3 and rule.tested and not turned)


def test_a_healthy_session_says_nothing() -> None:
    assert [each for each in deviations_of(session(), PEOPLE) if each.marked] == []


def test_crouch_is_found_on_its_side_and_covers_what_it_says_already() -> None:
    found = deviations_of(session(knee_deg=32.0), PEOPLE)
    crouch = of(found, "CRS")
    assert crouch.value == pytest.approx(37.0, abs=1.0)
    assert crouch.marked
    assert (crouch.cycles_shown, crouch.cycles, crouch.unit, crouch.norm_n) == (4, 4, "deg", 8)
    assert of(found, "KSTSX").covered_by == "CRS"
    assert {each.side for each in found if each.marked} == {"L"}
    assert [each.size for each in found] == sorted((each.size for each in found), reverse=True)


def test_what_is_covered_stands_in_a_sentence_that_is_there() -> None:
    """A knee bent at contact is covered by one bent in midstance, and that one by crouch: both stand in crouch's sentence."""
    crouch = of(deviations_of(session(knee_deg=32.0), PEOPLE), "CRS")
    three = [replace(crouch, pattern=name, size=size) for name, size in (("KSTS1", 8.1), ("KSTS6", 5.3), ("CRS", 5.0))]
    assert {each.pattern: each.covered_by for each in covered(three, shipped_rules())} == {
        "KSTS1": "CRS",
        "KSTS6": "CRS",
        "CRS": "",
    }
    alone = [replace(each, marked=each.pattern != "CRS") for each in three]
    unsure = {each.pattern: each.covered_by for each in covered(alone, shipped_rules())}
    assert unsure == {"KSTS1": "KSTS6", "KSTS6": "", "CRS": ""}, "what is less sure covers nothing"


@pytest.mark.parametrize(("knee_deg", "hip_deg"), [(12.0, 0.0), (14.0, 0.0), (32.0, -40.0), (0.0, 25.0), (-20.0, 15.0)])
def test_size_and_mark_follow_from_the_row(knee_deg: float, hip_deg: float) -> None:
    rows = deviation_rows(session(knee_deg=knee_deg, hip_deg=hip_deg), PEOPLE)
    assert rows
    for row in rows:
        size, marked = recomputed(row)
        assert row["size"] == pytest.approx(size, rel=1e-9)
        assert row["marked"] == str(marked).lower()


def test_what_is_listed_could_have_been_said_from_its_least_on() -> None:
    for hip_deg in (-30.0, 15.0, 30.0):
        for each in judge_patterns(session(hip_deg=float(hip_deg)), PEOPLE):
            if each.marked:
                assert abs(each.value - each.norm_mean) >= each.least_sayable - 1e-9


def test_few_cycles_are_listed_and_never_said() -> None:
    crouch = of(deviations_of(session(knee_deg=32.0, cycles=2), PEOPLE), "CRS")
    assert crouch.artefacts == ("few-cycles",)
    assert not crouch.marked


def test_without_bands_nothing_is_said() -> None:
    found = deviations_of(session(knee_deg=32.0, bands=False), PEOPLE)
    assert found
    assert not any(each.marked for each in found)


def test_a_turned_axis_silences_what_is_outside_the_sagittal_plane() -> None:
    turned = {"knee_varus_slope": 0.5, "knee_varus_correlation": 0.95, "knee_varus_range_deg": 20.0}
    loud = of(deviations_of(session(hip_deg=-40.0), PEOPLE), "HT1")
    silent = of(deviations_of(session(hip_deg=-40.0, **turned), PEOPLE), "HT1")
    assert loud.marked
    assert "constant-shift" in loud.artefacts
    assert not silent.marked
    assert "knee-axis" in silent.artefacts
    assert of(deviations_of(session(knee_deg=32.0, **turned), PEOPLE), "CRS").marked, "a knee's flexion hardly hangs on its axis"


def test_no_kinetics_are_not_known_and_not_normal() -> None:
    found = judge_patterns(session(kinetics=0), PEOPLE)
    assert of(found, "MPF").met is None
    assert of(found, "KSTSX").met is False


def test_a_norm_that_does_not_tell_of_its_people_judges_nothing() -> None:
    assert deviations_of(session(knee_deg=32.0), ()) == ()
    old = tuple(replace(each, sides={}) for each in PEOPLE)
    assert not any(each.marked for each in deviations_of(session(knee_deg=32.0), old))


def test_the_norm_of_a_term_is_of_limbs_and_counts_people() -> None:
    norm = LimbNorm(PEOPLE)
    knee = norm.of(shipped_rules()["KSTSX"].shown.quantity)
    values = [each.sides[side, "KneeAngles", "X"][20:46].min() for each in PEOPLE for side in SIDES]
    assert knee is not None
    assert (knee.mean, knee.sd, knee.n) == (pytest.approx(np.mean(values)), pytest.approx(np.std(values, ddof=1)), 8)


def test_the_norm_of_foot_pitch_is_from_each_limbs_own_flat_foot() -> None:
    """Statics of a norm need not be flat: a healthy foot is flat where a foot is flat in walking."""
    rolled = np.where((np.arange(101) > 40) & (np.arange(101) < 90), 50.0, 0.0)
    levels = dict(zip(SIDES, (-95.0, -84.0), strict=True))
    people = [replace(each, sides={(side, "FootProgressAngles", "X"): levels[side] + rolled for side in SIDES}) for each in PEOPLE]
    mean, sd = LimbNorm(people).curves["FootPitch", "X"]
    np.testing.assert_allclose(mean, rolled, atol=1e-12)
    np.testing.assert_allclose(sd, 0.0, atol=1e-12)


def test_what_could_not_have_been_said_names_hip_rotation_first_and_one_row_a_joint() -> None:
    unsaid = could_not_have_been_said(judge_patterns(session(), PEOPLE))
    joints = [shipped_rules()[each.pattern].joint for each in unsaid]
    assert unsaid[0].pattern in ("HT1", "HT2")
    assert joints == ["hip", "knee"]
    assert unsaid[1].least_sayable == max(
        each.least_sayable
        for each in judge_patterns(session(), PEOPLE)
        if shipped_rules()[each.pattern].joint == "knee" and each.unit == "deg" and np.isfinite(each.least_sayable)
    )


def test_what_no_size_can_say_has_no_number() -> None:
    turned = {"knee_varus_slope": 0.5, "knee_varus_correlation": 0.95, "knee_varus_range_deg": 20.0}
    hip, knee = could_not_have_been_said(judge_patterns(session(**turned), PEOPLE))
    assert (hip.least_sayable, shipped_rules()[hip.pattern].joint) == (np.inf, "hip")
    assert np.isfinite(knee.least_sayable), "in the sagittal plane"
    assert could_not_have_been_said(judge_patterns(session(cycles=2), PEOPLE)) == ()
    without = judge_patterns(session(bands=False), PEOPLE)
    assert could_not_have_been_said(without) == ()
    assert all(np.isnan(each.least_sayable) for each in without if each.unit == "deg"), "nobody knows the errors"


def test_a_small_norm_widens_its_sd() -> None:
    assert [round(small_norm_factor(n), 2) for n in (8, 20, 40)] == [1.29, 1.10, 1.05]
    assert np.isnan(small_norm_factor(1))


def test_the_table_has_the_columns_of_its_description() -> None:
    tables = with_deviations(session(knee_deg=32.0), PEOPLE)
    columns = next(table.columns for table in TABLES if table.name == "deviations")
    assert tables.deviations is not None
    assert list(tables.deviations) == [column.name for column in columns]
    assert set(tables.deviations["marked"]) <= {"true", "false"}


@pytest.mark.parametrize(("sources", "warns"), [((), None), (("file", "plate", "hand"), False), (("file", "marker"), True)])
def test_events_found_from_markers_could_make_what_hangs_on_times(sources: tuple[str, ...], warns: bool | None) -> None:
    tables = session()
    tables.summary["trials"][0]["events"] = [{"source_kind": source} for source in sources]
    rule = next(rule for rule in shipped_rules().rows if "events" in rule.artefacts)
    tests = ArtefactTests(tables, {}, lambda _: None, {}, PEOPLE).of_rule(rule, "L", 4)
    assert {test.artefact: test.warns for test in tests}["events"] is warns


@pytest.mark.parametrize(
    ("speed", "pattern", "warns"),
    [
        (0.30, "KSWS4", True), (0.30, "KSWS2", False), (0.58, "KSWS2", True), (0.58, "KSWS4", False), (0.30, "MPF", True),
        (0.42, "KSWS4", False),
    ],
)  # fmt: skip
def test_a_speed_explains_what_changes_the_way_that_speed_changes_it(speed: float, pattern: str, warns: bool) -> None:
    """Who walks slowly bends the knee less in swing: that cannot be why it bends too much."""
    means = {"L": LimbCurves({}, {}, {"speed_dimensionless": np.array([speed])})}
    tests = ArtefactTests(session(), {}, lambda _: TermNorm(0.42, 0.02, 10), means, PEOPLE)
    assert ("speed" in tests.warnings(shipped_rules()[pattern], "L", 4)) is warns


def test_what_could_make_it_is_asked_of_the_condition_s_own_walks_and_static() -> None:
    """Barefoot walks are none with crutches because others of the session are; nor is their static another one's."""
    barefoot, crutches = session(knee_deg=32.0), session(knee_deg=32.0)
    trial = crutches.summary["trials"][0] | {"name": "aided", "condition": "aided", "aid": "crutches", "footwear": "shod"}
    bent = {"foot_flat": False, "sides": {side: {"static_knee_flexion_deg": 14.0} for side in SIDES}}
    tables = replace(
        barefoot,
        cycles=pd.concat([barefoot.cycles, crutches.cycles.assign(trial="aided")], ignore_index=True),
        spatiotemporal=pd.concat([barefoot.spatiotemporal, crutches.spatiotemporal.assign(trial="aided")], ignore_index=True),
        calibration={**barefoot.calibration, "conditions": {"aided": bent}},
        uncertainty=pd.concat([barefoot.uncertainty, crutches.uncertainty.assign(trial="aided")], ignore_index=True),
        summary={**barefoot.summary, "trials": [*barefoot.summary["trials"], trial]},
    )
    found = deviations_of(tables, PEOPLE)
    by_condition = {each.condition: set(each.artefacts) for each in found if each.pattern == "CRS"}
    assert by_condition == {"barefoot": set(), "aided": {"static-knee"}}
    judged = {(each.condition, each.pattern): set(each.artefacts) for each in judge_patterns(tables, PEOPLE)}
    assert "aid" in judged["aided", "MPF"]
    assert "footwear" in judged["aided", "AEQ"]
    assert "foot-offset" in judged["aided", "AEQ"]
    assert not {"aid", "footwear", "foot-offset"} & (judged["barefoot", "MPF"] | judged["barefoot", "AEQ"])
