"""What a researcher is told who gives a function the wrong thing, or two things the wrong way round."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import biomech_id as bid
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import BiomechError, OptionError, UnknownNameError, WrongTypeError
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.trial import Trial


@dataclass(frozen=True)
class Hands:
    """What a researcher holds after the README's first lines."""

    static: Trial
    trial: Trial
    model: ConventionalModel
    motion: BodyMotion
    loads: JointLoads


@pytest.fixture(scope="module")
def hands() -> Hands:
    person = bid.virtual_subject()
    static, trial = person.static().trial, person.walk().trial
    model = bid.conventional_model(static)
    motion = model.track(trial)
    return Hands(static, trial, model, motion, bid.solve(motion, bid.assign_plates(trial, motion)))


CALLS: dict[str, tuple[Callable[[Hands], Any], str]] = {
    "trial for motion": (lambda h: bid.solve(h.trial, h.motion), "solve takes a BodyMotion as its motion, not a Trial"),  # type: ignore[arg-type]
    "motion for contacts": (lambda h: bid.solve(h.motion, h.motion), "assign_plates(trial, motion) returns them"),  # type: ignore[arg-type]
    "swapped": (lambda h: bid.assign_plates(h.motion, h.trial), "assign_plates takes a Trial as its trial"),  # type: ignore[arg-type]
    "trial twice": (lambda h: bid.assign_plates(h.trial, h.trial), "track(trial) returns it"),  # type: ignore[arg-type]
    "motion for events": (lambda h: bid.find_events(h.motion), "find_events takes a Trial as its trial, not a BodyMotion"),  # type: ignore[arg-type]
    "path for trial": (lambda h: bid.conventional_model("static.c3d"), "read_c3d(path) returns it"),  # type: ignore[arg-type]
    "path for a walk": (lambda h: h.model.track("walk.c3d"), "track takes a Trial as its trial, not a str"),  # type: ignore[arg-type]
    "path for six-dof": (lambda h: bid.six_dof_model("static.c3d"), "read_c3d(path) returns one"),  # type: ignore[arg-type]
    "trial for path": (lambda h: bid.read_c3d(h.trial), "read_c3d takes a str or PathLike as its path, not a Trial"),  # type: ignore[arg-type]
    "trial for session": (lambda h: bid.plot.kinematics(h.trial), "plot draws a session, not a Trial"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", CALLS)
def test_the_wrong_kind_of_value_is_named(hands: Hands, name: str) -> None:
    call, said = CALLS[name]
    with pytest.raises(WrongTypeError) as caught:
        call(hands)
    assert said in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, BiomechError)


def test_a_joint_that_is_not_there_lists_those_that_are(hands: Hands) -> None:
    with pytest.raises(UnknownNameError, match=r"no joint load \('knee', 'R'\); there are .*\[\"R\", \"knee\"\]") as caught:
        hands.loads["knee", "R"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == caught.value.message
    assert ("R", "knee") in hands.loads
    assert hands.loads.get(("knee", "R")) is None


def test_an_option_that_is_misspelt() -> None:
    with pytest.raises(OptionError, match=r"no option kinetiks\. Did you mean 'kinetics'\?"):
        bid.analyse("subject", kinetiks="vicon")
