"""What a trial says of the whole body: momentum, residual, stability and energy; a `Solved` holds it."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import matvec
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.momentum import BodyMomentum, Ground, com_from_forces, ground_residual
from biomech_id.gait.measures.energy import Energy
from biomech_id.gait.measures.residual import RESIDUAL_CUTOFF_HZ, ResidualTest, without_filter_ends
from biomech_id.gait.measures.stability import Stability
from biomech_id.signal.filters import lowpass
from biomech_id.values import dataclass

#: How parameters of the whole body in ``spatiotemporal.csv`` begin.
WHOLE_BODY_PARAMETERS: tuple[str, ...] = (
    "margin_of_stability", "energy_recovery", "leg_work", "trunk_", "arm_swing", "angular_momentum", "centre_of_mass",
)  # fmt: skip


@compact_repr
@dataclass(frozen=True, eq=False)
class WholeBodyResult:
    """The whole body of one trial.

    Attributes
    ----------
    rate_hz : float
        Video frames of the trial per second.
    R_progression_lab : FloatArray
        (3, 3), rows forward, to the left and up, in laboratory components.
    momentum : BodyMomentum
        Centre of mass and momentum.
    energy : Energy
        Of the centre of mass, and the legs' power on it.
    ground : Ground | None, optional
        The ground's action on both feet; None without plates.
    test : ResidualTest | None, optional
        What the residual says; None where it is not judged.
    stability : Stability | None, optional
        Margins of stability; None where there are none.
    """

    rate_hz: float
    R_progression_lab: FloatArray
    momentum: BodyMomentum
    energy: Energy
    ground: Ground | None = None
    test: ResidualTest | None = None
    stability: Stability | None = None

    @property
    def mean_height_m(self) -> float:
        """Mean height of the centre of mass over the floor, metres."""
        return float(over_seen(np.nanmean, self.energy.potential_J_kg)) / GRAVITY_M_S2

    @property
    def spin_m2_s(self) -> FloatArray:
        """Angular momentum about the centre of mass per body mass, (n, 3), m2/s, axes of progression."""
        return matvec(self.R_progression_lab, self.momentum.angular_momentum_lab_kgm2_s) / self.momentum.mass_kg

    def residual(self) -> tuple[FloatArray, FloatArray] | None:
        """Residual force (n, 3), % of body weight, and moment (n, 3), N m per kg, below 6 Hz, axes of progression."""
        if self.ground is None:
            return None
        body, ground, R = self.momentum, self.ground, self.R_progression_lab
        force, inertia, turning = (
            lowpass(each, self.rate_hz, RESIDUAL_CUTOFF_HZ) / body.mass_kg
            for each in (ground.force_lab_N, body.mass_kg * body.com_acceleration_lab_m_s2, ground_residual(body, ground)[1])
        )
        percent = 100.0 / GRAVITY_M_S2 * matvec(R, force - inertia) - [0.0, 0.0, 100.0]
        inner = without_filter_ends(ground.known, self.rate_hz)[:, None]
        return np.where(inner, percent, np.nan), np.where(inner, matvec(R, turning), np.nan)

    def com_from_forces_lab_m(self) -> FloatArray | None:
        """Centre of mass as the ground's forces move it, (n, 3), metres, laboratory axes."""
        return None if self.ground is None else com_from_forces(self.momentum, self.ground, self.rate_hz)[0]
