"""A planar chain of three point masses turning at steady rates, against symbolic results.

The system and the printed results are those of F. Mielke's n-link notebook, with its lost minus signs restored.
Tolerance 1e-12 N and N m on values up to 8: the stored samples are exact to the last digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.rotation import rotation_about
from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.body import Frames, Motion, Segment
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.newton_euler import solve
from biomech_id.dynamics.observer import FICTITIOUS, Observer, observe

TOLERANCE = 1e-12
FRAMES = "ABC"
NO_GRAVITY = (0.0, 0.0, 0.0)


class NLink:
    """Links along +y of frames A, B, C; joint P_0 at the origin; absolute rates about +z."""

    def __init__(self, file: Any) -> None:
        meta = file["meta"]
        self.t = np.array(meta["t_s"])
        n, z = len(self.t), np.array([0.0, 0.0, 1.0])
        self.points = [np.zeros((n, 3))]
        point, speed, acceleration = (np.zeros((n, 3)) for _ in range(3))
        self.motions, self.segments = {}, {}
        for name, rate, length, mass in zip(FRAMES, meta["abs_rates_rad_s"], meta["l_m"], meta["m_kg"], strict=True):
            R = rotation_about(2, rate * self.t)
            along, omega = R[:, :, 1], np.tile(rate * z, (n, 1))
            half, centripetal = length / 2 * along, -(rate**2) * along
            self.motions[name] = Motion(
                Frames(R, point), omega, np.zeros((n, 3)),
                point + half, speed + np.cross(omega, half), acceleration + centripetal * length / 2,
            )  # fmt: skip
            self.segments[name] = Segment(name, mass, np.array([0, length / 2, 0]), np.zeros((3, 3)))
            point, speed = point + 2 * half, speed + np.cross(omega, 2 * half)
            acceleration = acceleration + centripetal * length
            self.points.append(point)
        distal_first = FRAMES[::-1]
        self.chain = Chain(
            [self.segments[name] for name in distal_first],
            [self.motions[name] for name in distal_first],
            [self.points[FRAMES.index(name)] for name in distal_first],
        )

    def observer(self, name: str, attachment: str) -> Observer:
        if name == "W":
            return Observer.at_rest(len(self.t))
        joint = FRAMES.index(name) + (1 if attachment == "distal" else 0)
        return Observer.on(name, self.motions[name], self.points[joint])


@pytest.fixture(scope="module")
def nlink_file(reference: Any) -> Any:
    return reference("nlink")


@pytest.fixture(scope="module")
def nlink(nlink_file: Any) -> NLink:
    return NLink(nlink_file)


def six(wrench: Wrench) -> np.ndarray:
    return np.concatenate([wrench.force_N, wrench.moment_Nm], axis=1)


@pytest.mark.parametrize("method", ["recursive", "block"])
def test_joint_wrenches_in_every_frame(nlink: NLink, nlink_file: Any, method: Any) -> None:
    loads = solve(nlink.chain, gravity_lab_m_s2=NO_GRAVITY, method=method)
    for j, segment in enumerate(FRAMES):
        for frame, stored in nlink_file["joint_wrench"][f"P_{j}"].items():
            R = None if frame == "W" else nlink.motions[frame].frames.R_lab_seg
            wrench = loads.wrench(segment).expressed_in("lab" if frame == "W" else frame, R)
            np.testing.assert_allclose(six(wrench), stored["samples"], rtol=0, atol=TOLERANCE)


def test_the_printed_wrench_of_the_last_joint(nlink: NLink) -> None:
    """The one result that both the notebook and the theory sheet print in full, typed in here by hand."""
    t = nlink.t
    wrench = solve(nlink.chain, gravity_lab_m_s2=NO_GRAVITY).wrench("C")
    seen = six(wrench.expressed_in("C", nlink.motions["C"].frames.R_lab_seg))
    s4, c4, s6, c6, zero = np.sin(4 * t), np.cos(4 * t), np.sin(6 * t), np.cos(6 * t), np.zeros_like(t)
    force = [-81 / 50 * s4 - 6 / 25 * s6, -81 / 50 * c4 - 6 / 25 * c6 - 147 / 50, zero]
    moment = [zero, zero, 81 / 250 * s4 + 6 / 125 * s6]
    np.testing.assert_allclose(seen, np.stack([*force, *moment], axis=1), rtol=0, atol=TOLERANCE)


def test_fictitious_wrenches(nlink: NLink, nlink_file: Any) -> None:
    assert len(nlink_file["kinetics"]) == 21
    for key, stored in nlink_file["kinetics"].items():
        segment, _, where, attachment = key.split("_")
        observer = nlink.observer(where, attachment)
        balance = observe(nlink.chain, observer, gravity_lab_m_s2=NO_GRAVITY)[FRAMES[int(segment[-1])]]
        for part in ("dynamic", *FICTITIOUS, "tip", "joint"):
            ours, theirs = six(getattr(balance, part)), stored[part]["samples"]
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-12 * max(1, np.abs(theirs).max()), err_msg=f"{key} {part}")
