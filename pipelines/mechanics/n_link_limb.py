"""A three-link limb, joints turning at steady rates: paths, wrenches, a film (python n_link_limb.py FIGURE [ANIMATION.gif])."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure

from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.observer import observe
from biomech_id.multibody.examples.limb import Angles, Limb, Link

SIZES = {"A": (0.8, 0.7), "B": (0.6, 0.5), "C": (0.4, 0.3)}  # length in m, mass in kg at half of it
LIMB = Limb([Link(Segment(k, m, np.array([0, l / 2, 0]), np.zeros((3, 3))), (0, l, 0)) for k, (l, m) in SIZES.items()])
T = np.linspace(0, 2 * np.pi, 256, endpoint=False)
MOTIONS = LIMB.motions(Angles.from_functions([lambda t: t, lambda t: 2 * t, lambda t: 4 * t], T))


def draw() -> Figure:
    """Paths of the centres of mass, joint moments, and what an observer on B makes of C."""
    loads = LIMB.solve(MOTIONS, gravity_lab_m_s2=(0, 0, 0))
    seen = observe(LIMB.chain(MOTIONS), LIMB.observer(MOTIONS, 1, at="distal"), gravity_lab_m_s2=(0, 0, 0))["C"]
    speed = np.linalg.norm(MOTIONS[1].com_velocity_lab_m_s, axis=1)
    page, (top, side, moment, parts) = plt.subplots(1, 4, figsize=(15, 3.8), layout="constrained")
    for axes, (i, j) in ((top, (0, 1)), (side, (0, 2))):
        for motion in MOTIONS:
            axes.plot(motion.com_lab_m[:, i], motion.com_lab_m[:, j], ".", color="0.8", markersize=2)
        path = MOTIONS[1].com_lab_m
        shades = axes.scatter(path[:, i], path[:, j], s=14, c=speed, cmap="gray")
        axes.set(xlim=(-1.89, 1.89), ylim=(-1.89, 1.89), aspect="equal", xlabel=f"x{i + 1} (m)", ylabel=f"x{j + 1} (m)")
    page.colorbar(shades, ax=side, label="speed of C1 (m/s)", shrink=0.8)
    for name in SIZES:
        moment.plot(T, loads.wrench(name).moment_Nm[:, 2], label=f"joint of {name}")
    for part in ("joint", "dalembert", "centrifugal", "coriolis"):
        parts.plot(T, getattr(seen, part).force_N[:, 0], label=part)
    moment.set(xlabel="time (s)", ylabel="joint moment about z (N m)")
    parts.set(xlabel="time (s)", ylabel="force on C along x of B (N), seen from B")
    for axes in (moment, parts):
        axes.legend(fontsize="small")
    return page


def film(path: Path) -> None:
    """One turn of the first link."""
    ends = np.stack([np.zeros_like(MOTIONS[0].com_lab_m), *(LIMB.tip(MOTIONS, k) for k in range(3))], axis=1)
    page, axes = plt.subplots(figsize=(3, 3))
    axes.set(xlim=(-1.89, 1.89), ylim=(-1.89, 1.89), aspect="equal")
    (line,) = axes.plot([], [], "o-")
    FuncAnimation(page, lambda i: line.set_data(ends[i, :, 0], ends[i, :, 1]), range(0, 256, 4)).save(path, PillowWriter(20))


if __name__ == "__main__":
    draw().savefig(sys.argv[1], dpi=110)
    if sys.argv[2:]:
        film(Path(sys.argv[2]))
