"""Ten seconds of a double pendulum: angles, a stroboscopic picture, its energy (python double_pendulum.py FIGURE)."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from biomech_id.multibody.examples.pendulums import double_pendulum
from biomech_id.multibody.forward import simulate

BARS = double_pendulum(mass_kg=[1.0, 1.0], length_m=[1.0, 1.0], gravity_m_s2=9.81)
START, RATES, T = np.array([np.pi / 6, np.pi / 3]), np.array([np.pi, -2 * np.pi]), np.linspace(0, 10, 1001)


def euler(step: float = 1e-4) -> np.ndarray:
    """The document's own way: explicit Euler steps, both angles at T."""
    q, u, kept = START.copy(), RATES.copy(), [START.copy()]
    for i in range(1, round(10 / step) + 1):
        s, c = np.sin(q[0] - q[1]), np.cos(q[0] - q[1])
        a, b = -(u[1] ** 2) * s / 2 - 1.5 * 9.81 * np.sin(q[0]), u[0] ** 2 * s / 2 - 9.81 / 2 * np.sin(q[1])
        det = 4 / 9 - c * c / 4  # of M = [[4/3, c/2], [c/2, 1/3]]
        q = q + step * u
        u = u + step * np.array([a / 3 - b * c / 2, b * 4 / 3 - a * c / 2]) / det
        if i % round(0.01 / step) == 0:
            kept.append(q)
    return np.array(kept)


def draw() -> Figure:
    """Simulate and draw."""
    run = simulate(BARS, START, RATES, T, events={"first bar passes the vertical": lambda t, q, u: np.sin(q[0])})
    page, (angle, strobe, energy) = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    for k, name in enumerate(("first bar", "second bar")):
        angle.plot(T, np.degrees(run.q[:, k]), f"C{k}", label=name)
    for k, series in enumerate(euler().T):
        angle.plot(T, np.degrees(series), f"C{k}:", label="Euler steps of 0.1 ms" if k else None)
    for crossing in run.events_s["first bar passes the vertical"]:
        angle.axvline(crossing, color="0.9", zorder=0)
    angle.set(xlabel="time (s)", ylabel="angle from the vertical (deg)")
    angle.legend()
    for q in run.q[:-1:10]:  # every 0.1 s
        x, y = np.cumsum([0, *np.sin(q)]), np.cumsum([0, *-np.cos(q)])
        strobe.plot(x[:2], y[:2], "C0", lw=0.7)
        strobe.plot(x[1:], y[1:], "C1", lw=0.7)
    strobe.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    energy.plot(T, run.energy_J - run.energy_J[0])
    energy.set(xlabel="time (s)", ylabel="energy gained (J)", title=f"{run.evaluations} evaluations")
    return page


if __name__ == "__main__":
    draw().savefig(sys.argv[1], dpi=110)
