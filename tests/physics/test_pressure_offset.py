"""A plate that lies elsewhere than its file says, told from feet that press where they press."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.judgement.quality import graded
from biomech_id.movement.grades import Grade
from biomech_id.plates.pressure_offset import planted_stances, pressure_offset_mm
from biomech_id.sample import PlateSpec, virtual_subject

#: Two plates under the whole way, one for each foot.
ALL_THE_WAY = tuple(PlateSpec(2, (0.0, y), (14.0, 0.5)) for y in (0.25, -0.25))
PEOPLE = {"adult": {}, "child": {"body": "child"}, "tall": {"height_m": 1.95}, "violating": {"variant": "violating"}}


@cache
def walked(name: str) -> tuple[BodyMotion, Mapping[str, FootContact], float]:
    person = virtual_subject(**PEOPLE[name])
    static = person.static().trial
    trial = person.walk(plates=ALL_THE_WAY).trial
    movement = bid.assign_plates(bid.conventional_model(static, static.subject).track(trial))
    return movement, movement.contacts, movement.body_mass_kg


def verdict(name: str, away_m: Callable[[str], tuple[float, float, float]]) -> Grade:
    motion, contacts, mass_kg = walked(name)
    moved = {s: replace(c, moment_lab_Nm=c.moment_lab_Nm + np.cross(away_m(s), c.force_lab_N)) for s, c in contacts.items()}
    return graded("walk", "cop-offset", pressure_offset_mm(motion, moved, mass_kg=mass_kg)).verdict


@pytest.mark.parametrize("name", PEOPLE)
def test_plates_in_their_places_are_accepted_and_plates_40_mm_away_rejected(name: str) -> None:
    assert verdict(name, lambda side: (0.0, 0.0, 0.0)) is Grade.ACCEPT
    for away_m in ((0.04, 0.0, 0.0), (-0.04, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, -0.04, 0.0)):
        assert verdict(name, lambda side, away_m=away_m: away_m) is Grade.REJECT, away_m


def test_feet_that_roll_out_or_a_deformed_foot_are_not_the_plates_fault() -> None:
    """Walking along +X: 30 mm to the outer side of both feet, and of the left one alone."""
    assert verdict("adult", lambda side: (0.0, SIDE_SIGN[side] * 0.03, 0.0)) is Grade.ACCEPT
    assert verdict("adult", lambda side: (0.0, 0.03 if side == "L" else 0.0, 0.0)) is Grade.ACCEPT


def test_one_foot_alone_is_judged_along_its_length_only() -> None:
    motion, contacts, mass_kg = walked("adult")
    left = contacts["L"]
    for away_m, expected in (((0.0, 0.04, 0.0), Grade.ACCEPT), ((0.04, 0.0, 0.0), Grade.REJECT)):
        moved = {"L": replace(left, moment_lab_Nm=left.moment_lab_Nm + np.cross(away_m, left.force_lab_N))}
        assert graded("walk", "cop-offset", pressure_offset_mm(motion, moved, mass_kg=mass_kg)).verdict is expected
    assert np.isnan(pressure_offset_mm(motion, {}, mass_kg=mass_kg))


@pytest.mark.parametrize("beside", [-1, 1])
def test_a_stance_beside_a_frame_that_is_not_known_is_left_aside(beside: int) -> None:
    motion, contacts, mass_kg = walked("adult")
    contact = contacts["L"]
    first, *later = planted_stances(motion, contact, mass_kg=mass_kg)
    known = contact.known.copy()
    known[first.start - 1 if beside < 0 else first.stop] = False
    judged = planted_stances(motion, replace(contact, known=known), mass_kg=mass_kg)
    assert [stance.start for stance in judged] == [stance.start for stance in later]
