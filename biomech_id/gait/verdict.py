"""Whether a stance may have kinetics: one verdict, with a reason a technician can act on.

A stance is clean when one foot, and nothing else, was on the plate from its strike to its off. That is judged from five things
that can each be seen: the foot's outline over the plate, its height above it, where the load acts, when it begins and ends, and how
heavy it is. Never guessed: what fails a rule has no kinetics and says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.errors import Finding
from biomech_id.feet.contacts import PlateRest, plate_at_rest
from biomech_id.feet.feet_on_plates import PlateLoad, carried_N, depth_inside, distance_beside_foot, distance_to_foot, height_above
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.stance_intervals import Interval, frames_between
from biomech_id.gait.plate_events import FOOT_REACH_M
from biomech_id.languages import Sentence
from biomech_id.movement.stance import FLAT_SHARE, Stance, Verdict
from biomech_id.trial import Trial
from biomech_id.values import dataclass, field

#: A load that begins or ends further than this from the foot's own event is not (only) this stance. Events stored by hand lie
#: within 3.5 frames at 100 Hz of the force.
EDGE_TOLERANCE_S = 0.06
#: A load shared in time for less than this is an event that is a frame or two off.
LEAST_SHARED_S = 0.04
#: A load further than this from a stance, in time, is another's: far more than a frame, whose middle stands for it.
APART_S = 0.5
#: How far the outline may reach beyond the plate while the foot is flat. The outline is drawn from two markers and is good to
#: two centimetres; its front end lies beyond the toes.
OUTLINE_TOLERANCE_M = 0.05
#: Another foot's outline may graze the plate by this much, the accuracy of an outline. Had it put weight there, the plate would be
#: loaded before this foot's strike or after its off, and that is a rule of its own.
GRAZE_M = 0.02
#: A foot whose outline lies this far above or below a plate's surface stands on another step. The outline is drawn between two
#: markers, or at the height of the sole: on plates its lowest point is seen from -1 to 64 mm (198 recorded stances). Steps have
#: 10 cm and more.
HIGHEST_M, LOWEST_M = 0.10, -0.05
#: In a laboratory whose plates are of one height, a foot whose stances lie within a step of each other stands on them; its outline,
#: of a static trial in which something lay under the foot or the origin was another, may be off by this much.
ONE_HEIGHT_M, ONE_LEVEL_M, OUTLINE_OFF_M = 0.02, 0.06, 0.15
#: A force that acts this far beside the line from heel to toe, for as long as a load is shared at least, is not (only) the foot's.
#: In 188 recorded stances it lay 79 mm beside it at most (95 % of the time); 20 % of body weight on a crutch draw it 100 to 110 mm.
BESIDE_FOOT_M = 0.09
#: Of lighter loads than this share of their peak the centre of pressure is not believed.
FIRM_SHARE = 0.1
#: A foot that stands on a plate carries at least this share of body weight at its peak (rule of gaitutils).
LEAST_PEAK_SHARE = 0.9


@dataclass(frozen=True, eq=False)
class Scene:
    """All that verdicts are given from: the trial, its feet, its loads and its stances.

    Attributes
    ----------
    trial : Trial
        The recording, with its plates.
    landmarks : Landmarks
        Pelvis and feet of the trial.
    loads : tuple[PlateLoad, ...]
        Loads of all plates, at the video rate, in order of time.
    intervals : Mapping[str, tuple[Interval, ...]]
        Side -> stances as the events give them, in order of time.
    body_mass_kg : float | None
        Kilograms; None where it is not known.
    """

    trial: Trial
    landmarks: Landmarks
    loads: tuple[PlateLoad, ...]
    intervals: Mapping[str, tuple[Interval, ...]]
    body_mass_kg: float | None
    _depths_m: dict[tuple[str, int], FloatArray] = field(default_factory=dict, init=False, repr=False)
    _heights_m: dict[tuple[str, int], FloatArray] = field(default_factory=dict, init=False, repr=False)
    _levels: dict[tuple[str, int], BoolArray] = field(default_factory=dict, init=False, repr=False)
    _grounded: dict[str, BoolArray] = field(default_factory=dict, init=False, repr=False)
    _shared_s: dict[tuple[str, PlateLoad], float | None] = field(default_factory=dict, init=False, repr=False)
    _rests: dict[int, PlateRest] = field(default_factory=dict, init=False, repr=False)

    def outline_depth_m(self, side: str, plate: int) -> FloatArray:
        """Distance (n, k) of every outline point of a foot to a plate's edge, positive inside, metres; computed once.

        Parameters
        ----------
        side : str
            Foot whose outline is meant: "L" or "R".
        plate : int
            Index of the plate.

        Returns
        -------
        FloatArray
            (n, k), metres, positive inside the plate.
        """
        if (side, plate) not in self._depths_m:
            self._depths_m[side, plate] = depth_inside(self.trial.plates[plate], self.landmarks.outline_lab_m[side])
        return self._depths_m[side, plate]

    def height_m(self, side: str, plate: int) -> FloatArray:
        """Height (n,) of a foot above a plate's surface, metres: of the lowest point of its outline; computed once.

        Parameters
        ----------
        side : str
            Foot whose height is meant: "L" or "R".
        plate : int
            Index of the plate.

        Returns
        -------
        FloatArray
            (n,), metres, positive above the surface.
        """
        if (side, plate) not in self._heights_m:
            height_m = height_above(self.trial.plates[plate], self.landmarks.outline_lab_m[side]).min(axis=1)
            self._heights_m[side, plate] = height_m - self._outline_off_m(side, height_m)
        return self._heights_m[side, plate]

    def _outline_off_m(self, side: str, height_m: FloatArray) -> float:
        """How far the outline of a flat foot lies above what it stands on, metres; 0 where the floor may have several levels."""
        levels_m = []
        for stance in self.intervals[side]:
            first_s, last_s = (stance.start_s + share * (stance.end_s - stance.start_s) for share in FLAT_SHARE)
            flat = height_m[self.frames(first_s, last_s)]
            levels_m += [float(np.nanmedian(flat))] if np.isfinite(flat).any() else []
        if not levels_m or np.ptp([plate.centre_m[2] for plate in self.trial.plates]) > ONE_HEIGHT_M:
            return 0.0
        off_m = float(np.median(levels_m))
        return off_m if np.ptp(levels_m) < ONE_LEVEL_M and abs(off_m) < OUTLINE_OFF_M else 0.0

    def on_level(self, side: str, plate: int) -> BoolArray:
        """Frames (n,) in which a foot is at the height of a plate's surface; computed once.

        Parameters
        ----------
        side : str
            Foot that is asked about: "L" or "R".
        plate : int
            Index of the plate.

        Returns
        -------
        BoolArray
            (n,), true at the surface's height.
        """
        if (side, plate) not in self._levels:
            height_m = self.height_m(side, plate)
            self._levels[side, plate] = np.asarray((height_m > LOWEST_M) & (height_m < HIGHEST_M))
        return self._levels[side, plate]

    def at_rest(self, plate: int) -> PlateRest:
        """What a plate reads while nobody is on it; computed once.

        Parameters
        ----------
        plate : int
            Index of the plate.

        Returns
        -------
        PlateRest
            Offset and noise of the vertical force, N.
        """
        if plate not in self._rests:
            self._rests[plate] = plate_at_rest(self.trial.plates[plate])
        return self._rests[plate]

    def grounded(self, side: str) -> BoolArray:
        """Frames (n,) in which a foot is on the floor by its events; computed once.

        Parameters
        ----------
        side : str
            Foot that is asked about: "L" or "R".

        Returns
        -------
        BoolArray
            (n,), true between a strike and the next off.
        """
        if side not in self._grounded:
            mask = np.zeros(self.landmarks.n_frames, dtype=np.bool_)
            for interval in self.intervals.get(side, ()):
                mask[self.frames(interval.lower_s, interval.upper_s)] = True
            self._grounded[side] = mask
        return self._grounded[side]

    def frames(self, start_s: float, end_s: float) -> slice:
        """Where the frames of a closed interval lie.

        Parameters
        ----------
        start_s, end_s : float
            Absolute seconds; NaN where there are none.

        Returns
        -------
        slice
            Half-open, in the trial's frames.
        """
        return frames_between(self.landmarks.time_s, start_s, end_s)

    def loads_near(self, start_s: float, end_s: float, apart_s: float = APART_S) -> list[PlateLoad]:
        """Loads that act between two instants, or near them, in order: of a long recording nearly every one is over, or to come.

        Parameters
        ----------
        start_s, end_s : float
            Both instants, absolute seconds.
        apart_s : float, optional
            How long before and after the two instants still counts, seconds.

        Returns
        -------
        list[PlateLoad]
            Loads of all plates, in order of time.
        """
        begins_s, ends_s = self._spans_s
        near = np.flatnonzero((begins_s < end_s + apart_s) & (ends_s > start_s - apart_s))
        return [self.loads[index] for index in near]

    @cached_property
    def _spans_s(self) -> tuple[FloatArray, FloatArray]:
        begins_s = np.array([load.contact.start_s for load in self.loads], dtype=np.float64)
        ends_s = np.array([load.contact.end_s for load in self.loads], dtype=np.float64)
        return np.where(np.isnan(begins_s), -np.inf, begins_s), np.where(np.isnan(ends_s), np.inf, ends_s)

    def shared_from_s(self, other: str, load: PlateLoad) -> float | None:
        """When the other foot begins to stand on a load's plate too, seconds; None where it never does; computed once.

        Parameters
        ----------
        other : str
            The foot that joins: "L" or "R".
        load : PlateLoad
            One of the loads.

        Returns
        -------
        float | None
            Absolute seconds; None where it never does.
        """
        if (other, load) not in self._shared_s:
            plate, frames = load.contact.plate, load.frames
            shared = _over(self, other, load, GRAZE_M) & load.loaded & self.grounded(other)[frames]
            shared &= self.on_level(other, plate)[frames]
            when_s = self.landmarks.time_s[frames][np.flatnonzero(shared)[0]] if _lasts(self, shared) else None
            self._shared_s[other, load] = when_s
        return self._shared_s[other, load]


def judge(scene: Scene, interval: Interval) -> tuple[Stance, tuple[PlateLoad, ...]]:
    """Give the verdict on one stance, and the loads under its foot.

    Parameters
    ----------
    scene : Scene
        What verdicts are given from.
    interval : Interval
        The stance to judge, one of the scene's.

    Returns
    -------
    tuple[Stance, tuple[PlateLoad, ...]]
        The stance with its plates and the rule that decided, and those plates' loads.
    """
    loads = loads_under(scene, interval)
    names = _plate_names(scene, loads)

    reason = _reason(scene, interval, loads, names)
    return Stance(interval.side, interval.start_s, interval.end_s, names, reason), loads


def _reason(scene: Scene, interval: Interval, loads: Sequence[PlateLoad], names: tuple[str, ...]) -> Sentence:
    if not loads and interval.side not in scene.landmarks.sides:
        return Sentence("foot-unseen")
    if not interval.complete:
        return _reason_of_cut(scene, interval, loads, names)
    if not loads:
        return _on_other_level(scene, interval) or Sentence("no-loaded-plate")
    alone = "foot-by-file" if _bound(scene, loads) else "foot-alone" if len(names) == 1 else "foot-on-plates"
    return objection(scene, interval, loads) or Sentence(alone, {"plates": names})


def _reason_of_cut(scene: Scene, interval: Interval, loads: Sequence[PlateLoad], names: tuple[str, ...]) -> Sentence:
    """A stance that the trial shows in part is judged by what is seen of it: where the foot's wrench is certain it is used."""
    missing = {"missing": interval.missing}
    if not loads:
        return Sentence("no-loaded-plate-cut", missing)
    alone = "foot-by-file-cut" if _bound(scene, loads) else "foot-alone-cut"
    return objection(scene, interval, loads) or Sentence(alone, missing | {"plates": names})


def _on_other_level(scene: Scene, interval: Interval) -> Sentence | None:
    """A foot above, or below, a loaded plate that nobody else is on: steps may be built on it, or the file has another height."""
    other = "R" if interval.side == "L" else "L"
    for load in _loads_beneath(scene, interval):
        plate, part = load.contact.plate, _shared(scene, interval, load)
        loaded, frames = part.loaded & _over(scene, interval.side, part), part.frames
        seen = other in scene.landmarks.sides
        if not (seen and (loaded & _over(scene, other, part) & scene.on_level(other, plate)[frames]).any()):
            height_mm = 1e3 * float(over_seen(np.nanmedian, scene.height_m(interval.side, plate)[frames][loaded]))
            return Sentence("foot-on-other-level", {"plate": scene.trial.plates[plate].name, "height_mm": height_mm})
    return None


def loads_under(scene: Scene, interval: Interval) -> tuple[PlateLoad, ...]:
    """Loads that act under the stance's foot: on a plate the outline reaches at its level, and within reach of the foot.

    A force that the file itself puts on a foot is that foot's, and no other's.

    Parameters
    ----------
    scene : Scene
        What verdicts are given from.
    interval : Interval
        The stance whose loads are wanted, one of the scene's.

    Returns
    -------
    tuple[PlateLoad, ...]
        In order of time; empty where the foot is on no plate.
    """
    near = scene.loads_near(interval.lower_s, interval.upper_s)
    named = [load for load in near if scene.trial.plates[load.contact.plate].foot == interval.side]
    lasting = [load for load in named if _lasts(scene, _shared(scene, interval, load).loaded)]
    for load in _loads_beneath(scene, interval):
        part = _shared(scene, interval, load)
        shared = part.loaded & _over(scene, interval.side, part)
        if scene.on_level(interval.side, load.contact.plate)[part.frames][shared].mean() > 0.5:
            lasting.append(load)
    return tuple(load for load in near if any(load is one for one in lasting))


def _shared(scene: Scene, interval: Interval, load: PlateLoad) -> PlateLoad:
    """What of a load acts in the frames of the stance."""
    return load.within(scene.frames(interval.lower_s, interval.upper_s))


def _lasts(scene: Scene, shared: BoolArray) -> bool:
    return bool(np.count_nonzero(shared) >= LEAST_SHARED_S * scene.trial.rate_hz)


def _over(scene: Scene, side: str, load: PlateLoad, least_m: float = 0.0) -> BoolArray:
    """Frames (k,) of a load in which any point of the foot's outline lies over the plate."""
    return np.asarray(scene.outline_depth_m(side, load.contact.plate)[load.frames].max(axis=1) > least_m)


def _loads_beneath(scene: Scene, interval: Interval) -> Iterator[PlateLoad]:
    """Loads under the stance's foot as seen from above, whatever its height; not those that the file puts on a foot.

    None of a foot that the trial has no markers of.
    """
    if interval.side not in scene.landmarks.sides:
        return
    for load in scene.loads_near(interval.lower_s, interval.upper_s):
        part = _shared(scene, interval, load)
        if scene.trial.plates[load.contact.plate].foot or not _lasts(scene, part.loaded):
            continue
        distance = distance_to_foot(scene.landmarks, interval.side, part.cop_lab_m, part.frames)
        seen = part.loaded & np.isfinite(distance)
        if not seen.any() or not _over(scene, interval.side, part)[part.loaded].mean() > 0.5:
            continue
        if np.average(distance[seen], weights=part.vertical_N[seen]) < FOOT_REACH_M:
            yield load


def objection(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    """What speaks against one foot, and nothing else, having been on the plate from strike to off: the first rule that is broken.

    Parameters
    ----------
    scene : Scene
        What is judged from, and the stance; of one without a strike or an off, what is seen of it.
    interval : Interval
        What is judged from, and the stance; of one without a strike or an off, what is seen of it.
    loads : Sequence[PlateLoad]
        Under its foot (`loads_under`).

    Returns
    -------
    Sentence | None
        The rule with its values; None where nothing speaks against it.
    """
    if _bound(scene, loads):
        return _left_plate(scene, interval, loads) or _landed_beside(scene, interval, loads)
    return (
        _other_foot(scene, interval, loads)
        or _left_plate(scene, interval, loads)
        or _beside(scene, interval, loads)
        or _outline(scene, interval, loads)
        or _landed_beside(scene, interval, loads)
        or _light(scene, interval, loads)
    )


def _plate_names(scene: Scene, loads: Sequence[PlateLoad]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(scene.trial.plates[load.contact.plate].name for load in loads))


def _bound(scene: Scene, loads: Sequence[PlateLoad]) -> bool:
    """Whether the file itself says whose the loads are."""
    return all(scene.trial.plates[load.contact.plate].foot for load in loads)


def _other_foot(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    other = "R" if interval.side == "L" else "L"
    for load in loads:
        name = scene.trial.plates[load.contact.plate].name
        if other in scene.landmarks.sides:
            when_s = scene.shared_from_s(other, load)
            if when_s is not None:
                return Sentence("other-foot-on-plate", {"side": other, "plate": name, "time_s": when_s})
        # A load that the trial's begin or end cuts lasts beyond every event.
        begins_s, ends_s = np.nan_to_num(load.contact.start_s, nan=-np.inf), np.nan_to_num(load.contact.end_s, nan=np.inf)
        if begins_s < interval.start_s - EDGE_TOLERANCE_S:
            return Sentence("loaded-before-strike", {"plate": name, "time_s": interval.start_s})
        if ends_s > interval.end_s + EDGE_TOLERANCE_S:
            return Sentence("loaded-after-off", {"plate": name, "time_s": interval.end_s})
    return None


def _beside(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    """The force must act under the foot: not beside it, where a crutch stands."""
    for load in loads:
        part = _shared(scene, interval, load)
        firm = part.loaded & (part.vertical_N > FIRM_SHARE * load.peak_N)
        beside_m = distance_beside_foot(scene.landmarks, interval.side, part.cop_lab_m, part.frames)
        with np.errstate(invalid="ignore"):
            far = firm & (beside_m > BESIDE_FOOT_M)
        if _lasts(scene, far):
            plate = scene.trial.plates[load.contact.plate].name
            return Sentence("force-beside-foot", {"plate": plate, "beside_mm": 1e3 * float(beside_m[far].max())})
    return None


def _left_plate(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    """The force must end with the off, and not vanish before."""
    names = _plate_names(scene, loads)
    begins, ends = min(load.contact.start_s for load in loads), max(load.contact.end_s for load in loads)
    if ends < interval.end_s - EDGE_TOLERANCE_S:
        return Sentence("force-ends-early", {"plates": names, "force_end_s": ends, "time_s": interval.end_s})
    time_s = scene.landmarks.time_s
    # Of a stance or a load that the trial cuts, what is seen; that a force ends early only an off can tell.
    first_s = float(np.nanmax([interval.lower_s, begins]))
    last_s = interval.end_s if interval.complete else float(np.nanmin([interval.upper_s, ends]))
    middle = scene.frames(first_s + EDGE_TOLERANCE_S, last_s - EDGE_TOLERANCE_S)
    bare = np.flatnonzero(carried_N(loads, middle) == 0.0)
    if bare.size:
        return Sentence("force-vanishes", {"plates": names, "time_s": time_s[middle][bare[0]]})
    return None


def _landed_beside(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    """The force must begin with the strike."""
    late_s = min(load.contact.start_s for load in loads) - interval.start_s
    if late_s > EDGE_TOLERANCE_S:
        return Sentence("force-begins-late", {"plates": _plate_names(scene, loads), "late_ms": late_s * 1e3})
    return None


def flat_frames(scene: Scene, interval: Interval) -> slice:
    """Frames of a stance in which its foot lies flat; of one that the trial cuts, all that is seen of it.

    Parameters
    ----------
    scene : Scene
        What verdicts are given from.
    interval : Interval
        The stance that is asked about, one of the scene's.

    Returns
    -------
    slice
        Half-open, in the trial's frames.
    """
    shares = FLAT_SHARE if interval.complete else (0.0, 1.0)
    first_s, last_s = (interval.lower_s + share * (interval.upper_s - interval.lower_s) for share in shares)
    return scene.frames(first_s, last_s)


def _least_depth_m(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> FloatArray:
    """How far inside its plates the outmost point of a foot's outline is in each frame in which the foot is flat, metres."""
    flat = flat_frames(scene, interval)
    depths = np.max([scene.outline_depth_m(interval.side, load.contact.plate)[flat] for load in loads], axis=0)
    depths = np.where(_in_the_air(scene, interval.side, loads, flat), np.maximum(depths, 0.0), depths)
    return np.asarray(depths.min(axis=1))


def _outline(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    """While the foot is flat (of a cut stance: while it is seen) every point of its outline must be on one of its plates."""
    least = _least_depth_m(scene, interval, loads)
    if not np.isfinite(least).any():
        return Sentence("foot-unseen")
    outside_m = -float(over_seen(np.nanmedian, least))
    if outside_m > OUTLINE_TOLERANCE_M:
        return Sentence("foot-beyond-plate", {"plates": _plate_names(scene, loads), "beyond_mm": outside_m * 1e3})
    return None


def _in_the_air(scene: Scene, side: str, loads: Sequence[PlateLoad], frames: slice) -> BoolArray:
    """Outline points (frames, k) beyond the edge of a step: beneath them lies a plate of a lower level."""
    plates = scene.trial.plates
    mine_m = min(float(plates[load.contact.plate].centre_m[2]) for load in loads)
    air = np.zeros(scene.landmarks.outline_lab_m[side][frames].shape[:2], dtype=np.bool_)
    for index, plate in enumerate(plates):
        if float(plate.centre_m[2]) < mine_m - HIGHEST_M:
            air |= scene.outline_depth_m(side, index)[frames] > -OUTLINE_TOLERANCE_M
    return air


def _light(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> Sentence | None:
    """A light foot is refused where some of it may stand beside the plate; one that is wholly on it belongs to whom it belongs."""
    percent = _light_percent(scene, interval, loads)
    return None if percent is None or _wholly_on(scene, interval, loads) else Sentence("foot-too-light", {"percent": percent})


def _light_percent(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> float | None:
    """Peak of the vertical force in percent of body weight where that is too little for a foot that bears the body alone."""
    if scene.body_mass_kg is None or (not interval.complete and any(load.contact.cut for load in loads)):
        return None  # of a load that the trial cuts the peak may not be seen
    weight_N = scene.body_mass_kg * GRAVITY_M_S2
    every = slice(min(load.first for load in loads), max(load.frames.stop for load in loads))
    peak_N = float(carried_N(loads, every).max())
    return 100 * peak_N / weight_N if peak_N < LEAST_PEAK_SHARE * weight_N else None


def _wholly_on(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> bool:
    """Whether the whole outline is on one plate while the foot is flat, by more than the accuracy of an outline."""
    least = _least_depth_m(scene, interval, loads)
    alone = len({load.contact.plate for load in loads}) == 1
    return alone and bool(np.isfinite(least).any()) and float(over_seen(np.nanmedian, least)) > GRAZE_M


def light_stances(scene: Scene, side: str, judged: Sequence[tuple[Stance, tuple[PlateLoad, ...]]]) -> tuple[Finding, ...]:
    """Accepted stances of one side that bear less than the body although the foot is wholly on its plate.

    Parameters
    ----------
    scene : Scene
        What verdicts are given from.
    side : str
        Foot whose stances these are: "L" or "R".
    judged : Sequence[tuple[Stance, tuple[PlateLoad, ...]]]
        Its stances with their loads; those set by hand are looked at elsewhere.

    Returns
    -------
    tuple[Finding, ...]
        One for each such stance, with the share of the weight that it bears.
    """
    findings = []
    for (stance, loads), interval in zip(judged, scene.intervals[side], strict=True):
        by_rules = stance.verdict in (Verdict.CLEAN, Verdict.TWO_PLATES) and not _bound(scene, loads)
        percent = _light_percent(scene, interval, loads) if by_rules else None
        if percent is not None:
            values = {"side": side, "time_s": stance.start_s, "plates": stance.plates, "percent": percent}
            findings.append(Finding("stance-light", values, scene.trial.name))
    return tuple(findings)
