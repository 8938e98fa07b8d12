"""Rules as rows: each is read whole, each can be met, and each is missed by a little less of the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomech_id.conventions import SIDES
from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.interpretation.criteria import RuleQuantity, parse_criterion, parse_term
from biomech_id.interpretation.measuring import (
    LimbCurves,
    TermNorm,
    asymmetry_of,
    criterion_met,
    limit_value,
    measured,
    own_flat_deg,
    term_met,
)
from biomech_id.interpretation.rules import SHIPPED_PATTERNS, PatternRule, pattern_rules, shipped_rules

RULES = shipped_rules().rows
PERCENT = np.arange(101.0)
K = 2.0


def bump(at: float, height: float, width: float = 12.0) -> np.ndarray:
    return height * np.exp(-(((PERCENT - at) / width) ** 2))


#: A healthy walk, roughly; 16 limbs lie about it.
HEALTHY = {
    ("PelvisAngles", "X"): 11.0 + np.cos(4 * np.pi * PERCENT / 100), ("PelvisAngles", "Y"): 3.0 * np.sin(2 * np.pi * PERCENT / 100),
    ("PelvisAngles", "Z"): 5.0 * np.cos(2 * np.pi * PERCENT / 100),
    ("HipAngles", "X"): 15.0 + 22.0 * np.cos(2 * np.pi * PERCENT / 100),
    ("HipAngles", "Y"): 5.0 * np.sin(2 * np.pi * PERCENT / 100),
    ("HipAngles", "Z"): 3.0 * np.cos(2 * np.pi * PERCENT / 100),
    ("KneeAngles", "X"): 5.0 + bump(13, 12, 8) + bump(72, 55), ("KneeAngles", "Y"): 1.0 + bump(72, 4) - bump(15, 2, 6),
    ("AnkleAngles", "X"): np.interp(PERCENT, [0, 8, 45, 63, 80, 100], [-2.0, -6.0, 11.0, -18.0, 1.0, -2.0]),
    ("FootProgressAngles", "X"): -90.0 - bump(0, 20, 4) + bump(65, 70, 12) - bump(100, 20, 8),
    ("FootProgressAngles", "Z"): -7.0 + 0.0 * PERCENT,
    ("HipMoment", "X"): np.where(PERCENT < 60, 0.6 - PERCENT / 30, 0.1),
    ("KneeMoment", "X"): 0.3 * np.sin(2 * np.pi * PERCENT / 30),
    ("AnkleMoment", "X"): 0.1 + bump(48, 1.3), ("AnklePower", ""): bump(53, 2.8, 5) - bump(12, 0.5, 6),
}  # fmt: skip
EVENTS = {"foot_off": 60.0, "opposite_off": 10.0, "opposite_strike": 50.0}
NUMBERS = {"speed_dimensionless": 0.45, "step_width_dimensionless": 0.10}
ASYMMETRIES = {"step_length": 3.0, "single_support": 2.0}
SMALL = frozenset({"moment", "power"})


def walks(curves: dict[tuple[str, str], np.ndarray], **more: float) -> LimbCurves:
    n = len(next(iter(curves.values())))
    given = {**EVENTS, **NUMBERS, **ASYMMETRIES, **more}
    return LimbCurves(
        curves,
        {name: np.full(n, given[name]) for name in EVENTS},
        {name: np.full(n, given[name]) for name in NUMBERS},
        {name: np.full(n, given[name]) for name in ASYMMETRIES},
        np.full(n, -90.0),
    )


def healthy_limbs(n: int = 16) -> LimbCurves:
    """Limbs that differ in level, size and time."""
    rng = np.random.default_rng(9)
    curves = {}
    for name, curve in HEALTHY.items():
        size = 0.1 if name[0].endswith(("Moment", "Power")) else 2.0
        times = rng.normal(0.0, 1.0, n)
        middle = curve.mean()
        curves[name] = np.stack([
            np.interp(PERCENT - time, PERCENT, middle + (1.0 + rng.normal(0.0, 0.05)) * (curve - middle)) + rng.normal(0.0, size)
            for time in times
        ])  # fmt: skip
    return replace(
        walks(curves),
        numbers={name: value + rng.normal(0.0, 0.02, n) for name, value in NUMBERS.items()},
        asymmetries={name: value + rng.normal(0.0, 1.0, n) for name, value in ASYMMETRIES.items()},
    )


LIMBS = healthy_limbs()
NORM_CURVES = {name: (curves.mean(axis=0), curves.std(axis=0, ddof=1)) for name, curves in LIMBS.curves.items()}


@cache
def norm_of(quantity: RuleQuantity) -> TermNorm:
    limbs = replace(LIMBS, flat_deg=own_flat_deg(LIMBS)) if quantity.stat == "pitch_from_static" else LIMBS
    values = measured(limbs, quantity, NORM_CURVES)
    return TermNorm(float(np.nanmean(values)), float(np.nanstd(values, ddof=1)), 8)


def met(rule: PatternRule, limbs: LimbCurves) -> float:
    found = {}
    for feature in rule.criterion.features:
        for term in feature:
            limit = limit_value(term.limit, norm_of(term.quantity), k=K, w=1.0)
            found[term] = term_met(term, measured(limbs, term.quantity, NORM_CURVES), limit)
    return float(criterion_met(rule.criterion, found)[0])


def moved(limbs: LimbCurves, quantity: RuleQuantity, by: float, above: bool) -> LimbCurves:
    """The same limbs with a quantity farther on: up or down, later or sooner, wider or narrower."""
    sign = 1.0 if above else -1.0
    name = quantity.variable, quantity.component
    if quantity.stat in ("st", "asym"):
        which = "numbers" if quantity.stat == "st" else "asymmetries"
        values = getattr(limbs, which)
        step = values[quantity.variable] * sign * by / 10.0
        return replace(limbs, **{which: {**values, quantity.variable: values[quantity.variable] + step}})
    curve = limbs.curves[name][0]
    size = 0.1 if name[0].endswith(("Moment", "Power")) else 1.0
    if quantity.stat == "share":
        sign = 1.0 if quantity.above else -1.0
    changes: dict[str, Callable[[], np.ndarray]] = {
        "range": lambda: curve.mean() + (1.0 + sign * by / 20.0) * (curve - curve.mean()),
        "rise_to_max": lambda: np.where(PERCENT >= 60, curve[60] + (1.0 + sign * by / 40.0) * (curve - curve[60]), curve),
        "slope": lambda: curve + sign * by * (PERCENT - 25.0) / 30.0,
        "rise": lambda: curve + bump(15, by, 6), "drop": lambda: curve - bump(15, by, 6),
        "pitch_from_flat": lambda: curve + sign * bump(0, by, 4),
    }  # fmt: skip
    if quantity.stat in ("at_min", "at_max", "at_max_in_swing", "zero_fall"):
        changed = np.interp(PERCENT - sign * by, PERCENT, curve)
    else:
        changed = changes.get(quantity.stat, lambda: curve + sign * size * by)()
    return replace(limbs, curves={**limbs.curves, name: changed[None, :]})


def towards(rule: PatternRule, by: float) -> LimbCurves:
    """A healthy limb moved towards a pattern: every term that it does not meet, farther."""
    limbs = walks({name: curves.mean(axis=0)[None, :] for name, curves in LIMBS.curves.items()})
    first = limbs
    for feature in rule.criterion.features:
        for term in feature[:1]:
            limit = limit_value(term.limit, norm_of(term.quantity), k=K, w=1.0)
            if term_met(term, measured(first, term.quantity, NORM_CURVES), limit)[0] != 1.0:
                limbs = moved(limbs, term.quantity, by, term.above)
    return limbs


def test_every_row_is_read() -> None:
    assert len(RULES) == 57
    assert len({rule.pattern for rule in RULES}) == 57
    assert all(rule.source for rule in RULES)
    assert all(len(rule.short[language]) <= 24 for rule in RULES for language in ("en", "de"))
    assert {rule.criterion.least for rule in RULES} == {1, 2, 3}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.pattern)
def test_a_row_is_met_and_missed_by_little(rule: PatternRule) -> None:
    """Made from the row itself: the least step towards it that meets it, and the step before."""
    assert met(rule, towards(rule, 0.0)) == 0.0, "a healthy limb"
    steps = np.arange(0.0, 80.0, 1.0)
    first = next((step for step in steps if met(rule, towards(rule, step)) == 1.0), None)
    assert first is not None, f"{rule.pattern} is a dead row"
    low, high = first - 1.0, first
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if met(rule, towards(rule, middle)) == 1.0 else (middle, high)
    assert met(rule, towards(rule, high)) == 1.0
    assert met(rule, towards(rule, low)) == 0.0
    assert high - low < 1e-3


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.pattern)
def test_what_is_missing_is_never_taken_as_normal(rule: PatternRule) -> None:
    nothing = LimbCurves({}, {name: np.array([60.0]) for name in EVENTS})
    assert np.isnan(met(rule, nothing))


def test_what_is_said_of_loads_asks_for_aid_and_footwear() -> None:
    loads = ("Moment", "Power", "Force", "GroundReaction")
    asked = {
        rule.pattern: {"aid", "footwear"} - set(rule.artefacts)
        for rule in RULES
        for quantity in (*rule.criterion.quantities, rule.shown.quantity)
        if any(word in quantity.variable for word in loads)
    }
    assert len(asked) == 10
    assert not any(asked.values()), asked


def test_what_a_shoe_changes_asks_for_footwear() -> None:
    of_feet = [rule for rule in RULES if not rule.is_class and (rule.joint in ("ankle", "foot") or rule.pattern == "ASL")]
    assert [rule.pattern for rule in of_feet if "footwear" not in rule.artefacts] == []


def test_a_number_that_is_not_known_decides_only_where_it_can() -> None:
    hip = pattern_rules()["HS1"]
    stiff = towards(hip, 16.0)
    without = replace(stiff, curves={name: curve for name, curve in stiff.curves.items() if name[0] != "HipMoment"})
    assert met(hip, without) == 1.0, "both angles are met"
    healthy = towards(hip, 0.0)
    assert met(hip, replace(healthy, curves={k: v for k, v in healthy.curves.items() if k[0] != "HipMoment"})) == 0.0


def test_measures_of_a_known_curve() -> None:
    curve = np.where(PERCENT <= 50, PERCENT, 100 - PERCENT)[None, :]
    limbs = LimbCurves(
        {("KneeAngles", "X"): curve},
        {"foot_off": np.array([60.0]), "opposite_off": np.array([10.0]), "opposite_strike": np.array([50.0])},
    )
    values = {
        "max(KneeAngles.X, cycle)": 50.0, "at_max(KneeAngles.X, stance)": 50.0, "range(KneeAngles.X, 20-45)": 25.0,
        "value(KneeAngles.X, 0)": 0.0, "value(KneeAngles.X, 100)": 0.0, "slope(KneeAngles.X, second_rocker)": 30.0,
        "rise(KneeAngles.X, 0-30)": 30.0, "drop(KneeAngles.X, 60-100)": 40.0, "rise_to_max(KneeAngles.X, foot_off)": 0.0,
        "at_max_in_swing(KneeAngles.X, swing)": 0.0, "share(KneeAngles.X > 25, cycle)": 49 / 101,
        "mean(KneeAngles.X, single_support)": 30.0,
    }  # fmt: skip
    for text, value in values.items():
        assert measured(limbs, parse_term(f"{text} > 0", where="").quantity)[0] == pytest.approx(value), text


def test_a_moment_that_never_falls_through_zero_lasts_to_the_end_or_is_not_known() -> None:
    term = parse_term("zero_fall(HipMoment.X, stance) > 20", where="")
    events = {"foot_off": np.full(3, 60.0), "opposite_off": np.full(3, 10.0), "opposite_strike": np.full(3, 50.0)}
    curves = np.stack([0.305 - PERCENT / 100, np.ones(101), -np.ones(101)])
    found = measured(LimbCurves({("HipMoment", "X"): curves}, events), term.quantity)
    assert found[:2] == pytest.approx([30.5, 60.0])
    assert np.isnan(found[2])


def test_a_tiptoe_foot_is_counted_from_the_static_and_a_flat_one_from_itself() -> None:
    pitch = np.stack([np.full(101, -90.0), np.full(101, -66.0), np.full(101, -87.0)])
    pitch[:, 0] -= 3.0
    limbs = walks({("FootProgressAngles", "X"): pitch})
    assert measured(limbs, parse_term("pitch_from_flat(0) > 0", where="").quantity) == pytest.approx([-3.0, 21.0, -3.0])
    assert measured(limbs, parse_term("pitch_from_static(min, 10-40) > 8", where="").quantity) == pytest.approx([0.0, 24.0, 3.0])


def test_asymmetry_has_no_sign() -> None:
    assert asymmetry_of({"L": 0.55, "R": 0.45}) == pytest.approx(20.0)
    assert asymmetry_of(dict.fromkeys(SIDES, 0.5)) == 0.0
    assert np.isnan(asymmetry_of({"L": 0.5}))


@pytest.mark.parametrize(("text", "stands"), [
    ("min(KneeAngles.X, stance) >", "it ends"), ("minimum(KneeAngles.X, stance) > 3", "'minimum'"),
    ("min(KneeAngle.X, stance) > 3", "'KneeAngle'"), ("min(KneeAngles.X, midstance) > 3", "'midstance'"),
    ("min(KneeAngles.X, stance) > norm", "it ends"), ("3 of (min(KneeAngles.X, stance) > 3)", "it ends"),
    ("min(KneeAngles.X, stance) > 3 4", "'4'"), ("min(KneeAngles.X, 20-145) > 3", "'145'"), ("", "it ends"),
])  # fmt: skip
def test_a_mistake_is_named_with_its_word(text: str, stands: str) -> None:
    with pytest.raises(OptionError, match=stands) as refusal:
        parse_criterion(text, where="lab.csv, X1, criterion")
    assert refusal.value.where == "lab.csv, X1, criterion"
    assert "lab.csv, X1, criterion" in str(refusal.value)


def test_a_laboratory_replaces_and_adds_rows(tmp_path: Path) -> None:
    head, *rows = SHIPPED_PATTERNS.read_text("utf-8").splitlines()
    crouch = next(row for row in rows if row.startswith("CRS,"))
    own = tmp_path / "lab.csv"
    own.write_text("\n".join([head, crouch.replace("> 20", "> 25"), crouch.replace("CRS,", "LAB1,", 1)]), "utf-8")
    rules = pattern_rules(own)
    assert len(rules.rows) == 58
    assert rules["CRS"].shown.limit.number == 25.0
    assert rules["LAB1"].shown.limit.number == 20.0
    assert rules.version.startswith(shipped_rules().version + "+")
    own.write_text(head.replace(",shown", ""), "utf-8")
    with pytest.raises(FileRefusedError, match="lack the column shown"):
        pattern_rules(own)
    own.write_text("\n".join([head, crouch, crouch.replace("CRS,", "LAB2,", 1).replace("> 20", "> twenty")]), "utf-8")
    with pytest.raises(OptionError, match=r"lab\.csv, row 3, LAB2, criterion: .*'twenty' stands where a number belongs"):
        pattern_rules(own)
    own.write_text("\n".join([head, crouch, crouch]), "utf-8")
    with pytest.raises(FileRefusedError, match="CRS twice"):
        pattern_rules(own)
    with pytest.raises(FileRefusedError, match="cannot be read"):
        pattern_rules(tmp_path / "nothing.csv")


@pytest.mark.parametrize(("past", "inside"), [(0.98e-9, True), (1.02e-9, False)])
def test_a_percent_at_the_edge_of_a_phase_is_inside_but_for_rounding(past: float, inside: bool) -> None:
    limbs = LimbCurves({}, {"foot_off": np.array([60.0 - past])})
    quantity = parse_term("max(KneeAngles.X, stance) > 0", where="").quantity
    assert limbs.inside(quantity)[0, 60] == inside
    swing = replace(limbs, events={"foot_off": np.array([60.0 + past])})
    assert swing.inside(parse_term("max(KneeAngles.X, swing) > 0", where="").quantity)[0, 60] == inside
