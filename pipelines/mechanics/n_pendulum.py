"""Kane's equations of a 4- and a 10-pendulum, simulated and animated (python n_pendulum.py FIGURE [ANIMATION.gif])."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from scipy.integrate import solve_ivp

from biomech_id.multibody.symbolic.equations import Pendulum, kane


def swing(n: int, t: np.ndarray) -> np.ndarray:
    """Angles (N, n), rad, of n links let go almost straight."""
    pendulum = Pendulum()
    for _ in range(n):
        pendulum.link(length_m=1 / n, mass_kg=0.01 / n)
    accelerations = kane(pendulum.description).function(pendulum.constants)
    start = np.concatenate([np.arange(n) * 0.01, np.zeros(n)])
    run = solve_ivp(lambda t, y: [*y[n:], *accelerations(y[:n], y[n:])], t[[0, -1]], start, "DOP853", t, rtol=1e-9, atol=1e-9)
    return run.y[:n].T


def main(figure: Path, animation: Path | None = None, seconds: float = 10.0) -> None:
    """Simulate both and draw."""
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
