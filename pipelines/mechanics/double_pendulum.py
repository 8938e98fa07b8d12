"""Ten seconds of a double pendulum, and where its energy goes (python double_pendulum.py FIGURE)."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from biomech_id.multibody.forward import simulate
from biomech_id.multibody.pendulums import double_pendulum


def main(figure: Path) -> None:
    """Simulate and draw."""
    bars = double_pendulum(mass_kg=[1.0, 1.0], length_m=[1.0, 1.0], gravity_m_s2=9.81)
    run = simulate(
        bars, np.array([np.pi / 6, np.pi / 3]), np.array([np.pi, -2 * np.pi]), np.linspace(0, 10, 501),
        events={"first bar passes the vertical": lambda t, q, u: np.sin(q[0])},
    )  # fmt: skip

    page, (angle, energy) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    angle.plot(run.t_s, np.degrees(run.q), label=["first bar", "second bar"])
    for crossing in run.events_s["first bar passes the vertical"]:
        angle.axvline(crossing, color="0.85", zorder=0)
    angle.set(xlabel="time (s)", ylabel="angle from the vertical (deg)")
    angle.legend()
    energy.plot(run.t_s, run.energy_J - run.energy_J[0])
    energy.set(xlabel="time (s)", ylabel="energy gained (J)", title=f"{run.evaluations} evaluations")
    page.savefig(figure, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
