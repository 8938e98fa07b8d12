"""A movement gets its feet, events, plates and loads one after the other, as the older calls with two arguments gave them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.deprecation import BiomechDeprecationWarning
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import MissingInputError, WrongTypeError
from biomech_id.gait import assignment, events
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.movement.movement import Movement

DATA = Path(__file__).resolve().parents[3] / "data"


@cache
def model() -> ConventionalModel:
    return bid.conventional_model(bid.read_c3d(DATA / "static.c3d"))


@cache
def tracked(kinetics: str = "textbook") -> Movement:
    return model().track(bid.read_c3d(DATA / "walk01.c3d"), kinetics=kinetics)


def alike(one: JointLoads, other: JointLoads) -> bool:
    return all(
        np.array_equal(getattr(one[key].wrench, name), getattr(other[key].wrench, name), equal_nan=True)
        for key in one for name in ("force_N", "moment_Nm")
    )  # fmt: skip


def test_a_movement_knows_more_after_each_call() -> None:
    movement = tracked()
    assert (movement.feet, movement.events, movement.assignment, movement.contacts) == (None,) * 4
    with_events = bid.find_events(movement)
    assert (with_events.assignment, with_events.trial, with_events.calibrated_model) == (None, movement.trial, model())
    on_plates = bid.assign_plates(with_events)
    assert (on_plates.feet, on_plates.events) == (with_events.feet, with_events.events)
    loads = bid.solve(on_plates)
    assert isinstance(loads.motion, Movement)
    assert loads.motion.assignment is on_plates.assignment
    assert np.isfinite(loads["R", "knee"].wrench.moment_Nm).any()


@pytest.mark.parametrize("kinetics", ["textbook", "vicon"])
def test_the_older_calls_give_the_same_and_warn(kinetics: str) -> None:
    movement = tracked(kinetics)
    trial, mass_kg = movement.trial, movement.body_mass_kg
    new = bid.assign_plates(movement)
    with pytest.warns(BiomechDeprecationWarning, match=r"write find_events\(movement\) instead"):
        assert bid.find_events(trial, movement, body_mass_kg=mass_kg) == new.events
    with pytest.warns(BiomechDeprecationWarning, match=r"write assign_plates\(movement\) instead"):
        old = bid.assign_plates(trial, movement, kinetics=kinetics, body_mass_kg=mass_kg)
    assert repr(old.stances) == repr(new.assignment.stances)
    with pytest.warns(BiomechDeprecationWarning, match=r"write solve\(assign_plates\(movement\)\) instead") as caught:
        loads = bid.solve(movement, old)
    assert caught[0].filename == __file__
    assert alike(loads, bid.solve(new))


def test_what_no_movement_can_replace_does_not_warn() -> None:
    movement = tracked()
    plain = BodyMotion(**{field.name: getattr(movement, field.name) for field in fields(BodyMotion)})
    by_markers = bid.find_events(movement.trial)
    assert by_markers == events.find_events(movement.trial)
    on_plates = bid.assign_plates(movement.trial, plain)
    assert alike(bid.solve(plain, on_plates), bid.solve(movement, on_plates.contacts))


def test_kinetics_and_body_mass_are_those_of_the_model() -> None:
    movement = tracked("vicon")
    nobody = replace(movement, trial=replace(movement.trial, subject=bid.Subject()))
    assert nobody.body_mass_kg == model().subject.mass_kg
    expected = assignment.assign_plates(movement.trial, movement, kinetics="vicon", body_mass_kg=model().subject.mass_kg)
    for side, contact in bid.assign_plates(nobody).contacts.items():
        np.testing.assert_array_equal(contact.force_lab_N, expected.contacts[side].force_lab_N)


def test_another_threshold_finds_the_feet_anew() -> None:
    movement = bid.find_events(tracked())
    assert bid.assign_plates(movement).feet is movement.feet
    assert {c.threshold_N for c in bid.assign_plates(movement, contact_N=55.0).feet.contacts} == {55.0}


def test_events_of_somebodys_own_are_kept() -> None:
    movement = bid.find_events(tracked())
    own = movement.events[1:]
    assert bid.assign_plates(movement, events=own).events == own


def test_a_motion_that_a_plug_in_returns_becomes_a_movement() -> None:
    movement = tracked()
    plain = BodyMotion(**{field.name: getattr(movement, field.name) for field in fields(BodyMotion)})
    made = Movement.of(plain, movement.trial, model())
    assert alike(bid.solve(bid.assign_plates(made)), bid.solve(bid.assign_plates(movement)))


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no plates yet": (lambda: bid.solve(tracked()), MissingInputError, "walk01 has no feet on plates: solve"),
    "a movement and a motion": (lambda: bid.assign_plates(tracked(), tracked()), WrongTypeError, "give the movement alone"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()
