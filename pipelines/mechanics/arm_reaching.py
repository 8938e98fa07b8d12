"""A reaching movement against a spring: postures, and joint moments split into their terms (python arm_reaching.py FIGURE)."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biomech_id.dynamics.newton_euler import solve
from biomech_id.multibody.examples.planar_arm import ARM, HandSpring, PlanarArm, theta_of_alpha

BODY = PlanarArm(
    mass_kg=np.array([2.07, 1.16, 0.55]), length_m=np.array([0.326, 0.269, 0.19]),
    com_m=np.array([0.146, 0.117, 0.098]), inertia_kgm2=np.array([0.0163, 0.0072, 0.0011]),
    gravity_m_s2=9.81,
)  # fmt: skip
START, TARGET, DURATION = np.radians([-70, 60, 10]), np.radians([-20, 50, -10]), 0.6
SPRING = HandSpring(force_N=8.0, distance_m=0.098, measured_from="wrist")


def posture(axes: Axes, alpha: np.ndarray, style: str, name: str) -> None:
    """The arm in the sagittal plane, and the spring that pulls its hand back."""
    theta = theta_of_alpha(alpha)
    x, y = (np.concatenate([[0], np.cumsum(BODY.length_m * f(theta))]) for f in (np.cos, np.sin))
    axes.plot(x, y, style, marker="o", label=name)
    at = np.array([x[2], y[2]]) + SPRING.distance_m * np.array([np.cos(theta[2]), np.sin(theta[2])])
    axes.annotate("F_S", at, at - [0.15, 0], arrowprops={"arrowstyle": "<-"}, va="center")
    axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", xlim=(-0.1, 0.8))


def draw() -> Figure:
    """Solve the reach in closed form and by Newton-Euler, and draw both."""
    t = np.linspace(0, DURATION, 121)
    s = (t / DURATION)[:, None]  # minimum jerk from start to target
    alpha = START + (TARGET - START) * (10 * s**3 - 15 * s**4 + 6 * s**5)
    rate = (TARGET - START) * (30 * s**2 - 60 * s**3 + 30 * s**4) / DURATION
    acceleration = (TARGET - START) * (60 * s - 180 * s**2 + 120 * s**3) / DURATION**2
    moments = BODY.moments(alpha, rate, acceleration, SPRING)
    loads = solve(BODY.chain(alpha, rate, acceleration), [BODY.spring_load(alpha, SPRING)], gravity_lab_m_s2=(0, -9.81, 0))

    page, (arm, *panels) = plt.subplots(1, 4, figsize=(15, 3.8), layout="constrained")
    posture(arm, START, "0.6", "start")
    posture(arm, TARGET, "C0", "target")
    for i, (joint, axes) in enumerate(zip(("shoulder", "elbow", "wrist"), panels, strict=True)):
        for term in ("inertia", "velocity", "gravity", "external", "total"):
            axes.plot(t, getattr(moments, term)[:, i], label=term)
        axes.plot(t, loads.wrench(ARM[i]).moment_Nm[:, 2], "k:", label="Newton-Euler")
        axes.set(title=joint, xlabel="time (s)", ylabel="moment (N m)")
    arm.legend()
    panels[0].legend(fontsize="small")
    return page


if __name__ == "__main__":
    draw().savefig(sys.argv[1], dpi=110)
