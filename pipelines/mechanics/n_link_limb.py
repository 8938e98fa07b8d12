"""Trajectories and joint wrenches of a three-link limb, joints turning at steady rates (python n_link_limb.py FIGURE)."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.observer import observe
from biomech_id.multibody.limb import Angles, Limb, Link


def main(figure: Path) -> None:
    """Solve the limb and draw it."""
    sizes = {"A": (0.8, 0.7), "B": (0.6, 0.5), "C": (0.4, 0.3)}
    limb = Limb([Link(Segment(k, m, np.array([0, l / 2, 0]), np.zeros((3, 3))), (0, l, 0)) for k, (l, m) in sizes.items()])
    t = np.linspace(0, 2 * np.pi, 400)
    angles = Angles.from_functions([lambda t: t, lambda t: 2 * t, lambda t: 4 * t], t)

    motions = limb.motions(angles)
    loads = limb.solve(motions, gravity_lab_m_s2=(0, 0, 0))
    seen = observe(limb.chain(motions), limb.observer(motions, 1, at="proximal"), gravity_lab_m_s2=(0, 0, 0))["C"]

    page, (path, moment, parts) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for link, name in enumerate(sizes):
        path.plot(*limb.tip(motions, link)[:, :2].T, label=f"tip of {name}")
        moment.plot(t, loads.wrench(name).moment_Nm[:, 2], label=f"joint of {name}")
    for part in ("joint", "dalembert", "centrifugal", "coriolis"):
        parts.plot(t, getattr(seen, part).force_N[:, 0], label=part)
    path.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
    moment.set(xlabel="time (s)", ylabel="joint moment about z (N m)")
    parts.set(xlabel="time (s)", ylabel="force on C along x of B (N), seen from B")
    for axes in (path, moment, parts):
        axes.legend(fontsize="small")
    page.savefig(figure, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
