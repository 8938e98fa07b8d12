"""Exchanged labels are named, and only they; turning, walking backwards or a gap exchanges nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from biomech_id.judgement.check.sides import inspect_sides, swapped_leg_markers
from biomech_id.models.landmarks import with_roles
from biomech_id.sample import virtual_subject
from biomech_id.trial import Markers, Trial

LEG = ("THI", "KNE", "TIB", "ANK", "HEE", "TOE")


@lru_cache(maxsize=2)
def recorded(kind: str) -> Trial:
    person = virtual_subject(body="child")
    return person.static().trial if kind == "static" else person.walk(duration_s=1.0).trial


def exchanged(trial: Trial, *names: str) -> Trial:
    other = {side + name: twin + name for name in names for side, twin in (("L", "R"), ("R", "L"))}
    markers = trial.markers
    return replace(trial, markers=Markers(tuple(other.get(n, n) for n in markers.names), markers.position_m, markers.rate_hz))


def swapped(trial: Trial) -> tuple[str, ...]:
    """Labels without their side of the markers found exchanged."""
    markers = with_roles(trial.markers)
    return tuple(markers.label("L", role)[1:] for role in swapped_leg_markers(markers))


@pytest.mark.parametrize("kind", ["static", "walk"])
@pytest.mark.parametrize("names", [(), *((name,) for name in LEG), ("KNE", "ANK"), ("HEE", "TOE"), LEG], ids="+".join)
def test_exchanged_leg_markers_are_named(kind: str, names: tuple[str, ...]) -> None:
    trial = exchanged(recorded(kind), *names)
    assert set(swapped(trial)) == set(names)
    findings = [finding for finding in inspect_sides(trial) if finding.rule == "leg-sides-swapped"]
    assert len(findings) == bool(names)
    assert all(f"L{name} and R{name}" in findings[0].message for name in names)


def test_a_pelvis_exchanged_alone_is_not_blamed_on_the_legs() -> None:
    findings = list(inspect_sides(exchanged(recorded("walk"), "ASI")))
    assert [finding.rule for finding in findings] == ["sides-swapped"]


def test_where_the_subject_walks_does_not_matter() -> None:
    trial = recorded("walk")
    about = np.array([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]])
    backwards = trial.markers.with_positions(trial.markers.position_m[::-1])
    turned = trial.markers.with_positions(trial.markers.position_m @ about)
    for markers in (backwards, turned):
        assert not list(inspect_sides(replace(trial, markers=markers)))


def test_markers_that_are_not_there_say_nothing() -> None:
    trial = exchanged(recorded("walk"), "TIB", "TOE")
    position = trial.markers.position_m.copy()
    position[:, [trial.markers.names.index(name) for name in ("LTIB", "RHEE")]] = np.nan
    hidden = replace(trial, markers=trial.markers.with_positions(position))
    assert swapped(hidden) == ("TOE",)  # told by the ankles, the heels being unknown
    position[:] = np.nan
    assert swapped(replace(trial, markers=trial.markers.with_positions(position))) == ()
