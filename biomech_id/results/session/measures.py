"""The numbers behind the quality rules, each measured from one trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.anatomy import Part
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.gait.floor import NO_BELTS, Belts, carried_back
from biomech_id.results.session.ground import centre_of_pressure, flat_foot, inside_outline, pressure_threshold_N
from biomech_id.signal.runs import runs
from biomech_id.trial import ForcePlate, Markers

#: A centre of pressure this far outside the outline still counts as inside:
#: markers sit on a shoe, the outline is a model.
OUTLINE_MARGIN_M = 0.02
#: Pairs of joint centres whose distance is a bone's length.
BONES: tuple[tuple[str, str], ...] = (("hip", "knee"), ("knee", "ankle"))


def largest_gap_ms(missing: BoolArray, rate_hz: float) -> float:
    """Return the longest stretch (ms) in which one marker was not measured, between its first and last measured frame.

    Parameters
    ----------
    missing : BoolArray
        (n_frames, n_markers), True where not measured, filled or not. Markers never measured do not count.
    rate_hz : float
        Video frames per second.
    """
    longest = 0
    for column in missing.T:
        seen = np.flatnonzero(~column)
        if seen.size > 1:
            longest = max(longest, int(np.diff(seen).max()) - 1)
    return 1000.0 * longest / rate_hz


def filled_percent(markers: Markers, names: Sequence[str]) -> float:
    """Return the share (%) of samples of the named markers that were interpolated; NaN if none of them exists.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    names : Sequence[str]
        Names of the markers looked at.
    """
    columns = [markers.names.index(name) for name in names if name in markers]
    if not columns or markers.filled is None or not markers.n_frames:
        return float("nan")
    return 100.0 * float(markers.filled[:, columns].mean())


def untracked_percent(motion: BodyMotion) -> float:
    """Return the share (%) of frames without a joint angle, between the first and last frame that has one; 100 if none has.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    """
    tracked = [np.isfinite(angles).all(axis=1) for angles in motion.joint_angles_rad.values()]
    seen_any = np.flatnonzero(np.any(tracked, axis=0)) if tracked else np.empty(0)
    if not seen_any.size:
        return 100.0
    span = slice(int(seen_any[0]), int(seen_any[-1]) + 1)
    return 100.0 * float(1.0 - np.all(tracked, axis=0)[span].mean())


def marker_rigidity_mm(markers: Markers, static: Markers, groups: Mapping[Part, Sequence[str]]) -> float:
    """Return the root mean square change (mm) of the distances between markers of one segment, of the segment where it is largest.

    Parameters
    ----------
    markers, static : Markers
        The trial's and the static trial's.
    groups : Mapping[Part, Sequence[str]]
        Segment -> names of the markers on it. Fewer than two of them present: the segment is left out.
    """
    worst = [
        _distance_change_mm(markers, static, [name for name in names if markers.present(name) and static.present(name)])
        for names in groups.values()
    ]
    finite = [value for value in worst if np.isfinite(value)]
    return max(finite, default=float("nan"))


def _distance_change_mm(markers: Markers, static: Markers, names: Sequence[str]) -> float:
    squares = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            at_rest = np.nanmean(np.linalg.norm(static[first] - static[second], axis=1))
            change = np.linalg.norm(markers[first] - markers[second], axis=1) - at_rest
            squares.append(np.nanmean(change**2) if np.isfinite(change).any() else np.nan)
    return MM_PER_M * float(np.sqrt(np.nanmean(squares))) if np.isfinite(squares).any() else float("nan")


def centre_drift_mm(motion: BodyMotion, static: BodyMotion) -> float:
    """Return the largest change (mm), over sides and `BONES`, of the mean distance between joint centres since the static trial.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    static : BodyMotion
        The static trial, tracked.
    """
    drifts = [abs(_bone_m(motion, side, *bone) - _bone_m(static, side, *bone)) for side in SIDES for bone in BONES]
    finite = [drift for drift in drifts if np.isfinite(drift)]
    return MM_PER_M * max(finite, default=float("nan"))


def _bone_m(motion: BodyMotion, side: str, proximal: str, distal: str) -> float:
    centres = motion.joint_centres_lab_m
    if (side, proximal) not in centres or (side, distal) not in centres:
        return float("nan")
    length = np.linalg.norm(centres[side, proximal] - centres[side, distal], axis=1)
    return float(np.nanmean(length)) if np.isfinite(length).any() else float("nan")


def plate_baseline_N(plates: Iterable[ForcePlate]) -> float:
    """Return the largest force (N) that was removed from any plate as its baseline; NaN without plates.

    Parameters
    ----------
    plates : Iterable[ForcePlate]
        Plates of the trial.
    """
    sizes = [float(np.linalg.norm(plate.baseline_N)) for plate in plates if plate.baseline_N is not None]
    return max(sizes, default=float("nan"))


def pressure_inside_percent(
    motion: BodyMotion, contacts: Mapping[str, FootContact], *, mass_kg: float, floor_m: float = 0.0, belts: Belts = NO_BELTS
) -> float:
    """Return the share (%) of loaded frames whose centre of pressure lies within `OUTLINE_MARGIN_M` of the foot's outline.

    The outline is that of the foot while it is flat in the same stance, seen from above; a belt carries it along. A stance that
    the recording cuts, of which nobody sees when the foot is flat, is left out. NaN if no foot is loaded or no outline known.

    Parameters
    ----------
    motion : BodyMotion
        Tracked body with ``foot_outline_lab_m``.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    mass_kg : float
        Body mass: only frames above a share of its weight are loaded.
    floor_m : float, optional
        Height of the floor, laboratory Z.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    inside: list[bool] = []
    for side, contact in contacts.items():
        if side not in motion.foot_outline_lab_m:
            continue
        cop_lab_m, _ = centre_of_pressure(
            contact.force_lab_N, contact.moment_lab_Nm, least_force_N=pressure_threshold_N(mass_kg), floor_m=floor_m
        )
        inside += _inside_in_frames(motion, side, cop_lab_m, contact.known, belts)
    return 100.0 * float(np.mean(inside)) if inside else float("nan")


def _inside_in_frames(motion: BodyMotion, side: str, cop_lab_m: FloatArray, known: BoolArray, belts: Belts) -> list[bool]:
    """Judge each loaded frame against the outline of that foot while it is flat: the outline of its own stance."""
    at_rest = (motion.foot_outline_lab_m[side], motion.joint_centres_lab_m[side, "ankle"], cop_lab_m)
    outline, ankle, cop_lab_m = (carried_back(points, motion.time_s, belts, side) for points in at_rest)
    loaded = known & np.isfinite(cop_lab_m[:, 0])
    inside: list[bool] = []
    for start, stop in runs(loaded):
        if not known[max(start - 1, 0) : stop + 1].all() or start == 0 or stop == len(loaded):
            continue
        flat = np.zeros(len(loaded), dtype=bool)
        length = stop - start
        flat[start + length // 5 : start + max(length // 2, length // 5 + 1)] = True
        planted = flat_foot(outline, ankle, flat, side)
        if planted is not None:
            points = planted.components(cop_lab_m[start:stop])
            inside += inside_outline(points, planted.outline_m, margin_m=OUTLINE_MARGIN_M).tolist()
    return inside
