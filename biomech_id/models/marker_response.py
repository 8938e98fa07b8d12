"""What a marker that is off does to every pose of a leg: measured on the model itself, whatever it makes of its markers.

Every marker of a leg and of the pelvis is moved a little along each axis of its segment, in a few frames of the walk, and the model
is asked to track them all at once, copy behind copy. Where there is a static trial the model is calibrated anew on a moved copy of
it, and tracks the static trial as it was: what that changes is what the calibration carries into the walk. To the first order the
sum of both is what a marker does that was put on the wrong spot; the first alone is what its skin does while walking. Into a walk
that has lost the marker the calibration carries the whole sum, for there it is not tracked. A model that stands by itself
(`models.model.StandsByItself`) is not calibrated again and again: it says the sum of all copies at once.

Left and right legs are moved at once, for neither takes part in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.algebra.skew import unskew
from biomech_id.anatomy import JOINTS, LEG_SEGMENTS, PELVIS, Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import CARRIERS, LegResponse, MovedMarker
from biomech_id.errors import BiomechError
from biomech_id.markersets.marker_set import MarkerSet, default_roles
from biomech_id.models.model import BodyModel, CalibrationInput, StandsByItself
from biomech_id.movement.movement import CalibratedModel
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.values import dataclass, replace

#: By how much a marker or a width is moved, metres: little enough for the first order, much more than rounding.
MOVED_BY_M = 1e-5
#: The walk is looked at this often, Hz: a response turns with the joints, not with the steps' impacts.
LOOKS_HZ = 12.5
#: Fewest frames that show how a response changes, and how many frames of a static trial are looked at.
LEAST_FRAMES, STATIC_FRAMES = 4, 3
#: Roles that only a static trial may show, and the segment that they lie on.
_STATIC_ROLES = {
    "medial_epicondyle": "thigh", "medial_malleolus": "shank", "lateral_epicondyle": "thigh", "lateral_malleolus": "shank",
    "asis": "pelvis", "psis": "pelvis", "sacrum": "pelvis", "heel": "foot", "toe": "foot",
}  # fmt: skip
#: Roles that legs have nothing to do with.
_ABOVE_THE_LEGS = frozenset({
    "clavicle", "sternum", "c7", "t10", "head_front", "head_back", "shoulder", "lateral_elbow", "wrist_radial", "wrist_ulnar",
    "finger",
})  # fmt: skip
#: A marker counts to the first of these segments that it moves with.
_ORDER = ("pelvis", "thigh", "shank", "foot")

Recalibrate = Callable[[Trial, Subject], CalibratedModel]
#: Side, and a marker of the static trial; a joint's width is called by its role, "knee_width" or "ankle_width".
CarriedKey = tuple[str, MovedMarker]
#: What the static trial carries into every walk (`calibration_responses`).
Carried = Mapping[CarriedKey, FloatArray]


@dataclass(frozen=True)
class Slot:
    """One displacement: a marker of the pelvis, or the same marker of either leg, along one axis of its segment."""

    markers: Mapping[str, tuple[str, Part]]  # side ("" for the pelvis) -> marker, segment
    role: str
    segment: str
    axis: int

    def of(self, name: str) -> MovedMarker:
        """What the displacement of one of its markers is."""
        return MovedMarker(name, self.role, self.segment, self.axis)


def _width(joint: str) -> MovedMarker:
    return MovedMarker("", f"{joint}_width", "", 0)


def recalibrator(kind: BodyModel, given: CalibrationInput, model: CalibratedModel | None = None) -> Recalibrate:
    """Return what calibrates a model anew on another static trial and other measurements.

    Parameters
    ----------
    kind : BodyModel
        The body model that calibrates.
    given : CalibrationInput
        What it was calibrated on.
    model : CalibratedModel | None, optional
        What came of it, whose marker set it keeps: with the further markers that walks showed to move with a segment.

    Returns
    -------
    Recalibrate
        (static trial, measurements) -> model; everything else stays as it was given.
    """
    sets = [known for known in (_set_of(model),) if known]

    def recalibrate(static: Trial, subject: Subject) -> CalibratedModel:
        plain = "markers" if given.knee_axis == "walk" else given.knee_axis
        again = replace(given, trials=(static,), static=static, functional=(), subject=subject, knee_axis=plain)
        # Which marker set it is does not turn on a fraction of a millimetre: it is recognised once.
        model = kind.calibrate(replace(again, marker_set=sets[0]) if sets else again)
        sets[:] = sets or [known for known in (_set_of(model),) if known]
        return model

    return recalibrate


def _set_of(model: CalibratedModel | None) -> MarkerSet | None:
    markerset = getattr(getattr(model, "calibration", None), "markerset", None)
    return markerset if isinstance(markerset, MarkerSet) else None


def calibration_responses(model: CalibratedModel, recalibrate: Recalibrate | None) -> Carried:
    """Return what the static trial carries into every walk, for markers moved in it and for the joints' widths.

    Parameters
    ----------
    model : CalibratedModel
        Calibrated on a static trial, which is moved.
    recalibrate : Recalibrate | None
        Calibrates it anew; None, or a model without a static trial: nothing is carried.

    Returns
    -------
    Carried
        (side, marker or width) -> (2, 10, 3), per metre, as `LegResponse` has them: into a walk that shows the marker, and into
        one that has lost it.
    """
    if recalibrate is None or model.static is None:
        return {}
    static = few_frames(model.static, STATIC_FRAMES)
    if static is None:
        return {}
    wider = {joint: wide for joint in ("knee", "ankle") if (wide := _wider(model.subject, f"{joint}_width_m"))}
    try:
        at_once = _at_once(model, static, wider)
        return _one_by_one(recalibrate, static, model.subject, wider) if at_once is None else at_once
    except BiomechError:
        return {}  # a static trial that cannot be calibrated on three of its frames alone


def _one_by_one(
    recalibrate: Recalibrate, static: Trial, subject: Subject, wider: Mapping[str, Subject]
) -> dict[CarriedKey, FloatArray]:
    """Calibrate anew on every moved copy, and for every width."""
    base = recalibrate(static, subject)
    standing = base.track(static)
    slots = moved_slots(static.markers, base.marker_groups, static=True)
    at = {part: each.frames.R_lab_seg for part, each in standing.motions.items()}
    tracked = _places(base, replace(static, markers=moved_copies(static.markers, at, slots)))
    by_tracking = {side: _changes(*_copies(of_leg, static.n_frames)) for side, of_leg in tracked.items()}
    changes: dict[CarriedKey, FloatArray] = {}
    for number, slot in enumerate(slots):
        moved = replace(static, markers=_with(static.markers, _displaced(static.markers, at, slot)))
        by_slot = {side: change[number] for side, change in by_tracking.items()}
        changes |= _differences(standing, recalibrate(moved, subject).track(static), slot, by_slot)
    for joint, wide in wider.items():
        slot = Slot({side: ("", (side, joint)) for side in standing.sides}, _width(joint).role, "", 0)
        changes |= _differences(standing, recalibrate(static, wide).track(static), slot, dict.fromkeys(standing.sides, 0.0))
    return changes


def _at_once(model: CalibratedModel, static: Trial, wider: Mapping[str, Subject]) -> dict[CarriedKey, FloatArray] | None:
    """The same of a model that stands by itself: what a marker does that is off in both, less what it does to tracking alone."""
    here = model.places(static.markers) if isinstance(model, StandsByItself) else None
    if here is None or not isinstance(model, StandsByItself):
        return None
    slots = moved_slots(static.markers, model.marker_groups, static=True)
    at = {(side, name): axes[:, i] for side, (_, axes) in here.items() for i, name in enumerate(LEG_SEGMENTS)}
    at[PELVIS] = next(iter(here.values()))[1][:, 3]
    together = moved_copies(static.markers, at, slots)
    legs = model.standing(together, len(slots) + 1)
    if legs is None:
        return None
    tracked = _places(model, replace(static, markers=together))
    widened = {joint: model.standing(static.markers, 1, wide) for joint, wide in wider.items()}
    changes: dict[CarriedKey, FloatArray] = {}
    for side, of_leg in legs.items():
        points, axes = _copies(of_leg, static.n_frames)
        stood = _changes(points, axes)
        change = np.stack([stood - _changes(*_copies(tracked[side], static.n_frames)), stood], axis=1)
        named = [(slot, slot.markers.get(side) or slot.markers.get("")) for slot in slots]
        of_side = {(side, slot.of(of[0])): each for (slot, of), each in zip(named, change, strict=True) if of}
        for joint, wide in widened.items():
            if wide is not None:
                both = (np.stack(pair) for pair in zip((points[0], axes[0]), wide[side], strict=True))
                of_side[side, _width(joint)] = _changes(*both).repeat(2, axis=0)
        changes |= {key: each.mean(axis=1) for key, each in of_side.items() if np.isfinite(each).all()}
    return changes


def leg_responses(
    model: CalibratedModel,
    trial: Trial,
    motion: BodyMotion,
    carried: Carried,
) -> Mapping[str, LegResponse]:
    """Return what every marker does to the poses of each leg in a walk.

    Parameters
    ----------
    model : CalibratedModel
        The model that tracked the walk.
    trial : Trial
        The walk as analysed.
    motion : BodyMotion
        The walk as ``model`` tracked it.
    carried : Carried
        What `calibration_responses` returned for the same model.

    Returns
    -------
    Mapping[str, LegResponse]
        Side -> responses, per metre; a leg that no frame shows whole is left out, all where the model needs more than markers.
    """
    looked = np.arange(0, trial.n_frames, max(1, round(trial.rate_hz / LOOKS_HZ)))
    markers = only(trial.markers, model.marker_names, looked)
    slots = moved_slots(markers, model.marker_groups)
    small = Trial(trial.name, markers, subject=trial.subject)
    at = {part: each.frames.R_lab_seg[looked] for part, each in motion.motions.items()}
    try:
        legs = _places(model, replace(small, markers=moved_copies(markers, at, slots)))
    except BiomechError:
        return {}  # a model that needs more of a trial than its markers
    responses = {}
    for side in motion.sides:
        points, axes = _copies(legs[side], len(looked))
        seen = np.isfinite(points[0]).all(axis=(1, 2)) & np.isfinite(axes[0]).all(axis=(1, 2, 3))
        change = _changes(points, axes)
        seen &= np.isfinite(change).all(axis=(0, 2, 3))
        if seen.sum() >= LEAST_FRAMES:
            responses[side] = _leg_response(side, slots, looked[seen], change[:, seen], carried)
    return responses


def _leg_response(side: str, slots: Sequence[Slot], frames: IntArray, change: FloatArray, carried: Carried) -> LegResponse:
    pairs = [(i, slot, slot.markers.get(side) or slot.markers.get("")) for i, slot in enumerate(slots)]
    tracked = [(i, slot, named) for i, slot, named in pairs if named is not None]
    moved = [slot.of(name) for _, slot, (name, _) in tracked]
    kept = [carried.get((side, marker), np.zeros((2, 10, 3)))[0] for marker in moved]
    widths = {joint: carried[side, _width(joint)][0] for joint in ("knee", "ankle") if (side, _width(joint)) in carried}
    lost = {marker: value[1] for (of, marker), value in carried.items() if of == side and marker.name and marker not in moved}
    responses = np.concatenate([change[[i for i, *_ in tracked]], np.zeros((len(lost), len(frames), 10, 3))])
    return LegResponse((*moved, *lost), frames, responses, np.array([*kept, *lost.values()]), widths)


def moved_slots(markers: Markers, groups: Mapping[Part, Sequence[str]], *, static: bool = False) -> tuple[Slot, ...]:
    """Return every displacement that is tried; markers of both legs with the same place in their segment share one.

    Parameters
    ----------
    markers : Markers
        Of the recording, with roles.
    groups : Mapping[Part, Sequence[str]]
        Segment -> markers that place it.
    static : bool, optional
        Whether markers that only a static trial shows are moved too.

    Returns
    -------
    tuple[Slot, ...]
        Three of each marker or pair of markers, one along each axis of the segment.
    """
    role_of = {name: role for (_, role), name in (markers.roles or default_roles()).items()}
    lists: dict[Part, list[str]] = {}
    taken: set[str] = set()
    for segment in _ORDER:
        for side in ("", *SIDES):
            for name in groups.get((side, segment), ()):
                if name in markers and markers.present(name) and name not in taken:
                    taken.add(name)
                    lists.setdefault((side, segment), []).append(name)
    if static:
        for (side, role), name in (markers.roles or default_roles()).items():
            segment = _STATIC_ROLES.get(role, "")
            if segment and name not in taken and name in markers and markers.present(name):
                taken.add(name)
                lists.setdefault(("" if segment == "pelvis" else side, segment), []).append(name)
    slots = []
    for segment in _ORDER:
        if segment == "pelvis":
            paired = [{"": name} for name in lists.get(("", segment), ())]
        else:
            paired = _paired({side: lists.get((side, segment), []) for side in SIDES}, role_of)
        for of_side in paired:
            named = {side: (name, (side, segment)) for side, name in of_side.items()}
            role = next((role_of[name] for name in of_side.values() if name in role_of), "")
            slots += [Slot(named, role, segment, axis) for axis in range(3)]
    return tuple(slots)


def _paired(names: Mapping[str, Sequence[str]], role_of: Mapping[str, str]) -> list[dict[str, str]]:
    """Markers of both sides in pairs of one role; those without a role in their order."""
    pairs: list[dict[str, str]] = []
    for side, of_side in names.items():
        for name in of_side:
            role = role_of.get(name, "")
            fits = (p for p in pairs if side not in p and role_of.get(next(iter(p.values())), "") == role)
            pair = next(fits, None)
            if pair is None:
                pairs.append({side: name})
            else:
                pair[side] = name
    return pairs


def _displaced(markers: Markers, R_lab_seg: Mapping[Part, FloatArray], slot: Slot) -> FloatArray:
    position = markers.position_m.copy()
    for name, part in slot.markers.values():
        if part in R_lab_seg:
            position[:, markers.names.index(name)] += MOVED_BY_M * R_lab_seg[part][:, :, slot.axis]
    return position


def moved_copies(markers: Markers, R_lab_seg: Mapping[Part, FloatArray], slots: Sequence[Slot]) -> Markers:
    """Return the markers as they are, and behind them with every displacement.

    Parameters
    ----------
    markers : Markers
        n frames.
    R_lab_seg : Mapping[Part, FloatArray]
        Segment -> its axes (n, 3, 3), laboratory axes.
    slots : Sequence[Slot]
        The p displacements, of `MOVED_BY_M` each.

    Returns
    -------
    Markers
        (1 + p) n frames.
    """
    return _with(markers, np.concatenate([markers.position_m, *(_displaced(markers, R_lab_seg, slot) for slot in slots)]))


def _places(model: CalibratedModel, trial: Trial) -> Mapping[str, tuple[FloatArray, FloatArray]]:
    """Side -> points (n, 6, 3) and axes (n, 4, 3, 3) of that leg (see `models.model.StandsByItself`)."""
    legs = model.places(trial.markers) if isinstance(model, StandsByItself) else None
    if legs is not None:
        return legs
    tracked = model.track(trial)
    return {side: _of_motion(tracked, side) for side in tracked.sides}


def _of_motion(tracked: BodyMotion, side: str) -> tuple[FloatArray, FloatArray]:
    motions = [tracked.motions[side, segment] for segment in LEG_SEGMENTS]
    points = [*(tracked.joint_centres_lab_m[side, joint] for joint in JOINTS), *(motion.com_lab_m for motion in motions)]
    axes = [motion.frames.R_lab_seg for motion in (*motions, tracked.motions[PELVIS])]
    return np.stack(points, axis=1), np.stack(axes, axis=1)


def _copies(of_leg: tuple[FloatArray, FloatArray], n: int) -> tuple[FloatArray, FloatArray]:
    """Points (copies, n, 6, 3) and axes (copies, n, 4, 3, 3) of trials of n frames, one behind the other."""
    points, axes = of_leg
    return points.reshape(-1, n, 6, 3), axes.reshape(-1, n, 4, 3, 3)


def _changes(points: FloatArray, axes: FloatArray) -> FloatArray:
    """By what copies (p, n, 10, 3) differ from the first, per metre, in the axes of the `CARRIERS`."""
    back = np.swapaxes(axes[0], -1, -2)
    turn = unskew(back @ (axes[1:] - axes[0]))
    shift = np.einsum("nkij,pnkj->pnki", back[:, CARRIERS[4:]], points[1:] - points[0])
    return np.asarray(np.concatenate([turn, shift], axis=2) / MOVED_BY_M)


def _differences(
    standing: BodyMotion, other: BodyMotion, slot: Slot, by_tracking: Mapping[str, FloatArray | float]
) -> dict[CarriedKey, FloatArray]:
    """What calibrating anew changes; and what is left of it where the marker is not tracked, by side."""
    differences = {}
    for side in standing.sides:
        named = slot.markers.get(side) or slot.markers.get("")
        if named is None:
            continue
        pairs = [_copies(_of_motion(each, side), standing.n_frames) for each in (standing, other)]
        change = _changes(*(np.concatenate(both) for both in zip(*pairs, strict=True)))[0]
        both = np.stack([change, change + by_tracking[side]])
        if np.isfinite(both).all():
            differences[side, slot.of(named[0])] = both.mean(axis=1)
    return differences


def few_frames(trial: Trial, n: int, *, above: bool = False) -> Trial | None:
    """Return a trial of few frames, evenly spread, in which most markers are seen; None where there is none.

    Parameters
    ----------
    trial : Trial
        A static trial.
    n : int
        How many frames.
    above : bool, optional
        Whether markers above the legs are kept.

    Returns
    -------
    Trial | None
        Of n frames, one of them more than once where fewer show as many markers.
    """
    seen = np.isfinite(trial.markers.position_m[:, :, 0]).sum(axis=1)
    whole = np.flatnonzero(seen == seen.max())
    if not len(whole):
        return None
    frames = whole[np.linspace(0, len(whole) - 1, n).astype(int)]
    roles = (trial.markers.roles or default_roles()).items()
    left_out = set() if above else {name for (_, role), name in roles if role in _ABOVE_THE_LEGS}
    names = [name for name in trial.markers.names if name not in left_out]
    return Trial(trial.name, only(trial.markers, names, frames), subject=trial.subject, path=trial.path)


def only(markers: Markers, names: Collection[str], frames: IntArray) -> Markers:
    """Return some markers in some frames.

    Parameters
    ----------
    markers : Markers
        Markers of a recording.
    names : Collection[str]
        Those that are kept, as far as they are there.
    frames : IntArray
        (K,), rows of the recording.

    Returns
    -------
    Markers
        K frames at the recording's rate, whatever lies between them, with the roles of all its markers.
    """
    kept = [i for i, name in enumerate(markers.names) if name in set(names)]
    position = markers.position_m[frames][:, kept]
    return Markers(tuple(markers.names[i] for i in kept), position, markers.rate_hz, roles=markers.roles)


def _with(markers: Markers, position_m: FloatArray) -> Markers:
    return Markers(markers.names, position_m, markers.rate_hz, roles=markers.roles)


def _wider(subject: Subject, measure: str) -> Subject | None:
    widths: Mapping[str, float] = getattr(subject, measure)
    wider: Any = {measure: {side: width + MOVED_BY_M for side, width in widths.items()}}
    return replace(subject, **wider) if widths else None
