"""Values of two recordings are not combined frame by frame, however well their lengths fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.deprecation import BiomechDeprecationWarning
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.errors import InvalidValueError
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.events import find_events
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.movement.movement import Movement
from biomech_id.movement.stance import Assignment
from biomech_id.trial import AnalogChannels, Trial

DATA = Path(__file__).resolve().parents[3] / "data"


@cache
def model() -> ConventionalModel:
    return bid.conventional_model(bid.read_c3d(DATA / "static.c3d"))


@cache
def walk(number: int) -> Trial:
    return bid.read_c3d(DATA / f"walk0{number}.c3d")


@cache
def movement(number: int) -> Movement:
    return model().track(walk(number))


@cache
def plates(number: int) -> Assignment:
    return assign_plates(walk(number), movement(number))


def part(trial: Trial, frames: slice) -> Trial:
    """A stretch of a trial, with markers alone."""
    markers = replace(trial.markers, position_m=trial.markers.position_m[frames], filled=None)
    return replace(
        trial, markers=markers, plates=(), analog=AnalogChannels(), events=(), first_frame=trial.first_frame + frames.start
    )


def plain(motion: BodyMotion) -> BodyMotion:
    """The same motion, which says nothing of where it came from."""
    return BodyMotion(**{field.name: getattr(motion, field.name) for field in fields(BodyMotion)})


def deprecated(call: Callable[[], object]) -> object:
    with pytest.warns(BiomechDeprecationWarning):
        return call()


MIXED: dict[str, Callable[[], object]] = {
    "plates of another walk": lambda: deprecated(lambda: bid.solve(movement(1), plates(2))),
    "contacts of another walk": lambda: bid.solve(movement(1), plates(2).contacts),
    "one foot of another walk": lambda: bid.solve(movement(1), {**plates(1).contacts, "R": plates(2).contacts["R"]}),
    "events of another walk's motion": lambda: find_events(walk(1), movement(2)),
    "plates under another walk's feet": lambda: assign_plates(walk(1), movement(2)),
    "outlines of another walk's feet": lambda: find_landmarks(walk(1), movement(2)),
}


@pytest.mark.parametrize("name", MIXED)
def test_two_recordings_are_not_mixed(name: str) -> None:
    assert walk(1).n_frames == walk(2).n_frames
    with pytest.raises(
        InvalidValueError, match=r"walk0\d \(frames \d+ to \d+\).*walk0\d \(frames \d+ to \d+\): take both from one"
    ) as caught:
        MIXED[name]()
    assert set(re.findall(r"walk0\d", str(caught.value))) == {"walk01", "walk02"}


def test_two_stretches_of_one_recording_are_not_mixed() -> None:
    first, later = (part(walk(1), slice(start, start + 300)) for start in (0, 20))
    with pytest.raises(InvalidValueError, match=r"walk01 \(frames 1 to 300\), the motion of walk01 \(frames 21 to 320\)"):
        find_landmarks(first, model().track(later))


def test_a_namesake_is_called_another_recording() -> None:
    one = bid.virtual_subject().walk().trial
    other = replace(one, markers=replace(one.markers, position_m=1.01 * one.markers.position_m), identity="")
    standing = bid.conventional_model(bid.virtual_subject().static().trial)
    with pytest.raises(InvalidValueError, match=r"of walk \(.*\), the motion of another recording called walk \("):
        find_landmarks(one, standing.track(other))


ONE: dict[str, Callable[[], object]] = {
    "read twice": lambda: bid.solve(model().track(bid.read_c3d(DATA / "walk01.c3d")), plates(1).contacts),
    "renamed": lambda: assign_plates(replace(walk(1), name="the first"), movement(1)),
    "filtered": lambda: bid.solve(model().track(bid.prepare(walk(1), model()).trial), plates(1).contacts),
    "forces of another file": lambda: assign_plates(replace(walk(1), plates=walk(2).plates), movement(1)),
    "wrenches of somebody's own": lambda: bid.solve(
        movement(1), {s: replace(c, window=None) for s, c in plates(2).contacts.items()}
    ),
    "a motion of somebody's own": lambda: bid.solve(plain(movement(1)), plates(2)),
    "another static trial": lambda: bid.conventional_model(bid.virtual_subject().static().trial).track(walk(1)),
}


@pytest.mark.parametrize("name", ONE)
def test_values_of_one_recording_or_of_nobody_go_together(name: str) -> None:
    ONE[name]()


def test_the_moments_that_the_mixture_gave() -> None:
    right = bid.solve(movement(1), plates(1).contacts)
    own = {side: FootContact(side, c.force_lab_N, c.moment_lab_Nm, c.known) for side, c in plates(2).contacts.items()}
    peaks = [
        np.nanmax(np.linalg.norm(loads["R", "knee"].wrench.moment_Nm, axis=1)) for loads in (right, bid.solve(movement(1), own))
    ]
    assert peaks[1] > 5.0 * peaks[0]
