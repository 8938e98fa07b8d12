"""A body with two legs whose motion is arbitrary: the equations do not ask whether its frames follow from each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Motion, Segment

N_FRAMES = 12
MASS = {"foot": 1.1, "shank": 3.5, "thigh": 8.2}


def random_motion(rng: np.random.Generator, n: int) -> Motion:
    frames = Frames(Rotation.random(n, rng=rng).as_matrix(), rng.normal(0, 1, (n, 3)))
    return Motion(frames, *(rng.normal(0, sd, (n, 3)) for sd in (5, 30, 1, 2, 10)))


@pytest.fixture
def make_body() -> Callable[..., BodyMotion]:
    def make(seed: int = 0, n: int = N_FRAMES, *, per_frame: bool = False, sides: tuple[str, ...] = SIDES) -> BodyMotion:
        rng = np.random.default_rng(seed)
        keys = [(side, segment) for side in sides for segment in LEG_SEGMENTS]
        motions = {key: random_motion(rng, n) for key in keys} | {("", "pelvis"): random_motion(rng, n)}
        shape = (n, 1, 1) if per_frame else ()
        segments = {
            key: Segment(key[1], MASS[key[1]], np.zeros(3), rng.uniform(0.9, 1.1, shape) * np.diag([0.1, 0.11, 0.02]))
            for key in keys
        }
        joints = {(side, joint): motions[side, DISTAL_SEGMENT[joint]].frames.origin_lab_m for side in sides for joint in JOINTS}
        return BodyMotion("walk01", 100.0, 1, motions, segments, joints, {})

    return make


@pytest.fixture
def make_contacts() -> Callable[..., dict[str, FootContact]]:
    def make(seed: int = 1, n: int = N_FRAMES, *, unknown: dict[str, list[int]] | None = None) -> dict[str, FootContact]:
        rng = np.random.default_rng(seed)
        contacts = {}
        for side in SIDES:
            known = np.ones(n, dtype=bool)
            known[(unknown or {}).get(side, [])] = False
            contacts[side] = FootContact(side, rng.normal(0, 300, (n, 3)), rng.normal(0, 50, (n, 3)), known)
        return contacts

    return make
