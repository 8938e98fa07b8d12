"""A motor moves a leg through an exoskeleton whose cuffs give: what cuffs and motor do (python exoskeleton_cuffs.py FIGURE)."""

import sys
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg, planar_segment, sliding_segment
from biomech_id.multibody.forward import Simulation, simulate
from biomech_id.multibody.joints import revolute
from biomech_id.multibody.parts import Body, Drive
from biomech_id.multibody.reduction import configuration
from biomech_id.multibody.springs import LineSpring, Spring
from biomech_id.multibody.system import System

START = np.array([[-1.4, -0.6, 1.5]])  # hip, knee, ankle: of the exoskeleton, and of the wearer
T = np.linspace(0.0, 2.0, 401)
flat = {
    "thigh": (1.6, (0.2, 0.0), 0.02), "shank": (1.1, (0.17, 0.0), 0.012), "foot": (0.4, (0.06, -0.02), 0.001),
    "crank": (0.35, (0.035, 0.004), 3e-4), "coupler": (0.3, (0.075, -0.006), 7e-4), "cylinder": (0.25, (0.03, 0.0), 1e-4),
}  # fmt: skip
bars = {name: planar_segment(name, *numbers) for name, numbers in flat.items()} | {"rod": sliding_segment("rod", 0.12, -0.04, 5e-5)}
EXO = ExoskeletonLeg(
    thigh_m=0.42, shank_m=0.4, crank_m=0.08, coupler_m=0.15, crank_pivot_m=(0.3, 0.05), coupler_pin_m=(0.04, 0.07),
    strut_pivot_m=(0.28, -0.06), strut_pin_m=(-0.06, 0.01), segments=bars, stiffness_N_m=2000, damping_N_s_m=120, rest_m=0.11,
).mechanism((0.0, -9.81, 0.0))  # fmt: skip
# The wearer's knee sits a centimetre below the exoskeleton's, so that the cuffs have to give.
LEG = [
    Body(planar_segment("limb thigh", 8.5, (0.18, 0.0), 0.14), revolute("limb hip")),
    Body(planar_segment("limb shank", 3.2, (0.18, 0.0), 0.045), revolute("limb knee"), "limb thigh", (0.43, 0.0, 0.0)),
    Body(planar_segment("limb foot", 1.1, (0.06, -0.03), 0.005), revolute("limb ankle"), "limb shank", (0.4, 0.0, 0.0)),
]
JOINTS = [Spring("limb hip", 40.0, 4.0, -1.4), Spring("limb knee", 15.0, 2.0, -0.6), Spring("limb ankle", 10.0, 0.5, 1.5)]
# A strap across each segment, from 6 cm beside the bar to the middle of the limb.
CUFFS = {of: LineSpring(of, (0.2, 0.06, 0.0), f"limb {of}", (0.2, 0.0, 0.0), 6000.0, 60.0, 0.06) for of in ("thigh", "shank")}
CRANK = EXO.coordinate("crank")
REST = float(configuration(EXO, START)[0, CRANK])


def motor(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Torque on the crank, N m: towards a target that swings by a quarter of a radian each second (60 N m/rad, 3 N m s)."""
    angle, rate = 0.25 * np.sin(2 * np.pi * t), 0.5 * np.pi * np.cos(2 * np.pi * t)
    return np.array([60.0 * (REST + angle - q[CRANK]) + 3.0 * (rate - u[CRANK])])


def walk() -> tuple[System, Simulation]:
    """Two seconds from rest; hips, knees and ankles of both are free, crank, coupler and strut follow."""
    system = replace(
        EXO, bodies=[*EXO.bodies, *LEG], free=[*EXO.free, "limb hip", "limb knee", "limb ankle"],
        springs=[*EXO.springs, *JOINTS, *CUFFS.values()], drives=[Drive(("crank",), motor)],
        closed_form=lambda m, q1: EXO.closed_form(m, q1[:3]),
    )  # fmt: skip
    return system, simulate(system, configuration(system, np.hstack([START, START]))[0], np.zeros(6), T)


def draw(system: System, run: Simulation) -> plt.Figure:
    """Both knees, what the cuffs do to the limb, the motor's power and the account of energy."""
    page, (knees, forces, power) = plt.subplots(1, 3, figsize=(15, 3.8), layout="constrained")
    moving = system.kinematics(run.q, run.u)
    knees.plot(T, np.degrees(run.q[:, [1, system.coordinate("limb knee")]]), label=["knee", "limb knee"])
    for name, cuff in CUFFS.items():
        forces.plot(T, cuff.pull(run.q, moving).tension, label=f"{name} cuff")
    power.plot(T, [system.drive_forces(t, q, u) @ u for t, q, u in zip(T, run.q, run.u, strict=True)], label="motor")
    power.plot(T, system.damping_power(run.q, moving), label="dampers")
    power.set_title(f"energy less work: within {run.energy_drift_J:.0e} J", fontsize="medium")
    for axes, label in ((knees, "knee (deg)"), (forces, "pull of the cuff (N)"), (power, "power (W)")):
        axes.set(xlabel="time (s)", ylabel=label)
        axes.legend(fontsize="small")
    return page


if __name__ == "__main__":
    draw(*walk()).savefig(sys.argv[1], dpi=110)
