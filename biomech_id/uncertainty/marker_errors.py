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
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import CARRIERS, LegResponse, MovedMarker
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.values import dataclass

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
#: A displacement that does less than this, rad or m per metre, does nothing: a response is measured to some 1e-9.
NO_RESPONSE = 1e-7
#: Looks at a walk that are all taken, wherever they are wanted: beyond, most of their weights are nothing.
FEW_KNOWN = 512


@dataclass(frozen=True, eq=False)
class LegMarkerErrors:
    """The markers' errors of one leg in one trial.

    Attributes
    ----------
    response : LegResponse
        What the body model makes of a marker that is off.
    motion : BodyMotion
        The trial as the body model tracked it.
    side : str
        Which side, "L" or "R".
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
        rows, errors = self.response.frames, self._of_source("soft_tissue")
        if not errors:
            return float("nan")
        R_lab_seg, x = self.axes(rows), self._moving(errors, rows, 1)[0]
        which = [int(error.which) for error in errors]
        measured, expected = 0.0, 0.0
        for distal, proximal, k in ((ankle, knee, 4), (knee, hip, 5)):
            length = np.linalg.norm(proximal - distal, axis=1)
            along = ((proximal - distal)[rows] / length[rows, None])[:, None]
            below, above = (along @ R_lab_seg[:, CARRIERS[vector]] for vector in (k, k + 1))
            walking = self.response.walking[:, :, k : k + 2].transpose(1, 2, 3, 0)
            change = (above @ walking[:, 1] - below @ walking[:, 0])[:, 0, which] * x
            measured += float(np.nanvar(length))
            expected += float(np.nansum(np.nanvar(change, axis=0)))
        return float(np.sqrt(measured / expected)) if expected > 0.0 and measured > 0.0 else float("nan")

    @property
    def sources(self) -> tuple[str, ...]:
        """The source of ``uncertainty.csv`` that each error counts to, those that do nothing as well."""
        return tuple(group for group, _ in self._errors)

    @cached_property
    def acting(self) -> tuple[int, ...]:
        """Which of the errors change a pose, the P of `changes`: along its wand, say, a marker may be anywhere."""
        carried = self.response.carried.reshape(-1, 30)
        moving, carrying = self._walking > NO_RESPONSE, np.abs(carried).max(axis=1, initial=0.0) > NO_RESPONSE
        placed: list[int] = []
        skin: list[int] = []
        for number, (_, (which, _, function)) in enumerate(self._errors):
            if isinstance(which, str) or moving[which] or (function is None and carrying[which]):
                (placed if function is None else skin).append(number)
        return (*placed, *sorted(skin, key=lambda number: self._errors[number][1].function or 0))

    def changes(self, frames: IntArray, jacobian: FloatArray) -> FloatArray:
        """Return what every error that does anything does to what follows from the poses.

        Parameters
        ----------
        frames : IntArray
            (N,), row numbers of the trial.
        jacobian : FloatArray
            (orders, N, rows, vectors, 3), see `uncertainty.pose_jacobian`; quickest as `by_frames` stores it.

        Returns
        -------
        FloatArray
            (N, rows, P), in the unit of the Jacobian's rows, one standard deviation of each error; P as in ``acting``.
        """
        orders, n, rows, vectors, _ = jacobian.shape
        errors = [self._errors[number][1] for number in self.acting]
        placed, skin = ([error for error in errors if (error.function is None) is still] for still in (True, False))
        moved = np.flatnonzero(self._walking > NO_RESPONSE)
        width = 3 * vectors
        looked = _around(self.response.frames, frames)
        walking = self.response.walking[moved, looked, :vectors].transpose(1, 2, 3, 0)
        walking = walking.reshape(len(walking), width * len(moved))  # of no marker, where none responds
        # g, g' and g'' below each other, and beside each other what multiplies them.
        g = np.empty((n, orders, width * len(moved)))
        for order, weights in enumerate(_between(self.response.frames[looked], frames, self.motion.rate_hz, orders)):
            np.matmul(weights, walking, out=g[:, order])
        g = g.reshape(n, orders * width, len(moved))
        per = jacobian.transpose(1, 2, 0, 3, 4).reshape(n, rows, orders * width)
        by_x = [per @ g]
        for k in range(1, orders):
            times = np.repeat([comb(order, k) for order in range(k, orders)], width)
            by_x.append((per[:, :, k * width :] * times) @ g[:, : (orders - k) * width])
        changes = np.empty((n, rows, len(errors)))
        changes[:, :, : len(placed)] = self._on_wrong_spot(placed, by_x[0], per[:, :, :width], moved)
        of_skin = [int(error.which) for error in skin[: len(skin) // 2]]
        later = changes[:, :, len(placed) :].reshape(n, rows, 2, len(of_skin))
        for k, x in enumerate(self._moving(skin, frames, orders)):
            change = by_x[k] if len(of_skin) == len(moved) else by_x[k][:, :, np.searchsorted(moved, of_skin)]
            change, x_k = change[:, :, None], x.reshape(n, 1, 2, len(of_skin))
            if k:
                later += change * x_k
            else:
                np.multiply(change, x_k, out=later)
        return changes

    def placed_m(self, marker: MovedMarker) -> float:
        """Return how far a marker lies beside its place along an axis.

        Parameters
        ----------
        marker : MovedMarker
            Of the leg or the pelvis.

        Returns
        -------
        float
            One standard deviation, metres; 0 for a marker that has none.
        """
        stem, _ = placement_of(marker)
        ways = self._directions(marker) if stem else ()
        return float(np.hypot.reduce([self.sizes[f"{stem}_{way}_mm"] * share for way, share in ways])) / MM_PER_M

    def axes(self, frames: IntArray) -> FloatArray:
        """Return the axes of a leg and the pelvis.

        Parameters
        ----------
        frames : IntArray
            (N,), row numbers of the trial.

        Returns
        -------
        FloatArray
            (N, 4, 3, 3), axes of foot, shank, thigh and pelvis as columns, laboratory components.
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
        # What a fit is not sure of stands behind the markers, and says how sure their places are better than an examiner does.
        fitted = range(len(self.response.moved), len(self.response.walking))
        errors = [_Error(i, 1.0, None) for i in fitted if group == "segment_axes"]
        for i, marker in enumerate(() if fitted else self.response.moved):
            if placement_of(marker)[1] == group and (size := self.placed_m(marker)) > 0.0:
                errors.append(_Error(i, size, None))
        joint = group.removesuffix("_centre")
        if joint in self.response.widths and group.endswith("_centre"):
            errors.append(_Error(joint, self.sizes[f"{joint}_width_mm"] / MM_PER_M, None))
        return errors

    def _directions(self, marker: MovedMarker) -> Iterator[tuple[str, float]]:
        along = np.abs(self.motion.model_axes.R_seg_isb[marker.segment][marker.axis])
        yield from zip(SIZE_WAYS, along, strict=True)

    @cached_property
    def _functions(self) -> Mapping[str, FloatArray]:
        """Side -> x1 and x2 (n, 2) of that leg, with first and second derivative: (3, n, 2)."""
        return {side: self._functions_of(side) for side in {self.side, self.motion.sides[0]}}

    def _functions_of(self, side: str) -> FloatArray:
        x = skin_functions(self.motion, side)
        return np.stack([x, *quintic_derivatives(x, self.motion.rate_hz)])

    @cached_property
    def _walking(self) -> FloatArray:
        """How much a displacement does at most while walking, rad or m per metre."""
        return np.asarray(np.abs(self.response.walking).max(axis=(1, 2, 3), initial=0.0))

    def _on_wrong_spot(self, errors: Sequence[_Error], by_x: FloatArray, per_value: FloatArray, moved: IntArray) -> FloatArray:
        """What markers off by a constant do, and widths, (N, rows, p): with what the static trial carries into the walk."""
        walked, still = np.zeros((by_x.shape[-1], len(errors))), np.zeros((per_value.shape[-1], len(errors)))
        for p, (which, sd, _) in enumerate(errors):
            if isinstance(which, int):
                walked[moved == which, p] = sd
            vectors = self.response.widths[which] if isinstance(which, str) else self.response.carried[which]
            still[:, p] = sd * vectors.reshape(-1)[: len(still)]
        return np.asarray(by_x @ walked + per_value @ still)

    def _moving(self, errors: Sequence[_Error], frames: IntArray, orders: int) -> FloatArray:
        """By how much each error of skin is off in these frames, and the derivatives of that: (orders, N, p)."""
        x = np.empty((orders, len(frames), len(errors)))
        for p, (which, sd, function) in enumerate(errors):
            side = self.motion.sides[0] if self.response.moved[int(which)].segment == "pelvis" else self.side
            x[:, :, p] = sd * self._functions[side][:orders, frames, function]
        return x


class _Error(NamedTuple):
    """One error: a displacement by its number or a joint's width by its name, its size, and what it is a function of."""

    which: int | str
    sd: float
    function: int | None


def skin_functions(motion: BodyMotion, side: str) -> FloatArray:
    """Return what the skin of a leg moves with: x1 and x2 of the module's head.

    Parameters
    ----------
    motion : BodyMotion
        The trial as the body model tracked it.
    side : str
        Leg whose skin is meant, "L" or "R".

    Returns
    -------
    FloatArray
        (n, 2), without unit, of mean square 1; zero where a joint does not move.
    """
    # A model that tells no angle of a joint moves no skin by it.
    at_rest, angles_rad = np.zeros((motion.n_frames, 3)), motion.joint_angles_rad
    angles = np.stack([angles_rad.get((side, joint), at_rest)[:, 0] for joint in ("hip", "knee")], axis=1)
    spread = np.nanstd(angles, axis=0)
    return np.where(spread > LEAST_RANGE_RAD, (angles - np.nanmean(angles, axis=0)) / np.maximum(spread, LEAST_RANGE_RAD), 0.0)


def placement_of(marker: MovedMarker) -> tuple[str, str]:
    """Return the stem of a marker's sizes of placement and the source they count to.

    Parameters
    ----------
    marker : MovedMarker
        Its segment and its role decide.

    Returns
    -------
    stem : str
        "asis"; "" for a marker that nobody places on a point.
    source : str
        Column of ``uncertainty.csv``; "" likewise.
    """
    if marker.segment == "foot" and marker.role != "heel" and marker.role not in PLACEMENT:
        return ("toe", "segment_axes") if marker.role else ("", "")
    return PLACEMENT.get(marker.role, ("", ""))


def tissue_size(marker: MovedMarker) -> str:
    """Return the name of the size of the tissue below a marker.

    Parameters
    ----------
    marker : MovedMarker
        Its segment and its role decide.

    Returns
    -------
    str
        A name in `sizes.ERROR_SIZES`: "tissue_thigh_mm".
    """
    if marker.role in ("lateral_malleolus", "medial_malleolus"):
        return "tissue_malleolus_mm"
    if marker.segment == "foot":
        return "tissue_heel_mm" if marker.role == "heel" else "tissue_toe_mm"
    return f"tissue_{marker.segment}_mm"


def _around(known: IntArray, wanted: IntArray) -> slice:
    """Which of many known rows a spline between them takes for the wanted ones: their neighbours, and one more for its slope."""
    if len(known) <= FEW_KNOWN:
        return slice(None)
    first, last = np.searchsorted(known, (wanted.min(), wanted.max()), side="right")
    return slice(max(0, min(first - 2, len(known) - 4)), max(last, 1) + 2)


def _between(known: IntArray, wanted: IntArray, rate_hz: float, orders: int) -> Iterator[FloatArray]:
    """Weights (N, K) of the cubic Hermite spline through K values at known rows: its value, first and second derivative, per s."""
    at = np.clip(wanted, known[0], known[-1]).astype(np.float64)
    i = np.clip(np.searchsorted(known, at, side="right") - 1, 0, len(known) - 2)
    step = (known[i + 1] - known[i]).astype(np.float64)
    u = (at - known[i]) / step
    slopes, rows = np.gradient(np.eye(len(known)), known.astype(np.float64), axis=0), np.arange(len(at))
    here, there = slopes[i], slopes[i + 1]
    shapes = (
        (1 - 3 * u**2 + 2 * u**3, 3 * u**2 - 2 * u**3, u - 2 * u**2 + u**3, u**3 - u**2),
        (6 * u**2 - 6 * u, 6 * u - 6 * u**2, 1 - 4 * u + 3 * u**2, 3 * u**2 - 2 * u),
        (12 * u - 6, 6 - 12 * u, 6 * u - 4, 6 * u - 2),
    )
    for order, (left, right, left_slope, right_slope) in enumerate(shapes[:orders]):
        scale = (rate_hz / step) ** order
        weights = (left_slope * step * scale)[:, None] * here
        weights += (right_slope * step * scale)[:, None] * there
        weights[rows, i] += left * scale
        weights[rows, i + 1] += right * scale
        yield weights
