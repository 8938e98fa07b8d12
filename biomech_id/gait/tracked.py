"""Events, plates and loads of a tracked trial: each function takes a movement and returns one that knows more.

A trial without a body model, and contacts of somebody's own, are taken as well: they give plain events, stances and loads.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.arguments import a, a_switch, a_word, each, or_none, takes
from biomech_id.conventions import GRAVITY_LAB_M_S2, KineticsName
from biomech_id.deprecation import BiomechDeprecationWarning
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.external import WRENCHES, External, refuse_reaction_from_above
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import CONTACTS, METHOD, HasContacts, Method, solve_body
from biomech_id.errors import InvalidValueError, MissingInputError, WrongTypeError
from biomech_id.feet.contacts import CONTACT
from biomech_id.feet.feet import find_feet
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.events import SOURCE, search_events
from biomech_id.gait.marker_events import MarkerTiming
from biomech_id.movement.events import EventSearch
from biomech_id.movement.feet import Feet
from biomech_id.movement.movement import Movement
from biomech_id.movement.stance import Assignment
from biomech_id.trial import Event, ForcePlate, Trial
from biomech_id.trial.subject import BODY_MASS

_TRIAL = a((Movement, Trial), "a model's track(trial) returns a Movement, read_c3d(path) a Trial")
_MOTION = or_none(a(BodyMotion, "a model's track(trial) returns it"))
#: By which share (root mean square) a plate's smoothed force may differ from it: 6 Hz takes 7 % of a walk's, another trial's
#: differs by 90 % and more.
MOST_SMOOTHED = 0.6
#: Version that first warned of motion and trial, or plates, as two arguments.
_SINCE = "0.2"


@overload
def with_events(trial: Movement, **settings: Any) -> Movement: ...
@overload
def with_events(trial: Trial, motion: BodyMotion | None = None, **settings: Any) -> tuple[Event, ...]: ...
@takes(  # type: ignore[misc]  # the overloads leave the settings to what is implemented
    "find_events", trial=_TRIAL, motion=_MOTION, source=SOURCE, body_mass_kg=or_none(BODY_MASS), contact_N=CONTACT,
    timing=or_none(a(MarkerTiming)),
)  # fmt: skip
def with_events(
    trial: Movement | Trial,
    motion: BodyMotion | None = None,
    *,
    source: str = "auto",
    body_mass_kg: float | None = None,
    contact_N: float = 0.0,
    timing: MarkerTiming | None = None,
) -> Movement | tuple[Event, ...]:
    """Find foot strikes and foot offs of both feet (see `gait.events.search_events`, which also says how).

    Parameters
    ----------
    trial : Movement | Trial
        A tracked trial; or a recording, where markers and plates alone shall say it.
    motion : BodyMotion | None, optional
        Deprecated: give the movement alone.
    source : str, optional
        "auto" (file, else plates, else markers), or one of them alone ("plates" still asks the markers which foot it is).
    body_mass_kg : float | None, optional
        For the contact threshold; that of the model's subject unless given.
    contact_N : float, optional
        Contact threshold, N; 0 derives it from each plate's noise and the body's weight.
    timing : MarkerTiming | None, optional
        Marker delays learnt from other trials of the same subject; the trial's own plates come first.

    Returns
    -------
    Movement | tuple[Event, ...]
        The movement with its feet and events; of a recording the events alone, in order of time.

    Raises
    ------
    InvalidValueError
        Trial and motion are of two recordings.

    Examples
    --------
    >>> import biomech_id as bid
    >>> person = bid.virtual_subject()
    >>> movement = bid.conventional_model(person.static().trial).track(person.walk().trial)
    >>> len(bid.find_events(movement).events or ())
    14
    """
    if not isinstance(trial, Movement):
        _warn_of_two(motion, "find_events(trial, motion)", "find_events(movement)")
        return search_events(
            trial, motion, source=source, body_mass_kg=body_mass_kg, contact_N=contact_N, timing=timing
        ).events  # fmt: skip
    _refuse_second(motion, "find_events")
    feet = _feet(trial, body_mass_kg, contact_N)
    return replace(trial, feet=feet, search=search_events(trial.trial, trial, source=source, timing=timing, feet=feet))


@overload
def with_plates(trial: Movement, **settings: Any) -> Movement: ...
@overload
def with_plates(trial: Trial, motion: BodyMotion | None = None, **settings: Any) -> Assignment: ...
@takes(  # type: ignore[misc]  # the overloads leave the settings to what is implemented
    "assign_plates", trial=_TRIAL, motion=_MOTION, events=or_none(each(a(Event, "find_events(trial) returns them"))),
    kinetics=or_none(a_word(tuple(KineticsName))), body_mass_kg=or_none(BODY_MASS), contact_N=CONTACT,
    verdicts=each(a(StanceVerdict)), wrench_plates=or_none(each(a(ForcePlate, "prepare(trial, model) smooths them"))),
)  # fmt: skip
def with_plates(
    trial: Movement | Trial,
    motion: BodyMotion | None = None,
    *,
    events: Sequence[Event] | None = None,
    kinetics: str | None = None,
    body_mass_kg: float | None = None,
    contact_N: float = 0.0,
    verdicts: Sequence[StanceVerdict] = (),
    wrench_plates: Sequence[ForcePlate] | None = None,
    feet: Feet | None = None,
) -> Movement | Assignment:
    """Put feet on plates (see `gait.assignment.assign_plates`).

    Parameters
    ----------
    trial : Movement | Trial
        A tracked trial, with or without its events; or a recording, whose feet are drawn from heel and toe markers.
    motion : BodyMotion | None, optional
        Deprecated: give the movement alone.
    events : Sequence[Event] | None, optional
        Foot strikes and offs; the movement's own unless given, and found where it has none.
    kinetics : str | None, optional
        "textbook" or "vicon", how the wrench comes to the video rate; as the movement was tracked unless given.
    body_mass_kg : float | None, optional
        That of the model's subject unless given; without any, thresholds use an estimate and no stance is called too light.
    contact_N : float, optional
        Contact threshold, N; 0 derives it from each plate's noise and the body's weight.
    verdicts : Sequence[StanceVerdict], optional
        Set by hand; those of other trials do not count. Where two mean one stance the later one does.
    wrench_plates : Sequence[ForcePlate] | None, optional
        The same plates, smoothed like the markers; the trial's own ``wrench_plates`` unless given.
    feet : Feet | None, optional
        Feet of the trial where they are known already; the movement's own, or found.

    Returns
    -------
    Movement | Assignment
        The movement with its feet, events, stances and contacts; of a recording the stances and contacts alone.

    Raises
    ------
    InvalidValueError
        Trial and motion are of two recordings.
    MissingInputError
        No foot is seen.

    Examples
    --------
    >>> import biomech_id as bid
    >>> person = bid.virtual_subject()
    >>> movement = bid.conventional_model(person.static().trial).track(person.walk().trial)
    >>> assignment = bid.assign_plates(movement).assignment
    >>> assignment and [str(stance.verdict) for stance in assignment.stances if stance.plates]
    ['clean', 'clean']
    """
    given: dict[str, Any] = {"verdicts": verdicts, "wrench_plates": wrench_plates, "body_mass_kg": body_mass_kg, "feet": feet}
    if not isinstance(trial, Movement):
        _warn_of_two(motion, "assign_plates(trial, motion)", "assign_plates(movement)")
        kinetics = kinetics or "textbook"
        return assign_plates(trial, motion, events=events, kinetics=kinetics, contact_N=contact_N, **given)
    _refuse_second(motion, "assign_plates")
    _refuse_foreign(trial.trial, wrench_plates or (), events or ())
    feet, search = feet or _feet(trial, body_mass_kg, contact_N), trial.search if events is None else EventSearch(tuple(events))
    if search is None:
        search = search_events(trial.trial, trial, feet=feet)
    mass_kg = trial.body_mass_kg if body_mass_kg is None else body_mass_kg
    given |= {"events": search.events, "kinetics": kinetics or trial.kinetics, "body_mass_kg": mass_kg, "feet": feet}
    return replace(trial, feet=feet, search=search, assignment=assign_plates(trial.trial, trial, **given))


@takes(
    "solve", motion=a(BodyMotion, "a model's track(trial) returns it"), contacts=or_none(CONTACTS), extra=WRENCHES, method=METHOD,
    budget=a_switch(),
)  # fmt: skip
def solve_movement(
    motion: BodyMotion,
    contacts: Mapping[str, FootContact] | HasContacts | None = None,
    *,
    extra: Iterable[External] = (),
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2,
    method: Method = "recursive",
    budget: bool = False,
) -> JointLoads:
    """Loads of ankle, knee and hip of every leg of a tracked trial (see `dynamics.newton_euler.solve_body`).

    Parameters
    ----------
    motion : BodyMotion
        A movement whose feet were put on plates; or any motion, with contacts.
    contacts : Mapping[str, FootContact] | HasContacts | None, optional
        Side -> the ground's wrench on that foot, of somebody's own; the movement's unless given. An assignment of plates beside a
        movement is deprecated: give the movement that has it.
    extra : Iterable[External], optional
        Further wrenches, on "L foot", "R shank", ...; each counts to its own part of the budget.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,), laboratory axes; points down.
    method : Method, optional
        "recursive", the sum up the chain, or "block", one system of equations; they agree to rounding.
    budget : bool, optional
        Whether every load is split into its parts too.

    Returns
    -------
    JointLoads
        (side, joint) -> its load. Frames whose contact is not known are NaN, never guessed.

    Raises
    ------
    MissingInputError
        A movement whose feet nobody has put on plates, and no contacts.
    InvalidValueError
        Motion and contacts are of two recordings, or of other frames of one; contacts of somebody's own, or gravity, that have the
        ground push down or sideways.
    ShapeError
        A contact of another length than the motion.

    Examples
    --------
    >>> import numpy as np
    >>> import biomech_id as bid
    >>> person = bid.virtual_subject()
    >>> movement = bid.conventional_model(person.static().trial).track(person.walk().trial)
    >>> loads = bid.solve(bid.assign_plates(movement))
    >>> print(round(float(np.nanmax(loads["R", "knee"].wrench.moment_Nm)), 1), "N m")
    34.5 N m
    """
    if isinstance(contacts, Assignment):
        _warn_of_two(motion, "solve(motion, assignment)", "solve(assign_plates(movement))")
    if contacts is None:
        contacts = motion.contacts if isinstance(motion, Movement) else None
    if contacts is None:
        raise MissingInputError(
            f"{motion.name} has no feet on plates: solve(assign_plates(movement)), or give the contacts of its feet.",
            value=None, expected="a movement of assign_plates, or contacts", where=motion.name,
        )  # fmt: skip
    feet = contacts if isinstance(contacts, Mapping) else contacts.contacts
    for side, contact in feet.items():
        # Plates of the motion's own recording are judged with their stances.
        if contact.window is None or gravity_lab_m_s2 is not GRAVITY_LAB_M_S2:
            refuse_reaction_from_above(contact.force_lab_N, gravity_lab_m_s2, f"{side} foot", where="solve")
    return solve_body(motion, contacts, extra=extra, gravity_lab_m_s2=gravity_lab_m_s2, method=method, budget=budget)


def _feet(movement: Movement, body_mass_kg: float | None, contact_N: float) -> Feet | None:
    """The movement's feet, found anew for another threshold; None where none is seen, which stored events do not need."""
    if movement.feet is not None and body_mass_kg is None and not contact_N:
        return movement.feet
    mass_kg = movement.body_mass_kg if body_mass_kg is None else body_mass_kg
    try:
        return find_feet(movement.trial, movement, body_mass_kg=mass_kg, contact_N=contact_N)
    except MissingInputError:
        return None


def _warn_of_two(motion: BodyMotion | None, name: str, instead: str) -> None:
    """Warn who gives a movement beside what it knows itself; a motion without a trial has no other way."""
    if isinstance(motion, Movement):
        warnings.warn(BiomechDeprecationWarning(name, _SINCE, instead), stacklevel=4)


def _refuse_foreign(trial: Trial, plates: Sequence[ForcePlate], events: Sequence[Event]) -> None:
    """Refuse smoothed plates that do not follow the trial's, and events none of which lies in it."""
    for plate, own in zip(plates, trial.plates, strict=False):
        size = np.sqrt(np.nanmean(own.force_lab_N**2))
        alike = plate.n_samples == own.n_samples and np.array_equal(plate.corners_m, own.corners_m)
        if not alike or np.sqrt(np.nanmean((plate.force_lab_N - own.force_lab_N) ** 2)) > MOST_SMOOTHED * size:
            raise InvalidValueError(
                f"The wrench_plates of assign_plates are not those of {trial.name}: the force of {plate.name} runs otherwise.",
                value=plate.name, expected="the trial's own plates, smoothed, as prepare(trial, model) does it", where=trial.name,
            )  # fmt: skip
    first_s, last_s = trial.time_s[[0, -1]]
    if events and not any(first_s - 1.0 <= event.time_s <= last_s + 1.0 for event in events):
        raise InvalidValueError(
            f"The events of assign_plates are at {events[0].time_s:g} to {events[-1].time_s:g} s, {trial.name} is from "
            f"{first_s:g} to {last_s:g} s.",
            value=events[0].time_s, expected="events of this recording, on its clock", where=trial.name,
        )  # fmt: skip


def _refuse_second(motion: BodyMotion | None, where: str) -> None:
    if motion is not None:
        raise WrongTypeError(
            f"{where} was given a movement and a motion: give the movement alone.",
            value=motion.name, expected=f"{where}(movement)", where=where,
        )  # fmt: skip
