"""A sample of ``benchmarks.studies.layer_faults``, whose table lies beside it: one fault takes its own layer and side."""

from __future__ import annotations

import pytest

from benchmarks.studies.layer_faults import FAULTS, TABLE, Laid, Numbers, changed, judge, line, numbers, reach, virtual
from biomech_id.conventions import Aspect

LEFT, RIGHT = (tuple((layer, side) for layer in Aspect) for side in "LR")


@pytest.fixture(scope="module")
def laid() -> Laid:
    return virtual()


@pytest.fixture(scope="module")
def clean(laid: Laid) -> Numbers:
    return numbers(laid)[0]


@pytest.mark.parametrize("fault", ["a plate 60 mm off", "a plate's channels exchanged"])
def test_a_plate_takes_no_angle_and_no_other_foots_loads(laid: Laid, clean: Numbers, fault: str) -> None:
    table = {"plate": {(Aspect.KINETICS, "L"), (Aspect.KINETICS, "R")}}
    row = judge(laid, fault, table, clean)
    assert row.beyond == ()
    assert line(row) in TABLE.read_text(encoding="utf-8")
    assert changed(clean, numbers(laid.with_walks(FAULTS[fault][0]))[0]) == {(Aspect.KINETICS, "L")}


@pytest.mark.parametrize("fault", ["right heel and toe exchanged", "right toe unseen for 0.5 s"])
def test_a_foots_markers_take_nothing_of_the_other_side(laid: Laid, clean: Numbers, fault: str) -> None:
    table = {name: set(RIGHT) for name in ("RHEE", "RTOE")}
    row = judge(laid, fault, table, clean)
    assert row.beyond == ()
    assert line(row) in TABLE.read_text(encoding="utf-8")


def test_what_a_marker_reaches_is_seen_by_moving_it(laid: Laid) -> None:
    (reached,) = reach(laid, ("RTOE",)).values()
    assert (Aspect.KINEMATICS, "R") in reached
    assert reached <= set(RIGHT)


def test_no_fault_of_the_study_changes_what_it_cannot_reach() -> None:
    rows = [row for row in TABLE.read_text(encoding="utf-8").splitlines() if row.startswith("| ")][2:]
    assert rows
    assert [row for row in rows if not row.endswith("| - |")] == []
