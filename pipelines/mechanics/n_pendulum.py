"""A 4- and a 10-pendulum, their equations by Kane, simulated and animated (python n_pendulum.py FIGURE [ANIMATION.gif])."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter

from biomech_id.multibody.forward import simulate
from biomech_id.multibody.pendulums import n_pendulum
from biomech_id.multibody.symbolic.describe import describe
from biomech_id.multibody.symbolic.equations import kane
from biomech_id.multibody.system import System


def links(n: int) -> System:
    """N particles on massless links, a metre and ten grams in all."""
    return n_pendulum(np.full(n, 0.01 / n), np.full(n, 1 / n), gravity_m_s2=9.81)


def swing(n: int, t: np.ndarray) -> np.ndarray:
    """Angles (N, n), rad, of n links let go almost straight."""
    return simulate(links(n), np.arange(n) * 0.01, np.zeros(n), t, tolerance=1e-9).q


def main(figure: Path, animation: Path | None = None, seconds: float = 10.0) -> None:
    """Derive, simulate both and draw."""
    print(kane(describe(links(4))).latex())
    t = np.linspace(0, seconds, 201)
    page, panels = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for n, axes in zip((4, 10), panels, strict=True):
        q = swing(n, t)
        axes.plot(t, np.degrees(q))
        axes.set(title=f"{n} links", xlabel="time (s)", ylabel="angle from the vertical (deg)")
    page.savefig(figure, dpi=110)
    if animation:
        movie, axes = plt.subplots(figsize=(3, 4))
        axes.set(xlim=(-0.3, 0.3), ylim=(-1.1, 0.1), aspect="equal")
        x, y = (np.cumsum(np.pad(f(q) / n, ((0, 0), (1, 0))), axis=1) for f in (np.sin, lambda q: -np.cos(q)))
        (line,) = axes.plot([], [], "o-")
        FuncAnimation(movie, lambda i: line.set_data(x[i], y[i]), range(0, len(t), 4)).save(animation, PillowWriter(20))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
