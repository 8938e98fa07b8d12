"""Feet of a trial as values: where they are, what plates carry under them, and how they travel; ``feet`` finds them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, readonly
from biomech_id.conventions import SIDES
from biomech_id.languages import Sentence
from biomech_id.values import dataclass, field

#: Two rests of one foot closer than this are one: it rolled.
SAME_PLACE_M = 0.10
#: From this change of level on it is a step up or down. Risers have 10 cm and more (curbs of public streets, EN 1338 to ISO 21542:
#: 6 to 15 cm); markers of the two feet differ in height by up to 3 cm.
STEP_M = 0.06


@dataclass(frozen=True)
class PlateContact:
    """One uninterrupted load on one plate.

    Attributes
    ----------
    plate : int
        Index of the plate in the trial.
    start_s : float
        Absolute seconds at which the vertical force rises above and falls below the threshold; NaN when the plate was already, or
        still, loaded at the trial's end.
    end_s : float
        Absolute seconds at which the vertical force rises above and falls below the threshold; NaN when the plate was already, or
        still, loaded at the trial's end.
    peak_N : float
        Largest vertical force of the load, N.
    threshold_N : float
        Vertical force above which this plate counts as loaded, N.
    first : int
        Analog samples of the load, half-open [first, last).
    last : int
        Analog samples of the load, half-open [first, last).
    """

    plate: int
    start_s: float
    end_s: float
    peak_N: float
    threshold_N: float
    first: int
    last: int

    @property
    def cut(self) -> bool:
        """Whether the trial begins or ends within the load."""
        return bool(np.isnan(self.start_s) or np.isnan(self.end_s))


@dataclass(frozen=True, eq=False)
class PlateLoad:
    """One contact at the video rate: its own frames only, however long the recording.

    Attributes
    ----------
    contact : PlateContact
        The contact that it is the load of.
    vertical_N : FloatArray
        (k,), mean vertical force around each of its frames; zero where the plate carries less than counts.
    cop_lab_m : FloatArray
        (k, 3), centre of pressure; NaN where the plate carries less than counts.
    first : int, optional
        The recording's frame, from 0, in which it begins.
    """

    contact: PlateContact
    vertical_N: FloatArray
    cop_lab_m: FloatArray
    first: int = 0

    @property
    def frames(self) -> slice:
        """Where its frames lie in the recording."""
        return slice(self.first, self.first + len(self.vertical_N))

    @cached_property
    def loaded(self) -> BoolArray:
        """Its frames (k,) in which the plate carries this load."""
        return np.asarray(self.vertical_N > 0.0)

    @cached_property
    def peak_N(self) -> float:
        """Largest vertical force at the video rate."""
        return float(self.vertical_N.max(initial=0.0))

    def within(self, frames: slice) -> PlateLoad:
        """Return what of it lies within some frames of the recording.

        Parameters
        ----------
        frames : slice
            From the first one to the one behind the last.

        Returns
        -------
        PlateLoad
            The same contact; its frames may be none.
        """
        first = max(frames.start, self.first)
        own = slice(first - self.first, max(first, min(frames.stop, self.frames.stop)) - self.first)
        return PlateLoad(self.contact, self.vertical_N[own], self.cop_lab_m[own], first)


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Pelvis and feet over time; metres, laboratory axes, NaN where unseen.

    Attributes
    ----------
    rate_hz : float
        Video rate, and absolute time of the first frame.
    first_time_s : float
        Video rate, and absolute time of the first frame.
    pelvis_lab_m : FloatArray
        (n, 3), middle of the pelvis (of the anterior spines when seen); of the feet when no pelvis marker exists.
    facing_lab : FloatArray
        (n, 2), horizontal unit vector forward out of the pelvis (out of the feet when the pelvis is unseen).
    heel_lab_m : Mapping[str, FloatArray]
        Side -> (n, 3), markers behind the heel and on the forefoot.
    toe_lab_m : Mapping[str, FloatArray]
        Side -> (n, 3), markers behind the heel and on the forefoot.
    outline_lab_m : Mapping[str, FloatArray], optional
        Side -> (n, k, 3), the foot's outline.
    measured : Mapping[str, BoolArray], optional
        Side -> (n,), frames in which heel and toe were measured, not bridged; a side that is not named, always.
    """

    rate_hz: float
    first_time_s: float
    pelvis_lab_m: FloatArray
    facing_lab: FloatArray
    heel_lab_m: Mapping[str, FloatArray]
    toe_lab_m: Mapping[str, FloatArray]
    outline_lab_m: Mapping[str, FloatArray] = field(default_factory=dict)
    measured: Mapping[str, BoolArray] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides whose foot is seen."""
        return tuple(side for side in SIDES if side in self.heel_lab_m)

    @property
    def n_frames(self) -> int:
        """Number of video frames."""
        return len(self.pelvis_lab_m)

    @cached_property
    def time_s(self) -> FloatArray:
        """Absolute time of every frame, (n,), seconds."""
        return np.asarray(self.first_time_s + np.arange(self.n_frames) / self.rate_hz)


@dataclass(frozen=True, eq=False)
class FloorSupport:
    """When the plates carried somebody.

    Attributes
    ----------
    loaded : BoolArray
        (n,), video frames in which at least one plate carries a load: whoever loads a plate is not in flight.
    double_s : float
        Seconds for which two plates were loaded under different feet: nobody who runs has two feet on the floor.
    """

    loaded: BoolArray
    double_s: float


@dataclass(frozen=True)
class Levels:
    """How the level under the feet changes along the way.

    Attributes
    ----------
    rises_m : tuple[float, ...]
        Change of level from each rest to the next one, metres, upwards positive.
    ways_m : tuple[float, ...]
        Horizontal distance between them, metres.
    """

    rises_m: tuple[float, ...] = ()
    ways_m: tuple[float, ...] = ()

    @property
    def up(self) -> int:
        """Number of steps up."""
        return sum(rise > STEP_M for rise in self.rises_m)

    @property
    def down(self) -> int:
        """Number of steps down."""
        return sum(rise < -STEP_M for rise in self.rises_m)

    @property
    def even(self) -> int:
        """Number of steps on one level that lead on."""
        return sum(abs(rise) <= STEP_M and way > SAME_PLACE_M for rise, way in zip(self.rises_m, self.ways_m, strict=True))

    @property
    def largest_m(self) -> float:
        """Largest change of level, with its sign; 0 without any."""
        return max(self.rises_m, key=abs, default=0.0)

    @property
    def total_m(self) -> float:
        """Change of level from the first rest to the last one."""
        return float(sum(self.rises_m))

    @property
    def slope_rad(self) -> float:
        """Slope between the first and the last step that changes the level, upwards positive; of the whole way where none does."""
        changing = [i for i, rise in enumerate(self.rises_m) if abs(rise) > STEP_M]
        part = slice(changing[0], changing[-1] + 1) if changing else slice(None)
        return float(np.arctan2(sum(self.rises_m[part]), max(sum(self.ways_m[part]), 1e-9)))


class TrialKind(StrEnum):
    """Kind of a trial; only straight ones enter means, scores and norms. `feet.movements.register_movement` adds one."""

    STRAIGHT = "straight"
    TURN = "turn"
    TREADMILL = "treadmill"
    RUN = "run"
    STAIR_ASCENT = "stair_ascent"
    STAIR_DESCENT = "stair_descent"
    RAMP_ASCENT = "ramp_ascent"
    RAMP_DESCENT = "ramp_descent"
    CURB_UP = "curb_up"
    CURB_DOWN = "curb_down"
    JUMP = "jump"
    SQUAT = "squat"
    RISE = "rise"
    STATIC = "static"
    OTHER = "other"
    NOT_JUDGED = "not_judged"

    @classmethod
    def _missing_(cls, value: object) -> TrialKind | None:
        """A kind from outside the library is made when it is first asked for, by whichever process asks."""
        if value not in ADDED_KINDS:
            return None
        kind = str.__new__(cls, value)
        kind._name_, kind._value_ = str(value).upper(), str(value)
        cls._value2member_map_[value] = kind
        return kind

    @property
    def walking(self) -> bool:
        """Whether one foot is always on the floor while the body goes on: methods made for walking may be used."""
        return self in WALKING

    @property
    def on_stairs(self) -> bool:
        """Whether feet come down onto treads rather than swing onto the floor."""
        return self in (TrialKind.STAIR_ASCENT, TrialKind.STAIR_DESCENT)

    @property
    def stepping(self) -> bool:
        """Whether feet strike and leave the floor, so that events and stances are looked for."""
        return self.walking or self in STEPPING

    @property
    def steady(self) -> bool:
        """Whether one stride is like the next, so that its cycles may be compared with each other."""
        return self in STEADY


#: On levels, in the direction of the way: what a climb and a descent are called. These sets hold kinds that were added as well.
STEADY = {
    TrialKind.STRAIGHT, TrialKind.TREADMILL, TrialKind.STAIR_ASCENT, TrialKind.STAIR_DESCENT, TrialKind.RAMP_ASCENT,
    TrialKind.RAMP_DESCENT,
}  # fmt: skip
WALKING = STEADY | {TrialKind.TURN, TrialKind.CURB_UP, TrialKind.CURB_DOWN}
#: Beside walking: feet strike and leave the floor.
STEPPING = {TrialKind.RUN, TrialKind.JUMP}
#: Movements without strides.
NO_STRIDES = {TrialKind.JUMP, TrialKind.SQUAT, TrialKind.RISE}
#: Names of kinds from outside the library.
ADDED_KINDS: set[str] = set()


@dataclass(frozen=True, eq=False)
class Travel:
    """How the subject moved through the laboratory.

    Attributes
    ----------
    kind : TrialKind
        What kind of movement the trial is.
    reason : Sentence
        Why it is that.
    speed_m_s : float
        Mean speed, while walking, relative to the floor (or belt) under the feet; NaN when the pelvis is never seen.
    direction_lab : FloatArray
        (2,), horizontal unit vector of travel relative to that floor; NaN when there is none.
    belt_lab_m_s : FloatArray
        (2,), horizontal velocity of the belt; zeros over ground.
    turn_rad : float
        Change of direction, counter-clockwise seen from above.
    flight_share : float
        Share of the frames in which the body moves, no foot rests on the floor and no plate is loaded.
    levels : Levels, optional
        On which the feet rest one after the other.
    """

    kind: TrialKind
    reason: Sentence
    speed_m_s: float
    direction_lab: FloatArray
    belt_lab_m_s: FloatArray
    turn_rad: float
    flight_share: float
    levels: Levels = field(default_factory=Levels)

    def __post_init__(self) -> None:
        for name in ("direction_lab", "belt_lab_m_s"):
            object.__setattr__(self, name, readonly(getattr(self, name), (2,), name=name, where="Travel"))

    @property
    def walking(self) -> bool:
        """Whether methods made for walking may be used."""
        return self.kind.walking


@dataclass(frozen=True, eq=False)
class Feet:
    """Pelvis and feet of a trial, the loads on its plates, and how it moves through the laboratory.

    Attributes
    ----------
    landmarks : Landmarks
        Paths of pelvis, heels and toes, and the feet's outlines; metres, laboratory axes.
    loads : tuple[PlateLoad, ...]
        Every load on every plate at the video rate, in order of time.
    support : FloorSupport
        When these loads carried somebody.
    travel : Travel
        Speed, direction, belt, and the kind of movement that they make.
    body_mass_kg : float | None
        Mass behind the contact threshold; None where it was estimated from the plates.
    """

    landmarks: Landmarks
    loads: tuple[PlateLoad, ...]
    support: FloorSupport
    travel: Travel
    body_mass_kg: float | None = None

    @property
    def contacts(self) -> tuple[PlateContact, ...]:
        """Every load at the plates' own rate, in order of time."""
        return tuple(load.contact for load in self.loads)
