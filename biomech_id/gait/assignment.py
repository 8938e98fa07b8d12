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
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.errors import ShapeError
from biomech_id.gait.by_hand import Judged, StanceVerdict, overruled
from biomech_id.gait.contacts import CONTACT, PlateContact, find_contacts, mass_or_estimate_kg, plate_at_rest
from biomech_id.gait.events import find_events
from biomech_id.gait.feet_on_plates import PlateLoad, load_at_video_rate
from biomech_id.gait.landmarks import find_landmarks
from biomech_id.gait.stance import Assignment, Stance, Verdict
from biomech_id.gait.stance_intervals import Interval, frames_within, stance_intervals, unknown_frames
from biomech_id.gait.verdict import EDGE_TOLERANCE_S, Scene, judge, light_stances
from biomech_id.signal.resample import local_quadratic, window_mean
from biomech_id.signal.runs import runs
from biomech_id.trial import Event, ForcePlate, Trial
from biomech_id.trial.subject import BODY_MASS

#: Resultant force from which the vendor's software uses a plate:
#: between 4.40 and 5.05 N by its stored outputs.
VENDOR_CONTACT_N = 5.0
#: Around a load, force is believed down to this many standard deviations of the resting plate, and not below one newton.
EDGE_NOISE_FACTOR = 3.0
LEAST_EDGE_N = 1.0


@takes(
    trial=a(Trial, "read_c3d(path) returns it"), motion=or_none(a(BodyMotion, "a model's track(trial) returns it")),
    events=or_none(each(a(Event, "find_events(trial) returns them"))), kinetics=a_word(("textbook", "vicon")),
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
    landmarks = find_landmarks(trial, motion)
    if events is None:
        events = find_events(trial, motion, body_mass_kg=body_mass_kg, contact_N=contact_N)
    time_s = landmarks.time_s
    mass = body_mass_kg if body_mass_kg is not None else trial.subject.mass_kg
    contacts = find_contacts(trial, mass_or_estimate_kg(trial, mass), threshold_N=contact_N)
    intervals = {side: _intervals(events, side, time_s) for side in SIDES}
    scene = Scene(trial, landmarks, tuple(load_at_video_rate(trial, c) for c in contacts), intervals, mass)
    by_rules = {side: [judge(scene, interval) for interval in intervals[side]] for side in SIDES}
    judged, against = overruled(scene, by_rules, [verdict for verdict in verdicts if verdict.trial == trial.name])
    light = [finding for side in SIDES for finding in light_stances(scene, side, judged[side])]
    # Of a foot without any event only a certain load says that it stands.
    stances = [s for side in SIDES for s, _ in judged[side] if s.verdict.solved or np.isfinite([s.start_s, s.end_s]).any()]
    feet, shown = (
        {side: _contact(scene, side, judged[side], events, whose, kinetics) for side in SIDES}
        for whose in (plates, [own if plate.spread_s else plate for own, plate in zip(trial.plates, plates, strict=True)])
    )
    return Assignment(tuple(sorted(stances, key=_when)), feet, (*light, *against), shown)


def _intervals(events: Sequence[Event], side: str, time_s: FloatArray) -> tuple[Interval, ...]:
    """Stances of one side; of a side without events the whole trial, in which the foot may stand at any time."""
    first_s, last_s = float(time_s[0]), float(time_s[-1])
    unseen = Interval(side, float("nan"), float("nan"), first_s, last_s)
    return stance_intervals(events, side, first_s, last_s) if any(e.side == side for e in events) else (unseen,)


def _contact(
    scene: Scene, side: str, judged: Sequence[Judged], events: Sequence[Event], plates: Sequence[ForcePlate], kinetics: str
) -> FootContact:
    time_s = scene.landmarks.time_s
    force, moment = np.zeros((len(time_s), 3)), np.zeros((len(time_s), 3))
    known = ~unknown_frames(events, side, time_s)
    for (stance, loads), interval in zip(judged, scene.intervals[side], strict=True):
        standing = frames_within(time_s, interval.lower_s, interval.upper_s)
        if kinetics == "vicon":
            # The vendor's software takes the frame at the strike as swing and the one at the off as stance.
            standing &= time_s > interval.lower_s
        if not stance.verdict.solved:
            known &= ~standing & ~frames_within(time_s, interval.upper_s + 1e-9, interval.upper_s + interval.off_uncertainty_s)
            continue
        stance_force, stance_moment, loaded = ground_wrench(scene.trial, loads, plates, kinetics, others=scene.loads)
        if stance.verdict is Verdict.OVERRIDE:
            # By the rules a load begins and ends with its stance; one chosen by hand may be another foot's before or after.
            mine = frames_within(time_s, interval.lower_s - EDGE_TOLERANCE_S, interval.upper_s + EDGE_TOLERANCE_S)
            stance_force, stance_moment = (np.where(mine[:, None], wrench, 0.0) for wrench in (stance_force, stance_moment))
        force += stance_force
        moment += stance_moment
        certain = loaded if kinetics == "vicon" else loaded | _near_events(time_s, interval)
        if stance.verdict is Verdict.PART:
            known = np.where(standing, certain, known)
        elif kinetics == "vicon":
            known &= ~(standing & ~loaded)
    by_file = any(stance.reason.rule == "foot-by-file-cut" for stance, _ in judged)
    return FootContact(side, force, moment, known, to_the_ends=by_file)


def _near_events(time_s: FloatArray, interval: Interval) -> BoolArray:
    """Frames (n,) so near a known strike or off that a foot without force does not rest on the floor yet, or no more."""
    edges = [at_s for at_s in (interval.start_s, interval.end_s) if np.isfinite(at_s)]
    near = np.zeros(len(time_s), dtype=np.bool_)
    for at_s in edges:
        near |= frames_within(time_s, at_s - EDGE_TOLERANCE_S, at_s + EDGE_TOLERANCE_S)
    return near


def ground_wrench(
    trial: Trial, loads: Sequence[PlateLoad], plates: Sequence[ForcePlate], kinetics: str, *, others: Sequence[PlateLoad] = ()
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Add the wrenches that the plates under one stance hand to its foot, at the video rate.

    Parameters
    ----------
    trial : Trial
        The recording, and the loads of the stance.
    loads : Sequence[PlateLoad]
        The recording, and the loads of the stance.
    plates : Sequence[ForcePlate]
        Whose wrenches are used, in the trial's order: its own, or filtered ones.
    kinetics : str
        "textbook" or "vicon".
    others : Sequence[PlateLoad], optional
        Every load of the trial: what a filter has spread ends where that of another load on the same plate begins.

    Returns
    -------
    force_lab_N, moment_lab_Nm : FloatArray
        (n, 3), action of the ground on the foot, laboratory axes, moment about the laboratory's origin; zero outside the stance's
        load.
    loaded : BoolArray
        (n,), frames of that load.
    """
    resample = window_mean if kinetics == "vicon" else local_quadratic
    force, moment = np.zeros((trial.n_frames, 3)), np.zeros((trial.n_frames, 3))
    loaded_plates = [plates[index] for index in sorted({load.contact.plate for load in loads})]
    spread = any(plate.spread_s for plate in loaded_plates)
    for plate in loaded_plates:
        ratio = round(plate.rate_hz / trial.rate_hz)
        wrench = resample(np.hstack([plate.force_lab_N, plate.moment_lab_Nm]), trial.n_frames, ratio)
        if plate.spread_s:
            wrench = np.where(_spread(plate, loads, others, trial)[:, None], wrench, 0.0)
        force += wrench[:, :3]
        moment += wrench[:, 3:] + np.cross(plate.centre_m, wrench[:, :3])
    if kinetics == "vicon":
        bearing = np.linalg.norm(force, axis=1) >= VENDOR_CONTACT_N
    else:
        rests = [plate_at_rest(plate) for plate in loaded_plates]
        noise_N = float(np.sqrt(sum(rest.noise_N**2 for rest in rests)))
        bearing = force[:, 2] > sum(rest.offset_N for rest in rests) + max(EDGE_NOISE_FACTOR * noise_N, LEAST_EDGE_N)
    loaded = _around(bearing, loads, trial)
    if spread:
        # A filtered load begins before its strike, where its edge swings below zero too: cut, the step would be back.
        return force, moment, loaded
    return np.where(loaded[:, None], force, 0.0), np.where(loaded[:, None], moment, 0.0), loaded


def _spread(plate: ForcePlate, loads: Sequence[PlateLoad], others: Sequence[PlateLoad], trial: Trial) -> BoolArray:
    """Frames (n,) that hold what a filter has spread of the loads on one plate: up to half way to the plate's other loads."""
    time_s = trial.first_time_s + np.arange(trial.n_frames) / trial.rate_hz
    mine = [load.contact for load in loads if trial.plates[load.contact.plate].name == plate.name]
    far = [c for c in (load.contact for load in others) if trial.plates[c.plate].name == plate.name and c not in mine]

    def away_s(contacts: Sequence[PlateContact]) -> FloatArray:
        ends = [(trial.first_time_s + c.first / plate.rate_hz, trial.first_time_s + c.last / plate.rate_hz) for c in contacts]
        return np.asarray(np.min([np.maximum(np.maximum(a - time_s, time_s - b), 0.0) for a, b in ends], axis=0, initial=np.inf))

    to_mine = away_s(mine)
    return np.asarray((to_mine <= plate.spread_s) & (to_mine < away_s(far)))


def _around(bearing: BoolArray, loads: Sequence[PlateLoad], trial: Trial) -> BoolArray:
    """Frames (n,) that bear, in the runs that touch the loads, no further than `EDGE_TOLERANCE_S` from them."""
    time_s = trial.first_time_s + np.arange(trial.n_frames) / trial.rate_hz
    near, touched = np.zeros_like(bearing), np.zeros_like(bearing)
    for load in loads:
        rate_hz = trial.plates[load.contact.plate].rate_hz
        first_s, last_s = (trial.first_time_s + sample / rate_hz for sample in (load.contact.first, load.contact.last))
        near |= bearing & frames_within(time_s, first_s - EDGE_TOLERANCE_S, last_s + EDGE_TOLERANCE_S)
        touched |= load.loaded
    grown = np.zeros_like(near)
    for first, last in runs(near):
        grown[first:last] = touched[first:last].any()
    return grown


def _when(stance: Stance) -> float:
    return stance.start_s if np.isfinite(stance.start_s) else stance.end_s
