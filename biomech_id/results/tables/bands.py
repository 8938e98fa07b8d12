"""What every error does to every variable of a cycle: the curves from which all bands come.

An error of one standard deviation changes a curve by J_p(percent); it is one draw for the whole session, so that errors of
different percents hang together. The variance of anything that follows from the curves is the sum of the squares of its
changes, one error at a time; what is not linear in them, a score, is sampled from curves + sum z_p J_p.

By a small turn phi of the axes of two segments a joint's angles change by E^-1 R_p' (phi_d - phi_p), with E found by differences
of the model's own rule. The moment changes with the loads and with the axes it is written in (`ModelAxes.moment_change`), and the
power by ::

    dP = dM . omega + M . domega
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.skew import skew
from biomech_id.algebra.vectors import dot, matvec_transposed
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import ANGLE_VARIABLE, AXES, MM_PER_M, MOMENT_VARIABLE, NOISE_SOURCES, POWER_VARIABLE
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import leg_at
from biomech_id.gait.cycle import Cycle, KineticsValid
from biomech_id.results.session.ground import progression_components
from biomech_id.results.tables.session_tables import CURVE_POINTS
from biomech_id.uncertainty.leg import line_point
from biomech_id.uncertainty.marker_errors import PoseErrors
from biomech_id.uncertainty.propagation import Deviation, deviation, response
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
        if source in NOISE_SOURCES:
            return self.noise
        rows = [i for i, of in enumerate(self.sources) if of == source]
        return np.asarray(np.sqrt(np.einsum("pvk,pvk->vk", self.changes[rows], self.changes[rows])))

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

    @property
    def total(self) -> FloatArray:
        """Standard deviation (V, 101) from all sources."""
        return np.asarray(np.sqrt(np.einsum("pvk,pvk->vk", self.changes, self.changes) + self.noise**2))


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
        whole = _leg_changes(motion, loads if mass_kg else None, side, of_leg, every, mass_kg or 1.0)
        for cycle, own in zip(mine, rows, strict=True):
            first = int(np.searchsorted(every, own[0]))
            found.append(_cut(whole, slice(first, first + len(own)), motion, cycle, own[0]))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Changes:
    """Changes (P, N, V) of all variables in chosen frames, with the errors' sources; variance of noise (N, V); shift (N, V)."""

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
    motion: BodyMotion, loads: JointLoads | None, side: str, errors: LegErrors, rows: IntArray, mass_kg: float
) -> _Changes:
    """Every error of a leg in chosen frames."""
    markers = errors.markers
    poses = None if markers is None else markers.poses(rows)
    labels: list[str] = [] if poses is None else list(poses.sources)
    n = len(rows)
    known = np.zeros(n, dtype=bool) if loads is None else _known(loads, side)[rows]
    sources = dict(errors.sources) if known.any() else {}
    blocks: list[tuple[str, Deviation]] = []
    nominal = None
    if known.any():
        mask = np.zeros(motion.n_frames, dtype=bool)
        mask[rows[known]] = True
        assert loads is not None
        nominal = Nominal(leg_at(loads, side, mask))
        blocks = [(group, deviation(nominal, of_group)) for group, of_group in sources.items()]
    quiet = [(group, block) for group, block in blocks if group not in NOISE_SOURCES]
    labels += [group for group, block in quiet for _ in block.moment]
    changes = np.zeros((len(labels), n, len(ANGLE_CURVES) + len(KINETIC_CURVES)))
    noise = np.zeros((n, changes.shape[2]))
    shift = np.full((n, changes.shape[2]), np.nan)
    p = 0
    if poses is not None:
        p = len(poses.sources)
        changes[:p, :, : len(ANGLE_CURVES)] = _angle_changes(motion, side, rows, poses)
    changes[:, ~known, len(ANGLE_CURVES) :] = np.nan
    if nominal is not None:
        leg = _Leg(nominal, motion, side, rows[known], mass_kg)
        if poses is not None and markers is not None:
            effect = poses.at(known).effect(nominal, markers.rates(rows[known]))
            _, moment = response(nominal, effect)
            pose_block = Deviation(moment, effect.turn, effect.spin, effect.base_turn, effect.base_spin)
            changes[:p, known, len(ANGLE_CURVES) :] = leg.kinetics(pose_block, poses.at(known))
        for group, block in blocks:
            values = leg.kinetics(block)
            if group in NOISE_SOURCES:
                noise[known, len(ANGLE_CURVES) :] = (values**2).sum(axis=0)
                continue
            if group == "force_plates":
                values = leg.with_ground(values, errors.sources[group])
            changes[p : p + len(values), known, len(ANGLE_CURVES) :] = values
            p += len(values)
            if group == "hip_centre" and errors.davis_sd_m > 0.0:
                shift[known, len(ANGLE_CURVES) :] = leg.hip_shift(values, errors.davis_sd_m)
    return _Changes((*ANGLE_CURVES, *KINETIC_CURVES), tuple(labels), changes, noise, shift)


def _known(loads: JointLoads, side: str) -> BoolArray:
    return np.asarray(np.logical_and.reduce([loads[side, joint].known for joint in JOINTS]))


def _angle_changes(motion: BodyMotion, side: str, rows: IntArray, poses: PoseErrors) -> FloatArray:
    """(p, N, 15), deg."""
    axes, R = motion.model_axes, np.moveaxis(poses.R_lab_seg, 1, 0)
    standing = axes.standing(motion.progression_R_lab)
    turn = poses.turn_lab_rad
    tilted = [skew(np.eye(3)[k] * _STEP_RAD) for k in range(3)]
    found = []
    for joint, (proximal, distal) in _ENDS.items():
        R_proximal_lab = standing if proximal is None else np.swapaxes(R[proximal], -1, -2)
        zero = axes.angle(joint, side, R_proximal_lab, R[distal])
        each = [axes.angle(joint, side, R_proximal_lab, R[distal] + tilt @ R[distal]) - zero for tilt in tilted]
        per_turn = np.stack([(change + np.pi) % (2 * np.pi) - np.pi for change in each], axis=-1) / _STEP_RAD
        relative = turn[:, :, distal] if proximal is None else turn[:, :, distal] - turn[:, :, proximal]
        found.append(np.degrees(np.einsum("nik,pnk->pni", per_turn, relative)))
    return np.concatenate(found, axis=2)


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
        chain, i = self.nominal.chain, JOINTS.index(joint)
        moment, turn, spin = errors.moment[:, :, i], errors.turn[:, :, i], errors.spin[:, :, i]
        if joint == "hip":
            pelvis = self.motion.motions["", "pelvis"]
            R_proximal, omega_proximal = pelvis.frames.R_lab_seg[self.rows], pelvis.omega_lab_rad_s[self.rows]
            turn_proximal, spin_proximal = errors.base_turn, errors.base_spin
        else:
            R_proximal, omega_proximal = chain.R_lab_seg[:, i + 1], chain.omega_lab_rad_s[:, i + 1]
            turn_proximal, spin_proximal = errors.turn[:, :, i + 1], errors.spin[:, :, i + 1]
        nominal_moment = self.nominal.moment[:, i]
        components = self.motion.model_axes.moment_change(
            joint, self.side, (nominal_moment, R_proximal, chain.R_lab_seg[:, i]), moment, (turn_proximal, turn)
        )
        relative = chain.omega_lab_rad_s[:, i] - omega_proximal
        return components, dot(moment, relative) + dot(nominal_moment, spin - spin_proximal)


@dataclass(frozen=True, eq=False)
class _Leg(JointChanges):
    """The same with the body mass that kinetics are divided by, and the ground under the foot."""

    mass_kg: float = 1.0

    def kinetics(self, errors: Deviation, poses: PoseErrors | None = None) -> FloatArray:
        """Changes (p, N, 17) of moments, powers, ground reaction and centre of pressure, in the order of `KINETIC_CURVES`."""
        moments, powers = zip(*(self.joint(joint, errors) for joint in JOINTS), strict=True)
        ground = np.zeros((len(errors.moment), len(self.rows), 5))
        if poses is not None:
            arm = self._ground_point() - self.nominal.chain.joint_lab_m[:, 0]
            ground[:, :, 3:] = self._pressure_beside(-poses.foot_shift_lab_m(arm))
        scaled = [*(moment / self.mass_kg for moment in moments), np.stack(powers, axis=2) / self.mass_kg, ground]
        return np.concatenate(scaled, axis=2)

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
    share = (place - before)[:, None]
    after = np.minimum(before + 1, n - 1)

    def at(values: FloatArray) -> FloatArray:
        rows = values[..., part, :]
        a, b = rows[..., before, :], rows[..., after, :]
        mixed = np.where(share == 0.0, a, (1.0 - share) * a + share * b)
        return np.ascontiguousarray(np.swapaxes(mixed, -1, -2))

    changes, variance, shift = at(whole.changes), at(whole.noise_variance), at(whole.shift)
    kinetic = np.array([name in KINETIC_CURVES for name in whole.names])
    gone = np.zeros((len(whole.names), CURVE_POINTS), dtype=bool)
    if cycle.kinetics_valid is KineticsValid.FALSE:
        gone[kinetic] = True
    elif cycle.kinetics_valid is KineticsValid.STANCE_ONLY:
        swing = cycle.start_s + np.linspace(0.0, 1.0, CURVE_POINTS) * cycle.duration_s > cycle.foot_off_s
        gone[:, swing] = True
        gone[~kinetic] = True
    changes[:, gone] = np.nan
    variance[gone] = np.nan
    return CycleBand(cycle, whole.names, whole.sources, changes, np.sqrt(variance), shift)
