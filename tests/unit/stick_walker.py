"""A stick walker: rigid flat feet that stand still and swing in closed form, and plates that carry exactly what stands on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.trial import Event, EventKind, ForcePlate, Markers, Subject, Trial

GRAVITY = 9.81
FOOT_LENGTH_M = 0.22


@dataclass(frozen=True)
class Walker:
    """Everything about the walk; metres, seconds, kilograms. Feet stand for ``duty`` of the stride."""

    speed: float = 1.2
    stride_s: float = 1.0
    duty: float = 0.6
    width: float = 0.12
    duration_s: float = 4.0
    rate_hz: float = 100.0
    ratio: int = 10
    lift_m: float = 0.06
    first_frame: int = 1
    heading_rad: float = 0.0
    belt: bool = False
    mass_kg: float = 70.0

    @property
    def stride_m(self) -> float:
        return self.speed * self.stride_s

    def strikes(self, side: str) -> FloatArray:
        """Strike times on the trial's own clock (0 at its first frame), from before it to after it."""
        numbers = np.arange(-2, int(self.duration_s / self.stride_s) + 2)
        return (numbers + (0.5 if side == "L" else 0.0)) * self.stride_s + 0.2

    def place(self, strike_s: FloatArray) -> FloatArray:
        """How far along the walk the heel stands after a strike."""
        return self.speed * strike_s + 0.25 * self.stride_m

    def forward(self, side: str, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Heel's way along the walk, and its height, at times t."""
        strikes = self.strikes(side)
        k = np.clip(np.searchsorted(strikes, t, side="right") - 1, 0, len(strikes) - 1)
        phase = (t - strikes[k]) / self.stride_s
        u = np.clip((phase - self.duty) / (1.0 - self.duty), 0.0, 1.0)
        smooth = u**3 * (10 - 15 * u + 6 * u**2)
        return self.place(strikes[k]) + smooth * self.stride_m, 0.04 + self.lift_m * np.sin(np.pi * u) ** 2

    def to_lab(self, along: FloatArray, left: FloatArray | float, up: FloatArray | float, t: FloatArray) -> FloatArray:
        along = along - self.speed * t if self.belt else along
        c, s = np.cos(self.heading_rad), np.sin(self.heading_rad)
        left, up = np.broadcast_to(left, t.shape), np.broadcast_to(up, t.shape)
        return np.stack([c * along - s * left, s * along + c * left, up], axis=-1)

    def left_of(self, side: str) -> float:
        return 0.5 * self.width if side == "L" else -0.5 * self.width

    def events(self) -> tuple[Event, ...]:
        """True events within the trial, absolute seconds."""
        offset = (self.first_frame - 1) / self.rate_hz
        last = (round(self.duration_s * self.rate_hz) - 1) / self.rate_hz
        found = []
        for side in "LR":
            for strike in self.strikes(side):
                for kind, t in ((EventKind.FOOT_STRIKE, strike), (EventKind.FOOT_OFF, strike + self.duty * self.stride_s)):
                    if 0.0 <= t <= last:
                        found.append(Event(float(t + offset), side, kind))
        return tuple(sorted(found))

    def plate_under(self, side: str, number: int, length: float = 0.5, width: float = 0.4, shift: float = 0.0) -> FloatArray:
        """Corners (4, 3) of a plate centred under the foot after the strike of that number, turned with the walk."""
        strike = self.strikes(side)[number]
        middle = float(self.place(strike)) + 0.5 * FOOT_LENGTH_M + shift
        along = middle + 0.5 * length * np.array([1.0, -1.0, -1.0, 1.0])
        left = self.left_of(side) + 0.5 * width * np.array([1.0, 1.0, -1.0, -1.0])
        return self.to_lab(along, left, 0.0, np.zeros(4))

    def trial(self, corners: Sequence[FloatArray] = (), events: Sequence[Event] = (), noise_N: float = 0.0) -> Trial:
        n = round(self.duration_s * self.rate_hz)
        t = np.arange(n) / self.rate_hz
        paths = {}
        for side in "LR":
            along, up = self.forward(side, t)
            paths[side + "HEE"] = self.to_lab(along, self.left_of(side), up, t)
            paths[side + "TOE"] = self.to_lab(along + FOOT_LENGTH_M, self.left_of(side), up, t)
            across = 0.12 if side == "L" else -0.12
            paths[side + "ASI"] = self.to_lab(self.speed * t, across, 0.9, t)
        markers = Markers(tuple(paths), np.stack(list(paths.values()), axis=1), self.rate_hz)
        plates = tuple(self._plate(i, c, noise_N) for i, c in enumerate(corners))
        return Trial("walk", markers, plates, tuple(events), Subject(mass_kg=self.mass_kg), self.first_frame)

    def load_N(self, side: str, t: FloatArray) -> FloatArray:
        """Vertical force under a foot: rises and falls within a hundredth of stance, 1.1 body weights between."""
        strikes = self.strikes(side)
        k = np.clip(np.searchsorted(strikes, t, side="right") - 1, 0, len(strikes) - 1)
        u = (t - strikes[k]) / (self.duty * self.stride_s)
        return 1.1 * self.mass_kg * GRAVITY * np.clip(np.minimum(u, 1.0 - u) / 0.01, 0.0, 1.0)

    def _plate(self, index: int, corners: FloatArray, noise_N: float) -> ForcePlate:
        n = round(self.duration_s * self.rate_hz) * self.ratio
        t = np.arange(n) / (self.rate_hz * self.ratio)
        force, moment = np.zeros((n, 3)), np.zeros((n, 3))
        centre = corners.mean(axis=0)
        for side in "LR":
            along, _ = self.forward(side, t)
            strikes = self.strikes(side)
            k = np.clip(np.searchsorted(strikes, t, side="right") - 1, 0, len(strikes) - 1)
            u = np.clip((t - strikes[k]) / (self.duty * self.stride_s), 0.0, 1.0)
            cop = self.to_lab(along + FOOT_LENGTH_M * (0.1 + 0.9 * u), self.left_of(side), 0.0, t)
            pushed = self.to_lab(np.zeros(n), 0.0, 1.0, np.zeros(n)) * self.load_N(side, t)[:, None]
            pushed = np.where(_inside(corners, cop)[:, None], pushed, 0.0)
            force += pushed
            moment += np.cross(cop - centre, pushed)
        force += noise_N * np.random.default_rng(index).standard_normal((n, 3))
        return ForcePlate(f"plate {index + 1}", 2, corners, force, moment, self.rate_hz * self.ratio, "reaction")


def _inside(corners: FloatArray, points: FloatArray) -> np.ndarray:
    edges = np.roll(corners, -1, axis=0) - corners
    crosses = np.stack(
        [e[0] * (points[:, 1] - c[1]) - e[1] * (points[:, 0] - c[0]) for e, c in zip(edges, corners, strict=True)], axis=1
    )
    return (crosses >= 0).all(axis=1) | (crosses <= 0).all(axis=1)


@pytest.fixture(scope="session")
def walker() -> Callable[..., Walker]:
    """Make a walker: ``walker(speed=1.4)``."""
    return Walker
