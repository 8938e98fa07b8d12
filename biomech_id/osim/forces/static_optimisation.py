"""Static optimisation: the muscle forces of least effort that balance a recorded motion, in all rows at once.

No tendon stretches, no activation takes time to rise and no passive fibre pulls: each row stands alone. Ligaments, springs, limits
and contacts of a model that `read_actuated` reads act. See docs/muscle-forces.md for what such forces may be used for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, a_quantity, a_switch, each, takes
from biomech_id.errors import Finding
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import ActuatedModel
from biomech_id.osim.forces.equations import ForceEquations, force_equations
from biomech_id.osim.forces.least_effort import least_effort
from biomech_id.values import dataclass

#: Share of a moment's peak that reserves may carry before that is said; published work rejects trials above it.
MOST_RESERVE = 0.1
#: A muscle this near to its largest control is at its limit.
_AT_LIMIT = 1e-6


@compact_repr
@dataclass(frozen=True, eq=False)
class MuscleForces:
    """Forces of least effort, N rows, n actuators, m free coordinates.

    Attributes
    ----------
    equations : ForceEquations
        What was balanced.
    exponent : float
        Of the effort.
    activation : FloatArray
        (N, n), controls without unit; NaN in rows without an answer.
    force : FloatArray
        (N, n), N, or N m of actuators that turn; muscles along their tendons, positive. NaN in rows without an answer.
    price : FloatArray
        (N, m), what 1 N m (1 N) more by each free coordinate would cost; NaN in rows without an answer.
    missing : FloatArray
        (N, m), N m or N that no allowed controls make; 0 in rows with an answer.
    infeasible : BoolArray
        (N,), rows without an answer.
    contact_cost : float, optional
        What a body weight in some joints costs beside the activations; 0 for nothing, as long as nobody asks for it.
    """

    equations: ForceEquations
    exponent: float
    activation: FloatArray
    force: FloatArray
    price: FloatArray
    missing: FloatArray
    infeasible: BoolArray
    contact_cost: float = 0.0

    @property
    def names(self) -> list[str]:
        """Actuators: columns of activations and forces."""
        return self.equations.actuated.names

    @property
    def time_s(self) -> FloatArray:
        """Times (N,), s."""
        return self.equations.motion.time_s

    @property
    def has_bands(self) -> bool:
        """Whether these are least squares of the controls and nothing else, which bands are known for."""
        return self.exponent == 2 and not self.contact_cost

    @property
    def at_limit(self) -> BoolArray:
        """Whether each actuator's control is at its largest, (N, n)."""
        _, high = self.equations.actuated.bounds
        return np.asarray(self.activation >= high - _AT_LIMIT)

    @property
    def muscle_effort(self) -> FloatArray:
        """Sum (N,) of the muscles' activations to the exponent, without what reserves and residuals add."""
        return np.asarray((np.abs(self.activation[:, self.equations.actuated.muscles]) ** self.exponent).sum(axis=1))

    @property
    def reserve(self) -> FloatArray:
        """Part (N, m) of each moment, N m or N, that actuators other than muscles carry."""
        actuated = self.equations.actuated
        others = [k for k in range(len(actuated.actuators)) if k not in set(actuated.muscles)]
        return np.asarray((self.equations.arms[:, :, others] @ self.force[:, others, None])[..., 0])

    @property
    def reserve_share(self) -> FloatArray:
        """Largest part (m,) that actuators other than muscles carry, of the largest moment by the same coordinate."""
        solved = ~self.infeasible
        peak = np.abs(self.equations.tau[solved]).max(axis=0, initial=0.0)
        return np.asarray(np.abs(self.reserve[solved]).max(axis=0, initial=0.0) / np.where(peak > 0, peak, 1.0))

    def remarks(self) -> tuple[str, ...]:
        """Say what somebody should know of these forces.

        Returns
        -------
        tuple[str, ...]
            One sentence each: rows without an answer, moments that reserves carry, muscles at their limit; none if all is well.
        """
        return tuple(finding.message for finding in self.findings())

    def findings(self, where: str = "", coordinates: Collection[str] | None = None) -> Iterator[Finding]:
        """Name rows without an answer, moments that reserves carry, and muscles at their limit.

        Parameters
        ----------
        where : str, optional
            Name of the trial.
        coordinates : Collection[str] | None, optional
            Those whose reserves are looked at; all that muscles act on, but for the root's, unless given.

        Yields
        ------
        Finding
            None if all is well.
        """
        eq, model = self.equations, self.equations.actuated.model
        if self.infeasible.any():
            row, k = divmod(int(np.argmax(np.abs(self.missing))), len(eq.coordinates))
            yield Finding("muscle-forces-missing", {
                "n": int(np.sum(self.infeasible)), "rows": len(self.infeasible), "time_s": float(self.time_s[row]),
                "missing": float(self.missing[row, k]), "unit": self._unit(k), "coordinate": eq.coordinates[k],
            }, where)  # fmt: skip
        roots = {joint.name for joint in model.joints if joint.parent.body == SURROUNDINGS}
        share, reserve = self.reserve_share, np.abs(np.nan_to_num(self.reserve)).max(axis=0, initial=0.0)
        muscular = np.asarray(eq.arms[:, :, eq.actuated.muscles].any(axis=(0, 2)))
        for k, name in enumerate(eq.coordinates):
            looked_at = model.coordinates[model.index(name)].joint not in roots if coordinates is None else name in coordinates
            if share[k] > MOST_RESERVE and muscular[k] and looked_at:
                values = {"reserve": float(reserve[k]), "unit": self._unit(k), "coordinate": name, "percent": 100 * float(share[k])}
                yield Finding("muscle-reserves", values, where)
        limited = [self.names[k] for k in eq.actuated.muscles if self.at_limit[:, k].any()]
        if limited:
            yield Finding("muscles-at-limit", {"muscles": limited}, where)

    def _unit(self, coordinate: int) -> str:
        model = self.equations.actuated.model
        kind = model.coordinates[model.index(self.equations.coordinates[coordinate])].motion
        return "N" if kind == "translational" else "N m"


@takes(
    actuated=a(ActuatedModel, "bid.osim.read_actuated(path) reads one"), motion=a(RecordedMotion), loads=each(a(OuterForce)),
    exponent=a_quantity(), curves=a_switch(), compat=a_switch(),
)  # fmt: skip
def static_optimisation(
    actuated: ActuatedModel,
    motion: RecordedMotion,
    loads: Sequence[OuterForce] = (),
    *,
    exponent: float = 2.0,
    curves: bool = True,
    compat: bool = False,
) -> MuscleForces:
    """Find the muscle forces of least effort that balance a motion.

    The effort is the sum of all controls to the exponent, those of reserves and residuals too.

    Parameters
    ----------
    actuated : ActuatedModel
        The scaled model with its muscles and motors, of `biomech_id.osim.forces.actuators.read_actuated`.
    motion : RecordedMotion
        Coordinates of the model with two derivatives in time, rad and m, of
        `biomech_id.osim.forces.analysed_motion.analysed_motion`.
    loads : Sequence[OuterForce], optional
        What acts from outside, sampled over the motion's time, of `biomech_id.osim.run.outer_forces`.
    exponent : float, optional
        Of the effort, from 2.
    curves : bool, optional
        Whether muscles are as strong as their length and velocity let them; else each has its largest isometric force.
    compat : bool, optional
        Whether OpenSim's slips are made, so that its very strengths come out.

    Returns
    -------
    MuscleForces
        Activations without unit and forces in N of every row; NaN in rows that no allowed controls balance, with what is missing.

    Raises
    ------
    OptionError
        An exponent below 2.
    ShapeError
        A motion of another model.
    InvalidValueError
        A muscle over a surface that is not supported.
    """
    eq = force_equations(actuated, motion, loads, curves=curves, compat=compat)
    return least_forces(eq, exponent)


def least_forces(equations: ForceEquations, exponent: float = 2.0) -> MuscleForces:
    """Find the forces of least effort for equations that are set up already.

    Parameters
    ----------
    equations : ForceEquations
        Of `force_equations`.
    exponent : float, optional
        Of the effort, from 2.

    Returns
    -------
    MuscleForces
        As `static_optimisation` returns them.
    """
    low, high = equations.actuated.bounds
    answer = least_effort(equations.arms * equations.strength[:, None], equations.tau, low, high, exponent)
    gap = np.where(answer.infeasible, np.nan, 1.0)[:, None]
    controls = answer.controls * gap
    return MuscleForces(
        equations, exponent, controls, controls * equations.strength, answer.multipliers * gap, answer.missing, answer.infeasible
    )
