"""A hundred and more wrong calls, written before the code was read: each ends in one sentence with the argument and the value."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biomech_id as bid
from biomech_id.errors import BiomechError
from biomech_id.exports.opensim.memory import to_opensim
from biomech_id.models.triads import triad
from biomech_id.movement.movement import Movement
from biomech_id.readers.c3d.from_ezc3d import from_ezc3d
from biomech_id.trial import EventKind
from tests.contract.wrong_calls import CALLS

DATA = Path(__file__).resolve().parents[2] / "data"


JOINT_OF = {"foot": "ankle", "shank": "knee", "thigh": "hip"}


def own_leg(movement: Movement) -> dict[str, Any]:
    """The right leg as somebody has it who only has arrays."""
    contact, part = movement.contacts["R"], {name: ("R", name) for name in JOINT_OF}
    segments = {name: movement.segments[key] for name, key in part.items()}
    frames = {name: movement.motions[key].frames for name, key in part.items()}
    return {
        "R_lab_seg": {name: each.R_lab_seg for name, each in frames.items()},
        "origin_lab_m": {name: each.origin_lab_m for name, each in frames.items()},
        "joint_lab_m": {name: movement.joint_centres_lab_m["R", joint] for name, joint in JOINT_OF.items()},
        "mass_kg": {name: each.mass_kg for name, each in segments.items()},
        "com_m": {name: each.com_m for name, each in segments.items()},
        "inertia_kgm2": {name: each.inertia_kgm2 for name, each in segments.items()},
        "forces": {"foot": (contact.force_lab_N, contact.moment_lab_Nm)}, "rate_hz": movement.rate_hz,
    }  # fmt: skip


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What the calls speak of: what a researcher holds after the first lines."""
    tmp = tmp_path_factory.mktemp("wrong")
    (tmp / "folder").mkdir()
    (tmp / "empty").mkdir()
    (tmp / "text.c3d").write_text("This is no recording.\n", encoding="utf-8")
    (tmp / "folder" / "walk01.c3d").write_bytes((DATA / "walk01.c3d").read_bytes())
    (tmp / "folder" / "static.c3d").write_bytes((DATA / "static.c3d").read_bytes())
    person = bid.virtual_subject()
    static, walk, other = person.static().trial, person.walk().trial, replace(person, noise_m=0.001, seed=3).walk().trial
    late = tuple(replace(p, force_lab_N=np.roll(p.force_lab_N, 400, axis=0)) for p in other.plates)
    other = replace(other, name="other", plates=late)
    model = bid.conventional_model(static)
    motion, other_motion = model.track(walk), model.track(other)
    movement, other_movement = bid.assign_plates(motion), bid.assign_plates(other_motion)
    solved = bid.solve(movement)
    first = walk.plates[0]
    short = replace(first, force_lab_N=first.force_lab_N[:50], moment_lab_Nm=first.moment_lab_Nm[:50])
    knee, ankle = solved["R", "knee"].wrench, solved["R", "ankle"].wrench
    leg = own_leg(movement)
    pendulum = bid.mechanics.n_pendulum([1.0], [1.0], gravity_m_s2=9.81)
    return {
        "bid": bid, "np": np, "pd": pd, "folder": tmp / "folder", "empty": tmp / "empty", "text_file": tmp / "text.c3d",
        "c3d": DATA / "static.c3d", "static": static, "walk": walk, "other": other, "model": model, "motion": motion,
        "other_motion": other_motion, "movement": movement, "other_movement": other_movement, "solved": solved,
        "paths": {name: walk.markers[name] for name in walk.markers.names},
        "paths_of_two": {name: static.markers[name] for name in ("LHEE", "RHEE")},
        "short_plates": (short,), "strike": EventKind.FOOT_STRIKE, "plate": lambda **changes: replace(first, **changes),
        "late_events": [bid.Event(99.0, "L", "Foot Strike")], "knee": knee, "ankle": ankle,
        "short_crutch": bid.External("L foot", knee.at(slice(0, 5))),
        "chain": lambda **changes: bid.inverse_dynamics(**{**leg, **changes}),
        "R": leg["R_lab_seg"], "transposed": {name: np.swapaxes(R, 1, 2) for name, R in leg["R_lab_seg"].items()},
        "origins": leg["origin_lab_m"], "joints": leg["joint_lab_m"], "masses": leg["mass_kg"], "coms": leg["com_m"],
        "inertias": leg["inertia_kgm2"], "force": leg["forces"]["foot"][0], "moment": leg["forces"]["foot"][1],
        "result": bid.analyse(DATA), "triad": triad,
        "from_ezc3d": from_ezc3d, "to_opensim": to_opensim, "pendulum": pendulum, "pendulum_bodies": pendulum.bodies,
    }  # fmt: skip


@pytest.mark.parametrize(("call", "argument", "value"), CALLS, ids=[call[:80] for call, _, _ in CALLS])
def test_a_wrong_call_is_refused_in_one_sentence(names: Mapping[str, Any], call: str, argument: str, value: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a deprecated way of calling is refused like the new one
        with pytest.raises(BiomechError) as caught:
            eval(call, dict(names))
    message = caught.value.message
    assert argument.casefold() in message.casefold(), message
    assert value.casefold() in message.casefold(), message
    assert "--" not in message, message
    assert caught.value.expected, message


def test_there_are_a_hundred() -> None:
    assert len({call for call, _, _ in CALLS}) >= 100
