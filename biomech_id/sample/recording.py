"""From a moving body to a recording and its truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS, SIDE_WORDS
from biomech_id.conventions import SIDES
from biomech_id.errors import OptionError
from biomech_id.sample.angles import true_joint_angles, true_progression_axes
from biomech_id.sample.arrays import BoolArray, FloatArray
from biomech_id.sample.body import Person
from biomech_id.sample.floor_plates import FootLoad, PlateSpec, measure, share_on_plate
from biomech_id.sample.ground import GroundWrench, true_aid_wrench, true_ground_wrench
from biomech_id.sample.jets import Jet, time_jet
from biomech_id.sample.markers import CameraNoise, Loss, as_recorded, marker_paths
from biomech_id.sample.mechanics import angular_velocity_of, joint_powers, segment_poses, true_joint_wrenches
from biomech_id.sample.motion import Gait, Posture
from biomech_id.sample.muscles import muscle_signals
from biomech_id.sample.truth import TrueAid, TrueStance, Truth
from biomech_id.sample.upper_body import stride_of, true_upper_body, upper_marker_paths, upper_person, upper_pose
from biomech_id.trial import Event, EventKind, ForcePlate, Subject, Trial
from biomech_id.values import dataclass, replace

#: (side, joint) -> values at every frame.
MarkerPaths = dict[tuple[str, str], FloatArray]


class Mover(Protocol):
    """Anything that has a pose and stands on the floor at every instant."""

    @property
    def body(self) -> Person:
        """Constants of the person."""

    def pose(self, time: Jet) -> Posture:
        """Pose at given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot.

        Parameters
        ----------
        pose : Posture
            The body's pose at those times.
        time : Jet
            Times at which to evaluate, seconds.
        side : str
            Whose foot, "L" or "R".

        Returns
        -------
        GroundWrench
            Force (n, 3), N, where it acts, m, and free moment (n,), N m, laboratory axes.
        """


@dataclass(frozen=True, eq=False)
class Walking:
    """A gait with the forces that go with it (``forward_share``: see `ground.mean_forward_share`).

    Attributes
    ----------
    gait : Gait
        The way of moving.
    forward_share : float
        Constant that makes the mean forward force zero, of `ground.mean_forward_share`.
    """

    gait: Gait
    forward_share: float

    @property
    def body(self) -> Person:
        """Constants of the person."""
        return self.gait.body

    def pose(self, time: Jet) -> Posture:
        """Pose at the given times.

        Parameters
        ----------
        time : Jet
            Times at which to evaluate, seconds.

        Returns
        -------
        Posture
            Pelvis, legs and feet, laboratory axes.
        """
        return self.gait.pose(time)

    def ground(self, pose: Posture, time: Jet, side: str) -> GroundWrench:
        """The floor's action on one foot.

        Parameters
        ----------
        pose : Posture
            The body's pose at those times.
        time : Jet
            Times at which to evaluate, seconds.
        side : str
            Whose foot, "L" or "R".

        Returns
        -------
        GroundWrench
            Force (n, 3), N, where it acts, m, and free moment (n,), N m, laboratory axes.
        """
        return true_ground_wrench(self.gait, pose, time, side, self.forward_share)


@dataclass(frozen=True)
class RecordingPlan:
    """How a trial is recorded.

    Attributes
    ----------
    name : str
        Name of the trial that is recorded.
    rate_hz : float
        Video frames per second.
    analog_ratio : int
        Analog samples per video frame.
    first_frame : int
        Number of the first frame, counted from 1.
    n_frames : int
        How many video frames are recorded.
    clock_zero_s : float
        Absolute time of the motion's own zero.
    plates : tuple[PlateSpec, ...]
        Force plates of the laboratory.
    noise_m : float
        Standard deviation of the markers' noise along each axis.
    gaps : tuple[Loss, ...]
        Marker, first and last missing frame of each gap.
    soft_tissue_m : float
        How far the thigh's markers ride up the bone with the knee at a right angle.
    seed : int
        Of every random number.
    muscles : bool, optional
        Whether electrodes are worn.
    upper_body : bool, optional
        Whether trunk, head and arms wear markers.
    """

    name: str
    rate_hz: float
    analog_ratio: int
    first_frame: int
    n_frames: int
    clock_zero_s: float
    plates: tuple[PlateSpec, ...]
    noise_m: float
    gaps: tuple[Loss, ...]
    soft_tissue_m: float
    seed: int
    muscles: bool = False
    upper_body: bool = False

    def frame_times_s(self) -> FloatArray:
        """Absolute time of every video frame.

        Returns
        -------
        FloatArray
            (n,), s.
        """
        return (self.first_frame - 1 + np.arange(self.n_frames)) / self.rate_hz

    def sample_times_s(self) -> FloatArray:
        """Absolute time of every analog sample.

        Returns
        -------
        FloatArray
            (n * ratio,), s.
        """
        count = self.n_frames * self.analog_ratio
        return (self.first_frame - 1) / self.rate_hz + np.arange(count) / (self.rate_hz * self.analog_ratio)


@dataclass(frozen=True, eq=False)
class SampleTrial:
    """A recording of the virtual subject.

    Attributes
    ----------
    trial : Trial
        What a reader would return for it.
    truth : Truth
        What is behind it.
    clock_zero_s : float, optional
        Absolute time of the motion's own zero (`VirtualSubject.mover` counts time from there).
    """

    trial: Trial
    truth: Truth
    clock_zero_s: float = 0.0


def record(
    mover: Mover,
    session: RecordingPlan,
    subject: Subject,
    stances: Sequence[TrueStance] = (),
    spatiotemporal: Mapping[str, float] | None = None,
) -> SampleTrial:
    """Record a moving body: markers, plates, events, and the truth at every video frame.

    Parameters
    ----------
    mover : Mover
        The moving body and its floor.
    session : RecordingPlan
        Options of the recording.
    subject : Subject
        Measurements that the files hold.
    stances : Sequence[TrueStance], optional
        Every stance of the motion on the recording's clock, with no plates named yet.
    spatiotemporal : Mapping[str, float] | None, optional
        Parameter -> true value.

    Returns
    -------
    SampleTrial
        What a reader would return, and what is behind it.

    Raises
    ------
    OptionError
        The legs are too short for such a stride.
    """
    times = session.frame_times_s()
    time = time_jet(times - session.clock_zero_s, order=2)
    pose = mover.pose(time)
    _check_reach(pose, session)
    rng = np.random.default_rng(session.seed)
    paths = marker_paths(mover.body, pose, session.soft_tissue_m)
    above = (
        upper_pose(upper_person(mover.body), pose, time, stride_of(getattr(mover, "gait", None))) if session.upper_body else None
    )
    legs = len(paths)
    if above is not None:
        paths |= upper_marker_paths(upper_person(mover.body), above)
    noise = CameraNoise(session.noise_m, rng, drawn_first=legs)
    markers = as_recorded(paths, session.rate_hz, session.first_frame, noise=noise, gaps=session.gaps)
    plates, carriers = _measure_plates(mover, session, rng)
    aids = tuple(
        TrueAid(name, carriers.of(name), w.force_N.value, _where_loaded(w.cop_m.value, w.force_N.value))
        for name, w in _aids(mover, pose, time).items()
    )
    end_s = float(times[-1])
    overlapping = tuple(
        TrueStance(s.side, s.strike_s, s.off_s, carriers(s), s.heel_m, s.yaw_rad)
        for s in sorted(stances, key=lambda stance: stance.strike_s)
        if s.off_s >= times[0] and s.strike_s <= end_s
    )
    events = tuple(e for s in overlapping for e in _events_of(s) if times[0] <= e.time_s <= end_s)
    trial = Trial(
        name=session.name, markers=markers, plates=plates, events=events, subject=subject, first_frame=session.first_frame,
        history=("generated by the virtual subject",),
    )  # fmt: skip
    truth = truth_of(mover, times, time, pose, paths["LASI"])
    truth = replace(truth, events=trial.events, stances=overlapping, spatiotemporal=spatiotemporal or {}, aids=aids)
    if above is not None:
        floor = {side: (truth.ground_force_lab_N[side], truth.ground_moment_lab_Nm[side]) for side in SIDES}
        truth = replace(truth, upper=true_upper_body(upper_person(mover.body), pose, above, floor))
    if session.muscles:
        rate_hz = session.rate_hz * session.analog_ratio
        signals = muscle_signals(session.sample_times_s(), rate_hz, stances, session.seed)
        trial, truth = replace(trial, analog=signals.analog), replace(truth, muscles=signals.truth)
    return SampleTrial(trial, truth, session.clock_zero_s)


def _check_reach(pose: Posture, session: RecordingPlan) -> None:
    for side, leg in pose.legs.items():
        beyond = ~np.isfinite(leg.knee_m.value).all(axis=-1)
        if beyond.any():
            frame = int(np.argmax(beyond)) + session.first_frame
            raise OptionError(
                f"The {SIDE_WORDS[side]} leg of the virtual subject cannot reach its foot in frame {frame} of {session.name}.",
                value=frame, expected="a speed that the legs can walk", where=session.name,
            )  # fmt: skip


def _events_of(stance: TrueStance) -> tuple[Event, Event]:
    return (
        Event(stance.strike_s, stance.side, EventKind.FOOT_STRIKE, label=EventKind.FOOT_STRIKE.value),
        Event(stance.off_s, stance.side, EventKind.FOOT_OFF, label=EventKind.FOOT_OFF.value),
    )


def _measure_plates(mover: Mover, session: RecordingPlan, rng: np.random.Generator) -> tuple[tuple[ForcePlate, ...], _Carriers]:
    times = session.sample_times_s()
    time = time_jet(times - session.clock_zero_s, order=0)
    pose = mover.pose(time)
    loads = {}
    standing = {side: mover.ground(pose, time, side) for side in SIDES} | _aids(mover, pose, time)
    for side, wrench in standing.items():
        loads[side] = FootLoad(wrench.force_N.value, wrench.cop_m.value, wrench.free_moment_Nm.value)
    plates = tuple(
        measure(spec, f"plate {i}", tuple(loads.values()), session.rate_hz * session.analog_ratio, rng)
        for i, spec in enumerate(session.plates, start=1)
    )
    return plates, _Carriers(session.plates, times, loads)


def _aids(mover: Mover, pose: Posture, time: Jet) -> dict[str, GroundWrench]:
    """The floor's action on every end of a walking aid, by name."""
    if not isinstance(mover, Walking):
        return {}
    return {tip.name: true_aid_wrench(mover.gait, pose, time, tip) for tip in mover.gait.pattern.aids}


@dataclass(frozen=True, eq=False)
class _Carriers:
    """Which plates carry a stance, or a walking aid, while it is recorded."""

    specs: tuple[PlateSpec, ...]
    times_s: FloatArray
    loads: Mapping[str, FootLoad]

    def __call__(self, stance: TrueStance) -> tuple[str, ...]:
        return self.of(stance.side, (self.times_s > stance.strike_s) & (self.times_s < stance.off_s))

    def of(self, name: str, while_: BoolArray | bool = True) -> tuple[str, ...]:
        load = self.loads[name]
        during = while_ & (load.force_N[:, 2] > 0)
        names = []
        for i, spec in enumerate(self.specs, start=1):
            share, _ = share_on_plate(spec, load.cop_m[during])
            if share.size and share.max() > 0:
                names.append(f"plate {i}")
        return tuple(names)


def truth_of(mover: Mover, times_s: FloatArray, time: Jet, pose: Posture, lasi_m: FloatArray) -> Truth:
    """Gather everything that is known about a motion at the given times, without events, stances and measures.

    Parameters
    ----------
    mover : Mover
        The moving body and its floor.
    times_s : FloatArray
        (n,), absolute times, s.
    time : Jet
        The same as a jet of order 2, on the motion's own clock.
    pose : Posture
        The body's pose at those times.
    lasi_m : FloatArray
        (n, 3), path of the left ASIS marker (it defines the direction of progression).

    Returns
    -------
    Truth
        Exact values at every video frame.
    """
    body = mover.body
    R_lab_seg = {("", "pelvis"): pose.pelvis.R_lab_pelvis}
    origin = {("", "pelvis"): pose.pelvis.origin_m}
    centres: MarkerPaths = {}
    force: MarkerPaths = {}
    moment: MarkerPaths = {}
    distal: MarkerPaths = {}
    rotational: MarkerPaths = {}
    translational: MarkerPaths = {}
    ground = {side: mover.ground(pose, time, side) for side in SIDES}
    for side in SIDES:
        for segment, (R, place) in segment_poses(pose, side).items():
            R_lab_seg[side, segment], origin[side, segment] = R, place
        leg = pose.legs[side]
        centres |= {(side, "hip"): leg.hip_m.value, (side, "knee"): leg.knee_m.value, (side, "ankle"): leg.ankle_m.value}
        wrenches = true_joint_wrenches(body, pose, side, ground[side].force_N.value, ground[side].moment_about_origin_Nm())
        powers = joint_powers(pose, side, wrenches)
        for joint in JOINTS:
            force[side, joint], moment[side, joint] = wrenches[joint].force_N, wrenches[joint].moment_Nm
            R_distal = R_lab_seg[side, DISTAL_SEGMENT[joint]].value
            distal[side, joint] = np.einsum("nji,nj->ni", R_distal, wrenches[joint].moment_Nm)
            rotational[side, joint], translational[side, joint] = powers[joint]
    rotations = {key: R.value for key, R in R_lab_seg.items()}
    progression = true_progression_axes(lasi_m, rotations["", "pelvis"][..., 0])
    inertia = {(side, segment): body.inertia(side, segment) for side in SIDES for segment in LEG_SEGMENTS}
    return Truth(
        time_s=times_s,
        joint_centres_lab_m=centres,
        R_lab_seg=rotations,
        origin_lab_m={key: p.value for key, p in origin.items()},
        omega_lab_rad_s={key: angular_velocity_of(R).value for key, R in R_lab_seg.items()},
        joint_angles_rad=true_joint_angles(rotations, progression.T),
        joint_force_lab_N=force,
        joint_moment_lab_Nm=moment,
        joint_moment_distal_Nm=distal,
        power_rotational_W=rotational,
        power_translational_W=translational,
        ground_force_lab_N={side: w.force_N.value for side, w in ground.items()},
        ground_moment_lab_Nm={side: w.moment_about_origin_Nm() for side, w in ground.items()},
        centre_of_pressure_lab_m={side: _where_loaded(w.cop_m.value, w.force_N.value) for side, w in ground.items()},
        free_moment_Nm={side: w.free_moment_Nm.value for side, w in ground.items()},
        segment_mass_kg={key: part.mass_kg for key, part in inertia.items()},
        segment_com_m={key: part.com_m for key, part in inertia.items()},
        segment_inertia_kgm2={key: part.tensor_kgm2 for key, part in inertia.items()},
        static_plantar_flexion_rad={side: body.feet[side].plantar_flexion_offset_rad for side in SIDES},
        static_rotation_offset_rad={side: body.feet[side].rotation_offset_rad for side in SIDES},
        foot_length_m={side: body.feet[side].length_m for side in SIDES},
        progression_R_lab=progression,
        events=(),
        stances=(),
        spatiotemporal={},
    )


def _where_loaded(cop_m: FloatArray, force_N: FloatArray) -> FloatArray:
    return np.where(force_N[:, 2:] > 0, cop_m, np.nan)
