"""Markers that are off, as errors of the poses of a leg: put on the wrong spot, or on skin that moves while the subject walks.

Every error is a bias, one draw for a session, that acts along one axis of a segment. A marker on the wrong spot is off by the same
in the static trial and in every frame of the walk. Soft tissue moves in the walk alone: marker m is off by ::

    d_m(t) = c_m1 x1(t) + c_m2 x2(t)          c_mk one draw along each axis of the segment, of variance s_m^2 / 2

with x1 and x2 the leg's (of the pelvis the left leg's) sagittal hip and knee angle, less their mean and divided by their
standard deviation over the walk, so that s_m is the root mean square along each axis. What a unit of either does to the poses the
body model has told (`dynamics.model_errors.LegResponse`): vectors g(t), and with a function of time g x. Of whatever changes by
J0 e + J1 e' + J2 e'' (see `uncertainty.pose_jacobian`) the errors of all markers make three matrices, by Leibniz' rule ::

    e = g x        change = (J0 g + J1 g' + J2 g'') x + (J1 g + 2 J2 g') x' + J2 g x''

of which a marker on the wrong spot, x = 1, has the first, and soft tissue all.

How much the tissue of this subject moved, the lengths of thigh and shank between the joint centres say, which no bone changes
(`tissue_scale`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import LegResponse, MovedMarker
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.uncertainty.pose_jacobian import add_lab

#: Role of a marker -> the stem of its sizes, and the source that a wrong spot counts to.
PLACEMENT: Mapping[str, tuple[str, str]] = {
    "asis": ("asis", "pelvis"), "psis": ("psis", "pelvis"), "sacrum": ("psis", "pelvis"),
    "lateral_epicondyle": ("epicondyle", "knee_centre"), "medial_epicondyle": ("epicondyle", "knee_centre"),
    "lateral_malleolus": ("malleolus", "ankle_centre"), "medial_malleolus": ("malleolus", "ankle_centre"),
    "thigh_wand": ("wand", "segment_axes"), "shank_wand": ("wand", "segment_axes"), "heel": ("heel", "segment_axes"),
}  # fmt: skip
#: Sources that markers count to.
MARKER_SOURCES = ("pelvis", "knee_centre", "ankle_centre", "segment_axes", "soft_tissue")
#: Directions of the sizes: along ISB's X, Y and Z of an upright person.
SIZE_WAYS = ("forward", "up", "side")
#: Standard deviation of ln(scale) that the lengths of one walk know it by.
LENGTHS_KNOW = 0.28
#: So many standard deviations of ln(ratio) from its mean lengths are not those of a person's legs.
FARTHEST = 3.0
#: A leg whose angles range over less than this, rad, does not walk: nothing tells how its tissue moves.
LEAST_RANGE_RAD = 0.02


@dataclass(frozen=True, eq=False)
class LegMarkerErrors:
    """The markers' errors of one leg in one trial.

    Attributes
    ----------
    response : LegResponse
        What the body model makes of a marker that is off.
    motion : BodyMotion
        The trial, tracked.
    side : str
        "L" or "R".
    sizes : Mapping[str, float]
        Name -> standard deviation (see `sizes.error_sizes`).
    """

    response: LegResponse
    motion: BodyMotion
    side: str
    sizes: Mapping[str, float]

    @cached_property
    def tissue_scale(self) -> float:
        """By how much the tissue of this leg moves more than the sizes say: what they expect, blended with what lengths show.

        ln(scale) is expected as N(0, prior^2), and the lengths show it as N(ln(measured over expected change of length), 0.28^2).
        """
        prior = 0.01 * self.sizes["tissue_prior_percent"]
        shown = self.length_change_ratio
        # Lengths that change much less than anybody's were drawn by a model, not by skin: they say nothing of it.
        reach = FARTHEST * np.hypot(prior, LENGTHS_KNOW)
        if prior == 0.0 or not np.isfinite(shown) or shown < np.exp(-reach):
            return 1.0
        return float(np.exp(min(np.log(shown), reach) * prior**2 / (prior**2 + LENGTHS_KNOW**2)))

    @cached_property
    def length_change_ratio(self) -> float:
        """Root mean square change of the lengths of thigh and shank, over what the tissue's sizes make it; NaN where not known."""
        ankle, knee, hip = (self.motion.joint_centres_lab_m[self.side, joint] for joint in ("ankle", "knee", "hip"))
        rows = self.response.frames
        R_lab_seg = self.axes(rows)
        measured, expected = 0.0, 0.0
        for distal, proximal, k in ((ankle, knee, 0), (knee, hip, 1)):
            length = np.linalg.norm(proximal - distal, axis=1)
            along = (proximal - distal)[rows] / length[rows, None]
            jacobian = np.zeros((1, len(rows), 1, 7, 3))
            for vector, sign in ((4 + k, -1.0), (5 + k, 1.0)):
                add_lab(jacobian, R_lab_seg, 0, vector, sign * along[:, None])
            change = self._by(self._of_source("soft_tissue"), rows, jacobian)
            measured += float(np.nanvar(length))
            expected += float(np.nansum(np.nanvar(change, axis=0)))
        return float(np.sqrt(measured / expected)) if expected > 0.0 and measured > 0.0 else float("nan")

    @property
    def sources(self) -> tuple[str, ...]:
        """The source of ``uncertainty.csv`` that each of the P errors counts to."""
        return tuple(group for group, _ in self._errors)

    def changes(self, frames: IntArray, jacobian: FloatArray) -> FloatArray:
        """Return what every error does to what follows from the poses (N, rows, P), one standard deviation each.

        Parameters
        ----------
        frames : IntArray
            (N,), rows of the trial.
        jacobian : FloatArray
            (orders, N, rows, vectors, 3), see `uncertainty.pose_jacobian`.
        """
        return self._by([error for _, error in self._errors], frames, jacobian)

    def axes(self, frames: IntArray) -> FloatArray:
        """Return the axes (N, 4, 3, 3) of foot, shank, thigh and pelvis.

        Parameters
        ----------
        frames : IntArray
            (N,), rows of the trial.
        """
        motions = self.motion.motions
        parts = [*(motions[self.side, segment] for segment in LEG_SEGMENTS), motions["", "pelvis"]]
        return np.stack([motion.frames.R_lab_seg[frames] for motion in parts], axis=1)

    @cached_property
    def _errors(self) -> list[tuple[str, _Error]]:
        scale = {"soft_tissue": self.tissue_scale}
        return [(group, error) for group in MARKER_SOURCES for error in self._of_source(group, scale.get(group, 1.0))]

    def _of_source(self, group: str, scale: float = 1.0) -> list[_Error]:
        """One for each error of a source: which displacement, how large, which function of time."""
        if group == "soft_tissue":
            sd = [scale * self.sizes[tissue_size(marker)] / MM_PER_M / np.sqrt(2.0) for marker in self.response.moved]
            return [_Error(i, size, k) for i, size in enumerate(sd) if size > 0.0 for k in (0, 1)]
        found = []
        for i, marker in enumerate(self.response.moved):
            stem, source = placement_of(marker)
            if source == group:
                size = float(np.hypot.reduce([self.sizes[f"{stem}_{way}_mm"] * share for way, share in self._directions(marker)]))
                if size > 0.0:
                    found.append(_Error(i, size / MM_PER_M, None))
        joint = group.removesuffix("_centre")
        if joint in self.response.widths and group.endswith("_centre"):
            found.append(_Error(joint, self.sizes[f"{joint}_width_mm"] / MM_PER_M, None))
        return found

    def _directions(self, marker: MovedMarker) -> Iterator[tuple[str, float]]:
        along = np.abs(self.motion.model_axes.R_seg_isb[marker.segment][marker.axis])
        yield from zip(SIZE_WAYS, along, strict=True)

    @cached_property
    def _functions(self) -> Mapping[str, FloatArray]:
        """Side -> x1 and x2 (n, 2) of that leg, with first and second derivative: (3, n, 2)."""
        return {side: self._functions_of(side) for side in {self.side, self.motion.sides[0]}}

    def _functions_of(self, side: str) -> FloatArray:
        # A model that tells no angle of a joint moves no skin by it.
        at_rest, told = np.zeros((self.motion.n_frames, 3)), self.motion.joint_angles_rad
        angles = np.stack([told.get((side, joint), at_rest)[:, 0] for joint in ("hip", "knee")], axis=1)
        spread = np.nanstd(angles, axis=0)
        x = np.where(spread > LEAST_RANGE_RAD, (angles - np.nanmean(angles, axis=0)) / np.maximum(spread, LEAST_RANGE_RAD), 0.0)
        return np.stack([x, *quintic_derivatives(x, self.motion.rate_hz)])

    def _by(self, errors: Sequence[_Error], frames: IntArray, jacobian: FloatArray) -> FloatArray:
        """What errors, those on the wrong spot first, do to what the rows of a Jacobian are of: (N, rows, P)."""
        orders, n, rows, vectors, _ = jacobian.shape
        per = jacobian.reshape(orders, n, rows, -1)
        walking = np.ascontiguousarray(self.response.walking[:, :, :vectors].transpose(1, 2, 3, 0))
        between = _between(self.response.frames, frames, self.motion.rate_hz)[:orders]
        g = [(weights @ walking.reshape(len(walking), -1)).reshape(n, per.shape[-1], -1) for weights in between]
        by_x = [sum(comb(o, k) * (per[o] @ g[o - k]) for o in range(k, orders)) for k in range(orders)]
        placed = [error for error in errors if error.function is None]
        skin = [error for error in errors if error.function is not None]
        return np.concatenate([self._on_wrong_spot(placed, by_x[0], per[0]), self._of_skin(skin, by_x, frames)], axis=2)

    def _on_wrong_spot(self, errors: Sequence[_Error], by_x: FloatArray, per_value: FloatArray) -> FloatArray:
        """The same (N, rows, p) of markers off by a constant, and of widths: with what the static trial carries into the walk."""
        walked, still = np.zeros((by_x.shape[-1], len(errors))), np.zeros((per_value.shape[-1], len(errors)))
        for p, (which, sd, _) in enumerate(errors):
            if isinstance(which, int):
                walked[which, p] = sd
            vectors = self.response.widths[which] if isinstance(which, str) else self.response.carried[which]
            still[:, p] = sd * vectors.reshape(-1)[: len(still)]
        return np.asarray(by_x @ walked + per_value @ still)

    def _of_skin(self, errors: Sequence[_Error], by_x: Sequence[FloatArray], frames: IntArray) -> FloatArray:
        """The same (N, rows, p) of markers on moving skin."""
        which = np.array([error.which for error in errors], dtype=np.intp)
        x = np.zeros((len(by_x), len(frames), len(errors)))
        for p, error in enumerate(errors):
            side = self.motion.sides[0] if self.response.moved[which[p]].segment == "pelvis" else self.side
            x[:, :, p] = error.sd * self._functions[side][: len(x), frames, error.function]
        changes = by_x[0][:, :, which]
        changes *= x[0][:, None]
        for of, x_k in zip(by_x[1:], x[1:], strict=True):
            later = of[:, :, which]
            later *= x_k[:, None]
            changes += later
        return changes


class _Error(NamedTuple):
    """One error: a displacement by its number or a joint's width by its name, its size, and what it is a function of."""

    which: int | str
    sd: float
    function: int | None


def placement_of(marker: MovedMarker) -> tuple[str, str]:
    """Return the stem of a marker's sizes of placement and the source they count to; empty for one that nobody places on a point.

    Parameters
    ----------
    marker : MovedMarker
        The marker.
    """
    if marker.segment == "foot" and marker.role != "heel" and marker.role not in PLACEMENT:
        return ("toe", "segment_axes") if marker.role else ("", "")
    return PLACEMENT.get(marker.role, ("", ""))


def tissue_size(marker: MovedMarker) -> str:
    """Return the name of the size of the tissue below a marker.

    Parameters
    ----------
    marker : MovedMarker
        The marker.
    """
    if marker.role in ("lateral_malleolus", "medial_malleolus"):
        return "tissue_malleolus_mm"
    if marker.segment == "foot":
        return "tissue_heel_mm" if marker.role == "heel" else "tissue_toe_mm"
    return f"tissue_{marker.segment}_mm"


def _between(known: IntArray, wanted: IntArray, rate_hz: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights (N, K) of the cubic Hermite spline through K values at known rows: its value, first and second derivative, per s."""
    at = np.clip(wanted, known[0], known[-1]).astype(np.float64)
    i = np.clip(np.searchsorted(known, at, side="right") - 1, 0, len(known) - 2)
    step = (known[i + 1] - known[i]).astype(np.float64)
    u = (at - known[i]) / step
    slopes, rows = np.gradient(np.eye(len(known)), known.astype(np.float64), axis=0), np.arange(len(at))
    shapes = (
        (1 - 3 * u**2 + 2 * u**3, 3 * u**2 - 2 * u**3, u - 2 * u**2 + u**3, u**3 - u**2),
        (6 * u**2 - 6 * u, 6 * u - 6 * u**2, 1 - 4 * u + 3 * u**2, 3 * u**2 - 2 * u),
        (12 * u - 6, 6 - 12 * u, 6 * u - 4, 6 * u - 2),
    )
    found = []
    for order, (left, right, left_slope, right_slope) in enumerate(shapes):
        scale = (rate_hz / step) ** order
        weights = (left_slope * step * scale)[:, None] * slopes[i] + (right_slope * step * scale)[:, None] * slopes[i + 1]
        weights[rows, i] += left * scale
        weights[rows, i + 1] += right * scale
        found.append(weights)
    return found[0], found[1], found[2]
