"""What every error does to every variable of a cycle: the curves from which all bands come.

An error of one standard deviation changes a curve by J_p(percent); it is one draw for the whole session, so that errors of
different percents hang together. The variance of anything that follows from the curves is the sum of the squares of its
changes, one error at a time; what is not linear in them, a score, is sampled from curves + sum z_p J_p.

By a small turn phi of the axes of two segments a joint's angles change by E^-1 R_p' (phi_d - phi_p), with E found by differences
of the model's own rule. The moment changes with the loads and with the axes it is written in (`ModelAxes.moment_jacobian`), and the
power by ::

    dP = dM . omega + M . domega
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import dot, matvec_transposed
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ANGLE_VARIABLE, AXES, MM_PER_M, MOMENT_VARIABLE, NOISE_SOURCES, POWER_VARIABLE
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import leg_at
from biomech_id.gait.ground import progression_components
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.session.tables.session_tables import CURVE_POINTS
from biomech_id.uncertainty.leg import line_point
from biomech_id.uncertainty.pose_jacobian import add_lab, by_frames, moment_jacobians
from biomech_id.uncertainty.propagation import Deviation, independent, unit_deviation, unit_effects
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.uncertainty.sources import ErrorSource, Nominal
from biomech_id.values import dataclass, field, replace

#: (variable, component) of every curve that has a band, in this order.
Name = tuple[str, str]
#: Joint -> index of the proximal and the distal segment among foot, shank, thigh, pelvis.
_ENDS = {"ankle": (1, 0), "knee": (2, 1), "hip": (3, 2), "pelvis": (None, 3), "foot_progress": (None, 0)}
_STEP_RAD = 1e-5
#: Frames of cycles whose errors are held at a time: a long recording is worked off block by block.
HELD_FRAMES = 1000
#: Mean of the true hip centre behind, outward of and above that of Davis et al.'s regression, metres: forward, up, outward.
DAVIS_BIAS_M = (-0.0188, 0.0087, 0.0093)


@dataclass(frozen=True, eq=False)
class CycleBand:
    """How every curve of one cycle changes by every error.

    Attributes
    ----------
    cycle : Cycle
        The cycle whose curves these are.
    names : tuple[Name, ...]
        V curves: variable and component.
    sources : tuple[str, ...]
        P errors: the source that each counts to.
    changes : FloatArray
        (P, V, 101), by one standard deviation, in the unit of the sign table; NaN where the curve has no value.
    noise : FloatArray
        (V, 101), standard deviation of what is drawn anew in every frame.
    shift : FloatArray
        (V, 101), what would be added if a regression's mean error were taken out; NaN where nothing is known of one.
    event_sd_s : Mapping[str, float], optional
        Field of the cycle -> standard deviation of that event's time, seconds.
    drawn : tuple[str, ...], optional
        The sources of all errors that a session draws for that leg, those that change none of these curves as well.
    numbers : tuple[int, ...], optional
        Which of those drawn each of the first errors is; any after them change no curve of a score. Empty: the P errors are all, in
        their order.
    upper : CycleBand | None, optional
        Bands of the same cycle's angles above the pelvis and of its centre of mass (`session.bands.upper_bands`).
    """

    cycle: Cycle
    names: tuple[Name, ...]
    sources: tuple[str, ...]
    changes: FloatArray
    noise: FloatArray
    shift: FloatArray
    event_sd_s: Mapping[str, float] = field(default_factory=dict)
    drawn: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    upper: CycleBand | None = None

    def of_cycle(self, cycle: Cycle, event_sd_s: Mapping[str, float]) -> CycleBand:
        """Return the band of the same curves, of whose cycle or events something else is known now.

        Parameters
        ----------
        cycle : Cycle
            Cut where this one is.
        event_sd_s : Mapping[str, float]
            Field of the cycle -> standard deviation of that event's time, seconds.
        """
        upper = None if self.upper is None else self.upper.of_cycle(cycle, event_sd_s)
        again = replace(self, cycle=cycle, event_sd_s=event_sd_s, upper=upper)
        # Nothing of what the changes add up to is another.
        again.__dict__.update(_variances=self._variances, total=self.total)
        return again

    @property
    def with_upper(self) -> tuple[CycleBand, ...]:
        """Itself, and that of what is above the pelvis where there is one."""
        return (self,) if self.upper is None else (self, self.upper)

    def sd(self, source: str) -> FloatArray:
        """Standard deviation (V, 101) from one source; zero where it does nothing.

        Parameters
        ----------
        source : str
            Source of error: one of `conventions.ERROR_SOURCES`.
        """
        return (
            self.noise if source in NOISE_SOURCES else np.asarray(np.sqrt(self._variances.get(source, np.zeros(self.noise.shape))))
        )

    @cached_property
    def _variances(self) -> dict[str, FloatArray]:
        """Source of a bias -> variance (V, 101)."""
        variances: dict[str, FloatArray] = {}
        for source in dict.fromkeys(self.sources):
            numbers = np.flatnonzero([each == source for each in self.sources])
            together = len(numbers) == numbers[-1] - numbers[0] + 1
            changes = self.changes[numbers[0] : numbers[-1] + 1] if together else self.changes[numbers]
            variances[source] = np.einsum("pvk,pvk->vk", changes, changes)
        return variances

    def by_events(self, curve: FloatArray) -> FloatArray:
        """Standard deviation (..., 101) of a curve because its cycle may begin and end a little earlier or later.

        Parameters
        ----------
        curve : FloatArray
            (..., 101), one value a percent.
        """
        first, last = self.changes_by_events(curve)
        return np.asarray(np.hypot(first, last))

    def changes_by_events(self, curve: FloatArray) -> FloatArray:
        """Changes (2, ..., 101) of a curve by a start and an end of its cycle that are late by one standard deviation.

        Parameters
        ----------
        curve : FloatArray
            (..., 101), one value a percent.
        """
        start_s, end_s = (self.event_sd_s.get(name, 0.0) for name in ("start_s", "end_s"))
        percent = np.linspace(0.0, 1.0, CURVE_POINTS)
        slope = np.gradient(curve, self.cycle.duration_s / (CURVE_POINTS - 1), axis=-1)
        return np.stack([slope * (1.0 - percent) * start_s, slope * percent * end_s])

    @cached_property
    def total(self) -> FloatArray:
        """Standard deviation (V, 101) from all sources."""
        return np.asarray(np.sqrt(sum(self._variances.values()) + self.noise**2))


def cycle_bands(
    motion: BodyMotion, loads: JointLoads | None, errors: Mapping[str, LegErrors], cycles: Sequence[Cycle], *, mass_kg: float | None
) -> Iterator[CycleBand]:
    """Yield the bands of every cycle of a trial, those of a leg together.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    loads : JointLoads | None
        Its joint loads; None for kinematics only.
    errors : Mapping[str, LegErrors]
        Side -> what can be wrong with that leg.
    cycles : Sequence[Cycle]
        Cycles of the trial, of both sides.
    mass_kg : float | None
        Body mass that kinetics are divided by; None for kinematics only.

    Yields
    ------
    CycleBand
        One a cycle.
    """
    for side, of_leg, of_side in _some_cycles(errors, cycles, motion.rate_hz):
        rows = [_rows(motion, cycle) for cycle in of_side]
        every = np.unique(np.concatenate(rows))
        # A cycle without kinetics has no bands of them, wherever its loads are known.
        loaded = [own for cycle, own in zip(of_side, rows, strict=True) if cycle.kinetics_valid is not KineticsValid.FALSE]
        wanted = np.unique(np.concatenate(loaded)) if loaded else np.empty(0, dtype=np.intp)
        whole = _leg_changes(motion, (loads if mass_kg else None, mass_kg or 1.0), side, of_leg, every, wanted)
        yield from (_cut(whole, motion, cycle, own) for cycle, own in zip(of_side, rows, strict=True))


def _some_cycles(
    errors: Mapping[str, LegErrors], cycles: Sequence[Cycle], rate_hz: float
) -> Iterator[tuple[str, LegErrors, list[Cycle]]]:
    """Side, errors and cycles of each leg, so many cycles at a time as `HELD_FRAMES` hold: they do not depend on each other."""
    for side, of_leg in errors.items():
        block, frames = list[Cycle](), 0.0
        for cycle in (cycle for cycle in cycles if cycle.side == side):
            if block and frames + cycle.duration_s * rate_hz > HELD_FRAMES:
                yield side, of_leg, block
                block, frames = [], 0.0
            block.append(cycle)
            frames += cycle.duration_s * rate_hz
        if block:
            yield side, of_leg, block


class _Block(NamedTuple):
    """Changes (N, V, P) of some variables in chosen frames, variance of noise (N, V) and shift (N, V)."""

    rows: IntArray
    changes: FloatArray
    noise_variance: FloatArray
    shift: FloatArray


class _Changes(NamedTuple):
    """What the errors of a leg do: to angles, those of markers alone; to kinetics, where any are wanted and known, all of them.

    ``sources`` are of all errors that are drawn for the leg, ``numbers`` say which of them do anything, markers' before others.
    """

    sources: tuple[str, ...]
    numbers: tuple[int, ...]
    angles: _Block
    kinetics: _Block | None


def _rows(motion: BodyMotion, cycle: Cycle) -> IntArray:
    """Frames of a cycle and one more at either end, as far as there are any."""
    first_time_s = (motion.first_frame - 1) / motion.rate_hz
    start, end = ((time_s - first_time_s) * motion.rate_hz for time_s in (cycle.start_s, cycle.end_s))
    return np.arange(max(0, int(np.floor(start))), min(motion.n_frames, int(np.ceil(end)) + 1))


ANGLE_CURVES: tuple[Name, ...] = tuple((ANGLE_VARIABLE[joint], axis) for joint in _ENDS for axis in AXES)
KINETIC_CURVES: tuple[Name, ...] = (
    *((MOMENT_VARIABLE[joint], axis) for joint in JOINTS for axis in AXES),
    *((POWER_VARIABLE[joint], "") for joint in JOINTS),
    *(("GroundReactionForce", axis) for axis in AXES),
    *(("FootCentreOfPressure", axis) for axis in AXES[:2]),
)


def _leg_changes(
    motion: BodyMotion, of_body: tuple[JointLoads | None, float], side: str, errors: LegErrors, rows: IntArray, wanted: IntArray
) -> _Changes:
    """Every error of a leg in chosen frames; of its kinetics (joint loads and body mass, kg), those in the frames wanted."""
    markers, (loads, mass_kg) = errors.markers, of_body
    known = np.zeros(motion.n_frames, dtype=bool) if loads is None else _known(loads, side)
    drawn, numbers = ((), ()) if markers is None else (markers.sources, markers.acting)
    if known[rows].any():
        quiet = ((group, source) for group, of_group in errors.sources.items() for source in of_group if group not in NOISE_SOURCES)
        others = tuple(group for group, source in quiet for _ in source.covariance)
        numbers += tuple(range(len(drawn), len(drawn) + len(others)))
        drawn += others
    if markers is None:
        by_angle = np.zeros((len(rows), len(ANGLE_CURVES), 0))
    else:
        by_angle = markers.changes(rows, _angle_jacobian(motion, side, markers.axes(rows)))
    noise, shift = np.zeros(by_angle.shape[:2]), np.full(by_angle.shape[:2], np.nan)
    angles = _Block(rows, by_angle, noise, shift)
    if loads is None or not known[wanted].any():
        return _Changes(drawn, numbers, angles, None)
    return _Changes(
        drawn, numbers, angles, _kinetic_changes(_solved(motion, loads, side, wanted[known[wanted]], mass_kg), errors, wanted)
    )


def _solved(motion: BodyMotion, loads: JointLoads, side: str, rows: IntArray, mass_kg: float) -> _Leg:
    mask = np.zeros(motion.n_frames, dtype=bool)
    mask[rows] = True
    return _Leg(Nominal(leg_at(loads, side, mask)), motion, side, rows, mass_kg)


def _kinetic_changes(leg: _Leg, errors: LegErrors, wanted: IntArray) -> _Block:
    """What every error does to kinetics in the frames wanted, NaN in those in which the leg is not solved."""
    further = leg.kinetics_by(errors.sources)
    biases = [values for group, values in further.items() if group not in NOISE_SOURCES]
    if errors.markers is not None:
        biases.insert(0, errors.markers.changes(leg.rows, leg.pose_jacobian(errors.markers.axes(leg.rows))))
    changes = np.concatenate(biases, axis=2)
    noise = np.zeros(changes.shape[:2])
    for group in NOISE_SOURCES:
        if group in further:
            noise += (further[group] ** 2).sum(axis=2)
    shift = np.full(noise.shape, np.nan)
    if "hip_centre" in further and errors.davis_sd_m > 0.0:
        shift = leg.hip_shift(further["hip_centre"], errors.davis_sd_m)
    if len(leg.rows) < len(wanted):
        at = np.isin(wanted, leg.rows)
        changes, noise, shift = (_spread(each, at, gap) for each, gap in ((changes, np.nan), (noise, 0.0), (shift, np.nan)))
    return _Block(wanted, changes, noise, shift)


def _spread(values: FloatArray, at: BoolArray, gap: float) -> FloatArray:
    """Values of some frames among all of them, and what stands for the others."""
    all_values = np.full((len(at), *values.shape[1:]), gap)
    all_values[at] = values
    return all_values


def _known(loads: JointLoads, side: str) -> BoolArray:
    return np.asarray(np.logical_and.reduce([loads[side, joint].known for joint in JOINTS]))


def _angle_jacobian(motion: BodyMotion, side: str, R_lab_seg: FloatArray) -> FloatArray:
    """(1, N, 15, 4, 3), deg per rad by which foot, shank, thigh and pelvis are turned."""
    axes = motion.model_axes
    standing = axes.standing(motion.progression_R_lab)
    tilts = np.eye(3) + np.stack([np.zeros((3, 3)), *skew(np.eye(3) * _STEP_RAD)])
    tilted = tilts[:, None, None] @ R_lab_seg
    jacobian = by_frames(1, len(R_lab_seg), len(ANGLE_CURVES), 4)
    for i, (joint, (proximal, distal)) in enumerate(_ENDS.items()):
        R_proximal_lab = standing if proximal is None else np.swapaxes(R_lab_seg[:, proximal], -1, -2)
        zero, *each = axes.angle(joint, side, R_proximal_lab, tilted[:, :, distal])
        change = (np.stack(each, axis=-1) - zero[..., None] + np.pi) % (2 * np.pi) - np.pi
        rows = jacobian[:, :, 3 * i : 3 * i + 3]
        add_lab(rows, R_lab_seg, 0, distal, np.degrees(change) / _STEP_RAD)
        if proximal is not None:
            add_lab(rows, R_lab_seg, 0, proximal, -np.degrees(change) / _STEP_RAD)
    return jacobian


class JointJacobian(NamedTuple):
    """What a joint's clinical moment and power change by, (N, 4, 3) each: X, Y, Z, N m, and W, by laboratory components.

    Per change of the moment, N m, of the turns of the proximal and of the distal segment, rad, and of the angular velocity of the
    distal one relative to the proximal one, rad/s.
    """

    moment: FloatArray
    turn_proximal: FloatArray
    turn_distal: FloatArray
    spin: FloatArray


@dataclass(frozen=True, eq=False)
class JointChanges:
    """One solved leg in chosen frames, and the body it belongs to: what errors do at its joints.

    Attributes
    ----------
    nominal : Nominal
        The leg as it was solved, without any error.
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    side : str
        Side of the leg: "L" or "R".
    rows : IntArray
        (N,), rows of the trial that the leg was solved in.
    """

    nominal: Nominal
    motion: BodyMotion
    side: str
    rows: IntArray

    def joint(self, joint: str, errors: Deviation) -> FloatArray:
        """Return changes (N, 4, p) of a joint's clinical moment, N m, and, the last row, of its power, W.

        Parameters
        ----------
        joint : str
            "ankle", "knee" or "hip".
        errors : Deviation
            What p errors do to the leg.
        """
        i, by = JOINTS.index(joint), self.by_joint[joint]
        hip = joint == "hip"
        turn_proximal = errors.base_turn if hip else errors.turn[:, :, i + 1]
        spin_proximal = errors.base_spin if hip else errors.spin[:, :, i + 1]
        spin = errors.spin[:, :, i] - spin_proximal
        parts = ((by.moment, errors.moment[:, :, i]), (by.turn_proximal, turn_proximal), (by.turn_distal, errors.turn[:, :, i]))
        return np.asarray(sum(per @ change.transpose(1, 2, 0) for per, change in (*parts, (by.spin, spin))))

    @cached_property
    def by_joint(self) -> Mapping[str, JointJacobian]:
        """Joint -> what its moment and power are made of, in every frame."""
        chain, pelvis = self.nominal.chain, self.motion.motions["", "pelvis"]
        R = [*np.moveaxis(chain.R_lab_seg, 1, 0), pelvis.frames.R_lab_seg[self.rows]]
        omega = [*np.moveaxis(chain.omega_lab_rad_s, 1, 0), pelvis.omega_lab_rad_s[self.rows]]
        jacobians = {}
        for i, joint in enumerate(JOINTS):
            moment = self.nominal.moment[:, i]
            clinical = self.motion.model_axes.moment_jacobian(joint, self.side, moment, R[i + 1], R[i])
            nothing = np.zeros_like(moment)
            powers = omega[i] - omega[i + 1], nothing, nothing, moment
            rows = (*clinical, np.zeros_like(clinical[0]))
            jacobians[joint] = JointJacobian(*(np.concatenate([a, b[:, None]], axis=1) for a, b in zip(rows, powers, strict=True)))
        return jacobians


@dataclass(frozen=True, eq=False)
class _Leg(JointChanges):
    """The same with the body mass that kinetics are divided by, and the ground under the foot."""

    mass_kg: float = 1.0

    def kinetics_by(self, groups: Mapping[str, Sequence[ErrorSource]]) -> dict[str, FloatArray]:
        """Group -> changes (N, 17, p) by its errors, in the order of `KINETIC_CURVES`."""
        sources = [source for of_group in groups.values() for source in of_group]
        effects = unit_effects(self.nominal, sources)
        off = unit_deviation(self.nominal, effects)
        values = np.zeros((len(self.rows), len(KINETIC_CURVES), len(off.moment)))
        for i, joint in enumerate(JOINTS):
            change = self.joint(joint, off)
            values[:, 3 * i : 3 * i + 3], values[:, 9 + i] = change[:, :3], change[:, 3]
        values = independent(sources, values) / self.mass_kg
        sizes = [sum(len(source.covariance) for source in of_group) for of_group in groups.values()]
        ends = np.cumsum(sizes)
        changes = {}
        for group, first, last in zip(groups, ends - sizes, ends, strict=True):
            changes[group] = values[:, :, first:last]
            if group == "force_plates":
                self._add_ground(changes[group], groups[group], effects.force[first:last, :, 0])
        return changes

    def pose_jacobian(self, R_lab_seg: FloatArray) -> FloatArray:
        """(3, N, 17, 10, 3), the same by the poses (see `uncertainty.pose_jacobian`)."""
        jacobian = by_frames(3, len(self.rows), len(KINETIC_CURVES), 10)
        for i, (moment, by) in enumerate(zip(moment_jacobians(self.nominal, R_lab_seg), self.by_joint.values(), strict=True)):
            rows = (by.moment @ moment.reshape(3, -1, 3, 30)).reshape(3, -1, 4, 10, 3)
            add_lab(rows, R_lab_seg, 0, i + 1, by.turn_proximal)
            add_lab(rows, R_lab_seg, 0, i, by.turn_distal)
            add_lab(rows, R_lab_seg, 1, i + 1, -by.spin)
            add_lab(rows, R_lab_seg, 1, i, by.spin)
            jacobian[:, :, 3 * i : 3 * i + 3] = rows[:, :, :3] / self.mass_kg
            jacobian[:, :, 9 + i] = rows[:, :, 3] / self.mass_kg
        # A foot that is elsewhere has the centre of pressure beside where it was: by its ankle, and by its turn about it.
        pressure = jacobian[:, :, 15:]
        arm = self._ground_point() - self.nominal.chain.joint_lab_m[:, 0]
        in_foot = np.broadcast_to(-self._pressure_beside(np.eye(3)[:, None])[:, 0].T, (len(self.rows), 2, 3))
        add_lab(pressure, R_lab_seg, 0, 4, in_foot)
        add_lab(pressure, R_lab_seg, 0, 0, -in_foot @ skew(arm))
        return jacobian

    def _add_ground(self, values: FloatArray, sources: Sequence[ErrorSource], missing_N: FloatArray) -> None:
        """Fill into the changes by the plates' errors what they do to the ground itself, whose force misses (p, N, 3) by a unit."""
        force, _ = self.nominal.loads.external[0].at_origin()
        sd = np.sqrt(np.concatenate([np.diag(source.covariance) for source in sources]))
        change = self._in_progression(sd[:, None, None] * -missing_N)
        values[:, 12:15] = change.transpose(1, 2, 0) / self.mass_kg
        # The first source of the plates is where their force acts.
        place = sd[:3, None, None] * np.eye(3)[:, None, :]
        loaded = np.where(dot(force, force)[:, None] > 0.0, 1.0, 0.0)
        values[:, 15:, :3] = self._pressure_beside(place * loaded).transpose(1, 2, 0)

    def hip_shift(self, values: FloatArray, sd_m: float) -> FloatArray:
        """What taking out the mean error of Davis et al.'s regression adds (N, 17), by the errors of a hip."""
        pelvis, thigh = (
            motion.frames.R_lab_seg[self.rows]
            for motion in (self.motion.motions["", "pelvis"], self.motion.motions[self.side, "thigh"])
        )
        forward, up, outward = DAVIS_BIAS_M
        isb = np.array([forward, up, outward if self.side == "R" else -outward])
        in_thigh = matvec_transposed(thigh, pelvis @ (self.motion.model_axes.R_seg_isb["pelvis"] @ isb))
        return np.asarray(np.einsum("np,nvp->nv", in_thigh / sd_m, values))

    def _in_progression(self, change_lab: FloatArray) -> FloatArray:
        forward = self.motion.progression_R_lab[0]
        flat = progression_components(change_lab.reshape(-1, 3), forward, self.side)
        return np.asarray(flat.reshape(change_lab.shape))

    def _ground_point(self) -> FloatArray:
        force, moment = self.nominal.loads.external[0].at_origin()
        return line_point(force, moment, self.nominal.chain.joint_lab_m[:, 0])

    def _pressure_beside(self, shift_lab_m: FloatArray) -> FloatArray:
        """Change (p, N, 2), mm, of the centre of pressure in the planted foot, whose axes are nearly those of the progression."""
        return MM_PER_M * self._in_progression(shift_lab_m)[:, :, :2]


def _cut(whole: _Changes, motion: BodyMotion, cycle: Cycle, own: IntArray) -> CycleBand:
    """Interpolate to 101 points of a cycle, and leave out what the cycle has no value of."""
    kinetics = None if cycle.kinetics_valid is KineticsValid.FALSE else whole.kinetics
    blocks = [whole.angles] if kinetics is None else [whole.angles, kinetics]
    names = ANGLE_CURVES if kinetics is None else (*ANGLE_CURVES, *KINETIC_CURVES)
    n_errors = blocks[-1].changes.shape[2]
    changes, variance, shift = np.zeros((n_errors, len(names), CURVE_POINTS)), *np.zeros((2, len(names), CURVE_POINTS))
    first = 0
    for block in blocks:
        at = _Percents.of(motion, cycle, own, int(np.searchsorted(block.rows, own[0])))
        columns = slice(first, first + block.changes.shape[1])
        first = columns.stop
        changes[: block.changes.shape[2], columns] = at.values(block.changes).transpose(2, 1, 0)
        variance[columns], shift[columns] = at.values(block.noise_variance).T, at.values(block.shift).T
    if cycle.kinetics_valid is KineticsValid.STANCE_ONLY:
        gone = np.broadcast_to(np.array([name not in KINETIC_CURVES for name in names])[:, None], variance.shape).copy()
        gone[:, cycle.start_s + np.linspace(0.0, 1.0, CURVE_POINTS) * cycle.duration_s > cycle.foot_off_s] = True
        changes[:, gone] = np.nan
        variance[gone] = np.nan
    numbers = whole.numbers[:n_errors]
    sources = tuple(whole.sources[number] for number in numbers)
    return CycleBand(cycle, names, sources, changes, np.sqrt(variance), shift, drawn=whole.sources, numbers=numbers)


class _Percents(NamedTuple):
    """Where the 101 points of a cycle lie among frames: behind which one, how far towards which other."""

    before: IntArray
    after: IntArray
    share: FloatArray

    @classmethod
    def of(cls, motion: BodyMotion, cycle: Cycle, own: IntArray, first: int) -> _Percents:
        """Of a cycle whose frames ``own`` stand from row ``first`` on."""
        n, first_time_s = len(own), (motion.first_frame - 1 + own[0]) / motion.rate_hz
        place = (np.linspace(cycle.start_s, cycle.end_s, CURVE_POINTS) - first_time_s) * motion.rate_hz
        place = np.clip(place, 0.0, n - 1.0)
        before = np.minimum(place.astype(int), max(n - 2, 0))
        share = place - before
        return cls(first + before, first + np.where(share > 0.0, np.minimum(before + 1, n - 1), before), share)

    def values(self, of_frames: FloatArray) -> FloatArray:
        """Values (N, ...) of frames, interpolated linearly to the points (101, ...)."""
        share = self.share.reshape(-1, *[1] * (of_frames.ndim - 1))
        mixed, later = of_frames[self.before], of_frames[self.after]
        mixed *= 1.0 - share
        later *= share
        mixed += later
        return np.asarray(mixed)
