"""Four segments that move and turn in space by functions of time, differentiated by mpmath in 50 digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp

N = 4
TIMES = ("0.37", "1.9")
GRAVITY = np.array([0.3, -9.7, 0.6])


class Moving:
    """n segments, distal first: masses, tensors, places, turns and joints as functions of time; a ground's wrench on the first."""

    def __init__(self) -> None:
        rng = np.random.default_rng(31)
        self.mass, self.tensor = rng.uniform(0.8, 8, N), []
        for _ in range(N):
            axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            tensor = axes @ np.diag(rng.uniform(0.05, 0.08, 3)) @ axes.T
            self.tensor.append((tensor + tensor.T) / 2)
        self.waves = rng.uniform(0.3, 2, (N, 9, 3))
        self.ground = rng.normal(0, 1, (2, 3, 3)) * np.array([300, 0.3, 5])[:, None]  # each time: force, point, free moment

    def wave(self, i: int, k: int, t: Any) -> Any:
        a, b, c = (mp.mpf(float(x)) for x in self.waves[i, k])
        return a * mp.sin(b * t + c)

    def com(self, i: int, t: Any) -> Any:
        return mp.matrix([self.wave(i, k, t) for k in range(3)])

    def joint(self, i: int, t: Any) -> Any:
        return mp.matrix([self.wave(i, k, t) for k in range(3, 6)])

    def turn(self, i: int, t: Any) -> Any:
        """Three turns, about x, y and z in this order."""
        R = mp.eye(3)
        for axis in range(3):
            angle = self.wave(i, 6 + axis, t)
            c, s, j, k = mp.cos(angle), mp.sin(angle), (axis + 1) % 3, (axis + 2) % 3
            one = mp.eye(3)
            one[j, j], one[k, k], one[j, k], one[k, j] = c, c, -s, s
            R = R * one
        return R

    def omega(self, i: int, t: Any) -> Any:
        """From R' R', laboratory axes."""
        spin = rate(lambda x: self.turn(i, x), t) * self.turn(i, t).T
        return mp.matrix([spin[2, 1], spin[0, 2], spin[1, 0]])

    def spin(self, i: int, t: Any) -> Any:
        """Angular momentum about its own centre of mass, laboratory axes."""
        R = self.turn(i, t)
        return R * mp.matrix(self.tensor[i].tolist()) * R.T * self.omega(i, t)

    def about_origin(self, i: int, t: Any) -> Any:
        """Angular momentum about the laboratory's origin."""
        return self.spin(i, t) + cross(self.com(i, t), mp.mpf(self.mass[i]) * rate(lambda x: self.com(i, x), t))


def rate(function: Callable[[Any], Any], t: Any) -> Any:
    """Central difference in 50 digits: right to 30."""
    h = mp.mpf(10) ** -16
    return (function(t + h) - function(t - h)) / (2 * h)


def cross(a: Any, b: Any) -> Any:
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def vector(v: Any) -> Any:
    return mp.matrix([mp.mpf(float(x)) for x in v])


def numbers(matrix: Any) -> np.ndarray:
    found = np.array(matrix.tolist(), dtype=float)
    return found[:, 0] if matrix.cols == 1 else found
