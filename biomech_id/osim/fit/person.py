"""A generic model fitted to a person: sizes, marker places and motion from all trials at once, with standard deviations.

1. One size for the whole body, and inverse kinematics of some frames of every trial. 2. The frames that differ most. 3. Sizes,
places, skin and these frames together (``solve.py``). 4. All frames at the sizes found.

The smallest marker errors are not the aim: fitted with every frame as a measurement of its own they are smaller, and the joint
centres no better than those of scaling by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, a_quantity, each, or_none, takes
from biomech_id.errors import MissingInputError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.fit.agreement import Disagreement, disagreements, joint_measures
from biomech_id.osim.fit.places import SizedModel, Sizes, angles_of
from biomech_id.osim.fit.prior import COMPUTED_WORDS, marker_prior, size_covariance
from biomech_id.osim.fit.solve import FRAMES_COUNT, FitProblem, Fitted, fit_sizes, refine, size_precision
from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks, track_markers
from biomech_id.osim.run import with_muscle_lengths
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS
from biomech_id.osim.skeleton.closing import refuse_constraints
from biomech_id.trial import Trial
from biomech_id.values import dataclass, replace

#: Frames that sizes are fitted to: more are no better, for skin moves in the same way in each stride.
CHOSEN_FRAMES = 40
#: Frames of a trial among which they are chosen, and which the first size is found in.
CANDIDATES, FIRST_FRAMES, FIRST_ROUNDS = 120, 7, 3
#: Markers nearer to one another than this say more of their places than of a body's size, m.
SHORTEST_M = 0.05
#: Fewer markers than this cannot be a person.
FEWEST_SHARED = 6
#: A factor of which the data say less than this share is the prior's.
LEAST_DATA_SHARE = 0.3


@compact_repr
@dataclass(frozen=True, eq=False)
class FittedMotion:
    """The motion of one trial.

    Attributes
    ----------
    name : str
        Name of the trial.
    time_s : FloatArray
        (N,), of its frames.
    q : FloatArray
        (N, nq), all coordinates, rad or m; NaN in a frame without markers.
    sd : FloatArray
        (N, nq), their standard deviations, rad or m; 0 for locked ones, NaN in a frame without markers.
    residual_m : FloatArray
        (N, M, 3), recorded markers minus the model's, skin included, axes of the model's surroundings; NaN where missing.
    weight : FloatArray
        (N, M), from 0 to 1: how much each marker counted; below 0.1 it was thrown out.
    """

    name: str
    time_s: FloatArray
    q: FloatArray
    sd: FloatArray
    residual_m: FloatArray
    weight: FloatArray

    @property
    def rms_m(self) -> float:
        """Root mean square of the markers' distances, m."""
        return float(np.sqrt(np.nanmean((self.residual_m**2).sum(axis=2))))


@compact_repr
@dataclass(frozen=True, eq=False)
class PersonFit:
    """A model fitted to a person.

    Attributes
    ----------
    model : MusculoskeletalModel
        Scaled, with the markers where they were found.
    bodies : tuple[str, ...]
        Names of the K bodies.
    factors : FloatArray
        (K, 3), scale factors along the bodies' axes.
    factor_sd : FloatArray
        (K, 3), standard deviations of their logarithms.
    data_share : FloatArray
        (K, 3), from 0 to 1: how much of the variance that people of one size have the recordings take away. Below
        `LEAST_DATA_SHARE` a factor is people's mean and no measurement.
    moved_m : FloatArray
        (M, 3), how far markers lie from their scaled places, axes of their bodies.
    place_sd_m : FloatArray
        (M, 3), standard deviations of that.
    bony : BoolArray
        (M,), which markers were taken to be on bony landmarks.
    place_z : FloatArray
        (M,), length of ``moved_m`` over what misplacement is expected.
    lengths_m : Mapping[str, tuple[float, float]]
        Segment and side -> length between joint centres in the default pose and its standard deviation, m.
    hip_in_pelvis_m : Mapping[str, tuple[FloatArray, FloatArray]]
        Side -> hip centre (3,) in the pelvis's axes and its standard deviation along each, m.
    motions : tuple[FittedMotion, ...]
        One for each trial, in the order given.
    frames_used : Mapping[str, IntArray]
        Trial -> the frames that sizes were fitted to, counted from 0.
    steps : int
        Gauss-Newton steps taken.
    converged : bool
        Whether the fit arrived.
    size_chi2 : float
        Square of the logarithms of the factors in their prior's terms, over their number; above 3 the model does not fit.
    covariance : FloatArray
        (3K + 3M, 3K + 3M), of the logarithms of the factors and of ``moved_m``, m.
    disagreements : tuple[Disagreement, ...]
        For each two trials that move the joint centre or length that they disagree on most, however little.
    """

    model: MusculoskeletalModel
    bodies: tuple[str, ...]
    factors: FloatArray
    factor_sd: FloatArray
    data_share: FloatArray
    moved_m: FloatArray
    place_sd_m: FloatArray
    bony: BoolArray
    place_z: FloatArray
    lengths_m: Mapping[str, tuple[float, float]]
    hip_in_pelvis_m: Mapping[str, tuple[FloatArray, FloatArray]]
    motions: tuple[FittedMotion, ...]
    frames_used: Mapping[str, IntArray]
    steps: int
    converged: bool
    size_chi2: float
    covariance: FloatArray
    disagreements: tuple[Disagreement, ...]


@takes(
    model=a((MusculoskeletalModel, str, PathLike), "bid.osim.read_osim(path) reads one"),
    trials=each(a(Trial, "read(path) returns it")),
    mass_kg=or_none(a_quantity(1, 1000, "kg")),
)  # fmt: skip
def fit(model: MusculoskeletalModel | str | Path, trials: Sequence[Trial], *, mass_kg: float | None = None) -> PersonFit:
    """Fit a generic model to a person: sizes, marker places and motion from all trials at once.

    Parameters
    ----------
    model : MusculoskeletalModel | str | Path
        The generic model with markers named as in the recordings, or its ``.osim`` file.
    trials : Sequence[Trial]
        Static trials and movements of the person, in any order; what is to be analysed should be among them.
    mass_kg : float | None, optional
        Of the person; None leaves the model's.

    Returns
    -------
    PersonFit
        The scaled model, the motion of every trial, and how sure all of it is.

    Raises
    ------
    MissingInputError
        No trial, or fewer than `FEWEST_SHARED` markers that model and recordings have in common.
    """
    if not isinstance(model, MusculoskeletalModel):
        model = read_osim(model)
    followed, measured = _common(model, trials)
    sized, prior = SizedModel(followed), marker_prior(followed)
    weights = (prior.sigma_m.min() / prior.sigma_m) ** 2
    tasks = TrackingTasks(dict(zip((m.name for m in followed.markers), weights.tolist(), strict=True)))
    rows = [_candidates(y, t) for y, t in zip(measured, trials, strict=True)]
    candidates = [y[k] for y, k in zip(measured, rows, strict=True)]
    z = _first_size(sized, candidates, tasks)
    first = _scaled(followed, z)
    rates = [t.markers.rate_hz * len(k) / t.markers.n_frames for t, k in zip(trials, rows, strict=True)]
    q = np.concatenate([
        track_markers(first, _names(followed), y, tasks, rate_hz=rate).q for y, rate in zip(candidates, rates, strict=True)
    ])  # fmt: skip
    y = np.concatenate(candidates)
    seen = _seen(y)
    chosen = different_frames(_spread_angles(sized, q), seen.mean(axis=1))
    problem = FitProblem(
        sized, np.where(seen[..., None], y, 0.0)[chosen], seen[chosen], angles_of(followed, q), prior, size_precision(sized, prior),
        min(1.0, FRAMES_COUNT / len(chosen)),
    )  # fmt: skip
    M = len(followed.markers)
    fitted = fit_sizes(problem, Sizes(z, np.zeros((M, 3)), np.zeros((M, 2, 3))), q[chosen])
    place = np.exp(fitted.sizes.z)[sized.body - 1] * sized.place_m + fitted.sizes.offset_m
    markers = tuple(replace(marker, place_m=at) for marker, at in zip(followed.markers, place, strict=True))
    scaled, _ = with_muscle_lengths(model, scaled_model(model, _factors(model, fitted.sizes.z), mass_kg=mass_kg))
    own = replace(scaled, markers=markers)
    motions = tuple(_motion(problem, fitted, own, t, y, tasks) for t, y in zip(trials, measured, strict=True))
    owner = np.repeat(np.arange(len(trials)), [len(k) for k in rows])
    frame = np.concatenate(rows)
    used = {t.name: np.sort(frame[chosen[owner[chosen] == k]]) for k, t in enumerate(trials)}
    pairs = {motion.name: (motion.q, y) for motion, y in zip(motions, measured, strict=True)}
    return _result(problem, fitted, own, motions, used, disagreements(problem, fitted, pairs))


def _seen(y: FloatArray) -> BoolArray:
    return np.asarray(np.isfinite(y).all(axis=2))


def _names(model: MusculoskeletalModel) -> tuple[str, ...]:
    return tuple(marker.name for marker in model.markers)


def _factors(model: MusculoskeletalModel, z: FloatArray) -> dict[str, FloatArray]:
    return {body.name: np.exp(row) for body, row in zip(model.bodies, z, strict=True)}


def _scaled(model: MusculoskeletalModel, z: FloatArray) -> MusculoskeletalModel:
    return scaled_model(replace(model, muscles=(), wrap_objects=()), _factors(model, z))


def _common(model: MusculoskeletalModel, trials: Sequence[Trial]) -> tuple[MusculoskeletalModel, list[FloatArray]]:
    """The model with the markers worn in some trial, and their places (N, M, 3) in each, axes of the surroundings, m."""
    refuse_constraints(model, "The fit")
    if not trials:
        raise MissingInputError("No trial was given.", value=0, expected="at least one recording", where=model.name)
    recorded = {name for trial in trials for name in trial.markers.names if trial.markers.present(name)}
    placed = {name for name in recorded if not any(word in name.lower() for word in COMPUTED_WORDS)}
    markers = tuple(m for m in model.markers if m.name in placed and m.body != SURROUNDINGS)
    if len(markers) < FEWEST_SHARED:
        raise MissingInputError(
            f"Of the {len(model.markers)} markers of the model {model.name} the recordings have {len(markers)} by name; "
            f"{FEWEST_SHARED} are needed. Where names differ, give a MarkerSet with the recordings' names (--markers); an arm or a "
            "foot alone with fewer markers cannot be fitted.",
            value=sorted(recorded)[:20], expected=f"some of {[m.name for m in model.markers][:20]}",
            where=model.source or model.name,
        )  # fmt: skip
    measured = []
    for trial in trials:
        missing = np.full((trial.markers.n_frames, 3), np.nan)
        column = {name: trial.markers[name] for name in trial.markers.names}
        paths = [column.get(m.name, missing) for m in markers]
        measured.append(np.stack(paths, axis=1) @ R_LAB_SURROUNDINGS)
    return replace(model, markers=markers), measured


def _candidates(y: FloatArray, trial: Trial) -> IntArray:
    """Frames of a trial, evenly spread, with enough markers."""
    rows = np.unique(np.linspace(0, len(y) - 1, min(CANDIDATES, len(y))).astype(int))
    rows = rows[np.isfinite(y[rows]).all(axis=2).sum(axis=1) >= FEWEST_SHARED]
    if not len(rows):
        raise MissingInputError(
            f"No frame of {trial.name} has {FEWEST_SHARED} of the model's markers; leave this trial out.",
            value=trial.name, expected=f"{FEWEST_SHARED} markers in one frame", where=trial.path or trial.name,
        )  # fmt: skip
    return np.asarray(rows, dtype=int)


def _first_size(sized: SizedModel, candidates: Sequence[FloatArray], tasks: TrackingTasks) -> FloatArray:
    """Logarithms (K, 3) of one factor for the whole body: how far the recorded markers spread about their centre.

    A model much larger than the person folds to fit: the factor begins with distances within bodies, which no posture changes.
    """
    y = np.concatenate([y[np.linspace(0, len(y) - 1, min(FIRST_FRAMES, len(y))).astype(int)] for y in candidates])
    y = np.where(_seen(y)[..., None], y, np.nan)
    z = np.full((len(sized.model.bodies), 3), _within_bodies(sized, y))
    for _ in range(FIRST_ROUNDS):
        p = y + track_markers(_scaled(sized.model, z), _names(sized.model), y, tasks, rate_hz=1.0).residual_m
        above, below = (float(np.nansum((each - np.nanmean(each, axis=1, keepdims=True)) ** 2)) for each in (y, p))
        z = z + 0.5 * np.log(above / below)
    return z


def _within_bodies(sized: SizedModel, y: FloatArray) -> float:
    """Logarithm of recorded over model distances between markers of one body: their median, weighted by length; 0 without any."""
    i, j = np.triu_indices(len(sized.body), 1)
    model_m = np.linalg.norm(sized.place_m[i] - sized.place_m[j], axis=1)
    apart = np.linalg.norm(y[:, i] - y[:, j], axis=2)
    use = (sized.body[i] == sized.body[j]) & (model_m > SHORTEST_M) & np.isfinite(apart).any(axis=0)
    if not use.any():
        return 0.0
    log_ratio, weight = np.log(np.nanmean(apart[:, use], axis=0) / model_m[use]), model_m[use]
    order = np.argsort(log_ratio)
    return float(log_ratio[order][np.searchsorted(np.cumsum(weight[order]), 0.5 * weight.sum())])


def _spread_angles(sized: SizedModel, q: FloatArray) -> FloatArray:
    """Free coordinates but the root's (N, n), rad, without the outermost hundredth."""
    root = {name for joint in sized.model.joints if joint.parent.body == SURROUNDINGS for name in joint.coordinates}
    columns = [k for k in sized.tree.free if sized.model.coordinates[k].name not in root]
    low, high = np.percentile(q[:, columns], [1.0, 99.0], axis=0)
    return np.asarray(np.clip(q[:, columns], low, high))


def different_frames(angles: FloatArray, share_seen: FloatArray, most: int = CHOSEN_FRAMES) -> IntArray:
    """Choose the frames that differ most from one another.

    Parameters
    ----------
    angles : FloatArray
        (N, n), rad.
    share_seen : FloatArray
        (N,), share of the markers seen in each frame.
    most : int, optional
        How many are chosen at most.

    Returns
    -------
    IntArray
        Indices of the frames, the first one the furthest from the mean, each next one the furthest from all before it.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.fit.person import different_frames
    >>> different_frames(np.array([[0.0], [0.1], [1.0], [0.5]]), np.ones(4), 3).tolist()
    [2, 0, 3]
    """
    distance = np.linalg.norm(angles - angles.mean(axis=0), axis=1)
    chosen: list[int] = []
    for _ in range(min(most, len(angles))):
        score = distance * share_seen**2
        score[chosen] = -1.0
        chosen.append(int(np.argmax(score)))
        own = np.linalg.norm(angles - angles[chosen[-1]], axis=1)
        distance = own if len(chosen) == 1 else np.minimum(distance, own)
    return np.array(chosen)


def _motion(
    problem: FitProblem, fitted: Fitted, own: MusculoskeletalModel, trial: Trial, y: FloatArray, tasks: TrackingTasks
) -> FittedMotion:
    """All frames of a trial at the sizes found."""
    bare = replace(own, muscles=(), wrap_objects=())
    q = track_markers(bare, _names(own), y, tasks, rate_hz=trial.markers.rate_hz).q
    seen = _seen(y)
    there = np.flatnonzero(np.isfinite(q).all(axis=1))
    filled_q, covariance, off, weight = refine(problem.at(y[there], seen[there]), fitted, q[there])
    n, M = seen.shape
    all_q, sd, residual, weights = np.full_like(q, np.nan), np.full_like(q, np.nan), np.full((n, M, 3), np.nan), np.zeros((n, M))
    all_q[there], weights[there] = filled_q, weight
    tree = problem.sized.tree
    follow = tree.skeleton.coupling_jacobian(filled_q, tree.free.tolist())
    sd[there] = np.sqrt(np.maximum(np.einsum("nif,nfg,nig->ni", follow, covariance, follow), 0.0))
    residual[there] = np.where(seen[there][..., None], off, np.nan)
    return FittedMotion(trial.name, trial.markers.time_s, all_q, sd, residual, weights)


def _result(
    problem: FitProblem,
    fitted: Fitted,
    own: MusculoskeletalModel,
    motions: tuple[FittedMotion, ...],
    used: Mapping[str, IntArray],
    pairs: tuple[Disagreement, ...],
) -> PersonFit:
    sizes, covariance = fitted.sizes, fitted.covariance
    names = tuple(body.name for body in own.bodies)
    K3, M = sizes.z.size, len(own.markers)
    variance = np.diag(covariance)
    alone = np.diag(size_covariance(names, whole=False))
    data_share = np.clip(1.0 - variance[:K3] / alone, 0.0, 1.0).reshape(-1, 3)
    measures = joint_measures(problem.sized, sizes.z)
    values = {name: (m, float(np.sqrt(slope @ covariance[:K3, :K3] @ slope))) for name, (m, slope) in measures.items()}
    lengths = {name: value for name, value in values.items() if not name.startswith("hip_")}
    hips = {}
    for side in sorted({name[4] for name in values.keys() - lengths.keys()}, reverse=True):
        m, sd = np.array([values[f"hip_{side} {axis}"] for axis in "xyz"]).T
        hips[side] = m, sd
    z = sizes.z.ravel()
    place_sd = problem.markers.place_sd_m
    return PersonFit(
        own, names, np.exp(sizes.z), np.sqrt(variance[:K3]).reshape(-1, 3), data_share, sizes.offset_m,
        np.sqrt(variance[K3 : K3 + 3 * M]).reshape(M, 3), problem.markers.bony,
        np.linalg.norm(sizes.offset_m, axis=1) / (np.sqrt(3.0) * place_sd), lengths, hips, motions, used, fitted.steps,
        fitted.converged, float(z @ problem.precision[:K3, :K3] @ z) / K3, covariance[: K3 + 3 * M, : K3 + 3 * M], pairs,
    )  # fmt: skip
