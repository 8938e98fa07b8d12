"""A reaching movement against a spring: joint moments split into their terms (python arm_reaching.py FIGURE)."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from biomech_id.dynamics.newton_euler import solve
from biomech_id.multibody.planar_arm import ARM, HandSpring, PlanarArm


def main(figure: Path) -> None:
    """Solve the reach in closed form and by Newton-Euler, and draw both."""
    arm = PlanarArm(
        mass_kg=np.array([2.07, 1.16, 0.55]), length_m=np.array([0.326, 0.269, 0.19]),
        com_m=np.array([0.146, 0.117, 0.098]), inertia_kgm2=np.array([0.0163, 0.0072, 0.0011]),
        gravity_m_s2=9.81,
    )  # fmt: skip
    start, target, duration = np.radians([-70, 60, 10]), np.radians([-20, 50, -10]), 0.6
    t = np.linspace(0, duration, 121)
    s = (t / duration)[:, None]  # minimum jerk from start to target
    alpha = start + (target - start) * (10 * s**3 - 15 * s**4 + 6 * s**5)
    rate = (target - start) * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
    acceleration = (target - start) * (60 * s - 180 * s**2 + 120 * s**3) / duration**2
    spring = HandSpring(force_N=8.0, distance_m=0.098, measured_from="wrist")

    moments = arm.moments(alpha, rate, acceleration, spring)
    loads = solve(arm.chain(alpha, rate, acceleration), [arm.spring_load(alpha, spring)], gravity_lab_m_s2=(0, -9.81, 0))

    page, panels = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    for i, (joint, axes) in enumerate(zip(("shoulder", "elbow", "wrist"), panels, strict=True)):
        for term in ("inertia", "velocity", "gravity", "external", "total"):
            axes.plot(t, getattr(moments, term)[:, i], label=term)
        axes.plot(t, loads.wrench(ARM[i]).moment_Nm[:, 2], "k:", label="Newton-Euler")
        axes.set(title=joint, xlabel="time (s)", ylabel="moment (N m)")
    panels[0].legend(fontsize="small")
    page.savefig(figure, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
