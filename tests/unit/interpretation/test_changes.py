"""Changes between two sessions: where they lead, and what may not be compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from biomech_id.interpretation.changes import ChangeDirection, changes_of, not_comparable
from biomech_id.interpretation.deviations import PatternDeviation
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.session.tables.session_tables import Tables, tidy_table

RULES = shipped_rules()
CROUCH = PatternDeviation(
    "barefoot", "L", "CRS", True, 36.4, "deg", 1.0, 5.0, 8, 6.0, 7, 7, (), False, 5.0, 18.0, True
)  # fmt: skip


def session(
    model: str = "conventional", axis: str = "markers", flat: bool = True, *, hip: str = "davis", aid: str = "none"
) -> Tables:
    empty = {
        name: tidy_table(name) for name in ("cycles", "budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality")
    }
    trial = {"kind": "straight", "condition": "barefoot", "aid": aid}
    summary = {"fingerprint": {"model": model, "hip_centre": hip}, "recipe": {"model": {"knee_axis": axis}}, "trials": [trial]}
    return Tables(frames={}, summary=summary, calibration={"foot_flat": flat}, **empty)


@pytest.mark.parametrize(("after", "direction"), [
    (21.0, ChangeDirection.TOWARDS), (50.0, ChangeDirection.AWAY), (-12.0, ChangeDirection.PAST),
    (30.0, ChangeDirection.WITHIN_ERROR), (36.4, ChangeDirection.WITHIN_ERROR),
])  # fmt: skip
def test_where_a_change_leads(after: float, direction: ChangeDirection) -> None:
    (change,) = changes_of([CROUCH], [replace(CROUCH, value=after, marked=False)])
    assert change.direction is direction
    assert change.band == pytest.approx(6.0 * 2**0.5)
    assert (change.marked_before, change.marked_after) == (True, False)


def test_what_nobody_marked_and_sides_of_few_cycles_are_left_out() -> None:
    assert changes_of([replace(CROUCH, marked=False)], [replace(CROUCH, value=1.0, marked=False)]) == ()
    assert changes_of([CROUCH], [replace(CROUCH, value=1.0, cycles=2)]) == ()
    assert changes_of([CROUCH], []) == ()


def test_what_was_measured_otherwise_is_not_compared() -> None:
    assert not_comparable(session(), session()) == {}
    assert set(not_comparable(session(), session(model="six-dof")).values()) == {"model"}
    axis = not_comparable(session(), session(axis="walk"))
    assert {"HT1", "HC1", "KVL"} <= set(axis)
    assert {"CRS", "PT1", "FT1"}.isdisjoint(axis)
    assert set(not_comparable(session(hip="davis"), session(hip="harrington")).values()) == {"hip-centre"}
    assert set(not_comparable(session(aid="none"), session(aid="crutches")).values()) == {"aid"}
    assert not_comparable(session(aid="not stated"), session(aid="crutches")) == {}
    static = not_comparable(session(), session(flat=False))
    assert {"ASTS4", "NHS"} <= set(static)
    assert "CRS" not in static


@pytest.mark.parametrize(("own", "reason"), [
    ({"foot_flat": False}, "static"),
    ({"foot_flat": True, "knee_and_ankle_centre_method": "knee alignment device"}, "knee-axis"),
    ({"foot_flat": True}, None),
])  # fmt: skip
def test_a_condition_with_a_static_of_its_own_is_compared_by_that(own: dict[str, object], reason: str | None) -> None:
    tables = session()
    of_both = replace(tables, calibration={**tables.calibration, "conditions": {"shod": own}})
    refused = not_comparable(of_both, of_both, conditions=("barefoot", "shod"))
    assert set(refused.values()) == ({reason} if reason else set())
    assert not_comparable(of_both, of_both, conditions=("shod", "shod")) == {}
