"""Two bands beside forces of least effort: how far errors move them, and how far nearly the same effort lets them go.

Errors, by linear response with the controls at a bound held there (f: those strictly inside) ::

    d lambda = (G_f G_f^T / 2)^-1 (d tau - dG a - G_f dG_f^T lambda / 2),   da_f = (dG_f^T lambda + G_f^T d lambda) / 2
    dF = s da + a ds

Nearly the same effort: the ends of w F over all controls that balance the motion, within bounds, and cost at most x of the muscles'
effort more, sum a^2 <= J + x J_muscles. Least sum a^2 - t w F lies at an end for one t, which a secant finds. It is no confidence
interval: in the one implanted knee that was looked at, 56 % of the measured rows lay inside at x = 0.05, most others below.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, a_quantity, a_str, each, or_none, takes
from biomech_id.dynamics.leg_forces import Banded
from biomech_id.errors import OptionError, UnknownNameError
from biomech_id.osim.forces.joint_reactions import joint_reactions, size_gradient
from biomech_id.osim.forces.least_effort import least_effort_along
from biomech_id.osim.forces.static_optimisation import MuscleForces
from biomech_id.values import dataclass

#: Share of the muscles' effort that the near-optimal range allows beyond the least.
MORE_EFFORT = 0.05
#: The effort at an end is as near to its limit, as a share of what is allowed.
_AT_LIMIT = 1e-7
_MOST_SECANTS = 60
#: Largest change of log t in a step, before both sides of the limit are known.
_STRIDE = 2.0
#: log t this far beyond its first guess changes nothing more: bounds hold the sum before the effort does.
_FURTHEST = 12.0
#: A moment arm below this, m, is none.
_ROUNDING_M = 1e-9
#: Of a direction, the share along which controls that are inside can move, at least.
_FIXED = 1e-3


@dataclass(frozen=True)
class ForceErrors:
    """Standard deviations of what forces follow from, independent of one another; assumptions, not measurements.

    Attributes
    ----------
    strength : float, optional
        Of each muscle's strength, as a share of it.
    arm : float, optional
        Of each moment arm, as a share of it.
    moment : float, optional
        Of each moment, as a share of its largest size in the rows.
    """

    strength: float = 0.1
    arm: float = 0.05
    moment: float = 0.03


@compact_repr
@dataclass(frozen=True, eq=False)
class EffortProblem:
    """Solved rows of least effort, N rows, m coordinates, n actuators, exponent 2.

    Attributes
    ----------
    G : FloatArray
        (N, m, n), N m (N) of each coordinate for a control of 1.
    tau : FloatArray
        (N, m), N m (N).
    strength : FloatArray
        (N, n), N (N m) at a control of 1.
    bounds : tuple[FloatArray, FloatArray]
        Least and largest controls (n,).
    controls, multipliers : FloatArray
        (N, n) and (N, m), the optimum.
    muscles : BoolArray
        (n,), which actuators are muscles.
    columns : IntArray
        (n,), their columns among all of the model.
    """

    G: FloatArray
    tau: FloatArray
    strength: FloatArray
    bounds: tuple[FloatArray, FloatArray]
    controls: FloatArray
    multipliers: FloatArray
    muscles: BoolArray
    columns: IntArray

    @property
    def inside(self) -> BoolArray:
        """Controls (N, n) strictly between their bounds."""
        return np.asarray((self.controls > self.bounds[0]) & (self.controls < self.bounds[1]))


@compact_repr
@dataclass(frozen=True, eq=False)
class ForceBands:
    """Forces of muscles and what joints carry, each with both bands, N rows; NaN in rows without an answer.

    Attributes
    ----------
    muscles, joints : tuple[str, ...]
        Names of K muscles and J joints.
    force : Banded
        (N, K), N, along the tendons.
    contact : Banded
        (N, J), N, sizes; bands along the contact forces' own directions.
    """

    muscles: tuple[str, ...]
    joints: tuple[str, ...]
    force: Banded
    contact: Banded


@takes(
    muscle_forces=a(MuscleForces, "static_optimisation returns them"), joints=each(a_str()), muscles=each(a_str()),
    share=a_quantity(0.0, 10.0), errors=or_none(a(ForceErrors)),
)  # fmt: skip
def force_bands(
    muscle_forces: MuscleForces,
    *,
    joints: Sequence[str] = (),
    muscles: Sequence[str] = (),
    share: float = MORE_EFFORT,
    errors: ForceErrors | None = None,
) -> ForceBands:
    """Put both bands beside muscle forces and contact forces.

    Parameters
    ----------
    muscle_forces : MuscleForces
        With the exponent 2.
    joints : Sequence[str], optional
        Names of joints whose contact forces are wanted.
    muscles : Sequence[str], optional
        Names of the muscles that are wanted, and whose effort is meant; all of them if empty. What shares a coordinate with them
        must be among them: the muscles of a leg, say.
    share : float, optional
        Of these muscles' effort that the near-optimal range may spend beyond the least.
    errors : ForceErrors | None, optional
        Assumed standard deviations; those of `ForceErrors` unless given.

    Returns
    -------
    ForceBands
        Values, one standard deviation, and the ends of the range, N.

    Raises
    ------
    OptionError
        Another exponent than 2.
    UnknownNameError
        A joint or muscle that the model does not have.
    """
    names = muscle_forces.names
    unknown = [name for name in muscles if name not in names]
    if unknown:
        raise UnknownNameError(
            f"The model has no muscle {unknown[0]!r}.", value=unknown, expected=f"some of {names}", where="muscles"
        )  # fmt: skip
    wanted = np.array([names.index(name) for name in muscles] or muscle_forces.equations.actuated.muscles)
    rows, K = np.flatnonzero(~muscle_forces.infeasible), len(wanted)
    problem = effort_problem(muscle_forces, rows, wanted)
    single = problem.columns == wanted[:, None]
    press = size_gradient(muscle_forces, joints)[rows][:, :, problem.columns]
    weights = np.concatenate([np.broadcast_to(single, (len(rows), *single.shape)), press], axis=1)
    now = (weights @ (problem.controls * problem.strength)[..., None])[..., 0]
    contact = joint_reactions(muscle_forces, joints=joints).size_N if joints else np.empty((len(muscle_forces.infeasible), 0))
    value = np.concatenate([muscle_forces.force[:, wanted], contact], axis=1)
    sd, least, most = (np.full(value.shape, np.nan) for _ in range(3))
    low, high, _ = near_optimal(problem, weights, share)
    sd[rows], least[rows], most[rows] = linear_response(problem, weights, errors), value[rows] + low - now, value[rows] + high - now
    parts = (Banded(*(band[:, part] for band in (value, sd, least, most))) for part in (slice(K), slice(K, None)))
    return ForceBands(tuple(names[k] for k in wanted), tuple(joints), *parts)


def effort_problem(forces: MuscleForces, rows: IntArray | None = None, muscles: IntArray | None = None) -> EffortProblem:
    """Take some muscles, and all that shares a coordinate with them, out of forces of least effort.

    Parameters
    ----------
    forces : MuscleForces
        With the exponent 2.
    rows : IntArray | None, optional
        Rows with an answer; all that have one unless given.
    muscles : IntArray | None, optional
        Columns of muscles; all unless given. Others that act on the same coordinates must be among them.

    Returns
    -------
    EffortProblem
        Of the coordinates that these muscles act on, and of what drives those.

    Raises
    ------
    OptionError
        Another exponent than 2: its optimum has other equations.
    """
    if not forces.has_bands:
        also = " and a contact force in the cost" if forces.contact_cost else ""
        raise OptionError(
            f"Bands are known for the exponent 2 and nothing else in the cost, not for {forces.exponent:g}{also}.",
            value=forces.exponent, expected="2, without a contact force", where="exponent",
        )  # fmt: skip
    eq = forces.equations
    rows = np.flatnonzero(~forces.infeasible) if rows is None else rows
    muscles = np.array(eq.actuated.muscles) if muscles is None else muscles
    acted = np.abs(eq.arms[rows]).max(axis=0, initial=0.0) > _ROUNDING_M
    of = np.flatnonzero(acted[:, muscles].any(axis=1))
    drives = np.flatnonzero(acted[of].any(axis=0))
    low, high = eq.actuated.bounds
    G = eq.arms[rows][:, of][:, :, drives] * eq.strength[rows][:, None, drives]
    return EffortProblem(
        G, eq.tau[rows][:, of], eq.strength[rows][:, drives], (low[drives], high[drives]), forces.activation[rows][:, drives],
        forces.price[rows][:, of], np.isin(drives, eq.actuated.muscles), drives,
    )  # fmt: skip


def linear_response(problem: EffortProblem, weights: FloatArray, errors: ForceErrors | None = None) -> FloatArray:
    """Compute how far errors move sums of forces.

    Parameters
    ----------
    problem : EffortProblem
        Of `effort_problem`.
    weights : FloatArray
        (N, s, n), of each force in each sum: a unit matrix for single forces, a gradient for a contact force.
    errors : ForceErrors | None, optional
        Standard deviations of strengths, moment arms and moments; those of `ForceErrors` unless given.

    Returns
    -------
    FloatArray
        (N, s), one standard deviation of each sum, N (N m). Muscles that would come off their bound are not in it.
    """
    errors, p, controls = errors or ForceErrors(), problem, problem.controls
    free = p.inside.astype(float)
    by_control = weights * p.strength[:, None]
    G_free = p.G * free[:, None]
    H = G_free @ G_free.swapaxes(1, 2) / 2
    through = by_control @ np.linalg.solve(H + _tiny(H), G_free).swapaxes(1, 2)
    back = through @ p.G
    price = (p.multipliers[:, None] @ p.G)[:, 0]
    of_muscle = p.muscles.astype(float)
    # A muscle's strength changes its whole column of G, and its force at the same control.
    by_strength = (
        by_control * (free * price)[:, None] - back * (controls + free * price / 2)[:, None]
    ) / 2 + by_control * controls[:, None]
    # A moment arm changes one entry of G: lambda_j p_k - q_j a_k of each, squares added up without writing them all.
    own, square = (by_control - back / 2) * free[:, None] * of_muscle, (p.G * of_muscle) ** 2
    price2 = (p.multipliers[:, None] ** 2 @ square)[:, 0]
    mixed = (through * p.multipliers[:, None] * ((own * controls[:, None]) @ square.swapaxes(1, 2))).sum(axis=2)
    moved = (through**2 * (square @ (controls**2)[..., None])[:, None, :, 0]).sum(axis=2)
    by_arm = ((own**2 * price2[:, None]).sum(axis=2) - 2 * mixed + moved) / 4
    sizes = errors.moment * np.abs(p.tau).max(axis=0)
    by_moment = ((through * sizes / 2) ** 2).sum(axis=2)
    variance = errors.strength**2 * (by_strength**2 @ of_muscle) + errors.arm**2 * np.maximum(by_arm, 0.0) + by_moment
    return np.asarray(np.sqrt(variance))


def near_optimal(
    problem: EffortProblem, weights: FloatArray, share: float = MORE_EFFORT
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Find how far sums of forces can go at nearly the least effort.

    Parameters
    ----------
    problem : EffortProblem
        Of `effort_problem`.
    weights : FloatArray
        (N, s, n), of each force in each sum.
    share : float, optional
        Of the muscles' effort that may be spent beyond the least.

    Returns
    -------
    tuple[FloatArray, FloatArray, FloatArray]
        Least and largest sums (N, s), N (N m), and the controls (N, s, 2, n) at these ends. A sum that the motion leaves no choice
        of has both ends in one.
    """
    p, (N, s, n) = problem, weights.shape
    of_row = np.repeat(np.arange(N), 2 * s)
    along = (weights * p.strength[:, None])[:, :, None] * np.array([-1.0, 1.0])[:, None]
    along = along.reshape(-1, n)
    allowed = share * (p.controls**2 * p.muscles).sum(axis=1)[of_row]
    controls, multipliers = p.controls[of_row], p.multipliers[of_row]
    within = controls.copy()
    log_t = np.log(_first_order(p, along, of_row, allowed))
    least = (p.controls**2).sum(axis=1)[of_row]
    left, most = np.flatnonzero(np.isfinite(log_t)), log_t + _FURTHEST
    low, high, before = np.full(len(of_row), -np.inf), np.full(len(of_row), np.inf), np.full((2, len(of_row)), np.nan)
    for number in range(1, _MOST_SECANTS + 1):
        if not len(left):
            break
        rows = of_row[left]
        slope = np.exp(log_t[left])[:, None] * along[left]
        controls[left], multipliers[left] = least_effort_along(p.G[rows], p.tau[rows], p.bounds, slope, multipliers[left])
        spent = (controls[left] ** 2).sum(axis=1) - least[left]
        off = np.log(np.maximum(spent, np.finfo(float).tiny) / allowed[left])
        x = log_t[left]
        within[left[off <= 0]] = controls[left[off <= 0]]
        low[left], high[left] = np.where(off < 0, x, low[left]), np.where(off > 0, x, high[left])
        with np.errstate(invalid="ignore", divide="ignore"):
            rise = (off - before[1, left]) / (x - before[0, left])
        step = -off / np.where(np.isfinite(rise) & (rise > 0.2), rise, 2.0)
        onwards = x + np.clip(step, -_STRIDE, _STRIDE)
        # At a kink a secant creeps: every third step halves what both sides leave.
        astray = (onwards <= low[left]) | (onwards >= high[left])
        halved = np.flatnonzero((astray | (number % 3 == 0)) & np.isfinite(low[left]) & np.isfinite(high[left]))
        onwards[halved] = (low[left[halved]] + high[left[halved]]) / 2
        before[:, left] = x, off
        going = (np.abs(off) > _AT_LIMIT) & ((x < most[left]) | (off > 0))
        log_t[left] = np.where(going, onwards, x)
        left = left[going]
    controls[left] = within[left]
    ends = controls.reshape(N, s, 2, n)
    sums = (ends * (weights * p.strength[:, None])[:, :, None]).sum(axis=3)
    return sums[..., 0], sums[..., 1], ends


def _first_order(p: EffortProblem, along: FloatArray, of_row: IntArray, allowed: FloatArray) -> FloatArray:
    """The t that would spend what is allowed if no control met or left a bound; infinite where there is no choice."""
    G_free = (p.G * p.inside[:, None])[of_row]
    H = G_free @ G_free.swapaxes(1, 2)
    own = along * p.inside[of_row]
    across = np.linalg.solve(H + _tiny(H), (G_free @ own[..., None]))
    left = own - (G_free.swapaxes(1, 2) @ across)[..., 0]
    # A muscle on its bound has no first order, and may come off it.
    size = np.maximum(np.linalg.norm(left, axis=1), _FIXED * np.linalg.norm(along, axis=1))
    with np.errstate(divide="ignore"):
        return np.asarray(2 * np.sqrt(allowed) / size)


def _tiny(H: FloatArray) -> FloatArray:
    """What keeps a coordinate without a free control from being divided by, (N, m, m)."""
    trace = np.trace(H, axis1=1, axis2=2) + np.finfo(float).tiny
    return np.asarray(1e-15 * trace[:, None, None] * np.eye(H.shape[1]))
