"""A 4- and a 10-pendulum, their equations by Kane, simulated and animated (python n_pendulum.py FIGURE [ANIMATION.gif])."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure

from biomech_id.multibody.examples.pendulums import n_pendulum
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.symbolic.describe import describe
from biomech_id.multibody.symbolic.equations import kane
from biomech_id.multibody.system import System

T = np.linspace(0, 10, 1000)


def links(n: int) -> System:
    """N particles on massless links, a metre and ten grams in all."""
    return n_pendulum(np.full(n, 0.01 / n), np.full(n, 1 / n), gravity_m_s2=9.81)


def swing(n: int) -> Simulation:
    """N links, let go almost straight."""
    return simulate(links(n), np.arange(n) * 0.01, np.zeros(n), T, tolerance=1e-9)


def draw() -> Figure:
    """Coordinates and speeds of 4 links, coordinates of 10."""
    page, (coordinates, speeds, ten) = plt.subplots(1, 3, figsize=(14, 3.8), layout="constrained")
    four = swing(4)
    for k in range(4):
        coordinates.plot(T, four.q[:, k], label=f"q_{k}")
        speeds.plot(T, four.u[:, k], label=f"u_{k}")
    ten.plot(T, swing(10).q)
    for axes, title, label in (
        (coordinates, "4 links", "angle from the vertical (rad)"),
        (speeds, "4 links", "speed (rad/s)"),
        (ten, "10 links", "angle from the vertical (rad)"),
    ):
        axes.set(title=title, xlabel="time (s)", ylabel=label)
    coordinates.legend(fontsize="small")
    speeds.legend(fontsize="small")
    return page


def film(path: Path) -> None:
    """Four seconds of 4 links."""
    x, y = (np.cumsum(np.pad(f(swing(4).q) / 4, ((0, 0), (1, 0))), axis=1) for f in (np.sin, lambda q: -np.cos(q)))
    page, axes = plt.subplots(figsize=(2.4, 3.2))
    axes.set(xlim=(-0.2, 0.2), ylim=(-1.1, 0.1))
    (line,) = axes.plot([], [], "o-")
    FuncAnimation(page, lambda i: line.set_data(x[i], y[i]), range(0, 400, 5)).save(path, PillowWriter(20))


if __name__ == "__main__":
    print(kane(describe(links(4))).latex())
    draw().savefig(sys.argv[1], dpi=110)
    if sys.argv[2:]:
        film(Path(sys.argv[2]))
