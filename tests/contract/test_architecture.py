"""The picture of the rooms is what the imports are, and no import goes up or round."""

from __future__ import annotations

from docs.generate.architecture import PICTURE, circle, picture, problems, rooms, upward
from tests.test_floors import FLOORS


def test_no_import_goes_up_and_none_round() -> None:
    assert problems() == []


def test_committed_picture_is_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(rooms(), FLOORS), "run: python -m docs.generate.architecture"


def test_an_import_that_goes_up_is_red() -> None:
    graph = {**rooms(), "algebra": {"report"}}
    assert upward(graph, FLOORS) == [("algebra", "report")]
    assert picture(graph, FLOORS).count("#c00000") == 1


def test_a_circle_is_named() -> None:
    assert set(circle({"tables": {"values"}, "values": {"session"}, "session": {"tables"}})) == {"tables", "values", "session"}
