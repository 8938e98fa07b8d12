"""A motion replayed forward reproduces itself: held by nothing over a short while, held softly over a long one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from leg_model import MODEL

from biomech_id.errors import InvalidValueError
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.forward_replay import replay_forward
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.signal.natural_spline import NaturalSpline

SKELETON = Skeleton(MODEL)


def motion(seconds: float) -> RecordedMotion:
    t = np.arange(0.0, seconds, 0.01)
    q = np.zeros((len(t), len(MODEL.coordinates)))
    curves = {
        "tilt": (0.0, 0.1, 1.0), "spin": (0.2, 0.1, 1.0), "tx": (0.0, 0.2, 0.5), "ty": (0.9, 0.02, 2.0), "flexion": (0.1, 0.4, 1.0),
        "knee": (-0.7, 0.4, 1.0),
    }  # fmt: skip
    for name, (level, size, hz) in curves.items():
        q[:, MODEL.index(name)] = level + size * np.sin(2 * np.pi * hz * t)
    still = np.zeros_like(q)
    return RecordedMotion(t, SKELETON.completed(q), still, still)


def load(t: np.ndarray) -> BodyLoad:
    force = np.stack([20.0 * np.sin(6 * t), 60.0 + 0 * t, 0 * t], axis=1)
    point = np.stack([0.1 * t, 0 * t, 0 * t], axis=1)
    return BodyLoad("shank", force, np.cross(point, force))


def test_over_a_short_while_nothing_has_to_hold_it() -> None:
    short = motion(0.15)
    free = replay_forward(SKELETON, short, [load(short.time_s)], hold_hz=0.0)
    assert np.degrees(free.largest_difference.max()) < 0.2
    assert (free.holding_force == 0).all()
    assert free.coordinates == ("tilt", "list", "spin", "tx", "ty", "tz", "flexion", "adduction", "knee")


def test_held_softly_it_goes_on_and_needs_little() -> None:
    long = motion(0.4)
    held = replay_forward(SKELETON, long, [load(long.time_s)])
    assert np.degrees(held.largest_difference.max()) < 0.05
    assert np.sqrt((held.holding_force**2).mean()) < 0.01 * np.sqrt((held.force**2).mean())
    follows = MODEL.couplings[0].function.value(held.q[:, MODEL.index("knee")])
    np.testing.assert_allclose(held.q[:, MODEL.index("cap_turn")], follows, atol=1e-12)


def test_loads_are_part_of_it() -> None:
    """So that the small differences above say something: without its load the motion takes other forces."""
    short = motion(0.05)
    loaded, free = replay_forward(SKELETON, short, [load(short.time_s)], hold_hz=0.0), replay_forward(SKELETON, short, hold_hz=0.0)
    up = MODEL.index("ty")
    t, columns = short.time_s, list(range(9))
    q, u, a = (NaturalSpline(t, short.q)(t, order) for order in (0, 1, 2))
    tau = generalized_forces(SKELETON, SKELETON.completed(q), u, a, [load(t)]).tau
    # the cap follows the knee; what it takes is passed on to it
    np.testing.assert_allclose(loaded.force[:, :8], tau[:, columns[:8]], atol=0.02)
    np.testing.assert_allclose((free.force - loaded.force)[:, up], 60.0, atol=1e-9)


def test_what_cannot_be_replayed_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="step has no length"):
        replay_forward(SKELETON, motion(0.2), step_s=0.0)
    ball = tuple(replace(joint, kind="ball") if joint.name == "hip" else joint for joint in MODEL.joints)
    with pytest.raises(InvalidValueError, match="angular velocities"):
        replay_forward(Skeleton(replace(MODEL, joints=ball)), motion(0.2))
