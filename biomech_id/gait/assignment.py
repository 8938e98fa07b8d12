"""Feet on plates: every stance of a trial with its verdict, and the ground's wrench on each foot at the video rate.

A plate hands its whole wrench to the foot, force and moment about a fixed point; there is no centre of pressure in it and no
division by a force. Two ways to the video rate are kept (`signal.resample`):

* **textbook**: local least-squares parabola of force and moment, from the load's beginning to its end;
* **vicon**: plain mean over a frame, used where its force is at least 5 N, zero elsewhere; in stance, frames below that are
  unknown, as the vendor's software leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.arguments import a, a_word, each, or_none, takes
from biomech_id.conventions import SIDES, KineticsName
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.errors import ShapeError
from biomech_id.feet.contacts import CONTACT, PlateContact, PlateRest, plate_at_rest
from biomech_id.feet.feet import Feet, find_feet
from biomech_id.feet.feet_on_plates import PlateLoad, carried_N
from biomech_id.feet.stance_intervals import Interval, frames_within, stance_intervals, unknown_frames
from biomech_id.gait.by_hand import Judged, StanceVerdict, overruled
from biomech_id.gait.events import search_events
from biomech_id.gait.silent_plates import silent_stances
from biomech_id.gait.verdict import APART_S, EDGE_TOLERANCE_S, Scene, judge, light_stances
from biomech_id.movement.movement import window_of
from biomech_id.movement.stance import Assignment, Stance, Verdict
from biomech_id.signal.resample import local_quadratic, window_mean
from biomech_id.signal.runs import runs
from biomech_id.trial import Event, ForcePlate, Trial
from biomech_id.trial.subject import BODY_MASS

#: Resultant force from which the vendor's software uses a plate: between 4.40 and 5.05 N by its stored outputs.
VENDOR_CONTACT_N = 5.0
#: Around a load, force is believed down to this many standard deviations of the resting plate, and not below one newton.
EDGE_NOISE_FACTOR = 3.0
LEAST_EDGE_N = 1.0


@takes(
    trial=a(Trial, "read_c3d(path) returns it"), motion=or_none(a(BodyMotion, "a model's track(trial) returns it")),
    events=or_none(each(a(Event, "find_events(trial) returns them"))), kinetics=a_word(tuple(KineticsName)),
    body_mass_kg=or_none(BODY_MASS), contact_N=CONTACT, verdicts=each(a(StanceVerdict)),
    wrench_plates=or_none(each(a(ForcePlate, "prepare(trial, model) smooths them"))),
)  # fmt: skip
def assign_plates(
    trial: Trial,
    motion: BodyMotion | None = None,
    *,
    events: Sequence[Event] | None = None,
    kinetics: str = "textbook",
    body_mass_kg: float | None = None,
    contact_N: float = 0.0,
    verdicts: Sequence[StanceVerdict] = (),
    wrench_plates: Sequence[ForcePlate] | None = None,
    feet: Feet | None = None,
) -> Assignment:
    """Put feet on plates.

    Parameters
    ----------
    trial : Trial
        The recording; plates hold the reaction on the subject about their surface centres, laboratory axes.
    motion : BodyMotion | None, optional
        What tracking gave, for the feet's outlines (else drawn from heel and toe markers).
    events : Sequence[Event] | None, optional
        Foot strikes and offs; found when not given (`find_events`).
    kinetics : str, optional
        "textbook" or "vicon", how the wrench comes to the video rate.
    body_mass_kg : float | None, optional
        Default is the trial's subject's; without either, thresholds use an estimate and no stance is called too light.
    contact_N : float, optional
        Contact threshold, N; 0 derives it from each plate's noise and the body's weight.
    verdicts : Sequence[StanceVerdict], optional
        Set by hand; those of other trials do not count. Where two mean one stance the later one does.
    wrench_plates : Sequence[ForcePlate] | None, optional
        The same plates, smoothed like the markers: their wrenches are handed to the feet, while contact and verdicts are judged
        from the plates as recorded. Default: the trial's own ``wrench_plates``, or without them its plates.
    feet : Feet | None, optional
        Feet of the trial where they are known already (`feet.feet.find_feet`).

    Returns
    -------
    Assignment : Assignment
        Stances in order of time, and per side a `FootContact` with force (n, 3), N, and moment about the laboratory's origin (n,
        3), N m, laboratory axes; ``known`` is False wherever the foot is or may be on the ground without an accepted plate.

    Raises
    ------
    WrongTypeError
        Something else than a trial and its motion, or these two the wrong way round.
    OptionError
        Unknown kinetics; a verdict set by hand that names a stance or plate which does not exist.
    ShapeError
        Another number of ``wrench_plates`` than of plates.
    MissingInputError
        No foot is seen.
    """
    smoothed = trial.wrench_plates if wrench_plates is None else wrench_plates
    plates = tuple(trial.plates if smoothed is None else smoothed)
    if len(plates) != len(trial.plates):
        raise ShapeError(
            f"{trial.name} has {len(trial.plates)} plates, but {len(plates)} filtered ones.",
            value=len(plates), expected=f"{len(trial.plates)} plates", where=trial.name,
        )  # fmt: skip
    feet = feet or find_feet(trial, motion, body_mass_kg=body_mass_kg, contact_N=contact_N)
    if events is None:
        events = search_events(trial, motion, body_mass_kg=body_mass_kg, contact_N=contact_N, feet=feet).events
    time_s = feet.landmarks.time_s
    mass = body_mass_kg if body_mass_kg is not None else trial.subject.mass_kg
    intervals = {side: _intervals(events, side, time_s) for side in SIDES}
    scene = Scene(trial, feet.landmarks, feet.loads, intervals, mass)
    by_rules = {side: [judge(scene, interval) for interval in intervals[side]] for side in SIDES}
    judged, against = overruled(scene, by_rules, [verdict for verdict in verdicts if verdict.trial == trial.name])
    light = [finding for side in SIDES for finding in light_stances(scene, side, judged[side])]
    silent = tuple(finding for side in SIDES for finding in silent_stances(scene, side, judged[side]))
    # Of a foot without any event only a certain load says that it stands.
    stances = [s for side in SIDES for s, _ in judged[side] if s.verdict.solved or np.isfinite([s.start_s, s.end_s]).any()]
    contacts, shown = (
        {side: _contact(scene, side, judged[side], events, VideoPlates(trial, whose, kinetics)) for side in SIDES}
        for whose in (plates, [own if plate.spread_s else plate for own, plate in zip(trial.plates, plates, strict=True)])
    )
    return Assignment(tuple(sorted(stances, key=_when)), contacts, (*light, *against), shown, silent)


def _intervals(events: Sequence[Event], side: str, time_s: FloatArray) -> tuple[Interval, ...]:
    """Stances of one side; of a side without events the whole trial, in which the foot may stand at any time."""
    first_s, last_s = float(time_s[0]), float(time_s[-1])
    unseen = Interval(side, float("nan"), float("nan"), first_s, last_s)
    return stance_intervals(events, side, first_s, last_s) if any(e.side == side for e in events) else (unseen,)


def _contact(scene: Scene, side: str, judged: Sequence[Judged], events: Sequence[Event], plates: VideoPlates) -> FootContact:
    every_s, vendor = scene.landmarks.time_s, plates.kinetics == "vicon"
    every_force, every_moment = np.zeros((len(every_s), 3)), np.zeros((len(every_s), 3))
    every_known = ~unknown_frames(events, side, every_s)
    for (stance, loads), interval in zip(judged, scene.intervals[side], strict=True):
        # Views of the frames that this stance can change: of a long recording all others stay untouched.
        frames = _reach(scene, interval, loads if stance.verdict.solved else (), plates)
        time_s, known = every_s[frames], every_known[frames]
        force, moment = every_force[frames], every_moment[frames]
        standing = frames_within(time_s, interval.lower_s, interval.upper_s)
        if vendor:
            # The vendor's software takes the frame at the strike as swing and the one at the off as stance.
            standing &= time_s > interval.lower_s
        if not stance.verdict.solved:
            known &= ~standing & ~frames_within(time_s, interval.upper_s + 1e-9, interval.upper_s + interval.off_uncertainty_s)
            continue
        stance_force, stance_moment, loaded = ground_wrench(
            plates, loads, others=_around_loads(scene, loads, plates), frames=frames
        )
        if stance.verdict is Verdict.OVERRIDE:
            # By the rules a load begins and ends with its stance; one chosen by hand may be another foot's before or after.
            in_stance = frames_within(time_s, interval.lower_s - EDGE_TOLERANCE_S, interval.upper_s + EDGE_TOLERANCE_S)
            stance_force, stance_moment = (np.where(in_stance[:, None], wrench, 0.0) for wrench in (stance_force, stance_moment))
        force += stance_force
        moment += stance_moment
        certain = loaded if vendor else loaded | _near_events(time_s, interval)
        if stance.verdict is Verdict.PART:
            known[standing] = certain[standing]
        elif vendor:
            known &= ~(standing & ~loaded)
    by_file = any(stance.reason.rule == "foot-by-file-cut" for stance, _ in judged)
    return FootContact(side, every_force, every_moment, every_known, to_the_ends=by_file, window=window_of(scene.trial))


def _reach(scene: Scene, interval: Interval, loads: Sequence[PlateLoad], plates: VideoPlates) -> slice:
    """Frames that a stance, and the loads under it, can change."""
    margin_s = (
        EDGE_TOLERANCE_S + max([plates[load.contact.plate].spread_s for load in loads], default=0.0) + 2 / scene.trial.rate_hz
    )
    begins_s, ends_s = zip(
        (interval.lower_s, interval.upper_s + interval.off_uncertainty_s), *map(plates.span_s, loads), strict=True
    )
    return scene.frames(min(begins_s) - margin_s, max(ends_s) + margin_s)


def _around_loads(scene: Scene, loads: Sequence[PlateLoad], plates: VideoPlates) -> Sequence[PlateLoad]:
    """Every load that lies so near to some that what a filter has spread of them could meet it."""
    if not loads:
        return ()
    begins_s, ends_s = zip(*map(plates.span_s, loads), strict=True)
    spread_s = max(plates[load.contact.plate].spread_s for load in loads)
    return scene.loads_near(min(begins_s), max(ends_s), 2.0 * spread_s + APART_S)


def _near_events(time_s: FloatArray, interval: Interval) -> BoolArray:
    """Frames (n,) so near a known strike or off that a foot without force does not rest on the floor yet, or no more."""
    edges = [at_s for at_s in (interval.start_s, interval.end_s) if np.isfinite(at_s)]
    near = np.zeros(len(time_s), dtype=np.bool_)
    for at_s in edges:
        near |= frames_within(time_s, at_s - EDGE_TOLERANCE_S, at_s + EDGE_TOLERANCE_S)
    return near


class VideoPlates:
    """Plates whose wrenches are handed to feet, brought to the video rate once, however many stances they see.

    Parameters
    ----------
    trial : Trial
        The recording whose video frames are meant.
    plates : Sequence[ForcePlate]
        Whose wrenches are used, in the trial's order: its own, or filtered ones.
    kinetics : str
        Mode that says how plates come to the video rate: "textbook" or "vicon".
    """

    def __init__(self, trial: Trial, plates: Sequence[ForcePlate], kinetics: str) -> None:
        self.trial, self.plates, self.kinetics = trial, tuple(plates), kinetics
        self._wrenches: dict[int, FloatArray] = {}
        self._rests: dict[int, PlateRest] = {}

    def __getitem__(self, index: int) -> ForcePlate:
        return self.plates[index]

    def wrench(self, index: int) -> FloatArray:
        """Return force (N) and moment about the middle of the surface (N m) of a plate at the video rate, (n, 6).

        Parameters
        ----------
        index : int
            Index of the plate among ``plates``, from 0.

        Returns
        -------
        FloatArray
            (n, 6): force (N), then moment about the middle of the surface (N m), laboratory axes.
        """
        if index not in self._wrenches:
            plate, resample = self.plates[index], window_mean if self.kinetics == "vicon" else local_quadratic
            ratio = round(plate.rate_hz / self.trial.rate_hz)
            self._wrenches[index] = resample(np.hstack([plate.force_lab_N, plate.moment_lab_Nm]), self.trial.n_frames, ratio)
        return self._wrenches[index]

    def rest(self, index: int) -> PlateRest:
        """Return what a plate reads while nobody is on it.

        Parameters
        ----------
        index : int
            Index of the plate among ``plates``, from 0.

        Returns
        -------
        PlateRest
            Offset and noise of the vertical force, N.
        """
        if index not in self._rests:
            self._rests[index] = plate_at_rest(self.plates[index])
        return self._rests[index]

    def span_s(self, load: PlateLoad) -> tuple[float, float]:
        """Return when a load's samples begin and end, absolute seconds.

        Parameters
        ----------
        load : PlateLoad
            On one of the plates.

        Returns
        -------
        tuple[float, float]
            Absolute seconds of the first sample and of the one behind the last.
        """
        rate_hz = self.plates[load.contact.plate].rate_hz
        return self.trial.first_time_s + load.contact.first / rate_hz, self.trial.first_time_s + load.contact.last / rate_hz


def ground_wrench(
    plates: VideoPlates, loads: Sequence[PlateLoad], *, others: Sequence[PlateLoad] = (), frames: slice = slice(None)
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Add the wrenches that the plates under one stance hand to its foot, at the video rate.

    Parameters
    ----------
    plates : VideoPlates
        Whose wrenches are used.
    loads : Sequence[PlateLoad]
        The loads of the stance.
    others : Sequence[PlateLoad], optional
        The trial's loads: what a filter has spread ends where that of another load on the same plate begins.
    frames : slice, optional
        Those that are asked for, all unless given.

    Returns
    -------
    force_lab_N, moment_lab_Nm : FloatArray
        (k, 3), action of the ground on the foot, laboratory axes, moment about the laboratory's origin; zero outside the stance's
        load.
    loaded : BoolArray
        (k,), frames of that load.
    """
    trial = plates.trial
    first, stop, _ = frames.indices(trial.n_frames)
    time_s = trial.first_time_s + np.arange(first, stop) / trial.rate_hz
    force, moment = np.zeros((len(time_s), 3)), np.zeros((len(time_s), 3))
    indices = sorted({load.contact.plate for load in loads})
    spread = any(plates[index].spread_s for index in indices)
    for index in indices:
        plate, wrench = plates[index], plates.wrench(index)[first:stop]
        if plate.spread_s:
            wrench = np.where(_spread(plate, loads, others, trial, time_s)[:, None], wrench, 0.0)
        force += wrench[:, :3]
        moment += wrench[:, 3:] + np.cross(plate.centre_m, wrench[:, :3])
    if plates.kinetics == "vicon":
        bearing = np.linalg.norm(force, axis=1) >= VENDOR_CONTACT_N
    else:
        rests = [plates.rest(index) for index in indices]
        noise_N = float(np.sqrt(sum(rest.noise_N**2 for rest in rests)))
        bearing = force[:, 2] > sum(rest.offset_N for rest in rests) + max(EDGE_NOISE_FACTOR * noise_N, LEAST_EDGE_N)
    loaded = _around(bearing, loads, trial, time_s, slice(first, stop))
    if spread:
        # A filtered load begins before its strike, where its edge swings below zero too: cut, the step would be back.
        return force, moment, loaded
    return np.where(loaded[:, None], force, 0.0), np.where(loaded[:, None], moment, 0.0), loaded


def _spread(
    plate: ForcePlate, loads: Sequence[PlateLoad], others: Sequence[PlateLoad], trial: Trial, time_s: FloatArray
) -> BoolArray:
    """Which of those times (k,) hold what a filter has spread of loads on one plate: up to half way to its other loads."""
    own = [load.contact for load in loads if trial.plates[load.contact.plate].name == plate.name]
    far = [c for c in (load.contact for load in others) if trial.plates[c.plate].name == plate.name and c not in own]

    def away_s(contacts: Sequence[PlateContact]) -> FloatArray:
        ends = [(trial.first_time_s + c.first / plate.rate_hz, trial.first_time_s + c.last / plate.rate_hz) for c in contacts]
        return np.asarray(np.min([np.maximum(np.maximum(a - time_s, time_s - b), 0.0) for a, b in ends], axis=0, initial=np.inf))

    to_mine = away_s(own)
    return np.asarray((to_mine <= plate.spread_s) & (to_mine < away_s(far)))


def _around(bearing: BoolArray, loads: Sequence[PlateLoad], trial: Trial, time_s: FloatArray, frames: slice) -> BoolArray:
    """Frames (k,) of those times that bear, in the runs that touch the loads, no further than `EDGE_TOLERANCE_S` from them."""
    near, touched = np.zeros_like(bearing), carried_N(loads, frames) > 0.0
    for load in loads:
        rate_hz = trial.plates[load.contact.plate].rate_hz
        first_s, last_s = (trial.first_time_s + sample / rate_hz for sample in (load.contact.first, load.contact.last))
        near |= bearing & frames_within(time_s, first_s - EDGE_TOLERANCE_S, last_s + EDGE_TOLERANCE_S)
    grown = np.zeros_like(near)
    for first, last in runs(near):
        grown[first:last] = touched[first:last].any()
    return grown


def _when(stance: Stance) -> float:
    return stance.start_s if np.isfinite(stance.start_s) else stance.end_s
