"""Whether the trials of a person agree on joint centres: what each would make of them alone, from where all together have arrived.

From the sizes t of all trials one Gauss-Newton step with the frames of trial k alone leads to t_k, with S_k its equations with the
prior P. Were all trials of one person and one kind, misplaced markers and proportions would be the same in all of them, and only
skin and noise others; with D_k = S_k - P that makes ::

    Cov(t_a - t_b) = (S_a^-1 - S_b^-1) P (S_a^-1 - S_b^-1)  +  S_a^-1 D_a S_a^-1  +  S_b^-1 D_b S_b^-1

much less than the bands of both, which misplaced markers make wide. Trials that hardly move tell no joint, and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.fit.places import SizedModel
from biomech_id.osim.fit.solve import FRAMES_COUNT, FitProblem, Fitted, normal_blocks, schur
from biomech_id.values import dataclass, replace

#: Joint centres at the ends of a segment, as the bodies whose origins they are, without side.
SEGMENT_ENDS = {"thigh": ("femur", "tibia"), "shank": ("tibia", "talus")}
#: A trial moves if some angle's standard deviation over its frames is at least this, rad.
LEAST_SPREAD = float(np.deg2rad(5.0))
#: Trials disagree beyond so many standard deviations of a difference.
DISAGREE_SDS = 3.0


@compact_repr
@dataclass(frozen=True)
class Disagreement:
    """What two trials make of one length or coordinate of a joint centre.

    Attributes
    ----------
    trials : tuple[str, str]
        Their names.
    measure : str
        "thigh_r", or "hip_r y" for a coordinate of the hip centre in the pelvis.
    apart_m : float
        The first trial's value minus the second's, m.
    sd_m : float
        Standard deviation of that difference for trials of one kind, m.
    """

    trials: tuple[str, str]
    measure: str
    apart_m: float
    sd_m: float


def joint_measures(sized: SizedModel, z: FloatArray) -> dict[str, tuple[float, FloatArray]]:
    """Lengths between joint centres in the default pose, and hip centres in the pelvis.

    Parameters
    ----------
    sized : SizedModel
        The model.
    z : FloatArray
        (K, 3), logarithms of its factors.

    Returns
    -------
    dict[str, tuple[float, FloatArray]]
        "thigh_r" or "hip_r x" -> value, m, and its derivative by z (3K,), m; without segments that the model lacks.
    """
    tree = sized.tree_of(z)
    q = tree.skeleton.default_q()[None]
    posture = tree.posture(q)
    origin, R = posture.place[0, :, :3, 3], posture.place[0, :, :3, :3]
    by_z = sized.origins_by_z(posture, q, z)[0]
    number = {name.lower(): k for k, name in enumerate(tree.skeleton.body_names)}
    measures: dict[str, tuple[float, FloatArray]] = {}
    for side in ("r", "l"):
        for segment, ends in SEGMENT_ENDS.items():
            top, bottom = (number.get(f"{end}_{side}") for end in ends)
            if top is None or bottom is None:
                continue
            along = origin[bottom] - origin[top]
            length = float(np.linalg.norm(along))
            measures[f"{segment}_{side}"] = length, (along / length) @ (by_z[bottom] - by_z[top])
        hip, pelvis = number.get(f"femur_{side}"), number.get("pelvis")
        if hip is not None and pelvis is not None:
            at, slope = R[pelvis].T @ (origin[hip] - origin[pelvis]), R[pelvis].T @ (by_z[hip] - by_z[pelvis])
            measures |= {f"hip_{side} {axis}": (float(at[k]), slope[k]) for k, axis in enumerate("xyz")}
    return measures


def disagreements(
    problem: FitProblem, fitted: Fitted, trials: Mapping[str, tuple[FloatArray, FloatArray]]
) -> tuple[Disagreement, ...]:
    """Compare what moving trials make of joint centres.

    Parameters
    ----------
    problem : FitProblem
        Of all trials.
    fitted : Fitted
        Its solution.
    trials : Mapping[str, tuple[FloatArray, FloatArray]]
        Name -> coordinates (N, nq), rad or m, NaN in frames without any, and recorded markers (N, M, 3), m, NaN where missing.

    Returns
    -------
    tuple[Disagreement, ...]
        For each two trials that move the measure that is furthest apart in its standard deviations, however near that is.
    """
    names, alone = [], []
    for name, (q, y) in trials.items():
        there = np.flatnonzero(np.isfinite(q).all(axis=1))
        if len(there) < FRAMES_COUNT or _spread(problem, q[there]) < LEAST_SPREAD:
            continue
        rows = there[np.linspace(0, len(there) - 1, FRAMES_COUNT).astype(int)]
        names.append(name)
        alone.append(_alone(problem, fitted, q[rows], y[rows]))
    measures = joint_measures(problem.sized, fitted.sizes.z)
    if not measures:
        return ()
    pairs = combinations(range(len(names)), 2)
    return tuple(_furthest(problem, measures, (names[a], names[b]), (alone[a], alone[b])) for a, b in pairs)


def _spread(problem: FitProblem, q: FloatArray) -> float:
    """Largest standard deviation of an angle, rad; the root turns with the way that is walked and does not count."""
    model = problem.sized.model
    root = {name for joint in model.joints if joint.parent.body == SURROUNDINGS for name in joint.coordinates}
    angles = [k for k in problem.sized.tree.free if model.coordinates[k].name not in root]
    return float(q[:, angles].std(axis=0).max(initial=0.0))


def _alone(problem: FitProblem, fitted: Fitted, q: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Where a trial alone would take the sizes (P,), their covariance, and the equations of its frames without the prior."""
    sizes, prior = fitted.sizes, problem.precision
    part = replace(problem.at(y, np.asarray(np.isfinite(y).all(axis=2))), frames_count=1.0)
    blocks = normal_blocks(part, problem.sized.tree_of(sizes.z), sizes, q)
    S, _, X = schur(blocks, prior, 0.0)
    covariance = np.asarray(np.linalg.inv(S))
    step = covariance @ (blocks.g_t - prior @ sizes.flat - np.einsum("nfp,nf->p", X, blocks.g_q))
    return step, covariance, S - prior


def _furthest(
    problem: FitProblem,
    measures: Mapping[str, tuple[float, FloatArray]],
    names: tuple[str, str],
    alone: Sequence[tuple[FloatArray, FloatArray, FloatArray]],
) -> Disagreement:
    (step_a, cov_a, data_a), (step_b, cov_b, data_b) = alone
    change = cov_a - cov_b
    covariance = change @ problem.precision @ change + cov_a @ data_a @ cov_a + cov_b @ data_b @ cov_b
    rows = {name: slope for name, (_, slope) in measures.items()}
    n = 3 * len(problem.sized.model.bodies)
    apart = {name: float(slope @ (step_a - step_b)[:n]) for name, slope in rows.items()}
    sd = {name: float(np.sqrt(slope @ covariance[:n, :n] @ slope)) for name, slope in rows.items()}
    worst = max(rows, key=lambda name: abs(apart[name]) / sd[name])
    return Disagreement(names, worst, apart[worst], sd[worst])
