"""What is measured cycle by cycle: gaps, tracking, rigidity and drift, each with the place where it is worst.

A bad edge of a recording says nothing about the steps between. So each gait cycle is judged by itself, with the markers of its own
side and of the pelvis, and by a statistic that a few frames do not decide; those few are named instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.anatomy import Part, part_words
from biomech_id.conventions import MM_PER_M, SIDES, UPPER_JOINTS
from biomech_id.dynamics.body import BodyMotion
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.signal.runs import runs
from biomech_id.trial import Markers
from biomech_id.values import dataclass, field

#: Share of a stretch's frames, the worst ones, that its rigidity leaves aside: they are named and do not decide.
TRIMMED_SHARE = 0.1
#: Pairs of joint centres whose distance is a bone's length.
BONES: tuple[tuple[str, str], ...] = (("hip", "knee"), ("knee", "ankle"))


@dataclass(frozen=True)
class Stretch:
    """Frames that are judged together.

    Attributes
    ----------
    sides : tuple[str, ...]
        Sides whose markers and joints matter.
    frames : slice
        Indices of the frames.
    cycle : Cycle | None, optional
        The gait cycle; None for a whole trial without one.
    """

    sides: tuple[str, ...]
    frames: slice
    cycle: Cycle | None = None

    @property
    def name(self) -> str:
        """What a sentence calls it: "L 2"; empty for a whole trial."""
        return "" if self.cycle is None else f"{self.cycle.side} {self.cycle.number}"

    def concerns(self, part: Part) -> bool:
        """Whether a part of the body matters here.

        Parameters
        ----------
        part : Part
            Part of the body: (side, segment).
        """
        return part[0] == "" or part[0] in self.sides


@dataclass(frozen=True)
class Reading:
    """One number measured in one stretch, and where it comes from.

    Attributes
    ----------
    stretch : Stretch
        Where it was measured.
    value : float
        In the unit of its rule; NaN where it could not be measured.
    place : str, optional
        The segment, bone or side that it comes from, in words.
    markers : tuple[str, ...], optional
        The markers that make it.
    frames : tuple[tuple[int, int], ...], optional
        First and last frame of each run of frames concerned, counted as the file counts.
    """

    stretch: Stretch
    value: float
    place: str = ""
    markers: tuple[str, ...] = ()
    frames: tuple[tuple[int, int], ...] = ()


def stretches(motion: BodyMotion, cycles: Sequence[Cycle]) -> tuple[Stretch, ...]:
    """Return the cycles of a trial as stretches of frames, or the whole trial where there is none.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    cycles : Sequence[Cycle]
        Its cycles; one whose next strike lies outside the trial is judged as far as its foot off.
    """
    cycle_stretches = []
    for cycle in cycles:
        end_s = cycle.foot_off_s if cycle.kinetics_valid is KineticsValid.STANCE_ONLY else cycle.end_s
        first, last = (time_s * motion.rate_hz + 1 - motion.first_frame for time_s in (cycle.start_s, end_s))
        start, stop = max(0, int(np.floor(first + 0.5))), min(motion.n_frames, int(np.floor(last + 0.5)) + 1)
        if stop > start:
            cycle_stretches.append(Stretch((cycle.side,), slice(start, stop), cycle))
    return tuple(cycle_stretches) or (Stretch(SIDES, slice(0, motion.n_frames)),)


@dataclass(frozen=True, eq=False)
class Watched:
    """A trial's markers and motion beside the static trial's: everything that cycles are judged from, computed once.

    Attributes
    ----------
    markers : Markers
        Of the trial, with what was filled marked.
    motion : BodyMotion
        Poses of the tracked body in the whole trial.
    groups : Mapping[Part, tuple[str, ...]]
        Segment -> names of the markers on it.
    names : tuple[str, ...]
        Every marker the model uses.
    static_markers : Markers | None, optional
        Of the static trial; None without one.
    static_motion : BodyMotion | None, optional
        The static trial, tracked.
    """

    markers: Markers
    motion: BodyMotion
    groups: Mapping[Part, tuple[str, ...]]
    names: tuple[str, ...]
    static_markers: Markers | None = None
    static_motion: BodyMotion | None = None
    _sides: dict[str, set[str]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        for (side, _), names in self.groups.items():
            for name in names:
                self._sides.setdefault(name, set()).add(side)

    def watched(self, stretch: Stretch) -> list[str]:
        """Markers that matter in a stretch and are seen somewhere in the trial.

        Parameters
        ----------
        stretch : Stretch
            Stretch of frames whose sides count.
        """
        own = {"", *stretch.sides}
        return [name for name in self._seen if not self._sides.get(name) or self._sides[name] & own]

    @cached_property
    def _seen(self) -> list[str]:
        return [name for name in self.names if name in self.markers and not self._missing[name].all()]

    @cached_property
    def _missing(self) -> dict[str, BoolArray]:
        """Marker -> frames (n,) in which it was not measured, filled or not."""
        columns = {name: self.markers.names.index(name) for name in self.names if name in self.markers}
        measured: BoolArray = np.asarray(np.isfinite(self.markers.position_m).all(axis=2))
        if self.markers.filled is not None:
            measured = np.asarray(measured & ~self.markers.filled)
        return {name: np.asarray(~measured[:, column]) for name, column in columns.items()}

    def _runs(self, inside: BoolArray, stretch: Stretch) -> tuple[tuple[int, int], ...]:
        """Runs of frames of a stretch (n_stretch,) as the file counts frames."""
        begin = stretch.frames.start + self.motion.first_frame
        return tuple((begin + first, begin + stop - 1) for first, stop in runs(inside))

    def _gaps_within(self, name: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The gaps of a marker that reach into some frames."""
        gaps = self._gaps[name]
        for place in range(bisect_right(gaps, start, key=itemgetter(1)), len(gaps)):
            if gaps[place][0] >= stop:
                break
            yield gaps[place]

    @cached_property
    def _gaps(self) -> dict[str, list[tuple[int, int]]]:
        """Marker -> runs of frames in which it was not measured."""
        return {name: runs(missing) for name, missing in self._missing.items()}

    def largest_gap_ms(self, stretch: Stretch) -> Reading:
        """Longest stretch (ms) in which one marker was not measured; beyond the trial's ends nobody knows how long it was.

        Parameters
        ----------
        stretch : Stretch
            Frames that are judged, with the sides that matter in them.
        """
        worst = Reading(stretch, 0.0) if self.watched(stretch) else Reading(stretch, float("nan"))
        start, stop = stretch.frames.start, stretch.frames.stop
        for name in self.watched(stretch):
            for first, end in self._gaps_within(name, start, stop):
                inside = first > 0 and end < self.motion.n_frames
                begin, beyond = (first, end) if inside else (max(first, start), min(end, stop))
                value = 1000.0 * (beyond - begin) / self.motion.rate_hz
                if value > worst.value:
                    frames = (begin + self.motion.first_frame, beyond - 1 + self.motion.first_frame)
                    worst = Reading(stretch, value, "", (name,), (frames,))
        return worst

    def filled_percent(self, stretch: Stretch) -> Reading:
        """Share (%) of the marker samples of a stretch that were interpolated.

        Parameters
        ----------
        stretch : Stretch
            Frames that are judged, with the sides that matter in them.
        """
        names = self.watched(stretch)
        if not names or self.markers.filled is None:
            return Reading(stretch, float("nan"))
        columns = [self.markers.names.index(name) for name in names]
        filled = self.markers.filled[stretch.frames, columns]
        many = tuple(name for name, share in zip(names, filled.mean(axis=0), strict=True) if share > 0.0)
        return Reading(stretch, 100.0 * float(filled.mean()), "", many, self._runs(np.asarray(filled.any(axis=1)), stretch))

    def untracked_percent(self, stretch: Stretch) -> Reading:
        """Share (%) of the frames of a stretch without one of the legs' angles; of a whole trial between its first and last.

        A wrist that is not seen is not a leg that was measured badly.

        Parameters
        ----------
        stretch : Stretch
            Frames that are judged, with the sides that matter in them.
        """
        of_sides = [
            values
            for (side, joint), values in self.motion.joint_angles_rad.items()
            if joint not in UPPER_JOINTS and (side == "" or side in stretch.sides)
        ]
        if not of_sides:
            return Reading(stretch, 100.0)
        tracked = np.stack([np.isfinite(values[stretch.frames]).all(axis=1) for values in of_sides])
        whole, seen_any = np.all(tracked, axis=0), np.flatnonzero(np.any(tracked, axis=0))
        if stretch.cycle is None:
            if not seen_any.size:
                return Reading(stretch, 100.0)
            outside = np.ones_like(whole)
            outside[seen_any[0] : seen_any[-1] + 1] = False
            share = 1.0 - whole[~outside].mean()
            whole = whole | outside
        else:
            share = 1.0 - whole.mean()
        return Reading(stretch, 100.0 * float(share), "", (), self._runs(~whole, stretch))

    @cached_property
    def _changes_mm(self) -> dict[Part, tuple[tuple[str, ...], FloatArray]]:
        """Segment -> its markers seen in both trials, and how each pair's distance differs from the static one: (n, k, k)."""
        changes_mm: dict[Part, tuple[tuple[str, ...], FloatArray]] = {}
        for part, names in self.groups.items() if self.static_markers is not None else ():
            static = self.static_markers
            paired = tuple(name for name in names if self.markers.present(name) and static is not None and static.present(name))
            if len(paired) > 1 and static is not None:
                at_rest = _mean(_distances_m(static, paired), axis=0)
                changes_mm[part] = (paired, MM_PER_M * np.abs(_distances_m(self.markers, paired) - at_rest))
        return changes_mm

    def rigidity_mm(self, stretch: Stretch, limit_mm: float = np.inf) -> Reading:
        """Root mean square change (mm) of the distances within a segment since the static trial, of the worst segment.

        The worst tenth of the frames is left aside.

        Parameters
        ----------
        stretch : Stretch
            Frames that are judged, with the sides that matter in them.
        limit_mm : float, optional
            Frames in which the change is larger are named.
        """
        worst = Reading(stretch, float("nan"))
        for part, (names, change_mm) in self._changes_mm.items():
            if not stretch.concerns(part):
                continue
            pairs = change_mm[stretch.frames][:, *np.triu_indices(len(names), 1)]
            in_frame = np.sqrt(_mean(pairs**2, axis=1))
            value = trimmed_rms(in_frame)
            if np.isfinite(value) and not value <= worst.value:
                with np.errstate(invalid="ignore"):
                    beyond = np.asarray(in_frame > limit_mm)
                rows = change_mm[stretch.frames]
                worst = Reading(stretch, value, part_words(part), _movers(names, rows[beyond]), self._runs(beyond, stretch))
        return worst

    def off_segment(self, stretch: Stretch, limit_mm: float) -> Iterator[Reading]:
        """Yield each segment of a stretch some of whose frames are beyond a limit, with the largest change (mm) and the frames.

        Parameters
        ----------
        stretch : Stretch
            Frames that are judged, with the sides that matter in them.
        limit_mm : float
            Beyond it a marker is not where it was put.
        """
        for part, (names, change_mm) in self._changes_mm.items():
            if stretch.concerns(part):
                rows = change_mm[stretch.frames]
                in_frame = np.sqrt(_mean(rows[:, *np.triu_indices(len(names), 1)] ** 2, axis=1))
                with np.errstate(invalid="ignore"):
                    beyond = np.asarray(in_frame > limit_mm)
                if beyond.any():
                    largest = float(in_frame[beyond].max())
                    yield Reading(stretch, largest, part_words(part), _movers(names, rows[beyond]), self._runs(beyond, stretch))

    def drift_mm(self, stretch: Stretch) -> Reading:
        """Largest change (mm) of the distance between neighbouring joint centres since the static trial, in the middle frame.

        Parameters
        ----------
        stretch : Stretch
            Frames that are judged, with the sides that matter in them.
        """
        worst = Reading(stretch, float("nan"))
        for side in stretch.sides if self.static_motion is not None else ():
            for proximal, distal in BONES:
                now, then = (
                    _bone_m(self.motion, side, proximal, distal, stretch.frames),
                    self._static_bones_m[side, proximal, distal],
                )
                if now is None or then is None:
                    continue
                value = MM_PER_M * abs(_median(now) - then)
                if np.isfinite(value) and not value <= worst.value:
                    worst = Reading(stretch, value, f"{part_words((side, proximal))}-{distal}")
        return worst

    @cached_property
    def _static_bones_m(self) -> dict[tuple[str, str, str], float | None]:
        """Side and two joint centres -> their mean distance in the static trial; None where one is not tracked there."""
        bones = {(side, *bone): _bone_m(self.static_motion, side, *bone, slice(None)) for side in SIDES for bone in BONES}
        return {bone: None if values is None else float(_mean(values, axis=0)) for bone, values in bones.items()}


def trimmed_rms(values: FloatArray) -> float:
    """Root mean square of values (n,) without their worst tenth (`TRIMMED_SHARE`); NaN where none is known.

    Parameters
    ----------
    values : FloatArray
        (n,), at least 0; NaN where unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.judgement.stretches import trimmed_rms
    >>> trimmed_rms(np.array([2.0] * 9 + [500.0]))
    2.0
    """
    known = np.sort(values[np.isfinite(values)])
    kept = known[: int(np.ceil((1.0 - TRIMMED_SHARE) * len(known) - 1e-9))]
    return float(np.sqrt(np.mean(kept**2))) if kept.size else float("nan")


def _movers(names: tuple[str, ...], change_mm: FloatArray) -> tuple[str, ...]:
    """The marker whose distances to the others change most in some frames (m, k, k); both where there are only two."""
    if not len(change_mm) or len(names) == 2:
        return names if len(change_mm) else ()
    off_diagonal = np.where(np.eye(len(names), dtype=bool), np.nan, change_mm)
    means = _mean(off_diagonal.reshape(-1, len(names)), axis=0)
    return (names[int(np.nanargmax(means))],) if np.isfinite(means).any() else names


def _distances_m(markers: Markers, names: tuple[str, ...]) -> FloatArray:
    """Distances (n, k, k) between markers, metres."""
    points = np.stack([markers[name] for name in names], axis=1)
    return np.asarray(np.linalg.norm(points[:, :, None] - points[:, None], axis=-1))


def _bone_m(motion: BodyMotion | None, side: str, proximal: str, distal: str, frames: slice) -> FloatArray | None:
    """Distance (k,) between two joint centres in some frames, metres; None where one is not tracked."""
    if motion is None or not {(side, proximal), (side, distal)} <= motion.joint_centres_lab_m.keys():
        return None
    centres = motion.joint_centres_lab_m
    return np.asarray(np.linalg.norm(centres[side, proximal][frames] - centres[side, distal][frames], axis=1))


def _mean(values: FloatArray, axis: int) -> FloatArray:
    """Mean over the known values; NaN where none is known."""
    known = np.isfinite(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _median(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else float("nan")
