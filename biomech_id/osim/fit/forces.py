"""Masses, mass centres and small corrections of a motion with which the loads explain it; places of contacts beside.

What is left over at the root (``root_wrench.py``), r, falls with a correction of the motion by splines, dq = B(t) theta, and with
masses and mass centres pi. Gauss-Newton, each step halved until the sum of squares falls ::

    sum_t |r|^2 / (5 N, 2 N m)^2  +  sum_t |B theta|^2 / (2 deg, 8 mm)^2  +  pi' P pi  +  |d|^2 / (50 mm)^2

d: how far each contact stands off in the horizontal plane. A small residual proves nothing: motion and masses explain a plate that
stands off just as well. So d is found beside and never applied; where contacts' places explain more than chance, motion and masses
are those found together with them, and what the loads as they were recorded leave over then is what it is.

A motion cut within a contact has no second derivative at its ends that deserves the name; one linear step from there goes astray.
Steps are repeated about the new motion until nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.dynamics.inverse_dynamics import forces_in
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion, recorded_motion
from biomech_id.osim.fit.person import FittedMotion
from biomech_id.osim.fit.root_wrench import MASS_SD, WHOLE_MASS_SD, RootState, RootWrench
from biomech_id.osim.fit.solve import FRAMES_COUNT
from biomech_id.values import dataclass, field

#: What may be left over in a frame as one standard deviation: force, N, and moment, N m.
LEFT_SD = np.array([5.0, 5.0, 5.0, 2.0, 2.0, 2.0])
#: How far the pose of a frame is off, as one standard deviation: angles, rad, and slides, m.
TURN_SD, SLIDE_SD_M = float(np.deg2rad(2.0)), 0.008
#: How far a contact stands off along each axis beforehand, m.
CONTACT_SD_M = 0.05
#: A contact stands off beyond so many standard deviations, if it is so far at least, m.
OFF_SDS, LEAST_OFF_M = 2.0, 0.015
#: Contacts that all stand off the same way by more than this, m, belong to another trial or to another place.
MOST_ALL_OFF_M = 0.06
#: What chance alone does not do in more than one of twenty cases.
CHANCE = 0.95
#: Masses are off where the whole, or a segment, is so many of the standard deviations away that it had beforehand.
MASS_OFF_SDS = 3.0
#: Cut-off of the motion before it is corrected, Hz, as OpenSim's examples have it.
MOTION_CUTOFF_HZ = 6.0
#: Between knots of the correction, s, and frames at least; degree of its splines.
KNOT_S, KNOT_FRAMES, DEGREE = 0.05, 3, 4
#: Loads do not carry the person where the vertical force that is left over, averaged over so many s, is more than this share of
#: the weight; shorter stretches than the last number, s, are not looked at.
UNCARRIED_SHARE, UNCARRIED_S, SHORTEST_S = 0.15, 0.1, 0.3
#: A load beyond this share of the weight is a contact, in so many frames at least.
CONTACT_SHARE, CONTACT_FRAMES = 0.03, 4
#: The rule of thumb for what may be left over: shares of the largest outer force, and of it times the height of the centre of mass.
MOST_FORCE_SHARE, MOST_MOMENT_SHARE = 0.05, 0.01
#: Steps end when no coordinate moves further, rad or m, or the sum of squares falls by a smaller share.
SAME_Q, SAME_SHARE, MOST_STEPS, MOST_HALVINGS = 1e-4, 0.01, 20, 5


@compact_repr
@dataclass(frozen=True)
class LeftOver:
    """What is left over at the root.

    Attributes
    ----------
    rms_force_N, rms_moment_Nm : float
        Root mean square over the frames, about the centre of mass.
    peak_force_share : float
        Largest force over the largest outer force.
    peak_moment_share : float
        Largest moment over the largest outer force times the mean height of the centre of mass.
    """

    rms_force_N: float
    peak_force_share: float
    rms_moment_Nm: float
    peak_moment_share: float


@compact_repr
@dataclass(frozen=True, eq=False)
class ContactPlace:
    """How far a contact's forces act from where they should, in the horizontal plane.

    Attributes
    ----------
    body : str
        That the load acts on.
    start_s, end_s : float
        First and last frame of the contact, s.
    offset_m, sd_m : FloatArray
        (2,), by how much the load's point would have to be moved along the two horizontal axes of the surroundings, and the
        standard deviations of that, m. It is never moved.
    """

    body: str
    start_s: float
    end_s: float
    offset_m: FloatArray
    sd_m: FloatArray

    @property
    def axes_off(self) -> BoolArray:
        """(2,), along which axes it is further off than its standard deviation allows, and far enough to matter."""
        return np.asarray(np.abs(self.offset_m) > np.maximum(OFF_SDS * self.sd_m, LEAST_OFF_M))

    @property
    def stands_off(self) -> bool:
        """Whether it is off along an axis."""
        return bool(self.axes_off.any())


@compact_repr
@dataclass(frozen=True, eq=False)
class ForceFit:
    """A motion corrected so that loads explain it.

    Attributes
    ----------
    name : str
        Name of the trial.
    model : MusculoskeletalModel
        With the masses and mass centres found.
    time_s : FloatArray
        (N,), the stretch in which loads carry the person.
    q : FloatArray
        (N, nq), corrected coordinates, rad or m.
    change_rms, change_in_sd : FloatArray
        (nq,), root mean square of each coordinate's correction, rad or m, and over that of its standard deviation.
    kinds : tuple[str, ...]
        The K kinds of segment.
    mass_factor, mass_sd, mass_data_share : FloatArray
        (K,), factors of masses, standard deviations of their logarithms, and how much of the variance beforehand is gone.
    centre_m, centre_sd_m, centre_data_share : FloatArray
        (K, 3), shifts of mass centres, axes of the bodies (left sides mirrored), the same of them.
    contacts : tuple[ContactPlace, ...]
        Estimated beside, never applied.
    before, after : LeftOver
        By inverse dynamics of the filtered motion, and of the corrected one, under the loads as they were recorded.
    if_moved : LeftOver
        As ``after``, were the contacts where they are estimated.
    tau_before, tau_after : FloatArray
        (N, nq), generalised forces by the same, N m or N.
    converged : bool
        Whether steps ended because nothing moved.
    weighed_kg : float
        Whole mass beforehand.
    left_in_trials_Nm : Mapping[str, float]
        Moment left over in each trial that the loads carry, before any correction (RMS); empty where no trial had to be chosen.
    """

    name: str
    model: MusculoskeletalModel
    time_s: FloatArray
    q: FloatArray
    change_rms: FloatArray
    change_in_sd: FloatArray
    kinds: tuple[str, ...]
    mass_factor: FloatArray
    mass_sd: FloatArray
    mass_data_share: FloatArray
    centre_m: FloatArray
    centre_sd_m: FloatArray
    centre_data_share: FloatArray
    contacts: tuple[ContactPlace, ...]
    before: LeftOver
    after: LeftOver
    if_moved: LeftOver
    tau_before: FloatArray
    tau_after: FloatArray
    converged: bool
    weighed_kg: float
    left_in_trials_Nm: Mapping[str, float] = field(default_factory=dict)

    @property
    def mass_kg(self) -> float:
        """Whole mass found."""
        return sum(body.mass_kg for body in self.model.bodies)

    @property
    def masses_off(self) -> bool:
        """Whether the whole mass or a segment's is further from what it was than people's differ."""
        whole = abs(np.log(self.mass_kg / self.weighed_kg)) > MASS_OFF_SDS * WHOLE_MASS_SD
        return bool(whole or np.abs(np.log(self.mass_factor)).max() > MASS_OFF_SDS * MASS_SD)

    @property
    def all_off_m(self) -> float:
        """How far all contacts stand off together: the least of them in the direction of their mean."""
        offsets = np.reshape([contact.offset_m for contact in self.contacts], (-1, 2))
        mean = offsets.sum(axis=0)
        return float((offsets @ mean).min(initial=np.inf) / np.linalg.norm(mean)) if mean.any() else 0.0

    @property
    def little_left(self) -> bool:
        """Whether what is left over is within the rule of thumb."""
        return self.after.peak_force_share <= MOST_FORCE_SHARE and self.after.peak_moment_share <= MOST_MOMENT_SHARE

    @property
    def consistent(self) -> bool:
        """Whether it may be called dynamically consistent: little is left over, no contact stands off, masses are as weighed."""
        off = self.masses_off or self.all_off_m > MOST_ALL_OFF_M or any(contact.stands_off for contact in self.contacts)
        return self.converged and self.little_left and not off


def carried_motion(
    model: MusculoskeletalModel, motion: FittedMotion, outer: Sequence[OuterForce], *, cutoff_hz: float = MOTION_CUTOFF_HZ
) -> RecordedMotion | None:
    """Find the longest stretch of a motion in which loads carry the person, filtered and differentiated.

    Parameters
    ----------
    model : MusculoskeletalModel
        As it was fitted.
    motion : FittedMotion
        Of a trial. Its times are put on an even grid: files round them to milliseconds, which doubles what is left over.
    outer : Sequence[OuterForce]
        What acts from outside.
    cutoff_hz : float, optional
        Of the low-pass filter, Hz.

    Returns
    -------
    RecordedMotion | None
        None where there is no stretch of `SHORTEST_S`.
    """
    stretch = _longest(np.asarray(np.isfinite(motion.q).all(axis=1)))
    start, end = motion.time_s[stretch][[0, -1]] if len(motion.q[stretch]) > 2 * KNOT_FRAMES else (0.0, 0.0)
    if end - start < SHORTEST_S:
        return None
    time_s = np.linspace(start, end, stretch.stop - stretch.start)
    columns = dict(zip(model.coordinate_names, motion.q[stretch].T, strict=True))
    whole = recorded_motion(model, time_s, columns, in_degrees=False, cutoff_hz=cutoff_hz, time_range_s=(start, end + 1e-9))
    root = RootWrench(model, whole.time_s, whole.q[0], outer)
    state = root.state(_free(root, whole), np.zeros(len(root.inertia.sd)))
    gravity = np.asarray(model.gravity_m_s2)
    up = int(np.argmax(np.abs(gravity)))
    step = (end - start) / (len(time_s) - 1)
    width = min(2 * round(UNCARRIED_S / step / 2) + 1, len(whole.time_s))
    # An average of too few frames at the ends is one of fewer frames.
    mean, count = (np.convolve(x, np.ones(width), "same") for x in (state.left[:, up], np.ones(len(state.left))))
    carried = np.abs(mean / count) < UNCARRIED_SHARE * root.inertia.mass_kg * np.linalg.norm(gravity)
    carried &= (whole.time_s >= min(load.time_s[0] for load in outer)) & (whole.time_s <= max(load.time_s[-1] for load in outer))
    rows = _longest(carried)
    # The average has seen what is beyond by half its width.
    half = width // 2
    rows = slice(rows.start + half * (rows.start > 0), rows.stop - half * (rows.stop < len(carried)))
    if (rows.stop - rows.start) * step < SHORTEST_S:
        return None
    return RecordedMotion(whole.time_s[rows], whole.q[rows], whole.rate[rows], whole.second[rows])


def _longest(there: BoolArray) -> slice:
    """The longest stretch of frames; of none an empty one."""
    edges = _stretches(there)
    return max(edges, key=lambda rows: rows.stop - rows.start, default=slice(0, 0))


def _stretches(there: BoolArray) -> list[slice]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]])))
    return [slice(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _free(root: RootWrench, motion: RecordedMotion) -> FloatArray:
    return np.stack([values[:, root.tree.free] for values in (motion.q, motion.rate, motion.second)])


def fit_forces(model: MusculoskeletalModel, motion: FittedMotion, carried: RecordedMotion, outer: Sequence[OuterForce]) -> ForceFit:
    """Find masses, mass centres and a small correction of a motion with which loads explain it, and contacts' places beside.

    Parameters
    ----------
    model : MusculoskeletalModel
        As it was fitted to markers.
    motion : FittedMotion
        Of a trial.
    carried : RecordedMotion
        The part of it in which loads carry the person, of `carried_motion`.
    outer : Sequence[OuterForce]
        What acts from outside.

    Returns
    -------
    ForceFit
        The corrected motion, what is left over before and after, and how much had to be changed for it.
    """
    balance = _Balance(model, carried, outer)
    start = balance.filtered()
    alone = balance.solved(start, contacts=False)
    beside = balance.solved(alone, contacts=True)
    places = tuple(balance.places(beside))
    off = any(place.stands_off for place in places) or alone.cost - beside.cost > balance.chance(beside)
    best = beside if off else alone
    K, inertia = len(balance.root.inertia.names), balance.root.inertia
    sd = np.sqrt(np.diag(best.covariance))[: 4 * K]
    share = np.clip(1.0 - (sd / inertia.sd) ** 2, 0.0, 1.0)
    before, after = start.state, best.state
    rms = np.sqrt(np.mean((after.q - before.q) ** 2, axis=0))
    there = (motion.time_s >= carried.time_s[0] - 1e-6) & (motion.time_s <= carried.time_s[-1] + 1e-6)
    own_sd = np.sqrt(np.nanmean(motion.sd[there] ** 2, axis=0))
    tau = [forces_in(state.skeleton, state.motion, state.loads).tau for state in (before, after)]
    return ForceFit(
        motion.name, after.skeleton.model, carried.time_s, after.q, rms, rms / np.where(own_sd > 0, own_sd, np.inf), inertia.names,
        np.exp(best.pi[:K]), sd[:K], share[:K], best.pi[K:].reshape(K, 3), sd[K:].reshape(K, 3), share[K:].reshape(K, 3), places,
        _left_over(before, before.left, balance.up), _left_over(after, after.left, balance.up),
        _left_over(after, after.left + balance.by_offset @ best.offset_m, balance.up), tau[0], tau[1],
        alone.converged and beside.converged, inertia.mass_kg,
    )  # fmt: skip


def recorded_left(model: MusculoskeletalModel, carried: RecordedMotion, outer: Sequence[OuterForce]) -> LeftOver:
    """What loads leave over of a motion before any correction.

    Parameters
    ----------
    model : MusculoskeletalModel
        As it was fitted to markers.
    carried : RecordedMotion
        Of `carried_motion`.
    outer : Sequence[OuterForce]
        What acts from outside.

    Returns
    -------
    LeftOver
        At the root.
    """
    root = RootWrench(model, carried.time_s, carried.q[0], outer)
    state = root.state(_free(root, carried), np.zeros(len(root.inertia.sd)))
    return _left_over(state, state.left, int(np.argmax(np.abs(model.gravity_m_s2))))


def _left_over(state: RootState, left: FloatArray, up: int) -> LeftOver:
    outside = np.linalg.norm(np.sum([load.force_N for load in state.loads], axis=0), axis=1).max()
    force, moment = (np.linalg.norm(part, axis=1) for part in (left[:, :3], left[:, 3:]))
    arm = outside * abs(state.centre_m[:, up].mean())
    return LeftOver(
        float(np.sqrt(np.mean(force**2))), float(force.max() / outside), float(np.sqrt(np.mean(moment**2))),
        float(moment.max() / arm),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Point:
    """Where a solution is: correction (n, F), inertia (4K,), contacts (2C,), and the state there."""

    theta: FloatArray
    pi: FloatArray
    offset_m: FloatArray
    state: RootState
    cost: float
    covariance: FloatArray
    converged: bool = False


class _Balance:
    def __init__(self, model: MusculoskeletalModel, carried: RecordedMotion, outer: Sequence[OuterForce]) -> None:
        from scipy import sparse
        from scipy.interpolate import BSpline

        self.root = RootWrench(model, carried.time_s, carried.q[0], outer)
        self.free, self.time_s = _free(self.root, carried), carried.time_s
        N, F = self.free.shape[1:]
        start, end = self.time_s[[0, -1]]
        pieces = max(1, int((end - start) / max(KNOT_S, KNOT_FRAMES * (end - start) / (N - 1))))
        knots = np.concatenate([np.full(DEGREE, start), np.linspace(start, end, pieces + 1), np.full(DEGREE, end)])
        spline = BSpline(knots, np.eye(pieces + DEGREE), DEGREE)
        self.basis = [spline(self.time_s, order) for order in range(3)]
        self.spread = sparse.kron(sparse.csr_array(np.vstack(self.basis)), sparse.eye_array(F), format="csr")
        turning = np.array([model.coordinates[k].motion == "rotational" for k in self.root.tree.free])
        #: Frames are no measurements of their own: what a model leaves out goes on for tenths of a second.
        count = min(1.0, FRAMES_COUNT / N)
        self.left_sd = LEFT_SD / np.sqrt(count)
        self.pose_weight = count * np.where(turning, TURN_SD, SLIDE_SD_M) ** -2.0
        self.up = int(np.argmax(np.abs(model.gravity_m_s2)))
        self.level = [axis for axis in range(3) if axis != self.up]
        self.contacts: list[tuple[int, slice]] = []
        self.by_offset = np.zeros((N, 6, 0))

    def filtered(self) -> _Point:
        """The motion as it was filtered; contacts are those of its loads."""
        state = self.root.state(self.free, np.zeros(len(self.root.inertia.sd)))
        least_N = CONTACT_SHARE * self.root.inertia.mass_kg * float(np.linalg.norm(self.root.inertia.model.gravity_m_s2))
        for k, load in enumerate(state.loads):
            on = _stretches(np.linalg.norm(load.force_N, axis=1) > least_N)
            self.contacts += [(k, rows) for rows in on if rows.stop - rows.start >= CONTACT_FRAMES]
        self.by_offset = np.zeros((len(state.left), 6, 2 * len(self.contacts)))
        for n, (k, rows) in enumerate(self.contacts):
            for i, axis in enumerate(self.level):
                self.by_offset[rows, 3:, 2 * n + i] = -np.cross(np.eye(3)[axis], state.loads[k].force_N[rows])
        theta = np.zeros((self.basis[0].shape[1], self.free.shape[2]))
        return self._at(theta, np.zeros(len(self.root.inertia.sd)), np.zeros(self.by_offset.shape[2]))

    def _at(self, theta: FloatArray, pi: FloatArray, offset_m: FloatArray) -> _Point:
        state = self.root.state(self._moved(theta), pi)
        left = (state.left + self.by_offset @ offset_m) / self.left_sd
        cost = float((left**2).sum() + ((self.basis[0] @ theta) ** 2 @ self.pose_weight).sum())
        cost += float(pi @ self.root.inertia.precision @ pi + offset_m @ offset_m / CONTACT_SD_M**2)
        return _Point(theta, pi, offset_m, state, cost, np.zeros((0, 0)))

    def _moved(self, theta: FloatArray) -> FloatArray:
        return self.free + np.stack([B @ theta for B in self.basis])

    def solved(self, point: _Point, *, contacts: bool) -> _Point:
        """Go down until nothing moves, with the contacts' places or without."""
        converged, covariance = False, point.covariance
        for _ in range(MOST_STEPS):
            theta, t, covariance = self._goal(point, contacts=contacts)
            pi, offset_m = t[: len(point.pi)], t[len(point.pi) :] if contacts else point.offset_m
            share, here = 1.0, point
            for _ in range(MOST_HALVINGS):
                ends = ((theta, here.theta), (pi, here.pi), (offset_m, here.offset_m))
                point = self._at(*(old + share * (new - old) for new, old in ends))
                if point.cost < here.cost:
                    break
                share /= 2.0
            if not point.cost < here.cost:
                point, converged = here, bool(np.abs(self.basis[0] @ (theta - here.theta)).max() < SAME_Q)
                break
            step = np.abs(self.basis[0] @ (point.theta - here.theta)).max()
            converged = bool(step < SAME_Q or here.cost - point.cost < SAME_SHARE * here.cost)
            if converged:
                break
        return _Point(point.theta, point.pi, point.offset_m, point.state, point.cost, covariance, converged)

    def _goal(self, point: _Point, *, contacts: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Where the linear equations about a point lead: correction, inertia and contacts, and the covariance of the latter."""
        from scipy import sparse
        from scipy.sparse.linalg import splu

        N, F = self.free.shape[1:]
        by_motion = self.root.by_motion(point.state, self._moved(point.theta)) / self.left_sd[:, None]
        at = np.arange(N), np.arange(N + 1)
        blocks = [sparse.bsr_array((rows, *at), shape=(6 * N, N * F)).tocsr() for rows in by_motion]
        J = sparse.hstack(blocks, format="csr") @ self.spread
        by_offset = self.by_offset if contacts else self.by_offset[..., :0]
        J_t = np.concatenate([self.root.by_inertia(point.state, point.pi), by_offset], axis=2) / self.left_sd[:, None]
        J_t = J_t.reshape(6 * N, -1)
        t = np.concatenate([point.pi, point.offset_m if contacts else []])
        prior = np.diag(np.full(len(t), CONTACT_SD_M**-2))
        prior[: len(point.pi), : len(point.pi)] = self.root.inertia.precision
        left = (point.state.left + by_offset @ t[len(point.pi) :]) / self.left_sd
        y = J @ point.theta.ravel() + J_t @ t - left.ravel()
        weight = sparse.diags_array(np.tile(self.pose_weight, N))
        own_B = self.spread[: N * F]
        A = splu((J.T @ J + own_B.T @ weight @ own_B).tocsc())
        E = J.T @ J_t
        own, X = A.solve(J.T @ y), A.solve(E)
        covariance = np.linalg.inv(J_t.T @ J_t + prior - E.T @ X)
        t = covariance @ (J_t.T @ y - E.T @ own)
        return (own - X @ t).reshape(point.theta.shape), t, covariance

    def chance(self, point: _Point) -> float:
        """By how much places of contacts that stand off nowhere lower the sum of squares, in one of twenty cases at most."""
        from scipy.stats import chi2

        count = len(point.offset_m)
        if not count:
            return 0.0
        own = point.covariance[-count:, -count:] / CONTACT_SD_M**2
        # What contacts' places are told, along independent directions; the sum of squares is a scaled chi-square with its moments.
        share = np.clip(1.0 - np.linalg.eigvalsh(own), 0.0, 1.0)
        scale = float((share**2).sum() / share.sum())
        return scale * float(chi2.ppf(CHANCE, share.sum() / scale))

    def places(self, point: _Point) -> Iterator[ContactPlace]:
        """The contacts of a point that was solved with them."""
        count = len(point.offset_m)
        sd = np.sqrt(np.diag(point.covariance))[-count:] if count else np.zeros(0)
        offsets, sds = point.offset_m.reshape(-1, 2), sd.reshape(-1, 2)
        for (k, rows), offset, own in zip(self.contacts, offsets, sds, strict=True):
            start, end = self.time_s[rows][[0, -1]].tolist()
            yield ContactPlace(self.root.outer[k].segment, start, end, offset, own)
