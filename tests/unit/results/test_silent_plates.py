"""Kinetics do not vanish in silence: a walk whose plate loses its force under a standing foot says which plate, and when."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.designed_faults import Recording, exchanged, gain, plates
from biomech_id.languages import worded
from biomech_id.movement.stance import Stance
from biomech_id.session.solved import Solved

#: What is done to force and moment of one plate, in its axes.
Change = Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray]]
RULES = ("plate-silent-under-foot", "force-ends-in-stance")


def analysed(recording: Recording, **options: str) -> Solved:
    (trial,) = bid.analyse([recording.static, recording.walk], uncertainty=False, budget=False, **options).computed.trials
    return trial


def walking(direction: str) -> Recording:
    person = bid.virtual_subject(plates="steps", noise_m=0.0003, direction=direction)
    return Recording("virtual", person.static().trial, person.walk().trial)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return walking("+X")


@pytest.fixture(scope="module")
def clean(recording: Recording) -> Callable[..., Solved]:
    """The recording as it is, analysed once with each model and kinetics."""
    return cache(lambda **options: analysed(recording, **options))


def a_stance(result: Solved) -> Stance:
    """The second that has kinetics from strike to off."""
    return [stance for stance in result.assignment.stances if stance.verdict.accepted][1]


def ending(share: float, stance: Stance) -> Change:
    """Nothing is read from this share of a stance on."""

    def change(force: np.ndarray, moment: np.ndarray, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
        kept = (np.arange(len(force)) < (stance.start_s + share * (stance.end_s - stance.start_s)) * rate_hz)[:, None]
        return force * kept, moment * kept

    return change


def spoiled(recording: Recording, stance: Stance, change: Change) -> Recording:
    """The recording with something done to the plate of one stance; all of its plates are loaded."""
    number = [plate.name for plate in recording.walk.plates].index(stance.plates[0])
    return plates(change, which=(number,))(recording, np.random.default_rng(3))


DEAD = gain(0, 0, 0, moment=(0, 0, 0))
CHANGED: dict[str, tuple[str, Callable[[Stance], Change]]] = {
    "Fx and Fz exchanged": ("plate-silent-under-foot", lambda _: exchanged(force=(2, 1, 0))),
    "Fy and Fz exchanged": ("plate-silent-under-foot", lambda _: exchanged(force=(0, 2, 1))),
    "dead": ("plate-silent-under-foot", lambda _: DEAD),
    "Fz dead": ("plate-silent-under-foot", lambda _: gain(1, 1, 0)),
    "ends at 30 %": ("force-ends-in-stance", lambda stance: ending(0.3, stance)),
    "ends at 50 %": ("force-ends-in-stance", lambda stance: ending(0.5, stance)),
    "ends at 70 %": ("force-ends-in-stance", lambda stance: ending(0.7, stance)),
}
MODES = [
    dict(zip(("model", "kinetics"), mode.split(), strict=True))
    for mode in ("conventional vicon", "conventional textbook", "six-dof textbook")
]


def assert_named(result: Solved, stance: Stance, rule: str) -> None:
    found = [finding for finding in result.findings if finding.rule in RULES]
    assert [(f.rule, f.values["side"], f.values["plate"]) for f in found] == [(rule, stance.side, stance.plates[0])]
    (said,) = found
    assert said.values["start_s"] == pytest.approx(stance.start_s, abs=0.03)
    assert said.values["inside_mm"] > 30.0
    assert said.where == result.name
    row = next(row for row in result.quality if row.rule == "plausibility")
    assert (row.value, row.verdict) == (1.0, "warn")
    assert result.verdict == "warn"
    for language in ("en", "de"):
        text = worded(said.rule, said.values, language)
        assert stance.plates[0].split()[-1] in text
        assert "{" not in text
        assert text.endswith(".")
        assert worded(said.rule, said.values, language, "hint")


@pytest.mark.parametrize("fault", CHANGED)
def test_a_plate_that_loses_a_standing_foot_is_named(recording: Recording, clean: Callable[..., Solved], fault: str) -> None:
    stance = a_stance(clean())
    rule, change = CHANGED[fault]
    assert_named(analysed(spoiled(recording, stance, change(stance))), stance, rule)


@pytest.mark.parametrize("options", MODES, ids=lambda options: " ".join(options.values()))
@pytest.mark.parametrize("fault", ["Fx and Fz exchanged", "ends at 50 %"])
def test_whatever_model_and_kinetics(
    recording: Recording, clean: Callable[..., Solved], fault: str, options: dict[str, str]
) -> None:
    as_it_is = clean(**options)
    assert as_it_is.verdict == "accept"
    stance = a_stance(as_it_is)
    rule, change = CHANGED[fault]
    assert_named(analysed(spoiled(recording, stance, change(stance)), **options), stance, rule)


@pytest.mark.parametrize("direction", ["-X", "+Y"])
def test_whatever_the_direction_of_the_walk(direction: str) -> None:
    recording = walking(direction)
    stance = a_stance(analysed(recording))
    for fault in ("Fx and Fz exchanged", "ends at 70 %"):
        rule, change = CHANGED[fault]
        assert_named(analysed(spoiled(recording, stance, change(stance))), stance, rule)


def test_one_sentence_for_one_cause(recording: Recording) -> None:
    """All plates cut off at half of one stance: no foot has kinetics, and no second sentence says so of the same stance."""
    stance = a_stance(analysed(recording))
    stopped = plates(ending(0.5, stance))(recording, np.random.default_rng(3))
    result = analysed(stopped)
    named = [(f.values["side"], f.values["start_s"]) for f in result.findings if f.rule in RULES]
    assert any(side == stance.side and abs(start_s - stance.start_s) < 0.03 for side, start_s in named)
    assert len(named) == len(set(named)) > 2
    assert "kinetics-expected" not in {finding.rule for finding in result.findings}
