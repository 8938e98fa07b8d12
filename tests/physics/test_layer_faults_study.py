"""A sample of ``benchmarks.studies.layer_faults``, whose table lies beside it: one fault takes its own layer and side."""

from __future__ import annotations

import pytest

from benchmarks.studies.layer_faults import REACH, TABLE, Laid, Numbers, changed, faults, judge, line, numbers, reach, virtual
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
    assert changed(clean, numbers(laid.with_walks(faults(laid)[fault][0]))[0]) == {(Aspect.KINETICS, "L")}


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


def test_the_committed_dependence_crosses_no_side_and_no_layer() -> None:
    """A side's markers reach that side alone, a plate kinetics alone, an event no loads but its own side's curves."""
    rows = [row.strip("| ").split(" | ") for row in REACH.read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    places, items = rows[0][1:], [row for row in rows[2:] if len(row) == len(rows[0])]
    assert len(items) > 25
    for name, *reached in items:
        hit = {place for place, mark in zip(places, reached, strict=True) if mark == "x"}
        side = {"L", "R"} - set(name[:1]) if name[1:4] in ("KNE", "THI", "ANK", "TIB", "HEE", "TOE") else set()
        side |= {"L", "R"} - {name.split(" ")[2][:1]} if name.startswith("Foot ") else set()
        assert not {place for place in hit if place[-1] in side}, name
        assert not name.startswith("plate") or all(place.startswith("kinetics") for place in hit), name


def test_another_measured_bandwidth_moves_loads_alone_and_little() -> None:
    """Plates follow the bandwidth that the markers of both legs show; a toe unseen for a while changes that a little."""
    rows = [row.strip("| ").split(" | ") for row in TABLE.read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    moved = [row[4] for row in rows[2:] if row[4] != "-"]
    assert moved
    for places in moved:
        for place in places.split(", "):
            name, largest = place[:-1].split(" (")
            assert name.startswith("kinetics ")
            # Of N m/kg, N/kg and W/kg: what is printed has two decimals.
            assert float(largest) < 0.05
