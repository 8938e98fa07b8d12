"""Damped Gauss-Newton over sizes and all frames at once.

Per frame A = Jq' W Jq + prior (F, F) and E = Jq' W Jt (F, P); over frames D = sum Jt' W Jt + prior (P, P). Frames go out::

    S = D - sum E' A^-1 E,   dt = S^-1 (g_t - sum E' A^-1 g_q),   dq = A^-1 (g_q - E dt)

so that the cost is linear in the number of frames: N F P^2 beside one P^3. N frames count as `FRAMES_COUNT` measurements: skin
moves in the same way in every stride. A marker further off than `ROBUST_SIGMAS` pulls the less the further it is.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.fit.places import SizedModel, Sizes, SkinAngles
from biomech_id.osim.fit.prior import SHAPE_SHARE, MarkerPrior, size_covariance
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.values import dataclass, replace

#: However many frames there are, they count as so many.
FRAMES_COUNT = 30
#: Beyond this many standard deviations (over the three axes) a marker's cost grows with the logarithm alone.
ROBUST_SIGMAS = 4.0
#: How far a coordinate is from its default, as a standard deviation, rad or m; the root's are free.
COORDINATE_SD = 1.0
#: How far a clamped coordinate may leave its range, as a standard deviation, rad.
FAR_SD = float(np.deg2rad(2.0))
#: Longest step of a logarithm of a factor, and of a coordinate (rad, m).
MOST_Z, MOST_Q = 0.3, 0.5
#: The fit has arrived when the cost falls by less and no logarithm of a factor moves further.
SAME_COST, SAME_Z = 0.02, 3e-3
MOST_STEPS = 40
#: Frames whose derivatives are held at the same time.
TOGETHER = 60


@dataclass(frozen=True, eq=False)
class FitProblem:
    """What is fitted to what.

    Attributes
    ----------
    sized : SizedModel
        The model and the places of its markers.
    measured_m : FloatArray
        (N, M, 3), axes of the surroundings, m; 0 where missing.
    seen : BoolArray
        (N, M), where a marker was recorded.
    angles : SkinAngles
        What carries the skin.
    markers : MarkerPrior
        What is known of the markers beforehand.
    precision : FloatArray
        (P, P), inverse of the prior covariance of the sizes.
    frames_count : float
        How many measurements all frames together count as, over their number.
    """

    sized: SizedModel
    measured_m: FloatArray
    seen: BoolArray
    angles: SkinAngles
    markers: MarkerPrior
    precision: FloatArray
    frames_count: float

    def at(self, measured_m: FloatArray, seen: BoolArray) -> FitProblem:
        """The same problem in other frames.

        Parameters
        ----------
        measured_m : FloatArray
            (N, M, 3), m; NaN where missing.
        seen : BoolArray
            (N, M), where a marker was recorded.

        Returns
        -------
        FitProblem
            A frame of it counts as much as one of this problem.
        """
        return replace(self, measured_m=np.where(seen[..., None], measured_m, 0.0), seen=seen)


def size_precision(sized: SizedModel, markers: MarkerPrior, covariance: FloatArray | None = None) -> FloatArray:
    """Inverse of the prior covariance of factors, offsets and skin.

    Parameters
    ----------
    sized : SizedModel
        The model.
    markers : MarkerPrior
        What is known of its markers.
    covariance : FloatArray | None, optional
        (3K, 3K), of the logarithms of the factors; people's for None.

    Returns
    -------
    FloatArray
        (3K + 9M, 3K + 9M).
    """
    C = size_covariance([body.name for body in sized.model.bodies]) if covariance is None else covariance
    shape_sd = SHAPE_SHARE * markers.sigma_m / np.sqrt(2.0)
    sd = np.concatenate([np.repeat(markers.place_sd_m, 3), np.repeat(shape_sd, 6)])
    out = np.zeros((len(C) + len(sd),) * 2)
    out[: len(C), : len(C)] = np.linalg.inv(C)
    free = np.arange(len(C), len(out))
    out[free, free] = 1.0 / sd**2
    return out


@dataclass(frozen=True, eq=False)
class NormalBlocks:
    """The equations of some frames, frame by frame and summed.

    Attributes
    ----------
    cost : float
        Half the sum of squares, of markers and coordinates.
    A : FloatArray
        (N, F, F), of the coordinates.
    E : FloatArray
        (N, F, P), of coordinates and sizes.
    D : FloatArray
        (P, P), of the sizes, summed; without their prior.
    g_q : FloatArray
        (N, F), downwards.
    g_t : FloatArray
        (P,), downwards, summed.
    weight : FloatArray
        (N, M), from 0 to 1: what the robust loss leaves of each marker; 0 where it is missing.
    off_m : FloatArray
        (N, M, 3), recorded marker minus the model's, m; 0 where it is missing.
    """

    cost: float
    A: FloatArray
    E: FloatArray
    D: FloatArray
    g_q: FloatArray
    g_t: FloatArray
    weight: FloatArray
    off_m: FloatArray


def normal_blocks(problem: FitProblem, tree: Tree, sizes: Sizes, q: FloatArray, *, with_sizes: bool = True) -> NormalBlocks:
    """Put up the equations of all frames of a problem.

    Parameters
    ----------
    problem : FitProblem
        Of N frames.
    tree : Tree
        At these sizes.
    sizes : Sizes
        Factors, offsets and skin.
    q : FloatArray
        (N, nq), all coordinates, completed, rad or m.
    with_sizes : bool, optional
        Whether E, D and g_t are wanted; else they are empty.

    Returns
    -------
    NormalBlocks
        Of N frames.
    """
    x = problem.angles.of(q)
    p, J_q, J_z, own = problem.sized.places(tree, sizes, q, x)
    off = np.where(problem.seen[..., None], problem.measured_m - p, 0.0)
    e2 = (off**2).sum(axis=2) / problem.markers.sigma_m**2
    limit = ROBUST_SIGMAS**2
    beyond = np.maximum(e2 / limit, 1.0)
    weight = problem.seen / beyond
    scale = problem.frames_count / ((1.0 - SHAPE_SHARE**2) * problem.markers.sigma_m**2)
    loss = np.where(beyond > 1.0, limit * (1.0 + np.log(beyond)), e2) * problem.markers.sigma_m**2
    n, M = weight.shape
    W = (weight * scale)[..., None, None]
    WJ_q, Wr = W * J_q, W[..., 0] * off
    flat_q = WJ_q.reshape(n, 3 * M, -1)
    A, g_q = flat_q.swapaxes(1, 2) @ J_q.reshape(n, 3 * M, -1), (WJ_q * off[..., None]).sum(axis=(1, 2))
    cost = 0.5 * float((loss * scale).sum()) + _coordinates(problem, tree, q, A, g_q)
    K3, columns = J_z.shape[3], problem.sized.own_columns
    P = K3 + columns.size if with_sizes else 0
    E, D, g_t = np.empty((n, A.shape[1], P)), np.zeros((P, P)), np.empty(P)
    if with_sizes:
        # A marker's offset and shapes move no other marker.
        WJ_z = W * J_z
        E[..., :K3] = flat_q.swapaxes(1, 2) @ J_z.reshape(n, 3 * M, K3)
        E[..., columns] = np.moveaxis(WJ_q.swapaxes(2, 3) @ own, 2, 1)
        D[:K3, :K3] = WJ_z.reshape(-1, K3).T @ J_z.reshape(-1, K3)
        D[:K3, columns] = np.moveaxis((WJ_z.swapaxes(2, 3) @ own).sum(axis=0), 1, 0)
        D[columns, :K3] = np.moveaxis(D[:K3, columns], 0, 2)
        D[columns[:, :, None], columns[:, None]] = ((W * own).swapaxes(2, 3) @ own).sum(axis=0)
        g_t[:K3], g_t[columns] = np.einsum("nmi,nmik->k", Wr, J_z), np.einsum("nmi,nmik->mk", Wr, own)
    return NormalBlocks(cost, A, E, D, g_q, g_t, weight, off)


def _coordinates(problem: FitProblem, tree: Tree, q: FloatArray, A: FloatArray, g_q: FloatArray) -> float:
    """Cost of coordinates away from their defaults and beyond their ranges; added to A and g_q in place."""
    model = problem.sized.model
    root = {name for joint in model.joints if joint.parent.body == SURROUNDINGS for name in joint.coordinates}
    chosen = [model.coordinates[k] for k in tree.free]
    stiffness = np.array([0.0 if c.name in root else COORDINATE_SD**-2 for c in chosen])
    low, high = np.array([c.range if c.clamped else (-np.inf, np.inf) for c in chosen]).reshape(-1, 2).T
    value = q[:, tree.free]
    off = value - np.array([c.default for c in chosen])
    excess = np.where(value > high, value - high, np.minimum(value - low, 0.0))
    diagonal = np.arange(len(chosen))
    A[:, diagonal, diagonal] += stiffness + (excess != 0) / FAR_SD**2 + 1e-9
    g_q -= stiffness * off + excess / FAR_SD**2
    return 0.5 * float((stiffness * off**2).sum() + (excess**2).sum() / FAR_SD**2)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where sizes and the chosen frames have arrived.

    Attributes
    ----------
    sizes : Sizes
        Factors, offsets and skin.
    q : FloatArray
        (N, nq), coordinates of the chosen frames, rad or m.
    covariance : FloatArray
        (P, P), of the sizes, in the order of `Sizes.flat`.
    cost : float
        Half the sum of squares, priors included.
    steps : int
        How many were tried.
    converged : bool
        Whether it arrived before steps ran out.
    """

    sizes: Sizes
    q: FloatArray
    covariance: FloatArray
    cost: float
    steps: int
    converged: bool


def fit_sizes(problem: FitProblem, sizes: Sizes, q: FloatArray) -> Fitted:
    """Find sizes and coordinates that make the sum of squares least.

    Parameters
    ----------
    problem : FitProblem
        Of N frames.
    sizes : Sizes
        Where to begin.
    q : FloatArray
        (N, nq), where to begin, rad or m.

    Returns
    -------
    Fitted
        The minimum, and how sure the sizes are.
    """
    prior, damping, converged = problem.precision, 1e-4, False

    def put_up(sizes: Sizes, q: FloatArray) -> tuple[Tree, NormalBlocks, float]:
        tree = problem.sized.tree_of(sizes.z)
        b = normal_blocks(problem, tree, sizes, q)
        return tree, b, b.cost + 0.5 * float(sizes.flat @ prior @ sizes.flat)

    tree, here, cost = put_up(sizes, q)
    steps = 0
    while steps < MOST_STEPS:
        steps += 1
        dt, dq = _step(here, prior, sizes, damping)
        trial = sizes.moved(dt)
        moved = q.copy()
        moved[:, tree.free] += dq
        moved = tree.skeleton.completed(moved)
        new_tree, there, new_cost = put_up(trial, moved)
        if not new_cost < cost:
            damping *= 10.0
            if damping > 1e6:
                break
            continue
        z_step = float(np.abs(trial.z - sizes.z).max())
        converged = cost - new_cost < SAME_COST and z_step < SAME_Z
        tree, here, cost, sizes, q = new_tree, there, new_cost, trial, moved
        damping /= 10.0
        if converged:
            break
    S, _, _ = schur(here, prior, 0.0)
    return Fitted(sizes, q, np.asarray(np.linalg.inv(S)), cost, steps, converged)


def schur(b: NormalBlocks, prior: FloatArray, damping: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Take frames out of the equations.

    Parameters
    ----------
    b : NormalBlocks
        Of N frames.
    prior : FloatArray
        (P, P), inverse of the prior covariance of the sizes.
    damping : float
        Share by which both diagonals are raised.

    Returns
    -------
    tuple[FloatArray, FloatArray, FloatArray]
        The equations of the sizes alone (P, P), A damped (N, F, F), and A^-1 E (N, F, P).
    """
    A, D = b.A.copy(), b.D + prior
    diagonal = np.arange(A.shape[1])
    A[:, diagonal, diagonal] *= 1.0 + damping
    D[np.diag_indices(len(D))] *= 1.0 + damping
    X: FloatArray = np.asarray(np.linalg.solve(A, b.E))
    P = len(D)
    return D - b.E.reshape(-1, P).T @ X.reshape(-1, P), A, X


def _step(b: NormalBlocks, prior: FloatArray, sizes: Sizes, damping: float) -> tuple[FloatArray, FloatArray]:
    S, A, X = schur(b, prior, damping)
    own = np.linalg.solve(A, b.g_q[..., None])[..., 0]
    right = b.g_t - prior @ sizes.flat - np.einsum("nfp,nf->p", b.E, own)
    dt = np.linalg.solve(S, right)
    K3 = sizes.z.size
    dt *= min(1.0, MOST_Z / max(float(np.abs(dt[:K3]).max()), 1e-12))
    return dt, np.clip(own - X @ dt, -MOST_Q, MOST_Q)


def refine(
    problem: FitProblem, fitted: Fitted, q: FloatArray, steps: int = 4
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Coordinates of all frames at fitted sizes, with skin and robust weights, and how sure they are.

    Parameters
    ----------
    problem : FitProblem
        Of N frames.
    fitted : Fitted
        Sizes and their covariance.
    q : FloatArray
        (N, nq), where to begin, rad or m.
    steps : int, optional
        How many Gauss-Newton steps every frame takes.

    Returns
    -------
    tuple[FloatArray, FloatArray, FloatArray, FloatArray]
        Coordinates (N, nq), covariances (N, F, F) of the free ones, what is left of each marker (N, M, 3), m, 0 where it is
        missing, and its robust weight (N, M).
    """
    tree = problem.sized.tree_of(fitted.sizes.z)
    q = tree.skeleton.completed(q)
    parts: list[tuple[FloatArray, ...]] = []
    for first in range(0, len(q), TOGETHER):
        rows = slice(first, first + TOGETHER)
        part, own = problem.at(problem.measured_m[rows], problem.seen[rows]), q[rows]
        for _ in range(steps):
            b = normal_blocks(part, tree, fitted.sizes, own, with_sizes=False)
            own = own.copy()
            own[:, tree.free] += np.clip(np.linalg.solve(b.A, b.g_q[..., None])[..., 0], -MOST_Q, MOST_Q)
            own = tree.skeleton.completed(own)
        b = normal_blocks(part, tree, fitted.sizes, own)
        X = np.linalg.solve(b.A, b.E)
        covariance = np.asarray(np.linalg.inv(b.A) + X @ fitted.covariance @ X.swapaxes(1, 2))
        parts.append((own, covariance, b.off_m, b.weight))
    a, c, off, weight = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    return a, c, off, weight
