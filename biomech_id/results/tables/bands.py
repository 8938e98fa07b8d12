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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import dot, matvec, matvec_transposed
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ANGLE_VARIABLE, AXES, MM_PER_M, MOMENT_VARIABLE, NOISE_SOURCES, POWER_VARIABLE
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import leg_at
from biomech_id.gait.cycle import Cycle, KineticsValid
from biomech_id.results.session.ground import progression_components
from biomech_id.results.tables.session_tables import CURVE_POINTS
from biomech_id.uncertainty.leg import line_point
from biomech_id.uncertainty.pose_jacobian import add_lab, moment_jacobians
from biomech_id.uncertainty.propagation import Deviation, deviation
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.uncertainty.sources import Effect, ErrorSource, Nominal

#: (variable, component) of every curve that has a band, in this order.
Name = tuple[str, str]
#: Joint -> index of the proximal and the distal segment among foot, shank, thigh, pelvis.
_ENDS = {"ankle": (1, 0), "knee": (2, 1), "hip": (3, 2), "pelvis": (None, 3), "foot_progress": (None, 0)}
_STEP_RAD = 1e-5
#: Mean of the true hip centre behind, outward of and above that of Davis et al.'s regression, metres: forward, up, outward.
DAVIS_BIAS_M = (-0.0188, 0.0087, 0.0093)


@dataclass(frozen=True, eq=False)
class CycleBand:
    """How every curve of one cycle changes by every error.

    Attributes
    ----------
    cycle : Cycle
        The cycle.
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
    """

    cycle: Cycle
    names: tuple[Name, ...]
    sources: tuple[str, ...]
    changes: FloatArray
    noise: FloatArray
    shift: FloatArray
    event_sd_s: Mapping[str, float] = field(default_factory=dict)

    def sd(self, source: str) -> FloatArray:
        """Standard deviation (V, 101) from one source; zero where it does nothing.

        Parameters
        ----------
        source : str
            One of `conventions.ERROR_SOURCES`.
        """
        return (
            self.noise if source in NOISE_SOURCES else np.asarray(np.sqrt(self._variances.get(source, np.zeros(self.noise.shape))))
        )

    @cached_property
    def _variances(self) -> dict[str, FloatArray]:
        """Source of a bias -> variance (V, 101)."""
        found: dict[str, FloatArray] = {}
        for source in dict.fromkeys(self.sources):
            changes = self.changes[[each == source for each in self.sources]]
            found[source] = np.einsum("pvk,pvk->vk", changes, changes)
        return found

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
) -> tuple[CycleBand, ...]:
    """Return the bands of every cycle of a trial.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    loads : JointLoads | None
        Its joint loads; None for kinematics only.
    errors : Mapping[str, LegErrors]
        Side -> what can be wrong with that leg.
    cycles : Sequence[Cycle]
        Where to cut.
    mass_kg : float | None
        Body mass that kinetics are divided by; None for kinematics only.
    """
    found = []
    for side, of_leg in errors.items():
        mine = [cycle for cycle in cycles if cycle.side == side]
        rows = [_rows(motion, cycle) for cycle in mine]
        if not mine:
            continue
        every = np.unique(np.concatenate(rows))
        # A cycle without kinetics has no bands of them, wherever its loads are known.
        loaded = [own for cycle, own in zip(mine, rows, strict=True) if cycle.kinetics_valid is not KineticsValid.FALSE]
        wanted = np.isin(every, np.concatenate(loaded)) if loaded else np.zeros(len(every), dtype=bool)
        whole = _leg_changes(motion, (loads if mass_kg else None, mass_kg or 1.0), side, of_leg, every, wanted)
        for cycle, own in zip(mine, rows, strict=True):
            first = int(np.searchsorted(every, own[0]))
            found.append(_cut(whole, slice(first, first + len(own)), motion, cycle, own[0]))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Changes:
    """Changes (N, V, P) of all variables in chosen frames, with the errors' sources; variance of noise (N, V); shift (N, V)."""

    names: tuple[Name, ...]
    sources: tuple[str, ...]
    changes: FloatArray
    noise_variance: FloatArray
    shift: FloatArray


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
    motion: BodyMotion, of_body: tuple[JointLoads | None, float], side: str, errors: LegErrors, rows: IntArray, wanted: BoolArray
) -> _Changes:
    """Every error of a leg in chosen frames; of its kinetics (joint loads and body mass, kg), those in the frames wanted."""
    markers, angles, (loads, mass_kg) = errors.markers, len(ANGLE_CURVES), of_body
    known = np.zeros(len(rows), dtype=bool) if loads is None else _known(loads, side)[rows]
    labels = () if markers is None else markers.sources
    of_markers = len(labels)
    if known.any():
        quiet = ((group, source) for group, of_group in errors.sources.items() for source in of_group if group not in NOISE_SOURCES)
        labels += tuple(group for group, source in quiet for _ in source.covariance)
    known &= wanted
    leg = None
    further: dict[str, FloatArray] = {}
    if loads is not None and known.any():
        mask = np.zeros(motion.n_frames, dtype=bool)
        mask[rows[known]] = True
        leg = _Leg(Nominal(leg_at(loads, side, mask)), motion, side, rows[known], mass_kg)
        further = {group: leg.kinetics_by(group, of_group) for group, of_group in errors.sources.items()}
    biases = {group: changes for group, changes in further.items() if group not in NOISE_SOURCES}
    changes = np.zeros((len(rows), angles + len(KINETIC_CURVES), len(labels)))
    changes[wanted & ~known, angles:] = np.nan
    noise = np.zeros(changes.shape[:2])
    shift = np.full(changes.shape[:2], np.nan)
    if markers is not None:
        changes[:, :angles, :of_markers] = markers.changes(rows, _angle_jacobian(motion, side, markers.axes(rows)))
    if leg is not None:
        if markers is not None:
            changes[known, angles:, :of_markers] = markers.changes(leg.rows, leg.pose_jacobian(markers.axes(leg.rows)))
        if biases:
            changes[known, angles:, of_markers:] = np.moveaxis(np.concatenate(list(biases.values())), 0, 2)
        noise[known, angles:] = sum((block**2).sum(axis=0) for group, block in further.items() if group in NOISE_SOURCES)
        if "hip_centre" in biases and errors.davis_sd_m > 0.0:
            shift[known, angles:] = leg.hip_shift(biases["hip_centre"], errors.davis_sd_m)
    return _Changes((*ANGLE_CURVES, *KINETIC_CURVES), labels, changes, noise, shift)


def _known(loads: JointLoads, side: str) -> BoolArray:
    return np.asarray(np.logical_and.reduce([loads[side, joint].known for joint in JOINTS]))


def _angle_jacobian(motion: BodyMotion, side: str, R_lab_seg: FloatArray) -> FloatArray:
    """(1, N, 15, 4, 3), deg per rad by which foot, shank, thigh and pelvis are turned."""
    axes = motion.model_axes
    standing = axes.standing(motion.progression_R_lab)
    tilts = np.eye(3) + np.stack([np.zeros((3, 3)), *skew(np.eye(3) * _STEP_RAD)])
    tilted = tilts[:, None, None] @ R_lab_seg
    jacobian = np.zeros((1, len(R_lab_seg), len(ANGLE_CURVES), 4, 3))
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
        The leg.
    motion : BodyMotion
        The trial, tracked.
    side : str
        "L" or "R".
    rows : IntArray
        (N,), rows of the trial that the leg was solved in.
    """

    nominal: Nominal
    motion: BodyMotion
    side: str
    rows: IntArray

    def joint(self, joint: str, errors: Deviation) -> tuple[FloatArray, FloatArray]:
        """Return changes of a joint's clinical moment (p, N, 3), N m, and of its power (p, N), W.

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
        change = matvec(by.moment, errors.moment[:, :, i])
        change += matvec(by.turn_proximal, turn_proximal) + matvec(by.turn_distal, errors.turn[:, :, i])
        change += matvec(by.spin, errors.spin[:, :, i] - spin_proximal)
        return change[..., :3], change[..., 3]

    @cached_property
    def by_joint(self) -> Mapping[str, JointJacobian]:
        """Joint -> what its moment and power are made of, in every frame."""
        chain, pelvis = self.nominal.chain, self.motion.motions["", "pelvis"]
        R = [*np.moveaxis(chain.R_lab_seg, 1, 0), pelvis.frames.R_lab_seg[self.rows]]
        omega = [*np.moveaxis(chain.omega_lab_rad_s, 1, 0), pelvis.omega_lab_rad_s[self.rows]]
        found = {}
        for i, joint in enumerate(JOINTS):
            moment = self.nominal.moment[:, i]
            clinical = self.motion.model_axes.moment_jacobian(joint, self.side, moment, R[i + 1], R[i])
            nothing = np.zeros_like(moment)
            powers = omega[i] - omega[i + 1], nothing, nothing, moment
            rows = (*clinical, np.zeros_like(clinical[0]))
            found[joint] = JointJacobian(*(np.concatenate([a, b[:, None]], axis=1) for a, b in zip(rows, powers, strict=True)))
        return found


@dataclass(frozen=True, eq=False)
class _Leg(JointChanges):
    """The same with the body mass that kinetics are divided by, and the ground under the foot."""

    mass_kg: float = 1.0

    def kinetics_by(self, group: str, sources: Sequence[ErrorSource]) -> FloatArray:
        """Changes (p, N, 17) of moments, powers, ground reaction and centre of pressure, in the order of `KINETIC_CURVES`."""
        off = deviation(self.nominal, sources)
        moments, powers = zip(*(self.joint(joint, off) for joint in JOINTS), strict=True)
        ground = np.zeros((len(off.moment), len(self.rows), 5))
        values = np.concatenate([*moments, np.stack(powers, axis=2), ground], axis=2) / self.mass_kg
        return self.with_ground(values, sources) if group == "force_plates" else values

    def pose_jacobian(self, R_lab_seg: FloatArray) -> FloatArray:
        """(3, N, 17, 10, 3), the same by the poses (see `uncertainty.pose_jacobian`)."""
        jacobian = np.zeros((3, len(self.rows), len(KINETIC_CURVES), 10, 3))
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

    def with_ground(self, values: FloatArray, sources: Sequence[ErrorSource]) -> FloatArray:
        """The changes by the plates' errors with what they do to the ground reaction itself."""
        force, _ = self.nominal.loads.external[0].at_origin()
        effects: list[Effect] = [effect for source in sources for effect in source.effects(self.nominal)]
        change = np.concatenate([
            np.asarray(np.sqrt(np.diag(source.covariance)))[:, None, None] * -effect.force[:, :, 0]
            for source, effect in zip(sources, effects, strict=True)
        ])  # fmt: skip
        values[:, :, 12:15] = self._in_progression(change) / self.mass_kg
        # The first source of the plates is where their force acts.
        place = np.sqrt(np.diag(sources[0].covariance))[:, None, None] * np.eye(3)[:, None, :]
        loaded = np.where(dot(force, force)[:, None] > 0.0, 1.0, 0.0)
        values[:3, :, 15:] = self._pressure_beside(place * loaded)
        return values

    def hip_shift(self, values: FloatArray, sd_m: float) -> FloatArray:
        """What taking out the mean error of Davis et al.'s regression adds (N, 17), by the errors of a hip."""
        pelvis, thigh = (
            motion.frames.R_lab_seg[self.rows]
            for motion in (self.motion.motions["", "pelvis"], self.motion.motions[self.side, "thigh"])
        )
        forward, up, outward = DAVIS_BIAS_M
        isb = np.array([forward, up, outward if self.side == "R" else -outward])
        in_thigh = matvec_transposed(thigh, pelvis @ (self.motion.model_axes.R_seg_isb["pelvis"] @ isb))
        return np.asarray(np.einsum("np,pnv->nv", in_thigh / sd_m, values))

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


def _cut(whole: _Changes, part: slice, motion: BodyMotion, cycle: Cycle, first_row: int) -> CycleBand:
    """Interpolate to 101 points of a cycle, and leave out what the cycle has no value of."""
    first_time_s = (motion.first_frame - 1 + first_row) / motion.rate_hz
    n = part.stop - part.start
    place = (np.linspace(cycle.start_s, cycle.end_s, CURVE_POINTS) - first_time_s) * motion.rate_hz
    place = np.clip(place, 0.0, n - 1.0)
    before = np.minimum(place.astype(int), max(n - 2, 0))
    share = place - before
    after = np.where(share > 0.0, np.minimum(before + 1, n - 1), before)

    def at(values: FloatArray) -> FloatArray:
        rows, of_after = values[part, :known], share.reshape(-1, *[1] * (values.ndim - 1))
        mixed, later = rows[before], rows[after]
        mixed *= 1.0 - of_after
        later *= of_after
        mixed += later
        found = np.full((*values.shape[:0:-1], CURVE_POINTS), np.nan)
        found[..., :known, :] = mixed.T
        return found

    # Angles come before kinetics.
    known = len(ANGLE_CURVES) if cycle.kinetics_valid is KineticsValid.FALSE else len(whole.names)
    changes, variance, shift = at(whole.changes), at(whole.noise_variance), at(whole.shift)
    if cycle.kinetics_valid is KineticsValid.STANCE_ONLY:
        gone = np.broadcast_to(np.array([name not in KINETIC_CURVES for name in whole.names])[:, None], variance.shape).copy()
        gone[:, cycle.start_s + np.linspace(0.0, 1.0, CURVE_POINTS) * cycle.duration_s > cycle.foot_off_s] = True
        changes[:, gone] = np.nan
        variance[gone] = np.nan
    return CycleBand(cycle, whole.names, whole.sources, changes, np.sqrt(variance), shift)
