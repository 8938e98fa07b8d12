"""A walking leg in an exoskeleton: motor torque and the wearer's share of the knee moment (python exoskeleton_leg.py FIGURE)."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.closed_loop_mechanisms import ExoskeletonLeg, assist_knee, planar_segment, sliding_segment
from biomech_id.dynamics.external import External
from biomech_id.signal.derivatives import quintic_derivatives


def leg() -> ExoskeletonLeg:
    """Build the wearer's leg and the mechanism on it."""
    flat = {
        "thigh": (8.5, (0.18, 0.005), 0.14), "shank": (3.2, (0.175, -0.004), 0.045), "foot": (1.1, (0.06, -0.03), 0.005),
        "crank": (0.35, (0.035, 0.004), 3e-4), "coupler": (0.3, (0.075, -0.006), 7e-4), "cylinder": (0.25, (0.03, 0.0), 1e-4),
    }  # fmt: skip
    segments = {name: planar_segment(name, *numbers) for name, numbers in flat.items()}
    segments["rod"] = sliding_segment("rod", 0.12, -0.04, 5e-5)
    return ExoskeletonLeg(
        thigh_m=0.42, shank_m=0.4, crank_m=0.08, coupler_m=0.15, crank_pivot_m=(0.3, 0.05), coupler_pin_m=(0.04, 0.07),
        strut_pivot_m=(0.28, -0.06), strut_pin_m=(-0.06, 0.01), segments=segments,
        stiffness_N_m=8000, damping_N_s_m=120, rest_m=0.11,
    )  # fmt: skip


def main(figure: Path, share: float = 0.4) -> None:
    """Walk one stride in it and draw who supplies the knee."""
    # Flexion of hip, knee and ankle over a made-up stride, deg; angles of a recording go in the same way.
    rate, period = 200.0, 1.1
    t = np.arange(0, period, 1 / rate)
    p = 2 * np.pi * t / period
    hip, knee = 10 + 21 * np.cos(p + 0.15), 22 - 4 * np.cos(p) - 21 * np.sin(p) - 12 * np.cos(2 * p) + 9 * np.sin(2 * p)
    ankle = 2 + 5 * np.sin(2 * p - 1.8)
    q1 = np.radians(np.stack([hip - 90, -knee, 90 + ankle], axis=1))
    u1, a1 = quintic_derivatives(q1, rate)

    mechanism = leg().mechanism()
    q = mechanism.configuration(q1)
    foot = mechanism.tree.motion(q).point(2, (0.08, -0.05, 0.0))[0]
    weight = np.where(t < 0.6 * period, np.sin(np.pi * t / (0.6 * period)), 0.0)[:, None] * np.array([0.0, 700.0, 0.0])
    ground = External("foot", Wrench(weight, np.zeros_like(weight), foot))
    help_ = assist_knee(mechanism, q, mechanism.inverse(q, u1, a1, [ground]), share)

    page, (angles, moments) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    angles.plot(t, np.degrees(q[:, [0, 1, 2, 3]]), label=["hip", "knee", "ankle", "crank"])
    angles.set(xlabel="time (s)", ylabel="coordinate (deg)")
    moments.plot(t, help_.knee_moment_Nm, label="knee moment needed")
    moments.plot(t, help_.wearer_moment_Nm, label="wearer's share")
    moments.plot(t, help_.actuator_torque_Nm, label="motor on the crank")
    moments.set(xlabel="time (s)", ylabel="moment (N m)")
    angles.legend(fontsize="small")
    moments.legend(fontsize="small")
    page.savefig(figure, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
