"""What somebody did in a trial: one name, and the evidence for it.

Each movement is a rule: evidence in, a name and its reason out, or nothing. The rules are asked in the order of `MOVEMENT_RULES`,
the most certain first, and the first that speaks decides:

* **not judged**: pelvis or feet are not seen;
* **static**: nothing moves;
* **jump**: the pelvis falls freely for longer than between two running steps, with no plate loaded;
* **squat**: both feet stay flat while the pelvis goes down and comes up again;
* **rise**: both feet stay flat while the pelvis comes up and forward from where it rested;
* **other**: the body goes nowhere, backwards or sideways, or up and down;
* **run**, first part: the speed is beyond walking (Froude number v^2/(g l), Alexander 1989, Physiol Rev 69:1199: people change to a
  run near 0.5 and nobody walks above 1);
* **stairs, ramp, curb**: the feet rest on different levels (`feet.levels`);
* **turn**: the pelvis path or the pelvis itself changes direction;
* **run**, second part: a substantial part of the strides shows no foot on the floor, and no plate was loaded then;
* **treadmill**: the grounded foot travels through the laboratory at the belt's velocity while the pelvis stays;
* **straight**: what is left and goes somewhere.

`register_movement` adds one from outside, which is asked before all of these but the first two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from biomech_id.feet.levels import Levels
from biomech_id.languages import Sentence
from biomech_id.movement.feet import ADDED_KINDS, NO_STRIDES, STEPPING, Landmarks
from biomech_id.movement.feet import STEADY as STEADY
from biomech_id.movement.feet import WALKING as WALKING
from biomech_id.movement.feet import TrialKind as TrialKind
from biomech_id.plugins import Registry
from biomech_id.values import dataclass, field

#: A trial in which neither pelvis nor feet move further than this is a static one (quiet standing sways by centimetres).
STATIC_RANGE_M = 0.10
#: Net change of direction that makes a walk a turn. Pelvic rotation within a stride stays well below it.
TURN_RAD = np.deg2rad(35.0)
#: A walk takes the pelvis at least this far from where it began, relative to the floor under the feet.
LEAST_TRAVEL_M = 0.5
#: Feet that move less than this horizontally do not step.
LEAST_STEP_M = 0.2
#: Slower than this is shifting about, not walking.
SLOWEST_WALK_M_S = 0.15
#: Slower than this a flight is a hop.
SLOWEST_RUN_M_S = 0.5
#: A run is in flight for at least this share of the time it moves, in more than one flight; a single flight must be longer. Easy
#: runs show 0.1 and more; a walk's doubtful frames, one hidden marker at a time, stay below 0.03.
LEAST_FLIGHT, LEAST_SINGLE_FLIGHT = 0.06, 0.12
#: Two feet on the floor for this long are no run, whatever markers show (a frame or two is the events' own accuracy).
LEAST_DOUBLE_SUPPORT_S = 0.03
#: Above this Froude number nobody walks by choice.
LARGEST_WALKING_FROUDE = 0.8
#: A free fall of the pelvis this long is a jump; at a running speed it must be the longer one (runners fly for up to 0.2 s).
JUMP_FALL_S, LEAP_FALL_S = 0.2, 0.3
#: In a squat the feet stay where they are, flat; the pelvis goes down by this share of its standing height and hardly backwards
#: (who sits down on a chair goes further back).
SQUAT_FEET_M, SQUAT_DIP, SQUAT_BACK = 0.03, 0.15, 0.25
#: A seat is at least this share of the pelvis' standing height below and behind where it stands.
SEAT_BELOW, SEAT_BEHIND = 0.15, 0.15
#: Part of its way that a walk goes in the direction the pelvis faces: 93 % at least in recorded walks, turns included.
LEAST_AHEAD = 0.5
#: Stairs are steeper than this, ramps less steep (ISO 21542: ramps up to 1 in 8; stairs from 1 in 2.5 on).
STEEPEST_RAMP_RAD = np.deg2rad(17.0)
#: A ramp rises by at least this much and this steeply; a laboratory's floor is levelled to centimetres.
LEAST_RAMP_M, LEAST_RAMP_RAD = 0.08, np.deg2rad(2.5)


@dataclass(frozen=True)
class Evidence:
    """What a movement is named from; every number is measured, none is missing.

    Attributes
    ----------
    moved_m : float
        Largest range of pelvis or feet over an axis.
    step_m : float
        Largest horizontal range of a heel.
    foot_lift_m : float
        Largest range of heels and toes over an axis, the vertical included.
    speed_m_s : float
        Mean speed relative to the floor under the feet.
    way_m : float
        Largest distance from where the pelvis began, relative to that floor.
    froude : float
        v^2 / (g l); 0 where no pelvis shows how long the legs are.
    ahead : float
        Part of the way that goes where the pelvis faces, -1 to 1.
    turn_rad : float
        Change of direction, counter-clockwise seen from above.
    belt_m_s : float
        Speed of the floor.
    flight : float
        Share of the frames in which the body moves that no foot rests in, and no plate is loaded.
    n_flights : int
        Number of these flights.
    double_support_s : float
        Time for which two plates were loaded under different feet.
    fall_s : float
        Longest free fall of the pelvis.
    dip : float
        How far the pelvis went down and came up again, share of its standing height.
    dip_back : float
        How far it went horizontally then, share of its standing height.
    levels : Levels
        On which the feet rest.
    seat_below, seat_behind : float
        How far below and behind its place in standing the pelvis rested, shares of its standing height.
    rested : bool
        Whether it did; False where the recording begins while it comes up.
    """

    moved_m: float
    step_m: float = 0.0
    foot_lift_m: float = 0.0
    speed_m_s: float = 0.0
    way_m: float = 0.0
    froude: float = 0.0
    ahead: float = 1.0
    turn_rad: float = 0.0
    belt_m_s: float = 0.0
    flight: float = 0.0
    n_flights: int = 0
    double_support_s: float = 0.0
    fall_s: float = 0.0
    dip: float = 0.0
    dip_back: float = 0.0
    levels: Levels = field(default_factory=Levels)
    seat_below: float = 0.0
    seat_behind: float = 0.0
    rested: bool = True


@dataclass(frozen=True)
class AddedMovement:
    """A movement from outside the library.

    Attributes
    ----------
    rule : Callable[[Evidence, Landmarks], Mapping[str, object] | None]
        ``rule(evidence, landmarks)`` returns the values of the sentence that says why a trial is one, or None. The sentence is the
        one that is called like the movement (`languages.add_sentences`).
    cut : Callable | None, optional
        ``cut(solved, landmarks)`` yields each `Cycle` of a solved trial; None cuts it from strike to strike.
    measure : Callable | None, optional
        ``measure(solved, landmarks)`` yields a `GaitParameter` for each row of ``spatiotemporal.csv``; None measures strides.
    """

    rule: Callable[[Evidence, Landmarks], Mapping[str, object] | None]
    cut: Callable[[Any, Landmarks], Iterable[Any]] | None = None
    measure: Callable[[Any, Landmarks], Iterable[Any]] | None = None


#: Movements from outside the library, asked in the order in which they came.
ADDED_MOVEMENTS: Registry[str, AddedMovement] = Registry("movement", reserved=tuple(TrialKind))


def register_movement(
    name: str, movement: AddedMovement, *, walking: bool = False, steady: bool = False, stepping: bool = False, strides: bool = True
) -> None:
    """Add a movement from outside the library.

    Parameters
    ----------
    name : str
        What tables call it: lower case, words joined by "_".
    movement : AddedMovement
        How it is recognised, cut and measured.
    walking : bool, optional
        Whether one foot is always on the floor while the body goes on, so that methods made for walking may be used.
    steady : bool, optional
        Whether one cycle is like the next, so that its cycles may be compared with each other.
    stepping : bool, optional
        Whether feet strike and leave the floor, so that events and stances are looked for; of what is walking it is known.
    strides : bool, optional
        Whether its cycles are strides, which the pages of cycles show; False where it has pages of its own, or none.

    Raises
    ------
    OptionError
        The name is taken.
    """
    ADDED_MOVEMENTS.add(name, movement)
    ADDED_KINDS.add(name)
    kind = TrialKind(name)
    for kinds, belongs in ((WALKING, walking), (STEADY, steady), (STEPPING, stepping), (NO_STRIDES, not strides)):
        if belongs:
            kinds.add(kind)


Named = tuple[TrialKind, Sentence]
Rule = Callable[[Evidence], Named | None]


def name_movement(evidence: Evidence, landmarks: Landmarks | None = None) -> Named:
    """Return the kind of a trial and the reason for it: the first of `ADDED_MOVEMENTS` and `MOVEMENT_RULES` that speaks.

    Parameters
    ----------
    evidence : Evidence
        What was measured of the trial, as of `feet.travel`.
    landmarks : Landmarks | None, optional
        Pelvis and feet, for movements from outside; without them none of these is asked.

    Returns
    -------
    Named
        Kind of the trial and the sentence that says why.

    Examples
    --------
    >>> from biomech_id.feet.movements import Evidence, name_movement
    >>> kind, reason = name_movement(Evidence(moved_m=3.0, step_m=3.0, foot_lift_m=3.0, speed_m_s=1.2, way_m=3.0, froude=0.16))
    >>> str(kind), str(reason)
    ('straight', 'The pelvis travels 3.0 m at 1.20 m/s without turning.')
    """
    for name, movement in ADDED_MOVEMENTS.items():
        values = movement.rule(evidence, landmarks) if landmarks else None
        if values is not None:
            return TrialKind(name), Sentence(name, values)
    named = (rule(evidence) for rule in MOVEMENT_RULES)
    return next(kind for kind in named if kind is not None)


def _static(e: Evidence) -> Named | None:
    return (TrialKind.STATIC, Sentence("stands-still", {"range_mm": e.moved_m * 1e3})) if e.moved_m < STATIC_RANGE_M else None


def _jump(e: Evidence) -> Named | None:
    if e.fall_s < (JUMP_FALL_S if e.froude <= LARGEST_WALKING_FROUDE else LEAP_FALL_S):
        return None
    return TrialKind.JUMP, Sentence("falls-freely", {"fall_ms": e.fall_s * 1e3})


def _squat(e: Evidence) -> Named | None:
    if e.foot_lift_m > SQUAT_FEET_M or e.dip < SQUAT_DIP or e.dip_back > SQUAT_BACK:
        return None
    return TrialKind.SQUAT, Sentence("squats", {"percent": 100 * e.dip, "range_mm": e.foot_lift_m * 1e3})


def _rise(e: Evidence) -> Named | None:
    if e.foot_lift_m > SQUAT_FEET_M or e.seat_below < SEAT_BELOW or e.seat_behind < SEAT_BEHIND:
        return None
    rule = "rises" if e.rested else "comes-up"
    return TrialKind.RISE, Sentence(rule, {"percent": 100 * e.seat_below, "behind_percent": 100 * e.seat_behind})


def _on_the_spot(e: Evidence) -> Named | None:
    if e.step_m < LEAST_STEP_M:
        return TrialKind.OTHER, Sentence("on-the-spot", {"range_mm": e.step_m * 1e3})
    if e.way_m < LEAST_TRAVEL_M or e.speed_m_s < SLOWEST_WALK_M_S:
        return TrialKind.OTHER, Sentence("goes-nowhere", {"way_m": e.way_m, "speed_m_s": e.speed_m_s})
    return None


def _not_ahead(e: Evidence) -> Named | None:
    return (TrialKind.OTHER, Sentence("not-ahead", {"percent": 100 * e.ahead})) if e.ahead < LEAST_AHEAD else None


def _beyond_walking(e: Evidence) -> Named | None:
    if e.froude <= LARGEST_WALKING_FROUDE:
        return None
    return TrialKind.RUN, Sentence("beyond-walking", {"speed_m_s": e.speed_m_s, "froude": e.froude})


def _levels(e: Evidence) -> Named | None:
    up, down, rises = e.levels.up, e.levels.down, e.levels.total_m
    slope_deg = abs(float(np.rad2deg(e.levels.slope_rad)))
    if up and down:
        return TrialKind.NOT_JUDGED, Sentence("up-and-down", {"up": up, "down": down})
    climbing = rises > 0
    if up + down > 1 and abs(e.levels.slope_rad) > STEEPEST_RAMP_RAD:
        kind = TrialKind.STAIR_ASCENT if climbing else TrialKind.STAIR_DESCENT
        return kind, Sentence("on-stairs", {"steps": up + down, "rise_mm": abs(rises) * 1e3, "slope_deg": slope_deg})
    if up + down == 1 and e.levels.even:
        kind = TrialKind.CURB_UP if climbing else TrialKind.CURB_DOWN
        return kind, Sentence("over-a-curb", {"rise_mm": abs(e.levels.largest_m) * 1e3})
    if up + down == 1:
        return TrialKind.NOT_JUDGED, Sentence("one-step", {"rise_mm": abs(e.levels.largest_m) * 1e3})
    if abs(rises) > LEAST_RAMP_M and abs(e.levels.slope_rad) > LEAST_RAMP_RAD:
        kind = TrialKind.RAMP_ASCENT if climbing else TrialKind.RAMP_DESCENT
        return kind, Sentence("on-a-ramp", {"rise_mm": abs(rises) * 1e3, "slope_deg": slope_deg})
    return None


def _turn(e: Evidence) -> Named | None:
    return (
        (TrialKind.TURN, Sentence("turns", {"turn_deg": abs(float(np.rad2deg(e.turn_rad)))}))
        if abs(e.turn_rad) > TURN_RAD
        else None
    )


def _flight(e: Evidence) -> Named | None:
    if e.speed_m_s <= SLOWEST_RUN_M_S or e.double_support_s >= LEAST_DOUBLE_SUPPORT_S:
        return None
    if e.flight < (LEAST_FLIGHT if e.n_flights > 1 else LEAST_SINGLE_FLIGHT):
        return None
    return TrialKind.RUN, Sentence("in-flight", {"percent": 100 * e.flight})


def _belt(e: Evidence) -> Named | None:
    return (TrialKind.TREADMILL, Sentence("on-a-belt", {"belt_m_s": e.belt_m_s})) if e.belt_m_s else None


def _straight(e: Evidence) -> Named:
    return TrialKind.STRAIGHT, Sentence("walks-straight", {"way_m": e.way_m, "speed_m_s": e.speed_m_s})


#: Asked in this order. What goes backwards is nothing else, whatever its speed.
MOVEMENT_RULES: tuple[Rule, ...] = (
    _static, _jump, _rise, _squat, _on_the_spot, _not_ahead, _beyond_walking, _levels, _turn, _flight, _belt, _straight,
)  # fmt: skip
