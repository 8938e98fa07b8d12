"""Markers that no marker set names, but which move with a segment as its own markers do: they help to follow it.

A marker belongs to the segment in whose axes it stays in one place through standing and walking, if it leaves its place in the
axes of every other segment much more. A marker beside a joint stays near both and is left where it is; so are toes, the lumbar
spine and points that software computed from other markers, which know nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.anatomy import Part
from biomech_id.markersets.marker_set import MarkerSet
from biomech_id.models.landmarks import FOREFOOT
from biomech_id.models.six_dof.calibration import SegmentTemplate
from biomech_id.models.six_dof.tracking import TrackedSegments, track_segments
from biomech_id.models.triads import into_segment
from biomech_id.trial import Markers
from biomech_id.values import dataclass, replace

#: Markers of its own that are enough for a segment.
ENOUGH = 4
#: Largest scatter of a marker (root mean square) about its place in a segment's axes, and of that place from standing, metres.
#: The lumbar spine moves by 6 mm and more in the pelvis's.
MOST_SCATTER_M: Mapping[str, float] = {"pelvis": 0.005, "thigh": 0.012, "shank": 0.012, "foot": 0.006}
MOST_SHIFT_M = 0.018
#: By how much the scatter in any other segment's axes must be larger: so many times, and so many metres.
CLEAR_RATIO, CLEAR_M = 1.6, 0.005
#: Share of the frames that show a segment in which a marker has to be seen, and how many such frames a trial needs.
SEEN_SHARE, LEAST_FRAMES = 0.9, 20
#: Of a foot's length from heel to forefoot: what lies further forward are toes.
TOES = 0.12
#: Of the width between the anterior spines: what lies higher or lower than its markers by more is no pelvis.
PELVIS_HEIGHT = 0.35
#: Distances between two markers that vary less are no measurements, metres.
COMPUTED_M = 1e-5
#: Rounds of adding markers and following the segments with them.
ROUNDS = 3


@dataclass(frozen=True, eq=False)
class _Recording:
    """A recording and the segments followed through it."""

    markers: Markers
    tracked: TrackedSegments

    def local_m(self, label: str, part: Part) -> FloatArray:
        """Where a marker is in a segment's axes, (n, 3), NaN where either is not seen."""
        frames = self.tracked.frames[part]
        return into_segment(frames.R_lab_seg, frames.origin_lab_m, self.markers[label])

    def frames_of(self, part: Part) -> int:
        """In how many frames a segment is followed."""
        return int(np.isfinite(self.tracked.frames[part].origin_lab_m[:, 0]).sum())


def with_rigid_markers(
    markerset: MarkerSet, templates: Mapping[Part, SegmentTemplate], sides: Sequence[str],
    static: Markers, walks: Sequence[Markers],
) -> MarkerSet:  # fmt: skip
    """Return the marker set with further markers that move with a segment.

    Parameters
    ----------
    markerset : MarkerSet
        Names each segment's own markers.
    templates : Mapping[Part, SegmentTemplate]
        (side, segment) -> template, learnt with ``markerset``.
    sides : Sequence[str]
        Legs that are followed.
    static : Markers
        The static trial's markers, under the set's labels.
    walks : Sequence[Markers]
        Markers of every walk, under the set's labels.

    Returns
    -------
    MarkerSet
        The same set where every segment has four markers of its own, or none can be added.
    """
    poor = {part for part, template in templates.items() if len(template.markers) < ENOUGH}
    if not poor:
        return markerset
    standing = _Recording(static, track_segments(templates, sides, static))
    moving = [_Recording(markers, track_segments(templates, sides, markers)) for markers in walks]
    moving = [each for each in moving if min(each.frames_of(part) for part in templates) >= LEAST_FRAMES]
    if not moving:
        return markerset
    further: dict[Part, list[str]] = {}
    for label in _candidates(templates, static, [each.markers for each in moving]):
        part = _segment_of(label, templates, standing, moving)
        if part in poor and _within(part, label, markerset, standing):
            further.setdefault(part, []).append(label)
    wider = {part: (*markerset.tracking[part], *labels) for part, labels in further.items()}
    return replace(markerset, tracking=MappingProxyType({**markerset.tracking, **wider})) if wider else markerset


def _candidates(templates: Mapping[Part, SegmentTemplate], static: Markers, walks: Sequence[Markers]) -> Iterator[str]:
    """Labels of measured markers that all recordings show and no segment uses."""
    used = {label for template in templates.values() for label in template.markers}
    shown = [label for label in static.names if static.present(label) and all(w.present(label) for w in walks if label in w)]
    everywhere = [label for label in shown if all(label in walk for walk in walks)]
    computed = _computed(everywhere, walks[0])
    yield from (label for label in everywhere if label not in used and label not in computed)


def _computed(labels: Sequence[str], walk: Markers) -> set[str]:
    """Labels of points that lie on another or keep an exact distance from one: copies, and the ends of axes that software drew."""
    if len(labels) < 2:
        return set()
    path_m = np.stack([walk[label][:: max(1, walk.n_frames // 12)] for label in labels], axis=1)
    first, second = np.triu_indices(len(labels), 1)
    distance_m = np.linalg.norm(path_m[:, first] - path_m[:, second], axis=2)
    with np.errstate(invalid="ignore"):
        exact = (np.asarray(over_seen(np.nanstd, distance_m, 0)) < COMPUTED_M) & (np.isfinite(distance_m).sum(axis=0) > 2)
    return {labels[k] for k in (*first[exact], *second[exact])}


def _segment_of(
    label: str, templates: Mapping[Part, SegmentTemplate], standing: _Recording, moving: Sequence[_Recording]
) -> Part | None:
    """The segment with which a marker moves, or None where that is not clear."""
    scatter_m = {part: max(_scatter_m(label, part, each) for each in moving) for part in templates}
    best, second = sorted(scatter_m, key=lambda part: scatter_m[part])[:2]
    clear = scatter_m[second] > max(CLEAR_RATIO * scatter_m[best], scatter_m[best] + CLEAR_M)
    if not clear or scatter_m[best] > MOST_SCATTER_M[best[1]]:
        return None
    stood_m = _mean(standing.local_m(label, best))
    moved_m = [float(np.linalg.norm(_mean(each.local_m(label, best)) - stood_m)) for each in moving]
    return best if max(moved_m) < MOST_SHIFT_M else None


def _scatter_m(label: str, part: Part, recording: _Recording) -> float:
    """Root mean square distance of a marker from its mean place in a segment's axes; infinite where it is seen too seldom.

    Without what is drawn anew in every frame, for a marker is not looser because cameras are noisier: white noise leaves six times
    its variance in second differences, in which movement leaves next to nothing.
    """
    local_m = recording.local_m(label, part)
    seen = np.isfinite(local_m).all(axis=1)
    if seen.sum() < SEEN_SHARE * recording.frames_of(part):
        return float("inf")
    second_m = local_m[2:] - 2.0 * local_m[1:-1] + local_m[:-2]
    noise_m2 = (second_m[np.isfinite(second_m).all(axis=1)] ** 2).sum(axis=1) / 6.0
    variance_m2 = ((local_m[seen] - local_m[seen].mean(axis=0)) ** 2).sum(axis=1).mean()
    return float(np.sqrt(max(variance_m2 - (noise_m2.mean() if len(noise_m2) else 0.0), 0.0)))


def _mean(local_m: FloatArray) -> FloatArray:
    seen = np.isfinite(local_m).all(axis=1)
    return np.asarray(local_m[seen].mean(axis=0) if seen.any() else np.full(3, np.nan))


def _within(part: Part, label: str, markerset: MarkerSet, standing: _Recording) -> bool:
    """Whether a marker lies on its segment, and not on the toes or above the pelvis."""
    side, name = part
    if name not in ("pelvis", "foot"):
        return True
    place = _mean(standing.local_m(label, part))
    points = {
        key: _mean(standing.local_m(other, part)) for key, other in markerset.landmarks.items() if other in standing.markers.names
    }
    if name == "foot":
        heel = points.get((side, "heel"), np.full(3, np.nan))
        front = next((points[side, role] for role in FOREFOOT if (side, role) in points), np.full(3, np.nan))
        return bool(place[0] < front[0] + TOES * (front[0] - heel[0]))
    width_m = np.linalg.norm(points["L", "asis"] - points["R", "asis"])
    heights = [points[key][1] for key in points if key[1] in ("asis", "psis", "sacrum")]
    return bool(min(heights) - PELVIS_HEIGHT * width_m < place[1] < max(heights) + PELVIS_HEIGHT * width_m)
