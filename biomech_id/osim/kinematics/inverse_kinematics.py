"""A model's coordinates from recorded markers: weighted least squares over all coordinates at once, in every frame.

The objective is OpenSim's (`least_squares`), the minimum is exact (`pose_search`). Coordinates that are clamped stay within their
range, those that follow others follow, locked ones stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.errors import InvalidValueError, MissingInputError, ShapeError, UnknownNameError
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.kinematics.least_squares import Wanted, expand, within_constraints
from biomech_id.osim.kinematics.nearer_poses import nearer_poses
from biomech_id.osim.kinematics.pose_search import KEY_STEP_S, PoseSearch, hard_limits
from biomech_id.osim.skeleton.closing import bound_directions
from biomech_id.osim.skeleton.tree import Tree, TreePose
from biomech_id.values import dataclass, field

#: Soft tissue below a marker, RMS over a walk along each axis, mm: by the body it is on, most distal words first.
SOFT_TISSUE_MM: Mapping[str, float] = {
    "toe": 1.4, "calcn": 1.05, "foot": 1.05, "talus": 1.4, "tibia": 3.5, "shank": 3.5, "patella": 4.9, "femur": 4.9, "thigh": 4.9,
    "pelvis": 2.8,
}  # fmt: skip
#: The same on any other body.
OTHER_TISSUE_MM = 4.9
#: What a model's joints leave of the markers of a walk beside that, RMS along each axis, mm: a knee that only flexes is not the
#: subject's. Of six children who walk, 2 to 6 mm make the root's residual least (benchmarks/studies/constant_bones.md).
MISFIT_MM = 4.0
#: Share of gravity that may lie across an axis for that axis to be vertical: what rounding in a file leaves.
ALONG_AXIS = 1e-3


@dataclass(frozen=True, eq=False)
class TrackingTasks:
    """What is followed, and how strictly.

    Attributes
    ----------
    marker_weights : Mapping[str, float]
        Weight of each marker; those that are not named are not followed.
    coordinate_weights : Mapping[str, float], optional
        Weight of each coordinate that is drawn to a target.
    targets : Mapping[str, float | ArrayLike], optional
        The targets, rad or m, one number or one a frame; the model's default where none is given.
    soft_limits : float, optional
        Weight of the square by which any coordinate leaves its range; 0 lets it.

    Raises
    ------
    InvalidValueError
        A weight below zero, or no marker that counts.

    Examples
    --------
    >>> from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks
    >>> TrackingTasks({"R.ASIS": 10.0, "R.Knee.Lat": 1.0}, {"subtalar_angle_r": 1000.0}).targets
    {}
    """

    marker_weights: Mapping[str, float]
    coordinate_weights: Mapping[str, float] = field(default_factory=dict)
    targets: Mapping[str, float | ArrayLike] = field(default_factory=dict)
    soft_limits: float = 0.0

    def __post_init__(self) -> None:
        for name, weight in (*self.marker_weights.items(), *self.coordinate_weights.items(), ("soft_limits", self.soft_limits)):
            if not (np.isfinite(weight) and weight >= 0):
                raise InvalidValueError(
                    f"The weight of {name} is {weight}.", value=weight, expected="a number from 0", where="TrackingTasks"
                )
        if not any(self.marker_weights.values()):
            raise InvalidValueError(
                "No marker has a weight above zero.", value=dict(self.marker_weights), expected="weights of markers",
                where="TrackingTasks",
            )  # fmt: skip


def soft_tissue_weights(
    model: MusculoskeletalModel, sizes_mm: Mapping[str, float] | None = None, *, misfit_mm: float = 0.0
) -> dict[str, float]:
    """Weigh a model's markers by how much the tissue below them moves.

    A weight is 1 / size^2, divided by the largest: the marker on the firmest tissue has 1.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its markers; the body that a marker is on decides the size.
    sizes_mm : Mapping[str, float] | None, optional
        One standard deviation along each axis of markers that are known better, mm, by the marker's name.
    misfit_mm : float, optional
        What the model itself is off, the same for all markers (`MISFIT_MM` for a walk), mm; added to each size in squares.

    Returns
    -------
    dict[str, float]
        Weight from 0 to 1 of each of the model's markers, by its name.

    Examples
    --------
    >>> from biomech_id.osim.kinematics.inverse_kinematics import soft_tissue_weights
    >>> from biomech_id.multibody.musculoskeletal import ModelMarker, MusculoskeletalModel
    >>> asis, toe = ModelMarker("ASIS", "ground", (0.0, 0.0, 0.0)), ModelMarker("TOE", "ground", (1.0, 0.0, 0.0))
    >>> soft_tissue_weights(MusculoskeletalModel("m", (), (), (), markers=(asis, toe)), {"ASIS": 2.8, "TOE": 1.4})
    {'ASIS': 0.25, 'TOE': 1.0}
    """
    known = sizes_mm or {}
    tissue_mm = {name: known.get(name, 1e3 * size_m) for name, size_m in tissue_sizes_m(model).items()}
    variance = {name: size**2 + misfit_mm**2 for name, size in tissue_mm.items()}
    least = min(variance.values(), default=1.0)
    return {name: least / of_marker for name, of_marker in variance.items()}


def tissue_sizes_m(model: MusculoskeletalModel) -> dict[str, float]:
    """How much the tissue below each marker moves over a walk.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model; by the body that a marker is on.

    Returns
    -------
    dict[str, float]
        One standard deviation along each axis, m, by the marker's name.
    """
    return {marker.name: _tissue_mm(marker.body) / 1e3 for marker in model.markers}


def _tissue_mm(body: str) -> float:
    return next((size for word, size in SOFT_TISSUE_MM.items() if word in body.lower()), OTHER_TISSUE_MM)


@compact_repr
@dataclass(frozen=True, eq=False)
class CoordinateCovariance:
    """How uncertain coordinates are, and together.

    Attributes
    ----------
    coordinates : tuple[str, ...]
        Names, F of them.
    covariance : FloatArray
        (N, F, F), rad and m.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.osim.kinematics.inverse_kinematics import CoordinateCovariance
    >>> CoordinateCovariance(("hip", "knee"), np.array([[[0.0004, 0.0], [0.0, 0.0001]]])).sd
    array([[0.02, 0.01]])
    """

    coordinates: tuple[str, ...]
    covariance: FloatArray

    @property
    def sd(self) -> FloatArray:
        """Standard deviations (N, F), rad or m."""
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))


@compact_repr
@dataclass(frozen=True, eq=False)
class TrackedPose:
    """What inverse kinematics found.

    Attributes
    ----------
    coordinates : tuple[str, ...]
        Names, all of the model's, in its order.
    q : FloatArray
        (N, nq), rad or m; NaN in a frame without any marker.
    markers : tuple[str, ...]
        Names of the markers that were followed.
    residual_m : FloatArray
        (N, M, 3), the model's marker minus the recorded one, axes of the surroundings; NaN where it is missing.
    cost : FloatArray
        (N,), the sum of squares as OpenSim counts it, m^2.
    converged : BoolArray
        (N,), whether the minimum was reached; true for a frame without any marker.
    undetermined : BoolArray
        (N, nq), coordinates that markers and targets of the frame do not determine, alone or together with others. Those that no
        frame determines stand at their default as far as the markers allow; the others between their neighbours.
    problem : tuple[Tree, Wanted]
        The tree and the weighted targets that were solved for; `covariance` needs both.
    """

    coordinates: tuple[str, ...]
    q: FloatArray
    markers: tuple[str, ...]
    residual_m: FloatArray
    cost: FloatArray
    converged: BoolArray
    undetermined: BoolArray
    problem: tuple[Tree, Wanted] = field(repr=False)

    def __post_init__(self) -> None:
        n = len(self.cost)
        object.__setattr__(self, "q", readonly(self.q, (n, len(self.coordinates)), name="q", where="inverse kinematics"))
        shape = (n, len(self.markers), 3)
        object.__setattr__(self, "residual_m", readonly(self.residual_m, shape, name="residual_m", where="inverse kinematics"))

    @property
    def residual_rms_m(self) -> FloatArray:
        """Root mean square of each marker's distance (M,), over the frames that have it, m; NaN for one that never is there."""
        there = np.isfinite(self.residual_m[..., 0])
        squares = np.where(there, np.sum(self.residual_m**2, axis=2), 0.0).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.sqrt(squares / there.sum(axis=0)))

    def covariance(self, marker_sd_m: float | Mapping[str, float]) -> CoordinateCovariance:
        """What errors of the markers make of the coordinates, to first order, each marker's independent along each axis.

        The minimum moves with the measured places y as dq = H^-1 J^T W dy. H are the exact second derivatives of the cost: where
        residuals are large they tell another story than J^T W J. A coordinate that a bound holds does not move; where no marker
        shows a coordinate, its variance is infinite.

        Parameters
        ----------
        marker_sd_m : float | Mapping[str, float]
            One standard deviation along each axis, m; of all markers or by name.

        Returns
        -------
        CoordinateCovariance
            Of the F free coordinates, (N, F, F), rad and m; infinite variance where no marker shows a coordinate, NaN in a frame
            without markers.
        """
        tree, wanted = self.problem
        sd = np.array([marker_sd_m if isinstance(marker_sd_m, float) else marker_sd_m[name] for name in self.markers])
        return CoordinateCovariance(tuple(self.coordinates[k] for k in tree.free), _covariance(tree, wanted, self, sd))


def _covariance(tree: Tree, wanted: Wanted, pose: TrackedPose, sd_m: FloatArray) -> FloatArray:
    jacobian = marker_jacobian(tree, wanted, np.nan_to_num(pose.q))
    spread = jacobian * (wanted.weight * sd_m)[:, :, None, None]
    n, markers, axes, free = spread.shape
    moved = pulled(pose, spread.reshape(n, markers * axes, free).swapaxes(1, 2))
    out, diagonal = pose.undetermined[:, tree.free], np.arange(free)
    covariance: FloatArray = moved @ moved.swapaxes(1, 2)
    covariance[:, diagonal, diagonal] = np.where(out, np.inf, covariance[:, diagonal, diagonal])
    covariance[~np.isfinite(pose.cost)] = np.nan
    return covariance


def pulled(pose: TrackedPose, gradient: FloatArray) -> FloatArray:
    """How far the minimum moves when something pulls at it, to first order.

    Parameters
    ----------
    pose : TrackedPose
        The minimum, N frames.
    gradient : FloatArray
        (N, F, P), by how much each of P causes lowers half the gradient of the cost by the free coordinates: J^T W dy of markers
        that are measured dy further off.

    Returns
    -------
    FloatArray
        (N, F, P), rad or m; 0 of a coordinate that a bound holds or that nothing determines.
    """
    tree, wanted = pose.problem
    q = np.nan_to_num(pose.q)
    low, high = hard_limits(tree)
    x, exact = q[:, tree.free], np.ones(len(q), bool)
    held = np.asarray((x <= low) | (x >= high) | pose.undetermined[:, tree.free])
    hessian = within_constraints(tree, q, expand(tree, wanted, q, exact), held, exact).hessian
    if tree.closing is not None:
        bound = bound_directions(np.where(held[:, None], 0.0, tree.closing.jacobian(q)))
        gradient = gradient - bound @ gradient
    hessian = np.where(held[:, :, None] | held[:, None, :], 0.0, hessian)
    diagonal = np.arange(held.shape[1])
    hessian[:, diagonal, diagonal] += held
    held = held[..., None]
    return np.where(held, 0.0, np.linalg.solve(hessian, np.where(held, 0.0, gradient)))


def marker_jacobian(tree: Tree, wanted: Wanted, q: FloatArray) -> FloatArray:
    """How free coordinates move markers.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    wanted : Wanted
        Bodies and places of the M markers.
    q : FloatArray
        (N, nq), all coordinates, completed.

    Returns
    -------
    FloatArray
        (N, M, 3, F), derivatives of the markers' places by the F free coordinates, m/rad or m/m, axes of the surroundings.
    """
    posture = tree.posture(q)
    return points_jacobian(tree, posture, wanted.body, posture.points(wanted.body, wanted.place_m))


def points_jacobian(tree: Tree, posture: TreePose, body: IntArray, p: FloatArray) -> FloatArray:
    """How free coordinates move points that are fixed in bodies.

    Parameters
    ----------
    tree : Tree
        The model's tree, compiled.
    posture : TreePose
        Of N states, with rows.
    body : IntArray
        (K,), bodies of the points.
    p : FloatArray
        (N, K, 3), the points, axes of the surroundings, m.

    Returns
    -------
    FloatArray
        (N, K, 3, F), derivatives by the F free coordinates, m/rad or m/m, axes of the surroundings.
    """
    by_row = np.cross(posture.turn[:, None], p[:, :, None]) + posture.shift[:, None]
    by_row = by_row * (tree.beyond[:, body].T[..., None] * posture.slope[:, None, :, None])
    jacobian: FloatArray = by_row.swapaxes(2, 3) @ tree.by_coordinate
    return jacobian


def track_markers(
    model: MusculoskeletalModel, names: Sequence[str], position_m: ArrayLike, tasks: TrackingTasks, *, rate_hz: float = 100.0,
    start_q: ArrayLike | None = None,
) -> TrackedPose:  # fmt: skip
    """Find a model's coordinates in every frame.

    Parameters
    ----------
    model : MusculoskeletalModel
        A model scaled to the subject, with its markers.
    names : Sequence[str]
        Of the recorded markers; those that the model or the tasks do not have are left aside.
    position_m : ArrayLike
        (N, K, 3), recorded places in the axes of the model's surroundings, m; NaN where missing.
    tasks : TrackingTasks
        Weights of markers and coordinates, and targets.
    rate_hz : float, optional
        Of the frames; how far apart frames are found one after the other.
    start_q : ArrayLike | None, optional
        (nq,), where to begin, rad or m; the model's default pose and others where none is given.

    Returns
    -------
    TrackedPose
        All coordinates (N, nq), rad or m, in the frames given, and how far the M followed markers are off.

    Raises
    ------
    UnknownNameError
        A coordinate with a weight that the model does not have.
    MissingInputError
        No marker that model, tasks and recording have in common.
    ShapeError
        Positions or targets that do not fit.
    """
    position = np.asarray(position_m, dtype=float)
    if position.ndim != 3 or position.shape[1:] != (len(names), 3):
        raise ShapeError(
            f"Positions of {len(names)} markers are an array {position.shape}.", value=position.shape,
            expected=f"(frames, {len(names)}, 3)", where="track_markers",
        )  # fmt: skip
    tree = Tree(model, [c.name for c in model.coordinates if c.locked])
    followed, wanted = _wanted(tree, names, position, tasks)
    there = wanted.weight.sum(axis=1) > 0
    frames, undetermined = np.flatnonzero(there), _undetermined(tree, wanted)
    q, converged = np.full((len(position), len(model.coordinates)), np.nan), ~there
    if len(frames):
        default = None if start_q is None else np.asarray(start_q, dtype=float)
        step = max(1, round(KEY_STEP_S * rate_hz))
        minimum = PoseSearch(tree, wanted.at(frames), step).run(default)
        rest = np.array([c.default for c in model.coordinates]) if default is None else default
        at_rest = tree.skeleton.completed(np.where(undetermined[frames].all(axis=0), rest, minimum.q))
        q[frames], weak = nearer_poses(tree, wanted.at(frames), at_rest, rest, step)
        converged[frames], undetermined[frames] = minimum.converged, undetermined[frames] | weak
    residual = tree.posture(q, rows=False).points(wanted.body, wanted.place_m) - wanted.measured_m
    cost = np.where(there, wanted.cost(residual, q), np.nan)
    residual = np.where(wanted.weight[..., None] > 0, residual, np.nan)
    return TrackedPose(model.coordinate_names, q, followed, residual, cost, converged, undetermined, (tree, wanted))


def _undetermined(tree: Tree, wanted: Wanted) -> BoolArray:
    """Free coordinates (N, nq) without a marker beyond them, without a target, and in no constraint with others."""
    shown = (wanted.weight > 0).astype(float) @ (tree.beyond[:, wanted.body].T.astype(float) @ tree.by_coordinate) > 0
    drawn = np.isin(tree.free, [tree.root_column(int(k)) for k in np.flatnonzero(wanted.stiffness)])
    out = np.zeros((len(wanted.weight), len(tree.model.coordinates)), bool)
    out[:, tree.free] = ~(shown | drawn | (False if tree.closing is None else tree.closing.moving))
    return out


def _wanted(tree: Tree, names: Sequence[str], position: FloatArray, tasks: TrackingTasks) -> tuple[tuple[str, ...], Wanted]:
    model, column = tree.model, {name: k for k, name in enumerate(names)}
    markers = [m for m in model.markers if m.name in column and tasks.marker_weights.get(m.name, 0.0) > 0]
    if not model.coordinates:
        raise MissingInputError(
            f"The model {model.name} has no coordinate: nothing of it moves, and no marker moves it.", value=[],
            expected="a joint with coordinates", where="track_markers",
        )  # fmt: skip
    if not markers:
        raise MissingInputError(
            f"Not one marker with a weight is in both the model {model.name} and the recording.", value=list(names)[:20],
            expected=f"some of {[m.name for m in model.markers][:20]}", where="track_markers",
        )  # fmt: skip
    measured = position[:, [column[m.name] for m in markers]]
    there: BoolArray = np.asarray(np.isfinite(measured).all(axis=2))
    weight = np.where(there, [tasks.marker_weights[m.name] for m in markers], 0.0)
    total = weight.sum(axis=1, keepdims=True)
    weight = weight / np.where(total > 0, total, 1.0)
    target, stiffness = _targets(tree, len(position), tasks)
    low, high = np.array([c.range for c in model.coordinates], dtype=float).reshape(-1, 2).T
    wanted = Wanted(
        np.array([tree.skeleton.body_index(m.body) for m in markers]), np.array([m.place_m for m in markers]),
        np.where(there[..., None], measured, 0.0), weight, target, stiffness, low, high, tasks.soft_limits,
    )  # fmt: skip
    return tuple(m.name for m in markers), wanted


def _targets(tree: Tree, n: int, tasks: TrackingTasks) -> tuple[FloatArray, FloatArray]:
    """Targets (N, nq) and weights (nq,) of the coordinates; what is locked has none."""
    model = tree.model
    default = np.array([c.default for c in model.coordinates])
    target, stiffness = np.repeat(default[None], n, axis=0), np.zeros(len(default))
    for name in tasks.targets:
        if name not in tasks.coordinate_weights:
            raise UnknownNameError(
                f"The coordinate {name} has a target, but no weight.", value=name,
                expected=f"one of {list(tasks.coordinate_weights)}", where="track_markers",
            )  # fmt: skip
    for name, weight in tasks.coordinate_weights.items():
        k = model.index(name)
        given = np.asarray(tasks.targets.get(name, default[k]), dtype=float)
        if given.shape not in ((), (n,)):
            raise ShapeError(
                f"The target of {name} has the shape {given.shape}.", value=given.shape, expected=f"one number or {n}",
                where="track_markers",
            )  # fmt: skip
        if not model.coordinates[k].locked:
            target[:, k], stiffness[k] = given, weight
    return target, stiffness


def R_lab_model(model: MusculoskeletalModel) -> FloatArray:
    """Turn from a model's surroundings to laboratory axes with Z up.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model; its gravity says where is down.

    Returns
    -------
    FloatArray
        (3, 3), maps components in the model's surroundings to those in the laboratory; X stays X unless the model has X up.

    Raises
    ------
    InvalidValueError
        A gravity that is not along one of the axes.

    Examples
    --------
    >>> from biomech_id.osim.kinematics.inverse_kinematics import R_lab_model
    >>> from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
    >>> (R_lab_model(MusculoskeletalModel("y up", (), (), ())) @ [0.0, 1.0, 0.0]).tolist()
    [0.0, 0.0, 1.0]
    """
    gravity = np.asarray(model.gravity_m_s2, dtype=float)
    axis = int(np.argmax(np.abs(gravity)))
    up = -np.sign(gravity) * (np.arange(3) == axis)
    if not up.any() or np.abs(np.delete(gravity, axis)).max() > ALONG_AXIS * np.abs(gravity[axis]):
        raise InvalidValueError(
            f"The gravity of the model {model.name} is {gravity.tolist()}, along none of its axes: nothing says where is up.",
            value=gravity.tolist(), expected="gravity along one axis, as 0 -9.80665 0", where=model.source or model.name,
        )  # fmt: skip
    forward = np.eye(3)[1 if axis == 0 else 0]
    return np.array([forward, np.cross(up, forward), up])
